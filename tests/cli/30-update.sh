# update beside a fresh reduce on random sequences of ingest, rm and back-dated ingest; the long one is in the torture tests
python3 "$CASES/../oracle/update_twin.py" "$WINNOW" 3 20261 2>/dev/null
printf "" >empty.jsonl; "$WINNOW" ingest c --jsonl empty.jsonl --map id=id,text=text >/dev/null; "$WINNOW" update c; echo $?
# few changes are preferred once, not for ever: the next update goes back to the cover's own preference
for year in 2010 2012; do
	printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: %s-01-01T00:00:00Z\r\nWARC-Target-URI: http://p.example/\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\ntext %s\r\n\r\n' $year $year $year >$year.warc
done
"$WINNOW" ingest p 2010.warc >/dev/null 2>&1
"$WINNOW" reduce p --rule 'a.url = b.url' --prefer newest >/dev/null 2>&1
"$WINNOW" ingest p 2012.warc >/dev/null 2>&1
for prefer in '--prefer stable' '' ''; do
	"$WINNOW" update p --cover 1 $prefer --json | grep -o '"solved_whole_because": [^,]*'
	"$WINNOW" ls p --cover 1 --fields time --format tsv
done

# verify of a collection reads its own files too, and names the one that is not as it was written.
record() { # NAME TEXT
	printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.test/%s\r\n' "$1" "$1"
	printf 'Content-Type: text/plain\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "${#2}" "$2"
}
turn() { # FILE: one bit of the byte in its middle
	at=$(($(wc -c <"$1") / 2))
	byte=$(dd if="$1" bs=1 skip=$at count=1 status=none | od -An -tu1)
	printf "\\$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek=$at conv=notrunc status=none
}
{
	record 1 'the quick brown fox jumps over the lazy dog and runs away from it'
	record 2 'a second text has other words than the first one has, and more of them'
} >two.warc
"$WINNOW" ingest coll two.warc >/dev/null 2>&1
"$WINNOW" export coll --format sets -o sets
"$WINNOW" verify coll; echo "exit $?"
for part in sketch text fulltext; do
	cp -r coll "bad-$part"
	turn "$(ls "bad-$part/$part"/*.seg)"
	"$WINNOW" verify "bad-$part"; echo "exit $?"
done
cp -r coll lost
rm lost/text/*.seg
"$WINNOW" verify lost; echo "exit $?"
"$WINNOW" verify --json lost; echo "exit $?"
cp -r coll bad-catalog # the root of one index is overwritten with nothing
page=$("$WINNOW" sql coll "select rootpage from sqlite_master where name = 'capture_key'" --format tsv | tail -1)
size=$(od -An -tu2 --endian=big -j16 -N2 coll/catalog.db)
dd if=/dev/zero of=bad-catalog/catalog.db bs="$size" seek=$((page - 1)) count=1 conv=notrunc status=none
"$WINNOW" verify bad-catalog 2>&1 | head -3
# what was lost is made again from the archive files
for part in bad-sketch bad-text bad-fulltext lost; do
	"$WINNOW" ingest --reprocess "$part"; echo "exit $?"
	"$WINNOW" verify "$part"; echo "exit $?"
	"$WINNOW" search "$part" fox --json | sed 's/"score": [0-9.]*, //'
	"$WINNOW" export "$part" --format sets -o - | cmp - sets && echo 'the sets are as they were'
done
"$WINNOW" ingest --reprocess coll; echo "exit $?"
"$WINNOW" ingest --reprocess bad-catalog; echo "exit $?"
echo '-- an index of words that is missing, cut or incomplete is made again from the stored texts'
cp -r coll no-words && rm -r no-words/fulltext
cp -r coll cut-words && rm cut-words/fulltext/*.seg
"$WINNOW" ingest --no-fulltext part-words two.warc >/dev/null 2>&1
"$WINNOW" verify part-words; echo "exit $?"
record 3 'a third text about the fox' >three.warc
"$WINNOW" ingest part-words three.warc >/dev/null 2>&1
for coll in no-words cut-words part-words; do
	"$WINNOW" verify $coll 2>&1 | sed 's/ cannot open .*/ cannot open a file/'
	"$WINNOW" ingest --reprocess $coll; echo "exit $?"
	"$WINNOW" verify $coll; echo "exit $?"
	"$WINNOW" search $coll fox --fields url --format tsv
done
echo '-- what cannot be made again is left as it is'
printf '{"i": "x", "t": "the quick brown fox jumps over the lazy dog"}\n' >lines.jsonl
"$WINNOW" ingest lines --jsonl lines.jsonl --map id=i,text=t >/dev/null 2>&1
"$WINNOW" verify lines; echo "exit $?"
turn "$(ls lines/text/*.seg)"
mkdir away && cp -r coll away/coll && turn "$(ls away/coll/sketch/*.seg)" && mv two.warc away
for coll in lines away/coll; do
	before=$(ls $coll/text $coll/sketch)
	"$WINNOW" ingest --reprocess $coll; echo "exit $?"
	[ "$before" = "$(ls $coll/text $coll/sketch)" ] && echo 'as it was'
done
mv away/two.warc . && "$WINNOW" ingest --reprocess away/coll; echo "exit $?"
"$WINNOW" verify away/coll; echo "exit $?"
echo '-- a segment that is gone, cut or no file: whoever meets it says what to do'
record 4 'a fourth text' >four.warc
for part in fulltext text sketch; do
	for how in gone cut directory; do
		rm -rf hurt && "$WINNOW" ingest hurt two.warc >/dev/null 2>&1
		segment=$(ls hurt/$part/*.seg)
		case $how in
		gone) rm "$segment" ;;
		cut) truncate -s 100 "$segment" ;;
		directory) rm "$segment" && mkdir "$segment" ;;
		esac
		echo "$part, $how:"
		"$WINNOW" ingest hurt four.warc >/dev/null; echo "exit $?"
		"$WINNOW" verify hurt >/dev/null 2>&1; echo "exit $?"
		"$WINNOW" ingest --reprocess hurt >/dev/null 2>&1; echo "exit $?"
		"$WINNOW" verify hurt; echo "exit $?"
	done
done

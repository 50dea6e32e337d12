# verify prints FILE OFFSET KIND DETAIL and ends with 1 when there are flaws; repair writes what can be saved.
record() { # TYPE LENGTH BLOCK
	printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.test/%s\r\n' "$1" "$4" "$4"
	printf 'Content-Type: text/plain\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "$2" "$3"
}
{ record resource 5 hello 1; record resource 5 world 2; } >good.warc
{ record resource 5 hello 1; printf 'some junk\n'; record resource 50 world 2; record resource 3 end 3; record resource 3 end 3; } >bad.warc
gzip -nc good.warc >one.warc.gz
printf 'nothing\n' >text.warc
"$WINNOW" verify good.warc; echo "exit $?"
"$WINNOW" verify --json good.warc bad.warc; echo "exit $?"
"$WINNOW" verify bad.warc; echo "exit $?"
"$WINNOW" verify --max-flaws 99 bad.warc >/dev/null 2>&1; echo "exit $?"
"$WINNOW" verify one.warc.gz; echo "exit $?"
"$WINNOW" verify - <one.warc.gz; echo "exit $?"
"$WINNOW" verify text.warc; echo "exit $?"
mkdir folder; cp text.warc folder
"$WINNOW" verify --quiet folder >plain; "$WINNOW" verify --quiet folder/ | diff plain -; cat plain
"$WINNOW" verify --max-flaws x bad.warc; echo "exit $?"
"$WINNOW" repair bad.warc clean.warc.gz; echo "exit $?"
"$WINNOW" verify --json clean.warc.gz; echo "exit $?"
"$WINNOW" repair text.warc none.warc.gz; echo "exit $?"; ls none.warc.gz 2>/dev/null
"$WINNOW" repair bad.warc bad.warc; echo "exit $?"
# more flaws than are kept of one record: lines, text and JSON say the same numbers
python3 - <<'PY'
head = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:%d>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.test/\r\nContent-Length: 0\r\n"
with open("many.warc", "w", newline="") as out:
    for i, n in enumerate((3, 16, 17, 40)):
        out.write(head % i + "no field\r\n" * n + "\r\n\r\n\r\n")
PY
"$WINNOW" verify many.warc 2>note | wc -l; cat note
"$WINNOW" verify --json many.warc; echo "exit $?"
"$WINNOW" verify --max-flaws 75 many.warc >/dev/null 2>&1; echo "exit $?"
"$WINNOW" verify --max-flaws 76 many.warc >/dev/null 2>&1; echo "exit $?"

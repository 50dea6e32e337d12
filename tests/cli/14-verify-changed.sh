# verify of a collection notices archive files that are gone, cut or others now; a copy of one changes nothing.
record() { # NAME TEXT
	printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.test/%s\r\n' "$1" "$1"
	printf 'Content-Type: text/plain\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "${#2}" "$2"
}
where() { "$WINNOW" sql coll 'select path from files' --format tsv | sed "s|$PWD/||"; }
verify() { "$WINNOW" verify "$@" 2>&1 | sed "s|$PWD/||g"; "$WINNOW" verify "$@" >/dev/null 2>&1; echo "exit $?"; }
record 1 'the quick brown fox jumps over the lazy dog and runs away from it' >one.warc
"$WINNOW" ingest coll one.warc >/dev/null 2>&1
cp one.warc kept
echo '-- the same bytes at a second path: the first stays'
cp one.warc copy.warc
"$WINNOW" ingest coll copy.warc --json 2>&1 | grep -o '"files_skipped": [0-9]*'
where
verify coll
echo '-- another file of the same size'
record 1 'the quick brown cat jumps over the lazy dog and runs away from it' >one.warc
touch -r kept one.warc
verify coll
verify --json coll
echo '-- cut'
head -c 200 kept >one.warc
verify coll | grep -v truncated
echo '-- gone'
rm one.warc
verify coll
echo '-- then the copy is noted'
"$WINNOW" ingest coll copy.warc >/dev/null 2>&1
where
verify coll
echo '-- grown: sound, and ingest reads on'
record 2 'a second text' >>copy.warc
verify coll

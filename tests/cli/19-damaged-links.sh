# Lists of links lie in segments of their own: verify names the one that is not as it was written, --reprocess makes it again.
record() { # NAME TEXT
	printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://example.test/%s\r\n' "$1" "$1"
	printf 'Content-Type: text/html\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "${#2}" "$2"
}
{
	record 1 '<p>The quick brown fox jumps <a href="over">over the lazy dog</a> and <a href="away">runs away</a> from it.</p>'
	record 2 '<p>A second text has other words than <a href="1">the first one</a> has.</p>'
	record 3 '<p>No links at all are in the third one of these texts.</p>'
} >three.warc
record 4 '<p>A fourth text with <a href="1">a link</a> of its own.</p>' >four.warc
all="select capture, seq, target, anchor from links order by capture, seq"
"$WINNOW" ingest coll three.warc >/dev/null 2>&1
"$WINNOW" ingest whole three.warc four.warc >/dev/null 2>&1
"$WINNOW" sql coll "$all" --format tsv
"$WINNOW" sql coll "$all" --format tsv >links
"$WINNOW" sql whole "$all" --format tsv >more
ls coll/links
for how in gone cut changed directory; do
	cp -r coll hurt
	segment=$(ls hurt/links/*.seg)
	case $how in
	gone) rm "$segment" ;;
	cut) truncate -s 90 "$segment" ;;
	changed) printf 'Q' | dd of="$segment" bs=1 seek=90 conv=notrunc status=none ;;
	directory) rm "$segment" && mkdir "$segment" ;;
	esac
	echo "-- $how"
	"$WINNOW" links hurt 1 >/dev/null; echo "exit $?"
	"$WINNOW" sql hurt "$all" >/dev/null; echo "exit $?"
	"$WINNOW" verify hurt; echo "exit $?"
	mv three.warc away && "$WINNOW" ingest --reprocess hurt 2>&1 | cut -c 1-120; mv away three.warc
	"$WINNOW" ingest hurt four.warc >/dev/null 2>&1; echo "exit $?"
	"$WINNOW" ingest --reprocess hurt >/dev/null 2>&1; echo "exit $?"
	"$WINNOW" verify hurt; echo "exit $?"
	"$WINNOW" sql hurt "$all" --format tsv | cmp - more && echo 'the links are as they were'
	rm -r hurt
done
echo '-- what a writer that was killed left goes with the next'
cp coll/links/0000000001-1.seg coll/links/0000000009-77.seg
touch coll/links/0000000010-78.seg.tmp
"$WINNOW" ingest coll four.warc >/dev/null 2>&1; ls coll/links
"$WINNOW" sql coll "$all" --format tsv | cmp - more && echo same
echo '-- links of captures that were taken out'
"$WINNOW" rm coll --file three.warc >/dev/null 2>&1; echo "exit $?"
"$WINNOW" sql coll "select capture, seq, target, anchor from links" --format tsv
"$WINNOW" verify coll; echo "exit $?"
"$WINNOW" ingest coll three.warc >/dev/null 2>&1
"$WINNOW" sql coll "select seq, target, anchor from links order by source, seq" --format tsv

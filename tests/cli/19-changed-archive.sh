# Texts made anew from an archive that was damaged after it was ingested: what it no longer has stays as it was, and that is told.
gzip -dc "$SAMPLE"/sample-spring-2010.warc.gz >sound
state() { "$WINNOW" ls c --fields id,words,bytes,digest --format tsv; }
anew() {
	"$WINNOW" ingest c --reprocess --parse-all 2>said && echo "exit 0" || echo "exit $?"
	sed 's/could not be read again: .*/could not be read again/' said
	state | cmp - before && echo "as before"
}
cp sound a.warc
"$WINNOW" ingest c a.warc >/dev/null
state >before
python3 -c "
b = bytearray(open('sound', 'rb').read())
b[len(b) // 2] ^= 0x20
open('a.warc', 'wb').write(b)"
echo "== a byte that differs"
anew
echo "== cut"
head -c 3000 sound >a.warc
anew
echo "== sound again"
cp sound a.warc
anew
# without an index of words, which is made when texts are
echo "== no full text"
"$WINNOW" ingest n sound --no-fulltext >/dev/null
"$WINNOW" search n council --fields id || echo "exit $?"
"$WINNOW" ingest n --reprocess
"$WINNOW" search n council --fields id --format tsv | sed 1d | wc -l
rm -r n
"$WINNOW" ingest n sound --no-fulltext >/dev/null
"$WINNOW" ingest n --reprocess --parse-all
"$WINNOW" search n council --fields id --format tsv | sed 1d | wc -l

# files that were entered with --index-only: ingest says that their captures have no documents, --reprocess makes them
n() { "$WINNOW" sql c "select count(*) captures, count(content) documents from captures" --format tsv | tail -n 1; }
"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >/dev/null
"$WINNOW" ingest alone "$SAMPLE"/sample-*.warc.gz >/dev/null
n
rm -rf c
"$WINNOW" ingest --index-only c "$SAMPLE"/sample-*.warc.gz >/dev/null
n
"$WINNOW" ingest c "$SAMPLE"/sample-spring-2010.warc.gz >/dev/null
"$WINNOW" ingest --index-only c "$SAMPLE"/sample-spring-2010.warc.gz >/dev/null
"$WINNOW" ingest --reprocess c; echo "exit $?"
n
"$WINNOW" ingest c "$SAMPLE"/sample-spring-2010.warc.gz >/dev/null
"$WINNOW" ingest --reprocess c; echo "exit $?"
for coll in alone c; do
	"$WINNOW" sql $coll "select id, url, stamp, digest, mime, charset, lang, words, shingles, title from documents order by id" --format tsv >$coll.tsv
	"$WINNOW" search $coll ferry --fields url --format tsv >>$coll.tsv
	"$WINNOW" sql $coll "select count(*) from links" --format tsv >>$coll.tsv
done
cmp alone.tsv c.tsv && echo "as if they had been made at once"
"$WINNOW" verify c

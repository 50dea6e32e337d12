# captures known from an index are those of the archive file: in either order, and packed, each stands there once
n() { "$WINNOW" sql "$1" "select count(*) captures, count(distinct url || stamp || offset) records, count(content) documents, sum(file is null) imported from captures" --format tsv | tail -n 1; }
mkdir files
cp "$SAMPLE"/sample-spring-2010.warc.gz "$SAMPLE"/sample-autumn-2010.warc.gz files
(cd files && "$WINNOW" index *.warc.gz) >index.cdxj
gzip -k index.cdxj
"$WINNOW" ingest alone files >/dev/null
n alone
echo "the index, then the files:"
"$WINNOW" import a --cdx index.cdxj --quiet
n a
"$WINNOW" ingest a files | grep known
n a
"$WINNOW" ingest a files | grep -c known
n a
echo "the files, then the index, packed:"
"$WINNOW" ingest b files >/dev/null
"$WINNOW" import b --cdx index.cdxj.gz
n b
echo "one of the files, the index, the other:"
"$WINNOW" ingest c files/sample-spring-2010.warc.gz >/dev/null
"$WINNOW" import c --cdx index.cdxj.gz
n c
"$WINNOW" ingest c files >/dev/null
n c
for x in a b c; do
	"$WINNOW" sql $x "select url, stamp, kind, digest, offset from captures order by 1, 2, 5" --format tsv >$x.tsv
	"$WINNOW" sql alone "select url, stamp, kind, digest, offset from captures order by 1, 2, 5" --format tsv | cmp - $x.tsv
done
echo "a packed index that is cut off:"
head -c 900 index.cdxj.gz >cut.cdxj.gz
"$WINNOW" import d --cdx cut.cdxj.gz; echo "exit $?"

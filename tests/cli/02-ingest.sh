# Ingest is idempotent: the same file, a moved file and a grown file; rm takes a file out; whatever the threads, the rows are the same.
s="$SAMPLE"
mask() { sed 's/ in [0-9.]* s (.*/ in T/; s/"seconds": [0-9.]*/"seconds": T/'; }
rows() { "$WINNOW" sql "$1" "select id, url, stamp, kind, digest, content, offset, length, original from captures order by id" --format tsv | md5sum; }
"$WINNOW" ingest c "$s/sample-spring-2010.warc.gz" --json | mask
"$WINNOW" ingest c "$s/sample-spring-2010.warc.gz" | mask; echo "the same again: $?"
cp "$s/sample-spring-2010.warc.gz" moved.warc.gz
"$WINNOW" ingest c moved.warc.gz | mask
"$WINNOW" sql c "select name, complete, records, captures from files"
cp "$s/sample-spring-2010.warc.gz" grow.warc.gz
"$WINNOW" ingest g grow.warc.gz >/dev/null
cat "$s/sample-autumn-2010.warc.gz" >>grow.warc.gz
"$WINNOW" ingest g grow.warc.gz | mask
"$WINNOW" sql g "select name, complete, captures from files"
cat "$s/sample-spring-2010.warc.gz" "$s/sample-autumn-2010.warc.gz" >whole.warc.gz
"$WINNOW" ingest w whole.warc.gz >/dev/null
[ "$(rows g)" = "$(rows w)" ] && echo "a grown file has the rows of a whole one"
# a record cut in the middle is finished when the rest arrives
head -c 12000 whole.warc.gz >cut.warc.gz
"$WINNOW" ingest k cut.warc.gz >/dev/null; echo "cut: $?"
cp whole.warc.gz cut.warc.gz
"$WINNOW" ingest k cut.warc.gz >/dev/null
"$WINNOW" sql k "select url, stamp, digest, offset, length from captures order by offset" --format tsv >k.tsv
"$WINNOW" sql w "select url, stamp, digest, offset, length from captures order by offset" --format tsv | cmp - k.tsv && echo "a cut file has them when it is whole"
"$WINNOW" sql k "select kind from flaws"
"$WINNOW" rm g --file grow.warc.gz; echo "exit $?"
"$WINNOW" rm g --file grow.warc.gz; echo "exit $?"
"$WINNOW" sql g "select (select count(*) from captures), (select count(*) from contents), (select count(*) from links)" --format tsv
"$WINNOW" ingest g grow.warc.gz >/dev/null; "$WINNOW" sql g "select count(*) n from captures" --format csv
for threads in 1 2 5; do "$WINNOW" ingest t$threads "$s"/sample-*.warc.gz --threads $threads >/dev/null; rows t$threads; done | uniq | wc -l
"$WINNOW" ingest small "$s"/sample-*.warc.gz --memory 512M >/dev/null
[ "$(rows small)" = "$(rows t1)" ] && echo "little memory, same rows"
cat "$s/sample-autumn-2010.warc.gz" | "$WINNOW" ingest piped - | mask
"$WINNOW" sql piped "select count(*) n from captures" --format csv; ls piped/incoming | sed 's/[0-9]\{14\}-[0-9]*/T/'
# revisits find an original that arrives later
"$WINNOW" ingest late "$s/sample-autumn-2010.warc.gz" | mask
"$WINNOW" ingest late "$s/sample-spring-2010.warc.gz" | mask
"$WINNOW" sql late "select count(*) from captures where kind = 'revisit' and original is null" --format tsv
# a revisit whose original is taken out has nothing from it any more
"$WINNOW" rm late --file sample-spring-2010.warc.gz >/dev/null
"$WINNOW" sql late "select count(*), max(mime), max(digest), sum(bytes) from captures where kind = 'revisit' and original is null" --format tsv
"$WINNOW" ingest ix --index-only "$s/sample-spring-2010.warc.gz" | mask
"$WINNOW" stats ix --json | grep -o '"documents": [0-9]*'

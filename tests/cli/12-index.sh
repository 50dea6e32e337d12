# Indexes of archive files, in three forms, the same for any number of threads.
cp "$SAMPLE"/sample-*.warc.gz .
"$WINNOW" index sample-*.warc.gz
"$WINNOW" index --format cdx11 sample-autumn-2010.warc.gz
"$WINNOW" index --format cdx9 sample-autumn-2010.warc.gz | head -n 3
for threads in 1 2 7; do "$WINNOW" index --threads $threads sample-*.warc.gz | md5sum; done | uniq | wc -l
"$WINNOW" index sample-*.warc.gz | LC_ALL=C sort -c && echo sorted
cat sample-autumn-2010.warc.gz | "$WINNOW" index - | wc -l
"$WINNOW" verify --json sample-*.warc.gz; echo "exit $?"
"$WINNOW" ingest c sample-*.warc.gz >/dev/null
"$WINNOW" verify --json c; echo "exit $?"
"$WINNOW" export c --format cdxj -o x.cdxj 2>&1 | sed 's/ in [0-9.]* s.*//'
"$WINNOW" import d --cdx x.cdxj; echo "exit $?"
"$WINNOW" stats d --json | grep -o '"\(captures\|documents\|urls\)": [0-9]*'
# a line that is there is passed over; what an index brought goes by the file it names
"$WINNOW" import d --cdx x.cdxj; echo "exit $?"
"$WINNOW" rm d --file sample-autumn-2010.warc.gz; echo "exit $?"
"$WINNOW" rm d --file sample-autumn-2010.warc.gz; echo "exit $?"
"$WINNOW" import d --cdx x.cdxj x.cdxj --json; echo "exit $?"
"$WINNOW" export d --format cdxj -o y.cdxj 2>/dev/null; cmp x.cdxj y.cdxj && echo 'the same index'
"$WINNOW" rm c --file ./sample-autumn-2010.warc.gz; echo "exit $?"
# the same lines with bare digests are the same captures; a file that was imported and ingested goes whole
sed 's/"sha1:/"/' x.cdxj >bare.cdxj
"$WINNOW" import d --cdx bare.cdxj; echo "exit $?"
"$WINNOW" ingest d sample-autumn-2010.warc.gz >/dev/null 2>&1
"$WINNOW" rm d --file sample-autumn-2010.warc.gz; echo "exit $?"

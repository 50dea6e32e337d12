# Ingest is idempotent: the same file, a moved file and a grown file; rm takes a file out; whatever the threads, the rows are the same.
s="$SAMPLE"
mask() { sed 's/ in [0-9.]* s (.*/ in T/; s/"seconds": [0-9.]*/"seconds": T/'; }
rows() { "$WINNOW" sql "$1" "select id, url, stamp, kind, digest, content, offset, length, original from captures order by id" --format tsv | md5sum; }
"$WINNOW" ingest c "$s/sample-spring-2010.warc.gz" --json | mask
"$WINNOW" ingest c "$s/sample-spring-2010.warc.gz" | mask; echo "the same again: $?"
mkdir old && cp "$s/sample-spring-2010.warc.gz" old
"$WINNOW" ingest m old/sample-spring-2010.warc.gz >/dev/null
mv old/sample-spring-2010.warc.gz moved.warc.gz
"$WINNOW" ingest m moved.warc.gz | mask
"$WINNOW" sql m "select name, complete, records, captures from files"
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
# a revisit does not take the text of a capture whose digest is not its own, in whatever order they come
warc() { # FILE TYPE DIGEST BODY [FIELD]
	printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:test:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://b.example/\r\nWARC-Payload-Digest: sha1:%s\r\n' "$2" "$1" "$3" >"$1"
	[ -z "$5" ] || printf "$5\r\n" >>"$1"
	body=$(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %s\r\n\r\n%s' "${#4}" "$4")
	printf 'Content-Type: application/http; msgtype=response\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "${#body}" "$body" >>"$1"
}
digest() { printf '%s' "$1" | python3 -c 'import base64, hashlib, sys; print(base64.b32encode(hashlib.sha1(sys.stdin.buffer.read()).digest()).decode())'; }
warc a.warc response "$(digest 'text alpha one')" 'text alpha one'
warc b.warc response "$(digest 'text beta two')" 'text beta two'
warc r.warc revisit "$(digest 'text alpha one')" '' 'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To-Target-URI: http://b.example/\r\nWARC-Refers-To-Date: 2020-01-02T03:04:05Z'
for order in "a b r" "b a r" "r b a" "r a b"; do
	rm -rf order
	for f in $order; do "$WINNOW" ingest order $f.warc >/dev/null 2>&1; done
	id=$("$WINNOW" sql order "select id from captures where kind = 'revisit'" --format tsv | tail -1)
	"$WINNOW" text order "$id"
done
echo '-- a revision counts changes, not transactions, of which there are more with less memory'
for most in 40000 2; do
	WINNOW_BATCH=$most "$WINNOW" ingest "batch$most" "$SAMPLE"/sample-*.warc.gz -q >/dev/null
	"$WINNOW" stats "batch$most" --json | tr , '\n' | grep revision
done

# Archives in which all records are one gzip member or one frame: texts are made anew in one pass, and are those of a plain file.
record() { # NUMBER
	body="<title>Page $1</title><p>This is page $1 of the archive, and it says so in its only paragraph."
	# shellcheck disable=SC2059
	printf "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:one:$1>\r\nWARC-Date: 2020-01-02T03:04:0$1Z\r\nWARC-Target-URI: http://one.test/$1\r\n"
	printf 'Content-Type: text/html\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' "${#body}" "$body"
}
for n in 1 2 3 4 5 6; do record $n; done >plain.warc
gzip -nc plain.warc >one.warc.gz
zstd -q plain.warc -o one.warc.zst
# two members of several records each
{ for n in 1 2 3; do record $n; done | gzip -n; for n in 4 5 6; do record $n; done | gzip -n; } >two.warc.gz
texts() { "$WINNOW" sql "$1" "select d.url, d.title, d.words, d.digest, c.key from documents d join content c on c.id = d.content order by d.id" --format tsv | sed 1d; }
"$WINNOW" ingest plain plain.warc >/dev/null
texts plain | cut -f 1-3
for name in one.warc.gz one.warc.zst two.warc.gz; do
	"$WINNOW" ingest --index-only "c-$name" $name >/dev/null
	"$WINNOW" ingest "c-$name" --reprocess
	texts "c-$name" >anew
	texts plain | cmp - anew && echo "$name: the same"
	"$WINNOW" ingest "c-$name" --reprocess --parse-all
	texts "c-$name" | cmp - anew && echo "$name: the same again"
done
# a member that was replaced by another
cp one.warc.gz two.warc.gz
"$WINNOW" ingest c-two.warc.gz --reprocess --parse-all 2>said || echo "exit $?"
sed "s|$PWD/||" said
texts c-two.warc.gz | cmp - anew && echo "what cannot be read stays as it was"

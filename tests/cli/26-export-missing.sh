# Captures whose archive file is not there: an archive of them says what is missing, and holds the others.
mkdir files
cp "$SAMPLE"/sample-spring-2010.warc.gz "$SAMPLE"/sample-autumn-2010.warc.gz files
"$WINNOW" index files/*.warc.gz >index.cdxj
"$WINNOW" import none --cdx index.cdxj --quiet
"$WINNOW" import some --cdx index.cdxj --quiet
"$WINNOW" ingest some files/sample-spring-2010.warc.gz >/dev/null 2>&1
imported() { "$WINNOW" sql "$1" "select count(*) captures, sum(file is null) imported from captures" --format tsv | tail -n 1; }
for coll in none some; do
	echo "== $coll"
	imported $coll
	for out in $coll.warc.gz $coll.wacz; do
		format=${out##*.}
		[ "$format" = gz ] && format=warc
		"$WINNOW" export $coll --format "$format" -o "$out"; echo "exit $?"
		[ -e "$out" ] || { echo "no $out"; continue; }
		"$WINNOW" index "$out" | wc -l
		"$WINNOW" verify "$out" >log 2>&1 || cat log
	done
	"$WINNOW" export $coll --format cdxj -o - 2>/dev/null | wc -l
done
echo "== numbers"
"$WINNOW" export some --format warc -o some.warc.gz --json 2>/dev/null; echo "exit $?"
echo "== documents of JSON lines have no record, and no page"
printf '{"i": "http://lines.test/", "t": "a page of words"}\n' >lines.jsonl
"$WINNOW" ingest lines --jsonl lines.jsonl --map id=i,text=t >/dev/null
"$WINNOW" ingest lines files/sample-spring-2010.warc.gz >/dev/null 2>&1
"$WINNOW" export lines --format wacz -o lines.wacz; echo "exit $?"
python3 -c 'import zipfile; print(zipfile.ZipFile("lines.wacz").read("pages/pages.jsonl").count(b"lines.test"))'
echo "== every page has an id, also one without a title"
printf 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>words without a title' >block
for url in http://bare.test/1 http://bare.test/2; do
	printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2010-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:x:%s>\r\nContent-Type: application/http\r\nContent-Length: %s\r\n\r\n' \
		$url $url "$(wc -c <block)"
	cat block
	printf '\r\n\r\n'
done >bare.warc
"$WINNOW" ingest bare bare.warc >/dev/null 2>&1
"$WINNOW" export bare --format wacz -o bare.wacz >/dev/null
python3 -c 'import zipfile; print(zipfile.ZipFile("bare.wacz").read("pages/pages.jsonl").decode(), end="")'
echo "== an archive file that was moved"
cp files/sample-spring-2010.warc.gz here.warc.gz
"$WINNOW" ingest moved here.warc.gz >/dev/null 2>&1
mv here.warc.gz there.warc.gz
"$WINNOW" export moved --format warc -o moved.warc.gz >log 2>&1; echo "exit $?"
sed 's/[^ ]*\/here/here/' log
"$WINNOW" ingest moved there.warc.gz >/dev/null 2>&1
"$WINNOW" export moved --format warc -o moved.warc.gz >/dev/null 2>&1; echo "exit $?"

# --quick: payloads whose digest the archive names are passed over; the index is the same, and --reprocess makes up for it
cat >make.py <<'END'
import base64, gzip, hashlib, random
random.seed(1)
out = open("own.warc.gz", "wb")
def sha1(b): return "sha1:" + base64.b32encode(hashlib.sha1(b).digest()).decode()
def record(type, url, block, *fields):
    head = ["WARC/1.1", "WARC-Type: " + type, "WARC-Record-ID: <urn:x:%d>" % out.tell(), "WARC-Date: 2020-01-02T03:04:05Z",
            "WARC-Target-URI: " + url, *fields, "Content-Length: %d" % len(block)]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"
def response(url, body, *http, digest=None, type="text/html"):
    head = "\r\n".join(["HTTP/1.1 200 OK", "Content-Type: " + type, *http]).encode() + b"\r\n\r\n"
    fields = ["Content-Type: application/http; msgtype=response"]
    if digest != "":
        fields.append("WARC-Payload-Digest: " + (digest or sha1(body)))
    return record("response", url, head + body, *fields)
def page(n): return ("<html><title>page %d</title><p>" % n + " ".join(random.choice("some of the words that pages have".split()) for _ in range(3000))).encode()
def put(r): out.write(gzip.compress(r))
put(response("http://a/plain", page(1)))
put(response("http://a/coded", gzip.compress(page(2)), "Content-Encoding: gzip"))
body = page(3)
put(response("http://a/chunked", b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body), "Transfer-Encoding: chunked", digest=sha1(body)))
put(response("http://a/no-digest", page(4), digest=""))
put(response("http://a/unknown-digest", page(5), digest="whirl:xyz"))
put(response("http://a/md5", page(6), digest="md5:" + hashlib.md5(b"").hexdigest()))  # and wrong
put(response("http://a/form", page(7)))
put(record("request", "http://a/form", b"POST /form HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nname=" + b"n" * 9000,
           "Content-Type: application/http; msgtype=request"))
inner = gzip.compress(response("http://inner/", page(8)))
put(response("http://a/archive", inner, type="application/warc"))
put(record("resource", "http://a/text", page(9), "Content-Type: text/plain", "WARC-Payload-Digest: sha1:" + "A" * 32))  # wrong
out.close()
data = bytearray(open("own.warc.gz", "rb").read())
data[2000] ^= 1  # in the first payload
open("rotten.warc.gz", "wb").write(data)
open("own.warc", "wb").write(gzip.decompress(open("own.warc.gz", "rb").read()))
END
python3 make.py
for f in "$SAMPLE"/sample-*.warc.gz own.warc.gz own.warc rotten.warc.gz; do
	for how in "--format cdxj" "--format cdx11 --threads 2" "--post-append"; do
		"$WINNOW" index $how "$f" >full.cdx
		"$WINNOW" index $how --quick "$f" >quick.cdx
		cmp full.cdx quick.cdx || echo "$f $how differs"
	done
done
cut -d ' ' -f 1 full.cdx | cut -c 1-60
echo "flaws that only reading payloads shows:"
"$WINNOW" index --max-flaws 1 own.warc.gz >/dev/null; echo "exit $?"
"$WINNOW" index --max-flaws 1 --quick own.warc.gz >/dev/null; echo "exit $?"
"$WINNOW" verify rotten.warc.gz | grep -c -e bad-checksum -e bad-member

"$WINNOW" ingest c own.warc.gz --quick; echo "exit $?"
"$WINNOW" ingest alone own.warc.gz "$SAMPLE"/sample-*.warc.gz >/dev/null
"$WINNOW" ingest index --index-only own.warc.gz "$SAMPLE"/sample-*.warc.gz >/dev/null
"$WINNOW" ingest c --index-only --quick own.warc.gz "$SAMPLE"/sample-*.warc.gz >/dev/null
echo "captures, with digest:"
"$WINNOW" sql index "select count(*), count(nullif(digest, '')) from captures" --format tsv | tail -n 1
"$WINNOW" sql c "select count(*), count(nullif(digest, '')) from captures" --format tsv | tail -n 1
"$WINNOW" sql c "select url, bytes from captures where digest = ''" --format tsv
for coll in index c; do
	"$WINNOW" sql $coll "select id, url, stamp, status, mime, payload_digest, file, offset, length from captures order by id" --format tsv >$coll.tsv
done
cmp index.tsv c.tsv && echo "the same captures"
"$WINNOW" ingest --reprocess c >/dev/null; echo "exit $?"
for coll in alone c; do
	"$WINNOW" sql $coll "select id, url, stamp, digest, bytes, payload_digest, mime, charset from captures order by id" --format tsv >$coll.tsv
	"$WINNOW" sql $coll "select id, digest, lang, words, shingles, title from documents order by id" --format tsv >>$coll.tsv
	"$WINNOW" search $coll ferry --fields url --format tsv >>$coll.tsv
done
cmp alone.tsv c.tsv && echo "as if they had been made at once"

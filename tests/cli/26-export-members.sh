# What export copies byte for byte: members that hold one record of what is kept, whole, and nothing else.
cat >make.py <<'END'
import base64, gzip, hashlib, struct

def record(kind, uri, date, ident, block, extra=""):
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:m:{ident}>\r\nWARC-Date: {date}-01-01T00:00:00Z\r\n"
    if uri:
        head += f"WARC-Target-URI: {uri}\r\nContent-Type: application/http; msgtype=response\r\n"
    else:
        head += "Content-Type: application/warc-fields\r\n"
    return f"{head}{extra}Content-Length: {len(block)}\r\n\r\n{block}\r\n\r\n".encode()

def page(words):
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{words}</p>"

def gz(data):
    return gzip.compress(data, mtime=0)

def zstd(data):  # one frame with one raw block
    return b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)) + struct.pack("<I", len(data) << 3 | 1)[:3] + data

info = record("warcinfo", "", 2019, "info", "software: crawler\r\n")
keep = record("response", "http://x.test/keep", 2021, "keep", page("the page that is kept"))
secret = record("response", "http://x.test/secret", 2020, "secret", page("the page that is SECRET"))
digest = base64.b32encode(hashlib.sha1(b"<p>the page that is SECRET</p>").digest()).decode()
revisit = record("revisit", "http://x.test/secret", 2022, "again", "HTTP/1.1 200 OK\r\n\r\n",
    "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\nWARC-Refers-To: <urn:m:secret>\r\n"
    f"WARC-Payload-Digest: sha1:{digest}\r\n"
    "WARC-Refers-To-Target-URI: http://x.test/secret\r\nWARC-Refers-To-Date: 2020-01-01T00:00:00Z\r\n")
half = len(keep) // 2
arc = b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 77\n1 0 test\nURL IP-address Archive-date Content-type Archive-length\n\n\n"
one = page("from an ARC file").encode()
many = [record("response", f"http://h{i % 20}.test/{i}", 1990 + i * 7 % 30, f"many-{i}", page(f"number {i} " * (i * i))) for i in range(60)]
files = {
    "own.warc.gz": gz(info) + gz(secret) + gz(keep),
    "shared.warc.gz": gz(keep + secret),
    "secret-first.warc.gz": gz(secret + keep),
    "all-in-one.warc.gz": gz(info + secret + keep),
    "info-and-secret.warc.gz": gz(info + secret) + gz(keep),
    "split.warc.gz": gz(secret) + gz(keep[:half]) + gz(keep[half:]),
    "split-before-trailer.warc.gz": gz(secret) + gz(keep[:-4]) + gz(keep[-4:]),
    "split-and-shared.warc.gz": gz(secret) + gz(keep[:half]) + gz(keep[half:] + secret.replace(b"secret", b"secre2")),
    "garbage-behind.warc.gz": gz(secret) + gz(keep + b"SECRET notes\n"),
    "bad-checksum.warc.gz": gz(secret) + gz(keep)[:-8] + b"\0\0\0\0" + gz(keep)[-4:],
    "shared.warc.zst": zstd(keep + secret),
    "own.warc.zst": zstd(secret) + zstd(keep),
    "arc.arc.gz": gz(arc) + gz(b"http://x.test/arc 1.2.3.4 20210101000000 text/html %d\n" % len(one) + one + b"\n"),
    "revisit.warc.gz": gz(secret + keep) + gz(revisit),
    "same.warc.gz": b"".join(gz(record("response", f"http://{h}same.test/", 2020, f"same-{h}", page(h))) for h in ("www.", "", "www2.")),
    "many.warc.gz": gz(b"".join(many)),
    "many.warc.zst": b"".join(zstd(r) for r in many),
}
for name, data in files.items():
    open(name, "wb").write(data)
END
python3 make.py
counts() { grep -o '"\(documents\|copied\|rewritten\|originals\|warcinfos\)": [0-9]*' | tr -d '"' | tr '\n' ' '; }
lines() { "$WINNOW" index "$1" | sed 's/ .*"url": "\([^"]*\)".*/ \1/'; }
for file in own.warc.gz shared.warc.gz secret-first.warc.gz all-in-one.warc.gz info-and-secret.warc.gz split.warc.gz split-before-trailer.warc.gz \
	split-and-shared.warc.gz garbage-behind.warc.gz bad-checksum.warc.gz shared.warc.zst own.warc.zst arc.arc.gz; do
	echo "== $file"
	"$WINNOW" ingest "c-$file" "$file" >/dev/null 2>&1
	"$WINNOW" reduce "c-$file" --rule 'a.host = b.host and a.time <= b.time' --name c >/dev/null 2>&1
	for format in warc wacz; do
		out=k-$file.$format
		[ $format = warc ] && out=k-$file-out.warc.gz
		"$WINNOW" export "c-$file" --cover c --what kept --format $format -o "$out" --json 2>/dev/null | counts; echo
		lines "$out"
		"$WINNOW" verify "$out" >log 2>&1 || { echo "verify:"; cat log; }
	done
	gzip -dc "k-$file-out.warc.gz" | grep -a -c SECRET
	"$WINNOW" export "c-$file" --format warc -o "a-$file-out.warc.gz" --json 2>/dev/null | counts; echo
	"$WINNOW" verify "a-$file-out.warc.gz" >log 2>&1 || { echo "verify:"; cat log; }
	"$WINNOW" index "a-$file-out.warc.gz" | wc -l
done
echo "== the original of a revisit"
"$WINNOW" ingest r revisit.warc.gz >/dev/null 2>&1
"$WINNOW" reduce r --rule 'a.host = b.host and a.time <= b.time' --name c >/dev/null 2>&1
"$WINNOW" export r --cover c --what kept --format warc -o r-out.warc.gz --json 2>/dev/null | counts; echo
lines r-out.warc.gz
gzip -dc r-out.warc.gz | grep -a -c /keep
echo "== another record stands there now"
cp own.warc.gz moved.warc.gz; "$WINNOW" ingest m moved.warc.gz >/dev/null 2>&1
sed 's/x.test.keep/x.test\/peek/' make.py >other.py; mkdir o; (cd o && python3 ../other.py); cp o/own.warc.gz moved.warc.gz
"$WINNOW" export m --format warc -o m-out.warc.gz >/dev/null 2>&1; echo "exit $?"; lines m-out.warc.gz
gzip -dc m-out.warc.gz | grep -a -c peek
echo "== some of many records in one member, and the same in frames of their own"
for file in many.warc.gz many.warc.zst; do
	"$WINNOW" ingest "c-$file" "$file" >/dev/null 2>&1
	"$WINNOW" reduce "c-$file" --rule 'a.host = b.host and a.time <= b.time' --name c >/dev/null 2>&1
	"$WINNOW" export "c-$file" --cover c --what kept --format warc -o "k-$file.warc.gz" --json 2>/dev/null | counts; echo
	gzip -dc "k-$file.warc.gz" | sed -n '/^WARC-Type: response/,$p' | grep -a -v '^WARC-Warcinfo-ID' >"k-$file.text"
done
cmp k-many.warc.gz.text k-many.warc.zst.text && grep -c '^WARC-Type: response' k-many.warc.gz.text
echo "== cdxj: the lines that index writes, in the order of their bytes"
"$WINNOW" ingest s same.warc.gz revisit.warc.gz "$SAMPLE"/sample-*.warc.gz >/dev/null 2>&1
"$WINNOW" export s --format cdxj -o s.cdxj >/dev/null 2>&1; echo "exit $?"
"$WINNOW" index same.warc.gz revisit.warc.gz "$SAMPLE"/sample-*.warc.gz | diff - s.cdxj && sort -c s.cdxj && grep -c revisit s.cdxj
grep -o '"url": "[^"]*same.test/"' s.cdxj

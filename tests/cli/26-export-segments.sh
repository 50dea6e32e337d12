# A segmented record is exported whole, however its segments lie.
cat >make.py <<'END'
import base64, gzip, hashlib, io, zipfile

def record(kind, ident, block, extra):
    head = (f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:s:{ident}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            f"WARC-Target-URI: http://seg.test/\r\n{extra}Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"

body = b"<p>" + b" ".join(b"word%d" % i for i in range(150)) + b"</p>"
block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
digest = "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
first = record("response", "first", block[:400], f"Content-Type: application/http; msgtype=response\r\nWARC-Payload-Digest: {digest}\r\nWARC-Segment-Number: 1\r\n")
rest = record("continuation", "rest", block[400:], f"WARC-Segment-Origin-ID: <urn:s:first>\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Total-Length: {len(block)}\r\n")
gz = lambda data: gzip.compress(data, mtime=0)
wacz = io.BytesIO()
with zipfile.ZipFile(wacz, "w") as z:
    z.writestr("archive/data.warc.gz", gz(first) + gz(rest))
for name, data in {"plain.warc": first + rest, "own.warc.gz": gz(first) + gz(rest), "shared.warc.gz": gz(rest + first),
                   "a.wacz": wacz.getvalue(), "one.warc.gz": gz(first), "two.warc.gz": gz(rest)}.items():
    open(name, "wb").write(data)
open("block", "wb").write(block)
END
python3 make.py
cat >compare.py <<'END'
import gzip, sys, zipfile
name = sys.argv[1]
data = zipfile.ZipFile(name).read("archive/data.warc.gz") if name.endswith(".wacz") else open(name, "rb").read()
record = next(r for r in gzip.decompress(data).split(b"WARC/1.1\r\n") if b"WARC-Type: response" in r)
head, block = record.split(b"\r\n\r\n", 1)
print("whole" if block[:-4] == open("block", "rb").read() else f"{len(block) - 4} bytes", sorted(
    f.decode() for f in head.split(b"\r\n") if b"Segment" in f or b"Truncated" in f or b"Payload" in f))
END
try() { # NAME FILE...
	echo "== $*"
	name=$1
	shift
	for file; do "$WINNOW" ingest "c-$name" "$file" >/dev/null 2>&1; done
	for out in "$name-out.warc.gz" "$name-out.wacz"; do
		format=${out##*.}
		[ "$format" = gz ] && format=warc
		"$WINNOW" export "c-$name" --format "$format" -o "$out"; echo "exit $?"
		python3 compare.py "$out"
		"$WINNOW" verify "$out" >log 2>&1 || cat log
		"$WINNOW" index "$out" | wc -l
	done
}
try plain plain.warc
try own own.warc.gz
try shared shared.warc.gz
try packed a.wacz
try files two.warc.gz one.warc.gz
try later one.warc.gz two.warc.gz
try alone one.warc.gz

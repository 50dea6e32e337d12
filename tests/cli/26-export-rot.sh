# A payload that is no longer what was ingested is not handed out under a new digest.
cat >make.py <<'END'
import base64, gzip, hashlib, json

def record(name, block, extra=""):
    return (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:r:{name}>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            f"WARC-Target-URI: http://rot.test/{name}\r\nContent-Type: application/http; msgtype=response\r\n{extra}"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block + b"\r\n\r\n"

def page(body, extra=""):
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{extra}\r\n".encode() + body

def sha1(data):
    return "WARC-Payload-Digest: sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode() + "\r\n"

words = " ".join(f"word{i * i % 911}" for i in range(400)).encode()
packed = gzip.compress(words, mtime=0)
chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(words), words)
records = [
    record("sound", page(words)),
    record("none", page(words)),
    record("right", page(words), sha1(words)),
    record("wrong", page(words), sha1(b"another")),
    record("odd", page(words), "WARC-Payload-Digest: tiger:ABC\r\n"),
    record("chunked", page(chunked, "Transfer-Encoding: chunked\r\n"), sha1(words)),
    record("packed", page(packed, "Content-Encoding: gzip\r\n")),
    record("head", page(words)),
]

places = {}
for name, pack in {"plain.warc": bytes, "stored.warc.gz": lambda r: gzip.compress(r, 0, mtime=0),
                   "deflated.warc.gz": lambda r: gzip.compress(r, 9, mtime=0)}.items():
    parts = [pack(r) for r in records]
    open(name, "wb").write(b"".join(parts))
    # near the end of each but the first, which stays as it is, and the last, whose head is hit
    places[name] = [sum(map(len, parts[:k + 1])) - 40 for k in range(1, len(parts) - 1)] + [sum(map(len, parts[:-1])) + 20]
json.dump(places, open("places", "w"))
END
cat >spoil.py <<'END'
import json
for name, places in json.load(open("places")).items():
    with open(name, "r+b") as f:
        for at in places:
            f.seek(at)
            four = f.read(4)
            f.seek(at)
            f.write(bytes(b ^ 0x15 for b in four))
END
python3 make.py
for file in plain.warc stored.warc.gz deflated.warc.gz; do "$WINNOW" ingest "c-$file" $file >/dev/null 2>&1; done
exports() {
	for file in plain.warc stored.warc.gz deflated.warc.gz; do
		echo "== $file"
		for out in out.warc.gz out.wacz; do
			format=${out##*.}
			[ "$format" = gz ] && format=warc
			"$WINNOW" export "c-$file" --format "$format" -o $out >log 2>&1; echo "exit $?"
			sed 's/, [^ ]*\/\([a-z.]* at\)/, \1/; s/deflated.warc.gz at [0-9]*/deflated.warc.gz at OFFSET/' log
			"$WINNOW" index $out | sed 's/.*"url": "\([^"]*\)".*/\1/'
			rm -f $out
		done
	done
}
exports
echo "== four bytes of most records turn"
python3 spoil.py
exports
echo "== good copies"
mkdir good && (cd good && python3 ../make.py) && rm -f plain.warc stored.warc.gz deflated.warc.gz
for file in plain.warc stored.warc.gz deflated.warc.gz; do "$WINNOW" ingest "c-$file" good/$file >/dev/null 2>&1; done
exports | grep -c 'exit 0'

# A revisit that names a URI without a date has its original in the past, also when a later capture is nearer.
cat >make.py <<'PY'
import hashlib, base64, sys

def record(out, kind, day, url, body, *fields):
    digest = "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + (body if kind == "response" else b"")
    lines = ["WARC/1.1", f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:test:{url}-{day}-{kind}>", f"WARC-Date: 2020-01-{day:02}T00:00:00Z", f"WARC-Target-URI: http://{url}/",
             f"WARC-Payload-Digest: {digest}", "Content-Type: application/http", *fields, f"Content-Length: {len(block)}"]
    out.write("\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n")

profile = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
refers = [profile, "WARC-Refers-To-Target-URI: http://o.test/"]
same, other = b"the same words " * 9, b"other words " * 9
with open("o.warc", "wb") as out:
    for day, body in ((2, same), (4, same), (6, other), (11, same), (12, other)):
        record(out, "response", day, "o.test", body)
with open("r.warc", "wb") as out:
    record(out, "revisit", 10, "r1.test", same, *refers)  # the newest equal one before it: 4, not 11
    record(out, "revisit", 1, "r2.test", same, *refers)  # none before it: the nearest, 2
    record(out, "revisit", 10, "r3.test", other, *refers)  # 6, not 12
    record(out, "revisit", 10, "o.test", same, profile)  # by its own URL alike
    record(out, "revisit", 10, "r4.test", same, profile)  # and by the digest alone
PY
python3 make.py
for order in 'o.warc r.warc' 'r.warc o.warc'; do
	rm -rf c && "$WINNOW" ingest c $order >/dev/null 2>&1
	"$WINNOW" sql c "select r.host, r.stamp, o.stamp as original from captures r join captures o on o.id = r.original where r.kind = 'revisit' order by 1, 2" --format csv
done
echo '-- hosts whose captures were taken out are not counted'
"$WINNOW" stats c --json | grep -o '"hosts": [0-9]*'
"$WINNOW" rm c --file r.warc >/dev/null 2>&1
"$WINNOW" stats c --json | grep -o '"hosts": [0-9]*'
"$WINNOW" sql c 'select host, captures from hosts' --format csv
"$WINNOW" ingest c r.warc >/dev/null 2>&1
"$WINNOW" sql c 'select host, captures from hosts order by 1' --format csv

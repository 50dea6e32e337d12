# Revisits: digests are compared decoded, whatever their label, base and case; a profile that is not known is not interpreted.
cat >make.py <<'PY'
import base64, hashlib, sys
SAME = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

def record(out, kind, number, host, digest, block, *more):
    head = [f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:test:{host}-{number}>", f"WARC-Date: 2020-01-02T03:04:{number:02}Z",
            f"WARC-Target-URI: http://{host}.test/{number}", "Content-Type: application/http;msgtype=response", f"Content-Length: {len(block)}", *more]
    if digest:
        head.append(f"WARC-Payload-Digest: {digest}")
    out.write(("WARC/1.1\r\n" + "\r\n".join(head) + "\r\n\r\n").encode() + block + b"\r\n\r\n")

def response(words):
    body = f"<p>{words} of a page that has words enough to be one</p>".encode()
    return body, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body

def spellings(body):
    for name, odd in (("sha1", "sha-1"), ("sha256", "SHA-256"), ("md5", "MD5")):
        raw = hashlib.new(name, body).digest()
        b32, b16 = base64.b32encode(raw).decode(), raw.hex()
        yield name, [f"{name}:{b32}", f"{name.upper()}:{b32}", f"{odd}:{b32}", f"{name}:{b32.lower()}", f"{name}:{b16}", f"{name}:{b16.upper()}", f"{name}:{b32.rstrip('=')}"]

# every spelling of the original with every spelling of the revisit: nothing else tells which belong together
with open("originals.warc", "wb") as first, open("revisits.warc", "wb") as second:
    for kind in ("sha1", "sha256", "md5"):
        for i in range(7):
            body, block = response(f"text {i} {kind}")
            all = dict(spellings(body))[kind]
            record(first, "response", i, f"{kind}-o", all[i], block)
            for j, digest in enumerate(all):
                record(second, "revisit", j, f"{kind}-r{i}", digest, b"", f"WARC-Profile: {SAME}")

body, block = response("text and profile")
digest = "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
known = [f"{s}netpreserve.org/warc/{v}/revisit/{n}" for s in ("http://", "https://www.") for v in ("0.17", "0.18", "1.0", "1.1")
         for n in ("identical-payload-digest", "server-not-modified", "uri-agnostic-identical-payload-digest")] + [f"<{SAME}>", SAME.upper().replace("HTTP", "http")]
unknown = ["http://netpreserve.org/warc/1.1/revisit/diff", "http://example.test/warc/1.1/revisit/identical-payload-digest", SAME + "-of-half", "identical-payload-digest",
           "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest/magnitude"]
for name, profiles in (("known", known), ("unknown", unknown)):
    with open(name + ".warc", "wb") as out:
        record(out, "response", 0, name, digest, block)
        for i, profile in enumerate(profiles, 1):
            record(out, "revisit", i, name, digest, b"", f"WARC-Profile: {profile}", f"WARC-Refers-To: <urn:test:{name}-0>",
                   f"WARC-Refers-To-Target-URI: http://{name}.test/0", "WARC-Refers-To-Date: 2020-01-02T03:04:00Z")
        # more flaws than are kept of a record
        if name == "unknown":
            record(out, "revisit", 50, name, digest, b"", *["no field"] * 30, f"WARC-Profile: {unknown[0]}", f"WARC-Refers-To: <urn:test:{name}-0>")
PY
python3 make.py
"$WINNOW" ingest c originals.warc revisits.warc 2>&1 | grep -o "[0-9]* revisits with.*without"
"$WINNOW" sql c "select o.host, count(*) n, count(distinct r.payload_digest) spellings from captures r join captures o on o.id = r.original where replace(o.host, '-o.test', '-r' || substr(o.url, -1) || '.test') = r.host group by 1 order by 1" --format csv
"$WINNOW" sql c "select host, payload_digest from captures where host = 'sha1-o.test' order by url" --format csv # as the archive says
# a collection of an earlier winnow has hashes of some spellings only
"$WINNOW" ingest old originals.warc >/dev/null 2>&1
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("old/catalog.db")
db.execute("delete from meta where key = 'digests_spelled'")
db.execute("delete from capture_hash where capture in (select id from capture where url not glob '*sha1*/[06]' and url not glob '*[d2][56]*/4')")
db.commit()
PY
"$WINNOW" ingest old revisits.warc 2>&1 | grep -o "[0-9]* revisits with.*without"
for name in known unknown; do
	"$WINNOW" ingest $name $name.warc 2>&1 | grep -o "[0-9]* revisits with.*without"
	"$WINNOW" sql $name "select capture, kind, detail from flaws where kind = 'unknown-profile'" --format csv
	"$WINNOW" stats $name | grep ^revisits
done
"$WINNOW" verify unknown.warc 2>&1 | grep -c unknown-profile
"$WINNOW" ingest unknown --reprocess >/dev/null 2>&1; "$WINNOW" stats unknown | grep ^revisits

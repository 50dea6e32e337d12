"""odd_archives.py DIR -- archives as strangers bring them: nothing in them is damaged unless their name says so.

Each holds the same seven records (a warcinfo and six captures), so that a reader needs to know nothing else.
"""
import gzip
import io
import os
import struct
import sys
import zipfile
import zlib

out = sys.argv[1]
os.makedirs(out, exist_ok=True)


def save(name, data):
    with open(os.path.join(out, name), "wb") as f:
        f.write(data)


def member(data, extra=b"", name=b""):
    """A gzip member; with an extra field or a file name in its header where they are given."""
    flags = (4 if extra else 0) | (8 if name else 0)
    head = b"\x1f\x8b\x08" + bytes([flags]) + b"\0\0\0\0\0\3"
    head += struct.pack("<H", len(extra)) + extra if extra else b""
    head += name + b"\0" if name else b""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return head + packer.compress(data) + packer.flush() + struct.pack("<II", zlib.crc32(data), len(data))


def http(body, fields=b"Content-Type: text/html\r\n"):
    return b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n" + body


def record(kind, number, block, uri="http://odd.test/%d", date="2020-01-02T03:04:05Z", more=""):
    uri = "WARC-Target-URI: " + uri % number + "\r\n" if uri else ""
    content = "application/warc-fields" if kind == "warcinfo" else "application/http; msgtype=response" if kind == "response" else "text/plain"
    return (f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:odd:{number}>\r\nWARC-Date: {date}\r\n{uri}"
            f"Content-Type: {content}\r\n{more}Content-Length: {len(block)}\r\n\r\n").encode() + block + b"\r\n\r\n"


def pages(**how):
    first = record("warcinfo", 0, b"software: odd\r\n", uri=None)
    return [first] + [record("response", i, http(b"<p>page %d " % i + b"words " * (i * 300)), **how) for i in range(1, 7)]


def zipped(parts, method=0, stream=False, zip64=False):
    """A WACZ; stream: sizes stand in descriptors behind the data, as where a ZIP is written to a pipe."""
    class Pipe(io.RawIOBase):
        data = io.BytesIO()

        def __init__(self):
            self.data = io.BytesIO()

        def writable(self):
            return True

        def write(self, piece):
            return self.data.write(bytes(piece))

    raw = Pipe() if stream else io.BytesIO()
    with zipfile.ZipFile(raw, "w", method) as z:
        for name, data in [("datapackage.json", b"{}"), *parts, ("pages/pages.jsonl", b"{}\n")]:
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = method
            with z.open(entry, "w", force_zip64=zip64) as f:
                f.write(data)
    return raw.data.getvalue() if stream else raw.getvalue()


def arc(url, block, date="20200102030405"):
    return f"{url} 192.0.2.1 {date} text/html {len(block)}\n".encode() + block + b"\n"


warc = pages()
version = b"1 0 Odd\nURL IP-address Archive-date Content-type Archive-length\n"
arcs = [f"filedesc://odd.arc 0.0.0.0 20200102030405 text/plain {len(version)}\n".encode() + version + b"\n"]
arcs += [arc(f"http://odd.test/{i}", http(b"<p>page %d" % i)) for i in range(1, 7)]
text = b"".join(warc)
gz = b"".join(member(r) for r in warc)

save("plain.warc", text)
save("members.warc.gz", gz)
save("one-member.warc.gz", member(text))
save("extra-field.warc.gz", b"".join(member(r, extra=b"sl" + struct.pack("<HII", 8, len(r), len(r))) for r in warc))
save("named-members.warc.gz", b"".join(member(r, name=b"odd.warc") for r in warc))
save("empty-members.warc.gz", member(b"") + b"".join(member(r) + member(b"") for r in warc))
save("members-of-100-bytes.warc.gz", b"".join(member(text[i:i + 100]) for i in range(0, len(text), 100)))
save("arc-under-warc-names.warc.gz", b"".join(member(r) for r in arcs))
save("arc-dates.arc", arcs[0] + b"".join(arc(f"http://odd.test/{d}", http(b"x"), d) for d in (
    "2020010203", "202001020304", "20200102030405", "20200102030405123", "202001020304051234", "20200102030406")))
save("folded.warc", b"".join(pages(more="X-Folded: one\r\n two\r\n\tthree\r\n")))
save("line-feeds.warc", b"".join(head.replace(b"\r\n", b"\n") + b"\n\n" + rest for head, rest in (r.split(b"\r\n\r\n", 1) for r in warc)))
dates = ("2020", "2020-01", "2020-01-02", "2020-01-02T03:04Z", "2020-01-02T03:04:05.6Z", "2020-01-02T03:04:05.678901234Z", "2020-01-02T03:04:05+01:00")
save("dates.warc", b"".join(record("response", i, http(b"x"), date=d) for i, d in enumerate(dates, 1)))
save("brackets-and-spaces.warc", b"".join(pages(uri="<http://odd.test/a b/%d>")))
deflated = zlib.compress(gzip.compress(b"<p>twice packed"))
save("stacked-codings.warc", b"".join(record("response", i, http(body, b"Content-Type: text/html\r\n" + fields)) for i, (fields, body) in enumerate((
    (b"Content-Encoding: gzip, deflate\r\n", deflated), (b"Content-Encoding: gzip\r\nContent-Encoding: deflate\r\n", deflated),
    (b"Transfer-Encoding: chunked\r\nContent-Encoding: gzip, deflate\r\n", b"%x\r\n" % len(deflated) + deflated + b"\r\n0\r\n\r\n"),
    (b"Content-Encoding: identity, deflate, gzip\r\n", gzip.compress(zlib.compress(b"<p>twice packed"))),
    (b"Content-Encoding: x-gzip\r\n", gzip.compress(b"<p>twice packed")),
    (b"", b"<p>twice packed"), (b"Content-Encoding: none\r\n", b"<p>twice packed")), 1)))
save("no-http-heads.warc", warc[0] + b"".join(record("response", i, b"Some text %d\r\n\r\n" % i if i % 2 else b"<html><p>page %d" % i) for i in range(1, 7)))
save("plain-between-members.warc.gz", member(warc[0]) + b"".join(warc[1:3]) + member(warc[3]) + b"".join(warc[4:]))
save("members-behind-plain.warc", b"".join(warc[:2]) + b"".join(member(r) for r in warc[2:4]) + b"".join(warc[4:]))
save("members-behind-garbage.warc", b"".join(warc[:2]) + b"junk\n" * 9 + b"".join(member(r) for r in warc[2:5]) + b"\0" * 500 + b"".join(warc[5:]))
save("plain-behind-a-false-member.warc.gz", member(warc[0]) + b"\x1f\x8b\x08\0 no member" + b"".join(warc[1:6]) + member(warc[6]))
save("plain-behind-garbage.warc.gz", member(warc[0]) + b"junk\n" * 9 + b"".join(warc[1:3]) + b"\0" * 500 + warc[3] + member(warc[4]) + b"junk" + b"".join(warc[5:]))
nested = record("response", 70, http(member(warc[1]) * 3))
save("plain-with-an-archive-inside.warc.gz", member(warc[0]) + nested + member(warc[2]))
save("damaged-plain-between-members.warc.gz", member(warc[0]) + warc[1].replace(b"Content-Length: ", b"Content-Length: 9") + warc[2] + member(warc[3]))
parts = [("archive/a.warc.gz", b"".join(member(r) for r in warc[:3])), ("archive/b.warc.gz", b"".join(member(r) for r in warc[3:]))]
save("stored.wacz", zipped(parts))
save("deflated.wacz", zipped(parts, 8))
save("descriptors.wacz", zipped(parts, 0, True))
save("zip64.wacz", zipped(parts, 0, False, True))
save("zip64-descriptors.wacz", zipped(parts, 8, True, True))
save("warc-and-arc.wacz", zipped([("archive/a.warc", b"".join(warc[:4])), ("archive/b.arc", b"".join(arcs[:3]))], 8))
whole = zipped(parts, 0, True)
save("damaged-no-directory.wacz", whole[:whole.index(b"PK\1\2")])

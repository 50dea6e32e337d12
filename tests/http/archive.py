"""tests/http/archive.py -- the archive that the HTTP tests are asked about: every kind of capture that other software asks for, small.

    python3 archive.py FOLDER     writes FOLDER/main.warc.gz and FOLDER/many.cdxj
"""
import base64
import gzip
import hashlib
import os
import sys
import uuid

MANY = 25_000  # captures of http://many.example/, one an hour: more than two pages of a TimeMap
MANY_FIRST = 946_684_800  # 2000-01-01


def stamp_date(stamp):
    return "%s-%s-%sT%s:%s:%sZ" % (stamp[:4], stamp[4:6], stamp[6:8], stamp[8:10], stamp[10:12], stamp[12:14])


def digest(body):
    return "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()


class Writer:
    def __init__(self, path):
        self.out = open(path, "wb")
        self.n = 0

    def record(self, kind, url, stamp, block, extra=(), content_type="application/http; msgtype=response"):
        self.n += 1
        name = "<urn:uuid:%s>" % uuid.uuid5(uuid.NAMESPACE_URL, "%s %s %s %d" % (kind, url, stamp, self.n))
        head = ["WARC/1.1", "WARC-Type: " + kind, "WARC-Record-ID: " + name, "WARC-Date: " + stamp_date(stamp),
                "Content-Type: " + content_type, "Content-Length: %d" % len(block)]
        if url:
            head.insert(3, "WARC-Target-URI: " + url)
        head += ["%s: %s" % pair for pair in extra]
        self.out.write(gzip.compress("\r\n".join(head).encode() + b"\r\n\r\n" + block + b"\r\n\r\n", mtime=0))
        return name

    def response(self, url, stamp, body, status="200 OK", content_type="text/html", headers=(), extra=()):
        lines = ["HTTP/1.1 " + status]
        if content_type:
            lines.append("Content-Type: " + content_type)
        if not any(k.lower() == "transfer-encoding" for k, _ in headers):
            lines.append("Content-Length: %d" % len(body))
        lines += ["%s: %s" % pair for pair in headers]
        block = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
        return self.record("response", url, stamp, block, [("WARC-Payload-Digest", digest(body)), *extra])

    def revisit(self, url, stamp, of, status="200 OK", extra=(), profile="identical-payload-digest", headers=()):
        block = ("HTTP/1.1 %s\r\nContent-Type: text/html\r\n%s\r\n" % (status, "".join("%s: %s\r\n" % h for h in headers))).encode()
        return self.record("revisit", url, stamp, block, [("WARC-Payload-Digest", digest(of)),
                           ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/" + profile), *extra])


def page(title, text):
    return ("<!DOCTYPE html><html><head><title>%s</title><link rel=stylesheet href=/style.css></head><body><p>%s</p>"
            '<a href="/moved">moved</a> <img src="//a.example/dot.png"> <a href="../../up">up</a></body></html>' % (title, text)).encode()


HOME = {s: page("Home " + s, "The page as it was in %s, with a budget of %s and news." % (s[:4], s)) for s in
        ("20070105120000", "20070620080000", "20080301000000", "20100101000000")}
BIG = bytes(i % 251 for i in range(1000))
REV = page("Revisited", "The same words each time.")
DOT = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==")

MPD = (b'<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>https://cdn.example/v/</BaseURL><Period><SegmentTemplate media="$Number$.m4s" '
       b'initialization="/i.mp4"/></Period></MPD>')
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="/dot.png"/><script>document.documentElement.id = location.host</script></svg>'


def write(folder):
    w = Writer(os.path.join(folder, "main.warc.gz"))
    a, k = "http://a.example", "http://k.example"  # k: kinds of bodies and statuses that nothing else asks for
    w.record("warcinfo", None, "20070101000000", b"software: test\r\n", content_type="application/warc-fields")
    for stamp, body in HOME.items():
        w.response(a + "/", stamp, body)
    w.response(a + "/style.css", "20070105120001", b"body { background: url(/dot.png) }", content_type="text/css")
    w.response(a + "/app.js", "20070105120002", b"var u = 'http://a.example/x'; location.href;", content_type="application/javascript")
    w.response(a + "/dot.png", "20070105120003", DOT, content_type="image/png")
    w.response(a + "/moved", "20070105120004", b"", status="301 Moved Permanently", headers=[("Location", "/")])
    w.response(a + "/self", "20070101000000", b"", status="302 Found", headers=[("Location", "http://a.example/self")])
    w.response(a + "/self", "20070102000000", page("Self", "at last"))
    w.response(a + "/gone", "20070105120005", page("Gone", "not here"), status="404 Not Found")
    w.response(a + "/broken", "20070105120006", page("Broken", "error page"), status="503 Service Unavailable")
    w.response(k + "/tea", "20070105120006", page("Tea", "short and stout"), status="418 I'm a teapot")
    w.response(k + "/own", "20070105120006", page("Own", "a number of its own"), status="799 As We Like It")
    w.response(k + "/silent", "20070105120006", page("Silent", "without words"), status="404")
    w.response(a + "/big.bin", "20070105120007", BIG, content_type="application/octet-stream")
    zipped = gzip.compress(page("Zipped", "inside gzip"), mtime=0)
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (zipped[:40], zipped[40:])) + b"0\r\n\r\n"
    w.response(a + "/gz", "20070105120008", chunked, headers=[("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked")])
    w.response(a + "/headers", "20070105120009", page("Headers", "hostile"), headers=[
        ("Link", "<http://evil.example/>; rel=\"original\""), ("Memento-Datetime", "Thu, 01 Jan 1970 00:00:00 GMT"), ("Clear-Site-Data", "\"*\""),
        ("NEL", "{}"), ("Report-To", "{}"), ("Refresh", "0; url=http://evil.example/"), ("Service-Worker-Allowed", "/"),
        ("Strict-Transport-Security", "max-age=1"), ("Public-Key-Pins", "x"), ("Set-Cookie", "a=b; path=/c/"),
        ("Content-Security-Policy", "default-src *"), ("X-Frame-Options", "DENY"), ("Access-Control-Allow-Origin", "http://evil.example"),
        ("Content-Language", "de"), ("X-Bad", "one\ttwo"), ("X-Winnow-Error", "500")])
    w.response(a + "/many-headers", "20070105120009", page("Many", "headers"), headers=[("X-%d" % i, "y" * 3000) for i in range(200)] + [("Content-Language", "de")])
    w.response(a + "/form", "20070105120010", page("Form", "the form itself"))
    sent = b"name=value&n=1"
    request = b"POST /form HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s" % (len(sent), sent)
    answer = w.response(a + "/form", "20070105120011", page("Posted", "thank you for name=value"))
    w.record("request", a + "/form", "20070105120011", request, [("WARC-Concurrent-To", answer)], "application/http; msgtype=request")
    w.response(a + "/rev", "20070201000000", REV)
    w.revisit(a + "/rev", "20080201000000", REV)
    w.response("http://b.example/copy", "20070301000000", page("Copy", "of another address"))
    w.revisit(a + "/elsewhere", "20080301000001", page("Copy", "of another address"), extra=[
        ("WARC-Refers-To-Target-URI", "http://b.example/copy"), ("WARC-Refers-To-Date", "2007-03-01T00:00:00Z")])
    w.revisit(a + "/rev", "20090201000000", REV, status="304 Not Modified", profile="server-not-modified")
    w.revisit(a + "/dangling", "20080201000000", b"never archived")
    w.response("http://xn--bcher-kva.example/", "20070105120012", page("Books", "a host with an umlaut"))
    w.response(a + "/%C3%A4?q=%C3%BC", "20070105120013", page("Umlaut", "path and query"))
    w.response(a + "/q?x=1&_=123", "20070105120014", page("Busted", "with a cache buster"))
    w.response(a + "/p?x=1", "20070105120014", page("Plain", "without one"))
    w.response(a + "/feed?callback=jQuery17_1&_=5", "20070105120014", b"/**/jQuery17_1({\"news\": 1});", content_type="application/json")
    w.response(a + "/latin1", "20070105120015", "<title>é</title><p>café".encode("latin-1"), content_type="text/html; charset=iso-8859-1")
    w.record("resource", a + "/res.txt", "20070105120016", b"a resource record\n", content_type="text/plain")
    w.response(a + "/list.m3u8", "20070105120017", b"#EXTM3U\nhttp://a.example/seg1.ts\n", content_type="application/vnd.apple.mpegurl")
    w.response(k + "/film.mpd", "20070105120017", MPD, content_type="application/dash+xml")
    w.response(k + "/wide.mpd", "20070105120017", MPD.decode().encode("utf-16"), content_type="application/dash+xml")
    w.response(k + "/app.webmanifest", "20070105120017", b'{"start_url": "/", "icons": [{"src": "dot.png"}, {"src": "http://b.example/i.png"}]}', content_type="application/json")
    w.response(k + "/feed.xml", "20070105120017", b'<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/feed.xsl"?><rss><channel><link>http://k.example/</link></channel></rss>', content_type="application/rss+xml")
    w.response(k + "/drawing.svg", "20070105120017", DRAWING, content_type="image/svg+xml")
    w.response(k + "/page.xml", "20070105120017", b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><img src="/dot.png"/></body></html>', content_type="text/xml")
    w.response(a + "/x/y/deep", "20070105120018", page("Deep", "dots above the root"))
    w.response("http://secret.example/", "20070105120019", page("Secret", "the unicorn is hidden"))
    w.response("http://secret.example/private", "20070105120020", page("Private", "the unicorn is blocked"))
    for i in range(1, 4):
        w.response(a + "/same-second", "20070105120021", page("Same %d" % i, "version %d" % i))
    w.out.close()
    import time
    with open(os.path.join(folder, "many.cdxj"), "w") as out:
        for i in range(MANY):
            t = time.strftime("%Y%m%d%H%M%S", time.gmtime(MANY_FIRST + 3600 * i))
            out.write('example,many)/ %s {"url": "http://many.example/", "mime": "text/html", "status": "200", "digest": "sha1:%032d", "length": "10", '
                      '"offset": "%d", "filename": "absent.warc.gz"}\n' % (t, i // 10, i))


if __name__ == "__main__":
    write(sys.argv[1])

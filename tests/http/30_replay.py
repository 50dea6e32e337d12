"""Replay: the Wayback URL scheme, modifiers, headers, bodies, revisits, POST, ranges, and what peers got wrong."""
import gzip
import os
import re
import subprocess

import archive

T = "20070105120000"
HOME = "http://a.example/"
MODIFIERS = "mp_ id_ ir_ bn_ uo_ js_ cs_ im_ oe_ if_ fr_ wkr_ wkrf_ wkrm_ sw_ esm_ ln_ mt_ dl_ fw_ xx_".split()
PREFIXED = ["Link", "Memento-Datetime", "Clear-Site-Data", "NEL", "Report-To", "Refresh", "Service-Worker-Allowed", "Strict-Transport-Security",
            "Public-Key-Pins", "Set-Cookie", "Content-Security-Policy", "X-Frame-Options", "Access-Control-Allow-Origin"]


def addresses(server, checks):
    for mod in MODIFIERS:
        checks.row(server, "modifier %s" % mod, "GET", "/web/%s%s/%s" % (T, mod, HOME), {}, 200, {"Memento-Datetime": "2007"})
    rows = [
        ("tf_ is the frame page", "/web/%stf_/%s" % (T, HOME), 302, {"Location": "/web/%s/" % T}),
        ("no modifier is the frame page", "/web/%s/%s" % (T, HOME), 200, {"Content-Type": "^text/html", "Content-Security-Policy": "frame-ancestors 'none'"}),
        ("one slash after the scheme", "/web/%smp_/http:/a.example/" % T, 200, {}),
        ("three slashes", "/web/%smp_///a.example/" % T, 200, {}),
        ("no scheme", "/web/%smp_/a.example/" % T, 200, {}),
        ("https finds http", "/web/%smp_/https://a.example/" % T, 200, {}),
        ("the whole URL escaped", "/web/%smp_/http%%3A%%2F%%2Fa.example%%2F" % T, 200, {}),
        ("upper-case host", "/web/%smp_/HTTP://A.EXAMPLE/" % T, 200, {}),
        ("a host with an umlaut", "/web/20070105120012mp_/http://b\u00fccher.example/".encode().decode("latin-1"), 200, {}),
        ("an escaped umlaut in the host", "/web/20070105120012mp_/http://b%C3%BCcher.example/", 200, {}),
        ("punycode", "/web/20070105120012mp_/http://xn--bcher-kva.example/", 200, {}),
        ("escapes in path and query", "/web/20070105120013mp_/http://a.example/%C3%A4?q=%C3%BC", 200, {}),
        ("raw bytes in path and query", "/web/20070105120013mp_/http://a.example/\u00e4?q=\u00fc".encode().decode("latin-1"), 200, {}),
        ("a fragment's sign", "/web/%smp_/http://a.example/%%23" % T, 404, {}),
        ("a short time: inside the period", "/web/2007mp_/" + HOME, 302, {"Location": "/web/20070105120000mp_/"}),
        ("a month", "/web/200706mp_/" + HOME, 302, {"Location": "/web/20070620080000mp_/"}),
        ("a period without a capture: the nearest", "/web/2009mp_/" + HOME, 302, {"Location": "/web/20100101000000mp_/"}),
        ("one digit", "/web/2mp_/" + HOME, 302, {"Location": "/web/20070105120000mp_/"}),
        ("a time that is none: the nearest that is", "/web/20079999mp_/" + HOME, 302, {"Location": "/web/20080301000000mp_/"}),
        ("fifteen digits are no time", "/web/200701051200001mp_/" + HOME, 404, {}),
        ("calendar", "/web/*/" + HOME, 200, {"Content-Type": "^text/html"}),
        ("calendar of a year", "/web/2007*/" + HOME, 200, {}),
        ("calendar of a span", "/web/2007-2008*/" + HOME, 200, {}),
        ("all URLs under a prefix", "/web/*/http://a.example/*", 302, {"Location": "/c/web/"}),
        ("no URL", "/web/%smp_/" % T, 400, {}),
        ("unknown collection", "/nothing/%smp_/%s" % (T, HOME), 404, {}),
        ("the collection alone", "/web", 302, {"Location": "/c/web$"}),
        ("the collection with a slash", "/web/", 302, {"Location": "/c/web$"}),
    ]
    for name, path, status, wants in rows:
        checks.row(server, "address: " + name, "GET", path, {}, status, wants)


def bodies(server, checks):
    rows = [
        ("id_ gives the archived bytes", "%sid_/%s" % (T, HOME), 200, {"Content-Type": "^text/html$"}, archive.HOME[T]),
        ("mp_ rewrites", "%smp_/%s" % (T, HOME), 200, {}, lambda r: b"/web/%scs_/http://a.example/style.css" % T.encode() in r.body and b"/web/%sim_/http://a.example/dot.png" % T.encode() in r.body),
        ("dots above the root are resolved", "%smp_/%s" % ("20070105120018", HOME + "x/y/deep"), 200, {}, lambda r: b"/http://a.example/up" in r.body and b"../" not in r.body),
        ("cs_", "20070105120001cs_/http://a.example/style.css", 200, {"Content-Type": "^text/css"}, r"url\(/web/20070105120001im_/http://a\.example/dot\.png\)"),
        ("an image stays as it is", "20070105120003im_/http://a.example/dot.png", 200, {"Content-Type": "^image/png"}, archive.DOT),
        ("a redirect", "20070105120004mp_/http://a.example/moved", 301, {"Location": "^http://127.*/web/20070105120004mp_/http://a.example/$", "X-Archive-Orig-Location": "^/$"}, None),
        ("a redirect, id_", "20070105120004id_/http://a.example/moved", 301, {"X-Archive-Orig-Location": "^/$"}, None),
        ("a redirect, ir_", "20070105120004ir_/http://a.example/moved", 301, {"Location": "/http://a.example/$"}, None),
        ("one that leads to itself is passed over", "20070101000000mp_/http://a.example/self", 302, {"Location": "20070102000000mp_"}, None),
        ("an archived 404", "20070105120005mp_/http://a.example/gone", 404, {"Memento-Datetime": "2007", "X-Winnow-Error": None}, "not here"),
        ("an archived 503", "20070105120006mp_/http://a.example/broken", 503, {"Memento-Datetime": "2007", "X-Winnow-Error": None}, "error page"),
        ("not archived", "%smp_/http://a.example/never" % T, 404, {"X-Winnow-Error": "404", "Memento-Datetime": None}, "http://a.example/"),
        ("gzip, decoded", "20070105120008mp_/http://a.example/gz", 200, {"Content-Encoding": None}, "inside gzip"),
        ("gzip, id_ keeps the coding", "20070105120008id_/http://a.example/gz", 200, {"Content-Encoding": "^gzip$", "Transfer-Encoding": None}, lambda r: b"inside gzip" in gzip.decompress(r.body)),
        ("charset of the header", "20070105120015mp_/http://a.example/latin1", 200, {"Content-Type": "(?i)charset=(iso-8859-1|windows-1252)"}, lambda r: b"caf\xe9" in r.body),
        ("a resource record", "20070105120016mp_/http://a.example/res.txt", 200, {"Content-Type": "^text/plain"}, b"a resource record\n"),
        ("a manifest", "20070105120017mp_/http://a.example/list.m3u8", 200, {}, "/web/20070105120017.._/http://a.example/seg1.ts"),
        ("DASH", "20070105120017mp_/http://k.example/film.mpd", 200, {"Content-Type": "^application/dash.xml$"}, lambda r: b">/web/20070105120017oe_/https://cdn.example/v/<" in r.body and b'"/web/20070105120017oe_/https://cdn.example/i.mp4"' in r.body and b'"$Number$.m4s"' in r.body),
        ("DASH, in UTF-16", "20070105120017oe_/http://k.example/wide.mpd", 200, {"Content-Type": "^application/dash.xml; charset=utf-8$"}, ">/web/20070105120017oe_/https://cdn.example/v/<"),
        ("DASH, its bytes", "20070105120017id_/http://k.example/film.mpd", 200, {}, archive.MPD),
        ("a web application's manifest, by its link", "20070105120017ln_/http://k.example/app.webmanifest", 200, {"Content-Type": "^application/json$"},
         b'{"start_url": "/web/20070105120017mp_/http://k.example/", "icons": [{"src": "dot.png"}, {"src": "/web/20070105120017im_/http://b.example/i.png"}]}'),
        ("the same JSON, to a script", "20070105120017mp_/http://k.example/app.webmanifest", 200, {}, '"start_url": "/"'),
        ("a feed, whose transform no browser would apply", "20070105120017mp_/http://k.example/feed.xml", 200, {"Content-Type": "^application/rss.xml$"}, '<[?]data-archived-xml-stylesheet .*<link>/web/20070105120017mp_/http://k.example/</link>'),
        ("a drawing as a page", "20070105120017mp_/http://k.example/drawing.svg", 200, {"Content-Type": "^image/svg.xml"}, '<svg [^>]*><script xmlns="http://www.w3.org/1999/xhtml" src="/web/_/replay.js".*<image href="/web/20070105120017im_/http://k.example/dot.png"/>.*__winnow.loc'),
        ("a drawing as an image", "20070105120017im_/http://k.example/drawing.svg", 200, {"Content-Type": "^image/svg.xml"}, lambda r: b"replay.js" not in r.body and b'"/web/20070105120017im_/http://k.example/dot.png"' in r.body),
        ("a page as XML", "20070105120017mp_/http://k.example/page.xml", 200, {"Content-Type": "^text/xml"}, '<img src="/web/20070105120017im_/http://k.example/dot.png"/>'),
        ("JSONP by another name", "20070105120014js_/http://a.example/feed?callback=cb_77&_=9", 200, {"X-Winnow-Fuzzy": "jQuery17_1"}, b'/**/cb_77({"news": 1});'),
        ("JSONP, its bytes", "20070105120014id_/http://a.example/feed?callback=cb_77&_=9", 200, {}, b'/**/jQuery17_1({"news": 1});'),
        ("JSONP, in another case", "20070105120014mp_/http://a.example/feed?callback=JQUERY17_1&_=5", 200, {"X-Winnow-Fuzzy": None}, b'/**/JQUERY17_1({"news": 1});'),
        ("JSONP: who names no function wants no call", "20070105120014mp_/http://a.example/feed?_=9", 404, {}, None),
        ("of three in one second the first", "20070105120021mp_/http://a.example/same-second", 200, {}, "version 1"),
        ("a revisit by URL and digest", "20080201000000mp_/http://a.example/rev", 200, {"Memento-Datetime": "2008"}, "The same words"),
        ("a revisit, id_", "20080201000000id_/http://a.example/rev", 200, {}, archive.REV),
        ("a revisit that was not modified", "20090201000000mp_/http://a.example/rev", 200, {"Memento-Datetime": "2009"}, "The same words"),
        ("a revisit of another URL", "20080301000001mp_/http://a.example/elsewhere", 200, {}, "of another address"),
        ("a revisit without original", "20080201000000mp_/http://a.example/dangling", 503, {"X-Winnow-Error": "503"}, None),
        ("of an index without its file", "20000101000000mp_/http://many.example/", 503, {"X-Winnow-Error": "503"}, None),
    ]
    for name, path, status, wants, body in rows:
        checks.row(server, "replay: " + name, "GET", "/web/" + path, {}, status, wants, body)
    for name, line in (("k.example/tea", b"418 I'm a teapot"), ("k.example/own", b"799 As We Like It"), ("k.example/silent", b"404 Not Found"), ("a.example/broken", b"503 Service Unavailable")):
        for mod in (b"mp_", b"id_"):
            got = server.raw(b"GET /web/20070105120006%s/http://%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % (mod, name.encode()))
            checks.that(got.startswith(b"HTTP/1.1 %s\r\n" % line), "replay: status and words of %s" % name, got[:100])
    for mod in ("mp_", "id_", "im_"):
        r = server.get("/web/20070105120009%s/http://a.example/headers" % mod)
        for h in PREFIXED:
            got = r.get("X-Archive-Orig-" + h)
            ours = r.get(h) or ""
            checks.that(got is not None and "evil" not in ours, "%s: %s is prefixed" % (mod, h), (got, ours))
        checks.that(r.get("Content-Language") == "de", "%s: Content-Language stays" % mod)
        checks.that(r.get("Set-Cookie") is None and r.get("Refresh") is None and r.get("X-Winnow-Error") is None, "%s: nothing archived acts as ours" % mod, r.headers)
        csp = r.get("Content-Security-Policy") or ""
        checks.that(csp.startswith("sandbox allow-scripts") and "allow-same-origin" not in csp and "allow-popups" not in csp, "%s: sandboxed" % mod, csp)


def hostile_heads(place, checks):
    """What archived heads hold never ends a line of ours, nor makes a head that clients refuse."""
    w = archive.Writer(place.path("heads.warc.gz"))
    at = "http://h.example/"
    for name, head in [("cr", b"HTTP/1.1 302 Found\r\nLocation: /x%0d%0aSet-Cookie: a=b\r\nX-A: 1\rSet-Cookie: c=1\r\nX-B: a\nSet-Cookie: d=1\r\nContent-Language: de\rSet-Cookie: e=1\r\nContent-Disposition: a\x00b\r\nX-C: \xff"),
                       ("script", b"HTTP/1.1 302 Found\r\nLocation: javascript:alert(1)"), ("slashes", b"HTTP/1.1 302 Found\r\nLocation: /\\evil.example/<script>\""),
                       ("continue", b"HTTP/1.1 100 Continue\r\nContent-Type: text/html"), ("switch", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket")]:
        w.record("response", at + name, "20100101000000", head + b"\r\n\r\nbody")
    w.response(at + '?a>;%20rel="timegate",%20<http://evil.example/', "20100101000000", b"an image", content_type="image/png")
    w.response(at + "multipart", "20100101000000", b"--x\r\nContent-Type: text/html\r\nSet-Cookie: a=b\r\n\r\n<p>x\r\n--x--", content_type="multipart/x-mixed-replace; boundary=x")
    w.out.close()
    coll = place.path("heads")
    place.run("ingest", coll, place.path("heads.warc.gz"), "-q")
    server = place.serve(coll=coll)
    quotes = 'http://h.example/?a>;%20rel="timegate",%20<http://evil.example/'
    for path in ("/web/20100101000000mp_/" + quotes, "/web/timemap/link/" + quotes, "/web/" + quotes, "/web/cdx?output=link&url=h.example/*"):
        r = server.get(path)
        checks.that(r.status in (200, 302) and "<http://evil.example/" not in r.text.replace("a>", "") + (r.get("Link") or ""), "hostile URL: no link of its own in " + path, (r.status, r.headers, r.text[:300]))
    for mod in ("mp_", "id_", "im_"):
        checks.row(server, "parts with headers of their own are bytes, " + mod, "GET", "/web/20100101000000%s/http://h.example/multipart" % mod, {}, 200, {"Content-Type": "^application/octet-stream$", "X-Archive-Orig-Content-Type": "^multipart/"})
    for mod in ("mp_", "id_", "ir_"):
        for name in ("cr", "script", "slashes", "continue", "switch"):
            head = server.raw(b"GET /web/20100101000000%s/http://h.example/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % (mod.encode(), name.encode())).partition(b"\r\n\r\n")[0]
            lines = head.split(b"\r\n")
            to = [x for x in lines if x.startswith(b"Location: ")]
            checks.that(not re.search(rb"[\r\n\0]", b"".join(lines)) and not any(x.lower().startswith(b"set-cookie") for x in lines), "hostile head %s, %s: no line of its own" % (name, mod), head)
            checks.that(all(x.startswith(b"Location: http://localhost/web/20100101000000mp_/http://") for x in to), "hostile head %s, %s: leads nowhere else" % (name, mod), to)
            checks.that(not lines[0].startswith(b"HTTP/1.1 1"), "hostile head %s, %s: a status that ends the answer" % (name, mod), lines[0])
    server.close()


def hostless(place, checks):
    """What crawlers write down beside pages: lists lead to it, so it is shown.  The difference of two texts is cut at words."""
    w = archive.Writer(place.path("hostless.warc.gz"))
    for url in ("urn:pageinfo:http://h.example/?a=1", "dns:h.example", "whois:h.example"):
        w.response(url, "20100101000000", archive.page("Beside", "hostless words of " + url))
    same = " ".join("word%03d" % i for i in range(300))
    for stamp, end in (("20100101000000", "before"), ("20110101000000", "after")):
        w.response("http://h.example/long", stamp, archive.page("Long", same + " " + end + " " + same))
    w.out.close()
    coll = place.path("hostless")
    place.run("ingest", coll, place.path("hostless.warc.gz"), "-q")
    server = place.serve(coll=coll)
    for link in re.findall(r'<h2><a href="([^"]*)"', server.get("/c/web/search?q=hostless").text):
        checks.row(server, "no host: the list leads to %s" % link, "GET", link, {}, 200)
    for url in ("urn:pageinfo:http://h.example/?a=1", "dns:h.example", "whois:h.example"):
        checks.row(server, "no host: %s" % url, "GET", "/web/20100101000000mp_/" + url, {}, 200, {"Memento-Datetime": "2010", "Link": re.escape("<%s>; rel=\"original\"" % url)}, "hostless words")
        checks.row(server, "no host: calendar of %s" % url, "GET", "/web/*/" + url, {}, 200)
    checks.row(server, "a port is no scheme", "GET", "/web/20100101000000mp_/dns:80/", {}, 404, {}, "http://dns:80/")
    ids = place.run("sql", coll, "select id from captures where url = 'http://h.example/long' order by time", "--format", "tsv").split()[1:]
    ends = re.findall(r"(\S*)\s*<span class=\"soft\">\[[0-9,]+ characters the same\]</span>\s*(\S*)", server.get("/c/web/diff/%s..%s" % tuple(ids)).text)
    checks.that(len(ends) == 2 and re.fullmatch("word[0-9]{3}", ends[0][1]) and re.fullmatch("word[0-9]{3}", ends[1][0]), "what is the same is cut between words", ends)
    server.close()


def missing(server, checks):
    """Not archived: what lies nearest comes first, of the time that was asked for; as a page of ours where no frame shows it."""
    def first(r):
        return re.search(r'<li><a target="_top" href="([^"]*)"', r.text).group(1)
    near = lambda r: first(r) == "/web/20070105120018/http://a.example/x/y/deep" and "/web/20070105120002/http://a.example/app.js" in r.text  # noqa: E731
    checks.row(server, "missing: in a frame", "GET", "/web/2007mp_/http://a.example/x/y/nosuch", {}, 404, {"Content-Security-Policy": "frame-ancestors 'self'"}, near)
    checks.row(server, "missing: as a page", "GET", "/web/2007/http://a.example/x/y/nosuch", {}, 404, {"Content-Security-Policy": "script-src"}, lambda r: near(r) and '<nav aria-label="Main">' in r.text)
    checks.row(server, "missing: a calendar", "GET", "/web/*/http://a.example/x/y/nosuch", {}, 404, {"X-Winnow-Error": "404"}, lambda r: near(r) and "/c/web/urls?url=" in r.text)
    checks.row(server, "no saved rule: what to do", "GET", "/c/web/rules", {}, 200, {}, "No rule was saved so far")
    checks.row(server, "missing: of the time that was asked for", "GET", "/web/2008mp_/http://a.example/nosuch?", {}, 404, {}, "/web/20080201000000/http://a.example/rev")
    checks.row(server, "missing: and nothing near", "GET", "/web/2008mp_/http://nowhere.example/", {}, 404, {}, lambda r: "<li>" not in r.text)


def posted(place, checks, posts, page, form):
    checks.row(posts, "POST finds its own record", "POST", page, form, 200, {"Memento-Datetime": "12:00:11"}, "thank you", "name=value&n=1")
    checks.row(posts, "POST at another time: 200 and where it is", "POST", "/web/2009mp_/http://a.example/form", form, 200,
               {"Content-Location": "/web/20070105120011mp_/http://a.example/form", "Memento-Datetime": "12:00:11", "Location": None}, "thank you", "name=value&n=1")
    checks.row(posts, "POST of other data: the page itself", "POST", page, form, 200, {}, "the form itself", "name=other")
    checks.row(posts, "POST without a body", "POST", page, {}, 200, {}, None, "")
    checks.row(posts, "GET is another capture", "GET", "/web/20070105120010mp_/http://a.example/form", {}, 200, {"Memento-Datetime": "12:00:10"}, "the form itself")
    checks.row(posts, "and the only one that CDX names", "GET", "/web/cdx?url=http://a.example/form&fields=timestamp", {}, 200, {}, lambda r: r.text.count("\n") == 1)
    posts.close()


def requests_joined(place, checks):
    """Requests before and behind their answers, with and without ids: ingest gives the keys of index --post-append, however small its batches."""
    def ask(w, url, method, sent, of=None):
        block = b"%s / HTTP/1.1\r\nHost: j.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s" % (method, len(sent), sent)
        w.record("request", url, "20100101000000", block, [("WARC-Concurrent-To", of)] if of else [], "application/http; msgtype=request")
    w = archive.Writer(place.path("order.warc.gz"))
    u = "http://j.example/"
    for i in range(4):
        ask(w, u + "before", b"POST", b"n=%d" % i)
        w.response(u + "before", "2010010100000%d" % i, b"<p>before %d" % i)
        w.response(u + "behind", "2010010100000%d" % i, b"<p>behind %d" % i)
        ask(w, u + "behind", b"POST", b"n=%d" % i)
        ask(w, u + "get", b"GET", b"")
        w.response(u + "get", "2010010100000%d" % i, b"<p>got %d" % i)
        ask(w, u + "get", b"PUT", b"n=%d" % i)
        w.response(u + "get", "2010010100001%d" % i, b"<p>put %d" % i)
        w.response(u + "alone", "2010010100000%d" % i, b"<p>alone %d" % i)
        ask(w, u + "else", b"POST", b"n=%d" % i)
    w.response(u + "untyped", "20100101000000", b"<!DOCTYPE html><html><body><p>Nobody said what this is. <a href=/b>b</a></body></html>", content_type=None)
    w.response(u + "nowhere", "20100101000000", b"stays", status="302 Found", headers=[("Location", "")])
    w.out.close()

    def keys(text):
        return sorted(" ".join(line.split(" ")[:2]) for line in text.splitlines())
    want = keys(place.run("index", "--post-append", place.path("order.warc.gz"), "-q"))
    checks.that(sum("__wb_method=p" in k for k in want) == 12, "requests: the index joins them", want)
    for batch in ("1", "2", "3", "1000"):
        coll = place.path("order" + batch)
        subprocess.run([place.winnow, "ingest", coll, place.path("order.warc.gz"), "-q"], env={**os.environ, "WINNOW_BATCH": batch}, check=True, capture_output=True)
        s = place.serve(coll=coll)
        checks.equal(keys(s.get("/web/cdx?url=j.example/*").text), want, "requests: ingest joins them in batches of " + batch)
        checks.row(s, "requests: a GET is answered by what a GET got", "GET", "/web/20100101000010mp_/http://j.example/get", {}, 302, {"Location": "20100101000003mp_"})
        checks.row(s, "requests: what only a POST has is shown from lists", "GET", "/web/20100101000002mp_/http://j.example/behind", {}, 200, {"X-Winnow-Fuzzy": None}, "behind 2")
        checks.row(s, "a page of no type is rewritten as what it is", "GET", "/web/20100101000000mp_/http://j.example/untyped", {}, 200, {"Content-Type": "^text/html"}, 'href="/web/20100101000000/http://j.example/b"')
        checks.row(s, "an empty Location leads nowhere", "GET", "/web/20100101000000mp_/http://j.example/nowhere", {}, 302, {"Location": None}, "stays")
        checks.row(s, "requests: by its key, where a GET was archived too", "GET", "/web/20100101000012id_/http://j.example/get?__wb_method=put&n=2", {}, 200, {}, "put 2")
        checks.row(s, "requests: search leads to the answer itself", "GET", "/c/web/search?q=put", {}, 200, {}, 'href="/web/20100101000012/http://j.example/get[?]__wb_method=put&amp;n=2"')
        checks.row(s, "requests: its frame, and all links of its banner", "GET", "/web/20100101000012/http://j.example/get?__wb_method=put&n=2", {}, 200, {},
                   lambda r: r.text.count("/web/20100101000012mp_/http://j.example/get?__wb_method=put&amp;n=2") == 1 and "/http://j.example/get\"" not in r.text)
        checks.row(s, "requests: the list of URLs leads to their calendars", "GET", "/c/web/urls?url=j.example", {}, 200, {}, '[*]/http://j.example/get[?]__wb_method=put&amp;n=2".*POST')
        checks.row(s, "requests: its calendar", "GET", "/web/*/http://j.example/get?__wb_method=put&n=2", {}, 200, {}, 'href="/web/20100101000012/http://j.example/get[?]__wb_method=put&amp;n=2"')
        checks.row(s, "requests: framed too", "GET", "/web/20100101000002/http://j.example/behind", {}, 200)
        s.close()


def methods(place, server, checks):
    requests_joined(place, checks)
    hostile_heads(place, checks)
    hostless(place, checks)
    r = server.get("/web/20070105120009mp_/http://a.example/many-headers")
    checks.that(r.get("Content-Language") == "de" and len(r.headers) < 100 and sum(len(k) + len(v) for k, v in r.headers) < 100000, "more headers than clients take", len(r.headers))
    missing(server, checks)
    page = "/web/20070105120011mp_/http://a.example/form"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    with open(place.path("post.cdxj"), "w") as out:
        out.write(place.run("index", "--post-append", place.path("main.warc.gz"), "-q"))
    place.run("import", place.path("posted"), "--cdx", place.path("post.cdxj"), "-q")
    posted(place, checks, place.serve(), page, form)
    posted(place, checks, place.serve("--warc-dir", place.dir, coll=place.path("posted")), page, form)
    checks.row(server, "HEAD has GET's headers", "HEAD", "/web/%sid_/%s" % (T, HOME), {}, 200, {"Content-Length": "^%d$" % len(archive.HOME[T]), "Memento-Datetime": "2007", "Link": "original"}, b"")
    for m in ("PUT", "DELETE", "PATCH", "TRACE", "FOO"):
        checks.row(server, m + " is 405", m, "/web/%smp_/%s" % (T, HOME), {}, 405, {"Allow": "GET, HEAD, POST, OPTIONS"})
    checks.row(server, "OPTIONS", "OPTIONS", "/web/%smp_/%s" % (T, HOME), {"Origin": "null", "Access-Control-Request-Method": "POST"}, 204,
               {"Allow": "GET", "Access-Control-Allow-Headers": r"^\*$", "Access-Control-Allow-Origin": r"^\*$"}, b"")
    big = "/web/20070105120007id_/http://a.example/big.bin"
    n = len(archive.BIG)
    for name, spec, status, of, body in [
        ("the first byte", "bytes=0-0", 206, "bytes 0-0/%d" % n, archive.BIG[:1]), ("the last five", "bytes=-5", 206, "bytes %d-%d/%d" % (n - 5, n - 1, n), archive.BIG[-5:]),
        ("more than there is at the end", "bytes=-5000", 206, "bytes 0-%d/%d" % (n - 1, n), archive.BIG), ("clipped", "bytes=990-5000", 206, "bytes 990-%d/%d" % (n - 1, n), archive.BIG[990:]),
        ("to the end", "bytes=500-", 206, "bytes 500-%d/%d" % (n - 1, n), archive.BIG[500:]), ("past the end", "bytes=%d-" % n, 416, r"bytes \*/%d" % n, None),
        ("no byte", "bytes=-0", 416, r"bytes \*/%d" % n, None), ("backwards", "bytes=5-2", 200, None, archive.BIG), ("other units", "lines=1-2", 200, None, archive.BIG),
        ("an end that no number holds", "bytes=990-99999999999999999999", 206, "bytes 990-%d/%d" % (n - 1, n), archive.BIG[990:]),
        ("a start that no number holds", "bytes=99999999999999999999-", 416, r"bytes \*/%d" % n, None), ("a suffix that no number holds", "bytes=-99999999999999999999", 206, "bytes 0-", archive.BIG),
        ("nonsense", "bytes=a-b", 200, None, archive.BIG), ("several", "bytes=0-1,5-6", 200, None, archive.BIG),
    ]:
        checks.row(server, "range: " + name, "GET", big, {"Range": spec}, status, {"Content-Range": of, "Accept-Ranges": "^bytes$"}, body)
    tag = server.get(big).get("ETag")
    checks.row(server, "range: of what the client has", "GET", big, {"Range": "bytes=0-1", "If-Range": tag}, 206, {"ETag": "^%s$" % tag}, archive.BIG[:2])
    checks.row(server, "range: of something else", "GET", big, {"Range": "bytes=0-1", "If-Range": '"x"'}, 200, {"ETag": "^%s$" % tag}, archive.BIG)


def large(place, checks):
    """Bodies that are too large to be held: streamed, with their length, in parts, and as a revisit of one."""
    block = 1 << 16
    body = b"".join(b"%08d" % i + bytes(block - 8) for i in range(1100))  # 72 MB
    zipped = gzip.compress(body, 1, mtime=0)
    w = archive.Writer(place.path("large.warc.gz"))
    w.response("http://a.example/film", "20070105120000", body, content_type="video/mp4")
    w.response("http://a.example/zipped", "20070105120000", zipped, content_type="video/mp4", headers=[("Content-Encoding", "gzip")])
    w.revisit("http://a.example/film", "20080105120000", body)
    w.out.close()
    coll = place.path("large")
    place.run("ingest", coll, place.path("large.warc.gz"), "-q")
    server = place.serve(coll=coll)
    n = len(body)
    for at in ("/web/20070105120000id_/http://a.example/film", "/web/20070105120000mp_/http://a.example/film", "/web/20080105120000id_/http://a.example/film", "/web/20070105120000mp_/http://a.example/zipped"):
        for name, spec, status, of, want in [
            ("the first", "bytes=0-7", 206, "bytes 0-7/%d" % n, body[:8]), ("far behind", "bytes=%d-%d" % (1000 * block, 1000 * block + 9), 206, "bytes %d-%d/%d" % (1000 * block, 1000 * block + 9, n), b"00001000\0\0"),
            ("the last", "bytes=-%d" % block, 206, "bytes %d-%d/%d" % (n - block, n - 1, n), body[-block:]), ("past the end", "bytes=%d-" % n, 416, r"bytes \*/%d" % n, b""),
        ]:
            checks.row(server, "large %s: %s" % (at, name), "GET", at, {"Range": spec}, status, {"Content-Range": of, "Accept-Ranges": "^bytes$", "Content-Length": "^%d$" % len(want)}, want)
        checks.row(server, "large %s: HEAD" % at, "HEAD", at, {}, 200, {"Content-Length": "^%d$" % n, "Accept-Ranges": "^bytes$"}, b"")
    r = server.get("/web/20070105120000mp_/http://a.example/film")
    checks.that(r.status == 200 and r.body == body, "large: whole", (r.status, len(r.body)))
    r = server.get("/web/20070105120000id_/http://a.example/zipped")
    checks.that(r.status == 200 and r.body == zipped and r.get("Content-Encoding") == "gzip", "large: as it was coded", (r.status, len(r.body)))
    server.close()


def fuzzy(place, server, checks):
    path = "/web/20070105120014mp_/http://a.example/p?x=1&_=99887766"
    checks.row(server, "fuzzy: marked", "GET", path, {}, 200, {"X-Winnow-Fuzzy": r"^http://a\.example/p\?x=1$"}, "without one")
    checks.row(server, "fuzzy: an exact one is not", "GET", "/web/20070105120014mp_/http://a.example/q?x=1&_=123", {}, 200, {"X-Winnow-Fuzzy": None}, "cache buster")
    checks.row(server, "fuzzy: only known names", "GET", "/web/20070105120014mp_/http://a.example/p?x=1&page=2", {}, 404, {"X-Winnow-Fuzzy": None})
    checks.row(server, "fuzzy: TimeGate", "GET", "/web/http://a.example/p?x=1&_=1", {}, 302, {"X-Winnow-Fuzzy": "p"})
    other = "/web/20070105120014mp_/http://a.example/q?x=1&_=999"
    checks.row(server, "fuzzy: another value of it", "GET", other, {}, 200, {"X-Winnow-Fuzzy": r"^http://a\.example/q\?x=1&_=123$"}, "cache buster")
    checks.row(server, "fuzzy: none of it", "GET", other[:-6], {}, 200, {"X-Winnow-Fuzzy": "_=123$"}, "cache buster")
    checks.row(server, "fuzzy: not where anything else differs", "GET", other.replace("x=1", "x=2"), {}, 404, {"X-Winnow-Fuzzy": None})
    checks.row(server, "fuzzy: a frame page leads to what it shows", "GET", other.replace("mp_", ""), {}, 302, {"Location": r"q\?x=1&_=123$"})
    strict = place.serve("--no-fuzzy")
    checks.row(strict, "fuzzy: another value, switched off", "GET", other, {}, 404, {"X-Winnow-Fuzzy": None})
    checks.row(strict, "fuzzy: switched off", "GET", path, {}, 404, {"X-Winnow-Fuzzy": None})
    strict.close()


def test(place, checks):
    large(place, checks)
    server = place.serve()
    addresses(server, checks)
    bodies(server, checks)
    methods(place, server, checks)
    fuzzy(place, server, checks)
    with server.connect() as s:  # several requests on one connection, sent at once
        one = "GET /web/%sid_/%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n"
        s.sendall((one % (T, HOME, "") + one % ("20070105120003", "http://a.example/dot.png", "") + one % (T, HOME, "Connection: close\r\n")).encode())
        got = server.drain(s)
    checks.that(got.count(b"HTTP/1.1 200") == 3 and got.index(b"PNG") < got.rindex(b"HTTP/1.1 200"), "pipelined requests are answered in order", got[:300])
    checks.that(not re.search(rb"HTTP/1.1 5\d\d", got), "pipelined: no error")
    server.close()

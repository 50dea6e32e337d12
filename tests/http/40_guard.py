"""Who may ask what: token, origin, Host, --read-only, --private, --public-url, proxies, SQL, limits of requests; fuzzing; slow clients.

SEED=n repeats a run of the fuzzer, FUZZ_SECONDS=n makes it longer.
"""
import os
import random
import re
import socket
import subprocess
import time

HOME = "http://a.example/"
T = "20070105120000"


def state_changing(server):
    doc = server.get("/api/v1/openapi.json").json
    return [(method.upper(), path) for path, ops in doc["paths"].items() for method, op in ops.items() if op.get("security")]


def concrete(path):
    for name, value in (("{coll}", "web"), ("{c}", "web"), ("{id}", "web-1"), ("{cover}", "1"), ("{name}", "x")):
        path = path.replace(name, value)
    return re.sub(r"\{[^}]*\}", "x", path)


def tokens(place, checks):
    server = place.serve("--allow-cdx-write", "--allow-sql")
    routes = state_changing(server)
    checks.that(len(routes) >= 12, "routes that change state are marked", routes)
    for method, path in routes:
        at = concrete(path)
        cookie = {"Cookie": "winnow=" + server.token}
        for name, headers, status in [
            ("nothing", {}, 401), ("a wrong token", {"Authorization": "Bearer " + "x" * 43}, 401), ("a wrong cookie", {"Cookie": "winnow=x"}, 401),
            ("the cookie alone", cookie, 403), ("the cookie from elsewhere", {**cookie, "Origin": "http://evil.example"}, 403),
            ("the cookie from a sandbox", {**cookie, "Origin": "null"}, 403), ("the cookie, cross-site", {**cookie, "Sec-Fetch-Site": "cross-site"}, 403),
            ("the cookie, same-site", {**cookie, "Sec-Fetch-Site": "same-site"}, 403), ("the token in the address", {}, 401)]:
            q = at + ("?token=" + server.token if name == "the token in the address" else "")
            checks.row(server, "%s %s with %s" % (method, path, name), method, q, headers, status, {}, None, "")
        r = server.ask(method, at, {**cookie, "Origin": server.base, "Sec-Fetch-Site": "same-origin"}, "")
        checks.that(r.status not in (401, 403, 500), "%s %s with the cookie from our own page" % (method, path), r.status)
    r = server.get("/login?token=" + server.token)
    cookie = r.get("Set-Cookie") or ""
    checks.that(r.status == 303 and "HttpOnly" in cookie and "SameSite=Lax" in cookie, "the printed link gives the cookie", r.headers)
    checks.row(server, "a wrong link", "GET", "/login?token=x", {}, 403)
    for q, status, want in [("select count(*) as n from captures", 200, '"rows":\\[\\[25'), ("delete from captures", 400, None),
                            ("attach 'x' as y", 400, None), ("pragma writable_schema=1", 400, None), ("select load_extension('x')", 400, None), ("select 1; select 2", 400, None),
                            ("select id from captures", 200, None),
                            ("select randomblob(1000000000)", 400, "too big"), ("with recursive r(x) as (select 1 union all select x+1 from r) select count(*) from r, captures", None, None)]:
        began = time.monotonic()
        r = server.ask("GET", "/api/v1/collections/web/sql?q=" + q.replace(" ", "+").replace("'", "%27"), timeout=60)
        if status:
            checks.that(r.status == status, "sql: " + q, (r.status, r.text[:200]))
        else:
            checks.that(r.status in (400, 503) and time.monotonic() - began < 50, "sql: one without an end is stopped", (r.status, r.text[:200]))
        if want:
            checks.that(re.search(want, r.text), "sql: answer of " + q, r.text[:200])
    server.close()
    plain = place.serve()
    checks.row(plain, "sql is off unless it is allowed", "GET", "/api/v1/collections/web/sql?q=select+1", {}, 404)
    plain.close()
    shut = place.serve("--read-only", "--allow-cdx-write")
    for method, path in routes:
        r = shut.ask(method, concrete(path), shut.bearer(), "")
        checks.that(r.status in (404, 405), "--read-only: no %s %s" % (method, path), r.status)
    shut.close()


def hosts(place, checks):
    server = place.serve()
    for host, status in [("127.0.0.1", 200), ("localhost:1", 200), ("[::1]", 200), ("127.9.9.9", 200), ("evil.example", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421),
                         ("127.0.0.1@evil.example", 400), ("", 400), ("a b", 400), ("127.1", 421), ("%31", 400),
                         ("[::1]evil", 400), ("[::1]:80", 200), ("[::1", 400), ("localhost:80:80", 400), ("localhost:x", 400), ("localhost:65536", 400), ("localhost:", 200), ("a]:1", 400)]:
        r = server.raw(("GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n" % host).encode())
        checks.that(b" %d " % status in r[:20], "Host: %s" % host, r[:60])
    for name, data, status in [("none in HTTP/1.1", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", 400), ("none in HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200),
                               ("two", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400)]:
        r = server.raw(data.encode())
        checks.that(b" %d " % status in r[:20], "Host headers: " + name, r[:80])
    server.close()
    public = place.serve("--public-url", "https://archive.example/web/")
    for host, path, status in [("archive.example", "/web/healthz", 200), ("archive.example", "/web/web/%smp_/%s" % (T, HOME), 200), ("evil.example", "/web/healthz", 421), ("archive.example:444", "/web/healthz", 200)]:
        r = public.ask("GET", path, {}, host=host)
        checks.equal(r.status, status, "--public-url: %s%s" % (host, path))
    r = public.ask("GET", "/web/web/2007mp_/" + HOME, {}, host="archive.example")
    checks.equal(r.get("Location"), "https://archive.example/web/web/%smp_/%s" % (T, HOME), "--public-url: absolute links")
    r = public.ask("GET", "/web/web/%smp_/%s" % (T, HOME), {}, host="archive.example")
    checks.that("default-src https://archive.example/web/web/ " in r.get("Content-Security-Policy") and 'href="/web/web/' in r.text, "--public-url: policy and links inside", r.headers)
    checks.that("https://archive.example/web/login?token=" in public.hello["url"], "--public-url: the printed link", public.hello)
    public.close()


def private(place, checks):
    server = place.serve("--private")
    slug = server.hello["collections"][0]["path"]
    checks.that(len(slug) > 20 and slug != "web", "--private: an unguessable part", slug)
    for path, status in [("/web/%smp_/%s" % (T, HOME), 404), ("/%s/%smp_/%s" % (slug, T, HOME), 200), ("/web/cdx?url=x", 404), ("/%s/cdx?url=%s" % (slug, HOME), 200), ("/web/timemap/link/" + HOME, 404),
                         ("/%s/timemap/link/%s" % (slug, HOME), 200), ("/cdx/search/cdx?url=x", 401), ("/", 401), ("/c/web", 401), ("/api/v1/collections", 401), ("/jobs", 401), ("/metrics", 401),
                         ("/api/v1/jobs", 401), ("/c/web/search?q=budget", 401), ("/api/v1/collections/web/search?q=budget", 401), ("/healthz", 200)]:
        checks.row(server, "--private: " + path.replace(slug, "SLUG"), "GET", path, {}, status)
        if status == 401:
            r = server.ask("GET", path, server.bearer())
            checks.that(r.status in (200, 400, 404), "--private: %s with the token" % path, r.status)
    server.close()


UI_POLICY = ("default-src 'none'; script-src {o}/a/; style-src {o}/a/; img-src {o}/a/ data:; font-src {o}/a/; connect-src {o}/api/ {o}/jobs/; frame-src {frames}/; "
             "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
REPLAY_POLICY = ("sandbox allow-scripts allow-forms allow-downloads allow-top-navigation-by-user-activation{same}; default-src {r}/web/ 'unsafe-inline' 'unsafe-eval' data: blob:; "
                 "form-action {r}/web/; base-uri {r}/web/; frame-ancestors {ancestors}")


def policies(place, checks):
    """The headers that isolate, whole: of our pages and of archived ones, on one host and on two."""
    server = place.serve()
    o = server.base
    for path in ["/", "/c/web", "/web/*/" + HOME, "/web/%s/%s" % (T, HOME), "/jobs", "/c/web/search?q=budget", "/c/web/rules/new"]:
        r = server.get(path)
        checks.equal(r.get("Content-Security-Policy"), UI_POLICY.format(o=o, frames=o), "policy of " + path)
        checks.that(r.get("X-Content-Type-Options") == "nosniff" and r.get("Cross-Origin-Opener-Policy") == "same-origin" and r.get("Referrer-Policy") == "same-origin" and
                    r.get("Access-Control-Allow-Origin") is None, "headers of " + path, r.headers)
    for mod in ["mp_", "id_", "if_", "js_", "im_"]:
        r = server.get("/web/%s%s/%s" % (T, mod, HOME))
        checks.equal(r.get("Content-Security-Policy"), REPLAY_POLICY.format(r=o, same="", ancestors=o), "policy of %s" % mod)
        checks.equal(r.get("Access-Control-Allow-Origin"), "*", "CORS of %s" % mod)
    r = server.get("/web/%smp_/http://nowhere.example/" % T)
    checks.that(r.status == 404 and "script-src" not in r.get("Content-Security-Policy") and r.get("Content-Security-Policy").endswith("frame-ancestors 'self'"), "a page of ours at a replay path", r.headers)
    server.close()


def replay_host(place, checks):
    server = place.serve("--replay-host", "pages.localhost")
    there, ui, replay = "pages.localhost:%d" % server.port, server.base, "http://pages.localhost:%d" % server.port
    at = "/web/%smp_/%s" % (T, HOME)
    r = server.get(at)
    checks.that(r.status == 307 and r.get("Location") == replay + at and r.body == b"", "an archived page is not at the host of ours", r.headers)
    r = server.ask("GET", at, {}, host=there)
    checks.equal((r.status, r.get("Content-Security-Policy")), (200, REPLAY_POLICY.format(r=replay, same=" allow-same-origin", ancestors=ui + " " + replay)), "it is at its own, with an origin")
    checks.that("<%s%s>; rel=" % (replay, at) in r.get("Link") and "<%s/web/%s>; rel=\"timegate\"" % (ui, HOME) in r.get("Link"), "mementos are there, the TimeGate is ours", r.get("Link"))
    r = server.get("/web/%s/%s" % (T, HOME))
    checks.equal(r.get("Content-Security-Policy"), UI_POLICY.format(o=ui, frames=replay), "the policy of the frame")
    checks.that('src="%s%s"' % (replay, at) in r.text and "allow-same-origin" in r.text, "the frame leads there", r.text[-600:])
    for path in ["/", "/c/web", "/jobs?x=1", "/login?token=" + server.token]:
        r = server.ask("GET", path, {}, host=there)
        checks.that(r.status == 302 and r.get("Location") == ui + path and r.get("Set-Cookie") is None, "pages of ours are not there: " + path, (r.status, r.headers))
    for path in ["/web/%s/%s" % (T, HOME), "/web/*/" + HOME]:
        r = server.ask("GET", path, {}, host=there)
        checks.that(r.status == 307 and r.get("Location") == ui + path, "nor at replay paths: " + path, (r.status, r.headers))
    for method, path in [("GET", "/api/v1/collections"), ("GET", "/metrics"), ("POST", "/api/v1/sample"), ("POST", "/c/web/rules/new"), ("GET", "/api/v1/openapi.json")]:
        r = server.ask(method, path, server.bearer(), "" if method == "POST" else None, host=there)
        checks.that(r.status in (404, 405), "nor is the API: %s %s" % (method, path), r.status)
    for path in ["/web/cdx?url=" + HOME, "/web/timemap/link/" + HOME, "/web/_/replay.js", "/healthz"]:
        checks.equal(server.ask("GET", path, {}, host=there).status, 200, "what is open to all is at both: " + path)
    for path in (at, "/web/_/replay.js"):
        r = server.ask("GET", path, {"Service-Worker": "script"}, host=there)
        checks.equal(r.status, 403, "no service worker there either: " + path)
    r = server.ask("GET", "/web/20070105120009mp_/http://a.example/headers", {}, host=there)
    checks.equal(r.get("Set-Cookie"), "a=b; Path=/web/20070105120009mp_/http://a.example/c/", "an archived cookie is for its site and time alone")
    r = server.ask("POST", "/api/v1/sample", {"Cookie": "winnow=tossed; winnow=" + server.token, "Origin": replay, "Sec-Fetch-Site": "same-site"}, "")
    checks.equal(r.status, 403, "a page of the replay host is no page of ours")
    r = server.ask("POST", "/c/web/rules/new", {"Cookie": "winnow=tossed; winnow=" + server.token, "Origin": ui, "Sec-Fetch-Site": "same-origin"}, "")
    checks.that(r.status not in (401, 403), "a cookie tossed in front of ours takes nothing away", r.status)
    server.close()
    for args in [("--replay-host", "127.0.0.1"), ("--replay-host", "127.0.0.1:99"), ("--replay-host", "a b"), ("--replay-host", ""), ("--public-url", "https://x.example/", "--replay-host", "x.example:8443")]:
        p = subprocess.run([place.winnow, "serve", "--listen", "127.0.0.1:0", *args], capture_output=True, text=True, timeout=60)
        checks.that(p.returncode == 2 and "--replay-host" in p.stderr, "refused: " + " ".join(args), (p.returncode, p.stderr))
    public = place.serve("--public-url", "https://archive.example/web/", "--replay-host", "pages.example")
    r = public.ask("GET", "/web/web/%smp_/%s" % (T, HOME), {}, host="archive.example")
    checks.equal(r.get("Location"), "https://pages.example/web/web/%smp_/%s" % (T, HOME), "behind a proxy, with a prefix")
    checks.equal(public.ask("GET", "/web/web/%smp_/%s" % (T, HOME), {}, host="pages.example").status, 200, "and there")
    public.close()


MALFORMED = [
    (b"GET\r\n\r\n", 400), (b"GET /\r\n\r\n", 400), (b"GET / HTTP/9.9\r\n\r\n", 505), (b"GET / HTTP/2.0\r\n\r\n", 505), (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505), (b"GET  / HTTP/1.1\r\n\r\n", 400),
    (b"GET / http/1.1\r\n\r\n", 400), (b"GET / HTTP/1.1 x\r\n\r\n", 400), (b"G\xffT / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), (b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400), (b"GET / HTTP/1.1\r\n Host: localhost\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", 400),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400), (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400), (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400), (b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400), (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX", 400),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5;x\nurl=a\r\n0\r\n\r\n", 400), (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\rx\r\nurl=a\r\n0\r\n\r\n", 400),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nurl=a\n0\r\n\r\n", 400), (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\n\n", 400),
    (b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 421), (b"GET http://a@localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), (b"GET http:///healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"CONNECT evil.example:80 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 204), (b"GET * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 501), (b"POST /web/cdx HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\nurl=x", 400), (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 5\r\n\r\nurl=x", 400),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n", 413), (b"GET / HTTP/1.1\r\nHost: localhost\r\nExpect: the-unexpected\r\n\r\n", 417),
    (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"".join(b"X%d: y\r\n" % i for i in range(300)) + b"\r\n", 431), (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 300000 + b"\r\n\r\n", 431),
    (b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414), (b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414), (b"a" * 1000000, 414),
    (b"GET /web/2007mp_/http://a.example/?" + b"&".join(b"a%d=b" % i for i in range(1500)) + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
]
FINE = [
    (b"\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "empty lines in front"), (b"GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n", "LF alone"),
    (b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "the absolute form"), (b"GET /healthz?%zz&&=&%% HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "odd escapes"),
    (b"GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "the absolute form, whatever Host says"),
    (b"GET /healthz HTTP/1.0\r\n\r\n", "HTTP/1.0"), (b"GET /healthz HTTP/1.1\r\nHost:localhost\r\nX-Empty:\r\nConnection:close\r\n\r\n", "no blank behind the colon"),
    (b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nurl\r\n9\r\n=a.exampl\r\n1\r\ne\r\n0\r\nTrailer: x\r\n\r\n", "chunks with extensions and a trailer"),
]


def unknown(server, checks):
    """Every route that names a collection, asked for one that is not there."""
    for path, ops in server.get("/api/v1/openapi.json").json["paths"].items():
        for method in ops:
            if "{c}" in path or "{coll}" in path:
                at = concrete(path.replace("{c}", "none").replace("{coll}", "none"))
                r = server.ask(method.upper(), at, server.bearer(), "" if method != "get" else None)
                checks.that(r.status in (404, 405), "no such collection: %s %s" % (method, path), r.status)


def malformed(server, checks):
    for data, status in MALFORMED:
        r = server.raw(data)
        checks.that(r.startswith(b"HTTP/1.1 %d " % status), "malformed: %r" % data[:60], r[:60])
    for data, name in FINE:
        r = server.raw(data)
        checks.that(r.startswith(b"HTTP/1.1 200 "), "well formed: " + name, r[:80])
    r = server.raw(b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 13\r\n\r\nurl=a.example")
    checks.that(r.startswith(b"HTTP/1.1 200") or b"\r\n\r\nHTTP/1.1 200" in r, "Expect: 100-continue", r[:80])


PIECES = [b"GET", b"POST", b"HEAD", b"PUT", b"OPTIONS", b" ", b"/", b"/web/", b"2007", b"mp_", b"id_", b"*/", b"http://a.example/", b"//", b"?", b"&", b"=", b"%", b"%00", b"%ff", b"%2e%2e", b"..", b"url=", b"limit=",
          b"-1", b"99999999999999999999", b"cdx", b"/cdx/search/cdx", b"filter=", b"~", b"(a*)*b", b"[", b"matchType=domain", b"from=", b"to=", b"closest=", b"page=", b"pageSize=", b"resumeKey=", b"collapse=", b"cover=",
          b"/api/v1/", b"collections/web/", b"search?q=", b"captures", b"calendar?url=", b"page[size]=", b"sql?q=select+1", b"rules/check", b"rules/preview", b"covers/1", b"/c/web/", b"diff/1..2", b"rules/new?rule=",
          b"timemap/link/", b"timemap/json/2/", b"/jobs/", b"web-1", b"/events", b" HTTP/1.1", b" HTTP/1.0", b"\r\n", b"\n", b"\r", b"\x00", b"Host: localhost\r\n", b"Host: x\r\n", b"Content-Length: 5\r\n",
          b"Transfer-Encoding: chunked\r\n", b"Range: bytes=0-", b"Range: bytes=-1\r\n", b"Accept-Datetime: ", b"Thu, 01 Jan 2009 00:00:00 GMT\r\n", b"Prefer: raw\r\n", b"Cookie: winnow=x\r\n", b"Expect: 100-continue\r\n",
          b"Connection: close\r\n", b"Authorization: Bearer x\r\n", b"\xc3\xbc", b"\xff\xfe", b"a" * 300, b"[::1]", b"xn--", b"@", b":", b"#", b"'", b"<script>", b"{", b"}", b"5\r\nhello\r\n0\r\n\r\n", b"\r\n\r\n"]
STARTS = [b"GET /web/", b"GET /web/cdx?url=", b"GET /cdx/search/cdx?url=", b"GET /api/v1/collections/web/", b"GET /c/web/", b"GET /", b"POST /web/cdx HTTP/1.1\r\nHost: localhost\r\n", b"POST /api/v1/collections/web/rules/check HTTP/1.1\r\nHost: localhost\r\n", b""]


def fuzz(server, checks):
    seed = int(os.environ.get("SEED", "0")) or random.SystemRandom().randrange(1, 1 << 31)
    rnd = random.Random(seed)
    end = time.monotonic() + float(os.environ.get("FUZZ_SECONDS", "4"))
    tried, wrong = 0, []
    while time.monotonic() < end and not wrong:
        data = rnd.choice(STARTS) + b"".join(rnd.choice(PIECES) for _ in range(rnd.randrange(1, 14)))
        if rnd.random() < 0.7 and b"\r\n\r\n" not in data:
            data += b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        if rnd.random() < 0.3:
            at = rnd.randrange(len(data) + 1)
            data = data[:at] + bytes(rnd.randrange(256) for _ in range(rnd.randrange(1, 4))) + data[at + rnd.randrange(3):]
        tried += 1
        try:
            r = server.raw(data, timeout=40)
        except (socket.timeout, ConnectionError) as e:
            if isinstance(e, socket.timeout) or server.process.poll() is not None:
                wrong.append((repr(e), data))
            continue
        if not r and server.process.poll() is not None:
            wrong.append(("it died", data))
        for line in re.findall(rb"(?:^|\r\n\r\n)(HTTP/1\.1 5\d\d)", r):
            if line not in (b"HTTP/1.1 501", b"HTTP/1.1 505", b"HTTP/1.1 503"):
                wrong.append((line, data))
        if r and not re.match(rb"HTTP/1\.1 \d\d\d ", r):
            wrong.append((r[:60], data))
    checks.that(not wrong and tried > 50, "fuzzing with SEED=%d: %d requests" % (seed, tried), wrong[:1])
    checks.that(server.process.poll() is None, "the server lives")
    checks.row(server, "and answers", "GET", "/healthz", {}, 200, {}, b"ok\n")


def slow(place, checks):
    """1,000 idle and 200 slow connections: the rest is served as before."""
    server = place.serve()

    def pace():
        began = time.process_time()
        ok = sum(server.get("/web/%sid_/%s" % (T, HOME)).status == 200 for _ in range(100))
        return ok, time.process_time() - began
    checks.equal(pace()[0], 100, "before")
    idle = [server.connect() for _ in range(1000)]
    senders, readers = [], []
    for i in range(100):
        s = server.connect()
        s.sendall(b"GET /web/%sid_/%s HTTP/1.1\r\nHost: loc" % (T.encode(), HOME.encode()))
        senders.append(s)
    for i in range(100):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", server.port))
        s.settimeout(30)
        s.sendall(b"GET /web/cdx?url=http://many.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n")
        readers.append(s)
    checks.equal(pace()[0], 100, "with 1,000 idle and 200 slow connections")
    for s in senders:
        s.sendall(b"alhost\r\nConnection: close\r\n\r\n")
    checks.equal(sum(server.drain(s).startswith(b"HTTP/1.1 200") for s in senders), 100, "slow senders are answered")
    got = [s.recv(100) for s in readers]
    checks.that(all(g.startswith(b"HTTP/1.1 200") for g in got), "slow readers are answered")
    for s in idle[:10]:
        s.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    checks.equal(sum(server.drain(s).endswith(b"ok\n") for s in idle[:10]), 10, "idle ones can still ask")
    for s in idle + senders + readers:
        s.close()
    checks.equal(server.close(), 0, "and it ends")


def proxies(place, checks):
    rules = place.path("proxy.aclj")
    with open(rules, "w") as f:
        f.write('example,secret)/ - {"access": "allow", "user": "staff"}\nexample,secret)/ - {"access": "exclude"}\n')
    for args, status in [((), 404), (("--trust-proxy", "127.0.0.1"), 200), (("--trust-proxy", "10.0.0.1,127.0.0.1"), 200), (("--trust-proxy", "10.0.0.1"), 404)]:
        server = place.serve("--acl", rules, *args)
        checks.row(server, "X-Pywb-ACL-User with %s" % " ".join(args), "GET", "/web/20070105120019mp_/http://secret.example/", {"X-Pywb-ACL-User": "staff"}, status)
        checks.row(server, "no user with %s" % " ".join(args), "GET", "/web/20070105120019mp_/http://secret.example/", {}, 404)
        server.close()


def test(place, checks):
    tokens(place, checks)
    hosts(place, checks)
    private(place, checks)
    policies(place, checks)
    replay_host(place, checks)
    proxies(place, checks)
    server = place.serve("--allow-sql", "--allow-cdx-write", log=place.path("fuzz.log"))
    unknown(server, checks)
    malformed(server, checks)
    fuzz(server, checks)
    checks.equal(server.close(), 0, "after all of that it ends with 0")
    slow(place, checks)

"""OpenAPI: every route that is served is described and answers as described; nothing else is there.  ETags, metrics, log, reload."""
import json
import os
import re
import signal
import subprocess

SAMPLE = {"{c}": "web", "{coll}": "web", "{id}": "1", "{cover}": "1", "{doc}": "1", "{pair}": "1..2", "{name}": "x", "{type}": "link", "{url}": "http://a.example/", "{replay}": "20070105120000mp_/http://a.example/",
          "{hash}": "0"}
QUERY = {"/calendar": "?url=http://a.example/", "/capture": "?url=http://a.example/", "/search": "?q=budget", "/sql": "?q=select+count(*)+from+captures", "/cdx": "?url=http://a.example/", "/rules/check": "?rule=a.url+%3D+b.url"}
BODY = {"/rules/check": '{"rule": "a.url = b.url"}', "/rules/preview": '{"rule": "a.url = b.url and a.time <= b.time"}', "/covers": '{"rule": "a.url = b.url and a.time <= b.time"}'}


def table():
    """The rows of routes.c: methods, pattern, whether hidden."""
    text = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/serve/routes.c")).read()
    return re.findall(r'\{\s*(METHOD_[A-Z_| ]+?),\s*"([^"]+)",\s*(\w+),\s*POLICY_\w+,\s*([A-Z_| 0-9]+?),', text)


def address(path):
    for k, v in SAMPLE.items():
        path = path.replace(k, v)
    if path.startswith("/api/v1/jobs/"):
        path = path.replace("/jobs/1", "/jobs/web-1")
    for end, q in QUERY.items():
        if path.endswith(end):
            return path + q
    return path


def test(place, checks):
    server = place.serve("--allow-sql", "--allow-cdx-write", coll=place.copy("driven"))
    doc = server.get("/api/v1/openapi.json").json
    checks.that(doc["openapi"].startswith("3.1") and doc["info"]["title"] and doc["info"]["version"] and doc["paths"], "openapi 3.1", str(doc)[:200])
    rows = table()
    checks.that(len(rows) > 50, "routes.c was read", len(rows))
    for methods, pattern, handler, flags in rows:
        if "ROUTE_HIDDEN" in flags:
            continue
        path = pattern.replace("*}", "}")
        for m in re.findall(r"METHOD_([A-Z]+)", methods):
            checks.that(m.lower() in doc["paths"].get(path, {}), "described: %s %s" % (m, pattern))
    served = {(p.replace("*}", "}")) for _, p, _, f in rows}
    for path, ops in doc["paths"].items():
        checks.that(path in served, "served: " + path)
        for method, op in ops.items():
            checks.that(op.get("summary") and op.get("responses"), "described whole: %s %s" % (method, path), op)
            named = {"{%s}" % p["name"] for p in op["parameters"] if p["in"] == "path"}
            checks.equal(named, set(re.findall(r"\{\w+\}", path)), "parameters of %s %s" % (method, path))
            at = address(path)
            body = None
            if method == "post":
                body = next((b for end, b in BODY.items() if at.split("?")[0].endswith(end) and at.startswith("/api")), "")
            r = server.ask(method.upper(), at, server.bearer({"Content-Type": "application/json"}), body, timeout=60)
            checks.that(r.status < 500 and r.status != 405, "answers: %s %s" % (method, at), (r.status, r.text[:200]))
            if at.startswith("/api/") and r.status >= 400:
                checks.that(r.get("Content-Type") == "application/problem+json" and {"type", "title", "status", "detail", "instance"} <= set(r.json), "problem: %s %s" % (method, at), r.text[:200])
            if method == "get" and at.startswith("/api/") and r.status == 200 and r.get("Content-Type") == "application/json" and "openapi" not in at and "/rules/check" not in at and "/jobs" not in at and r.get("ETag"):  # a preview says how long it took, and jobs go on meanwhile
                again = server.get(at, If_None_Match=r.get("ETag"))
                checks.that(again.status == 304 and not again.body, "304: " + at, again.status)
                other = server.get(at, If_None_Match='"x"')
                checks.equal(other.status, 200, "another tag: " + at)
                listed = server.get(at, If_None_Match='"x", W/%s' % r.get("ETag"))
                checks.equal(listed.status, 304, "one of several tags: " + at)
            if method == "get" and at.startswith("/api/v1/collections") and r.status == 200:
                checks.that({"data", "meta", "links"} <= set(r.json), "envelope: " + at, r.text[:100])
    checks.row(server, "hidden: asked for", "GET", "/no/such/page", {}, 404)
    for at, wanted in [("/c/web", ".json"), ("/c/web/rules/new", ".json"), ("/c/web/covers/1/doc/1", ".json"), ("/c/web/urls", ".json .csv .jsonl"), ("/c/web/covers", ".json .csv .jsonl"), ("/c/web/covers/1", ".json .csv .jsonl"),
                       ("/c/web/covers/1/dropped", ".json .csv .jsonl"), ("/jobs", ".json .csv .jsonl"), ("/c/web/rules", ".json .csv .jsonl")]:
        for form in (".json", ".csv", ".jsonl"):
            r = server.get(at + form)
            checks.that(r.status == (200 if form in wanted.split() else 404) and (r.status == 404 or form[1:].replace("jsonl", "json") in r.get("Content-Type")), "the form %s%s" % (at, form), (r.status, r.headers))
    api = "/api/v1/collections/web/covers/1/members?page[size]=1000"
    every, kept, dropped = ([m["id"] for m in server.get(api + f).json["data"]] for f in ("", "&filter[state]=kept", "&filter[state]=dropped"))
    checks.that(kept and dropped and every == sorted(kept + dropped), "members: kept and dropped are all", (every, kept, dropped))
    listed = [int(line.split(",")[0]) for line in server.get("/c/web/covers/1.csv").text.splitlines()[1:]]
    checks.equal(listed, every, "members: the same as CSV")
    checks.equal([int(line.split(",")[0]) for line in server.get("/c/web/covers/1/dropped.csv").text.splitlines()[1:]], dropped, "members: the dropped ones as CSV")
    for path, want in (("/c/web/covers/1", kept), ("/c/web/covers/1/dropped", dropped)):
        got, at = [], ""
        while at is not None:
            r = server.get(path + ".json" + at).json
            got += [m["id"] for m in r["data"]["members"]]
            at = r["links"].get("next") and "?" + r["links"]["next"].split("?", 1)[1]
        checks.equal(sorted(got), want, "members: pages of %s together" % path)
    r = server.get("/c/web/covers/1/doc/%d.json" % kept[-1])
    checks.that(r.status == 200, "members: a kept one", r.status)
    checks.that("Kept by both</dt><dd>%d<" % len(kept) in server.get("/c/web/compare/1..1").text, "members: a cover compared with itself", server.get("/c/web/compare/1..1").text[:1500])
    shown = server.get("/c/web/rules/new?try=1&rule=containment(a,b)>=0.5").text
    checks.that(re.search(r'<bdi>Revisited</bdi></a> <span class="soft"><time [^<]*</time></span> <span class="soft"><bdi>http://a.example/rev</bdi></span><br>hidden by', shown),
                "studio: an example has its title, its time and its address", shown[-3000:])
    text = server.get("/metrics").text
    checks.that(re.search(r'^winnow_requests_total\{status="2xx"\} \d+$', text, re.M) and "winnow_request_seconds_bucket" in text and "winnow_connections" in text, "metrics", text[:300])
    for line in text.splitlines():
        checks.that(line.startswith("#") or re.match(r'^[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.e+-]+$', line), "metrics: a line that Prometheus reads", line)
    server.close()

    log = place.path("access.log")
    logged = place.serve("--access-log", log)
    logged.get("/healthz?x=%22%0a")
    logged.raw(b"nonsense\r\n\r\n")
    acl = os.path.join(place.coll, "access.aclj")
    checks.row(logged, "before a reload", "GET", "/web/20070105120019mp_/http://secret.example/", {}, 200)
    with open(acl, "w") as f:
        f.write('example,secret)/ - {"access": "block"}\n')
    logged.process.send_signal(signal.SIGHUP)
    for _ in range(200):  # a signal has no answer: the first that holds to the new rules shows that it came
        if logged.get("/web/20070105120019mp_/http://secret.example/").status == 451:
            break
    checks.row(logged, "SIGHUP reads access rules anew", "GET", "/web/20070105120019mp_/http://secret.example/", {}, 451)
    with logged.connect() as s:  # a request under way when it is asked to stop is answered
        s.sendall(b"GET /web/cdx?url=http://many.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        first = s.recv(1000)
        logged.process.send_signal(signal.SIGTERM)
        rest = logged.drain(s)
    checks.that(first.startswith(b"HTTP/1.1 200") and rest.endswith(b"0\r\n\r\n"), "a graceful end: what is under way is sent whole", rest[-60:])
    checks.equal(logged.process.wait(60), 0, "and it ends with 0")
    logged.process.stdout.close()
    os.unlink(acl)
    lines = open(log).read().splitlines()
    checks.that(lines and all(re.match(r'^127\.0\.0\.1 \S+Z "\S+ \S*" \d{3} \d+ \d+\.\d+$', x) for x in lines), "access log: a line a request", lines[:3])
    for args, why in [(["api=" + place.coll], "reserved"), (["web=" + place.coll, "web=" + place.coll], "double"), (["a b=" + place.coll], "odd"), ([place.path("nothing")], "absent")]:
        p = subprocess.run([place.winnow, "serve", *args, "--listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=60)
        checks.that(p.returncode in (2, 3) and p.stderr, "a %s name is an error" % why, (p.returncode, p.stderr))

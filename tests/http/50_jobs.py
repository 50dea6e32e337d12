"""Jobs: the API, events, cancel, pause, and several processes on one collection, one of which is killed."""
import glob
import json
import os
import random
import shutil
import time

import archive
from harness import Server

RULE = "containment(a, b) >= 0.7 and a.time <= b.time"


def long_collection(place):
    """Enough documents that a cover takes a while: pages that share words."""
    words = ["w%d" % i for i in range(3000)]
    rnd = random.Random(7)
    path = place.path("long.warc.gz")
    w = archive.Writer(path)
    for i in range(900):
        at = rnd.randrange(2600)
        text = " ".join(words[at:at + 300]) + " " + " ".join(rnd.choice(words) for _ in range(60))
        w.response("http://long.example/%d" % (i % 700), "2010%02d%02d%02d%02d00" % (1 + i % 12, 1 + i % 28, i % 24, i % 60), ("<p>" + text).encode())
    w.out.close()
    coll = place.path("long")
    place.run("ingest", coll, path, "-q")
    return coll


def until(truth, seconds=30):
    end = time.monotonic() + seconds
    while not truth() and time.monotonic() < end:
        pass


def wait(server, job, states=("succeeded", "failed", "cancelled"), seconds=60):
    """Hears events until the job is in one of the states: no sleeping, the server says when."""
    with server.connect(seconds) as s:
        s.sendall(("GET /api/v1/jobs/%s/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % (job, server.port)).encode())
        text = b""
        while True:
            piece = s.recv(65536)
            if not piece:
                break
            text += piece
            for line in text.decode("utf-8", "replace").split("\n"):
                if line.startswith("data: {") and '"state":"' in line:
                    try:
                        data = json.loads(line[6:])
                    except ValueError:
                        continue
                    if data["state"] in states:
                        return data, text.decode("utf-8", "replace")
    return None, text.decode("utf-8", "replace")


def add(server, key=None, rule=RULE, **more):
    headers = server.bearer({"Content-Type": "application/json", **({"Idempotency-Key": key} if key else {})})
    return server.ask("POST", "/api/v1/collections/long/covers", headers, json.dumps({"rule": rule, **more}))


def covers(server):
    return server.get("/api/v1/collections/long/covers").json["data"]


def alone(place, coll, checks):
    server = Server(place.winnow, ["long=" + coll])
    r = add(server, "once", name="first")
    checks.that(r.status == 202 and r.get("Location"), "a job is accepted", (r.status, r.text))
    path = r.get("Location")
    job = r.json["data"]["job"]
    checks.equal(add(server, "once", name="first").json["data"]["job"], job, "the same Idempotency-Key is the same job")
    data, text = wait(server, job)
    checks.that(data and data["state"] == "succeeded" and data["result"]["cover"] >= 1, "it ends with a cover", text[-500:])
    checks.that("event: done" in text and "\nid: " in text and "Content-Type: text/event-stream" in text, "events: named, numbered", text[:600])
    checks.that(data and data["phases"] and all({"id", "unit", "done", "total", "weight"} <= set(p) for p in data["phases"]), "phases", data)
    polled = server.get(path)
    checks.that(polled.json["data"] == data, "polling gives the same body", (polled.text, data))
    last = [line[4:] for line in text.split("\n") if line.startswith("id: ")][-1]
    r = server.get(path + "/events", Last_Event_ID=last.strip())
    checks.equal(r.status, 204, "events: nothing new for who has heard the end")
    r = server.get(path + "/events")
    checks.that(r.status == 200 and "event: done" in r.text, "events: of a job that has ended", r.text)
    for name, method, at, headers, status in [
        ("no such job", "GET", "/api/v1/jobs/long-999", {}, 404), ("no such collection", "GET", "/api/v1/jobs/other-1", {}, 404), ("nonsense", "GET", "/api/v1/jobs/%2e%2e", {}, 404),
        ("events of none", "GET", "/api/v1/jobs/long-999/events", {}, 404), ("cancel without a token", "POST", path + "/cancel", {}, 401),
        ("cancel by a stranger's page", "POST", path + "/cancel", {"Cookie": "winnow=" + server.token, "Origin": "http://evil.example"}, 403),
        ("cancel what has ended", "POST", path + "/cancel", server.bearer(), 409), ("resume what has ended", "POST", path + "/resume", server.bearer(), 409),
        ("pause what has ended", "POST", path + "/pause", server.bearer(), 409), ("add without a token", "POST", "/api/v1/collections/long/covers", {}, 401),
        ("list", "GET", "/api/v1/jobs", {}, 200), ("page", "GET", "/jobs/" + job, {}, 200), ("page as JSON", "GET", "/jobs/%s.json" % job, {}, 200)]:
        checks.row(server, "job: " + name, method, at, headers, status, {}, None, "" if method == "POST" else None)
    bad = add(server, rule="nonsense(")
    checks.that(bad.status == 422, "a bad rule is refused before it is a job", bad.text)
    checks.equal(server.close(), 0, "ends with 0")
    again = Server(place.winnow, ["long=" + coll])
    checks.equal(again.get(path).json["data"]["state"], "succeeded", "known after a restart")
    again.close()


def stopped(place, coll, checks):
    """Jobs that wait when a server is stopped are done by the next one."""
    first = Server(place.winnow, ["long=" + coll])
    jobs = [add(first, name="stop-%d" % i).json["data"]["job"] for i in range(4)]
    checks.that(first.ask("POST", "/api/v1/jobs/%s/pause" % jobs[3], first.bearer(), "").status in (200, 409), "pause")
    checks.that(first.ask("POST", "/api/v1/jobs/%s/cancel" % jobs[2], first.bearer(), "").status == 200, "cancel one that waits")
    checks.equal(first.close(), 0, "stops in the middle of jobs")
    second = Server(place.winnow, ["long=" + coll])
    second.ask("POST", "/api/v1/jobs/%s/resume" % jobs[3], second.bearer(), "")
    states = [wait(second, j)[0]["state"] for j in jobs]
    checks.equal([states[0], states[1], states[3]], ["succeeded"] * 3, "the next server does them")
    checks.that(states[2] in ("cancelled", "succeeded"), "the cancelled one stays so", states)
    names = [c["name"] for c in covers(second)]
    checks.equal(sorted(n for n in names if n and n.startswith("stop-") and n != "stop-2"), ["stop-0", "stop-1", "stop-3"], "each has one cover")
    second.close()


def killed(place, coll, checks):
    """kill -9 of one of two servers in the middle of jobs: each job ends once, with the right result."""
    servers = [Server(place.winnow, ["long=" + coll], "--job-lease", "1") for _ in range(2)]
    want = None
    for round_ in range(2):
        a, b = servers
        jobs = [add(a, name="kill-%d-%d" % (round_, i)).json["data"]["job"] for i in range(6)]
        data, _ = wait(b, jobs[round_], ("running", "succeeded"))
        checks.that(data, "the other server shows it")
        a.kill()
        ends = [wait(b, j)[0] for j in jobs]
        checks.equal([e and e["state"] for e in ends], ["succeeded"] * 6, "round %d: all end after a kill" % round_)
        named = {}
        for c in covers(b):
            named.setdefault(c["name"], []).append(c)
        mine = [named.get("kill-%d-%d" % (round_, i), []) for i in range(6)]
        checks.equal([len(m) for m in mine], [1] * 6, "round %d: each once" % round_)
        kept = {m[0]["kept"] for m in mine if m}
        want = want or kept
        checks.equal(kept, want, "round %d: the same cover each time" % round_)
        checks.that(all(e["result"]["cover"] == m[0]["id"] for e, m in zip(ends, mine) if e and m), "round %d: the job names its cover" % round_)
        servers = [b, Server(place.winnow, ["long=" + coll], "--job-lease", "1")]
    a, b = servers
    job = add(a, name="cancel-me").json["data"]["job"]
    r = b.ask("POST", "/api/v1/jobs/%s/cancel" % job, b.bearer(), "")
    checks.that(r.status in (200, 409), "the other server cancels", r.text)
    data, _ = wait(a, job)
    checks.that(data["state"] == ("cancelled" if r.status == 200 else "succeeded") or data["state"] == "succeeded", "and it ends", data)
    for s in servers:
        checks.equal(s.close(), 0, "both end with 0")
    out = place.run("covers", coll, "--format", "tsv")
    checks.equal(out.count("kill-"), 12, "12 covers in the collection itself")


def exports(place, checks):
    """What a cover keeps, made by a job, for any size: the same bytes as the command makes."""
    coll = place.copy("exported")
    server = place.serve(coll=coll)
    at = "/c/web/covers/1/export/cdxj"
    checks.row(server, "export: nothing before its job", "GET", at, {}, 404)
    r = server.ask("POST", at + "?as=job", server.bearer(), "")
    checks.that(r.status == 303 and "/jobs/web-" in (r.get("Location") or ""), "export: a job", (r.status, r.headers))
    job = r.get("Location").rsplit("/", 1)[1]
    data, text = wait(server, job)
    checks.that(data and data["state"] == "succeeded" and data["kind"] == "export" and data["result"]["cover"] == 1 and data["result"]["format"] == "cdxj", "export: its end", text[-500:])
    checks.that(at in server.get("/jobs/" + job).text, "export: its page leads to the file")
    out = place.path("by-command.cdxj")
    place.run("export", coll, "--cover", "1", "--format", "cdxj", "-o", out, "-q")
    want = open(out, "rb").read()
    checks.row(server, "export: the file", "GET", at, {}, 200, {"Content-Disposition": "cover-1.cdxj", "Content-Length": "^%d$" % len(want), "Content-Type": "text/x-cdxj"}, want)
    r = server.ask("POST", at, server.bearer(), "")
    checks.that(r.status == 200 and r.body == want, "export: a small one at once, the same", (r.status, len(r.body)))
    with open(os.path.join(coll, "access.aclj"), "w") as f:
        f.write('example,a)/ - {"access": "exclude"}\n')
    checks.row(server, "export: not one that was made under other access rules", "GET", at, {}, 404, {}, "access rules")
    r = server.ask("POST", at + "?as=job", server.bearer(), "")
    data, text = wait(server, r.get("Location").rsplit("/", 1)[1])
    checks.row(server, "export: made again, without what they hide", "GET", at, {}, 200, {}, lambda r: "example,a)" not in r.text and "example,b)" in r.text)
    with open(os.path.join(coll, "access.aclj"), "w") as f:
        f.write("no rule\n")
    checks.row(server, "export: none while the rules cannot be read", "GET", at, {}, 404)
    os.unlink(os.path.join(coll, "access.aclj"))
    checks.row(server, "export: no such form", "GET", "/c/web/covers/1/export/pdf", {}, 404)
    server.close()


def swapped(place, checks):
    """A collection that goes away, or another one at its place: said, never mixed; and no folder is named."""
    coll = place.copy("swapped")
    server = place.serve(coll=coll)
    at = "/web/20070105120000id_/http://a.example/"
    checks.row(server, "swapped: there", "GET", at, {}, 200)
    shutil.rmtree(coll)
    known = time.monotonic() + 1.5  # each thread looks for itself, at most once a second: from then on all of them know
    for path in (at, "/c/web", "/web/cdx?url=a.example", "/web/*/http://a.example/", "/c/web/search?q=budget", "/c/web/covers/1", "/web/timemap/link/http://a.example/", "/api/v1/collections/web"):
        until(lambda: server.get(path).status == 503 and time.monotonic() > known)
        checks.row(server, "swapped: gone, " + path, "GET", path, {}, 503, {}, lambda r: place.dir not in r.text)
    checks.row(server, "swapped: the others are served", "GET", "/", {}, 200)
    w = archive.Writer(place.path("other.warc.gz"))
    w.response("http://other.example/", "20110101000000", b"<title>Other</title><p>quite another collection")
    w.out.close()
    place.run("ingest", coll, place.path("other.warc.gz"), "-q")
    known = time.monotonic() + 1.5
    until(lambda: server.get("/web/cdx?url=a.example").body == b"" and time.monotonic() > known)
    checks.row(server, "swapped: another one is served", "GET", "/web/20110101000000id_/http://other.example/", {}, 200, {}, "quite another")
    checks.row(server, "swapped: its words", "GET", "/api/v1/collections/web/search?q=quite", {}, 200, {}, "other.example")
    checks.row(server, "swapped: nothing of the old one", "GET", "/web/cdx?url=a.example", {}, 200, {}, b"")
    checks.equal(server.close(), 0, "swapped: ends with 0")


def prepared(place, checks):
    """Who looks at a collection is likely to ask for a preview: what that reads is made meanwhile."""
    coll = place.copy("prepared")
    table = lambda: glob.glob(os.path.join(coll, "runs", "captures-r*.table"))
    for name in table():
        os.unlink(name)
    w = archive.Writer(place.path("more.warc.gz"))
    w.response("http://more.example/", "20110101000000", b"<title>More</title><p>so that it is counted anew")
    w.out.close()
    place.run("ingest", coll, place.path("more.warc.gz"), "-q")
    checks.that(not table(), "prepared: no table of captures at first", table())
    server = place.serve(coll=coll)
    checks.row(server, "prepared: a look at the collection", "GET", "/c/web", {}, 200)
    until(table)
    checks.that(table(), "prepared: its captures have a table")
    checks.equal(server.close(), 0, "prepared: ends with 0")


def test(place, checks):
    swapped(place, checks)
    prepared(place, checks)
    exports(place, checks)
    coll = long_collection(place)
    alone(place, coll, checks)
    stopped(place, coll, checks)
    killed(place, coll, checks)
    read_only = Server(place.winnow, ["long=" + coll], "--read-only")
    checks.row(read_only, "read-only: no jobs are added", "POST", "/api/v1/collections/long/covers", read_only.bearer(), 405, {}, None, "{}")
    read_only.close()

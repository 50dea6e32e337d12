"""Uploads: a server without a collection, files as they are and in forms, what is refused, and what a broken one leaves."""
import os

from harness import Server

jobs = __import__("50_jobs")


def form(boundary, parts):
    out = b""
    for name, file, data in parts:
        out += b"--%s\r\nContent-Disposition: form-data; name=\"%s\"%s\r\n\r\n" % (boundary, name, b"; filename=\"%s\"" % file if file else b"") + data + b"\r\n"
    return out + b"--%s--\r\n" % boundary


def shared(place, checks):
    """Two servers of one folder: what one took, the other knows; also one that names a collection and the folder."""
    folder = place.path("shared-uploads")
    token = place.path("shared-token")
    a = Server(place.winnow, [], "--uploads", folder, "--token-file", token)
    b = Server(place.winnow, [], "--uploads", folder, "--token-file", token, "--job-lease", "1")
    c = Server(place.winnow, ["web=" + place.coll], "--uploads", folder, "--private", "--token-file", token)
    d = Server(place.winnow, ["web=" + place.coll], "--uploads", folder, "--private", "--token-file", token)
    warc = open(place.path("main.warc.gz"), "rb").read()
    checks.equal(b.get("/c/taken").status, 404, "not there yet")
    r = a.ask("POST", "/api/v1/collections?name=taken&file=x.warc.gz", a.bearer({"Content-Type": "application/warc"}), warc)
    checks.equal(r.status, 202, "one server takes it")
    job = r.json["data"]["job"]
    checks.equal(b.get("/c/taken").status, 200, "the other shows it")
    data, text = jobs.wait(b, job)
    checks.that(data and data["state"] == "succeeded", "and its job", text[-400:])
    checks.row(b, "it replays there", "GET", "/taken/20070105120000id_/http://a.example/", {}, 200, {"Memento-Datetime": "2007"})
    checks.that("taken" in [x["name"] for x in b.get("/api/v1/collections").json["data"]] and ">taken<" in b.get("/").text and job in b.get("/jobs").text, "lists have it")
    checks.equal(b.ask("POST", "/api/v1/collections?name=taken&file=x.warc.gz", b.bearer({"Content-Type": "application/warc"}), warc).status, 409, "its name is taken at the other too")
    slugs = [{x["name"]: x["path"] for x in s.hello["collections"]} for s in (c, d)]
    checks.that(slugs[0] == slugs[1] and "~" in slugs[0]["web"], "private addresses are the same where the token is", slugs)
    r = a.ask("POST", "/api/v1/collections?name=orphan&file=x.warc.gz", a.bearer({"Content-Type": "application/warc"}), warc)
    a.kill()
    data, text = jobs.wait(b, r.json["data"]["job"])
    checks.that(data and data["state"] == "succeeded", "a job of one that was killed is done by the other", text[-400:])
    for s in (b, c, d):
        s.close()
    alone = Server(place.winnow, ["web=" + place.coll], env={"XDG_DATA_HOME": folder + "-none", "HOME": folder})
    checks.equal(alone.get("/c/taken").status, 404, "who names collections and no folder gets these alone")
    alone.close()


def test(place, checks):
    shared(place, checks)
    folder = place.path("uploads")
    server = Server(place.winnow, [], "--uploads", folder)
    warc = open(place.path("main.warc.gz"), "rb").read()
    auth = server.bearer({"Content-Type": "application/warc"})
    checks.row(server, "a start page without a collection", "GET", "/", {}, 200, {"Content-Type": "text/html"})
    checks.row(server, "no token", "POST", "/api/v1/collections?file=a.warc.gz", {}, 401, {}, None, warc)
    checks.row(server, "a stranger's page", "POST", "/upload", {"Cookie": "winnow=" + server.token, "Origin": "http://evil.example"}, 403, {}, None, warc)
    checks.row(server, "no archive", "POST", "/api/v1/collections?file=a.txt", auth, 415, {"Content-Type": "problem"}, "no archive", b"hello, this is text" * 100)
    checks.row(server, "nothing", "POST", "/api/v1/collections?file=a.warc.gz", auth, 400, {}, None, b"")
    checks.row(server, "three bytes", "POST", "/api/v1/collections?file=a.warc.gz", auth, 400, {}, None, b"abc")
    checks.row(server, "a form without a boundary", "POST", "/upload", server.bearer({"Content-Type": "multipart/form-data"}), 400, {}, None, b"x")
    checks.row(server, "a form without a file", "POST", "/upload", server.bearer({"Content-Type": "multipart/form-data; boundary=xx"}), 400, {}, "no file", form(b"xx", [(b"name", None, b"n")]))
    checks.equal([f for f in os.listdir(folder) if f.startswith(".part")], [], "what was refused leaves nothing")

    r = server.ask("POST", "/api/v1/collections?file=some-crawl.warc.gz", auth, warc)
    checks.that(r.status == 202 and r.json["data"]["collection"] == "some-crawl", "a file becomes a collection", r.text)
    data, text = jobs.wait(server, r.json["data"]["job"])
    checks.that(data and data["state"] == "succeeded" and data["kind"] == "ingest" and data["file"] == "some-crawl.warc.gz", "its job", text[-400:])
    checks.row(server, "it is served", "GET", "/some-crawl/20070105120000id_/http://a.example/", {}, 200, {"Memento-Datetime": "2007"})
    checks.row(server, "and searched", "GET", "/api/v1/collections/some-crawl/search?q=budget", {}, 200, {}, "a.example")
    checks.row(server, "a taken name", "POST", "/api/v1/collections?name=some-crawl&file=x.warc.gz", auth, 409, {}, None, warc)
    checks.row(server, "a reserved name", "POST", "/api/v1/collections?name=api&file=x.warc.gz", auth, 409, {}, None, warc)
    r = server.ask("POST", "/api/v1/collections?file=../../some-crawl.warc.gz", auth, warc)
    checks.that(r.status == 202 and r.json["data"]["collection"] == "some-crawl-2", "the same file again: another name", r.text)
    jobs.wait(server, r.json["data"]["job"])

    body = form(b"----b0undary", [(b"name", None, b"from-form"), (b"files", b"C:\\x\\one.warc.gz", warc), (b"more", b"two.warc.gz", b"passed over")])
    head = ("POST /upload HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\nCookie: winnow=%s\r\nOrigin: %s\r\nContent-Type: multipart/form-data; boundary=\"----b0undary\"\r\n"
            "Transfer-Encoding: chunked\r\n\r\n" % (server.port, server.token, server.base)).encode()
    with server.connect() as s:
        s.sendall(head)
        for i in range(0, len(body), 777):  # marks of the form fall on every kind of edge
            piece = body[i:i + 777]
            s.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        s.sendall(b"0\r\n\r\n")
        answer = server.drain(s).decode("latin-1")
    checks.that(answer.startswith("HTTP/1.1 303") and "/jobs/from-form-1" in answer, "a form, in chunks", answer[:300])
    data, text = jobs.wait(server, "from-form-1")
    checks.that(data and data["state"] == "succeeded", "its job", text[-400:])
    kept = os.path.join(folder, "from-form", "incoming", "one.warc.gz")
    checks.that(os.path.exists(kept) and open(kept, "rb").read() == warc, "the file is kept byte for byte")

    r = server.ask("POST", "/api/v1/collections/from-form/archives?file=more.warc.gz", auth, warc + warc)
    checks.equal(r.status, 202, "one more file")
    data, text = jobs.wait(server, r.json["data"]["job"])
    checks.that(data and data["state"] == "succeeded", "is ingested too", text[-300:])
    checks.row(server, "to no collection", "POST", "/api/v1/collections/none/archives?file=x.warc.gz", auth, 404, {}, None, warc)
    with server.connect() as s:  # breaks off in the middle
        s.sendall(("POST /api/v1/collections?file=cut.warc.gz HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: 1000000\r\n\r\n" % (server.port, server.token)).encode() + warc)
    checks.row(server, "the server goes on", "GET", "/healthz", {}, 200)

    r = server.ask("POST", "/api/v1/sample", server.bearer(), "")
    checks.that(r.status == 202, "the sample", r.text)
    data, text = jobs.wait(server, r.json["data"]["job"])
    checks.that(data and data["state"] == "succeeded", "the sample is ingested", text[-300:])
    checks.row(server, "the sample again", "POST", "/api/v1/sample", server.bearer(), 409, {}, None, "")
    checks.row(server, "the sample again, by a person", "POST", "/sample", server.bearer(), 303, {"Location": "/c/sample"}, None, "")
    checks.equal(server.close(), 0, "ends with 0")
    checks.equal([f for f in os.listdir(folder) if f.startswith(".part")], [], "a body that broke off leaves nothing")
    again = Server(place.winnow, [], "--uploads", folder)
    checks.equal(sorted(c["name"] for c in again.hello["collections"]), ["from-form", "sample", "some-crawl", "some-crawl-2"], "served again after a restart")
    again.close()
    shut = Server(place.winnow, [], "--uploads", folder, "--read-only")
    checks.row(shut, "read-only: no uploads", "POST", "/upload", shut.bearer(), 404, {}, None, b"x")
    shut.close()

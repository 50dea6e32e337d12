"""tests/http/harness.py -- a real `winnow serve` on a free port, requests as bytes on a socket, and the counting of checks."""
import http.client
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import archive


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def get(self, name):
        values = [v for k, v in self.headers if k.lower() == name.lower()]
        return ", ".join(values) if values else None

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.body)


class Fake:
    """What http.client wants of a socket, over bytes that were read."""

    def __init__(self, data):
        self.data = data

    def makefile(self, *_args, **_kw):
        return io.BytesIO(self.data)


def parse(data, method="GET"):
    r = http.client.HTTPResponse(Fake(data), method=method)
    r.begin()
    return Reply(r.status, r.getheaders(), r.read())


class Server:
    """One process.  close() asks it to end; kill() does not ask."""
    running = []  # those that a test which broke off would leave behind

    def __init__(self, winnow, collections, *args, env=None, log=None):
        self.log = open(log, "w") if log else None  # what it says when it fails belongs to the test's own output
        self.process = subprocess.Popen([winnow, "serve", *collections, "--listen", "127.0.0.1:0", "--json", "--quiet", *args],
                                        stdout=subprocess.PIPE, stderr=self.log, env={**os.environ, **(env or {})})
        Server.running.append(self)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("winnow serve did not start: " + " ".join(args))
        self.hello = json.loads(line)
        self.port, self.token = self.hello["port"], self.hello["token"]
        self.base = "http://127.0.0.1:%d" % self.port

    def connect(self, timeout=30):
        s = socket.create_connection(("127.0.0.1", self.port), timeout)
        return s

    def raw(self, data, timeout=30):
        """Sends bytes, returns all that comes until the server closes."""
        with self.connect(timeout) as s:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            return self.drain(s)

    @staticmethod
    def drain(s):
        got = []
        while True:
            try:
                piece = s.recv(65536)
            except ConnectionResetError:
                break
            if not piece:
                break
            got.append(piece)
        return b"".join(got)

    def ask(self, method, path, headers=(), body=None, timeout=30, host=None):
        head = "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n" % (method, path, host or "127.0.0.1:%d" % self.port)
        for k, v in headers.items() if isinstance(headers, dict) else headers:
            head += "%s: %s\r\n" % (k, v)
        if body is not None:
            body = body if isinstance(body, bytes) else body.encode()
            head += "Content-Length: %d\r\n" % len(body)
        with self.connect(timeout) as s:
            try:
                s.sendall(head.encode("latin-1") + b"\r\n" + (body or b""))
            except (BrokenPipeError, ConnectionResetError):
                pass  # it answered before all was sent
            return parse(self.drain(s), method)

    def get(self, path, **headers):
        return self.ask("GET", path, {k.replace("_", "-"): v for k, v in headers.items()})

    def bearer(self, extra=()):
        return {"Authorization": "Bearer " + self.token, **dict(extra)}

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Checks:
    def __init__(self):
        self.passed = self.failed = 0

    def that(self, truth, name, detail=""):
        if truth:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED %s%s" % (name, ": " + str(detail)[:600] if detail != "" else ""))
        return bool(truth)

    def equal(self, got, want, name):
        return self.that(got == want, name, "%r, not %r" % (got, want))

    def row(self, server, name, method, path, headers, status, wants=None, body=None, send=None):
        """One row of a table: wants is {header: regex, or None for a header that must not be there}; body a regex, bytes or function."""
        try:
            r = server.ask(method, path, headers or {}, send)
        except (http.client.HTTPException, OSError) as e:
            return self.that(False, name, "no answer: %r" % e)
        wrong = []
        if r.status != status:
            wrong.append("status %d, not %d" % (r.status, status))
        for header, want in (wants or {}).items():
            got = r.get(header)
            if (want is None) != (got is None) or (want is not None and not re.search(want, got)):
                wrong.append("%s: %s, not %s" % (header, got, want))
        if isinstance(body, bytes):
            if r.body != body:
                wrong.append("body %r, not %r" % (r.body[:200], body[:200]))
        elif callable(body):
            try:
                if not body(r):
                    wrong.append("body %r" % r.body[:300])
            except Exception as e:  # noqa: BLE001 -- whatever the answer makes it raise is a failure of this row
                wrong.append("body %r: %r" % (r.body[:300], e))
        elif body is not None and not re.search(body, r.text, re.S):
            wrong.append("body %r has no %s" % (r.body[:300], body))
        return self.that(not wrong, name, "; ".join(wrong))


class Place:
    """A folder with the test collection, made once and copied for tests that write."""

    def __init__(self, build):
        self.winnow = os.path.join(os.path.abspath(build), "winnow")
        self.dir = tempfile.mkdtemp(prefix="winnow-http-")
        self.coll = os.path.join(self.dir, "web")
        archive.write(self.dir)
        self.run("ingest", self.coll, os.path.join(self.dir, "main.warc.gz"), "-q")
        self.run("import", self.coll, "--cdx", os.path.join(self.dir, "many.cdxj"), "-q")
        self.run("reduce", self.coll, "-q", "--rule", "a.url = b.url and a.time <= b.time")

    def run(self, *args, ok=(0, 1)):
        p = subprocess.run([self.winnow, *args], capture_output=True, text=True)
        if p.returncode not in ok:
            raise SystemExit("winnow %s: %d %s" % (" ".join(args), p.returncode, p.stderr))
        return p.stdout

    def copy(self, name):
        to = os.path.join(self.dir, name)
        shutil.copytree(self.coll, to)
        return to

    def path(self, name):
        return os.path.join(self.dir, name)

    def serve(self, *args, coll=None, name="web", env=None, log=None):
        return Server(self.winnow, ["%s=%s" % (name, coll or self.coll)], *args, env=env, log=log)

    def remove(self):
        for server in Server.running:
            if server.process.poll() is None:
                server.kill()
        shutil.rmtree(self.dir, ignore_errors=True)

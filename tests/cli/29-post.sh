# Answers to POST: what was asked is part of their keys, and the URL alone finds the newest of them.
python3 - <<'P'
def record(kind, number, second, block, more=""):
    head = "WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-0000000000%02d>\r\nWARC-Date: 2020-01-01T00:00:%02dZ\r\nWARC-Target-URI: http://post.example/form\r\n" \
           "Content-Type: application/http; msgtype=%s\r\n%sContent-Length: %d\r\n\r\n" % (kind, number, second, kind, more, len(block))
    return head.encode() + block.encode() + b"\r\n\r\n"
with open("post.warc", "wb") as out:
    for n, body in enumerate(["a=1", "a=2"]):
        answer = "<p>the answer to %s</p>" % body
        out.write(record("response", 2 * n, n, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer)))
        out.write(record("request", 2 * n + 1, n, "POST /form HTTP/1.1\r\nHost: post.example\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body),
                         "WARC-Concurrent-To: <urn:uuid:00000000-0000-0000-0000-0000000000%02d>\r\n" % (2 * n)))
P
"$WINNOW" ingest c post.warc --quiet >/dev/null
"$WINNOW" ls c --fields id,urlkey,url
"$WINNOW" text c http://post.example/form
"$WINNOW" text c http://post.example/form@20200101000000
"$WINNOW" text c 'http://post.example/form?__wb_method=POST&a=1'
"$WINNOW" show c http://post.example/for; echo "exit $?"

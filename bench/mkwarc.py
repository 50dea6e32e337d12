#!/usr/bin/env python3
"""bench/mkwarc.py -- a WARC of a folder of pages: captures.tsv (path, url, timestamp, ...) beside pages/.

    python3 bench/mkwarc.py FOLDER OUT.warc.gz [CAPTURES]

CAPTURES: only so many or a little more, of whole URLs, chosen by a hash of the URL.  One response record a capture, one gzip member a record; the same bytes each time.
"""
import gzip
import hashlib
import os
import sys
import uuid


def listing(folder):
    """captures.tsv, or captures.dev.tsv where only a part is public."""
    return next(p for p in (folder + "/captures.tsv", folder + "/captures.dev.tsv") if os.path.exists(p))


def record(url, stamp, body):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    date = "%s-%s-%sT%s:%s:%sZ" % (stamp[:4], stamp[4:6], stamp[6:8], stamp[8:10], stamp[10:12], stamp[12:14])
    name = uuid.uuid5(uuid.NAMESPACE_URL, url + " " + stamp)
    head = ("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\n"
            "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % (name, url, date, len(http)))
    return head.encode() + http + b"\r\n\r\n"


def chosen(folder, captures):
    count = {}
    with open(listing(folder), encoding="utf-8") as table:
        at = table.readline().rstrip("\n").split("\t").index("url")
        for line in table:
            url = line.rstrip("\n").split("\t")[at]
            count[url] = count.get(url, 0) + 1
    taken = set()
    for url in sorted(count, key=lambda u: hashlib.sha1(u.encode()).digest()):
        if captures <= 0:
            break
        taken.add(url)
        captures -= count[url]
    return taken


def main(folder, out, captures=None):
    urls = chosen(folder, int(captures)) if captures and int(captures) else None
    with open(listing(folder), encoding="utf-8") as table, open(out, "wb") as warc:
        columns = table.readline().rstrip("\n").split("\t")
        for line in table:
            row = dict(zip(columns, line.rstrip("\n").split("\t")))
            if urls is not None and row["url"] not in urls:
                continue
            with open(folder + "/" + row["path"], "rb") as page:
                warc.write(gzip.compress(record(row["url"], row["timestamp"], page.read()), 6, mtime=0))


main(*sys.argv[1:])

#!/usr/bin/env python3
"""many.py N SEED FILE -- a WARC.gz of N small captures, their URLs and bodies made of SEED and their number."""
import hashlib, base64, sys, zlib

n, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open(path, "wb") as out:
    for i in range(n):
        body = b"<title>page %d of %d</title>" % (i, seed)
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        digest = base64.b32encode(hashlib.sha1(body).digest())
        record = (b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%032x>\r\nWARC-Date: 2020-01-%02dT00:00:00Z\r\n"
                  b"WARC-Target-URI: http://host%d.example/%d/%d\r\nWARC-Payload-Digest: sha1:%s\r\n"
                  b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
                  % (seed << 64 | i, 1 + i % 28, i % 997, seed, i, digest, len(block), block))
        packer = zlib.compressobj(1, zlib.DEFLATED, 31)
        out.write(packer.compress(record) + packer.flush())

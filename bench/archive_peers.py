#!/usr/bin/env python3
"""archive_peers.py JOB FILE -- one job of bench/run by a peer; prints seconds and MB of content.

Jobs: records (FastWARC, HTTP heads parsed, one process), text (FastWARC + selectolax, text and links, two processes on
alternate records), resiliparse (FastWARC + Resiliparse, the same), main (Resiliparse main content, the same).
"""
import multiprocessing, sys, time
from fastwarc.warc import ArchiveIterator, WarcRecordType

job, path = sys.argv[1:3]


def records():
    content = 0
    for record in ArchiveIterator(open(path, "rb"), parse_http=True):
        content += record.content_length
    return content


def pages(part, parts):
    for i, record in enumerate(ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response, parse_http=True)):
        if i % parts == part:
            yield record.reader.read()


def text(part, parts):
    from selectolax.lexbor import LexborHTMLParser
    size = 0
    for page in pages(part, parts):
        size += len(page)
        tree = LexborHTMLParser(page.decode("utf-8", "replace"))
        for tag in ("script", "style", "template"):
            for node in tree.css(tag):
                node.decompose()
        links = [n.attributes.get("href") for n in tree.css("a, area, link")]
        body = tree.body.text(separator=" ") if tree.body else ""
        assert body is not None and links is not None
    return size


def resiliparse(part, parts, main=False):
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree
    size = 0
    for page in pages(part, parts):
        size += len(page)
        tree = HTMLTree.parse(bytes_to_str(page, detect_encoding(page)))
        extract_plain_text(tree, main_content=main, links=False)
        [a.getattr("href") for a in tree.document.query_selector_all("a, area, link")]
    return size


def main_content(part, parts):
    return resiliparse(part, parts, True)


started = time.time()
if job == "records":
    size = records()
else:
    work = {"text": text, "resiliparse": resiliparse, "main": main_content}[job]
    with multiprocessing.Pool(2) as pool:
        size = sum(pool.starmap(work, [(0, 2), (1, 2)]))
print(f"{time.time() - started:.3f} {size / 1e6:.1f}")

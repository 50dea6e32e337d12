#!/usr/bin/env python3
"""archive_peers.py JOB FILE -- one job of bench/run by a peer; prints seconds, MB of content, seconds of processor time.

Jobs: records (FastWARC, HTTP heads parsed, one process), text (FastWARC + selectolax, text and links, two processes on
the halves of the file), resiliparse (FastWARC + Resiliparse, the same), main (Resiliparse main content, the same).
Where the second half begins is found before the clock starts.  `pack DIR WINNOW` counts the records that FastWARC, warcio
and winnow find in the archives of the pack, and prints a row of the table.
"""
import csv, json, logging, multiprocessing, os, resource, subprocess, sys, time
from fastwarc.warc import ArchiveIterator, WarcRecordType

job, path = sys.argv[1:3]


def records():
    content = 0
    for record in ArchiveIterator(open(path, "rb"), parse_http=True):
        content += record.content_length
    return content


def middle():
    """Offset of the first record behind half of the file."""
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        at = size // 2
        f.seek(at)
        window = f.read(64 << 20)
    gzip = 0
    while (gzip := window.find(b"\x1f\x8b\x08", gzip)) >= 0:
        with open(path, "rb") as f:
            f.seek(at + gzip)
            try:
                for record in ArchiveIterator(f, parse_http=False):
                    if record.headers.get("WARC-Record-ID"):
                        return at + gzip
                    break
            except Exception:
                pass
        gzip += 1
    return size


def pages(part, parts):
    f = open(path, "rb")
    if part:
        f.seek(half)
    for record in ArchiveIterator(f, record_types=WarcRecordType.response, parse_http=True):
        if not part and record.stream_pos >= half:
            break
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


def spent():
    return sum(u.ru_utime + u.ru_stime for u in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)))


def counted(reader):
    """Records, and whether reading ended by an error."""
    n = 0
    try:
        for _ in reader:
            n += 1
    except Exception:
        return n, True
    return n, False


def pack(directory, winnow):
    from warcio.archiveiterator import ArchiveIterator as Warcio
    logging.disable()  # warcio tells of each bad record
    with open(directory + "/MANIFEST.dev.tsv", newline="") as f:  # those that are archives; others take a CDX for an ARC
        rows = csv.reader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        files = [os.path.join(directory, row[0]) for row in rows if row[3] in ("warc", "arc", "warc?", "broken")]
    found = {"FastWARC": [0, 0], "warcio": [0, 0]}
    for f in files:
        for name, open_it in ("FastWARC", lambda s: ArchiveIterator(s, strict_mode=False)), ("warcio", lambda s: Warcio(s, arc2warc=True)):
            with open(f, "rb") as stream:
                n, failed = counted(open_it(stream))
            found[name][0] += n
            found[name][1] += failed
    ours = json.loads(subprocess.run([winnow, "verify", "--json", "-q", *files], stdout=subprocess.PIPE).stdout)
    theirs = "; ".join(f"{name} {n} records, {aborts} files aborted" for name, (n, aborts) in found.items())
    print(f"| the pack of {len(files)} files | {ours['records']} records, {ours['failed']} files not read to their end | {theirs} | - |")


if job == "pack":
    pack(path, sys.argv[3])
    sys.exit()
half = middle() if job != "records" else 0
started, before = time.time(), spent()
if job == "records":
    size = records()
else:
    work = {"text": text, "resiliparse": resiliparse, "main": main_content}[job]
    with multiprocessing.Pool(2) as pool:
        size = sum(pool.starmap(work, [(0, 2), (1, 2)], chunksize=1))
        pool.close()
        pool.join()
print(f"{time.time() - started:.3f} s, {size / 1e6:.1f} MB, {spent() - before:.3f} s of CPU: {size / 1e6 / (spent() - before):.1f} MB/s a core")

#!/usr/bin/env python3
"""fulltext.py TEXTS QUERIES -- the peer of bench/fulltext.c: tantivy on the same texts and queries.

Needs the package tantivy; QUERIES is bench-fulltext.dir/queries.  Indexing on two
threads, positions on, nothing stored but the number; the best 20 by BM25.
"""
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time

import tantivy

texts = []
with open(sys.argv[1], "rb") as f:
    while line := f.readline():
        texts.append(f.read(int(line)).decode(errors="replace"))
size = sum(len(t.encode()) for t in texts)
schema = tantivy.SchemaBuilder()
schema.add_unsigned_field("id", stored=True)
schema.add_text_field("body", stored=False, index_option="position")
path = tempfile.mkdtemp()
index = tantivy.Index(schema.build(), path=path)
cpu = time.process_time()
start = time.monotonic()
writer = index.writer(heap_size=512_000_000, num_threads=2)
for i, text in enumerate(texts):
    writer.add_document(tantivy.Document(id=i, body=text))
writer.commit()
writer.wait_merging_threads()
seconds = time.monotonic() - start
disk = sum(os.path.getsize(os.path.join(path, n)) for n in os.listdir(path))
print(f"tantivy: {size / 1e6:.1f} MB; index {disk / 1e6:.1f} MB ({100 * disk / size:.1f} %)")
print(f"indexing     {size / seconds / 1e6:.1f} MB/s wall on 2 threads, {size / (time.process_time() - cpu) / 1e6:.1f} MB/s of processor time")
index.reload()
searcher = index.searcher()
kinds = {}
for line in open(sys.argv[2], encoding="utf-8"):
    kind, _, query = line.rstrip("\n").partition("\t")
    kinds.setdefault(kind, []).append(query)
for kind, queries in kinds.items():
    times = []
    for query in queries:
        text = query.replace(" or ", " OR ") if kind == "two, either" else query.replace(" ", " AND ")
        best = 1e9
        for _ in range(3):
            t = time.perf_counter()
            searcher.search(index.parse_query(text, ["body"]), 20, count=False)
            best = min(best, time.perf_counter() - t)
        times.append(best * 1e3)
    times.sort()
    print(f"{kind:12} p50 {times[len(times) // 2]:.4f} ms  p99 {times[len(times) * 99 // 100]:.4f} ms")
shutil.rmtree(path)

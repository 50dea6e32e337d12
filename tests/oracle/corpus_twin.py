#!/usr/bin/env python3
"""corpus_twin.py WINNOW DOCUMENTS COLL... -- every pair of real documents, straight from the definition.

About DOCUMENTS captures of each collection (by digest), all pairs of them: sizes from `export --format sets`, overlaps as
a product of sparse matrices (no index of ours, no filter), rules as array expressions written from the manual, in whole
numbers.  Compared: every line of `export --format graph`, with its numbers; every dropped document of `csv` has a kept
coverer; nothing that is kept could be left out alone; `check` passes.  Needs numpy and scipy.  Ends with 1 on a difference.
"""
import csv, datetime, io, json, os, subprocess, sys
import numpy as np
import scipy.sparse as sp

WINNOW, DOCUMENTS, COLLS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
DAY = 86400
RULES = [  # of o, A, B; times s, t; equal urlkey, host, title, content; each an n x n array or broadcasting to one
    ("containment(a,b) >= 0.7 and a.time <= b.time", lambda d: d.C(7) & (d.s <= d.t)),
    ("containment(a,b) >= 0.5 and a.time < b.time", lambda d: d.C(5) & (d.s < d.t)),
    ("containment(b,a) > 0.9", lambda d: np.where(d.B + d.A == 0, True, (10 * d.o > 9 * d.B) & (d.B > 0))),
    ("jaccard(a,b) >= 0.8", lambda d: d.J(8)),
    ("dice(a,b) >= 0.6 and abs(a.time - b.time) <= 400d", lambda d: np.where(d.A + d.B == 0, True, 20 * d.o >= 6 * (d.A + d.B)) & (abs(d.s - d.t) <= 400 * DAY)),
    ("jaccard(a,b) >= 0.5 and a.urlkey != b.urlkey and not a.time > b.time", lambda d: d.J(5) & ~d.same["urlkey"] & ~(d.s > d.t)),
    ("a.urlkey = b.urlkey and a.time <= b.time", lambda d: d.same["urlkey"] & (d.s <= d.t)),
    ("jaccard(a,b) >= 0.9 or a.title = b.title and containment(a,b) >= 0.6 and a.shingles <= b.shingles",
     lambda d: d.J(9) | d.same["title"] & d.C(6) & (d.A <= d.B)),
    ("a.content = b.content and a.time <= b.time or shared(a,b) >= 400 and jaccard(a,b) < 0.95 and a.time < b.time",
     lambda d: d.same["content"] & (d.s <= d.t) | (d.o >= 400) & ~d.J(9.5) & (d.s < d.t)),
]


class Pairs:
    def __init__(self, docs):
        ids = {}
        at, col = [0], []
        for d in docs:
            col.extend(ids.setdefault(x, len(ids)) for x in d["set"])
            at.append(len(col))
        m = sp.csr_matrix((np.ones(len(col), dtype=np.int32), col, at), shape=(len(docs), max(1, len(ids))))
        size = np.array([len(d["set"]) for d in docs], dtype=np.int64)
        self.o = (m @ m.T).toarray().astype(np.int64)
        self.A, self.B = size[:, None], size[None, :]
        times = np.array([d["t"] for d in docs])
        self.s, self.t = times[:, None], times[None, :]
        self.same = {}
        for key in ("urlkey", "title", "content"):
            names = {}
            number = np.array([names.setdefault(d.get(key), len(names)) for d in docs])
            self.same[key] = number[:, None] == number[None, :]

    def C(self, tenths):
        return np.where(self.A + self.B == 0, True, (self.A > 0) & (10 * self.o >= tenths * self.A))

    def J(self, tenths):
        return np.where(self.A + self.B == 0, True, 100 * self.o >= round(10 * tenths) * (self.A + self.B - self.o))


def ok(*args):
    p = subprocess.run([WINNOW, *args], capture_output=True, text=True)
    if p.returncode:
        sys.exit("%s ended with %d: %s" % (" ".join(args), p.returncode, p.stderr[-2000:]))
    return p.stdout


def documents(coll, cover):
    docs = {}
    for line in ok("export", coll, "--cover", cover, "--format", "sets", "-o", "-", "--quiet").splitlines():
        if not line.startswith("#"):
            word, _, items = line.partition("\t")
            docs[int(word)] = {"id": int(word), "set": set(items.split())}
    for line in ok("ls", coll, "--format", "jsonl", "--fields", "id,urlkey,time,title,content").splitlines():
        d = json.loads(line)
        if d["id"] in docs:
            docs[d["id"]].update(d)
    for d in docs.values():
        d["t"] = int(datetime.datetime.fromisoformat(d["time"].replace("Z", "+00:00")).timestamp())
    return [docs[i] for i in sorted(docs)]


def where(coll):
    total = int(ok("sql", coll, "select count(*) from documents", "--format", "csv").split()[-1])
    letters = "0123456789abcdefghijklmnopqrstuvwxyz"
    base = [x[-1] for x in ok("ls", coll, "--format", "tsv", "--fields", "digest", "--limit", "2000").split("\n") if x]
    used = sorted({c.lower() for c in base if c.lower() in letters})
    if total <= DOCUMENTS * 1.2:
        return "status >= 0"
    if total <= DOCUMENTS * len(used) / 2:
        return "digest ~ '[%s]$'" % "".join(used[:max(1, round(len(used) * DOCUMENTS / total))])
    return "digest ~ '[%s][%s]$'" % ("".join(used[:max(1, round(len(used) ** 2 * DOCUMENTS / total / 8))]), "".join(used[:8]))


bad = compared = 0
for coll in COLLS:
    pairs = docs = None
    part = where(coll)
    for text, meaning in RULES:
        cover = str(json.loads(ok("reduce", coll, "--where", part, "--rule", text, "--yes", "--json", "--quiet"))["cover"])
        if docs is None:
            docs = documents(coll, cover)
            pairs = Pairs(docs)
        expected = np.array(np.broadcast_to(meaning(pairs), (len(docs), len(docs))))
        np.fill_diagonal(expected, False)
        number = {d["id"]: i for i, d in enumerate(docs)}
        found = np.zeros_like(expected)
        wrong = 0
        for line in ok("export", coll, "--cover", cover, "--format", "graph", "-o", "-", "--quiet").splitlines():
            word = line.split("\t")
            if word[0].isdigit():
                a, b = number[int(word[0])], number[int(word[1])]
                wrong += found[a, b] or [int(x) for x in word[2:5]] != [pairs.o[a, b], pairs.A[a, 0], pairs.B[0, b]]
                found[a, b] = True
        state = {int(r["id"]): r["state"] for r in csv.DictReader(io.StringIO(ok("export", coll, "--cover", cover, "--format", "csv", "-o", "-", "--quiet")))}
        kept = np.array([state[d["id"]] == "kept" for d in docs])
        covers = expected | np.eye(len(docs), dtype=bool)
        times = covers[:, kept].sum(axis=1)
        needless = sum(int((times[covers[:, k]] > 1).all()) for k in np.nonzero(kept)[0])
        ok("check", coll, "--cover", cover)
        ok("cover", "rm", coll, cover)
        missing, extra, bare = int((expected & ~found).sum()), int((found & ~expected).sum()), int((times == 0).sum())
        fine = not (missing or extra or wrong or bare or needless)
        bad += not fine
        compared += int(expected.sum())
        print("%s, %s: %d documents, %d pairs, %d missing, %d extra, %d with other numbers; %d kept, %d uncovered, %d needless%s" % (
            os.path.basename(coll), text, len(docs), expected.sum(), missing, extra, wrong, kept.sum(), bare, needless, "" if fine else "  DIFFERS"), flush=True)
print("%d rules of %d collections, %d pairs, %d differences" % (len(RULES), len(COLLS), compared, bad))
sys.exit(bad != 0)

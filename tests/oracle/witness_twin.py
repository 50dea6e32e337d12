#!/usr/bin/env python3
"""witness_twin.py WINNOW COLLECTIONS [SEED] -- graph, csv and why beside the definition, on random small collections.

Each rule stands beside a function of two documents, written from the manual.  Sizes and overlaps are counted from
`export --format sets`.  Compared: every line of `graph`; that every dropped document of `csv` has the witness that
RULES asks for (the largest shared / A, then the latest, then the order of documents) with its numbers, whether or not
the rule has a measure; what `why` says; and that `check` passes.  Prints what was drawn; ends with 1 on a difference.
"""
import csv, datetime, io, json, os, random, subprocess, sys, tempfile
from collections import Counter
from fractions import Fraction

WINNOW, COLLECTIONS = sys.argv[1], int(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
rng = random.Random(SEED)
drawn = Counter()


def ratio(o, size, other):
    return Fraction(1) if size + other == 0 else Fraction(o, size) if size else Fraction(0)


class Pair:
    def __init__(self, a, b):
        self.a, self.b, self.A, self.B = a, b, a["size"], b["size"]
        self.o = sum((a["bag"] & b["bag"]).values())
        self.C = ratio(self.o, self.A, self.B)
        self.J = ratio(self.o, self.A + self.B - self.o, 0)


WEEK = 7 * 86400
RULES = [  # text, meaning, has a measure
    ("a.urlkey = b.urlkey and a.time <= b.time", lambda p: p.a["urlkey"] == p.b["urlkey"] and p.a["t"] <= p.b["t"], False),
    ("a.host = b.host", lambda p: p.a["host"] == p.b["host"], False),
    ("a.host != b.host and a.time <= b.time", lambda p: p.a["host"] != p.b["host"] and p.a["t"] <= p.b["t"], False),
    ("a.host = b.host and abs(a.time - b.time) <= 7d", lambda p: p.a["host"] == p.b["host"] and abs(p.a["t"] - p.b["t"]) <= WEEK, False),
    ("a.host = b.host and b.time - a.time >= 1d and not a.title = b.title",
     lambda p: p.a["host"] == p.b["host"] and p.b["t"] - p.a["t"] >= 86400 and p.a["title"] != p.b["title"], False),
    ("a.title = b.title and a.time < b.time or a.urlkey = b.urlkey and a.shingles <= b.shingles",
     lambda p: p.a["title"] == p.b["title"] and p.a["t"] < p.b["t"] or p.a["urlkey"] == p.b["urlkey"] and p.A <= p.B, False),
    ("a.content = b.content and a.time <= b.time", lambda p: p.a["content"] == p.b["content"] and p.a["t"] <= p.b["t"], False),
    ("containment(a,b) >= 0.5 and a.time <= b.time", lambda p: p.C >= Fraction(1, 2) and p.a["t"] <= p.b["t"], True),
    ("jaccard(a,b) > 0.6 or a.urlkey = b.urlkey and a.time < b.time",
     lambda p: p.J > Fraction(3, 5) or p.a["urlkey"] == p.b["urlkey"] and p.a["t"] < p.b["t"], True),
    ("a.host = b.host and jaccard(a,b) < 0.9 and a.time <= b.time",
     lambda p: p.a["host"] == p.b["host"] and p.J < Fraction(9, 10) and p.a["t"] <= p.b["t"], True),
]
OPTIONS = [[], [], ["--keep-at-least", "2", "--per", "host"], ["--keep-at-least", "3", "--per", "title"], ["--prefer", "oldest"], ["--prefer", "longest"]]


def ok(*args):
    p = subprocess.run([WINNOW, *args], capture_output=True, text=True)
    if p.returncode:
        fail("%s ended with %d: %s %s" % (" ".join(args), p.returncode, p.stdout[-400:], p.stderr[-2000:]))
    return p.stdout


def fail(why):
    print("seed %d, collection %d, %s: %s" % (SEED, number, rule, why))
    print("kept for a look: " + work)
    sys.exit(1)


def write(path):
    texts = []
    with open(path, "w") as f:
        for i in range(rng.randrange(4, 40)):
            if texts and rng.random() < 0.6:
                words = list(rng.choice(texts))
                if rng.random() < 0.7:
                    words.insert(rng.randrange(len(words) + 1), "w%d" % rng.randrange(99))
            else:
                words = ["w%d" % rng.randrange(30) for _ in range(rng.choice([0, 1, 3, 12, 40]))]
            texts.append(words)
            drawn["empty texts"] += not words
            at = 1262304000 + rng.randrange(40) * 43200
            row = dict(id=i, text=" ".join(words) if words else "...", url="http://h%d.example/%d" % (rng.randrange(3), rng.randrange(4)),
                       time=datetime.datetime.fromtimestamp(at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
            if rng.random() < 0.6:
                row["title"] = rng.choice(["one", "two"])
            f.write(json.dumps(row) + "\n")


def documents(coll, cover):
    docs = {}
    for line in ok("export", coll, "--cover", cover, "--format", "sets", "-o", "-", "--quiet").splitlines():
        if not line.startswith("#"):
            word, _, items = line.partition("\t")
            docs[int(word)] = {"bag": Counter(items.split())}
    for line in ok("ls", coll, "--format", "jsonl", "--fields", "id,urlkey,time,host,title,content,url,file,offset,digest").splitlines():
        d = json.loads(line)
        if d["id"] in docs:
            docs[d["id"]].update(d, size=sum(docs[d["id"]]["bag"].values()))
    for d in docs.values():
        d["t"] = datetime.datetime.fromisoformat(d["time"].replace("Z", "+00:00")).timestamp()
    return docs


def check_graph(docs, meaning, coll, cover):
    expected = []
    for a in sorted(docs):
        for b in sorted(docs):
            p = Pair(docs[a], docs[b])
            if a != b and meaning(p):
                expected.append([a, b, p.o, p.A, p.B])
    lines = ok("export", coll, "--cover", cover, "--format", "graph", "-o", "-", "--quiet").splitlines()
    found = [[int(x) for x in line.split("\t")] for line in lines if not line.startswith(("#", "a"))]
    if found != expected:
        fail("graph differs: %s" % next((x, y) for x, y in zip(found + [None], expected + [None]) if x != y).__repr__())
    drawn["pairs"] += len(found)


def check_witnesses(docs, meaning, coll, cover):
    rows = list(csv.DictReader(io.StringIO(ok("export", coll, "--cover", cover, "--format", "csv", "-o", "-", "--quiet"))))
    kept = {int(r["id"]) for r in rows if r["state"] == "kept"}
    place = {int(r["id"]): i for i, r in enumerate(rows)}  # csv is in the order of documents
    for r in rows:
        a = docs[int(r["id"])]
        if r["state"] == "kept":
            continue
        pairs = [p for p in (Pair(a, docs[b]) for b in kept) if meaning(p)]
        best = min(pairs, key=lambda p: (-p.C, -p.b["t"], place[p.b["id"]]))
        numbers = [str(best.b["id"]), str(best.o), "%.6f" % best.C, "%.6f" % best.J, "%.6f" % ratio(2 * best.o, best.A + best.B, 0)]
        if numbers != [r[k] for k in ("by_id", "shared", "containment", "jaccard", "dice")]:
            fail("document %s: %s, should be %s" % (r["id"], r, numbers))
        drawn["witnesses"] += 1
        drawn["witnesses with a choice"] += len(pairs) > 1
        if rng.random() < 0.05:
            why = json.loads(ok("why", coll, r["id"], "--cover", cover, "--json"))
            if (why["by"]["id"], why["shared"], why["size_a"], why["size_b"]) != (best.b["id"], best.o, best.A, best.B):
                fail("why %s: %s" % (r["id"], why))
            drawn["why"] += 1


for number in range(COLLECTIONS):
    work = tempfile.mkdtemp(prefix="witness-twin.")
    coll, rule = os.path.join(work, "c"), "ingest"
    write(os.path.join(work, "d.jsonl"))
    bag = rng.random() < 0.3
    drawn["bags"] += bag
    ok("ingest", coll, "--jsonl", os.path.join(work, "d.jsonl"), "--map", "id=id,text=text,url=url,time=time,title=title", "--k", "2", *(["--bag"] if bag else []))
    docs = None
    for text, meaning, measured in rng.sample(RULES, 4):
        options = rng.choice(OPTIONS)
        rule = text + " " + " ".join(options)
        drawn["rules with a measure" if measured else "rules without a measure"] += 1
        drawn[options[0] if options else "plain"] += 1
        cover = str(json.loads(ok("reduce", coll, "--rule", text, *options, "--yes", "--json", "--quiet"))["cover"])
        docs = docs or documents(coll, cover)
        check_graph(docs, meaning, coll, cover)
        check_witnesses(docs, meaning, coll, cover)
        ok("check", coll, "--cover", cover)
    subprocess.run(["rm", "-rf", work])
print("seed %d, %d collections: " % (SEED, COLLECTIONS) + ", ".join("%s %d" % x for x in sorted(drawn.items())))
DRAWN = ["empty texts", "bags", "rules with a measure", "rules without a measure", "witnesses with a choice", "why", "--keep-at-least", "--prefer", "pairs"]
sys.exit(1 if any(drawn[d] == 0 for d in DRAWN) else 0)

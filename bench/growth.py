"""growth.py BUILD DIR SIZES ROUNDS MEMORY -- see bench/growth."""
import json
import math
import os
import resource
import subprocess
import sys

build, root, sizes, rounds, memory = sys.argv[1], sys.argv[2], [int(x) for x in sys.argv[3].split()], int(sys.argv[4]), sys.argv[5]
RULE = "containment(a,b) >= 0.7 and a.time <= b.time"


def run(*args):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([build + "/winnow", *args, "--json", "-q"], check=True, stdout=subprocess.PIPE).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(out)
    report["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return report


def phases(report):
    total = {}
    for p in report["phases"]:
        total[p["name"]] = total.get(p["name"], 0) + p["seconds"]
    return total


def reduce(coll, extra=()):
    cold = run("reduce", coll, "--rule", RULE, *extra)
    warm = min((run("reduce", coll, "--rule", RULE, *extra) for _ in range(max(1, rounds - 1))), key=lambda r: r["seconds"])
    return cold, warm


def table(rows):
    names = []
    for _, _, warm in rows:
        names += [n for n in phases(warm) if n not in names]
    print("| documents | kept | cold s | s | CPU s | MB |", " | ".join(names), "|")
    print("|" + "---|" * (6 + len(names)))
    for n, cold, warm in rows:
        p = phases(warm)
        print(f"| {n:,} | {warm['kept']:,} | {cold['seconds']:.2f} | {warm['seconds']:.2f} | {warm['cpu']:.2f} | "
              f"{warm['peak_memory_bytes'] >> 20} |", " | ".join(f"{p.get(x, 0):.2f}" for x in names), "|")
    if len(rows) > 1:
        (n0, _, a), (n1, _, b) = rows[0], rows[-1]
        grow = lambda x, y: math.log(max(y, 1e-3) / max(x, 1e-3)) / math.log(n1 / n0)
        print(f"\ngrows with documents to the power of {grow(a['cpu'], b['cpu']):.2f} in processor time, "
              f"{grow(a['seconds'], b['seconds']):.2f} by the clock, {grow(a['peak_memory_bytes'], b['peak_memory_bytes']):.2f} in memory")
        print("by phase: " + ", ".join(f"{x} {grow(phases(a).get(x, 0), phases(b).get(x, 0)):.2f}" for x in names))
    print()


rows = []
for n in sizes:
    coll = f"{root}/{n}"
    if not os.path.exists(coll):
        subprocess.run([build + "/bench/bench-generate", str(n), "--collection", coll, "1", "10"], check=True, stdout=subprocess.DEVNULL)
    rows.append((n, *reduce(coll, ["--memory", memory or "6G"])))
table(rows)
coll = f"{root}/{sizes[-1]}"
for _ in range(2):
    preview = run("preview", coll, "--rule", RULE)
print(f"preview of {sizes[-1]:,} documents: {preview['seconds']:.2f} s, {preview['cpu']:.2f} s CPU\n")
def ingest(name, documents):
    coll = f"{root}/{name}"
    if not os.path.exists(coll):
        lines = coll + ".jsonl"
        with open(lines, "w") as f:
            f.writelines(json.dumps(d) + "\n" for d in documents)
        subprocess.run([build + "/winnow", "ingest", coll, "--jsonl", lines, "--map", "id=id,text=text,url=url,time=time", "-q"], check=True)
    return coll


def stamp(v):
    return f"20{v // 2000 % 100:02d}-01-01T{v % 2000 // 60 % 24:02d}:{v % 60:02d}:00Z"


def chain(n):
    words = [f"w{i}" for i in range(200)]
    for v in range(n):
        words = words[1:] + [f"v{v}"]
        yield {"id": str(v), "url": "http://one.example/", "time": stamp(v), "text": " ".join(words)}


# One URL with ever more versions, one word of two hundred new in each; then equal error pages of as many URLs.
table([(n, *reduce(ingest(f"chain-{n}", chain(n)))) for n in (100, 1000, 10000)])
stubs = lambda n: ({"id": str(v), "url": f"http://one.example/{v}", "time": stamp(v), "text": "the page that you asked for is not here any more"} for v in range(n))
table([(n, *reduce(ingest(f"stubs-{n}", stubs(n)))) for n in (500, 5000, 50000)])

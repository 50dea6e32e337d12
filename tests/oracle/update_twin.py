#!/usr/bin/env python3
"""update_twin.py WINNOW SEQUENCES [SEED] -- is a cover that was brought up to date the one a fresh reduce would give?

Small random archives (hosts, pages with versions that drift, twins, captures of one second), and random
sequences of five to twelve steps: ingest, back-dated ingest, rm of a file, which may be the first and largest one, and --reprocess.  After each step `update` must keep as many documents as a fresh
`reduce`, have its witnesses, pass `check`, and leave alone what the step did not touch: the documents probed and
the components solved again stay below a stated multiple of the change.  Prints what was drawn; ends with 1 on a difference.
"""
import csv, io, json, os, random, subprocess, sys, tempfile

WINNOW, SEQUENCES = sys.argv[1], int(sys.argv[2])
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
rng = random.Random(SEED)
VERSIONS = 12  # captures of one page at most: a change of one may unsettle so many
RULES = [
    ["--rule", "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host"],
    ["--rule", "jaccard(a,b) >= 0.8"],
    ["--rule", "containment(a,b) >= 0.6 and a.time < b.time"],
    ["--rule", "a.urlkey = b.urlkey and a.time <= b.time"],
    ["--rule", "a.content = b.content and a.time <= b.time"],
    ["--rule", "dice(a,b) >= 0.7 and a.urlkey = b.urlkey or a.content = b.content"],
    ["--rule", "jaccard(a,b) >= 0.5 and abs(a.time - b.time) <= 30d"],
]
OPTIONS = [[], [], ["--prefer", "newest"], ["--prefer", "longest"], ["--keep-at-least", "2", "--per", "host"], ["--keep-at-least", "1", "--per", "host,year"],
           ["--min-versions", "2"], ["--keep", "PIN"]]
drawn = dict(steps=0, ingest=0, backdated=0, rm=0, largest=0, reprocess=0, stable=0, quotas=0, pins=0, reused=0)


class Site:
    def __init__(self):
        self.pages = {}

    def text(self, url):
        words = self.pages.get(url)
        if words is None or rng.random() < 0.05:
            other = rng.choice(list(self.pages.values())) if self.pages and rng.random() < 0.4 else None
            words = list(other) if other else ["w%d" % rng.randrange(300) for _ in range(rng.randrange(8, 60))]
        elif rng.random() < 0.7:
            words = list(words)
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(words) + 1)
                if rng.random() < 0.6:
                    words[at:at] = ["w%d" % rng.randrange(300)]
                elif len(words) > 6:
                    del words[at:at + 2]
        self.pages[url] = words
        return " ".join(words)


def record(url, second, body):
    date = "%04d-%02d-%02dT%02d:%02d:%02dZ" % (2001 + second // 40000000, 1 + second // 3400000 % 12, 1 + second // 120000 % 28, second // 3600 % 24, second // 60 % 60, second % 60)
    http = ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><title>t</title><body>%s</body></html>" % body).encode()
    head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%032x>\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\n" \
           "Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % (rng.getrandbits(128), url, date, len(http))
    return head.encode() + http + b"\r\n\r\n"


def run(*args):
    p = subprocess.run([WINNOW, *args], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def ok(*args):
    code, out, err = run(*args)
    if code:
        fail("%s ended with %d: %s %s" % (" ".join(args), code, out[-400:], err[-2000:]))
    return out


def fail(why):
    print("seed %d, sequence %d, step %s: %s" % (SEED, sequence, step, why))
    print("kept for a look: " + work)
    sys.exit(1)


def write(site, name, count, low, high):
    with open(name, "wb") as f:
        for _ in range(count):
            url = "http://h%d.example/%d" % (rng.randrange(4), rng.randrange(9))
            f.write(record(url, rng.randrange(low, high) // 500 * 500 if rng.random() < 0.3 else rng.randrange(low, high), site.text(url)))


def witnesses(coll, cover):
    rows = csv.reader(io.StringIO(ok("sql", coll, "select id, state, by_id from cover_members where cover = %s order by id" % cover, "--format", "csv")))
    return list(rows)


worst_probe = worst_part = 0.0
for sequence in range(SEQUENCES):
    work = tempfile.mkdtemp(prefix="update-twin.")
    step = "start"
    site, files, clock = Site(), [], 1000000
    coll = os.path.join(work, "c")
    name = os.path.join(work, "0.warc")
    write(site, name, rng.randrange(5, 90), 0, clock)
    files.append(name)
    ok("ingest", coll, name)
    rule = rng.choice(RULES)
    options = list(rng.choice(OPTIONS))
    if "PIN" in options:
        options[1] = ok("sql", coll, "select min(id) from documents", "--format", "csv").split()[-1]
        drawn["pins"] += 1
    drawn["quotas"] += "--per" in options
    cover = str(json.loads(ok("reduce", coll, *rule, *options, "--json", "--quiet"))["cover"])
    was_stable = False
    for number in range(1, rng.choice([6, 9, 13])):
        what = rng.choice(["ingest"] * 5 + ["backdated", "backdated", "rm", "both", "reprocess"])
        drawn["steps"] += 1
        step = "%d (%s; %s %s)" % (number, what, rule[1], " ".join(options))
        if what in ("rm", "both") and len(files) > 1:
            gone = files.pop(0 if "--keep" not in options and rng.random() < 0.2 else rng.randrange(1, len(files)))
            ok("rm", coll, "--file", os.path.basename(gone))
            drawn["rm"] += 1
            drawn["largest"] += gone.endswith("/0.warc")
        if what == "reprocess":
            ok("ingest", coll, "--reprocess")
            drawn["reprocess"] += 1
        elif what != "rm":
            name = os.path.join(work, "%d.warc" % number)
            low, high = (0, clock) if what == "backdated" else (clock, clock + 400000)
            clock = max(clock, high)
            write(site, name, rng.choice([1, 1, 2, 3, 10]), low, high)
            files.append(name)
            ok("ingest", coll, name)
            drawn["backdated" if what == "backdated" else "ingest"] += 1
        stable = rng.random() < 0.3
        drawn["stable"] += stable
        new = json.loads(ok("update", coll, "--cover", cover, "--json", "--quiet", *(["--prefer", "stable"] if stable else [])))
        fresh = json.loads(ok("reduce", coll, *rule, *options, "--json", "--quiet"))
        back = was_stable and not stable and "--prefer" in options  # to the cover's own preference: all is solved again
        was_stable = stable
        if bool(new["solved_whole_because"]) != back:
            fail("solved as a whole: %s" % new["solved_whole_because"])
        for key in ("documents", "kept", "lower_bound", "bytes", "shingles"):
            if new[key] != fresh[key]:
                fail("%s is %s, of a fresh reduce %s" % (key, new[key], fresh[key]))
        code, out, err = run("check", coll, "--cover", cover)
        if code:
            fail("check: " + out + err)
        mine, theirs = witnesses(coll, cover), witnesses(coll, str(fresh["cover"]))
        if [r[1] for r in mine] == [r[1] for r in theirs]:
            if mine != theirs:
                fail("the same documents are kept, with other witnesses")
            if new["quotas_binding"] != fresh["quotas_binding"]:  # two minimum covers may fill other groups to the brim
                fail("quotas_binding is %s, of a fresh reduce %s" % (new["quotas_binding"], fresh["quotas_binding"]))
        drawn["reused"] += new["documents"] - new["documents_resolved"]
        change = new["documents_changed"] + new["documents_gone"]
        if change == 0 and new["documents_probed"] and not back:
            fail("nothing changed, but %d documents were probed" % new["documents_probed"])
        if change and "--per" not in options and not back:
            worst_probe = max(worst_probe, new["documents_probed"] / change)
            worst_part = max(worst_part, new["components_resolved"] / change)
        if back:
            continue
        if new["documents_probed"] > change * (1 + VERSIONS * 4) or ("--per" not in options and new["components_resolved"] > change * (1 + VERSIONS * 4)):
            fail("a change of %d documents probed %d and solved %d components" % (change, new["documents_probed"], new["components_resolved"]))
    subprocess.run(["rm", "-rf", work])
print("seed %d, %d sequences: %s" % (SEED, SEQUENCES, ", ".join("%s %d" % x for x in drawn.items())), file=sys.stderr)
print("at most %.1f documents probed and %.1f components solved again for each document that changed" % (worst_probe, worst_part), file=sys.stderr)
print("every update kept as many as a fresh reduce")

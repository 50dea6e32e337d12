#!/usr/bin/env python3
"""eta_honest.py WINNOW RUNS COLL... -- does the end of a run lie in the range that was shown at half of it?

Runs `reduce` on each collection with several rules in a terminal of its own, reads the progress line with the time of each
rewriting, and looks at what stood there when half of the run was over.  Runs too short to show a range are counted apart.
Ends with 1 when the true end was in the range less than nine times in ten.
"""
import os, pty, re, select, subprocess, sys, time

WINNOW, RUNS, COLLS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
RULES = ["containment(a,b) >= 0.7 and a.time <= b.time", "jaccard(a,b) >= 0.8", "containment(a,b) >= 0.5 and a.urlkey = b.urlkey and a.time <= b.time",
         "a.urlkey = b.urlkey and a.time <= b.time", "dice(a,b) >= 0.9 or containment(a,b) >= 0.95 and a.time < b.time"]
UNIT = {"s": 1, "min": 60, "h": 3600}


def watch(args):
    master, slave = pty.openpty()
    started = time.monotonic()
    p = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=slave, close_fds=True)
    os.close(slave)
    seen = []
    while True:
        if select.select([master], [], [], 0.05)[0]:
            try:
                text = os.read(master, 65536).decode(errors="replace")
            except OSError:
                break
            if not text:
                break
            seen.append((time.monotonic() - started, text.split("\r\x1b[K")[-1].strip()))
        elif p.poll() is not None:
            break
    p.wait()
    os.close(master)
    return time.monotonic() - started, seen


def seconds(text):
    number, unit = text.split()
    return float(number) * UNIT[unit]


held = shown = runs = 0
for k in range(RUNS):
    coll, rule = COLLS[k % len(COLLS)], RULES[k // len(COLLS) % len(RULES)]
    whole, seen = watch([WINNOW, "reduce", coll, "--rule", rule, "--progress", "always"])
    runs += 1
    before = [x for x in seen if x[0] <= whole / 2]
    at, line = before[-1] if before else (0, "")
    m = re.search(r"([0-9.]+ (?:s|min|h)) to ([0-9.]+ (?:s|min|h)) left|(at most )?([0-9.]+ (?:s|min|h)) left", line)
    if not m:
        print("%s, %s: %.1f s, no range at half: %s" % (os.path.basename(coll), rule, whole, line[:60]))
        continue
    low, high = (seconds(m[1]), seconds(m[2])) if m[1] else (0 if m[3] else seconds(m[4]), seconds(m[4]))
    good = low <= whole - at <= high
    shown += 1
    held += good
    print("%s, %s: %.1f s, at %.1f: %s to %s s left, true %.1f%s" % (os.path.basename(coll), rule, whole, at, low, high, whole - at, "" if good else "  OUTSIDE"))
print("%d runs, a range at half in %d of them, the end inside it in %d" % (runs, shown, held))
sys.exit(0 if held >= 0.9 * shown else 1)

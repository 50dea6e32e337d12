"""bench/cover_peers.py -- the same minimum cover by HiGHS (PyPI highspy) and by CBC (Debian coinor-cbc).

    python3 bench/cover_peers.py GRAPH [PREFER [GROUP N]]

Arguments as for bench-cover.  Prints the optimum, and the time to build and solve the model.  After LIMIT=600 seconds HiGHS
stops, and what it has and its bound are printed.
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time


LIMIT = float(os.environ.get("LIMIT", "600"))


def read(path):
    n, rows = 0, {}
    with open(path) as f:
        for line in f:
            word = line.split()
            if word[0] == "#":
                n = max(n, int(word[1]))
                continue
            a, b = int(word[0]), int(word[1])
            n = max(n, a + 1, b + 1)
            if a != b:
                rows.setdefault(a, []).append(b)
    return n, rows


def highs(n, rows, prefer=None, group=None, demand=0):
    import highspy
    import numpy as np

    begin = time.process_time()
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("threads", 1)
    h.setOptionValue("mip_rel_gap", 0.0)
    start, index = [0], []
    for a in range(n):
        index.append(a)
        index += rows.get(a, ())
        start.append(len(index))
    lower = [1.0] * n
    if group:
        members = {}
        for d, g in enumerate(group):
            members.setdefault(g, []).append(d)
        for g, m in sorted(members.items()):
            index += m
            start.append(len(index))
            lower.append(float(min(demand, len(m))))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n, len(lower)
    lp.col_cost_ = np.ones(n)
    lp.col_lower_, lp.col_upper_ = np.zeros(n), np.ones(n)
    lp.row_lower_, lp.row_upper_ = np.array(lower), np.full(len(lower), highspy.kHighsInf)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * n
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.array(start)
    lp.a_matrix_.index_ = np.array(index)
    lp.a_matrix_.value_ = np.ones(len(index))
    h.setOptionValue("time_limit", LIMIT)
    h.passModel(lp)
    h.run()
    size = round(h.getInfo().objective_function_value)
    status = h.modelStatusToString(h.getModelStatus())
    if status != "Optimal":
        status += f", bound {math.ceil(h.getInfo().mip_dual_bound - 1e-6)}"
    if prefer:  # among the smallest, the most preferred
        every = np.arange(n, dtype=np.int32)
        h.addRow(size, size, n, every, np.ones(n))
        least = min(prefer)
        unit = math.gcd(*(p - least for p in prefer)) or 1
        h.changeColsCost(n, every, np.array([-float((p - least) // unit) for p in prefer]))
        h.run()
        x = h.getSolution().col_value
        status += f", preference {sum(p for p, v in zip(prefer, x) if v > 0.5)} ({h.modelStatusToString(h.getModelStatus())})"
    return size, status, time.process_time() - begin


def cbc(n, rows):
    with tempfile.TemporaryDirectory() as d:
        path = os.path.join(d, "m.lp")
        with open(path, "w") as f:
            f.write("Minimize\n obj: " + " + ".join(f"x{i}\n" if i % 50 == 49 else f"x{i}" for i in range(n)) + "\nSubject To\n")
            for a in range(n):
                f.write(f" r{a}: " + " + ".join(f"x{b}\n" if k % 50 == 49 else f"x{b}" for k, b in enumerate([a, *rows.get(a, ())])) + " >= 1\n")
            f.write("Binary\n" + "\n".join(f"x{i}" for i in range(n)) + "\nEnd\n")
        out = subprocess.run(["cbc", path, "ratio", "0", "solve"], capture_output=True, text=True).stdout
    value = [l for l in out.splitlines() if l.startswith("Objective value:")]
    clock = [l for l in out.splitlines() if l.startswith("Time (CPU seconds):")]
    return round(float(value[0].split()[2])), "Optimal" if "Optimal solution found" in out else "?", float(clock[-1].split()[3])


def numbers(path):
    return None if path == "-" else [int(w) for w in open(path).read().split()]


path, *more = sys.argv[1:]
n, rows = read(path)
print(f"{path}: {n} documents, {sum(map(len, rows.values()))} pairs")
if more:
    group = numbers(more[1]) if len(more) > 2 else None
    size, status, seconds = highs(n, rows, numbers(more[0]), group, int(more[2]) if group else 0)
    print(f"  HiGHS: {size} ({status}), {seconds:.3f} s CPU")
else:
    for name, solve, there in (("HiGHS", highs, True), ("CBC", cbc, shutil.which("cbc") is not None)):
        if not there:
            print(f"  {name}: not installed")
            continue
        size, status, seconds = solve(n, rows)
        print(f"  {name}: {size} ({status}), {seconds:.3f} s CPU")

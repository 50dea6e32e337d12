"""tests/suites/cover_oracle.py -- the minimum cover of an exported graph by HiGHS, compared with winnow's.

    cover_oracle.py NAME REPORT GRAPH MEMBERS DOCUMENTS [--keep-at-least N --per ATTR[,ATTR]] [--prefer newest|longest]

Rows: every document or one of its coverers is kept; every group keeps min(N, its size).  With --prefer a second model: the number
of documents fixed at the optimum, the largest sum.  Times are counted in days from the first, words as they are.
Within LIMIT seconds (default: none) HiGHS may fail to prove; then its bound and its cover are printed, and the two answers
must not exclude each other.
"""
import csv
import datetime
import json
import math
import os
import sys

import highspy
import numpy

name, report, graph, members, documents = sys.argv[1:6]
options = dict(zip(sys.argv[6::2], sys.argv[7::2]))
report = json.load(open(report))
ids, kept = [], set()
for row in csv.DictReader(open(members, newline="")):
    ids.append(int(row["id"]))
    if row["state"] == "kept":
        kept.add(int(row["id"]))
number = {d: i for i, d in enumerate(ids)}
rows = [[i] for i in range(len(ids))]
for line in open(graph):
    word = line.split()
    if word and word[0].isdigit():
        rows[number[int(word[0])]].append(number[int(word[1])])
known = {}
for line in open(documents):
    word = line.rstrip("\n").split("\t")
    if word[0].isdigit() and int(word[0]) in number:
        known[int(word[0])] = word
lower = [1] * len(rows)
groups = {}
if "--per" in options:
    at = {"host": lambda w: w[1], "lang": lambda w: "" if w[2] in ("und", "-") else w[2], "year": lambda w: w[3][:4]}
    for d in ids:
        groups.setdefault(tuple(at[a](known[d]) for a in options["--per"].split(",")), []).append(number[d])
    for g in groups.values():
        rows.append(g)
        lower.append(min(int(options["--keep-at-least"]), len(g)))


def day(text):
    return (datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) - datetime.datetime(1990, 1, 1, tzinfo=datetime.timezone.utc)).days


def rounded(how, x):
    return how(x) if math.isfinite(x) else None


def solve(cost, rows, lower, upper):
    h = highspy.Highs()
    h.setOptionValue("output_flag", False)
    h.setOptionValue("mip_rel_gap", 0.0)
    h.setOptionValue("mip_abs_gap", 0.0)
    h.setOptionValue("time_limit", float(os.environ.get("LIMIT", "inf")))
    lp = highspy.HighsLp()
    n = len(cost)
    lp.num_col_, lp.num_row_ = n, len(rows)
    lp.col_cost_ = numpy.array(cost, dtype=float)
    lp.col_lower_, lp.col_upper_ = numpy.zeros(n), numpy.ones(n)
    lp.row_lower_, lp.row_upper_ = numpy.array(lower, dtype=float), numpy.array(upper, dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * n
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = numpy.cumsum([0] + [len(r) for r in rows])
    lp.a_matrix_.index_ = numpy.array([c for r in rows for c in r])
    lp.a_matrix_.value_ = numpy.ones(len(lp.a_matrix_.index_))
    h.passModel(lp)
    h.run()
    if h.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        info = h.getInfo()
        unproven.append((rounded(math.ceil, info.mip_dual_bound - 1e-6), rounded(round, info.objective_function_value)))
        return None
    return round(h.getInfo().objective_function_value)


inf = highspy.kHighsInf
unproven = []  # (bound, cover) of each model that HiGHS had to leave
best = solve([1] * len(ids), rows, lower, [inf] * len(rows))
text = "%s %s: %d documents, %d pairs, HiGHS %s, kept %d, proven %d" % (
    name, " ".join(sys.argv[6:]), len(ids), sum(map(len, rows[:len(ids)])) - len(ids), best, report["kept"], report["lower_bound"])
good = best == report["kept"] == len(kept)
if best is None:
    least, found = unproven[0]
    text += ", HiGHS at least %s, found %s" % (least, found)
    good = report["kept"] == len(kept) and (least is None or least <= report["kept"]) and (found is None or report["lower_bound"] <= found)
if groups:
    binding = sum(sum(ids[i] in kept for i in g) <= min(int(options["--keep-at-least"]), len(g)) for g in groups.values())
    text += ", %d groups, %d quotas bind" % (len(groups), binding)
    good = good and binding > 0
if "--prefer" in options and best is not None:
    worth = [day(known[d][3]) if options["--prefer"] == "newest" else int(known[d][4]) for d in ids]
    most = solve([-w for w in worth], rows + [list(range(len(ids)))], lower + [best], [inf] * len(rows) + [best])
    ours = sum(w for w, d in zip(worth, ids) if d in kept)
    if most is None:  # what it found must not be better than ours, nor ours better than it holds possible
        least, found = unproven[-1]
        text += ", minus sum HiGHS at least %s, found %s, ours %d" % (least, found, -ours)
        good = good and (found is None or -ours <= found) and (least is None or least <= -ours)
    else:
        text += ", sum HiGHS %d, ours %d" % (-most, ours)
        good = good and -most == ours
print(text + ("" if good else "  DIFFERS"))
sys.exit(0 if good else 1)

"""tests/suites/graph_oracle.py -- pairs of a rule by SetSimilaritySearch, compared with an exported graph.

    graph_oracle.py NAME RULE SETS GRAPH TIMES

Containment by its SearchIndex, Jaccard by all_pairs; `a.time <= b.time` is applied to what it finds.  Documents of one set are one
set there: their pairs are written out again.  Empty sets, which it does not take, are left out on both sides.
"""
import sys

from SetSimilaritySearch import SearchIndex, all_pairs

name, rule, sets, graph, times = sys.argv[1:]
threshold = float(rule.split(">=")[1].split()[0])
ordered = "a.time" in rule

documents = {}
for line in open(sets):
    if line.startswith("#"):
        continue
    word, _, items = line.rstrip("\n").partition("\t")
    if items.strip():
        documents.setdefault(tuple(items.split()), []).append(int(word))
time = {}
for line in open(times):
    word = line.split("\t")
    if word[0].isdigit():
        time[int(word[0])] = word[1].strip()
contents = [list(s) for s in documents]
members = list(documents.values())

found = {(i, i) for i in range(len(contents))}
if rule.startswith("containment"):
    index = SearchIndex(contents, similarity_func_name="containment", similarity_threshold=threshold)
    for i, s in enumerate(contents):
        found.update((i, j) for j, _ in index.query(s))
else:
    for i, j, _ in all_pairs(contents, similarity_func_name="jaccard", similarity_threshold=threshold):
        found.update(((i, j), (j, i)))
oracle = {(a, b) for i, j in found for a in members[i] for b in members[j] if a != b and (not ordered or time[a] <= time[b])}
known = {d for m in members for d in m}
ours = set()
for line in open(graph):
    word = line.split()
    if word and word[0].isdigit() and int(word[0]) in known:
        ours.add((int(word[0]), int(word[1])))
missing, extra = len(oracle - ours), len(ours - oracle)
print("%s, %s: %d documents, %d sets, %d pairs, %d missing, %d extra" % (name, rule, len(known), len(contents), len(oracle), missing, extra))
sys.exit(1 if missing or extra or not oracle else 0)

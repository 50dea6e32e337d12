# Every preset: reduce, check, preview (exact on so small a collection), its curve beside reduce at each threshold; exports re-read.
"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >/dev/null
value() { python3 -c 'import json, sys; d = json.load(sys.stdin); print(*[d[k] if not isinstance(d[k], dict) else d[k]["value"] for k in sys.argv[1:]])' "$@"; }
for preset in exact newest-per-url journalist appended near-duplicate syndicated; do
	echo "$preset: kept, bound $("$WINNOW" reduce c --preset $preset --name p-$preset --json | value kept lower_bound); preview $("$WINNOW" preview c --preset $preset --json | value kept)"
	"$WINNOW" check c --cover p-$preset >/dev/null || echo "check fails"
done
"$WINNOW" preview c --preset journalist --json | python3 -c '
import json, sys
for p in json.load(sys.stdin)["curve"]:
    print(p["threshold"], p["kept"]["value"], *p["kept"]["ci95"])' >curve
while read -r threshold rest; do
	echo "$threshold: preview $rest, reduce $("$WINNOW" reduce c --rule "containment(a,b) >= $threshold and a.time <= b.time and a.host = b.host" --json | value kept)"
done <curve
"$WINNOW" preview c --rule 'jaccard(a,b) >= 2'; echo "exit $?"
for what in kept dropped all; do
	"$WINNOW" export c --cover p-journalist --format gexf --what $what -o out.gexf --quiet
	python3 - $what <<'P'
import sys, xml.etree.ElementTree as tree
root, ns = tree.parse("out.gexf").getroot(), "{http://gexf.net/1.3}"
nodes, edges = [n.get("id") for n in root.iter(ns + "node")], list(root.iter(ns + "edge"))
print("gexf", sys.argv[1], len(nodes), "nodes", len(edges), "edges", sum(e.get(x) not in nodes for e in edges for x in ("source", "target")), "loose ends")
P
done
"$WINNOW" export c --cover p-journalist --format csv -o out.csv --quiet && "$WINNOW" export c --cover p-journalist --format jsonl -o out.jsonl --quiet
python3 - <<'P'
import csv, json
rows, objects = list(csv.DictReader(open("out.csv", newline=""))), [json.loads(line) for line in open("out.jsonl")]
same = all(("" if o[k] is None else o[k]) == r[k] or float(o[k]) == float(r[k]) for r, o in zip(rows, objects) for k in r)
print(len(rows), "rows of csv,", len(objects), "of jsonl,", "the same" if same and len(rows) == len(objects) else "DIFFERENT")
P

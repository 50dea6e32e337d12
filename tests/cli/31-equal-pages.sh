# Equal pages by the ten thousand, which the rule does not let stand for each other: a cover without their pairs.
python3 - >pages.jsonl <<'P'
import datetime, json
start = datetime.datetime(2010, 1, 1)
for i in range(40000):
    when = start + datetime.timedelta(minutes=12 * i)
    print(json.dumps({"u": f"http://h{i % 2}.test/p{i}", "t": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "x": "there is no such page on this server"}))
P
"$WINNOW" ingest c --jsonl pages.jsonl --map id=u,url=u,time=t,text=x --quiet >/dev/null
# all pairs would be 19 GB; under a sanitizer what is needed is ten times as much
sizes() { python3 -c 'import json, sys; r = json.load(sys.stdin); print({k: r[k] for k in ("kept", "lower_bound")}, "small" if r["peak_memory_bytes"] < 1 << 30 else r["peak_memory_bytes"])'; }
echo "== within a week"
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.9 and abs(a.time - b.time) <= 7d' --name week --json --quiet | sizes
"$WINNOW" check c --cover week | sed 's/[0-9.]* s/T/'
echo "== of another host"
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.9 and a.host != b.host' --name hosts --json --quiet | sizes
"$WINNOW" check c --cover hosts | sed 's/[0-9.]* s/T/'
echo "== the same for other threads and memory"
"$WINNOW" export c --cover week --format csv -o 1.csv 2>/dev/null
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.9 and abs(a.time - b.time) <= 7d' --name again --threads 1 --memory 100M --quiet >/dev/null
"$WINNOW" export c --cover again --format csv -o 2.csv 2>/dev/null
cmp 1.csv 2.csv && echo same
echo "== its graph is asked for twice"
"$WINNOW" export c --cover week --format graph -o graph.tsv; echo "exit $?"
[ -e graph.tsv ] || echo "not written"
echo "== within a week, and 13 of each host"
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.9 and abs(a.time - b.time) <= 7d' --keep-at-least 13 --per host --name quota --json --quiet | sizes
"$WINNOW" check c --cover quota | sed 's/[0-9.]* s/T/'

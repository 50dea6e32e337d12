# A preview of a sample: by blocks of a key, by URLs with a share of all shingles beside them; its interval holds what reduce finds.
python3 - >pages.jsonl <<'P'
import json, random
draw = random.Random(7)
words = ["w%d" % i for i in range(5000)]
page = 0
for site in range(80):
    text = [draw.choice(words) for _ in range(300)]
    for copy in range(1 + site % 3):  # the same story under several URLs
        for version in range(1 + site % 4):
            for _ in range(10):
                text[draw.randrange(300)] = draw.choice(words)
            page += 1
            print(json.dumps({"id": page, "url": "http://h%d.test/%d/%d" % (site % 7, site, copy), "time": "20%02d-01-01T00:00:00Z" % (10 + version), "text": " ".join(text)}))
P
"$WINNOW" ingest c --jsonl pages.jsonl --map id=id,url=url,time=time,text=text --quiet >/dev/null
for key in '' ' and a.urlkey = b.urlkey'; do
	rule="containment(a,b) >= 0.7 and a.time <= b.time$key"
	exact=$("$WINNOW" reduce c --rule "$rule" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["kept"])')
	for budget in 2500000 7000; do
		for seed in 1 2 3 4 5; do
			"$WINNOW" preview c --rule "$rule" --budget $budget --seed $seed --json
		done | python3 -c '
import json, sys
all = [json.loads(line) for line in sys.stdin]
exact = int(sys.argv[1])
held = sum(p["kept"]["ci95"][0] <= exact <= p["kept"]["ci95"][1] for p in all)
print("rule%s, budget %s: %s%s%s: the exact answer lies in %d of %d intervals" % (sys.argv[3], sys.argv[2], all[0]["blocks_by"],
    ", and all by a share of their shingles" if all[0]["narrowed_share"] else "", ", a lower bound" if all[0]["lower_bound"] else "", held, len(all)))
for p in all:
    k = [x["kept"]["value"] for x in p["curve"]]
    assert all[0]["kept"]["exact"] == (all[0]["blocks_by"] == "all documents") and k == sorted(k), p
' "$exact" "$budget" "$key"
	done
done

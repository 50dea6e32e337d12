# reduce, why, check, covers, compare, export, cover rm.
"$WINNOW" ingest c "$SAMPLE/sample-spring-2010.warc.gz" "$SAMPLE/sample-autumn-2010.warc.gz" "$SAMPLE/sample-spring-2011.warc.gz" >/dev/null
mask() { sed 's/"seconds": [0-9.]*/"seconds": T/g; s/"peak_memory_bytes": [0-9]*/"peak_memory_bytes": M/; s/[0-9.]* s, [0-9.]* [kM]B/T/; s/[0-9.]* s$/T/; s/[0-9]*\.[0-9] MB/M/; s/[0-9]\{4\}-[0-9-]*T[0-9:]*Z/TIME/'; }
"$WINNOW" reduce c --preset journalist --name first --json | mask
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.8' --prefer longest --keep-at-least 1 --per host --name second --json | mask | grep -o '"\(kept\|dropped\|lower_bound\|gap\|rule\|timed_out\)": [^,]*'
"$WINNOW" reduce c --preset newest-per-url --where "host = 'gazette.example'" --min-versions 2 --json | grep -o '"\(documents\|kept\|excluded\)": [^,]*'
"$WINNOW" reduce c --preset exact --name keys --json >keys.json
for key in cover rule rule_sha256 documents urls versions_mean versions_sd shingles kept dropped bytes bytes_kept pairs components proven_components proven_by_certificate \
	lower_bound gap timed_out by_host by_year phases seconds peak_memory_bytes excluded; do
	grep -q "\"$key\":" keys.json || echo "reduce --json has no $key"
done
"$WINNOW" covers c | mask
"$WINNOW" why c http://gazette.example/2010/04/budget.html@20100412 --cover first
"$WINNOW" why c http://gazette.example/2010/04/budget.html --cover first
"$WINNOW" why c http://courier.example/missing --cover first; echo "exit $?"
"$WINNOW" check c --cover first | sed 's/[0-9.]* s/T/'; echo "exit $?"
"$WINNOW" check c --cover second | sed 's/[0-9.]* s/T/'; echo "exit $?"
"$WINNOW" compare c first second
for format in csv jsonl graph cdxj gexf; do
	"$WINNOW" export c --cover first --format $format -o out.$format >/dev/null 2>&1; echo "$format: exit $?, $(wc -l <out.$format) lines"
done
cat out.csv
head -n 3 out.graph
"$WINNOW" export c --format sets -o out.sets >/dev/null 2>&1; cut -c1-60 out.sets | head -n 2
"$WINNOW" export c --cover first --format csv --what kept -o - 2>/dev/null | wc -l
"$WINNOW" export c --cover first --format warc -o kept.warc.gz >/dev/null 2>&1; echo "exit $?"
"$WINNOW" verify --json kept.warc.gz; echo "exit $?"
"$WINNOW" ingest k kept.warc.gz >/dev/null; "$WINNOW" ls k --fields stamp,url --where 'status = 200'
"$WINNOW" export c --cover first --format wacz -o kept.wacz >/dev/null 2>&1; echo "exit $?"
"$WINNOW" verify --json kept.wacz; echo "exit $?"
for t in 1 2 5; do "$WINNOW" reduce c --preset journalist --threads $t --memory 100M --name t$t >/dev/null; "$WINNOW" export c --cover t$t --format csv -o - 2>/dev/null | md5sum; done | uniq | wc -l
"$WINNOW" cover rm c second; echo "exit $?"
"$WINNOW" covers c | cut -f 1,2
# a cover that was tampered with is found out, with exit 1
"$CASES/rows" "$WINNOW" c
sqlite3 c/catalog.db "update cover_member set witness = (select min(capture) from cover_member where kept = 0 and cover = 1) where cover = 1 and kept = 0 and capture > (select min(capture) from cover_member where kept = 0 and cover = 1)"
"$WINNOW" check c --cover first >log 2>&1; echo "witness not kept: exit $?"; [ -s log ] || echo "no message"
sqlite3 c/catalog.db "update cover_member set kept = 1, witness = null where cover = 1"
"$WINNOW" check c --cover first >log 2>&1; echo "all kept: exit $?"; [ -s log ] || echo "no message"
sqlite3 c/catalog.db "delete from cover_member where cover = 1 and capture = (select max(capture) from cover_member where cover = 1)"
"$WINNOW" check c --cover first >log 2>&1; echo "a member is missing: exit $?"; [ -s log ] || echo "no message"
printf 'url,section\nhttp://gazette.example/,front\nhttp://gazette.example/ferry.html,harbour\n' >sections.csv
"$WINNOW" import c --attributes sections.csv; echo "exit $?"
"$WINNOW" ls c --where "section = 'harbour'" --fields stamp,section
"$WINNOW" reduce c --rule 'a.section = b.section and a.time <= b.time' --name by-section --json | grep -o '"kept": [0-9]*, "dropped": [0-9]*'
# an approximate cover claims no minimum, and check passes; the report that is stored has the cover's id
"$WINNOW" reduce c --rule 'jaccard(a,b) >= 0.5' --approx --name near --json | grep -o '"\(lower_bound\|gap\|proven_components\|approximate\)": [^,]*'
"$WINNOW" check c --cover near >/dev/null; echo "exit $?"
sqlite3 c/catalog.db "select count(*) from cover where report not like '{\"cover\": ' || id || ',%'"
"$WINNOW" export c --cover near --format csv -o near.csv --quiet; sed -n '3,/^Full/p' near.csv.methods.txt | grep -v '^Full'
# a host in any case is that host
printf 'host,owner\nGazette.EXAMPLE,town\n' >hosts.csv
"$WINNOW" import c --attributes hosts.csv
"$WINNOW" sql c "select * from attributes where name = 'owner'"

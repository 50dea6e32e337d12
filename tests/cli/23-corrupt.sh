# A stored cover is corrupted in ten ways (and some more), each with valid checksums; check finds each by its name, with exit 1.
"$WINNOW" ingest good "$SAMPLE/sample-spring-2010.warc.gz" "$SAMPLE/sample-autumn-2010.warc.gz" "$SAMPLE/sample-spring-2011.warc.gz" >/dev/null
pin=$("$WINNOW" sql good "select min(id) from documents where host = 'gazette.example'" --format csv | tail -n 1)
"$WINNOW" reduce good --rule 'jaccard(a,b) >= 0.3' --where 'status = 200 and year < 2011' --keep "$pin" --keep-at-least 3 --per host --name x >/dev/null
"$WINNOW" check good --cover x >log; echo "as made: exit $?"
cp -r good files
"$CASES/rows" "$WINNOW" good
"$WINNOW" check good --cover x >log; echo "as rows: exit $?"
names='no-witness|witness-not-kept|witness-false|in-neither-set|in-both-sets|outside-the-selection|pin-dropped|quota-broken|dual-infeasible|wrong-rule-or-revision|wrong-bound'
corrupt() { # NAME SQL [CERTIFICATE EDIT]: NAME must be among the offences, and not before
	rm -rf c; cp -r good c
	if [ -n "$2" ]; then sqlite3 c/catalog.db "$2" || echo "cannot corrupt"; fi
	[ -z "${3-}" ] || "$BUILD/tests/edit-certificate" c/runs/000001.seg "$3" || echo "cannot corrupt"
	"$WINNOW" check c --cover x --json >found.json 2>log; code=$?
	"$WINNOW" check c --cover x 2>&1 | grep -q "^  $1: .*; ." || { echo "no message for $1:"; "$WINNOW" check c --cover x; }
	echo "$1: exit $code, found $(grep -oE "\"($names)\": [0-9]+" found.json | cut -d'"' -f2 | sort -u | tr '\n' ' ')"
}
dropped='(select min(capture) from cover_member where kept = 0)'
other='(select max(capture) from cover_member where kept = 0)'
kept='(select min(capture) from cover_member where kept = 1)'
corrupt no-witness "update cover_member set witness = null where capture = $dropped"
corrupt witness-not-kept "update cover_member set witness = $other where capture = $dropped"
corrupt witness-not-kept "update cover_member set witness = (select max(id) from capture) + 7 where capture = $dropped"
corrupt witness-false "update cover_member set witness = (select max(capture) from cover_member m where kept = 1 and capture <> cover_member.witness) where capture = $dropped"
corrupt witness-false "update cover_member set shared = shared + 1 where capture = $dropped"
corrupt in-neither-set "delete from cover_member where capture = $dropped"
corrupt in-both-sets "update cover_member set witness = $other, shared = 1, size = 1, witness_size = 1 where capture = $kept"
corrupt outside-the-selection "insert into cover_member select 1, (select min(id) from capture where id not in (select capture from cover_member)), 1, null, null, null, null"
corrupt pin-dropped "update cover_member set kept = 0, witness = (select min(capture) from cover_member where kept = 1 and capture <> $pin) where capture = $pin"
corrupt quota-broken "update cover set options = replace(options, '\"keep_at_least\": 3', '\"keep_at_least\": 4')"
corrupt quota-broken "update cover_member set kept = 0, witness = $kept where kept = 1 and capture <> $kept"
corrupt dual-infeasible "" values
corrupt wrong-rule-or-revision "" rule
corrupt wrong-rule-or-revision "" revision
corrupt wrong-rule-or-revision "update cover set rule = 'jaccard(a, b) >= 0.2'"
corrupt wrong-rule-or-revision "update cover set revision = revision + 1"
corrupt wrong-bound "" fewer
corrupt wrong-bound "update cover set kept = kept - 1"
corrupt wrong-bound "update cover set report = replace(report, '\"kept\": ', '\"kept\": 1')"
corrupt wrong-bound "update cover set report = replace(report, '\"gap\": 0', '\"gap\": 1')"
corrupt wrong-bound "update cover set report = replace(report, '\"urls\": ', '\"urls\": 1')"
corrupt wrong-bound "update cover set report = replace(report, '\"bytes_kept\": ', '\"bytes_kept\": 1')"
corrupt wrong-bound "update cover set report = substr(report, 2)"
rm -rf good; cp -r files good
for what in twice range dropped; do
	rm -rf c; cp -r good c
	"$BUILD/tests/edit-members" c/runs/000001.members $what || echo "cannot corrupt"
	"$WINNOW" check c --cover x --json >found.json 2>log; code=$?
	echo "members, $what: exit $code, found $(grep -oE "\"($names)\": [0-9]+" found.json | cut -d'"' -f2 | sort -u | tr '\n' ' ')"
done
rm -rf c; cp -r good c; printf x | dd of=c/runs/000001.seg bs=1 seek=70 conv=notrunc 2>/dev/null
"$WINNOW" check c --cover x 2>&1 | sed 's/.*: //'; echo "damaged file: exit $("$WINNOW" check c --cover x >/dev/null 2>&1; echo $?)"
rm -rf c; cp -r files c; printf x | dd of=c/runs/000001.members bs=1 seek=70 conv=notrunc 2>/dev/null
"$WINNOW" check c --cover x 2>&1 | sed 's/.*runs/runs/'; echo "damaged members: exit $("$WINNOW" check c --cover x >/dev/null 2>&1; echo $?)"
rm c/runs/000001.members
"$WINNOW" ls c --cover x 2>&1 | sed 's/.*runs/runs/'; echo "missing members: exit $("$WINNOW" ls c --cover x >/dev/null 2>&1; echo $?)"
"$WINNOW" search c council --cover x 2>&1 | sed 's/.*runs/runs/'
"$WINNOW" sql c "select count(*) from pairs" 2>&1 | sed 's/.*runs/runs/'
"$WINNOW" why c 1 --cover x 2>&1 | sed 's/.*runs/runs/'

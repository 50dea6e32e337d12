# check took times from the table of captures that reduce keeps, not from the catalogue.
"$WINNOW" ingest -q c "$SAMPLE"/sample-*.warc.gz >/dev/null
"$WINNOW" reduce -q c --preset journalist >/dev/null
ls c/runs | grep -c '^captures-r.*table'
"$WINNOW" check -q c --cover 1 >/dev/null; echo "exit $?"
witness=$("$WINNOW" sql c 'select max(b) from pairs' --format tsv | tail -n 1)
sqlite3 c/catalog.db "update capture set time = time - 900000000 where id = $witness"
"$WINNOW" check -q c --cover 1 --json >found.json; echo "exit $?"
grep -o '"witness-false"' found.json | head -n 1

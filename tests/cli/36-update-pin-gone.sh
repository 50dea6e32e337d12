# update let go of a pin without a word when the pinned document was removed
"$WINNOW" ingest -q c "$SAMPLE/sample-spring-2010.warc.gz" "$SAMPLE/sample-autumn-2010.warc.gz" >/dev/null
there=$("$WINNOW" ls c --where 'file = "sample-spring-2010.warc.gz" and status = 200 and words > 50' --fields id --format tsv | sed -n 2p)
gone=$("$WINNOW" ls c --where 'file = "sample-autumn-2010.warc.gz" and status = 200 and words > 50' --fields id --format tsv | sed -n 2p)
"$WINNOW" reduce -q c --preset journalist --keep "$gone" --keep "$there" --name p >/dev/null
"$WINNOW" reduce -q c --preset journalist --keep "$gone" --name whole >/dev/null
"$WINNOW" rm -q c --file sample-autumn-2010.warc.gz >/dev/null
rm c/runs/000002.state
for cover in p whole p; do
	"$WINNOW" update -q c --cover $cover --json >report.json; echo "exit $?"
	grep -o '"pins_gone": [^]]*]' report.json
	"$WINNOW" check -q c --cover $cover >/dev/null; echo "check $?"
done

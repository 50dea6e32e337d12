# A cover of documents that are gone: export says what is left, why says what to do.
cp "$SAMPLE"/sample-*.warc.gz .
"$WINNOW" ingest c sample-*.warc.gz >/dev/null 2>&1
"$WINNOW" reduce c --preset journalist >/dev/null 2>&1
"$WINNOW" rm c --file sample-spring-2011.warc.gz
"$WINNOW" export c --cover 1 --format csv -o - | cut -d, -f 1,8-10 | sed 's/"[^"]*"/TEXT/g'; echo "exit $?"
gone=$("$WINNOW" sql c "select id from cover_members where state = 'dropped' and id in (select id from captures) and by_id not in (select id from captures) limit 1" --format tsv | tail -1)
"$WINNOW" why c "$gone" --cover 1; echo "exit $?"
"$WINNOW" export c --what kept --format csv -o x; echo "exit $?"
"$WINNOW" export c --cover 1 --what kept --format graph -o x; echo "exit $?"
"$WINNOW" reduce c --preset journalist --time-limit -1; echo "exit $?"
"$WINNOW" index sample-spring-2010.warc.gz | gzip -n >x.cdxj.gz
"$WINNOW" import d --cdx x.cdxj.gz; echo "exit $?"
echo '-- whoever reads a cover of another revision says so'
"$WINNOW" why c "$gone" --cover 1 2>&1 | head -1
"$WINNOW" compare c 1 1 2>&1 | head -2
"$WINNOW" ls c --cover 1 --limit 1 --fields id; echo "exit $?"
"$WINNOW" search c council --cover 1 --limit 1 --fields id; echo "exit $?"
"$WINNOW" check c --cover 1 2>&1 | tail -2 | head -1
"$WINNOW" update c --cover 1 >/dev/null 2>&1
"$WINNOW" ls c --cover 1 --limit 1 --fields id; echo "exit $?"

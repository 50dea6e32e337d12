# collections of catalogue version 3 have members as rows: they stay as long as there is a cover, be it one of nothing
"$WINNOW" ingest c "$SAMPLE"/sample-spring-2010.warc.gz >/dev/null
"$WINNOW" reduce c --preset journalist --where 'host = "later.example"' --name empty >/dev/null
"$CASES"/rows "$WINNOW" c
"$WINNOW" reduce c --preset exact --name second >/dev/null
"$WINNOW" check c --cover empty | head -n 1
"$WINNOW" check c --cover second | head -n 1
sqlite3 c/catalog.db "select count(*) from cover_member"
"$WINNOW" cover rm c empty && "$WINNOW" cover rm c second
"$WINNOW" reduce c --preset exact --name third >/dev/null
"$WINNOW" check c --cover third | head -n 1
sqlite3 c/catalog.db "select count(*) from sqlite_master where name = 'cover_member'"

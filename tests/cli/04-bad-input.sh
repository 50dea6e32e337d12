# What, where, why, what to do, and the exit code, for each kind of bad input.
t() { "$WINNOW" "$@"; echo "exit $?"; }
printf 'just a text\n' >note.txt
: >empty.warc
mkdir hollow notcoll; echo hello >notcoll/x; echo junk >notcoll/catalog.db
t ingest c nowhere.warc.gz
t ingest c hollow
t ingest c note.txt 2>&1 | sed 's/ in [0-9.]* s (.*/ in T/'
t verify note.txt
t verify empty.warc
t verify hollow
t verify nowhere
t index note.txt
t index hollow
t index nowhere
t ingest note.txt "$SAMPLE/sample-spring-2010.warc.gz"
t stats hollow
t stats note.txt
t stats notcoll
t ls notcoll
t reduce hollow --preset exact
"$WINNOW" ingest c "$SAMPLE/sample-spring-2010.warc.gz" >/dev/null
sqlite3 c/catalog.db "update meta set value = '999' where key = 'version'"
t stats c
t ingest c "$SAMPLE/sample-autumn-2010.warc.gz"
"$WINNOW" ingest d "$SAMPLE/sample-spring-2010.warc.gz" >/dev/null
for f in d/sketch/*.seg; do : >"$f"; done
t reduce d --preset journalist 2>&1 | sed 's/[0-9]*-1.seg/N.seg/'
t show d 99
t show d http://nowhere.test/
t show d ''
t text d 99
t diff d 1 99
t links d x
t export d --format nope -o x
t export d --cover 9 --format csv -o x
t why d 1 --cover 1
t check d --cover 1
t compare d 1 2
t cover rm d 1
t reduce d
t reduce d --preset nope
t reduce d --rule 'containment(a,b) >= 0.7 an a.x'
t reduce d --rule-file nowhere.rule
t search d zzz
t search d '"open'
t import d --attributes nowhere.csv
printf 'foo,bar\n1,2\n' >a.csv
t import d --attributes a.csv
cp "$SAMPLE/sample-spring-2010.warc.gz" index.cdx.gz
t import d --cdx index.cdx.gz
t repair nowhere out.warc.gz
t repair note.txt out.warc.gz
t ls d --where 'lang = '
t ls d --sort nope
t ls d --fields id,nope
t ls d --format xml
t ls d --limit -1
t ingest d --memory lots x
"$WINNOW" ls d >/dev/full; echo "exit $?"
# one entry of a directory that cannot be read does not stop the others
mkdir some && cp "$SAMPLE/sample-spring-2010.warc.gz" some/a.warc.gz && ln -s nowhere some/b.warc.gz && cp "$SAMPLE/sample-autumn-2010.warc.gz" some/c.warc.gz
"$WINNOW" ingest several some 2>/dev/null | head -n 1; "$WINNOW" ingest several some >/dev/null; echo "exit $?"
# one name that nothing has does not stop the others either: it is told, and the code is that of a failure
cp "$SAMPLE/sample-spring-2010.warc.gz" good.warc.gz; good=good.warc.gz
t verify nowhere "$good" hollow
t verify --json nowhere "$good"
t verify c "$good" nowhere
t index nowhere "$good" >lines 2>log; cat log; tail -n 1 lines; "$WINNOW" index "$good" >alone; sed '$d' lines | cmp - alone
t ingest partly nowhere "$good" hollow 2>&1 | sed 's/ in [0-9.]* s (.*/ in T/'
t ingest partly --json -q nowhere "$good" | grep -o '"files[a-z_]*": [1-9][0-9]*'
t ingest none nowhere hollow
t ingest none --jsonl nowhere.jsonl --map id=a,text=b
t ingest none --jsonl hollow --map id=a,text=b
t import none --cdx nowhere.cdxj
t import none --cdx index.cdx.gz
head -c 300 index.cdx.gz >cut.cdx.gz
t import none --cdx cut.cdx.gz
t import none --cdx "$good" nowhere.cdxj
t import d --attributes hollow
t reduce d --rule-file hollow
t repair hollow out.warc.gz
t serve d --acl nowhere.aclj
ls -d none out.warc.gz 2>/dev/null
# the least memory is that of the command
t ingest none --memory 10M "$good"
t ingest none --memory 600M --unit char "$good"
t index --memory 10M "$good"

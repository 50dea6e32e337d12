# No permission: the file is named, the reason is given, exit 3.  As root nothing is forbidden, so the tests step down to nobody.
# The sample lies here, as nobody may not be let into the folder of the sources.
cp "$SAMPLE/sample-spring-2010.warc.gz" . && cp sample-spring-2010.warc.gz a.warc.gz && chmod 000 a.warc.gz
mkdir shut && "$WINNOW" ingest coll sample-spring-2010.warc.gz >/dev/null && chmod -R a-w coll && chmod 000 shut && chmod 755 .
cp "$WINNOW" w && chmod 755 w
as=; [ "$(id -u)" -eq 0 ] && as="setpriv --reuid 65534 --regid 65534 --clear-groups"
for args in "verify a.warc.gz" "index a.warc.gz" "ingest coll a.warc.gz" "ingest new a.warc.gz" "verify shut" "stats shut"; do
	$as ./w $args 2>&1; echo "exit $?"
done
# one directory that cannot be read does not keep the others from being read
mkdir -p tree/a tree/b && cp sample-spring-2010.warc.gz tree/b && chmod 000 tree/a && chmod 777 .
$as ./w verify tree 2>&1; echo "exit $?"
$as ./w ingest made tree 2>&1 | grep -v ' s ('
# nor one file among several
for args in "verify a.warc.gz sample-spring-2010.warc.gz" "ingest made a.warc.gz sample-spring-2010.warc.gz" "repair a.warc.gz out.warc.gz" \
	"import made --cdx a.warc.gz" "import made --attributes a.warc.gz" "reduce coll --rule-file a.warc.gz"; do
	$as ./w $args 2>&1 | grep -v ' s ('
done
$as ./w index a.warc.gz sample-spring-2010.warc.gz 2>&1 | cut -c 1-100 | head -n 2
# a locked archive file was not moved
chmod 000 sample-spring-2010.warc.gz
$as ./w show coll 1 2>&1 | sed 's|/[^ ]*/||g'; $as ./w export coll --format warc -o out.warc.gz 2>&1 | sed 's|/[^ ]*/||g'
chmod 644 sample-spring-2010.warc.gz
$as ./w ls coll --limit 1 --fields url; echo "exit $?"
# what only reads is the same where nothing may be written
for args in "stats coll" "stats coll --json" "show coll 1" "covers coll" "links coll 1"; do
	$as ./w $args >got 2>&1; echo "$args: exit $?"
	"$WINNOW" $args >want 2>&1; cmp want got || cat got
	rm -f coll/catalog.db-* # root could leave them
done
chmod -R u+rwX .
# a copy that was made while another process wrote: a log waits in it, and nothing may be written beside it
"$WINNOW" ingest busy sample-spring-2010.warc.gz >/dev/null
mkdir copy
python3 - <<'PY'
import shutil, sqlite3
db = sqlite3.connect("busy/catalog.db")
db.execute("pragma journal_mode = wal")
db.execute("update capture set status = 299 where id = 1")
db.commit()
for f in ("catalog.db", "catalog.db-wal", "lock"):
    shutil.copy("busy/" + f, "copy/" + f)
for d in ("text", "links", "sketch", "fulltext"):
    shutil.copytree("busy/" + d, "copy/" + d)
PY
chmod -R a+rX copy && chmod -R a-w copy && mkdir -m 777 tmp
for args in "ls copy --limit 1 --fields id,status" "search copy ferry --limit 1 --fields id" "verify copy"; do
	TMPDIR=tmp $as ./w $args 2>&1; echo "exit $?"
done
TMPDIR=tmp $as ./w sql copy "select status from captures where id = 1" --format tsv; echo "exit $?"
ls copy tmp
chmod -R u+rwX .

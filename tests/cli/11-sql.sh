# sql opens read-only: it cannot write, attach or load; the views are there in three forms.
"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >/dev/null
t() { "$WINNOW" sql c "$@"; echo "exit $?"; }
before=$(md5sum <c/catalog.db)
for q in "insert into meta values (1, 2)" "update capture set url = ''" "delete from capture" "drop table capture" "create table x (a)" "create temp table x (a)" \
	"attach 'other.db' as o" "detach main" "pragma journal_mode = delete" "pragma writable_schema = 1" "pragma query_only = 0" "vacuum" "vacuum into 'copy.db'" \
	"select load_extension('x')" "select writefile('x', 'y')" "select readfile('/etc/passwd')" "begin" "reindex" "analyze" "selec 1" "select 1; delete from capture" "" "-- nothing"; do
	t "$q"
done
[ "$before" = "$(md5sum <c/catalog.db)" ] && ls other.db copy.db x 2>/dev/null || echo "nothing was written"
t "select host, captures from hosts order by captures desc, host"
t "select lang, count(*) n from documents group by lang order by lang" --format csv
t "select id, url, null as gone, 1.5 as real, 'a \"b\"' as text from captures order by id limit 2" --format jsonl
t "select count(*) as n from links" --format table
t "select 1 as a, 2.5 as b, null as c" --fields b,a,a,c,a,a,a
for view in captures documents contents hosts links files flaws attributes covers cover_members pairs; do
	"$WINNOW" sql c "select * from $view limit 0" --format csv
	"$WINNOW" help sql.7 | grep -q "^$view:" || echo "$view is not in the manual"
	for column in $("$WINNOW" sql c "select * from $view limit 0" --format csv | tr , ' '); do
		"$WINNOW" help sql.7 | grep -qw "$column" || echo "$view.$column is not in the manual"
	done
done
t "select 'tab	here', 'line
end'" --format tsv
"$WINNOW" sql c --memory 64M "with recursive r(n, x) as (select 1, randomblob(100000) union all select n + 1, randomblob(100000) from r where n < 40000) select count(*) from (select * from r order by x)"; echo "exit $?"
t "select fts3_tokenizer('simple')"
# one huge value, made by the query itself
for q in "select zeroblob(1000000000)" "select hex(zeroblob(400000000))" "with recursive r(i) as (values(1) union all select i + 1 from r where i < 300000) select group_concat('a dozen bytes') from r" "select zeroblob(2000000), zeroblob(2000000)"; do
	t "$q" --memory 64M
done
t "select length(printf('%*d', 1000000, 1)) n, length(zeroblob(20000000)) m"
# files and hosts count captures without a pass over all for each: a step of SQLite's machine is a step whatever the computer
cat >steps.py <<'PY'
import sqlite3, sys
db = sqlite3.connect("c/catalog.db")
def steps(view):
    n = [0]
    db.set_progress_handler(lambda: n.__setitem__(0, n[0] + 1), 100)
    total = db.execute(f"select count(*), sum(captures) from {view}").fetchone()
    db.set_progress_handler(None, 0)
    return n[0] * 100, total
table = {"files": "file", "hosts": "host"}
if sys.argv[1] == "old":
    db.executescript("drop index capture_host; drop index capture_file")
else:
    db.execute("create temp table real as select * from capture limit 1")
    for i in range(3000):
        db.execute("insert into host values (?, ?, ?)", (i + 1000, f"h{i}.test", "test"))
        db.execute("insert into file values (?, ?, ?, 0, 0, x'', 0, 1, 0, 0)", (i + 1000, f"f{i}", f"f{i}"))
        db.execute("update real set id = ?, file = ?, host = ?", (i + 100000, i + 1000, i + 1000 - i % 2))
        db.execute("insert into capture select * from real")
    for view in table:
        n, total = steps(view)
        rows, captures = (db.execute(f"select count(*) from {t}").fetchone()[0] for t in (table[view], "capture"))
        print(view, "linear" if n < 100 * (rows + captures) else f"{n} steps", total == (rows, captures),
              db.execute(f"select captures, count(*) from {view} where id >= 1000 group by 1 order by 1").fetchall())
    db.rollback()
db.close()
PY
python3 steps.py new
before=$("$WINNOW" sql c "select * from hosts order by id" --format csv; "$WINNOW" sql c "select * from files order by id" --format csv)
python3 steps.py old
[ "$before" = "$("$WINNOW" sql c "select * from hosts order by id" --format csv; "$WINNOW" sql c "select * from files order by id" --format csv)" ] || echo "without the indexes the views say something else"
"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >/dev/null # a writer adds the indexes
python3 steps.py new
[ "$before" = "$("$WINNOW" sql c "select * from hosts order by id" --format csv; "$WINNOW" sql c "select * from files order by id" --format csv)" ] || echo "with indexes added the views say something else"
# numbers of link kinds, and what they mean
"$WINNOW" help sql.7 | tr -s '\n ' ' ' | grep -o 'kind (0 a,[^)]*)'

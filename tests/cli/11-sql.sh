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

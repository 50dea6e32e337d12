# What is imported stays what it was: codes that look like numbers or dates are texts, in earlier collections too.
"$WINNOW" ingest coll "$SAMPLE/sample-spring-2010.warc.gz" -q >/dev/null
printf 'id,zip,code,account,price,day,seen,mixed\n1,00123,1234-56-78,123456789012345678,1.50,2010-02-28,2010-01-31 12:00:00,7\n2,123,1234-56-79,123456789012345679,2,2012-02-29,2011-05-06T07:08:09Z,2010-01-01\n3,1e3,2015-99,1,-3,1999-12,2011,8\n' >codes.csv
"$WINNOW" import coll --attributes codes.csv
"$WINNOW" sql coll 'select distinct name, type from attributes order by name' --format tsv
"$WINNOW" sql coll 'select key, name, value, typeof(value) as kind from attributes order by key, name' --format tsv
"$WINNOW" ls coll --where 'has(zip)' --sort id --fields id,zip,code,account,price,day,seen,mixed --format tsv
"$WINNOW" ls coll --where 'zip = "00123"' --fields id --format tsv
"$WINNOW" ls coll --where 'price < 2' --sort id --fields id,price --format tsv
"$WINNOW" export coll --format csv -o all.csv -q >/dev/null 2>&1; head -n 1 all.csv | cut -d , -f 16-
for name in and OR not in true false; do
	printf 'id,%s\n1,2\n' "$name" >word.csv
	"$WINNOW" import coll --attributes word.csv; echo "exit $?"
done
echo '-- a collection whose values were numbers where they could be'
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("coll/catalog.db")
db.executescript("""drop table attribute_value;
create table attribute_value (attribute integer not null, key any not null, value any, primary key (attribute, key)) without rowid;
insert into attribute_value select id, 1, '00123' from attribute where name in ('zip', 'code')""")
EOF
"$WINNOW" ls coll --where 'has(zip)' --fields id,zip,code --format tsv
printf 'id,zip\n1,00123\n' >zip.csv
"$WINNOW" import coll --attributes zip.csv
"$WINNOW" ls coll --where 'has(zip)' --fields id,zip,code --format tsv

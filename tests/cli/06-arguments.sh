# Arguments that are almost right, settings that nobody has, collections that may not be read: what, why, what to do.
t() { echo "\$ winnow $*"; "$WINNOW" "$@"; echo "exit $?"; }
cp "$SAMPLE/sample-spring-2010.warc.gz" a.warc.gz
"$WINNOW" ingest c a.warc.gz -q >/dev/null 2>&1
t version extra
t ls c --limit 0
t ls c --threads 0
t ingest new --k 0 x
t ls c --format jsn
t ls c --fields ids
echo "-- winnow.conf"
printf 'treads = 2\n' >c/winnow.conf
t ls c
printf '# of other commands too\nlisten = 127.0.0.1:1\nquiet = maybe\n' >c/winnow.conf
t ls c
printf 'limit\n' >c/winnow.conf
t ls c
printf 'limit = 1\nquiet = no\nformat = csv\n' >c/winnow.conf
t ls c --fields id,url
t stats c >/dev/null
rm c/winnow.conf
echo "-- one JSON object, also of a listing"
t ls c --json --limit 2 --fields id,url
t covers c --json
echo "-- rules"
t explain 'a.rank < b.rank'
t reduce c --rule 'containment(a,b) >= 0.7' --prefer newst
t reduce c --rule 'containment(a,b) >= 0.7' --prefer 'words * 100000000 * 100000000'
both='(a.host = b.host or a.lang = b.lang)'
t explain "$both and $both and $both and $both and $both and $both and $both"
echo "-- rows of no capture"
printf 'url,section\nhttp://courier.example/missing,x\nhttp://nowhere.test/,y\n' >s.csv
t import c --attributes s.csv
t import c --attributes s.csv --json
echo "-- where no collection can be"
t ingest s.csv a.warc.gz
t stats s.csv
mkdir shut; cp -r c closed; chmod 700 shut closed; chmod 755 .
cp "$WINNOW" w; chmod 755 w
as=; [ "$(id -u)" -eq 0 ] && as="setpriv --reuid 65534 --regid 65534 --clear-groups" || chmod 000 shut closed
for args in "stats shut" "ls closed" "search closed x" "ingest shut s.csv" "stats shut/x"; do
	echo "\$ winnow $args"; $as ./w $args 2>&1; echo "exit $?"
done
chmod -R u+rwX .
echo "-- parts of a collection missing"
for part in text sketch fulltext; do
	cp -r c broken; rm -r "broken/$part"
	for args in "text broken 1" "search broken library" "reduce broken --preset journalist"; do
		"$WINNOW" $args >out 2>log; code=$?
		[ "$code" -eq 0 ] || { echo "\$ winnow $args, without $part"; cat log; echo "exit $code"; }
	done
	rm -r broken
done
t text c 1 --json
t show c 1 --json
cp "$SAMPLE/sample-spring-2010.warc.gz" s.warc.gz
t index s.warc.gz --json

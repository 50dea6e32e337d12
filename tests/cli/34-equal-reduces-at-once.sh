# Equal runs at once wrote one file under one temporary name: one of them ended with 3.
"$WINNOW" ingest -q c "$SAMPLE"/sample-*.warc.gz >/dev/null
for i in 1 2 3 4 5 6; do
	("$WINNOW" reduce -q c --preset journalist --name "r$i" >"out$i" 2>&1 || echo "$i: exit $?, $(cat "out$i")") &
done
wait
"$WINNOW" sql c 'select count(*), min(kept) = max(kept) from covers' --format tsv
for i in 1 2 3 4 5 6; do
	"$WINNOW" check -q c --cover "r$i" >/dev/null || echo "check r$i: $?"
done
# what killed runs left is removed, what others are writing stays
touch c/runs/pending-0-r1.kernel.tmp c/runs/pending-0-r1.kernel.2147483647-1.tmp c/runs/pending-0-r1.kernel.$$-1.tmp
"$WINNOW" reduce -q c --preset exact >/dev/null
ls c/runs | grep tmp | sed "s/$$/PID/"

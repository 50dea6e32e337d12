# Two ingests at once: both end by themselves, and the captures are there once.
for i in 1 2 3; do
	"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >one.log 2>&1 & one=$!
	"$WINNOW" ingest c "$SAMPLE"/sample-*.warc.gz >two.log 2>&1 & two=$!
	wait $one; a=$?
	wait $two; b=$?
	case "$a $b" in "0 0" | "0 3" | "3 0") ;; *) echo "exits $a $b"; cat one.log two.log ;; esac
	[ "$a" = 3 ] && grep -c 'another winnow' one.log | sed 's/^0/no reason was given/; s/^1$//' | grep .
	[ "$b" = 3 ] && grep -c 'another winnow' two.log | sed 's/^0/no reason was given/; s/^1$//' | grep .
	"$WINNOW" sql c "select count(*), count(distinct url || stamp) from captures" --format tsv
	rm -rf c
done

# Files that are still being written: cut anywhere, ingested, grown, ingested again; in the end the rows, flaws and counts of the whole file.
python3 "$CASES/odd_archives.py" odd
printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:odd:nest>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://odd.test/nest\r\nContent-Type: application/warc\r\nContent-Length: %s\r\n\r\n' \
	"$(wc -c <odd/plain.warc)" >head
printf '\r\n\r\n' >tail
cat head odd/plain.warc tail odd/plain.warc >odd/archive-in-archive.warc
rows() {
	for q in "select url, stamp, kind, digest, offset, length from captures order by url, stamp, offset" "select offset, kind, detail from flaws order by 1, 2, 3" \
		"select records, captures, complete from files"; do "$WINNOW" sql "$1" "$q" --format tsv; done
}
for name in plain.warc members.warc.gz one-member.warc.gz members-of-100-bytes.warc.gz arc-under-warc-names.warc.gz arc-dates.arc archive-in-archive.warc empty-members.warc.gz descriptors.wacz; do
	size=$(wc -c <"odd/$name") wrong=0 tried=0
	rm -rf whole && "$WINNOW" ingest whole "odd/$name" >/dev/null
	rows whole >whole.rows
	for cut in 10 38 61 90; do
		first=$((size * cut / 100)) second=$((size * (cut + 3) / 100))
		rm -rf grown
		for bytes in $first $second "$size"; do
			head -c "$bytes" "odd/$name" >"$name"
			"$WINNOW" ingest grown "$name" >/dev/null 2>&1
		done
		tried=$((tried + 1))
		rows grown | cmp -s - whole.rows || wrong=$((wrong + 1))
	done
	echo "$name: $tried cuts, $wrong wrong"
done
# while it is cut, what is missing is said; when it has grown, no longer
head -c 900 odd/members.warc.gz >m.warc.gz
"$WINNOW" ingest m m.warc.gz >/dev/null; echo "exit $?"
"$WINNOW" sql m "select kind, detail from flaws"; "$WINNOW" sql m "select records, captures from files" --format tsv
cp odd/members.warc.gz m.warc.gz
"$WINNOW" ingest m m.warc.gz --json | grep -o '"\(records\|captures\|flaws\)": [0-9]*'
"$WINNOW" sql m "select kind, detail from flaws"; "$WINNOW" sql m "select records, captures from files" --format tsv

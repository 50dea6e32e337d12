# Archives in forms that strangers bring: the same seven records in each, from a file, a redirect and a pipe alike.
python3 "$CASES/odd_archives.py" odd
look() { "$WINNOW" verify --json "$@" | tr -d '\n' | sed 's/^.*"records": //; s/"flaws": //; s/ *}$//; s/  */ /g'; }
for file in odd/*; do
	name=${file#odd/} found=$(look "$file")
	echo "$name: $found"
	[ "$(look "$file" --threads 1)" = "$found" ] || echo "  one thread: $(look "$file" --threads 1)"
	[ "$(look - <"$file")" = "$found" ] || echo "  redirected: $(look - <"$file")"
	# shellcheck disable=SC2002
	[ "$(cat "$file" | look -)" = "$found" ] || echo "  piped: $(cat "$file" | look -)"
	# shellcheck disable=SC2002
	cat "$file" | "$WINNOW" index - | sed 's/"filename".*//; s/"offset": "[0-9]*", //; s/"length": "[0-9]*", //' >piped
	"$WINNOW" index "$file" | sed 's/"filename".*//; s/"offset": "[0-9]*", //; s/"length": "[0-9]*", //' | cmp - piped
	"$WINNOW" ingest "c-$name" "$file" >/dev/null || echo "  ingest: exit $?"
	# shellcheck disable=SC2002
	cat "$file" | "$WINNOW" ingest "p-$name" - >/dev/null || echo "  ingest from a pipe: exit $?"
	for c in "c-$name" "p-$name"; do
		"$WINNOW" sql "$c" "select url, stamp, kind, digest, offset, length from captures order by id" --format tsv
	done | sort | uniq -c | awk '$1 != 2 && $1 % 2' | head -n 2
done
echo "stacked codings are one document: $("$WINNOW" sql c-stacked-codings.warc "select count(distinct digest) from captures" --format tsv | tail -n 1)"
echo "without heads a type is guessed: $("$WINNOW" ls c-no-http-heads.warc --fields mime,words --format csv | sort -u | tr '\n' ' ')"
"$WINNOW" sql c-dates.warc "select stamp from captures order by id" --format tsv
"$WINNOW" sql c-arc-dates.arc "select stamp from captures order by id" --format tsv

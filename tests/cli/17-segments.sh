# Segmented records: in order, out of order, with one missing or twice, and over several files.
segment() { # NUMBER BLOCK [TOTAL]
	if [ "$1" = 1 ]; then type=resource id=first origin=; else type=continuation id="part-$1" origin='WARC-Segment-Origin-ID: <urn:seg:first>\r\n'; fi
	# shellcheck disable=SC2059
	printf "WARC/1.1\r\nWARC-Type: $type\r\nWARC-Record-ID: <urn:seg:$id>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://seg.test/\r\n"
	# shellcheck disable=SC2059
	printf "${origin}WARC-Segment-Number: $1\r\n${3:+WARC-Segment-Total-Length: $3\r\n}Content-Type: text/plain\r\nContent-Length: ${#2}\r\n\r\n$2\r\n\r\n"
}
show() { # NAME FILE...
	name=$1
	shift
	echo "== $name"
	"$WINNOW" verify "$@" | sed 's/\t[^\t]*\t*segment\t/ segment /'
	"$WINNOW" ingest "c-$name" "$@" >/dev/null
	"$WINNOW" show "c-$name" http://seg.test/ && echo
	"$WINNOW" sql "c-$name" "select url, bytes from captures order by id" --format tsv | sed 1d
}
{ segment 1 'one '; segment 2 'two '; segment 3 three 13; } >in-order.warc
{ segment 3 three 13; segment 1 'one '; segment 2 'two '; } >out-of-order.warc
{ segment 1 'one '; segment 3 three 13; } >missing.warc
{ segment 1 'one '; segment 2 'two '; segment 2 'TWO '; segment 3 three 13; } >twice.warc
{ segment 1 'one '; segment 2 'two '; } >no-end.warc
{ segment 1 'one '; segment 2 'two '; segment 3 three 99; } >wrong-total.warc
for name in in-order out-of-order missing twice no-end wrong-total; do show $name $name.warc; done
segment 1 'one ' >a.warc; segment 2 'two ' | gzip -n >b.warc.gz; segment 3 three 13 >c.warc
show over-files a.warc b.warc.gz c.warc
show other-order c.warc b.warc.gz a.warc
show alone a.warc
# the rest was there before
"$WINNOW" ingest later c.warc b.warc.gz >/dev/null; "$WINNOW" ingest later a.warc >/dev/null; "$WINNOW" show later http://seg.test/; echo
for threads in 1 2 5; do "$WINNOW" index --threads $threads a.warc b.warc.gz c.warc; done | uniq
# the rest arrives later, in two steps: the capture is made anew, once it is another one
told() { sed '/ of archive, /d'; }
"$WINNOW" ingest apart a.warc | told
"$WINNOW" search apart one --fields id >/dev/null || echo "not found"
"$WINNOW" ingest apart b.warc.gz | told
"$WINNOW" sql apart "select detail from flaws" --format tsv | sed 1d
"$WINNOW" ingest apart c.warc | told
"$WINNOW" text apart 1
"$WINNOW" sql apart "select count(*) from flaws union all select count(*) from captures union all select bytes from captures union all select payload_digest from captures" --format tsv | sed 1d
"$WINNOW" search apart three --fields id --format tsv | sed 1d
"$WINNOW" verify apart
# texts made anew are of all segments, too
"$WINNOW" ingest apart --reprocess --parse-all
"$WINNOW" text apart 1
# a flaw of the payload goes with the segment that was missing; what an ingest left undone is made good by the next one that skips the file
digest=$(printf 'one two three' | sha1sum | cut -d ' ' -f 1)
segment 1 'one ' | sed "s/^WARC-Segment-Number: 1/WARC-Payload-Digest: sha1:$digest\r\n&/" >d.warc
flaws() { "$WINNOW" sql "$1" "select kind from flaws order by kind" --format tsv | sed 1d | tr '\n' ' '; }
"$WINNOW" ingest undone d.warc b.warc.gz >/dev/null; flaws undone; echo
"$WINNOW" ingest --index-only undone c.warc >/dev/null
"$WINNOW" ingest undone c.warc >/dev/null; flaws undone; "$WINNOW" show undone http://seg.test/; echo

# What is wrong with a text is told once, whenever it is made: at once, after --index-only, anew.
http() { printf 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n%s' "$1" "$2"; }
record() { # URL TYPE BODY
	n=$(http "$2" "$3" | wc -c)
	printf 'WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n' "$1" "$1"
	printf 'Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n' "$n"
	http "$2" "$3"
	printf '\r\n\r\n'
}
{
	record http://a.example/sound 'text/html; charset=utf-8' '<p>nothing is wrong here'
	record http://a.example/bytes 'text/html; charset=utf-8' "<p>bytes $(printf '\377\376') of no charset"
	record http://a.example/label 'text/html; charset=klingon' '<p>a charset nobody knows'
} >f.warc
flaws() { "$WINNOW" sql "$1" "select f.kind, c.url, f.offset from flaws f left join captures c on c.id = f.capture order by 2, 1" --format tsv; }
"$WINNOW" ingest --json one f.warc | tr ',' '\n' | grep flaws
flaws one | tee one.flaws
"$WINNOW" ingest --index-only two f.warc >/dev/null
flaws two
"$WINNOW" ingest --reprocess --json two | tr ',' '\n' | grep flaws
flaws two | cmp - one.flaws && echo "as if it had been made at once"
"$WINNOW" ingest --reprocess --parse-all two
flaws two | cmp - one.flaws && echo "and not twice"
rm f.warc
"$WINNOW" ingest --reprocess --parse-all two >log 2>&1; echo "exit $?"
grep -c 'nothing to do' log
flaws two | cmp - one.flaws && echo "what cannot be read again keeps its flaws"

# Requests and metadata belong to captures of their own file, wherever batches end and however files come together.
record() { # TYPE ID ABOUT URL BLOCK
	case $1 in
	request) type='application/http; msgtype=request' ;;
	response) type='application/http; msgtype=response' ;;
	*) type=application/warc-fields ;;
	esac
	printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:r:%s>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://r.test/%s\r\n' "$1" "$2" "$4"
	[ -z "$3" ] || printf 'WARC-Concurrent-To: <urn:r:%s>\r\n' "$3"
	printf 'Content-Type: %s\r\nContent-Length: %s\r\n\r\n%b\r\n\r\n' "$type" "$(printf %b "$5" | wc -c)" "$5"
}
response() { record response "$1" '' "$2" "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n$2 of ${3:-all}\n"; }
post() { record request "q$1$3" "$1" "$2" "POST /$2 HTTP/1.1\r\nHost: r.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\n$3"; }
metadata() { record metadata "m$1" "$1" "$2" "via: http://from.test/$3\r\n"; }

# a: the record that the request and metadata of b name; c: what is said comes late, in another order, of a record that is
# there twice, and without a name
response x one a >a.warc
{ response x one b; post x one k=b; metadata x one b; } >b.warc
{
	response x one c; response y two; response z three; post y two k=2; metadata x one c; post x one k=c; metadata z three 3
	response x one again; response w four; post x one k=d
	post '' five k=5; response v five; response u six; post '' six k=6
} >c.warc
rows() { # COLLECTION: as the captures say, and as the index of URLs does
	"$WINNOW" sql "$1" "select file, offset, urlkey, via from captures order by 1, 2" --format tsv
	"$WINNOW" export "$1" --format cdxj -o index 2>/dev/null
	cut -d ' ' -f 1 index
	rm index
}
"$WINNOW" ingest all a.warc b.warc c.warc >/dev/null
rows all | tee expected
same() { # NAME
	rows some | diff expected - || echo "$1 differs"
	rm -r some
}
for threads in 1 8; do
	for batch in 1 2 3 4 5 6; do
		WINNOW_BATCH=$batch "$WINNOW" ingest --threads $threads some a.warc b.warc c.warc >/dev/null
		same "threads $threads, batches of $batch"
	done
	for order in 'a b c' 'c b a' 'b c a'; do
		# shellcheck disable=SC2086
		"$WINNOW" ingest --threads $threads some $(printf '%s.warc ' $order) >/dev/null
		same "threads $threads, $order"
		for name in $order; do "$WINNOW" ingest --threads $threads some "$name.warc" >/dev/null; done
		same "threads $threads, $order one by one"
	done
done
echo compared

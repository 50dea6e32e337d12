# serve: replay, Memento and the guard, as other programs see them.
"$WINNOW" ingest sample "$SAMPLE"/sample-*.warc.gz >/dev/null 2>&1
mkfifo ready
"$WINNOW" serve sample --listen 127.0.0.1:0 --quiet >ready 2>err &
server=$!
read -r link <ready
base=${link%/login*} token=${link##*=}
clean() { tr -d '\r' | sed "s|$base|BASE|g"; }
ask() { # NAME CURL-ARGUMENTS: status and the headers that matter
	printf '%s: ' "$1"; shift
	curl -s -o body -D head "$@"
	clean <head | sed -n '1s/^HTTP[^ ]* //p; /^\(location\|memento-datetime\|vary\|allow\|content-range\|x-winnow-[a-z]*\|preference-applied\):/Ip' | paste -sd'|' -
}
page=http://courier.example/wire/budget-gap
s=$base/sample
ask 'closest, then the exact one' "$s/2010mp_/$page"
ask 'exact' "$s/20100413071500mp_/$page"
ask 'unknown modifier' "$s/20100413071500xx_/$page"
ask 'three slashes' "$s/20100413071500mp_///courier.example/wire/budget-gap"
ask 'inside the period' "$s/2011mp_/http://courier.example/feed.xml"
ask 'archived error' "$s/20100413071700mp_/http://courier.example/missing"
ask 'archived redirect' "$s/20100413071610mp_/http://courier.example/old-page"
ask 'not archived' "$s/2010mp_/http://nowhere.example/"
ask 'fuzzy' "$s/20100413071500mp_/$page?_=1234567"
ask 'first byte' -H 'Range: bytes=0-0' "$s/20100413071500id_/$page"
ask 'last bytes' -H 'Range: bytes=-5' "$s/20100413071500id_/$page"
ask 'clipped' -H 'Range: bytes=840-9999' "$s/20100413071500id_/$page"
ask 'past the end' -H 'Range: bytes=9999-' "$s/20100413071500id_/$page"
ask 'head' -I "$s/20100413071500id_/$page"
ask 'post at another time' -d a=1 "$s/2010mp_/$page"
ask 'put' -X PUT "$s/2010mp_/$page"
ask 'options' -X OPTIONS "$s/2010mp_/$page"
ask 'timegate' "$s/$page"
ask 'timegate at a time' -H 'Accept-Datetime: Tue, 05 Oct 2010 07:16:10 GMT' "$s/$page"
ask 'timegate, raw' -H 'Prefer: raw' "$s/$page"
ask 'timegate, bad time' -H 'Accept-Datetime: yesterday' "$s/$page"
ask 'timegate, navigation' -H 'Sec-Fetch-Dest: document' "$s/$page"
ask 'service worker' -H 'Service-Worker: script' "$s/2010mp_/$page"
ask 'other host' -H 'Host: evil.example' "$s/2010mp_/$page"
ask 'no such collection' "$base/nothing/2010mp_/$page"
ask 'no url' "$s/2010mp_/"
ask 'bad timemap' "$s/timemap/foo/$page"
ask 'empty timemap' "$s/timemap/link/http://nowhere.example/"
ask 'wrong token' "$base/login?token=x"
ask 'token' "$base/login?token=$token"
curl -s "$s/timemap/link/$page" | clean
curl -s "$s/20100413071500mp_/$page" -D - -o /dev/null | clean | grep -i '^content-security-policy'
curl -s "$s/20100413071500mp_/$page" | grep -c 'href="/sample/20100413071500/http://courier.example/" target="_top"'
kill $server
wait $server
echo "ended $?"
cat err

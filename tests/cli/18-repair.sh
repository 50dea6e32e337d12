# repair tells what verify tells, replaces regular files only, and leaves nothing behind when it is stopped.
record() { # NUMBER TYPE DATE BLOCK [FIELD]: an empty TYPE or DATE is left out
	printf 'WARC/1.1\r\nWARC-Record-ID: <urn:test:%s>\r\n' "$1"
	[ -z "$2" ] || printf 'WARC-Type: %s\r\n' "$2"
	[ -z "$3" ] || printf 'WARC-Date: %s\r\n' "$3"
	[ -z "${5-}" ] || printf '%s\r\n' "$5"
	printf 'Content-Type: application/http; msgtype=response\r\nContent-Length: %s\r\n\r\n%s\r\n\r\n' "${#4}" "$4"
}
uri='WARC-Target-URI: http://example.test/'
day=2020-01-02T03:04:05Z
cr=$(printf '\r')
page="HTTP/1.1 200 OK$cr
Content-Encoding: gzip$cr
$cr
plain"
{
	record 1 response '' "$page" "$uri"
	record 2 response 'last Monday' "$page" "$uri"
	record 3 '' "$day" "$page" "$uri"
	record 4 response "$day" "$page"
	record 5 response "$day" "$page" "$uri$cr
WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	record 5 response "$day" "$page" "$uri"
	printf 'WARC/1.1\r\nWARC-Type: resp'
} >bad.warc
echo '# flaws'
"$WINNOW" repair bad.warc clean.warc; echo "exit $?"
"$WINNOW" repair bad.warc again.warc | sed 's/ *$//' | grep -v 'records read' | sort >repair.txt
"$WINNOW" verify -q bad.warc | sed 's/^bad.warc //; s/ *$//' | sort | diff - repair.txt && echo 'as verify tells'
grep -ac 'WARC-Date: 1970-01-01T00:00:00Z' clean.warc
grep -ac WARC-Payload-Digest clean.warc

echo '# a block that is too long for memory'
long=long.warc
{
	printf 'WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:test:long>\r\nWARC-Date: %s\r\n%s\r\n' "$day" "$uri"
	printf 'WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Length: 9000000\r\n\r\n'
	head -c 9000000 /dev/zero
	printf '\r\n\r\n'
} >$long
"$WINNOW" repair $long clean.warc; echo "exit $?"
"$WINNOW" verify clean.warc; echo "exit $?"
"$WINNOW" repair - none.warc <$long; echo "exit $?"

echo '# what a rename would destroy'
record 1 resource "$day" hello "$uri" >good.warc
mkfifo pipe; ln -s good.warc link; mkdir folder
for to in pipe link folder; do
	"$WINNOW" repair bad.warc $to; echo "exit $?"
done
[ -p pipe ] && [ -L link ] && [ -d folder ] && cat good.warc | head -1

echo '# stopped'
stopped() { # COMMAND...: reads the pipe, which has records before and after the signal
	"$WINNOW" "$@" & pid=$!
	exec 3>pipe
	cat good.warc >&3; kill -TERM $pid; cat good.warc good.warc >&3
	exec 3>&-
	wait $pid; echo "exit $?"
}
stopped repair pipe stopped.warc
ls | grep -c stopped

echo '# heads that are as large as a reader takes: with what the copy adds they would be larger'
python3 - <<'PY'
def record(i, extra=b"", uri=b""):
    block = b"HTTP/1.1 200 OK\r\n\r\nhello"
    return (b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
            b"WARC-Target-URI: http://a.test/%d%s\r\nContent-Type: application/http; msgtype=response\r\n" % (i, i, uri)
            + extra + b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n")
with open("heads.warc", "wb") as f:
    f.write(record(1))
    f.write(record(2, b"".join(b"X-%d: %d\r\n" % (k, k) for k in range(4088))))
    f.write(record(3, b"".join(b"X-%d: %s\r\n" % (k, b"v" * 1000) for k in range(1034))))
    f.write(record(4, uri=b"a b" * 300000))
    f.write(record(5, b"".join(b"X-%d: %d\r\n" % (k, k) for k in range(5000))))
    f.write(record(6, b"WARC-Concurrent-To: <urn:x:" + b"y" * 200000 + b">\r\nX: " + b"z" * 700000 + b"\r\n"))
PY
for out in heads-copy.warc heads-copy.warc.gz; do
	"$WINNOW" repair heads.warc $out | cut -c 1-60
	"$WINNOW" verify $out; echo "exit $?"
done
echo '-- a copy has no address that is none, and no digest of a body that verify finds elsewhere'
{
	printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI:\r\n http://example.test/1\r\n'
	printf 'WARC-IP-Address: None\r\nWARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: 23\r\n\r\nxHTTP/1.1 200 OK\r\n\r\nabc\r\n\r\n'
} >odd.warc
"$WINNOW" repair odd.warc odd-copy.warc; echo "exit $?"
"$WINNOW" verify odd-copy.warc
grep -a Target odd-copy.warc

# A page that is large beside what a thread may hold is made by itself, to the same texts, sets and links: many threads leave little to each.
python3 - <<'P'
import random
draw = random.Random(3)
words = ["%s%d" % (draw.choice("abcdefgh"), n) for n in range(3000)]
with open("large.warc", "wb") as out:
    for page in range(6):
        nav = "".join('<li><a href="/n%d/%d">part %d of it</a></li>' % (page, i, i) for i in range(300))
        text = "".join("<p>%s.</p>" % " ".join(draw.choice(words) for _ in range(120)) for _ in range(250 if page % 2 else 4))
        body = ("<html><head><title>Page %d</title></head><body><nav><ul>%s</ul></nav><article><h1>Story %d</h1>%s</article><footer>the end of page %d</footer></body></html>" % (page, nav, page, text, page)).encode()
        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        out.write(b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-00000000000%d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                  b"WARC-Target-URI: http://large.example/%d\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % (page, page, len(http)) + http + b"\r\n\r\n")
P
for threads in 1 16; do
	"$WINNOW" ingest c$threads large.warc --threads $threads --memory 512M --quiet >/dev/null || echo "exit $?"
	"$WINNOW" sql c$threads 'select url, title, words, shingles from documents order by url' --format csv >rows.$threads
	"$WINNOW" sql c$threads 'select count(*) from links' --format csv >>rows.$threads
	for page in 1 2; do "$WINNOW" text c$threads http://large.example/$page --main | cksum >>rows.$threads; done
	"$WINNOW" verify c$threads >/dev/null 2>&1 || echo "verify: $?"
done
cat rows.1
cmp rows.1 rows.16 && echo "the same with 16 threads"

# Documents that come as lines of JSON are texts, whatever they look like; what is none is named.
cat >d.jsonl <<'END'
{"id": "plain", "text": "the ferry to the island runs every hour in summer"}
{"id": "ctrl-z", "text": "the ferry to the island runs every two hours in winter\u001a"}
{"id": "overstruck", "text": "N\bNA\bAM\bME\bE the ferry to the island waits for the second bell"}
{"id": "markup", "text": "<html><p>tags are words here</p>"}
{"id": "pdf", "text": "%PDF-1.4 is how a file of that kind begins"}
{"id": "zero", "text": "one\u0000two three four five six"}
{"id": "blank", "text": " \n "}
{"id": "none"}
END
"$WINNOW" ingest c --jsonl d.jsonl --map id=id,text=text >/dev/null
"$WINNOW" stats c --json | grep -o '"no_text": {[^}]*}'
"$WINNOW" ls c --fields url,words,mime --sort url
"$WINNOW" text c urn:jsonl:markup
"$WINNOW" sql c 'select kind, detail from flaws'

# the same rows for any number of threads, with a text that is made alone, a blank line, and a last line without an end
seq 300 | awk '{ printf "{\"id\": \"%d\", \"text\": \"", $1; for (i = 0; i < ($1 == 150 ? 120000 : 40); i++) printf "w%d ", ($1 * i) % 977; print "\"}" } $1 == 9 { print " " }' >many.jsonl
printf '{"id": "last", "text": "no end of the line"}' >>many.jsonl
for n in 1 2 5; do
	"$WINNOW" ingest c$n --jsonl many.jsonl --map id=id,text=text --threads $n --memory 512M >/dev/null
	"$WINNOW" sql c$n 'select * from captures order by id' --format jsonl >$n.rows
	"$WINNOW" export c$n --format sets -o - >>$n.rows
	"$WINNOW" sql c$n 'select records, captures from files'
done
cmp 1.rows 2.rows && cmp 1.rows 5.rows && echo "one, two and five threads agree"

# a file that grew is continued, its last line read again
cp many.jsonl grown.jsonl
"$WINNOW" ingest grown --jsonl grown.jsonl --map id=id,text=text >/dev/null
printf '\n{"id": "next", "text": "one more line"}\n' >>grown.jsonl
"$WINNOW" ingest grown --jsonl grown.jsonl --map id=id,text=text | head -n 2
"$WINNOW" sql grown "select records, captures from files"
"$WINNOW" ls grown --where 'url ~ "(last|next)$"' --fields url,words

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

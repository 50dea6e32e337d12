# A line of JSON without a time that can be read is taken, and named: its document is dated 1970.
printf '{"t": "one text with words", "when": "2020-01-02"}\n{"t": "another text with words"}\n{"t": "a third text with words", "when": "soon"}\n' >lines.jsonl
"$WINNOW" ingest c --jsonl lines.jsonl --map text=t,id=n,time=when >/dev/null 2>&1; echo "exit $?"
"$WINNOW" sql c 'select id, time from captures' --format csv
"$WINNOW" sql c 'select kind, detail, capture from flaws' --format csv
echo '-- no time is asked for: no flaw'
"$WINNOW" ingest d --jsonl lines.jsonl --map text=t,id=n >/dev/null 2>&1; echo "exit $?"
"$WINNOW" stats d --json | grep -o '"flaws": {[^}]*}'

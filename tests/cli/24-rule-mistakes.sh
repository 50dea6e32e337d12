# Mistakes in rules: a line with a caret, what was expected, the nearest name, exit 2; also for rules no person writes.
while IFS= read -r rule; do
	"$WINNOW" explain "$rule" 2>&1 | head -n 4; "$WINNOW" explain "$rule" >/dev/null 2>&1; echo "exit $?"
done <<'R'
containment(a,b) >= 0
containment(a,b) >= 1.1
containment(a,b) >= 1e-300
containment(a,b) >= NaN
jaccard(a,b) >= -inf
a.time = "2010"
a.host = 5
a.hots = b.host
contaiment(a,b) >= 0.7
containment(a,b >= 0.7
containment(a,b) >= 0.7 and
(a.host = b.host
a.host ~ "(x)\1"
a.time <= b.time + 5
timestamp(di) ≥ timestamp(dj) − 604,800,000
containment(a.body, b.main) >= 0.5
a.host = b.host and containment(a,b) >= 0.7 + a.words / 1000
a.lang = "und" and jaccard(a,b) >= 0.8
jaccard(a,b) >= 0.8 and b.lang in ("en", "und")
0.7
R
"$WINNOW" ingest c "$SAMPLE/sample-spring-2010.warc.gz" >/dev/null
"$WINNOW" reduce c --rule "jaccard(a,b) >= 0.8" --where 'lang = "und"' 2>&1; echo "exit $?"
repeat() { awk -v s="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", s }'; }
huge() { "$WINNOW" reduce c --rule-file rule 2>&1 | head -n 1 | cut -c 1-120; "$WINNOW" reduce c --rule-file rule >/dev/null 2>&1; echo "exit $?"; }
{ repeat '(' 10000; printf 'a.host = b.host'; repeat ')' 10000; } >rule; huge
{ repeat 'not ' 10000; printf 'a.host = b.host'; } >rule; huge
{ repeat 'a.host = b.host and ' 500000; printf 'a.host = b.host'; } >rule; huge
{ repeat '(a.host = b.host or a.url = b.url) and ' 12; printf 'a.host = b.host'; } >rule; huge
printf 'a.host = \001b.host' >rule; huge
printf "" >empty.jsonl; "$WINNOW" ingest c --jsonl empty.jsonl --map id=id,text=text >/dev/null; "$WINNOW" reduce c --preset journlist; echo "exit $?"
"$WINNOW" explain journlist; echo "exit $?"

# a cover without the state of its run (its rows were put off) was solved again although nothing had changed
"$WINNOW" ingest -q c "$SAMPLE"/sample-*.warc.gz >/dev/null
"$WINNOW" reduce -q c --preset journalist --prefer newest --json >made.json
numbers() { grep -oE '"(documents|urls|shingles|kept|dropped|bytes|bytes_kept|components|proven_components|proven_by_certificate|lower_bound|gap|forced|dropped_by_missing|revision|cover|preference_proven)": [^,]*' "$1"; }
told() { grep -oE '"(documents_probed|components_resolved|kept_new|solved_whole_because)": [^,]*' updated.json; }
rm c/runs/000001.state
"$WINNOW" update -q c --cover 1 --json >updated.json; told
numbers made.json >made; numbers updated.json >updated; diff made updated && echo 'the same numbers'
"$WINNOW" update -q c --cover 1 --prefer stable --json >updated.json; told
"$WINNOW" check -q c --cover 1 >/dev/null; echo "check $?"
echo '-- without its proof it is solved'
rm c/runs/000001.seg
"$WINNOW" update -q c --cover 1 --json >updated.json; told
echo '-- and so it is after a change'
rm c/runs/*.state
printf '{"i": "x", "t": "a page that was not there before", "u": "http://new.example/"}\n' >x.jsonl
"$WINNOW" ingest -q c --jsonl x.jsonl --map id=i,text=t,url=u >/dev/null
"$WINNOW" update -q c --cover 1 --json >updated.json; told
"$WINNOW" check -q c --cover 1 >/dev/null; echo "check $?"

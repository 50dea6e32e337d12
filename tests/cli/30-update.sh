# update beside a fresh reduce on random sequences of ingest, rm and back-dated ingest; the long one is in the torture tests
python3 "$CASES/../oracle/update_twin.py" "$WINNOW" 3 20261 2>/dev/null
printf "" >empty.jsonl; "$WINNOW" ingest c --jsonl empty.jsonl --map id=id,text=text >/dev/null; "$WINNOW" update c; echo $?

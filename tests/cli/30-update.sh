# update beside a fresh reduce on random sequences of ingest, rm and back-dated ingest; the long one is in the torture tests
python3 "$CASES/../oracle/update_twin.py" "$WINNOW" 3 20261 2>/dev/null
"$WINNOW" update nowhere; echo $?

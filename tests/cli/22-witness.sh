# graph, csv and why beside the definition, for rules with and without a measure; the long one is in the torture tests
python3 "$CASES/../oracle/witness_twin.py" "$WINNOW" 4 20262

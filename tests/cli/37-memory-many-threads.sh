# with many threads reduce, check, update and preview took more than --memory: each thread has arrays of its own.
# RLIMIT_DATA counts what is private and can be written, stacks of threads too.
"$WINNOW" ingest -q c "$SAMPLE"/sample-spring-*.warc.gz >/dev/null
sh -c 'ulimit -d 131072; "$WINNOW" version || exit 1' >/dev/null 2>&1 && ulimit -d 131072 # a sanitizer takes more for itself
"$WINNOW" reduce -q c --preset journalist --memory 64M --threads 200 >/dev/null; echo "reduce $?"
"$WINNOW" check -q c --cover 1 --memory 64M --threads 200 >/dev/null; echo "check $?"
"$WINNOW" preview -q c --preset journalist --memory 64M --threads 200 >/dev/null; echo "preview $?"
"$WINNOW" ingest -q c --memory 512M "$SAMPLE"/sample-autumn-2010.warc.gz --threads 1 >/dev/null 2>&1 || echo "ingest $?"
"$WINNOW" update -q c --cover 1 --memory 64M --threads 200 >/dev/null; echo "update $?"

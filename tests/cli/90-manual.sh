# Every command has prose, examples that run, a man page that says what help says and parses, and a test; only failures are printed.
cat "$SAMPLE"/sample-*.warc.gz >sample.warc.gz
cp "$SAMPLE"/sample-*.warc.gz .
mkdir crawls && cp "$SAMPLE/sample-spring-2010.warc.gz" crawls/
printf 'url,section\nhttp://gazette.example/,front\nhttp://gazette.example/ferry.html,harbour\n' >sections.csv
printf '{"n":1,"body":"a text of its own","when":"2010-04-12T06:00:00Z","at":"http://gazette.example/x"}\n' >pages.jsonl
{
	"$WINNOW" ingest sample sample-spring-2010.warc.gz sample-autumn-2010.warc.gz sample-spring-2011.warc.gz
	"$WINNOW" reduce sample --preset journalist --name first
	"$WINNOW" reduce sample --preset near-duplicate --name second
	"$WINNOW" export sample --format wacz --what all -o extra.wacz
	"$WINNOW" index sample.warc.gz >sample.cdxj
} >log 2>&1 || cat log
root=$(cd "$CASES/../.." && pwd)
mkdir ../"${PWD##*/}.run" && run=$(cd ../"${PWD##*/}.run" && pwd)
trap 'rm -rf "$run"' EXIT
bin=$(dirname "$WINNOW")
words() { tr -c 'A-Za-z0-9' '\n' | grep -v '^$' | sort -u; }
tab=$(printf '\t')
"$WINNOW" help --list >list
while IFS=$tab read -r kind name text; do
	case $kind in
	example)
		rm -rf "$run" && cp -r . "$run"
		# a server does not end by itself, and its usual port may be taken
		limit=20
		[ "$name" != serve ] || limit=2
		(cd "$run" && PATH="$bin:$PATH" WINNOW_LISTEN=127.0.0.1:0 && export PATH WINNOW_LISTEN && timeout $limit sh -c "$text") >log 2>&1 </dev/null
		rc=$?
		[ $rc -eq 0 ] || [ "$name/$rc" = serve/124 ] || { echo "$name: exit $rc of: $text"; cat log; }
		;;
	command | topic)
		[ "$kind" = command ] || name=$name.7
		"$WINNOW" help "$name" >text.help || echo "$name: no help"
		"$WINNOW" help "$name" --man >page || echo "$name: no man page"
		mandoc -T lint -W error page || echo "$name: its man page has errors"
		mandoc -T utf8 -O width=400 page | sed 's/.\x08//g' | words >words.man
		sed 's/^usage:.*//; s/^options$//; s/^common options$//; s/^examples$//' text.help | words >words.help
		comm -23 words.help words.man >missing
		[ -s missing ] && { echo "$name: these words of its help are not in its man page:"; cat missing; }
		[ "$kind" = topic ] && continue
		[ "$(wc -w <text.help)" -gt 40 ] || echo "$name: its help says nothing"
		grep -q "^example$tab$name$tab" list || echo "$name: it has no example"
		grep -rqE "(WINNOW\"|winnow\"?) +$name([^a-z]|$)" "$root/tests" --include='[0-8]*' || echo "$name: no test uses it"
		;;
	esac
done <list
[ "$(grep -c '^command' list)" -gt 20 ] && echo "commands, topics and examples were walked"

# Looking at a collection: stats, ls, show, text, links, search.
"$WINNOW" ingest c "$SAMPLE/sample-spring-2010.warc.gz" "$SAMPLE/sample-autumn-2010.warc.gz" "$SAMPLE/sample-spring-2011.warc.gz" >/dev/null
"$WINNOW" stats c --json
"$WINNOW" stats c
"$WINNOW" ls c
"$WINNOW" ls c --where "lang = 'de' and words > 20" --fields time,url,title --format csv
"$WINNOW" ls c --sort -words --limit 3 --fields words,url,id
"$WINNOW" ls c --fields id,url,urlkey,time,stamp,host,domain,mime,status,title,lang,charset,bytes,words,shingles,digest,payload_digest,content,published,file,offset,length,via,crawl --format jsonl --limit 2
"$WINNOW" ls c --where "host = 'nowhere.test'"; echo "exit $?"
"$WINNOW" ls c --where 'time >= 2011 and status = 200' --fields stamp,url --format table
"$WINNOW" show c http://gazette.example/ --headers
"$WINNOW" show c http://gazette.example/@2010 --headers | head -n 2
"$WINNOW" show c http://hafenblatt.example/ja/ --payload | md5sum
"$WINNOW" show c 1 --record | head -n 3
"$WINNOW" show c 1 --raw | md5sum
"$WINNOW" text c http://hafenblatt.example/ru/
"$WINNOW" text c http://gazette.example/ferry.html --main
"$WINNOW" links c http://gazette.example/
"$WINNOW" links c http://gazette.example/ --format jsonl | head -n 1
"$WINNOW" search c library saturdays
"$WINNOW" search c '"keeps the library"' --where 'time >= 2011' --format jsonl
"$WINNOW" search c 'libr* -saturdays' --limit 2 --format tsv
"$WINNOW" search c 'title:ferry or title:budget' --format csv
"$WINNOW" diff c http://gazette.example/2010/04/budget.html@20100412 http://gazette.example/2010/04/budget.html
"$WINNOW" diff c http://gazette.example/ferry.html@20100412 http://gazette.example/ferry.html@20101004; echo "exit $?"
"$WINNOW" diff c 1 2 --html | head -n 1 | cut -c1-80
"$WINNOW" diff c 1 2 --unit line | head -n 3
"$WINNOW" version | sed -n 's/[0-9].*//p' | head -n 1
"$WINNOW" version --json | grep -o '"[a-z0-9]*":' | sort
for shell in bash zsh fish; do "$WINNOW" completion $shell | grep -c ingest | sed "s/^0/none in $shell/; s/^[1-9].*/$shell/"; done
# Of a collection of main texts, shingles are those of the main text wherever they are shown.
"$WINNOW" ingest m "$SAMPLE/sample-spring-2010.warc.gz" --text main >/dev/null
"$WINNOW" reduce m --preset exact -q --where 'has(lang)' >/dev/null
"$WINNOW" ls m --where 'has(lang)' --fields id,shingles --format csv | sort >listed
"$WINNOW" export m --cover 1 --format csv -o - -q | cut -d, -f1,7 | sort | diff - listed && echo same
"$WINNOW" ls m --where 'shingles > 30' --sort -shingles --fields shingles,url
"$WINNOW" stats m --json | grep -o '"shingles": [0-9]*'
"$WINNOW" sql m 'select sum(shingles) as body, sum(shingles_main) as main from contents'

# Words of 255, 256 and more bytes in a title: the index of words stays readable, also when it is merged and made again.
word() { head -c "$1" /dev/zero | tr '\0' k; }
for n in 255 256 257 400; do
	printf '{"id":"%s","title":"%s","text":"hello from %s"}\n' $n "$(word $n)" $n >$n.jsonl
	"$WINNOW" ingest c --jsonl $n.jsonl --map id=id,text=text,title=title >/dev/null
done
for n in 1 2 3 4 5 6 7 8; do # segments enough for a merge
	printf '{"id":"n%s","title":"%s","text":"number %s"}\n' $n "$(word 300)" $n >n$n.jsonl
	"$WINNOW" ingest c --jsonl n$n.jsonl --map id=id,text=text,title=title >/dev/null
done
found() { "$WINNOW" search c "$1" --fields id --format tsv | sed 1d | sort -n | tr '\n' ' '; echo; }
found hello
found "title:$(word 255)"
found "title:$(word 256)"
"$WINNOW" verify c
rm -r c/fulltext
"$WINNOW" ingest c --reprocess
found hello
found "title:$(word 256)"

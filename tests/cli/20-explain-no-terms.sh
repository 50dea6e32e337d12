# explain said of every rule that a document with no terms is covered only by its like, which is not so below a threshold
for rule in 'jaccard(a,b) >= 0.5' '0 < dice(a,b)' 'jaccard(a,b) < 0.5 and a.host = b.host' 'not containment(a,b) < 0.3' 'shared(a,b) >= 0 and a.host = b.host' \
	'shared(a,b) >= 3' 'jaccard(a,b) >= 0.5 or a.url = b.url' 'jaccard(a,b) >= 0.5 and (a.url = b.url or a.host = b.host)'; do
	"$WINNOW" explain "$rule" 2>&1 | grep -E '^(content|winnow)' | sed "s/^/$(echo "$rule" | cut -c 1-30): /"
done

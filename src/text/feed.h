/* text/feed.h -- RSS, RDF and Atom as a reader sees them: titles, texts, links.
 *
 * A forgiving reader of XML: no DTD, no external entities, no nesting limit
 * needed because it keeps no tree.  Escaped or CDATA HTML inside items
 * is plain text here with its tags dropped and block tags as line breaks.
 * Cost: one pass; memory is the text.
 */
#ifndef WINNOW_TEXT_FEED_H
#define WINNOW_TEXT_FEED_H
#include "base/arena.h"

struct feed_link {
	struct str url;	   /* as written, white space trimmed, entities decoded */
	struct str anchor; /* the title of its item */
};

struct feed {
	struct str title;     /* of the channel */
	struct str text;      /* titles and texts, a line each, title of the channel first */
	struct str lang;      /* <language> or xml:lang, as written */
	struct str published; /* newest date written, as written */
	struct feed_link *links;
	size_t n_links;
	size_t items;
	bool cut; /* LIMIT_TEXT was reached */
};

/* True when the payload (UTF-8) begins like a feed: its first element is rss,
 * feed or rdf:RDF. */
bool feed_is(struct str payload);

/* Reads what it can; never fails.  All slices are in the arena. */
void feed_read(struct arena *a, struct str payload, struct feed *out);
#endif

/* fulltext/search.h -- asking the full-text index.
 *
 * The language:
 *	word            a term; what is cut into several terms is a phrase (don't = "don t")
 *	"some words"    these terms in a row
 *	pre*            any term that begins so
 *	-x, not x       without x
 *	title:x         x in the title
 *	x y             both        x or y     either       ( ... )  as one
 * `or` binds weaker than standing side by side.  A query that only excludes is
 * an error, as is one without a term.
 *
 * BM25 (k1 = 1.2, b = 0.75) in whole 2^-20ths, so that sums do not depend on
 * their order: the result is the same however the index is cut in segments.
 * A phrase counts as one term whose weight is the sum of its terms' weights; a prefix
 * adds one.  Ties go to the smaller content.
 */
#ifndef WINNOW_FULLTEXT_SEARCH_H
#define WINNOW_FULLTEXT_SEARCH_H
#include "base/arena.h"
#include "base/err.h"

struct ftquery; /* parsed; lives in the arena it was parsed into */
/* WN_USAGE with column and reason for a bad query. */
int ftquery_parse(struct arena *a, struct str text, struct ftquery **out, struct err *err);

struct ftreader; /* a committed state of the index; const, shared by threads */
int ftreader_open(struct ftreader **out, const char *dir, struct err *err); /* a missing directory is an empty index */
void ftreader_close(struct ftreader *r);
uint64_t ftreader_contents(const struct ftreader *r);

struct fthit {
	uint64_t content;
	double score;
};
struct ftfilter {	      /* both may be unset; a content passes when all that is set says so */
	const uint64_t *bits; /* bit c set: content c passes; contents >= n_bits do not */
	uint64_t n_bits;
	bool (*test)(void *context, uint64_t content);
	void *context;
};

/* The best `limit` contents, best first; hits has room for limit.  filter may be NULL. */
int ftsearch_top(const struct ftreader *r, const struct ftquery *q, const struct ftfilter *filter, size_t limit,
		 struct fthit *hits, size_t *n, struct err *err);
/* Every match, ascending within a segment, segments in no order that matters:
 * calls each(context, content) until it returns non-zero, which is returned. */
int ftsearch_each(const struct ftreader *r, const struct ftquery *q, int (*each)(void *context, uint64_t content),
		  void *context, struct err *err);
/* Sets bit c for every match c < n_bits (bits has room and is not cleared first); *count matches in all. */
int ftsearch_bits(const struct ftreader *r, const struct ftquery *q, uint64_t *bits, uint64_t n_bits, uint64_t *count,
		  struct err *err);

struct ftmark {
	uint32_t at, n; /* bytes of the text to highlight */
};
struct ftsnippet {
	struct str text; /* a piece of the text, cut at terms */
	bool cut_before, cut_after;
	struct ftmark *marks; /* within text */
	size_t n_marks;
};
/* The piece of at most about max_bytes with the most of what the query asks for. */
struct ftsnippet ftquery_snippet(struct arena *a, const struct ftquery *q, struct str text, size_t max_bytes);

/* Does a text match?  The slow twin: reads the text, uses no index. */
bool ftquery_matches(const struct ftquery *q, struct str title, struct str body);
#endif

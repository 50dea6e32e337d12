/* fulltext/query.h -- a parsed search; the language is in search.h.
 *
 * A tree: leaves are terms, phrases and prefixes; FT_ALL has children that must
 * all match and may have children that must not; FT_ANY has children of which one must.
 * A word that is cut into nothing is left out; lists of one are the one itself.
 */
#ifndef WINNOW_FULLTEXT_QUERY_H
#define WINNOW_FULLTEXT_QUERY_H
#include "fulltext/search.h"
#include "fulltext/segment.h"

enum ft_kind { FT_TERM, FT_PHRASE, FT_PREFIX, FT_ALL, FT_ANY };

struct ftquery {
	enum ft_kind kind;
	enum ft_field field; /* of a leaf */
	bool excluded;	     /* as a child of FT_ALL: must not match */
	struct str *terms;   /* of a leaf: folded; a phrase has several */
	size_t n_terms;
	struct ftquery *first, *next; /* children, siblings */
	unsigned n_children;
	unsigned leaves; /* of the root: all of them, for arrays */
	unsigned leaf;	 /* number of a leaf, in order of the text */
};
#endif

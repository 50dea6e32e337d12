/* flow/selection.h -- the documents a person means, with what is known of them.
 *
 * selection_load reads the catalogue once, in canonical order (urlkey, time,
 * digest, url, file name, offset), keeps the captures that the selection picks,
 * and fills one column per attribute that was asked for.  The documents of a
 * run are then the numbers 0 .. n-1; nothing below knows ids.
 */
#ifndef WINNOW_FLOW_SELECTION_H
#define WINNOW_FLOW_SELECTION_H
#include "flow/collection.h"
#include "rule/eval.h"

struct selection_request {
	const struct rule *where; /* NULL: the default below */
	bool captures;		  /* also those without a document (ls); the default where is then everything */
	bool needs[ATTR_LIMIT];	  /* attributes wanted in the columns, beside those of where */
	uint64_t min_versions;	  /* only urlkeys with so many selected captures */
	const uint64_t *only;	  /* NULL: all; else only these captures, in this order, at the cost of so many seeks */
	size_t n_only;
	bool sizes;	/* also those of the sets */
	bool catalogue; /* captures as the catalogue has them, not as they were kept beside the runs */
};

struct selection {
	size_t n;
	uint64_t *id;		     /* capture, by document */
	uint64_t *content;	     /* 0: none */
	uint64_t *url;		     /* equal for captures of one urlkey, which are neighbours */
	uint32_t *shingles[2];	     /* of body and main text, if asked for */
	uint64_t captures, revision; /* all there are in the catalogue; which one was read */
	struct columns columns;
	struct {
		uint64_t no_text, status, where, versions;
	} excluded; /* how many captures were left out, and why */
};

/* Attributes that no command computes yet, as bits. */
#define SELECTION_UNCOMPUTED (1ull << ATTR_RANK | 1ull << ATTR_INLINKS | 1ull << ATTR_OUTLINKS)

/* The environment of rules on this collection: its imported attributes and settings. */
int selection_env(struct collection *coll, struct arena *a, enum rule_kind kind, struct rule_env *out, struct err *err);

int selection_load(struct selection *out, struct collection *coll, const struct selection_request *q, struct err *err);
void selection_release(struct selection *s); /* zero is fine */
/* Some of its documents, ascending, as a selection of their own. */
void selection_part(struct selection *out, const struct selection *in, const uint32_t *docs, size_t n);
/* The number of the document with that capture id; false when it is not selected. */
bool selection_find(const struct selection *s, uint64_t id, uint32_t *out);
#endif

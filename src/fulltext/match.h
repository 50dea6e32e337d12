/* fulltext/match.h -- a query at work in one segment: documents that match, in order, with scores.
 *
 * A tree of matchers mirrors the query.  Every matcher has a present doc and
 * can be sent to the first doc >= a target; scores are asked for only where
 * wanted.  Scores are whole numbers of 2^-20: adding them in any order gives
 * the same.
 */
#ifndef WINNOW_FULLTEXT_MATCH_H
#define WINNOW_FULLTEXT_MATCH_H
#include "fulltext/manifest.h"
#include "fulltext/query.h"

#define FT_UNIT 1048576.0f /* one, in scores */
#define FT_K1 1.2
#define FT_B 0.75
/* Three roundings of 2^-24 of a score below 2^26: a bound computed from greater inputs is safe with this much more. */
#define FT_SLACK 16

struct ftreader {
	struct ftmanifest m;
	uint64_t contents, tokens[FT_FIELDS]; /* live */
};

struct ftplan { /* of one query, for all segments */
	const struct ftreader *r;
	float k[FT_FIELDS][256]; /* k1 * (1 - b + b * length / average) by norm */
	float *weights;		 /* by leaf: idf * (k1 + 1), in units */
	struct ftterm **terms;	 /* by leaf and part: n_terms each; df = 0 where a term is absent */
};
void ftplan_make(struct ftplan *p, struct arena *a, const struct ftreader *r, const struct ftquery *q, struct err *err,
		 int *rc);

struct matcher {
	const struct ftquery *q;
	uint32_t doc;
	const struct ftseg *s;
	/* a leaf */
	float weight;
	const float *k;
	const uint8_t *norms;
	struct ftcursor *cursors; /* one a term, in the order of the text */
	uint32_t n_cursors, tf;	  /* tf: of a phrase in doc */
	uint32_t **positions;
	uint32_t *positions_cap;
	uint64_t *bits; /* of a prefix */
	/* a node */
	struct matcher **wanted, **unwanted;
	unsigned n_wanted, n_unwanted;
	uint64_t cost; /* about how many docs */
};

/* The tree of q in part number `part`, in the arena (release it with matcher_release). */
struct matcher *matcher_new(struct arena *a, const struct ftplan *p, const struct ftquery *q, size_t part,
			    struct err *err, int *rc);
void matcher_release(struct matcher *m);
uint32_t matcher_seek(struct matcher *m, uint32_t target); /* the first match >= target; FT_DONE when none */
uint64_t matcher_score(struct matcher *m);		   /* of the present doc */
int matcher_error(const struct matcher *m, struct err *err);

static inline uint32_t ft_score(float weight, uint32_t tf, float k)
{
	return (uint32_t)(weight * (float)tf / ((float)tf + k));
}
#endif

/* flow/preview.h -- what a rule would do, in about a second: an estimate with
 * its interval, a curve over thresholds, examples.
 *
 * Documents are partitioned into blocks, whole blocks are drawn (cover/preview.h)
 * until a budget of shingles is spent, and the exact cover of the drawn blocks
 * is found by the same join and solver as in reduce.  The budget is counted in
 * shingles, not in time: same collection, rule and seed, same answer.
 *
 *	BLOCKS_ALL	everything is joined: the answer is exact
 *	BLOCKS_KEY	equal keys of the rule; no pair lies across blocks
 *	BLOCKS_URL	no key, or too large blocks: captures of one URL
 *
 * By URLs, pairs across blocks are found by a share of the shingles of all documents; where these are too many for that,
 * what is dropped is a lower bound.  docs/algorithm/preview.md has the method and how often it holds.
 */
#ifndef WINNOW_FLOW_PREVIEW_H
#define WINNOW_FLOW_PREVIEW_H
#include "base/json.h"
#include "cover/preview.h"
#include "flow/acl.h"
#include "flow/selection.h"

enum preview_blocks { BLOCKS_ALL, BLOCKS_KEY, BLOCKS_URL };

struct preview_request {
	struct str rule;
	const char *where; /* NULL: documents with status 200 or none */
	uint64_t min_versions;
	const struct acl *acl; /* what it hides is not there: not selected, not counted.  NULL: nothing is hidden */
	struct str user;       /* as the rules know the one who asks */
	uint64_t seed;	       /* 0: 1 */
	uint64_t budget;       /* shingles; 0: PREVIEW_SHINGLES */
	uint64_t memory;       /* for the index of a join; 0: as much as it asks for */
	unsigned threads;
};

struct preview_point {
	unsigned threshold; /* hundredths */
	struct preview_interval kept;
};

enum preview_why { EXAMPLE_TYPICAL, EXAMPLE_BORDERLINE, EXAMPLE_SURPRISING };

struct preview_page {
	uint64_t id, shingles, words;
	struct str url, title;
	int64_t time;
	struct str urlkey;
};

struct preview_example { /* dropped as long as by is kept */
	enum preview_why why;
	struct preview_page dropped, by;
	uint64_t shared;
	double score; /* of the rule's first measure; NaN without one */
};

#define PREVIEW_POINTS 7
#define PREVIEW_EXAMPLES 9

struct preview_report {
	struct arena arena;
	struct str rule, sha256, selection;
	enum preview_blocks blocks_by;
	bool lower_bound; /* more than estimated may be dropped, by pairs across blocks */
	double
	    narrowed; /* share of their shingles by which all documents were compared beside the sample; 0: were not */
	uint64_t documents, bytes, blocks, sampled_blocks, sampled_documents, sampled_shingles, seed, revision;
	struct preview_interval kept, dropped, bytes_kept;
	const char *measure; /* of the curve; NULL: the rule has no threshold */
	struct preview_point curve[PREVIEW_POINTS];
	size_t n_curve;
	struct preview_example examples[PREVIEW_EXAMPLES];
	size_t n_examples;
	double seconds;
};

int preview_run(struct collection *coll, const struct preview_request *q, struct preview_report *out, struct err *err);
void preview_report_json(const struct preview_report *r, struct json *j);
void preview_report_release(struct preview_report *r);
const char *preview_why_name(enum preview_why why);
/* How the documents were divided, in words. */
const char *preview_blocks_name(enum preview_blocks by);
#endif

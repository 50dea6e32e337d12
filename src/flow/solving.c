/* flow/solving.c -- see solving.h.
 *
 * Of a kernel with open documents some rows are solved; who is uncovered then
 * gives further rows, until nobody is (join/grow.c says why that is the answer).
 * A cover that is only to show which rows are missing needs no proof: it gets few
 * nodes of search.  The one that leaves nothing uncovered gets all of them, and
 * may leave something again.
 *	Where that does not end (SOLVING_ROUNDS, SOLVING_EDGES, the time limit, which is
 * one for all turns), what is uncovered is covered as well as can be, and the bound
 * is that of the rows: valid, not proven.
 */
#include "flow/solving.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"

#define SOLVING_NODES 2	 /* of search, while rows are missing */
#define SOLVING_BYTES 20 /* that an entry of a row takes while it is solved: the list, the instance and its transpose */
#define SOLVING_LEAST (64u << 20) /* no bound is taken to be smaller */
#define SOLVING_ROUNDS 64
#define SOLVING_EDGES (1u << 23)
#define SOLVING_MOMENT 1e-3 /* seconds: the limit of a turn that has no time left */

static int check_memory(const struct kernel *k, const struct join_options *o, struct err *err)
{
	uint64_t edges = k->graph.start[k->graph.n], bytes = edges * SOLVING_BYTES,
		 memory = o->memory > SOLVING_LEAST ? o->memory : SOLVING_LEAST;

	if (!o->memory || bytes <= memory)
		return WN_OK;
	return err_set(err, WN_LIMIT,
		       "the minimum cover asks for %" PRIu64 " pairs, which take about %" PRIu64
		       " MB to solve: give --memory %" PRIu64
		       "M, or a rule with a higher threshold or another equality",
		       edges, bytes >> 20, (bytes >> 20) + 1);
}

static bool proven(const struct cover_result *r) { return r->lower_bound == r->kept_count && r->value_proven; }

static int solve_rows(struct cover_problem *p, const struct kernel *k, const struct join_options *o,
		      struct cover_result *out, struct err *err)
{
	int rc;

	p->n = k->graph.n;
	p->start = k->graph.start;
	p->by = k->graph.by;
	p->fold = k->fold;
	p->covered = k->open;
	if ((rc = check_memory(k, o, err)) < 0)
		return rc;
	return cover_solve(p, out, err);
}

static bool row_covered(const struct kernel *k, uint32_t d, const uint8_t *kept)
{
	bool covered = kept[d];

	for (uint64_t i = k->graph.start[d]; i < k->graph.start[d + 1] && !covered; i++)
		covered = kept[k->graph.by[i]];
	return covered;
}

/* The document that covers most of the rows that were given last and are uncovered; UINT32_MAX: none is. */
static uint32_t best_coverer(const struct kernel *k, const uint8_t *was_open, const uint8_t *kept)
{
	uint32_t *count = mem_zarray((size_t)k->graph.n + 1, sizeof *count), best = UINT32_MAX;

	for (uint32_t d = 0; d < k->graph.n; d++) {
		if (!was_open[d] || k->open[d] || row_covered(k, d, kept))
			continue;
		count[d]++;
		for (uint64_t i = k->graph.start[d]; i < k->graph.start[d + 1]; i++)
			count[k->graph.by[i]]++;
	}
	for (uint32_t d = 0; d < k->graph.n; d++)
		if (count[d] && (best == UINT32_MAX || count[d] > count[best]))
			best = d;
	mem_free(count);
	return best;
}

/* One more document is kept than the rows ask for: its component is not proven any more. */
static void keep_more(struct cover_result *r, uint32_t d, uint32_t n)
{
	struct cover_component *c;
	uint32_t at;

	r->kept[d] = 1;
	r->kept_count++;
	r->value_proven = false;
	for (at = d; r->component[at] == COVER_NO_COMPONENT && at + 1 < n;)
		at++;
	if (r->component[at] == COVER_NO_COMPONENT)
		return;
	c = &r->components[r->component[at]];
	c->kept++;
	c->best_value = false;
	r->by_status[c->status]--;
	c->status = COVER_BOUNDED;
	r->by_status[c->status]++;
}

/* Keeps more, until nothing is uncovered. */
static int complete(struct kernel *k, const struct join_query *q, const struct join_options *o, uint32_t grown,
		    uint8_t *was_open, struct cover_result *out, struct err *err)
{
	int rc = WN_OK;

	while (grown && rc == WN_OK) {
		for (uint32_t b; (b = best_coverer(k, was_open, out->kept)) != UINT32_MAX;)
			keep_more(out, b, k->graph.n);
		memcpy(was_open, k->open, k->graph.n);
		rc = kernel_grow(k, q, o, out->kept, 0, &grown, err);
	}
	return rc;
}

/* What of the time limit is left for this turn; 0: there is no limit. */
static double time_left(double deadline)
{
	double left = deadline - progress_clock();

	return deadline == 0 ? 0 : left > SOLVING_MOMENT ? left : SOLVING_MOMENT;
}

static int solve_in_turns(struct cover_problem *p, struct kernel *k, const struct join_query *q,
			  const struct join_options *o, struct cover_result *out, struct err *err)
{
	double limit = p->time_limit, deadline = limit > 0 ? progress_clock() + limit : 0;
	uint64_t nodes = p->node_budget;
	uint8_t *was_open = mem_alloc((size_t)k->graph.n + 1);
	uint32_t grown = 0;
	int rc;

	p->node_budget = SOLVING_NODES;
	rc = kernel_grow(k, q, o, NULL, 0, &grown, err);
	for (unsigned round = 1; rc == WN_OK; round++) {
		bool late;

		cover_result_release(out);
		p->time_limit = time_left(deadline);
		memcpy(was_open, k->open, k->graph.n);
		if ((rc = solve_rows(p, k, o, out, err)) < 0 ||
		    (rc = kernel_grow(k, q, o, out->kept, round, &grown, err)) < 0)
			break;
		if (grown == 0 && (p->node_budget == nodes || proven(out)))
			break;
		late = deadline > 0 && progress_clock() >= deadline;
		out->timed_out |= late;
		if (late || (grown && (round == SOLVING_ROUNDS || k->graph.start[k->graph.n] > SOLVING_EDGES))) {
			rc = complete(k, q, o, grown, was_open, out, err);
			break;
		}
		if (grown == 0)
			p->node_budget = nodes;
	}
	p->node_budget = nodes;
	p->time_limit = limit;
	mem_free(was_open);
	return rc;
}

int solving_run(struct cover_problem *p, struct kernel *k, const struct join_query *q, const struct join_options *o,
		struct cover_result *out, struct err *err)
{
	int rc;

	*out = (struct cover_result){ 0 };
	rc = k->open ? solve_in_turns(p, k, q, o, out, err) : solve_rows(p, k, o, out, err);
	if (rc < 0)
		cover_result_release(out);
	return rc;
}

/* flow/solving.c -- see solving.h.
 *
 * Of a kernel with open documents some rows are solved; who is uncovered then
 * gives further rows, until nobody is (join/grow.c says why that is the answer).
 * A cover that is only to show which rows are missing needs no proof: it gets few
 * nodes of search.  The one that leaves nothing uncovered gets all of them, and
 * may leave something again.
 *	Quotas leave a minimum so much freedom that covers of some rows would change
 * from turn to turn and leave ever other documents uncovered.  So a turn begins with
 * the cover of the one before; the first has the rows that the rule needs without
 * quotas; and since the bound of any turn holds, so does the best of them, and a cover
 * that is as small need not be the minimum of the rows that are there at the end.
 *	Where that does not end (SOLVING_TURNS, SOLVING_EDGES, the time limit, which is
 * one for all turns), what is uncovered is covered as well as can be, and the bound
 * is that of the rows: valid, not proven.
 */
#include "flow/solving.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "cover/classes.h"

#define SOLVING_NODES 2	 /* of search, while rows are missing */
#define SOLVING_BYTES 20 /* that an entry of a row takes while it is solved: the list, the instance and its transpose */
#define SOLVING_LEAST (64u << 20) /* no bound is taken to be smaller */
#define SOLVING_TURNS 1024
#define SOLVING_VALUED 16 /* turns for the preference, where quotas are asked for too: these are long */
#define SOLVING_EDGES (1u << 23)
#define SOLVING_MOMENT 1e-3 /* seconds: the limit of a turn that has no time left */

/* Rows in turns. */
struct turns {
	struct kernel *k;
	const struct join_query *q;
	const struct join_options *o;
	struct cover_problem rest; /* all but the rows that were open */
	struct classes classes;	   /* with these */
	unsigned turn;
	uint32_t grown;	      /* rows that came last */
	uint8_t *kept, *best; /* by the last turn, and what was added; the smallest that left nothing uncovered */
	uint32_t kept_count, best_count;
	bool value_proven, best_value_proven; /* of these */
	struct cover_result proof;	      /* of the turn with the best bound */
	double deadline;		      /* 0: none */
};

static int check_memory(uint64_t edges, const struct join_options *o, struct err *err)
{
	uint64_t bytes = COVER_MEMORY + edges * SOLVING_BYTES, least = COVER_MEMORY + SOLVING_LEAST,
		 memory = o->memory > least ? o->memory : least;

	if (!o->memory || bytes <= memory)
		return WN_OK;
	return err_set(err, WN_LIMIT,
		       "the minimum cover asks for %" PRIu64 " pairs, which take about %" PRIu64
		       " MB to solve: give --memory %" PRIu64
		       "M, or a rule with a higher threshold or another equality",
		       edges, bytes >> 20, (bytes >> 20) + 1);
}

static void take_row(void *context, uint32_t doc, const uint32_t *by, size_t n) { classes_add(context, doc, by, n); }

static int grow(struct turns *t, const uint8_t *kept, struct err *err)
{
	return kernel_grow(t->k, t->q, t->o, kept, take_row, &t->classes, &t->grown, err);
}

static bool is_plain(const struct turns *t) { return !t->rest.prefer && !t->rest.previous; }

/* What of the time limit is left; 0: there is no limit. */
static double time_left(double deadline)
{
	double left = deadline - progress_clock();

	return deadline == 0 ? 0 : left > SOLVING_MOMENT ? left : SOLVING_MOMENT;
}

/* Solves the rows that are there.  A cover that is only to show which are missing begins with the last one and ends with
 * any that is as small as the best bound; so it changes where rows were missing, and not everywhere. */
static int solve_turn(struct turns *t, struct err *err)
{
	struct cover_result r = { 0 };
	struct narrow narrow;
	int rc;

	classes_problem(&t->classes, &narrow);
	narrow.problem.time_limit = time_left(t->deadline);
	if (is_plain(t) && t->proof.kept) {
		narrow.problem.begin = t->kept;
		narrow.problem.least = t->proof.lower_bound;
	}
	if ((rc = check_memory(narrow.start[t->rest.n], t->o, err)) == WN_OK &&
	    (rc = cover_solve(&narrow.problem, &r, err)) == WN_OK) {
		memcpy(t->kept, r.kept, t->rest.n);
		t->kept_count = r.kept_count;
		t->value_proven = r.value_proven;
	}
	if (rc == WN_OK && (!t->proof.kept || r.lower_bound > t->proof.lower_bound ||
			    (r.lower_bound == t->proof.lower_bound && r.certified > t->proof.certified))) {
		cover_result_release(&t->proof);
		t->proof = r;
	} else {
		t->proof.timed_out |= r.timed_out;
		cover_result_release(&r);
	}
	narrow_release(&narrow);
	return rc;
}

/* Keeps more, until nothing is uncovered. */
static int complete(struct turns *t, struct err *err)
{
	int rc = WN_OK;

	t->value_proven &= t->grown == 0;
	while (t->grown && rc == WN_OK) {
		for (uint32_t b; (b = classes_best(&t->classes, t->kept)) != UINT32_MAX; t->kept_count++)
			t->kept[b] = 1;
		rc = grow(t, t->kept, err);
	}
	return rc;
}

static void note_best(struct turns *t)
{
	if (t->grown || t->kept_count > t->best_count || (is_plain(t) && t->kept_count == t->best_count))
		return;
	memcpy(t->best, t->kept, t->rest.n);
	t->best_count = t->kept_count;
	t->best_value_proven = t->value_proven;
}

/* Solves and grows until nothing is uncovered and no smaller cover is to be expected. */
static int take_turns(struct turns *t, uint64_t nodes, unsigned turns, struct err *err)
{
	int rc = WN_OK;

	t->rest.node_budget = SOLVING_NODES;
	for (bool last = false; rc == WN_OK && !last;) {
		bool late;

		if ((rc = solve_turn(t, err)) < 0 || (rc = grow(t, t->kept, err)) < 0)
			break;
		late = t->deadline > 0 && progress_clock() >= t->deadline;
		t->proof.timed_out |= late;
		if (late || (t->grown && (++t->turn >= turns || t->classes.entries > SOLVING_EDGES))) {
			last = true;
			rc = complete(t, err);
		}
		note_best(t);
		last |= t->grown == 0 && t->rest.node_budget == nodes;
		last |= t->best_count == t->proof.lower_bound && (is_plain(t) || (t->grown == 0 && t->value_proven));
		if (t->grown == 0)
			t->rest.node_budget = nodes;
	}
	return rc;
}

/* The component of a document; of one that is in no row, that of the next which is in one.  There is a component. */
static uint32_t component_of(const struct cover_result *r, uint32_t d, uint32_t n)
{
	while (r->component[d] == COVER_NO_COMPONENT)
		d = d + 1 < n ? d + 1 : 0;
	return r->component[d];
}

/* The best cover, and the proof of the turn with the best bound. */
static void prove(struct turns *t, const struct cover_problem *p)
{
	struct cover_result *r = &t->proof;
	bool whole = t->best_count == r->lower_bound;

	memcpy(r->kept, t->best, p->n);
	r->kept_count = t->best_count;
	r->value_proven = whole && (is_plain(t) || t->best_value_proven);
	r->quotas_binding = cover_count_binding(p, r->kept);
	memset(r->by_status, 0, sizeof r->by_status);
	for (uint32_t k = 0; k < r->component_count; k++)
		r->components[k].kept = whole ? r->components[k].lower : 0;
	for (uint32_t d = 0; d < p->n && r->component_count && !whole; d++)
		if (r->kept[d])
			r->components[component_of(r, d, p->n)].kept++;
	for (uint32_t k = 0; k < r->component_count; k++) {
		struct cover_component *c = &r->components[k];

		c->status = c->kept > c->lower	       ? COVER_BOUNDED
			    : c->certified == c->lower ? COVER_CERTIFIED
						       : COVER_SEARCHED;
		c->best_value = r->value_proven;
		r->by_status[c->status]++;
	}
}

/* First what the rule alone asks for, which few rows say; with these rows quotas; and then preference. */
static int take_stages(struct turns *t, const struct cover_problem *p, struct err *err)
{
	bool valued = p->prefer || p->previous;
	int rc = grow(t, NULL, err);

	t->rest.prefer = NULL;
	t->rest.previous = NULL;
	t->rest.group = NULL;
	if (rc == WN_OK && p->group)
		rc = take_turns(t, SOLVING_NODES, SOLVING_TURNS, err);
	t->rest.group = p->group;
	t->best_count = UINT32_MAX;
	t->turn = 0;
	if (rc == WN_OK && (p->group || !valued))
		rc = take_turns(t, p->node_budget, SOLVING_TURNS, err);
	t->rest.prefer = p->prefer;
	t->rest.previous = p->previous;
	t->best_value_proven = false;
	t->turn = 0;
	if (rc == WN_OK && valued)
		rc = take_turns(t, p->node_budget, p->group ? SOLVING_VALUED : SOLVING_TURNS, err);
	return rc;
}

static int solve_in_turns(const struct cover_problem *p, struct kernel *k, const struct join_query *q,
			  const struct join_options *o, struct cover_result *out, struct err *err)
{
	struct turns t = { .k = k, .q = q, .o = o, .rest = *p, .best_count = UINT32_MAX };
	int rc;

	t.kept = mem_alloc((size_t)p->n + 1);
	t.best = mem_alloc((size_t)p->n + 1);
	t.deadline = p->time_limit > 0 ? progress_clock() + p->time_limit : 0;
	t.rest.covered = k->open;
	classes_open(&t.classes, &t.rest);
	rc = take_stages(&t, p, err);
	if (rc == WN_OK) {
		prove(&t, p);
		*out = t.proof;
	} else {
		cover_result_release(&t.proof);
	}
	classes_close(&t.classes);
	mem_free(t.kept);
	mem_free(t.best);
	return rc;
}

int solving_run(struct cover_problem *p, struct kernel *k, const struct join_query *q, const struct join_options *o,
		struct cover_result *out, struct err *err)
{
	int rc;

	*out = (struct cover_result){ 0 };
	p->n = k->graph.n;
	p->start = k->graph.start;
	p->by = k->graph.by;
	p->fold = k->fold;
	if (k->open)
		rc = solve_in_turns(p, k, q, o, out, err);
	else if ((rc = check_memory(k->graph.start[k->graph.n], o, err)) == WN_OK)
		rc = cover_solve(p, out, err);
	if (rc < 0)
		cover_result_release(out);
	return rc;
}

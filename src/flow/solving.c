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
 *	Where that does not end (SOLVING_TURNS, SOLVING_FULL, SOLVING_EDGES, SOLVING_WORK, the
 * time limit, which is one for all turns), what is uncovered is covered as well as can be,
 * a smaller cover is looked for among what the turns kept, and the bound is that of the
 * rows: valid, not proven.
 */
#include "flow/solving.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/vec.h"
#include "cover/classes.h"

#define SOLVING_NODES 2	 /* of search, while rows are missing */
#define SOLVING_BYTES 20 /* that an entry of a row takes while it is solved: the list, the instance and its transpose */
#define SOLVING_LEAST (64u << 20) /* no bound is taken to be smaller */
#define SOLVING_TURNS 1024
#define SOLVING_WORK (1u << 26) /* entries of all turns */
#define SOLVING_COLUMNS 4096	/* kept by the last turns, of which a smaller cover is made where turns do not end */
#define SOLVING_FULL \
	4 /* turns with all of the budget, each with half of the one before, that may leave something uncovered */
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
	bool telling;			      /* turns are what is shown */
	bool ended;			      /* while something was uncovered */
	uint64_t entries, most;		      /* of all turns, and what they may come to */
	uint8_t *rows;			      /* [n] that were open at first */
	uint32_t *when;			      /* [n] the last turn that kept it, counted from 1; 0: none */
	uint32_t turns;			      /* so far, in all stages */
};

/* While covers only show which rows are missing nobody knows how many turns that takes, but how many at most. */
static void tell_turn(struct turns *t, unsigned turns)
{
	bool few = t->rest.node_budget == SOLVING_NODES;

	if (t->rest.progress && few && !t->telling)
		progress_phase("solving in turns", "turns", turns);
	t->telling = few;
	if (t->rest.progress && few)
		progress_at_most(t->turn, turns);
}

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
	if (t->telling)
		narrow.problem.progress = NULL;
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
	t->entries += narrow.start[t->rest.n];
	t->turns++;
	for (uint32_t d = 0; d < t->rest.n && rc == WN_OK; d++)
		t->when[d] = t->kept[d] ? t->turns : t->when[d];
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
	unsigned full = 0;
	int rc = WN_OK;

	nodes = nodes ? nodes : COVER_NODES;
	t->rest.node_budget = SOLVING_NODES;
	for (bool last = false; rc == WN_OK && !last;) {
		bool late;

		tell_turn(t, turns);
		if ((rc = solve_turn(t, err)) < 0 || (rc = grow(t, t->kept, err)) < 0)
			break;
		late = t->deadline > 0 && progress_clock() >= t->deadline;
		t->proof.timed_out |= late;
		full += t->grown && t->rest.node_budget != SOLVING_NODES;
		if (late || (t->grown && (++t->turn >= turns || full == SOLVING_FULL ||
					  t->classes.entries > SOLVING_EDGES || t->entries > t->most))) {
			last = t->ended = true;
			rc = complete(t, err);
		}
		note_best(t);
		last |= t->grown == 0 && (t->rest.node_budget != SOLVING_NODES || nodes == SOLVING_NODES);
		last |= t->best_count == t->proof.lower_bound && (is_plain(t) || (t->grown == 0 && t->value_proven));
		if (t->grown == 0)
			t->rest.node_budget = nodes;
		else if (full)
			t->rest.node_budget = nodes >> full;
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

/* ---- a smaller cover, of what the turns kept ---- */

struct lists {
	uint64_t *start;
	VEC(uint32_t) by;
	const struct cover_problem *p;
	uint32_t at; /* rows before it are there */
};

/* Rows up to d that were never open, as they are. */
static void copy_rows(struct lists *l, uint32_t d)
{
	for (; l->at < d; l->at++) {
		l->start[l->at] = l->by.n;
		for (uint64_t i = l->p->start[l->at]; i < l->p->start[l->at + 1]; i++)
			vec_push(&l->by, l->p->by[i]);
	}
}

static void add_list(void *context, uint32_t d, const uint32_t *by, size_t n)
{
	struct lists *l = context;

	copy_rows(l, d);
	l->start[l->at++] = l->by.n;
	for (size_t i = 0; i < n; i++)
		vec_push(&l->by, by[i]);
}

/* What the best cover and the last turns kept. */
static void choose_columns(const struct turns *t, uint8_t *columns)
{
	uint32_t *of = mem_zarray((size_t)t->turns + 2, sizeof *of), from = t->turns + 1, n = 0;

	for (uint32_t d = 0; d < t->rest.n; d++)
		of[t->when[d]]++;
	while (from > 1 && n + of[from - 1] <= SOLVING_COLUMNS)
		n += of[--from];
	for (uint32_t d = 0; d < t->rest.n; d++)
		columns[d] = t->best[d] || t->when[d] >= from;
	mem_free(of);
}

/* Covering what was left uncovered may take far more than is needed.  So all rows are asked for again, but only for
 * coverers that some turn thought worth keeping: covers of that problem are covers of the whole. */
static int thin_best(struct turns *t, const struct cover_problem *p, struct err *err)
{
	struct lists l = { .p = p, .start = mem_zarray((size_t)p->n + 2, sizeof *l.start) };
	uint8_t *columns = mem_zalloc((size_t)p->n + 1);
	struct cover_problem some = *p;
	struct cover_result r = { 0 };
	int rc;

	choose_columns(t, columns);
	rc = kernel_lists(t->k, t->q, t->o, t->rows, columns, add_list, &l, err);
	copy_rows(&l, p->n);
	l.start[p->n] = l.by.n;
	vec_reserve(&l.by, 1);
	some.start = l.start;
	some.by = l.by.p;
	some.node_budget = (p->node_budget ? p->node_budget : COVER_NODES) >> SOLVING_FULL;
	some.time_limit = time_left(t->deadline);
	if (rc == WN_OK && (rc = check_memory(l.by.n, t->o, err)) == WN_OK &&
	    (rc = cover_solve(&some, &r, err)) == WN_OK && r.kept_count < t->best_count) {
		memcpy(t->best, r.kept, p->n);
		t->best_count = r.kept_count;
		t->best_value_proven = false;
	}
	cover_result_release(&r);
	vec_release(&l.by);
	mem_free(l.start);
	mem_free(columns);
	return rc;
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
	t.most = o->turn_entries ? o->turn_entries : SOLVING_WORK;
	t.rows = mem_alloc((size_t)p->n + 1);
	memcpy(t.rows, k->open, p->n);
	t.when = mem_zarray((size_t)p->n + 1, sizeof *t.when);
	classes_open(&t.classes, &t.rest);
	rc = take_stages(&t, p, err);
	if (rc == WN_OK && t.ended && t.best_count > t.proof.lower_bound)
		rc = thin_best(&t, p, err);
	if (rc == WN_OK) {
		prove(&t, p);
		*out = t.proof;
	} else {
		cover_result_release(&t.proof);
	}
	classes_close(&t.classes);
	mem_free(t.kept);
	mem_free(t.best);
	mem_free(t.rows);
	mem_free(t.when);
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

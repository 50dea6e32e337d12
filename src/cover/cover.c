/* cover/cover.c -- the solver's front: problem in, cover with components and proof out. */
#include "cover/cover.h"

#include <time.h>

#include "base/forest.h"
#include "base/mem.h"
#include "base/task.h"
#include "cover/solve.h"

static void find_components(const struct cover_problem *p, const struct open *o, struct cover_result *r)
{
	uint32_t *up = forest_new(p->n);
	uint8_t *alone = mem_zarray((size_t)p->n + 1, 1);

	for (uint32_t d = 0; d < p->n; d++)
		alone[d] = p->covered && p->covered[d] && !o->sure[d];
	for (uint32_t d = 0; d < p->n; d++) {
		for (uint64_t i = p->start[d]; i < p->start[d + 1]; i++) {
			forest_unite(up, d, p->by[i]);
			alone[p->by[i]] = 0;
		}
		if (p->start[d] != p->start[d + 1])
			alone[d] = 0;
		if (p->fold && p->fold[d] != d)
			forest_unite(up, d, p->fold[d]);
	}
	for (uint32_t q = 0; q < o->in.rows; q++) /* quotas that are open join what they touch */
		if (o->in.row_id[q] >= p->n)
			for (uint64_t i = o->in.row_at[q]; i < o->in.row_at[q + 1]; i++) {
				forest_unite(up, o->in.col_id[o->in.row_col[o->in.row_at[q]]],
					     o->in.col_id[o->in.row_col[i]]);
				alone[o->in.col_id[o->in.row_col[i]]] = 0;
			}
	r->component = mem_array((size_t)p->n + 1, sizeof(*r->component));
	for (uint32_t d = 0; d < p->n; d++) {
		uint32_t root = forest_root(up, d);

		if (root == d)
			r->component[d] = alone[d] ? COVER_NO_COMPONENT : r->component_count++;
		else
			r->component[d] = r->component[root];
	}
	r->components = mem_zarray((size_t)r->component_count + 1, sizeof(*r->components));
	mem_free(up);
	mem_free(alone);
}

static void grade_components(const struct cover_problem *p, const struct solved *s, struct cover_result *r)
{
	for (uint32_t d = 0; d < p->n; d++)
		if (r->component[d] != COVER_NO_COMPONENT) {
			r->components[r->component[d]].documents++;
			r->components[r->component[d]].kept += s->kept[d];
		}
	for (uint32_t k = 0; k < r->component_count; k++)
		r->components[k].lower = r->components[k].certified = r->components[k].kept;
	r->certified = r->kept_count;
	for (uint32_t k = 0; k < s->blocks; k++) {
		const struct solved_block *b = &s->block[k];
		struct cover_component *c = &r->components[r->component[s->block_col[b->first]]];

		c->lower -= b->cost - b->lower;
		c->certified -= b->cost - b->certified;
		r->certified -= b->cost - b->certified;
		if (b->status > c->status)
			c->status = b->status;
	}
	for (uint32_t k = 0; k < r->component_count; k++) {
		r->by_status[r->components[k].status]++;
		r->lower_bound += r->components[k].lower;
	}
}

static void best_values(struct arena *a, const struct cover_problem *p, const struct open *o,
			const struct solve_limits *l, struct solved *s, struct cover_result *r)
{
	uint8_t *minimum = arena_alloc(a, (size_t)r->component_count + 1),
		*best = arena_alloc(a, (size_t)r->component_count + 1);

	r->value_proven = true;
	for (uint32_t k = 0; k < r->component_count; k++)
		minimum[k] = best[k] = r->components[k].status != COVER_BOUNDED;
	if ((p->prefer || p->previous) && o->in.cols)
		solve_value(a, p, o, l, s, r->component, r->component_count, minimum, best);
	for (uint32_t k = 0; k < r->component_count; k++) {
		r->components[k].best_value = best[k];
		r->value_proven &= best[k];
	}
}

static uint32_t gcd(uint32_t x, uint32_t y)
{
	while (y) {
		uint32_t t = x % y;

		x = y;
		y = t;
	}
	return x;
}

/* Over the smallest denominator; most often that is 1. */
static void store_duals(const struct cover_problem *p, const struct solved *s, struct cover_result *r)
{
	uint32_t g = PACKING_SCALE;

	for (uint32_t d = 0; d < p->n && g > 1; d++)
		g = gcd(g, s->y[d]);
	for (uint32_t k = 0; k < p->groups && g > 1; k++)
		g = gcd(g, s->group_y[k]);
	r->denominator = PACKING_SCALE / g;
	r->y = mem_array((size_t)p->n + 1, sizeof(*r->y));
	for (uint32_t d = 0; d < p->n; d++)
		r->y[d] = s->y[d] / g;
	if (!p->group)
		return;
	r->group_y = mem_array((size_t)p->groups + 1, sizeof(*r->group_y));
	for (uint32_t k = 0; k < p->groups; k++)
		r->group_y[k] = s->group_y[k] / g;
}

uint32_t cover_count_binding(const struct cover_problem *p, const uint8_t *kept)
{
	uint32_t *has = mem_zarray((size_t)p->groups + 1, sizeof(*has)),
		 *size = mem_zarray((size_t)p->groups + 1, sizeof(*size)), binding = 0;

	for (uint32_t d = 0; p->group && d < p->n; d++)
		if (p->group[d] != COVER_NO_GROUP) {
			has[p->group[d]] += kept[d];
			size[p->group[d]]++;
		}
	for (uint32_t g = 0; p->group && g < p->groups; g++)
		binding += size[g] && p->demand[g] && has[g] <= (p->demand[g] < size[g] ? p->demand[g] : size[g]);
	mem_free(has);
	mem_free(size);
	return binding;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int cover_solve(const struct cover_problem *p, struct cover_result *r, struct err *err)
{
	struct effort effort = { .progress = p->progress, .context = p->progress_context };
	struct solve_limits l = { .nodes = p->node_budget ? p->node_budget : COVER_NODES, .effort = &effort };
	struct arena a = { 0 };
	struct open o;
	struct solved s;
	int rc;

	*r = (struct cover_result){ 0 };
	if ((rc = open_check(p, err)) < 0)
		return rc;
	if (p->time_limit > 0)
		l.deadline = now() + p->time_limit;
	open_build(&a, p, &o);
	solve_size(&a, p, &o, &l, &s);
	for (uint32_t d = 0; d < p->n; d++) {
		r->kept_count += s.kept[d];
		r->pinned_count += p->pinned && p->pinned[d];
	}
	find_components(p, &o, r);
	grade_components(p, &s, r);
	best_values(&a, p, &o, &l, &s, r);
	store_duals(p, &s, r);
	r->quotas_binding = cover_count_binding(p, s.kept);
	r->kept = mem_array((size_t)p->n + 1, 1);
	memcpy(r->kept, s.kept, p->n);
	r->timed_out = s.timed_out;
	r->forced = s.forced;
	r->nodes = s.nodes;
	r->pivots = s.pivots;
	r->residual_rows = s.rows_left;
	r->residual_columns = s.cols_left;
	r->residual_blocks = s.blocks;
	arena_release(&a);
	if (task_interrupted()) { /* what was cut short is a cover, but not the one that the problem has */
		cover_result_release(r);
		return err_set(err, WN_INTERRUPTED, "interrupted while solving");
	}
	return WN_OK;
}

void cover_result_release(struct cover_result *r)
{
	mem_free(r->kept);
	mem_free(r->y);
	mem_free(r->group_y);
	mem_free(r->component);
	mem_free(r->components);
	*r = (struct cover_result){ 0 };
}

struct cover_sum cover_prefer_sum(const int64_t *prefer, const uint8_t *kept, uint32_t n)
{
	__int128 sum = 0;

	for (uint32_t d = 0; prefer && d < n; d++)
		if (kept[d])
			sum += prefer[d];
	return (struct cover_sum){ (int64_t)(sum >> 64), (uint64_t)sum };
}

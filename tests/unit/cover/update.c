/* After a change, solving the open components alone gives the size that solving everything gives. */
#include <stdlib.h>

#include "cover/update.h"
#include "draw.h"

enum { N = 60 };

struct graph {
	uint32_t n;
	uint8_t covers[N][N]; /* covers[a][b]: b covers a */
};

/* The problem of the documents in `in` alone. */
static uint32_t size_of(struct test *t, const struct graph *g, const uint8_t *in, uint8_t *kept, uint32_t *component,
			uint32_t *components)
{
	uint64_t *start = ARENA_ARRAY(t->arena, uint64_t, N + 1), at = 0;
	uint32_t *by = ARENA_ARRAY(t->arena, uint32_t, N * N), number[N], n = 0, size;
	struct cover_problem p = { .start = start, .by = by };
	struct cover_result r;

	for (uint32_t d = 0; d < g->n; d++)
		number[d] = in[d] ? n++ : UINT32_MAX;
	p.n = n;
	n = 0;
	for (uint32_t a = 0; a < g->n; a++) {
		if (!in[a])
			continue;
		start[n++] = at;
		for (uint32_t b = 0; b < g->n; b++)
			if (g->covers[a][b] && in[b])
				by[at++] = number[b];
	}
	start[n] = at;
	if (!CHECK(cover_solve(&p, &r, NULL) == WN_OK))
		return 0;
	for (uint32_t d = 0; d < g->n; d++)
		if (in[d]) {
			kept[d] = r.kept[number[d]];
			if (component)
				component[d] = r.component[number[d]];
		}
	if (components)
		*components = r.component_count;
	size = r.kept_count;
	cover_result_release(&r);
	return size;
}

static void draw_graph(struct test *t, struct graph *g)
{
	*g = (struct graph){ .n = 30 };
	for (uint32_t a = 0; a < g->n; a++)
		for (uint32_t b = 0; b < g->n; b++)
			g->covers[a][b] = a != b && a / 5 == b / 5 && test_below(t, 3) == 0;
}

TEST(update, opens_enough_and_leaves_the_rest)
{
	uint32_t left_alone = 0;

	for (int round = 0; round < 300 && !t->failures; round++) {
		struct graph g;
		struct update_plan plan;
		uint8_t all[N], kept[N] = { 0 }, fresh[N] = { 0 }, changed[N] = { 0 };
		uint32_t component[N] = { 0 }, components = 0, before[N], a[N * N], b[N * N], edges = 0, was, now,
			 size = 0;

		draw_graph(t, &g);
		memset(all, 1, sizeof(all));
		was = size_of(t, &g, all, kept, component, &components);
		CHECK(was <= g.n);
		for (uint32_t d = 0; d < g.n; d++)
			before[d] = d;
		/* one document gets other edges, one new document arrives */
		changed[test_below(t, g.n)] = 1;
		before[g.n] = UPDATE_NEW;
		changed[g.n++] = 1;
		for (uint32_t d = 0; d < g.n; d++)
			for (uint32_t e = 0; e < g.n; e++)
				if (d != e && (changed[d] || changed[e]))
					g.covers[d][e] = test_below(t, 12) == 0;
		for (uint32_t d = 0; d < g.n; d++)
			for (uint32_t e = 0; e < g.n; e++)
				if (g.covers[d][e] && (changed[d] || changed[e])) {
					a[edges] = d;
					b[edges++] = e;
				}
		update_plan(&plan, g.n, before, changed, component, g.n - 1, components, NULL, 0, a, b, edges);
		now = size_of(t, &g, all, fresh, NULL, NULL);
		size_of(t, &g, plan.open, kept, NULL, NULL);
		for (uint32_t d = 0; d < g.n; d++) {
			bool covered = kept[d];

			for (uint32_t e = 0; e < g.n; e++)
				covered |= g.covers[d][e] && kept[e];
			CHECK(covered, "document %u", d);
			size += kept[d];
		}
		CHECK_EQ(size, now, "the update's size is that of a fresh run");
		CHECK_EQ(plan.components_open + plan.components_kept, components);
		left_alone += plan.components_kept;
		update_plan_release(&plan);
	}
	CHECK(left_alone > 0, "some components were left alone");
}

TEST(update, opens_the_component_of_a_document_that_is_gone)
{
	uint32_t before[] = { 0, 2 }, component[] = { 0, 0, 1 }, gone[] = { 1 };
	uint8_t changed[] = { 0, 0 };
	struct update_plan plan;

	update_plan(&plan, 2, before, changed, component, 3, 2, gone, 1, NULL, NULL, 0);
	CHECK(plan.open[0] && !plan.open[1]);
	CHECK_EQ(plan.components_open, 1);
	update_plan_release(&plan);
}

TEST(update, opens_groups_as_far_as_they_reach)
{
	/* documents 0 1 | 2 3 | 4: components; groups join 1 with 2, 3 stands with 4 */
	uint32_t component[] = { 0, 0, 1, 1, 2 }, group[] = { 9, 0, 0, 1, 1 };
	uint8_t open[] = { 1, 1, 0, 0, 0 };
	struct update_plan plan = { .open = open, .open_count = 2 };

	CHECK(update_open_groups(&plan, 5, group, 2, component, 3));
	CHECK_EQ(plan.open_count, 5);
}

TEST(update, compares_covers)
{
	uint8_t x[] = { 1, 1, 0, 0, 1 }, y[] = { 1, 0, 1, 0, 1 };
	struct cover_difference d = cover_compare(x, y, 5);

	CHECK(d.both == 2 && d.only_first == 1 && d.only_second == 1 && d.neither == 1);
}

/* Long version chains and many equal pages: the kernel stays linear. */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "join/coverage.h"
#include "test.h"

enum { ITEMS = 60 };

struct chain {
	struct join_query q;
	struct join_disjunct d;
	uint32_t *set_of, *size;
	uint64_t *start, *items;
	double *when;
	struct join_fold fold;
};

static uint64_t fold_one(void *context, uint32_t doc)
{
	(void)context;
	(void)doc;
	return 0;
}

static int fold_newest(void *context, uint32_t x, uint32_t y)
{
	const struct chain *c = context;

	return c->when[x] > c->when[y] ? -1 : c->when[x] < c->when[y];
}

static bool fold_older(void *context, uint32_t x, uint32_t y, const struct join_overlap self[JOIN_KINDS])
{
	const struct chain *c = context;

	(void)self;
	return c->when[x] <= c->when[y];
}

/* n versions, version v of set sets[v]; containment(a,b) >= 7/10 and not older. */
static void chain_open(struct chain *c, uint32_t n, uint32_t sets)
{
	*c = (struct chain){ 0 };
	c->set_of = mem_array(n, sizeof *c->set_of);
	c->when = mem_array(n, sizeof *c->when);
	c->size = mem_array(sets, sizeof *c->size);
	c->start = mem_array(sets, sizeof *c->start);
	c->items = mem_array((size_t)sets * ITEMS, sizeof *c->items);
	for (uint32_t s = 0; s < sets; s++) {
		c->size[s] = ITEMS;
		c->start[s] = (uint64_t)s * ITEMS;
	}
	for (uint32_t d = 0; d < n; d++) {
		c->set_of[d] = d % sets;
		c->when[d] = d;
	}
	c->d = (struct join_disjunct){ .n_orders = 1, .n_bounds = 1 };
	c->d.order[0] = (struct join_order){ c->when, c->when, 0, INFINITY, false, false };
	c->d.bound[0] = (struct join_bound){ .measure = JOIN_CONTAINED, .num = 7, .den = 10 };
	c->fold = (struct join_fold){ c, fold_one, fold_newest, fold_older, NULL };
	c->q = (struct join_query){ .n = n, .disjunct = &c->d, .n_disjuncts = 1, .fold = &c->fold };
	c->q.set_of[0] = c->set_of;
	c->q.sets[0] = (struct join_sets){ .n = sets, .size = c->size, .start = c->start, .items = c->items };
}

static void chain_close(struct chain *c)
{
	mem_free(c->set_of);
	mem_free(c->when);
	mem_free(c->size);
	mem_free(c->start);
	mem_free(c->items);
}

TEST(join, long_chain_that_hardly_changes_keeps_short_lists)
{
	enum { N = 10000 };
	struct chain c;
	struct kernel k;
	struct coverage_stats stats = { 0 };
	struct join_options o = { .threads = 2 };
	struct err err = { 0 };

	chain_open(&c, N, N);
	for (uint32_t s = 0; s < N; s++) /* one item of sixty is each version's own */
		for (uint32_t i = 0; i < ITEMS; i++)
			c.items[(size_t)s * ITEMS + i] = i + 1 < ITEMS ? i : 1000 + s;
	REQUIRE(coverage_kernel(&k, &c.q, &o, &stats, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(k.n_forced, 1, "the newest");
	CHECK_EQ(k.n_covered, N - 1, "by the newest");
	CHECK_EQ(k.graph.start[N], N - 1, "one coverer each");
	CHECK(stats.row_pairs < (uint64_t)N * 600, "%" PRIu64 " pairs of rows were met", stats.row_pairs);
	kernel_release(&k);
	chain_close(&c);
}

TEST(join, long_chain_that_drifts_has_lists_as_long_as_the_drift)
{
	enum { N = 10000 };
	struct chain c;
	struct kernel k;
	struct join_options o = { .threads = 2 };
	struct err err = { 0 };

	chain_open(&c, N, N);
	for (uint32_t s = 0; s < N; s++) /* one item goes, one comes */
		for (uint32_t i = 0; i < ITEMS; i++)
			c.items[(size_t)s * ITEMS + i] = s + i;
	REQUIRE(coverage_kernel(&k, &c.q, &o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(k.n_forced, 1, "the newest");
	CHECK_EQ(k.n_covered, 18, "those that share 42 of 60 with it");
	CHECK_EQ(k.graph.start[N], (uint64_t)k.n_core * 18 + 18, "eighteen later versions each");
	kernel_release(&k);
	chain_close(&c);
}

TEST(join, fifty_thousand_equal_pages_are_one)
{
	enum { N = 50000 };
	struct chain c;
	struct kernel k;
	uint32_t *all = mem_array(N, sizeof *all);
	uint8_t *kept = mem_zalloc(N);
	struct err err = { 0 };

	chain_open(&c, N, 1);
	for (uint32_t i = 0; i < ITEMS; i++)
		c.items[i] = mix64(i);
	REQUIRE(coverage_kernel(&k, &c.q, NULL, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(k.n_folded, N - 1, "into the newest");
	CHECK_EQ(k.n_forced, 1, "the newest");
	CHECK_EQ(k.graph.start[N], 0, "no lists");
	kept[N - 1] = 1;
	REQUIRE(coverage_witness(all, NULL, &c.q, NULL, kept, 0, c.when, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(all[0], N - 1, "witness of the first");
	kernel_release(&k);
	chain_close(&c);
	mem_free(all);
	mem_free(kept);
}

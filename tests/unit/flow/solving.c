/* Thousands of equal pages that cover each other and may not fold: the cover is found without their pairs. */
#include "flow/solving.h"

#include <math.h>

#include "base/mem.h"
#include "test.h"

enum { N = 50000, ITEMS = 20 };

struct stubs { /* equal pages at times and on hosts */
	struct join_query q;
	struct join_disjunct d;
	uint32_t set_of[N], host[N], size[1];
	uint64_t start[1], items[ITEMS];
	double when[N];
};

static bool other_host(void *context, unsigned disjunct, uint32_t a, uint32_t b,
		       const struct join_overlap o[JOIN_KINDS])
{
	const struct stubs *s = context;

	(void)disjunct;
	(void)o;
	return s->host[a] != s->host[b];
}

static struct stubs *stubs_new(uint32_t hosts)
{
	struct stubs *s = mem_zalloc(sizeof *s);

	for (uint32_t i = 0; i < ITEMS; i++)
		s->items[i] = i;
	s->size[0] = ITEMS;
	for (uint32_t d = 0; d < N; d++) {
		s->when[d] = d;
		s->host[d] = d % hosts;
	}
	s->d = (struct join_disjunct){ .n_bounds = 1 };
	s->d.bound[0] = (struct join_bound){ .measure = JOIN_JACCARD, .num = 9, .den = 10 };
	s->q =
	    (struct join_query){ .n = N, .disjunct = &s->d, .n_disjuncts = 1, .test = other_host, .test_context = s };
	s->q.set_of[0] = s->set_of;
	s->q.sets[0] = (struct join_sets){ .n = 1, .size = s->size, .start = s->start, .items = s->items };
	return s;
}

static void solve_within(struct test *t, struct stubs *s, double time_limit, struct cover_result *r, uint64_t *entries)
{
	struct join_options o = { .threads = 2, .memory = (size_t)1 << 30, .index = coverage_index_new() };
	struct cover_problem p = { .time_limit = time_limit };
	struct kernel k;
	struct err err = { 0 };

	REQUIRE(coverage_kernel(&k, &s->q, &o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK(k.n_open > 0, "the rows were not put off");
	REQUIRE(solving_run(&p, &k, &s->q, &o, r, &err) == WN_OK, "%s", err.text);
	*entries = k.graph.start[N];
	kernel_release(&k);
	coverage_index_free(o.index);
}

static void solve(struct test *t, struct stubs *s, struct cover_result *r, uint64_t *entries)
{
	solve_within(t, s, 0, r, entries);
}

TEST(flow, fifty_thousand_equal_pages_within_a_window)
{
	struct stubs *s = stubs_new(1);
	struct cover_result r;
	uint64_t entries;
	uint32_t last = 0;

	s->d.order[0] = (struct join_order){ s->when, s->when, -1000, 1000, false, false };
	s->d.n_orders = 1;
	solve(t, s, &r, &entries);
	CHECK_EQ(r.kept_count, 25, "one covers 2,001 pages");
	CHECK_EQ(r.lower_bound, 25, "and that is proven");
	CHECK(entries < (uint64_t)N * 100, "%" PRIu64 " entries", entries);
	for (uint32_t d = 0; d < N; d++)
		if (r.kept[d]) {
			CHECK(d - last <= 2001, "what lies between %u and %u is covered", last, d);
			last = d;
		}
	CHECK(last + 1000 >= N - 1, "the last is covered");
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, fifty_thousand_equal_pages_of_two_hosts_that_must_differ)
{
	struct stubs *s = stubs_new(2);
	struct cover_result r;
	uint64_t entries;
	uint32_t of[2] = { 0 };

	s->d.has_test = true;
	solve(t, s, &r, &entries);
	CHECK_EQ(r.kept_count, 2, "one of each host");
	CHECK_EQ(r.lower_bound, 2, "and that is proven");
	CHECK(entries < (uint64_t)N * 100, "%" PRIu64 " entries", entries);
	for (uint32_t d = 0; d < N; d++)
		of[s->host[d]] += r.kept[d];
	CHECK(of[0] == 1 && of[1] == 1, "%u and %u kept", of[0], of[1]);
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, pages_of_many_hosts_that_must_differ_are_covered_without_a_proof)
{
	struct stubs *s = stubs_new(200);
	struct cover_result r;
	uint64_t entries;

	s->d.has_test = true;
	solve(t, s, &r, &entries);
	CHECK_EQ(r.kept_count, 2, "of two hosts");
	CHECK_EQ(r.lower_bound, 1, "what the rows that fit prove");
	CHECK_EQ(r.by_status[COVER_BOUNDED], 1, "not proven");
	CHECK(entries < (uint64_t)N * 200, "%" PRIu64 " entries", entries);
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, rows_that_do_not_fit_are_refused)
{
	struct stubs *s = stubs_new(1);
	struct join_options o = { .threads = 2, .memory = (size_t)64 << 20 };
	struct cover_problem p = { 0 };
	struct cover_result r;
	struct kernel k;
	struct err err = { 0 };

	s->d.order[0] = (struct join_order){ s->when, s->when, -40, 40, false, false };
	s->d.n_orders = 1;
	REQUIRE(coverage_kernel(&k, &s->q, &o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK(k.n_open == 0, "four million pairs are listed");
	CHECK_EQ(solving_run(&p, &k, &s->q, &o, &r, &err), WN_LIMIT, "80 MB of 64");
	CHECK_STR(
	    str(err.text),
	    STR("the minimum cover asks for 3998360 pairs, which take about 76 MB to solve: give --memory 77M, or a "
		"rule with a higher threshold or another equality"));
	kernel_release(&k);
	mem_free(s);
}

TEST(flow, a_time_limit_is_one_for_all_turns)
{
	struct stubs *s = stubs_new(1);
	struct cover_result r;
	uint64_t entries;
	uint32_t last = 0;

	s->d.order[0] = (struct join_order){ s->when, s->when, -1000, 1000, false, false };
	s->d.n_orders = 1;
	solve_within(t, s, 1e-9, &r, &entries);
	CHECK(r.timed_out, "it says so");
	CHECK(r.lower_bound <= 25 && r.kept_count >= 25, "%u kept, at least %u", (unsigned)r.kept_count,
	      (unsigned)r.lower_bound);
	CHECK(entries < (uint64_t)N * 16, "%" PRIu64 " entries: further turns were taken", entries);
	for (uint32_t d = 0; d < N; d++)
		if (r.kept[d]) {
			CHECK(d - last <= 2001, "what lies between %u and %u is covered", last, d);
			last = d;
		}
	CHECK(last + 1000 >= N - 1, "the last is covered");
	cover_result_release(&r);
	mem_free(s);
}

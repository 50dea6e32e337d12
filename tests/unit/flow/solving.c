/* Thousands of equal pages that cover each other and may not fold: the cover is found without their pairs. */
#include "flow/solving.h"

#include <math.h>
#include <stdlib.h>

#include "../../oracle/brute_join.h"
#include "../../oracle/exhaustive_cover.h"
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

static void solve_problem(struct test *t, struct stubs *s, struct cover_problem *p, struct cover_result *r,
			  uint64_t *open)
{
	struct join_options o = { .threads = 2, .memory = (size_t)1 << 30, .index = coverage_index_new() };
	struct kernel k;
	struct err err = { 0 };

	REQUIRE(coverage_kernel(&k, &s->q, &o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK(k.n_open > 0, "the rows were not put off");
	REQUIRE(solving_run(p, &k, &s->q, &o, r, &err) == WN_OK, "%s", err.text);
	*open = k.n_open;
	kernel_release(&k);
	coverage_index_free(o.index);
}

static void solve(struct test *t, struct stubs *s, struct cover_result *r, uint64_t *open)
{
	struct cover_problem p = { 0 };

	solve_problem(t, s, &p, r, open);
}

/* Of N pages in a row, each covers the 1,000 before and behind it: nothing may lie farther from one that is kept. */
static void check_within_1000(struct test *t, const struct cover_result *r)
{
	uint32_t last = 0;

	for (uint32_t d = 0; d < N; d++)
		if (r->kept[d]) {
			CHECK(d - last <= 2001, "what lies between %u and %u is covered", last, d);
			last = d;
		}
	CHECK(last + 1000 >= N - 1, "the last is covered");
}

TEST(flow, fifty_thousand_equal_pages_within_a_window)
{
	struct stubs *s = stubs_new(1);
	struct cover_result r;
	uint64_t open;

	s->d.order[0] = (struct join_order){ s->when, s->when, -1000, 1000, false, false };
	s->d.n_orders = 1;
	solve(t, s, &r, &open);
	CHECK_EQ(r.kept_count, 25, "one covers 2,001 pages");
	CHECK_EQ(r.lower_bound, 25, "and that is proven");
	CHECK(open > N - 2000, "%" PRIu64 " rows were not asked for", open);
	check_within_1000(t, &r);
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, fifty_thousand_equal_pages_of_two_hosts_that_must_differ)
{
	struct stubs *s = stubs_new(2);
	struct cover_result r;
	uint64_t open;
	uint32_t of[2] = { 0 };

	s->d.has_test = true;
	solve(t, s, &r, &open);
	CHECK_EQ(r.kept_count, 2, "one of each host");
	CHECK_EQ(r.lower_bound, 2, "and that is proven");
	CHECK(open > N - 2000, "%" PRIu64 " rows were not asked for", open);
	for (uint32_t d = 0; d < N; d++)
		of[s->host[d]] += r.kept[d];
	CHECK(of[0] == 1 && of[1] == 1, "%u and %u kept", of[0], of[1]);
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, fifty_thousand_equal_pages_of_many_hosts_that_must_differ)
{
	struct stubs *s = stubs_new(40);
	struct cover_result r;
	uint64_t open;

	s->d.has_test = true;
	solve(t, s, &r, &open);
	CHECK_EQ(r.kept_count, 2, "of two hosts");
	CHECK_EQ(r.lower_bound, 2, "and that is proven");
	CHECK_EQ(r.certified, 2, "by two rows of each host");
	cover_result_release(&r);
	mem_free(s);
}

TEST(flow, fifty_thousand_equal_pages_within_a_window_with_quotas)
{
	struct stubs *s = stubs_new(10);
	uint32_t demand[10], of[10] = { 0 };
	struct cover_problem p = { .group = s->host, .groups = 10, .demand = demand };
	struct cover_result r;
	uint64_t open;

	for (uint32_t g = 0; g < 10; g++)
		demand[g] = 3;
	s->d.order[0] = (struct join_order){ s->when, s->when, -1000, 1000, false, false };
	s->d.n_orders = 1;
	solve_problem(t, s, &p, &r, &open);
	CHECK_EQ(r.kept_count, 30, "25 cover all, 30 are asked for");
	CHECK_EQ(r.lower_bound, 30, "and that is proven");
	CHECK_EQ(r.quotas_binding, 10, "no host has more than it asks for");
	check_within_1000(t, &r);
	for (uint32_t d = 0; d < N; d++)
		of[s->host[d]] += r.kept[d];
	for (uint32_t g = 0; g < 10; g++)
		CHECK_EQ(of[g], 3, "of host %u", g);
	cover_result_release(&r);
	mem_free(s);
}

/* Few documents, whose rows are put off all the same: the answer of trying every subset. */
TEST(flow, turns_agree_with_exhaustive_search)
{
	struct stubs *s = stubs_new(3);
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 1500;
	uint64_t open = 0, binding = 0, valued = 0, ended = 0, larger = 0;

	s->d.order[0] = (struct join_order){ s->when, s->when, 0, 0, false, false };
	s->d.n_orders = 1;
	for (int round = 0; round < rounds && !t->failures; round++) {
		bool cut = test_below(t, 4) == 0; /* after the first turn */
		struct join_options o = { .threads = 1, .edges = 1, .turn_entries = cut };
		uint32_t group[16], demand[4];
		int64_t prefer[16];
		uint8_t pinned[16], previous[16];
		struct exhaustive e = { .n = 1 + (uint32_t)test_below(t, 13), .group = group, .demand = demand };
		struct cover_problem p = { 0 };
		struct cover_result r;
		struct exhaustive_best best;
		struct kernel k;
		struct err err = { 0 };
		uint32_t kept = 0;
		__int128 value = 0;

		s->q.n = e.n;
		s->d.has_test = test_below(t, 2);
		s->d.order[0].lo = -(double)test_below(t, 12);
		s->d.order[0].hi = (double)test_below(t, 12);
		e.groups = (uint32_t)test_below(t, 5);
		for (uint32_t g = 0; g < e.groups; g++)
			demand[g] = (uint32_t)test_below(t, 5);
		for (uint32_t d = 0; d < e.n; d++) {
			s->when[d] = (double)test_below(t, 20);
			s->host[d] = (uint32_t)test_below(t, 3);
			group[d] = (uint32_t)test_below(t, e.groups + 1);
			group[d] = group[d] == e.groups ? COVER_NO_GROUP : group[d];
			prefer[d] = (int64_t)test_below(t, 9) - 3;
			pinned[d] = test_below(t, 12) == 0;
			previous[d] = (uint8_t)test_below(t, 2);
		}
		for (uint32_t a = 0; a < e.n; a++)
			for (uint32_t b = 0; b < e.n; b++)
				e.by[a] |= (uint32_t)(a != b && brute_covers(&s->q, a, b)) << b;
		if (e.groups) {
			p.group = group;
			p.groups = e.groups;
			p.demand = demand;
		} else {
			e.group = NULL;
		}
		if (test_below(t, 3) == 0)
			e.prefer = p.prefer = prefer;
		if (test_below(t, 4) == 0) {
			p.previous = previous;
			e.use_previous = true;
		}
		if (test_below(t, 3) == 0)
			p.pinned = pinned;
		for (uint32_t d = 0; d < e.n; d++) {
			e.pinned |= (uint32_t)(p.pinned && pinned[d]) << d;
			e.previous |= (uint32_t)previous[d] << d;
		}
		REQUIRE(coverage_kernel(&k, &s->q, &o, NULL, &err) == WN_OK, "%s", err.text);
		open += k.n_open;
		REQUIRE(solving_run(&p, &k, &s->q, &o, &r, &err) == WN_OK, "%s", err.text);
		best = exhaustive_cover(&e);
		for (uint32_t d = 0; d < e.n; d++) {
			kept |= (uint32_t)r.kept[d] << d;
			value += r.kept[d] && p.prefer ? prefer[d] : 0;
		}
		CHECK(exhaustive_valid(&e, kept), "round %d: no valid cover of %u", round, e.n);
		ended += cut;
		larger += r.kept_count > best.size;
		if (cut && r.kept_count > r.lower_bound) {
			CHECK_EQ(__builtin_popcount(kept), r.kept_count, "round %d: kept", round);
			CHECK(r.kept_count >= best.size && r.lower_bound <= best.size, "round %d: %u <= %u <= %u",
			      round, (unsigned)r.lower_bound, (unsigned)best.size, (unsigned)r.kept_count);
			cover_result_release(&r);
			kernel_release(&k);
			continue;
		}
		CHECK_EQ(r.kept_count, best.size, "round %d: size", round);
		CHECK_EQ(__builtin_popcount(kept), best.size, "round %d: kept", round);
		CHECK_EQ(r.lower_bound, best.size, "round %d: bound", round);
		CHECK(!e.use_previous || (cut && !r.value_proven) ||
			  (uint32_t)__builtin_popcount(kept & e.previous) == best.in_common,
		      "round %d: kept as before", round);
		CHECK(value == best.value || (cut && !r.value_proven), "round %d: preference", round);
		CHECK(r.value_proven || cut, "round %d: its proof", round);
		CHECK_EQ(r.by_status[COVER_BOUNDED], 0, "round %d: components", round);
		binding += r.quotas_binding;
		valued += p.prefer || p.previous;
		cover_result_release(&r);
		kernel_release(&k);
	}
	printf("solving: %d problems, %" PRIu64 " open documents, %" PRIu64 " binding quotas, %" PRIu64
	       " with preferences, %" PRIu64 " ended before their end, %" PRIu64 " of them larger than the minimum\n",
	       rounds, open, binding, valued, ended, larger);
	CHECK(open && binding && valued && ended, "something was not drawn");
	mem_free(s);
}

/* Turns that do not end: what is left is a cover, and hardly larger than by taking whatever covers most. */
TEST(flow, turns_that_are_ended_leave_a_cover_about_as_small_as_a_greedy_one)
{
	enum { PAGES = 4000, HOSTS = 12, NEAR = 60 };
	struct stubs *s = stubs_new(HOSTS);
	struct join_options o = { .threads = 2, .edges = 1000, .turn_entries = 60000 };
	struct cover_problem p = { 0 };
	struct cover_result r;
	struct kernel k;
	struct err err = { 0 };
	uint8_t *covered = mem_zalloc(PAGES);
	uint32_t greedy = 0;

	s->q.n = PAGES;
	s->d.has_test = true;
	s->d.order[0] = (struct join_order){ s->when, s->when, -NEAR, NEAR, false, false };
	s->d.n_orders = 1;
	for (uint32_t d = 0; d < PAGES; d++)
		s->host[d] = (uint32_t)test_below(t, HOSTS);
	REQUIRE(coverage_kernel(&k, &s->q, &o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK(k.n_open > 0);
	REQUIRE(solving_run(&p, &k, &s->q, &o, &r, &err) == WN_OK, "%s", err.text);
	for (uint32_t d = 0; d < PAGES; d++) {
		bool has = r.kept[d];

		for (uint32_t b = d > NEAR ? d - NEAR : 0; b < PAGES && b <= d + NEAR && !has; b++)
			has = r.kept[b] && s->host[b] != s->host[d];
		CHECK(has, "nothing covers %u", d);
	}
	for (;; greedy++) {
		uint32_t best = 0, most = 0;

		for (uint32_t b = 0; b < PAGES; b++) {
			uint32_t n = !covered[b];

			for (uint32_t a = b > NEAR ? b - NEAR : 0; a < PAGES && a <= b + NEAR; a++)
				n += a != b && !covered[a] && s->host[a] != s->host[b];
			if (n > most) {
				most = n;
				best = b;
			}
		}
		if (!most)
			break;
		for (uint32_t a = best > NEAR ? best - NEAR : 0; a < PAGES && a <= best + NEAR; a++)
			covered[a] |= a == best || s->host[a] != s->host[best];
	}
	CHECK(r.lower_bound <= r.kept_count && 4 * r.kept_count <= 5 * greedy, "%u to %u, greedily %u",
	      (unsigned)r.lower_bound, (unsigned)r.kept_count, greedy);
	printf("solving: turns that were ended kept %u of %u, at least %u are needed, a greedy cover has %u\n",
	       (unsigned)r.kept_count, PAGES, (unsigned)r.lower_bound, greedy);
	mem_free(covered);
	cover_result_release(&r);
	kernel_release(&k);
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
	CHECK_EQ(solving_run(&p, &k, &s->q, &o, &r, &err), WN_LIMIT, "80 MB beside the search, of 64");
	CHECK_STR(
	    str(err.text),
	    STR("the minimum cover asks for 3998360 pairs, which take about 332 MB to solve: give --memory 333M, or a "
		"rule with a higher threshold or another equality"));
	kernel_release(&k);
	mem_free(s);
}

TEST(flow, a_time_limit_is_one_for_all_turns)
{
	struct stubs *s = stubs_new(1);
	struct cover_problem p = { .time_limit = 1e-9 };
	struct cover_result r;
	uint64_t open;

	s->d.order[0] = (struct join_order){ s->when, s->when, -1000, 1000, false, false };
	s->d.n_orders = 1;
	solve_problem(t, s, &p, &r, &open);
	CHECK(r.timed_out, "it says so");
	CHECK(r.lower_bound <= 25 && r.kept_count >= 25, "%u kept, at least %u", (unsigned)r.kept_count,
	      (unsigned)r.lower_bound);
	CHECK(open > N - 500, "%" PRIu64 " rows were not asked for: further turns were taken", open);
	check_within_1000(t, &r);
	cover_result_release(&r);
	mem_free(s);
}

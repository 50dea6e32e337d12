/* The solver against its exhaustive twin, and against its own checker. */
#include <stdlib.h>

#include "base/task.h"
#include "cover/classes.h"
#include "draw.h"

static const struct {
	const char *what;
	unsigned with;
	uint32_t rounds;
} kinds[] = {
	{ "plain", 0, 1500 },
	{ "pins", DRAW_PINS, 500 },
	{ "quotas", DRAW_QUOTAS, 1000 },
	{ "preferences", DRAW_PREFER, 1000 },
	{ "previous", DRAW_PREVIOUS, 500 },
	{ "previous and preferences", DRAW_PREVIOUS | DRAW_PREFER, 500 },
	{ "folded", DRAW_FOLD, 500 },
	{ "folded and quotas", DRAW_FOLD | DRAW_QUOTAS, 800 },
	{ "everything", DRAW_PINS | DRAW_QUOTAS | DRAW_PREFER | DRAW_PREVIOUS | DRAW_FOLD, 1500 },
};

static void compare(struct test *t, const struct draw *d, const struct cover_result *r, const char *what)
{
	struct exhaustive_best best = exhaustive_cover(&d->e);
	uint32_t kept = 0, common;
	__int128 value = 0;
	struct cover_world world;
	struct cover_verdict verdict;
	struct draw_stored stored;
	struct cover_sum sum;

	for (uint32_t i = 0; i < d->p.n; i++) {
		kept |= (uint32_t)r->kept[i] << i;
		if (r->kept[i] && d->p.prefer)
			value += d->prefer[i];
	}
	common = d->e.use_previous ? (uint32_t)__builtin_popcount(kept & d->e.previous) : 0;
	CHECK(exhaustive_valid(&d->e, kept), "%s: no valid cover, n = %u", what, d->p.n);
	CHECK_EQ(r->kept_count, best.size, "%s: size, n = %u", what, d->p.n);
	CHECK_EQ(common, best.in_common, "%s: kept as before, n = %u", what, d->p.n);
	CHECK(value == best.value, "%s: sum of preferences is %lld, could be %lld", what, (long long)value,
	      (long long)best.value);
	CHECK(r->value_proven, "%s: value proven", what);
	CHECK_EQ(r->lower_bound, r->kept_count, "%s: lower bound", what);
	sum = cover_prefer_sum(d->p.prefer, r->kept, d->p.n);
	CHECK((__int128)sum.hi * ((__int128)1 << 64) + sum.lo == value, "%s: 128-bit sum", what);

	draw_world(d, &world);
	draw_store(t, d, r, &stored);
	CHECK_EQ(cover_check(&stored.claim, &world, &verdict, NULL), WN_OK);
	for (int o = 0; o < COVER_OFFENCES; o++)
		CHECK_EQ(verdict.count[o], 0, "%s: %s, for example %u", what, cover_offence_name(o),
			 verdict.example[o]);
	CHECK(verdict.bound >= r->certified && verdict.bound <= best.size,
	      "%s: certified %llu, checked %llu, minimum %u", what, (unsigned long long)r->certified,
	      (unsigned long long)verdict.bound, best.size);
	if (r->by_status[COVER_SEARCHED] == 0)
		CHECK(verdict.proves_minimum, "%s: proof of minimum", what);
}

TEST(cover, agrees_with_exhaustive_search)
{
	for (size_t k = 0; k < COUNT(kinds); k++)
		for (uint32_t i = 0; i < kinds[k].rounds && !t->failures; i++) {
			struct draw d;
			struct cover_result r;

			draw_problem(t, &d, i % 40 ? (uint32_t)test_below(t, 12) : 14, kinds[k].with);
			REQUIRE(cover_solve(&d.p, &r, NULL) == WN_OK, "%s", kinds[k].what);
			compare(t, &d, &r, kinds[k].what);
			cover_result_release(&r);
		}
}

/* Documents that the rows do not tell apart stand for each other. */
TEST(cover, agrees_with_exhaustive_search_by_classes)
{
	uint64_t apart = 0, documents = 0;

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (uint32_t i = 0; i < kinds[k].rounds && !t->failures; i++) {
			uint64_t none[DRAW_MAX + 1] = { 0 };
			uint8_t covered[DRAW_MAX] = { 0 };
			struct cover_problem p;
			struct cover_result r;
			struct classes c;
			struct narrow narrow;
			struct draw d;

			draw_problem(t, &d, i % 40 ? (uint32_t)test_below(t, 12) : 14, kinds[k].with);
			p = d.p;
			p.start = none;
			p.covered = covered;
			classes_open(&c, &p);
			for (uint32_t a = 0; a < p.n; a++)
				if (d.start[a] < d.start[a + 1])
					classes_add(&c, a, d.by + d.start[a], d.start[a + 1] - d.start[a]);
			classes_problem(&c, &narrow);
			REQUIRE(cover_solve(&narrow.problem, &r, NULL) == WN_OK, "%s", kinds[k].what);
			compare(t, &d, &r, kinds[k].what);
			apart += c.size.n;
			documents += p.n;
			cover_result_release(&r);
			narrow_release(&narrow);
			classes_close(&c);
		}
	CHECK(apart < documents, "no two documents were of one class");
}

/* A cover to begin with and a bound that is known make the way shorter, and the answer no other. */
TEST(cover, agrees_with_exhaustive_search_from_any_beginning)
{
	for (size_t k = 0; k < COUNT(kinds); k++)
		for (uint32_t i = 0; i < kinds[k].rounds && !t->failures; i++) {
			uint8_t begin[DRAW_MAX];
			struct cover_result r;
			struct draw d;

			if (kinds[k].with & (DRAW_PREFER | DRAW_PREVIOUS))
				break;
			draw_problem(t, &d, i % 40 ? (uint32_t)test_below(t, 12) : 14, kinds[k].with);
			for (uint32_t a = 0; a < d.p.n; a++)
				begin[a] = (uint8_t)test_below(t, 2);
			d.p.begin = begin;
			d.p.least = exhaustive_cover(&d.e).size;
			d.p.least -= d.p.least ? test_below(t, 2) : 0;
			REQUIRE(cover_solve(&d.p, &r, NULL) == WN_OK, "%s", kinds[k].what);
			compare(t, &d, &r, kinds[k].what);
			cover_result_release(&r);
		}
}

/* Rows that name a document without coverers may stop there. */
TEST(cover, needs_no_more_of_a_row_than_a_certain_coverer)
{
	for (int i = 0; i < 500 && !t->failures; i++) {
		struct draw d;
		struct cover_result full, cut;
		uint64_t at = 0, start[DRAW_MAX + 1] = { 0 };
		uint8_t covered[DRAW_MAX] = { 0 };
		struct cover_problem p;

		draw_problem(t, &d, (uint32_t)test_below(t, 12), DRAW_PREFER);
		REQUIRE(cover_solve(&d.p, &full, NULL) == WN_OK);
		p = d.p;
		for (uint32_t a = 0; a < p.n; a++) { /* in place: rows only get shorter */
			uint32_t certain = UINT32_MAX;

			for (uint64_t k = d.start[a]; k < d.start[a + 1]; k++)
				if (d.e.by[d.by[k]] == 0)
					certain = d.by[k];
			if (certain != UINT32_MAX && test_below(t, 2)) {
				covered[a] = 1;
			} else if (certain != UINT32_MAX) {
				d.by[at++] = certain;
			} else {
				for (uint64_t k = d.start[a]; k < d.start[a + 1]; k++)
					d.by[at++] = d.by[k];
			}
			start[a + 1] = at;
		}
		p.start = start;
		p.covered = covered;
		REQUIRE(cover_solve(&p, &cut, NULL) == WN_OK);
		CHECK_EQ(cut.kept_count, full.kept_count);
		CHECK_EQ(cover_prefer_sum(p.prefer, cut.kept, p.n).lo, cover_prefer_sum(p.prefer, full.kept, p.n).lo);
		CHECK_EQ(cut.certified, full.certified);
		cover_result_release(&full);
		cover_result_release(&cut);
	}
}

/* A component too hard for the budget still gets a cover and a bound. */
TEST(cover, says_what_it_could_not_prove)
{
	enum { N = 60 };
	uint64_t *start = ARENA_ARRAY(t->arena, uint64_t, N + 1), at = 0;
	uint32_t *by = ARENA_ARRAY(t->arena, uint32_t, N * N);
	struct cover_problem p = { .n = N, .start = start, .by = by, .node_budget = 1 };
	struct cover_result r, whole;

	start[0] = 0;
	for (uint32_t a = 0; a < N; a++) {
		for (uint32_t b = 0; b < N; b++)
			if (a != b && test_below(t, 10) == 0)
				by[at++] = b;
		start[a + 1] = at;
	}
	REQUIRE(cover_solve(&p, &r, NULL) == WN_OK);
	p.node_budget = 100000;
	REQUIRE(cover_solve(&p, &whole, NULL) == WN_OK);
	CHECK_EQ(whole.by_status[COVER_BOUNDED], 0);
	CHECK(r.lower_bound <= whole.kept_count && whole.kept_count <= r.kept_count, "%llu <= %u <= %u",
	      (unsigned long long)r.lower_bound, whole.kept_count, r.kept_count);
	CHECK(r.certified <= r.lower_bound);
	cover_result_release(&r);
	cover_result_release(&whole);
}

struct told {
	uint64_t times, done, most;
	bool back, beyond;
};

static void note_progress(void *context, uint64_t done, uint64_t most)
{
	struct told *x = context;

	x->back |= done < x->done;
	x->beyond |= done > most;
	x->done = done;
	x->most = most;
	x->times++;
}

/* Two hard components, one after the other: what is done only grows and never exceeds what there is to do at most; who asks gets
 * the same cover as who does not. */
TEST(cover, tells_how_far_a_search_is)
{
	enum { HALF = 70, N = 2 * HALF };
	uint64_t *start = ARENA_ARRAY(t->arena, uint64_t, N + 1), at = 0;
	uint32_t *by = ARENA_ARRAY(t->arena, uint32_t, N * N);
	struct told told = { 0 };
	struct cover_problem p = { .n = N, .start = start, .by = by, .node_budget = 40 };
	struct cover_result quiet, r;

	start[0] = 0;
	for (uint32_t a = 0; a < N; a++) {
		for (uint32_t b = a / HALF * HALF; b < (a / HALF + 1) * HALF; b++)
			if (a != b && test_below(t, 12) == 0)
				by[at++] = b;
		start[a + 1] = at;
	}
	REQUIRE(cover_solve(&p, &quiet, NULL) == WN_OK);
	p.progress = note_progress;
	p.progress_context = &told;
	REQUIRE(cover_solve(&p, &r, NULL) == WN_OK);
	CHECK(told.times > 2 && told.done > 0 && told.most >= told.done);
	CHECK(!told.back && !told.beyond);
	CHECK_EQ(r.kept_count, quiet.kept_count);
	CHECK(memcmp(r.kept, quiet.kept, N) == 0);
	cover_result_release(&quiet);
	cover_result_release(&r);
}

/* Rows a < n and coverers b < n, one in ten; the first `same` of both are as in `like`. */
static void draw_sparse(struct test *t, uint8_t (*covers)[52], uint32_t n, uint32_t same, uint64_t *start, uint32_t *by)
{
	uint64_t at = 0;

	start[0] = 0;
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = 0; b < n; b++) {
			if (a >= same || b >= same)
				covers[b][a] = a != b && test_below(t, 10) == 0;
			if (covers[b][a])
				by[at++] = b;
		}
		start[a + 1] = at;
	}
}

/* What an earlier search gave up is not searched again, and what it left is a beginning that is valid. */
TEST(cover, goes_on_from_what_is_known)
{
	enum { N = 48, MORE = 52 };
	uint64_t *start = ARENA_ARRAY(t->arena, uint64_t, MORE + 1);
	uint32_t *by = ARENA_ARRAY(t->arena, uint32_t, MORE * MORE), unproven = 0, as_small = 0;
	static uint8_t covers[MORE][MORE];

	for (int round = 0; round < 40 && !t->failures; round++) {
		struct cover_problem p = { .n = N, .start = start, .by = by, .node_budget = 1 };
		uint8_t given_up[MORE] = { 0 }, kept[MORE] = { 0 };
		uint32_t y[MORE] = { 0 };
		struct cover_known known = { given_up, kept, y, 1 };
		struct cover_result old, new, whole;

		draw_sparse(t, covers, N, 0, start, by);
		REQUIRE(cover_solve(&p, &old, NULL) == WN_OK);
		memset(given_up, 1, N);
		memcpy(kept, old.kept, N);
		memcpy(y, old.y, N * sizeof *y);
		known.denominator = old.denominator;
		p.known = &known;
		REQUIRE(cover_solve(&p, &new, NULL) == WN_OK);
		CHECK(new.kept_count <= old.kept_count, "the same problem: %u kept, before %u", new.kept_count,
		      old.kept_count);
		cover_result_release(&new);

		p.n = MORE;
		draw_sparse(t, covers, MORE, N, start, by);
		REQUIRE(cover_solve(&p, &new, NULL) == WN_OK);
		p.known = NULL;
		p.node_budget = 100000;
		REQUIRE(cover_solve(&p, &whole, NULL) == WN_OK);
		CHECK_EQ(new.nodes, 0);
		CHECK_EQ(whole.by_status[COVER_BOUNDED], 0);
		CHECK(new.lower_bound <= whole.kept_count &&whole.kept_count <= new.kept_count, "%llu <= %u <= %u",
		      (unsigned long long)new.lower_bound, whole.kept_count, new.kept_count);
		for (uint32_t a = 0; a < MORE; a++) {
			bool covered = new.kept[a];
			uint64_t load = new.y[a];

			for (uint32_t b = 0; b < MORE; b++) {
				covered |= covers[b][a] && new.kept[b];
				load += covers[a][b] ? new.y[b] : 0;
			}
			CHECK(covered && load <= new.denominator, "document %u: covered %d, values %llu of %u", a,
			      covered, (unsigned long long)load, new.denominator);
		}
		unproven += new.by_status[COVER_BOUNDED] > 0;
		as_small += new.kept_count == whole.kept_count;
		cover_result_release(&old);
		cover_result_release(&new);
		cover_result_release(&whole);
	}
	CHECK(unproven > 10 && as_small > 30, "unproven %u times, as small as the minimum %u times", unproven,
	      as_small);
	printf("cover: from what is known, of 40 unproven %u, as small as the minimum %u\n", unproven, as_small);
}

/* Do size documents, the last of them from `first` on, cover what is open?  open: the rest, as bits of two words. */
static bool some_cover(uint64_t (*covers)[2], uint32_t n, uint32_t first, unsigned size, uint64_t x, uint64_t y)
{
	if (!x && !y)
		return true;
	for (uint32_t b = first; size && b < n; b++)
		if (some_cover(covers, n, b + 1, size - 1, x & ~covers[b][0], y & ~covers[b][1]))
			return true;
	return false;
}

/* Where most documents cover most others, bit sets stand in for lists. */
TEST(cover, of_dense_graphs_is_as_small_as_any)
{
	enum { N = 100 };
	uint64_t *start = ARENA_ARRAY(t->arena, uint64_t, N + 1), covers[N][2];
	uint32_t *by = ARENA_ARRAY(t->arena, uint32_t, N * N);
	unsigned sizes[6] = { 0 };

	for (int round = 0; round < 40; round++) {
		uint32_t n = 70 + (uint32_t)test_below(t, N - 70), tenths = 3 + (uint32_t)test_below(t, 7);
		struct cover_problem p = { .n = n, .start = start, .by = by };
		struct cover_result r;
		uint64_t at = 0;

		memset(covers, 0, sizeof covers);
		start[0] = 0;
		for (uint32_t a = 0; a < n; a++) {
			for (uint32_t b = 0; b < n; b++)
				if (a == b || test_below(t, 10) < tenths) {
					covers[b][a / 64] |= (uint64_t)1 << a % 64;
					if (a != b)
						by[at++] = b;
				}
			start[a + 1] = at;
		}
		REQUIRE(cover_solve(&p, &r, NULL) == WN_OK);
		for (unsigned size = 1; size < 5 && size < r.kept_count; size++)
			CHECK(!some_cover(covers, n, 0, size, UINT64_MAX, n < 128 ? ((uint64_t)1 << (n - 64)) - 1 : 0),
			      "%u documents: %u cover them, %u were kept", n, size, r.kept_count);
		CHECK(r.kept_count > 3 ? r.lower_bound <= r.kept_count : r.lower_bound == r.kept_count);
		sizes[r.kept_count < 5 ? r.kept_count : 5]++;
		cover_result_release(&r);
	}
	printf("cover: dense graphs of minimum 1, 2, 3, 4, more: %u %u %u %u %u\n", sizes[1], sizes[2], sizes[3],
	       sizes[4], sizes[5]);
}

TEST(cover, ends_when_it_is_asked_to)
{
	struct draw d;
	struct cover_result r;
	struct err err = { 0 };

	draw_problem(t, &d, 18, 0);
	task_stop(true);
	CHECK_EQ(cover_solve(&d.p, &r, &err), WN_INTERRUPTED);
	task_stop(false);
	CHECK(r.kept == NULL);
	REQUIRE(cover_solve(&d.p, &r, &err) == WN_OK);
	cover_result_release(&r);
}

TEST(cover, is_the_same_each_time)
{
	struct draw d;
	struct cover_result x, y;

	draw_problem(t, &d, 18, 0);
	REQUIRE(cover_solve(&d.p, &x, NULL) == WN_OK);
	REQUIRE(cover_solve(&d.p, &y, NULL) == WN_OK);
	CHECK(memcmp(x.kept, y.kept, d.p.n) == 0 && memcmp(x.y, y.y, d.p.n * sizeof(*x.y)) == 0);
	cover_result_release(&x);
	cover_result_release(&y);
}

TEST(cover, refuses_a_malformed_problem)
{
	uint64_t start[] = { 0, 1, 1, 1 };
	uint32_t by[] = { 0 }, fold[] = { 0, 0, 2 }, group[] = { 0, 1, 0 }, demand[] = { 1, 1 };
	struct cover_problem p = { .n = 3, .start = start, .by = by };
	struct cover_result r;
	struct err err;

	CHECK_EQ(cover_solve(&p, &r, &err), WN_USAGE, "a document that covers itself");
	by[0] = 3;
	CHECK_EQ(cover_solve(&p, &r, &err), WN_USAGE, "a document that does not exist");
	by[0] = 1;
	p.fold = fold;
	CHECK_EQ(cover_solve(&p, &r, &err), WN_USAGE, "a folded coverer");
	by[0] = 2;
	p.group = group;
	p.groups = 2;
	p.demand = demand;
	CHECK_EQ(cover_solve(&p, &r, &err), WN_USAGE, "folded into another group");
	group[1] = 0;
	CHECK_EQ(cover_solve(&p, &r, &err), WN_OK);
	cover_result_release(&r);
}

TEST(cover, has_an_answer_for_nothing)
{
	uint64_t start[] = { 0 };
	struct cover_problem p = { .n = 0, .start = start };
	struct cover_result r;

	REQUIRE(cover_solve(&p, &r, NULL) == WN_OK);
	CHECK_EQ(r.kept_count, 0);
	CHECK_EQ(r.lower_bound, 0);
	CHECK_EQ(r.component_count, 0);
	cover_result_release(&r);
}

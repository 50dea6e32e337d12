/* Random small collections and rules: the join against the slow twin. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracle/brute_join.h"
#include "../../oracle/grown.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "join/coverage.h"
#include "join/postings.h"
#include "test.h"

enum { DOCS = 60, ITEMS = 40 };

/* clang-format off */
enum feature {
	F_KEY, F_ORDER, F_STRICT, F_WINDOW, F_TWO_ORDERS, F_MISSING, F_ONE_SIDED, F_OR, F_NO_CONTENT, F_CONTAINED, F_CONTAINS,
	F_JACCARD, F_DICE, F_SHARED, F_STRICT_BOUND, F_TWO_BOUNDS, F_TWO_KINDS, F_UPPER, F_DIFFER, F_EMPTY, F_BAG, F_EQUAL_SETS,
	F_EQUAL_TIMES, F_CODED, F_CHUNKED, F_LONG_LISTS, F_PAIRS, F_FOLDED, F_FORCED, F_COVERED, F_CORE, F_OPEN, F_STAYED_OPEN, F_GATHERED, F_INDEXED, F_DAMAGED, F_ADDED, F_MERGED, FEATURES
};
/* clang-format on */
static const char *const feature_name[FEATURES] = {
	"key",	      "order",	    "strict order", "window",		"two orders",	    "missing",
	"one-sided",  "or",	    "no content",   "containment(a,b)", "containment(b,a)", "jaccard",
	"dice",	      "shared",	    "strict bound", "two bounds",	"two kinds",	    "upper bound",
	"!=",	      "empty set",  "bag",	    "equal sets",	"equal times",	    "coded sets",
	"chunked",    "long lists", "pairs",	    "folded",		"forced",	    "covered",
	"core",	      "open",	    "stayed open",  "gathered",		"kept index",	    "damaged index",
	"added sets", "merged"
};

struct world {
	struct join_query q;
	struct join_disjunct d[3];
	uint32_t key[2][DOCS], set_of[2][DOCS], differ[DOCS];
	double value[2][DOCS];
	uint8_t ok[2][DOCS];
	uint64_t items[2][DOCS * ITEMS], start[2][DOCS];
	uint32_t size[2][DOCS];
	struct join_bound upper[3];
	bool differs[3];
	uint8_t *covers;
	struct join_fold fold;
	uint64_t drawn[FEATURES];
};

/* Sets as if they were stored coded: read through cursors, a few at a time. */
static void coded_open(void *context, uint32_t set, struct join_cursor *c)
{
	const struct join_sets *s = context;

	*c = (struct join_cursor){ .at = s->start[set], .left = s->size[set], .size = s->size[set] };
}

static const uint64_t *coded_items[2];
static uint32_t coded_read(void *context, struct join_cursor *c, uint64_t below, uint64_t *out, uint32_t cap)
{
	const struct join_sets *s = context;
	const uint64_t *items = coded_items[s->n & 1 ? 1 : 0];
	uint32_t n = 0;

	while (n < cap && c->left && (below == UINT64_MAX || items[c->at] < below)) {
		out[n++] = items[c->at++];
		c->left--;
	}
	return n;
}

static bool test_rest(void *context, unsigned i, uint32_t a, uint32_t b, const struct join_overlap o[JOIN_KINDS])
{
	struct world *w = context;

	if (w->differs[i] && w->differ[a] == w->differ[b])
		return false;
	return !w->upper[i].den || !brute_bound(&w->upper[i], o[w->upper[i].kind]);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void draw_set(struct test *t, struct world *w, int k, uint32_t s, bool bag, bool mixed)
{
	uint64_t *v = w->items[k] + w->start[k][s];
	uint32_t n = 0, m = 0;

	if (s && test_below(t, 4)) { /* another version of an earlier one */
		uint32_t from = (uint32_t)test_below(t, s), change = (uint32_t)test_below(t, 6);

		for (uint32_t i = 0; i < w->size[k][from]; i++)
			v[n++] = w->items[k][w->start[k][from] + i];
		for (uint32_t i = 0; i < change && n; i++) {
			uint32_t at = (uint32_t)test_below(t, n);
			uint64_t x = test_below(t, 60);

			v[at] = mixed ? mix64(x + 1) : x;
		}
	} else {
		uint32_t want = test_below(t, 8) ? (uint32_t)test_below(t, ITEMS) : 0;

		for (uint32_t i = 0; i < want; i++) {
			uint64_t x = test_below(t, 60);

			v[n++] = mixed ? mix64(x + 1) : x;
		}
	}
	qsort(v, n, sizeof *v, by_value);
	for (uint32_t i = 0; i < n; i++)
		if (bag || i == 0 || v[i] != v[i - 1])
			v[m++] = v[i];
	w->size[k][s] = m;
	w->drawn[F_EMPTY] += m == 0;
}

static void draw_documents(struct test *t, struct world *w)
{
	bool bag = test_below(t, 4) == 0, mixed = test_below(t, 2), coded = test_below(t, 4) == 0;
	uint32_t n = 2 + (uint32_t)test_below(t, DOCS - 2), sets = 1 + (uint32_t)test_below(t, n);
	bool missing = test_below(t, 3) == 0;

	w->q.n = n;
	w->drawn[F_BAG] += bag;
	w->drawn[F_CODED] += coded;
	w->drawn[F_EQUAL_SETS] += sets < n;
	for (int k = 0; k < 2; k++) {
		for (uint32_t s = 0; s < sets; s++) {
			w->start[k][s] = (uint64_t)s * ITEMS;
			draw_set(t, w, k, s, bag, mixed);
		}
		/* an odd number of sets marks the second kind for coded_read */
		w->q.sets[k] = (struct join_sets){
			.n = 2 * sets + (uint32_t)k, .bag = bag, .size = w->size[k], .start = w->start[k]
		};
		if (coded) {
			coded_items[k] = w->items[k];
			w->q.sets[k].open = coded_open;
			w->q.sets[k].read = coded_read;
			w->q.sets[k].context = &w->q.sets[k];
		} else {
			w->q.sets[k].items = w->items[k];
		}
		w->q.set_of[k] = w->set_of[k];
	}
	for (uint32_t d = 0; d < n; d++) {
		for (int k = 0; k < 2; k++) {
			w->set_of[k][d] = test_below(t, 20) ? (uint32_t)test_below(t, sets) : JOIN_NO_SET;
			w->key[k][d] = (uint32_t)test_below(t, k ? 2 : 4);
			w->value[k][d] = missing && test_below(t, 5) == 0 ? NAN : (double)test_below(t, 10);
			w->ok[k][d] = test_below(t, 3) != 0;
		}
		w->differ[d] = (uint32_t)test_below(t, 3);
	}
	w->drawn[F_MISSING] += missing;
	w->drawn[F_EQUAL_TIMES] += n > 10;
}

static struct join_bound draw_bound(struct test *t, struct world *w)
{
	static const uint64_t num[] = { 1, 3, 1, 7, 9, 1, 2 }, den[] = { 4, 10, 2, 10, 10, 1, 3 };
	size_t i = test_below(t, 7);
	struct join_bound b = { (uint8_t)test_below(t, 2), (uint8_t)test_below(t, 5), test_below(t, 4) == 0, num[i],
				den[i] };

	if (b.measure == JOIN_SHARED) {
		b.num = 1 + test_below(t, 20);
		b.den = 1;
	}
	w->drawn[F_CONTAINED + b.measure]++;
	w->drawn[F_STRICT_BOUND] += b.strict;
	return b;
}

static void draw_order(struct test *t, struct world *w, struct join_order *o)
{
	int k = (int)test_below(t, 2);

	*o = (struct join_order){ w->value[k], w->value[test_below(t, 5) ? k : 1 - k], 0, INFINITY, false, false };
	switch (test_below(t, 4)) {
	case 0:
		o->lo_strict = true;
		w->drawn[F_STRICT]++;
		break;
	case 1:
		o->lo = -(double)test_below(t, 4);
		o->hi = (double)test_below(t, 4);
		o->hi_strict = test_below(t, 2);
		w->drawn[F_WINDOW]++;
		break;
	case 2:
		o->lo = -INFINITY;
		o->hi = 0;
		break;
	default: w->drawn[F_ORDER]++;
	}
}

static void draw_disjunct(struct test *t, struct world *w, unsigned i)
{
	struct join_disjunct *d = &w->d[i];

	*d = (struct join_disjunct){ 0 };
	w->upper[i] = (struct join_bound){ 0 };
	w->differs[i] = false;
	if (test_below(t, 2)) {
		d->key = w->key[test_below(t, 2)];
		w->drawn[F_KEY]++;
	}
	d->n_orders = (unsigned)test_below(t, 3);
	for (unsigned k = 0; k < d->n_orders; k++)
		draw_order(t, w, &d->order[k]);
	w->drawn[F_TWO_ORDERS] += d->n_orders == 2;
	d->n_bounds = (unsigned)test_below(t, 4);
	for (unsigned k = 0; k < d->n_bounds; k++) {
		d->bound[k] = draw_bound(t, w);
		w->drawn[F_TWO_KINDS] += k && d->bound[k].kind != d->bound[0].kind;
	}
	w->drawn[F_NO_CONTENT] += d->n_bounds == 0;
	w->drawn[F_TWO_BOUNDS] += d->n_bounds > 1;
	if (test_below(t, 4) == 0) {
		d->a_ok = w->ok[0];
		d->b_ok = test_below(t, 2) ? w->ok[1] : NULL;
		w->drawn[F_ONE_SIDED]++;
	}
	if (test_below(t, 4) == 0) {
		w->upper[i] = draw_bound(t, w);
		d->has_test = true;
		d->test_kinds = 1u << w->upper[i].kind;
		w->drawn[F_UPPER]++;
	}
	if (test_below(t, 4) == 0) {
		w->differs[i] = d->has_test = true;
		w->drawn[F_DIFFER]++;
	}
}

static struct join_options draw_options(struct test *t, struct world *w)
{
	struct join_options o = { .threads = 1 + (unsigned)test_below(t, 3) };

	if (test_below(t, 3) == 0) {
		o.memory = 200 + test_below(t, 2000);
		w->drawn[F_CHUNKED]++;
	}
	if (test_below(t, 2)) {
		o.list = 1 + (uint32_t)test_below(t, 4);
		w->drawn[F_LONG_LISTS]++;
	}
	return o;
}

/* Folding by the definition, from the twin's own matrix. */
static bool covers_or_same(const struct world *w, uint32_t a, uint32_t b)
{
	return a == b || w->covers[(size_t)a * w->q.n + b];
}

static bool fold_brute(void *context, uint32_t x, uint32_t y, const struct join_overlap self[JOIN_KINDS])
{
	struct world *w = context;

	(void)self;
	if (!covers_or_same(w, x, y))
		return false;
	for (uint32_t z = 0; z < w->q.n; z++)
		if ((covers_or_same(w, z, x) && !covers_or_same(w, z, y)) ||
		    (covers_or_same(w, y, z) && !covers_or_same(w, x, z)))
			return false;
	return true;
}

static uint64_t fold_same(void *context, uint32_t d)
{
	(void)context;
	(void)d;
	return 0;
}

static int fold_compare(void *context, uint32_t x, uint32_t y)
{
	struct world *w = context;
	uint32_t nx = 0, ny = 0;

	for (uint32_t z = 0; z < w->q.n; z++) {
		nx += covers_or_same(w, z, x);
		ny += covers_or_same(w, z, y);
	}
	return nx > ny ? -1 : nx < ny;
}

static void draw_world(struct test *t, struct world *w)
{
	w->q = (struct join_query){ 0 };
	draw_documents(t, w);
	w->q.n_disjuncts = test_below(t, 3) ? 1 : 1 + (unsigned)test_below(t, 3);
	w->drawn[F_OR] += w->q.n_disjuncts > 1;
	for (unsigned i = 0; i < w->q.n_disjuncts; i++)
		draw_disjunct(t, w, i);
	w->q.disjunct = w->d;
	w->q.test = test_rest;
	w->q.test_context = w;
	w->covers = brute_join(&w->q);
	w->fold = (struct join_fold){ w, fold_same, fold_compare, fold_brute, NULL };
	w->q.fold = &w->fold;
}

struct each_check {
	struct test *t;
	const struct world *w;
	uint64_t last, pairs, wrong;
	int kind;
};

static int check_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct each_check *c = context;
	struct join_overlap o = brute_overlap(&c->w->q, c->kind, a, b);
	uint64_t place = (uint64_t)a << 32 | b;

	c->wrong += c->pairs && place <= c->last;
	c->wrong += !c->w->covers[(size_t)a * c->w->q.n + b];
	c->wrong += o.shared != shared || o.a != size_a || o.b != size_b;
	c->last = place;
	c->pairs++;
	return 0;
}

static void check_pairs(struct test *t, struct world *w, const struct join_options *o, int round)
{
	struct coverage c;
	struct each_check each = { .t = t, .w = w, .kind = (int)test_below(t, 2) };
	struct err err = { 0 };
	uint64_t pairs = 0, wrong = 0;

	REQUIRE(coverage_build(&c, &w->q, o, NULL, &err) == WN_OK, "%s", err.text);
	for (uint32_t a = 0; a < w->q.n; a++) {
		uint64_t i = c.start[a];

		for (uint32_t b = 0; b < w->q.n; b++)
			if (w->covers[(size_t)a * w->q.n + b]) {
				pairs++;
				wrong += i >= c.start[a + 1] || c.by[i++] != b;
			}
		wrong += i != c.start[a + 1];
	}
	CHECK_EQ(wrong, 0, "round %d: %u documents, %" PRIu64 " pairs, %" PRIu64 " found", round, w->q.n, pairs,
		 c.start[w->q.n]);
	coverage_release(&c);
	w->drawn[F_PAIRS] += pairs;
	REQUIRE(coverage_each(&w->q, o, each.kind, check_pair, &each, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(each.pairs, pairs, "round %d", round);
	CHECK_EQ(each.wrong, 0, "round %d", round);
}

/* The lists of a kernel are what coverage.h says of them. */
static uint64_t kernel_faults(struct world *w, const struct kernel *k)
{
	uint64_t wrong = 0;
	uint8_t forced[DOCS] = { 0 };
	uint32_t n = w->q.n, count[4] = { 0 };

	for (uint32_t a = 0; a < n; a++) {
		forced[a] = k->fold[a] == a;
		for (uint32_t b = 0; b < n; b++)
			if (w->covers[(size_t)a * n + b] && k->fold[b] == b)
				forced[a] = 0;
	}
	for (uint32_t a = 0; a < n; a++) {
		uint64_t i = k->graph.start[a], end = k->graph.start[a + 1];
		uint32_t first_forced = UINT32_MAX;

		if (k->fold[a] != a) {
			wrong += i != end || k->fold[k->fold[a]] != k->fold[a] || !fold_brute(w, a, k->fold[a], NULL);
			count[0]++;
			continue;
		}
		for (uint32_t b = 0; b < n && first_forced == UINT32_MAX; b++)
			if (w->covers[(size_t)a * n + b] && forced[b])
				first_forced = b;
		if (forced[a]) {
			wrong += i != end;
			count[1]++;
		} else if (first_forced != UINT32_MAX) {
			wrong += end != i + 1 || k->graph.by[i] != first_forced;
			count[2]++;
		} else {
			for (uint32_t b = 0; b < n; b++)
				if (w->covers[(size_t)a * n + b] && k->fold[b] == b)
					wrong += i >= end || k->graph.by[i++] != b;
			wrong += i != end;
			count[3]++;
		}
	}
	wrong +=
	    count[0] != k->n_folded || count[1] != k->n_forced || count[2] != k->n_covered || count[3] != k->n_core;
	for (int i = 0; i < 4; i++)
		w->drawn[F_FOLDED + i] += count[i];
	return wrong;
}

/* The least set that hits every row: rows[a] are bit sets. */
static uint64_t least_cover(const uint64_t *rows, uint32_t n)
{
	for (unsigned size = 0;; size++)
		for (uint64_t k = 0; k < (uint64_t)1 << n; k++) {
			bool all = true;

			if ((unsigned)__builtin_popcountll(k) != size)
				continue;
			for (uint32_t a = 0; a < n && all; a++)
				all = (rows[a] & k) != 0;
			if (all)
				return k;
		}
}

static int count(uint64_t set) { return __builtin_popcountll(set); }

/* The rows of a kernel as bit sets; folded and open documents ask for nothing. */
static void kernel_rows(const struct kernel *k, uint64_t *rows)
{
	for (uint32_t a = 0; a < k->graph.n; a++) {
		rows[a] = (uint64_t)1 << a;
		for (uint64_t i = k->graph.start[a]; i < k->graph.start[a + 1]; i++)
			rows[a] |= (uint64_t)1 << k->graph.by[i];
		if (k->fold[a] != a || (k->open && k->open[a]))
			rows[a] = UINT64_MAX;
	}
}

/* Rows put off, solved in turns: the minimum of the whole. */
static void check_turns(struct test *t, struct world *w, const struct join_options *o, const uint64_t *whole, int round)
{
	struct join_options few = *o;
	uint64_t rows[16], cover = 0;
	uint32_t grown = 1, n = w->q.n;
	uint8_t kept[16];
	struct kernel k;
	struct err err = { 0 };

	few.edges = 1;
	REQUIRE(coverage_kernel(&k, &w->q, &few, NULL, &err) == WN_OK, "%s", err.text);
	w->drawn[F_OPEN] += k.n_open;
	for (unsigned turn = 0; grown; turn++) {
		REQUIRE(kernel_grow(&k, &w->q, &few, turn ? kept : NULL, grown_row, &k, &grown, &err) == WN_OK, "%s",
			err.text);
		kernel_rows(&k, rows);
		cover = least_cover(rows, n);
		for (uint32_t d = 0; d < n; d++)
			kept[d] = cover >> d & 1;
		grown |= turn == 0;
	}
	for (uint32_t a = 0; a < n; a++)
		CHECK(whole[a] & cover, "round %d: document %u is not covered", round, a);
	CHECK_EQ(count(cover), count(least_cover(whole, n)), "round %d: minimum in turns", round);
	w->drawn[F_STAYED_OPEN] += k.n_open;
	kernel_release(&k);
}

static void check_kernel(struct test *t, struct world *w, const struct join_options *o, int round)
{
	struct kernel k;
	struct err err = { 0 };
	uint64_t whole[16], rest[16];

	REQUIRE(coverage_kernel(&k, &w->q, o, NULL, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(kernel_faults(w, &k), 0, "round %d", round);
	if (w->q.n <= 12) {
		for (uint32_t a = 0; a < w->q.n; a++) {
			whole[a] = (uint64_t)1 << a;
			for (uint32_t b = 0; b < w->q.n; b++)
				whole[a] |= (uint64_t)covers_or_same(w, a, b) << b;
		}
		kernel_rows(&k, rest);
		CHECK_EQ(count(least_cover(rest, w->q.n)), count(least_cover(whole, w->q.n)),
			 "round %d: minimum of the kernel", round);
		check_turns(t, w, o, whole, round);
	}
	kernel_release(&k);
}

static void check_witness(struct test *t, struct world *w, const struct join_options *o, int round)
{
	uint8_t kept[DOCS];
	uint32_t witness[DOCS], n = w->q.n;
	struct err err = { 0 };
	int kind = (int)test_below(t, 3) - 1;
	uint64_t wrong = 0;

	for (uint32_t d = 0; d < n; d++)
		kept[d] = test_below(t, 3) == 0;
	REQUIRE(coverage_witness(witness, NULL, &w->q, o, kept, kind, w->value[0], NULL, &err) == WN_OK, "%s",
		err.text);
	for (uint32_t a = 0; a < n; a++) {
		uint32_t best = UINT32_MAX, best_shared = 0;

		for (uint32_t b = 0; b < n && !kept[a]; b++) {
			struct join_overlap both =
			    kind < 0 ? (struct join_overlap){ 0 } : brute_overlap(&w->q, kind, a, b);
			uint32_t shared = both.a ? both.shared : both.b == 0; /* two empty sets: 1 */
			double v = w->value[0][b], u = best == UINT32_MAX ? 0 : w->value[0][best];

			if (!kept[b] || !w->covers[(size_t)a * n + b])
				continue;
			v = isnan(v) ? -1 : v;
			u = isnan(u) ? -1 : u;
			if (best == UINT32_MAX || shared > best_shared || (shared == best_shared && v > u)) {
				best = b;
				best_shared = shared;
			}
		}
		wrong += witness[a] != best;
	}
	CHECK_EQ(wrong, 0, "round %d", round);
}

struct changed_check {
	const struct world *w;
	struct coverage_asking ask;
	int kind;
	uint8_t *given; /* [n * n] */
	uint64_t wrong, last;
	bool any;
};

/* By the definition: is the pair wanted, at a time that is one of `when`? */
static bool asked_for(const struct changed_check *c, uint32_t a, uint32_t b, unsigned when)
{
	const struct coverage_asking *ask = &c->ask;
	unsigned as_a = ask->a_ok ? ask->a_ok[a] : COVERAGE_NOW, as_b = ask->b_ok ? ask->b_ok[b] : COVERAGE_NOW;

	if (!c->w->covers[(size_t)a * c->w->q.n + b] || ask->done[a] || ask->done[b])
		return false;
	return (ask->asks[a] & COVERAGE_AS_A && as_b & when) || (ask->asks[b] & COVERAGE_AS_B && as_a & when);
}

/* Does a, which asks, have no use for it? */
static bool too_little(const struct changed_check *c, uint32_t a, uint32_t b)
{
	return c->ask.least && c->kind >= 0 && c->ask.asks[a] & COVERAGE_AS_A &&
	       brute_overlap(&c->w->q, c->kind, a, b).shared < c->ask.least[a];
}

static int check_changed_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct changed_check *c = context;
	uint64_t place = (uint64_t)a << 32 | b;

	(void)size_a;
	(void)size_b;
	c->wrong +=
	    (c->any && place <= c->last) || !asked_for(c, a, b, COVERAGE_NOW | COVERAGE_LATER) ||
	    (c->kind >= 0 && c->w->q.set_of[c->kind] && shared != brute_overlap(&c->w->q, c->kind, a, b).shared);
	c->last = place;
	c->any = true;
	c->given[(size_t)a * c->w->q.n + b] = 1;
	return 0;
}

/* Pairs that should have been given and were not. */
static uint64_t count_missing(const struct changed_check *c, unsigned when)
{
	uint64_t missing = 0;

	for (uint32_t a = 0; a < c->w->q.n; a++)
		for (uint32_t b = 0; b < c->w->q.n; b++)
			missing +=
			    asked_for(c, a, b, when) && !c->given[(size_t)a * c->w->q.n + b] && !too_little(c, a, b);
	return missing;
}

/* Who asks, as what, and for whom. */
static void draw_asking(struct test *t, const struct world *w, int round, struct changed_check *c, uint8_t *arrays[4],
			uint32_t *least)
{
	unsigned as = test_below(t, 2) ? COVERAGE_AS_A | COVERAGE_AS_B : 1 + (unsigned)test_below(t, 4), some = 4;
	uint8_t *asks = arrays[0], *done = arrays[1], *a_ok = arrays[2], *b_ok = arrays[3];

	c->ask = (struct coverage_asking){ .asks = asks,
					   .done = done,
					   .a_ok = test_below(t, 2) ? a_ok : NULL,
					   .b_ok = test_below(t, 2) ? b_ok : NULL,
					   .least = test_below(t, 2) ? least : NULL };
	if (test_below(t, 2))
		some = 2; /* nobody later */
	for (uint32_t d = 0; d < w->q.n; d++) {
		asks[d] = test_below(t, round % 2 ? 5 : 25) == 0 ? (uint8_t)as : 0; /* few: others are sifted first */
		if (asks[d] > 3)
			asks[d] = (uint8_t)(1 + test_below(t, 3)); /* each as it likes */
		done[d] = !asks[d] && round % 3 == 0 && test_below(t, 10) == 0;
		a_ok[d] = (uint8_t)test_below(t, some);
		b_ok[d] = (uint8_t)test_below(t, some);
		least[d] = c->kind < 0 ? 0 : brute_overlap(&w->q, c->kind, d, d).a;
		least[d] -= (uint32_t)test_below(t, least[d] / 2 + 1);
	}
}

static void check_changed(struct test *t, struct world *w, const struct join_options *o, int round)
{
	uint8_t asks[DOCS], done[DOCS], a_ok[DOCS], b_ok[DOCS], *arrays[] = { asks, done, a_ok, b_ok };
	struct changed_check c = { .w = w, .kind = (int)test_below(t, 3) - 1 };
	uint32_t least[DOCS];
	struct err err = { 0 };

	if (c.kind >= 0 && !w->q.set_of[c.kind])
		c.kind = -1;
	c.given = mem_zarray((size_t)w->q.n * w->q.n + 1, 1);
	draw_asking(t, w, round, &c, arrays, least);
	REQUIRE(coverage_changed(&w->q, o, &c.ask, c.kind, check_changed_pair, &c, NULL, &err) == WN_OK, "%s",
		err.text);
	CHECK_EQ(count_missing(&c, COVERAGE_NOW), 0, "round %d", round);
	c.any = false;
	c.ask.later = true;
	REQUIRE(coverage_changed(&w->q, o, &c.ask, c.kind, check_changed_pair, &c, NULL, &err) == WN_OK, "%s",
		err.text);
	CHECK_EQ(count_missing(&c, COVERAGE_NOW | COVERAGE_LATER), 0, "round %d", round);
	CHECK_EQ(c.wrong, 0, "round %d", round);
	mem_free(c.given);
}

static bool keep_bytes(void *context, const void *p, size_t n)
{
	buf_add(context, p, n);
	return true;
}

struct added_bytes { /* parts of what was added to an index */
	struct buf part[8];
	unsigned n;
};

/* As the next update finds it: what was looked up is added.  What is written may be damaged. */
static void reopen_added(struct test *t, struct world *w, struct postings *kept, const struct buf *bytes,
			 const uint32_t *name, uint32_t sets, struct added_bytes *parts)
{
	unsigned stay = added_stay(&kept->added);
	struct buf part = BUF(64 * MIB);
	bool damage = test_below(t, 8) == 0;
	struct err err = { 0 };

	REQUIRE(stay + 1 < COUNT(parts->part), "%u parts", stay);
	if (added_write(&kept->added, kept->tail.check, name, keep_bytes, &part)) {
		w->drawn[F_ADDED]++;
		w->drawn[F_MERGED] += stay < parts->n;
		if (damage)
			part.p[test_below(t, part.n)] ^= (char)(1 << test_below(t, 8));
		while (parts->n > stay)
			buf_release(&parts->part[--parts->n]);
		parts->part[parts->n++] = part;
	}
	postings_close(kept);
	REQUIRE(postings_open(kept, (const unsigned char *)bytes->p, bytes->n, &err) == WN_OK, "%s", err.text);
	postings_bind(kept, name, sets, sets);
	for (unsigned k = 0; k < parts->n; k++)
		if (added_open(&kept->added, (const unsigned char *)parts->part[k].p, parts->part[k].n,
			       kept->tail.check, kept->tail.rows, &err) < 0) {
			CHECK(damage && k + 1 == parts->n, "%s", err.text);
			buf_release(&parts->part[--parts->n]);
		}
	added_bind(&kept->added, name, sets, sets, kept->tail.rows);
}

/* The same with the index that a run of the first documents left, and then with what each question adds to it. */
static void check_changed_by_index(struct test *t, struct world *w, const struct join_options *o, int round)
{
	unsigned n = w->q.n_disjuncts;
	struct postings_writer *writer = mem_zarray(n + 1, sizeof *writer);
	struct postings *kept = mem_zarray(n + 1, sizeof *kept);
	struct buf *bytes = mem_zarray(n + 1, sizeof *bytes);
	struct added_bytes *added = mem_zarray(n + 1, sizeof *added);
	uint32_t *name = mem_array(DOCS * 4 + 64, sizeof *name), sets = 0;
	struct join_options before = *o, now = *o;
	struct join_query first = w->q;
	struct kernel kernel;
	struct err err = { 0 };

	for (int k = 0; k < JOIN_KINDS; k++)
		sets = w->q.sets[k].n > sets ? w->q.sets[k].n : sets;
	REQUIRE(sets <= DOCS * 4 + 64, "%u sets", sets);
	for (uint32_t s = 0; s < sets; s++)
		name[s] = s;
	for (unsigned i = 0; i < n; i++) {
		bytes[i] = BUF(64 * MIB);
		writer[i] = (struct postings_writer){
			.put = keep_bytes, .context = &bytes[i], .name = name, .coarse = test_below(t, 2) ? 27 : 0
		}; /* 16 refs for all classes */
	}
	before.keep = writer;
	first.n = w->q.n - (uint32_t)test_below(t, w->q.n / (test_below(t, 2) ? 2 : 4) + 1);
	REQUIRE(coverage_kernel(&kernel, &first, &before, NULL, &err) == WN_OK, "%s", err.text);
	kernel_release(&kernel);
	for (unsigned i = 0; i < n; i++) {
		bool damage = test_below(t, 3) == 0;

		if (writer[i].done && damage) { /* found when it is opened, or when that part is read */
			bytes[i].p[test_below(t, bytes[i].n)] ^= (char)(1 << test_below(t, 8));
			w->drawn[F_DAMAGED]++;
		}
		w->drawn[F_INDEXED] += writer[i].done;
		if (writer[i].done &&
		    postings_open(&kept[i], (const unsigned char *)bytes[i].p, bytes[i].n, &err) == WN_OK) {
			postings_bind(&kept[i], name, sets, sets);
		} else {
			CHECK(!writer[i].done || damage, "%s", err.text);
			postings_close(&kept[i]);
		}
		vec_release(&writer[i].bucket);
	}
	now.kept = kept;
	check_changed(t, w, &now, round);
	for (unsigned i = 0; i < n; i++)
		kept[i].later.n = 0;
	check_changed(t, w, &now, round); /* others ask, and some sets were looked up before */
	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < n; i++)
			if (kept[i].bytes)
				reopen_added(t, w, &kept[i], &bytes[i], name, sets, &added[i]);
		check_changed(t, w, &now, round + (int)turn);
	}
	for (unsigned i = 0; i < n; i++) {
		postings_close(&kept[i]);
		buf_release(&bytes[i]);
		for (unsigned k = 0; k < added[i].n; k++)
			buf_release(&added[i].part[k]);
	}
	mem_free(added);
	mem_free(writer);
	mem_free(kept);
	mem_free(bytes);
	mem_free(name);
}

/* Bands may miss pairs but never make one up; places beyond the limit are refused. */
static void check_approx(struct test *t, struct world *w, int round)
{
	struct join_options o = { .threads = 1 + (unsigned)test_below(t, 2),
				  .bands = 8,
				  .rows = 1 + (unsigned)test_below(t, 2) };
	struct coverage_stats stats = { 0 };
	struct coverage c;
	struct err err = { 0 };
	uint64_t wrong = 0;

	REQUIRE(coverage_build(&c, &w->q, &o, &stats, &err) == WN_OK, "%s", err.text);
	for (uint32_t a = 0; a < w->q.n; a++)
		for (uint64_t i = c.start[a]; i < c.start[a + 1]; i++)
			wrong += !w->covers[(size_t)a * w->q.n + c.by[i]];
	CHECK_EQ(wrong, 0, "round %d", round);
	CHECK(stats.recall > 0 && stats.recall <= 1, "recall %f", stats.recall);
	coverage_release(&c);
}

/* An index made for other bounds is as good. */
static void leave_index(struct test *t, struct world *w, const struct join_options *o)
{
	struct join_disjunct *other = mem_array(w->q.n_disjuncts + 1, sizeof *other);
	struct join_query q = w->q;
	struct err err = { 0 };
	struct kernel k;

	for (unsigned i = 0; i < q.n_disjuncts; i++) {
		other[i] = q.disjunct[i];
		for (unsigned b = 0; b < other[i].n_bounds; b++)
			if (test_below(t, 2))
				other[i].bound[b].num = 1 + test_below(t, other[i].bound[b].den);
	}
	q.disjunct = other;
	REQUIRE(coverage_kernel(&k, &q, o, NULL, &err) == WN_OK, "%s", err.text);
	coverage_index_pass(o->index);
	kernel_release(&k);
	mem_free(other);
}

/* The pairs by weaker bounds are gathered; there may be too many. */
static void gather_pairs(struct test *t, struct world *w, const struct join_options *o)
{
	struct join_disjunct *other = mem_array(w->q.n_disjuncts, sizeof *other);
	struct join_query q = w->q;
	struct err err = { 0 };

	for (unsigned i = 0; i < q.n_disjuncts; i++) {
		other[i] = q.disjunct[i];
		for (unsigned b = 0; b < other[i].n_bounds; b++)
			if (other[i].bound[b].num)
				other[i].bound[b].num = 1 + test_below(t, other[i].bound[b].num);
	}
	q.disjunct = other;
	REQUIRE(coverage_gather(&q, o, test_below(t, 4) ? UINT64_MAX : test_below(t, 50), &err) == WN_OK, "%s",
		err.text);
	coverage_index_pass(o->index);
	w->drawn[F_GATHERED]++;
	mem_free(other);
}

TEST(join, agrees_with_the_definition)
{
	struct world *w = mem_zalloc(sizeof *w);
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 1000;

	for (int round = 0; round < rounds && t->failures < 5; round++) {
		struct join_options o;

		draw_world(t, w);
		o = draw_options(t, w);
		check_pairs(t, w, &o, round);
		o.index = round % 2 ? coverage_index_new() : NULL; /* left by the kernel, used for the witnesses */
		o.again = test_below(t, 2);
		if (round % 4 == 3)
			leave_index(t, w, &o);
		else if (round % 4 == 1)
			gather_pairs(t, w, &o);
		check_kernel(t, w, &o, round);
		check_witness(t, w, &o, round);
		if (o.again)
			check_witness(t, w, &o, round);
		coverage_index_free(o.index);
		o.index = NULL;
		check_changed(t, w, &o, round);
		check_changed_by_index(t, w, &o, round);
		check_approx(t, w, round);
		free(w->covers);
	}
	printf("join: %d random collections; drawn:", rounds);
	for (int f = 0; f < FEATURES; f++) {
		printf(" %s %" PRIu64 "%s", feature_name[f], w->drawn[f], f + 1 < FEATURES ? "," : "\n");
		if (rounds >= 1000) /* fewer are for a look at threads: rare things may be missing */
			CHECK(w->drawn[f] > 0, "%s was never drawn", feature_name[f]);
	}
	mem_free(w);
}

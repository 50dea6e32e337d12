/* Random rules of the language on random small collections: pairs and kernel
 * against the rule evaluated plainly on all pairs. */
#include <stdlib.h>
#include <string.h>

#include "../../oracle/grown.h"
#include "../../oracle/random_rule.h"
#include "base/mem.h"
#include "join/coverage.h"
#include "join/ruled.h"
#include "test.h"

enum { MOST = 64 };

struct collection { /* a world's sets as the joiner wants them: equal sets once */
	uint32_t set_of[JOIN_KINDS][MOST], size[JOIN_KINDS][MOST];
	uint64_t start[JOIN_KINDS][MOST], items[JOIN_KINDS][MOST * 64];
};

static void number_sets(struct collection *c, const struct world *w, struct join_query *q, unsigned texts)
{
	for (int k = 0; k < JOIN_KINDS; k++) {
		uint32_t n = 0;
		uint64_t at = 0;

		for (uint32_t d = 0; d < w->n; d++) {
			uint32_t s = 0, size = (uint32_t)w->size[k][d];

			while (s < n && (c->size[k][s] != size ||
					 (size && memcmp(c->items[k] + c->start[k][s], w->set[k][d], size * 8) != 0)))
				s++;
			if (s == n) {
				c->size[k][n] = size;
				c->start[k][n++] = at;
				if (size)
					memcpy(c->items[k] + at, w->set[k][d], size * 8);
				at += size;
			}
			c->set_of[k][d] = s;
		}
		q->sets[k] =
		    (struct join_sets){ .n = n, .size = c->size[k], .start = c->start[k], .items = c->items[k] };
		q->set_of[k] = texts >> k & 1 ? c->set_of[k] : NULL;
	}
}

static uint64_t pair_faults(const uint8_t *covers, const struct coverage *c)
{
	uint64_t wrong = 0;

	for (uint32_t a = 0; a < c->n; a++) {
		uint64_t i = c->start[a];

		for (uint32_t b = 0; b < c->n; b++)
			if (covers[a * MOST + b])
				wrong += i >= c->start[a + 1] || c->by[i++] != b;
		wrong += i != c->start[a + 1];
	}
	return wrong;
}

static bool same_or(const uint8_t *covers, uint32_t a, uint32_t b) { return a == b || covers[a * MOST + b]; }

/* Folds are as RULES has it, and lists complete or a forced coverer's. */
static uint64_t kernel_faults(const uint8_t *covers, const struct kernel *k, uint64_t count[4])
{
	uint32_t n = k->graph.n;
	uint8_t forced[MOST];
	uint64_t wrong = 0;

	for (uint32_t a = 0; a < n; a++) {
		uint32_t y = k->fold[a];

		forced[a] = y == a;
		for (uint32_t b = 0; b < n; b++) {
			forced[a] &= !(covers[a * MOST + b] && k->fold[b] == b);
			wrong += y != a && ((same_or(covers, b, a) && !same_or(covers, b, y)) ||
					    (same_or(covers, y, b) && !same_or(covers, a, b)));
		}
		wrong += y != a && (!covers[a * MOST + y] || k->fold[y] != y);
	}
	for (uint32_t a = 0; a < n; a++) {
		uint64_t i = k->graph.start[a], end = k->graph.start[a + 1];
		uint32_t first = UINT32_MAX;

		for (uint32_t b = n; b-- > 0;)
			if (covers[a * MOST + b] && forced[b])
				first = b;
		if (k->fold[a] != a || forced[a]) {
			wrong += i != end;
			count[k->fold[a] == a]++;
		} else if (first != UINT32_MAX) {
			wrong += end != i + 1 || k->graph.by[i] != first;
			count[2]++;
		} else {
			for (uint32_t b = 0; b < n; b++)
				if (covers[a * MOST + b] && k->fold[b] == b)
					wrong += i >= end || k->graph.by[i++] != b;
			wrong += i != end;
			count[3]++;
		}
	}
	return wrong;
}

struct tally {
	unsigned drawn[DRAWS];
	uint64_t rules, refused, pairs, state[4], open;
};

static void plain_matrix(uint8_t *covers, const struct rule *rule, const struct world *w, struct tally *y)
{
	for (uint32_t a = 0; a < w->n; a++)
		for (uint32_t b = 0; b < w->n; b++) {
			struct overlap ov[TEXT_KINDS];

			for (int k = 0; k < TEXT_KINDS; k++)
				ov[k] = world_overlap(w, (enum text_kind)k, a, b);
			covers[a * MOST + b] = a != b && rule_holds_plainly(rule, &w->c, NULL, a, b, ov);
			y->pairs += covers[a * MOST + b];
		}
}

/* Rows that were put off, until all are there. */
static void grow_whole(struct test *t, struct kernel *k, const struct join_query *q, const struct join_options *o)
{
	struct err err = { 0 };
	uint32_t grown = 1;

	while (grown)
		REQUIRE(kernel_grow(k, q, o, NULL, grown_row, k, &grown, &err) == WN_OK, "%s", err.text);
	CHECK_EQ(k->n_open, 0, "rows left open");
}

static void check_rule(struct test *t, const struct world *w, const struct rule *rule, struct collection *c,
		       struct tally *y)
{
	static uint8_t covers[MOST * MOST];
	struct join_options o = { .threads = 1 + (unsigned)test_below(t, 2),
				  .memory = test_below(t, 3) ? 0 : 400,
				  .list = test_below(t, 2) ? 0 : 1 + (uint32_t)test_below(t, 3),
				  .edges = test_below(t, 2) };
	struct bound *bound;
	struct plan *plan;
	struct ruled r;
	struct coverage pairs;
	struct kernel k;
	struct err err = { 0 };

	REQUIRE(rule_bind(&bound, rule, &w->c, NULL, &err) == WN_OK, "%s", err.text);
	plain_matrix(covers, rule, w, y);
	if (plan_make(&plan, bound, &err) == WN_OK) {
		ruled_open(&r, plan);
		number_sets(c, w, &r.query, rule->texts);
		if (CHECK(coverage_build(&pairs, &r.query, &o, NULL, &err) == WN_OK, "%s", err.text)) {
			CHECK_EQ(pair_faults(covers, &pairs), 0, "%.*s", (int)rule->canonical.n, rule->canonical.p);
			coverage_release(&pairs);
		}
		if (CHECK(coverage_kernel(&k, &r.query, &o, NULL, &err) == WN_OK, "%s", err.text)) {
			y->open += k.n_open;
			grow_whole(t, &k, &r.query, &o);
			CHECK_EQ(kernel_faults(covers, &k, y->state), 0, "kernel: %.*s", (int)rule->canonical.n,
				 rule->canonical.p);
			kernel_release(&k);
		}
		ruled_close(&r);
		plan_free(plan);
	}
	bound_free(bound);
}

TEST(join, agrees_with_random_rules)
{
	struct collection *c = mem_alloc(sizeof *c);
	struct tally y = { 0 };
	int rounds = getenv("ROUNDS") ? atoi(getenv("ROUNDS")) : 1000;

	for (int round = 0; round < rounds && t->failures < 5; round++) {
		struct arena arena = { 0 };
		struct world w = { 0 };
		struct rule *rule;
		struct err err = { 0 };
		uint64_t rng = test_random(t);

		random_world(&arena, &rng, 2 + draw_below(&rng, MOST - 1), &w, y.drawn);
		for (int i = 0; i < 2; i++) {
			struct str text = random_rule(&arena, &rng, y.drawn);

			if (rule_parse(&arena, text, &w.env, &rule, &err) == WN_OK) {
				y.rules++;
				check_rule(t, &w, rule, c, &y);
			} else {
				y.refused++;
			}
		}
		columns_release(&w.c);
		arena_release(&arena);
	}
	printf("join: %d collections, %" PRIu64 " rules (%" PRIu64 " refused), %" PRIu64 " pairs, folded %" PRIu64
	       ", forced %" PRIu64 ", covered %" PRIu64 ", core %" PRIu64 ", of them open %" PRIu64 "; drawn:",
	       rounds, y.rules, y.refused, y.pairs, y.state[0], y.state[1], y.state[2], y.state[3], y.open);
	CHECK(y.open > 0, "no row was put off");
	for (int d = 0; d < DRAWS; d++) {
		printf(" %s %u%s", draw_names[d], y.drawn[d], d + 1 < DRAWS ? "," : "\n");
		CHECK(y.drawn[d] > 0, "%s was never drawn", draw_names[d]);
	}
	mem_free(c);
}

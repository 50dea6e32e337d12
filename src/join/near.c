/* join/near.c -- see near.h. */
#include "join/near.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/big.h"
#include "join/bound.h"
#include "join/joiner.h"
#include "join/sets.h"

#define NEAR_CHUNK 64u /* items read between two looks at whether it is worth going on */
#define NEAR_SAMPLE 4u /* one other set in so many tells how rare items are */
#define NEAR_RARE 2u   /* seen so often among the few and in the sample */
#define NEAR_SETS 256u /* handed to a thread at once */
#define NEAR_WORTH 4u  /* with more than a quarter of the documents among the few everything is near */

struct near {
	const struct join_query *q;
	const struct join_sets *sets;
	struct joiner lead;
	bool as_a, as_b, some_empty;
	uint8_t *few, *near; /* [sets] */
	/* Items of the few, by their upper bits: which there are, and how rare. */
	unsigned shift;
	size_t slots;
	uint64_t *any, *first; /* bits; first: of those that are looked for */
	uint8_t *seen;
	uint64_t *exact; /* those looked for; 0: free */
	size_t mask;
	uint64_t reach;		      /* no larger item is looked for */
	struct sets_scratch *scratch; /* [threads] */
};

/* The least that a set of this size shares with an opposite, as a or as b. */
static uint64_t least(const struct near *x, uint32_t size, bool as_a)
{
	uint64_t most = 1;

	for (unsigned i = 0; i < x->lead.n_lead; i++) {
		struct join_bound b = as_a == x->lead.flip ? bound_flip(x->lead.lead[i]) : x->lead.lead[i];
		uint64_t l = bound_least(&b, size);

		most = l > most ? l : most;
	}
	return most;
}

static bool bit(const uint64_t *bits, uint64_t slot) { return bits[slot / 64] >> slot % 64 & 1; }

static void note_items(struct near *x)
{
	uint64_t items = 0;
	unsigned bits = 10;

	for (uint32_t s = 0; s < x->sets->n; s++)
		items += x->few[s] ? x->sets->size[s] : 0;
	while (bits < 32 && (uint64_t)1 << bits < 16 * items)
		bits++;
	x->shift = 64 - bits;
	x->slots = (size_t)1 << bits;
	x->any = big_alloc(x->slots / 8);
	x->first = big_alloc(x->slots / 8);
	x->seen = big_alloc(x->slots / 4);
	for (x->mask = 1024; x->mask < 2 * items; x->mask *= 2)
		;
	x->exact = big_alloc(x->mask-- * sizeof *x->exact);
	for (uint32_t s = 0; s < x->sets->n; s++) {
		uint32_t n;
		const uint64_t *item = x->few[s] ? sets_get(&x->scratch[0], x->q, x->lead.kind, s, 0, &n) : NULL;

		for (uint32_t i = 0; item && i < n; i++) {
			uint64_t slot = item[i] >> x->shift;

			x->any[slot / 64] |= (uint64_t)1 << slot % 64;
			x->seen[slot / 4] += x->seen[slot / 4] < 255;
		}
	}
}

/* How often items of the few occur elsewhere, by a sample. */
static void note_rarity(struct near *x)
{
	for (uint32_t s = 0; s < x->sets->n; s += NEAR_SAMPLE) {
		uint32_t n;
		const uint64_t *item =
		    x->near[s] && !x->few[s] ? sets_get(&x->scratch[0], x->q, x->lead.kind, s, 0, &n) : NULL;

		for (uint32_t i = 0; item && i < n; i++) {
			uint64_t slot = item[i] >> x->shift;

			if (bit(x->any, slot))
				x->seen[slot / 4] += x->seen[slot / 4] < 255;
		}
	}
}

static bool looked_for(const struct near *x, uint64_t item)
{
	size_t at = mix64(item) & x->mask;

	if (!bit(x->first, item >> x->shift))
		return false;
	for (; x->exact[at]; at = (at + 1) & x->mask)
		if (x->exact[at] == (item ? item : 1))
			return true;
	return false;
}

static void look_for(struct near *x, uint64_t item)
{
	uint64_t slot = item >> x->shift;
	size_t at = mix64(item) & x->mask;

	if (looked_for(x, item))
		return;
	while (x->exact[at])
		at = (at + 1) & x->mask;
	x->exact[at] = item ? item : 1; /* an item 0 is looked for as 1 too: one more than needed */
	x->first[slot / 64] |= (uint64_t)1 << slot % 64;
	x->reach = item > x->reach ? item : x->reach;
}

/* Items seen a few times are equally rare: among them the least are taken, so that reading ends early. */
static uint32_t rarity(const struct near *x, uint64_t item)
{
	uint32_t seen = x->seen[(item >> x->shift) / 4];

	return seen <= NEAR_RARE ? 0 : seen;
}

/* The rarest items of a set of the few that it cannot do without all of. */
static void choose_items(struct near *x, uint32_t s)
{
	uint32_t n, count[256] = { 0 }, want, limit = 0, below = 0;
	const uint64_t *item = sets_get(&x->scratch[0], x->q, x->lead.kind, s, 0, &n);
	uint64_t need = least(x, n, true);

	if (n == 0 || need > n)
		return;
	want = n - (uint32_t)need + 1;
	for (uint32_t i = 0; i < n; i++)
		count[rarity(x, item[i])]++;
	while (below + count[limit] < want)
		below += count[limit++];
	for (uint32_t i = 0, equal = want - below; i < n; i++) {
		uint32_t seen = rarity(x, item[i]);

		if (seen < limit || (seen == limit && equal)) {
			equal -= seen == limit;
			look_for(x, item[i]);
		}
	}
}

/* Can this set be opposite to one of the few? */
static bool may(const struct near *x, uint32_t s)
{
	uint32_t n = x->sets->size[s], done = 0, hits = 0;
	uint64_t need_a = x->as_b ? least(x, n, true) : UINT64_MAX, need_b = x->as_a ? least(x, n, false) : UINT64_MAX;
	uint64_t room[NEAR_CHUNK];
	struct join_cursor c = { 0 };

	if (n == 0)
		return x->some_empty;
	if (!x->sets->items)
		x->sets->open(x->sets->context, s, &c);
	while (done < n) {
		uint32_t got = n - done < NEAR_CHUNK ? n - done : NEAR_CHUNK;
		const uint64_t *item = room;

		if (x->sets->items)
			item = x->sets->items + x->sets->start[s] + done;
		else
			got = x->sets->read(x->sets->context, &c, UINT64_MAX, room, got);
		if (got == 0)
			return true; /* not as it says: the join will tell */
		for (uint32_t i = 0; i < got; i++) {
			uint64_t slot = item[i] >> x->shift;

			hits += bit(x->any, slot);
			if (bit(x->first, slot) && need_b != UINT64_MAX && looked_for(x, item[i]))
				return true;
		}
		done += got;
		if (item[got - 1] > x->reach || hits + (uint64_t)(n - done) < need_b)
			need_b = UINT64_MAX;
		if (hits + (uint64_t)(n - done) < need_a)
			need_a = UINT64_MAX;
		if (need_a == UINT64_MAX && need_b == UINT64_MAX)
			return false;
	}
	return need_a != UINT64_MAX;
}

static void test_sets(void *context, size_t from, size_t to, unsigned worker)
{
	struct near *x = context;

	(void)worker;
	for (size_t s = from; s < to; s++)
		if (x->near[s] && !x->few[s])
			x->near[s] = may(x, (uint32_t)s);
}

static void near_release(struct near *x, unsigned threads)
{
	big_free(x->any, x->slots / 8);
	big_free(x->first, x->slots / 8);
	big_free(x->seen, x->slots / 4);
	big_free(x->exact, (x->mask + 1) * sizeof *x->exact);
	for (unsigned t = 0; t < threads; t++)
		sets_scratch_release(&x->scratch[t]);
	mem_free(x->scratch);
	mem_free(x->few);
	mem_free(x->near);
}

/* Documents that share no key with one of the few leave. */
static void keep_blocks(const struct join_query *q, const uint32_t *key, const uint8_t *few, uint8_t *live)
{
	uint32_t most = 0;
	uint8_t *hit;

	for (uint32_t d = 0; d < q->n; d++)
		most = key[d] > most ? key[d] : most;
	hit = mem_zalloc((size_t)most + 1);
	for (uint32_t d = 0; d < q->n; d++)
		hit[key[d]] |= few[d];
	for (uint32_t d = 0; d < q->n; d++)
		live[d] &= few[d] | hit[key[d]];
	mem_free(hit);
}

void coverage_near(const struct join_query *q, unsigned i, const struct join_options *o, const uint8_t *few, bool as_a,
		   bool as_b, uint8_t *live)
{
	struct near x = { .q = q, .as_a = as_a, .as_b = as_b };
	unsigned threads = o && o->threads ? o->threads : 1;
	uint32_t count = 0, others = 0;
	const uint32_t *of;

	if (q->disjunct[i].key)
		keep_blocks(q, q->disjunct[i].key, few, live);
	joiner_aim(&x.lead, q, i);
	if (x.lead.kind < 0 || !q->set_of[x.lead.kind])
		return;
	of = q->set_of[x.lead.kind];
	x.sets = &q->sets[x.lead.kind];
	x.few = mem_zalloc((size_t)x.sets->n + 1);
	x.near = mem_zalloc((size_t)x.sets->n + 1);
	x.scratch = mem_zarray(threads, sizeof *x.scratch);
	for (uint32_t d = 0; d < q->n; d++) {
		if (few[d]) {
			count++;
			x.some_empty |= of[d] == JOIN_NO_SET || x.sets->size[of[d]] == 0;
		}
		others += live[d] && !few[d];
		if (of[d] != JOIN_NO_SET) {
			x.few[of[d]] |= few[d];
			x.near[of[d]] |= live[d] && !few[d];
		}
	}
	if (count == 0 || others / NEAR_WORTH < count) {
		mem_free(x.few);
		mem_free(x.near);
		mem_free(x.scratch);
		return;
	}
	note_items(&x);
	note_rarity(&x);
	for (uint32_t s = 0; as_a && s < x.sets->n; s++)
		if (x.few[s])
			choose_items(&x, s);
	task_each(threads, x.sets->n, NEAR_SETS, test_sets, &x);
	for (uint32_t d = 0; d < q->n; d++)
		if (live[d] && !few[d])
			live[d] = of[d] == JOIN_NO_SET ? x.some_empty : x.near[of[d]];
	near_release(&x, threads);
}

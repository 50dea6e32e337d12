/* join/near.c -- see near.h. */
#include "join/near.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/big.h"
#include "join/bound.h"
#include "join/flags.h"
#include "join/intersect.h"
#include "join/joiner.h"
#include "join/lookup.h"
#include "join/sets.h"

#define NEAR_CHUNK 64u /* items read between two looks at whether it is worth going on */
#define NEAR_SAMPLE 8u /* one other set in so many tells how rare items are */
#define NEAR_RARE 2u   /* seen so often among the few and in the sample */
#define NEAR_SETS 256u /* handed to a thread at once */
#define NEAR_WORTH 4u  /* with more than a quarter of the documents among the few everything is near */

struct near_post {
	uint32_t few, next;
};

struct near {
	const struct join_query *q;
	const struct join_sets *sets;
	struct joiner lead;
	bool as_a, as_b, some_empty; /* as_a: some of the few ask as a */
	uint8_t *few, *near;	     /* [sets]; few: as they ask */
	uint8_t *a_ok, *b_ok;	     /* [sets] some document of it is wanted as a, as b */
	uint32_t *least;	     /* [sets] of ask->least the least; NULL: none */
	/* Items of the few, by their upper bits: which there are, and how rare. */
	unsigned shift;
	size_t slots;
	uint64_t *any, *first; /* bits; first: of those that are looked for */
	uint8_t *seen;
	struct
	    near_slot { /* an item of the few, and who has it: posts from `all`, and from `first` who looks for it; 0: none */
		uint64_t item;
		uint32_t all, first;
	} * table;
	size_t mask;
	VEC(struct near_post) posts;
	VEC(uint32_t) sets_of_few;    /* ascending */
	uint64_t *items, *start;      /* of the few, one after another */
	uint64_t reach;		      /* no larger item is looked for */
	struct sets_scratch *scratch; /* [threads] */
	near_pairs *found;	      /* [threads] */
	struct near_worker {
		uint32_t *stamp, now; /* [few] */
		VEC(uint32_t) hits;   /* slots of a set's items */
		VEC(uint32_t) candidates;
	} * worker;
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

/* The slot of an item, or the free one where it belongs. */
static struct near_slot *slot_of(const struct near *x, uint64_t item)
{
	size_t at = mix64(item) & x->mask;

	while (x->table[at].all && x->table[at].item != item)
		at = (at + 1) & x->mask;
	return &x->table[at];
}

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
	x->table = big_alloc(x->mask-- * sizeof *x->table);
	x->items = mem_array((size_t)items + 1, sizeof *x->items);
	vec_push(&x->posts, ((struct near_post){ 0, 0 }));
	items = 0;
	for (uint32_t s = 0; s < x->sets->n; s++) {
		uint32_t n = 0;
		const uint64_t *item = x->few[s] ? sets_get(&x->scratch[0], x->q, x->lead.kind, s, 0, &n) : NULL;

		if (!x->few[s])
			continue;
		vec_push(&x->sets_of_few, s);
		x->start = mem_rearray(x->start, x->sets_of_few.n + 1, sizeof *x->start);
		x->start[x->sets_of_few.n - 1] = items;
		for (uint32_t i = 0; i < n; i++) {
			uint64_t slot = item[i] >> x->shift;
			struct near_slot *t = slot_of(x, item[i]);

			x->items[items++] = t->item = item[i];
			x->any[slot / 64] |= (uint64_t)1 << slot % 64;
			x->seen[slot / 4] += x->seen[slot / 4] < 255;
			if (i && item[i] == item[i - 1])
				continue;
			vec_push(&x->posts, ((struct near_post){ (uint32_t)x->sets_of_few.n - 1, t->all }));
			t->all = (uint32_t)x->posts.n - 1;
		}
		x->start[x->sets_of_few.n] = items;
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
	return bit(x->first, item >> x->shift) && slot_of(x, item)->first;
}

static void look_for(struct near *x, uint64_t item, uint32_t few)
{
	uint64_t slot = item >> x->shift;
	struct near_slot *t = slot_of(x, item);

	if (t->first && x->posts.p[t->first].few == few)
		return; /* a bag's item again */
	vec_push(&x->posts, ((struct near_post){ few, t->first }));
	t->first = (uint32_t)x->posts.n - 1;
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
static void choose_items(struct near *x, uint32_t few)
{
	uint32_t n = (uint32_t)(x->start[few + 1] - x->start[few]), count[256] = { 0 }, want, limit = 0, below = 0;
	const uint64_t *item = x->items + x->start[few];
	uint64_t need = least(x, n, true);

	if (n == 0 || need > n)
		return;
	want = n - (uint32_t)need + 1;
	n = n / 2 < want ? n : 2 * want; /* the least of them, so that reading others ends early */
	for (uint32_t i = 0; i < n; i++)
		count[rarity(x, item[i])]++;
	while (below + count[limit] < want)
		below += count[limit++];
	for (uint32_t i = 0, equal = want - below; i < n; i++) {
		uint32_t seen = rarity(x, item[i]);

		if (seen < limit || (seen == limit && equal)) {
			equal -= seen == limit;
			look_for(x, item[i], few);
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

			if (!bit(x->any, slot))
				continue;
			hits++;
			if (need_b != UINT64_MAX && looked_for(x, item[i]))
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

/* ---- pairs ---- */

static void propose(struct near *x, struct near_worker *w, uint32_t post)
{
	for (; post; post = x->posts.p[post].next) {
		uint32_t few = x->posts.p[post].few;

		if (w->stamp[few] != w->now) {
			w->stamp[few] = w->now;
			vec_push(&w->candidates, few);
		}
	}
}

/* Who of the few may hold enough of a set: all of its rarest items but those that nobody has are asked. */
static void propose_holders(struct near *x, struct near_worker *w, const uint64_t *item, uint32_t n)
{
	uint64_t need = least(x, n, true);
	uint32_t count[256] = { 0 }, want, limit = 0, below = 0, missed = 0;

	if (need > n)
		return;
	want = n - (uint32_t)need + 1;
	w->hits.n = 0;
	for (uint32_t i = 0; i < n && missed < want; i++) {
		struct near_slot *t = bit(x->any, item[i] >> x->shift) ? slot_of(x, item[i]) : NULL;

		if (!t || !t->all) {
			missed++;
			continue;
		}
		count[rarity(x, item[i])]++;
		vec_push(&w->hits, (uint32_t)(t - x->table));
	}
	if (missed >= want)
		return;
	want -= missed;
	while (below + count[limit] < want)
		below += count[limit++];
	for (size_t i = 0, equal = want - below; i < w->hits.n; i++) {
		struct near_slot *t = &x->table[w->hits.p[i]];
		uint32_t seen = rarity(x, t->item);

		if (seen < limit || (seen == limit && equal)) {
			equal -= seen == limit;
			propose(x, w, t->all);
		}
	}
}

/* The pairs of a set with the few; of two of the few, where it is the later. */
static bool find_pairs(struct near *x, unsigned worker, uint32_t s, uint32_t own)
{
	struct near_worker *w = &x->worker[worker];
	uint32_t n, m;
	const uint64_t *item = sets_get(&x->scratch[worker], x->q, x->lead.kind, s, 0, &n);
	bool any = false;

	w->candidates.n = 0;
	w->now++;
	for (uint32_t i = 0; (x->as_a || own != UINT32_MAX) && i < n; i++)
		if (bit(x->first, item[i] >> x->shift))
			propose(x, w, slot_of(x, item[i])->first);
	if (x->as_b || own != UINT32_MAX) /* of two of the few either may be the one that asks */
		propose_holders(x, w, item, n);
	for (size_t i = 0; i < w->candidates.n; i++) {
		uint32_t few = w->candidates.p[i], shared;
		const uint64_t *other = x->items + x->start[few];

		if (few >= own)
			continue;
		m = (uint32_t)(x->start[few + 1] - x->start[few]);
		shared = x->sets->bag ? intersect_bags(item, n, other, m) : intersect_sets(item, n, other, m);
		if (joiner_lead_holds(&x->lead, n, m, shared) || joiner_lead_holds(&x->lead, m, n, shared)) {
			vec_push(&x->found[worker], ((struct near_pair){ x->sets_of_few.p[few], s, shared }));
			any = true;
		}
	}
	return any;
}

static void pair_few(void *context, size_t from, size_t to, unsigned worker)
{
	struct near *x = context;

	for (size_t k = from; k < to; k++)
		find_pairs(x, worker, x->sets_of_few.p[k], (uint32_t)k);
}

static void test_sets(void *context, size_t from, size_t to, unsigned worker)
{
	struct near *x = context;

	for (size_t s = from; s < to; s++)
		if (x->near[s] && !x->few[s]) {
			x->near[s] = may(x, (uint32_t)s);
			if (x->near[s] && x->sets->size[s])
				x->near[s] = find_pairs(x, worker, (uint32_t)s, UINT32_MAX);
		}
}

static void open_workers(struct near *x, unsigned threads)
{
	x->worker = mem_zarray(threads, sizeof *x->worker);
	for (unsigned t = 0; t < threads; t++)
		x->worker[t].stamp = mem_zarray(x->sets_of_few.n + 1, sizeof *x->worker[t].stamp);
}

static void release_sets(struct near *x)
{
	mem_free(x->few);
	mem_free(x->near);
	mem_free(x->a_ok);
	mem_free(x->b_ok);
	mem_free(x->least);
	mem_free(x->scratch);
}

static void near_release(struct near *x, unsigned threads)
{
	big_free(x->any, x->slots / 8);
	big_free(x->first, x->slots / 8);
	big_free(x->seen, x->slots / 4);
	big_free(x->table, (x->mask + 1) * sizeof *x->table);
	for (unsigned t = 0; t < threads; t++) {
		sets_scratch_release(&x->scratch[t]);
		mem_free(x->worker[t].stamp);
		vec_release(&x->worker[t].hits);
		vec_release(&x->worker[t].candidates);
	}
	vec_release(&x->posts);
	vec_release(&x->sets_of_few);
	mem_free(x->items);
	mem_free(x->start);
	mem_free(x->worker);
	release_sets(x);
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
		live[d] = live[d] && (few[d] || hit[key[d]]);
	mem_free(hit);
}

/* What sets are asked for by an index (x->near). */
enum { IN_PAIR = 1, FOR_A = 2, FOR_B = 4 }; /* by one that asks as a, as b */

static uint8_t asked_by(uint8_t few)
{
	return IN_PAIR | (few & COVERAGE_AS_A ? FOR_A : 0) | (few & COVERAGE_AS_B ? FOR_B : 0);
}

/* The pairs by what an index kept, if there is one that helps; x->near then tells who has one, and with whom. */
static bool by_index(struct near *x, const struct join_options *o, const uint8_t *live, bool later, unsigned threads)
{
	struct postings *kept = o && o->kept ? &o->kept[x->lead.number] : NULL;
	struct lookup_request r = { x->q, &x->lead, kept, x->few, x->near, x->a_ok, x->b_ok, x->least, live, threads };
	VEC(uint32_t) same = { 0 };

	if (later && kept && kept->later.n)
		lookup_later(&r, x->found);
	else if (!later && (!kept || !kept->bytes || !lookup_pairs(&r, x->found)))
		return false; /* without an index nothing is put off */
	for (uint32_t s = 0; (s = flags_next(x->few, s, x->sets->n)) < x->sets->n && !later; s++)
		if (x->near[s]) /* others of the same text */
			vec_push(&same, s);
	memset(x->near, 0, x->sets->n);
	for (size_t i = 0; i < same.n; i++)
		x->near[same.p[i]] = asked_by(x->few[same.p[i]]);
	vec_release(&same);
	for (unsigned t = 0; t < threads; t++)
		for (size_t i = 0; i < x->found[t].n; i++) {
			uint32_t few = x->found[t].p[i].few, other = x->found[t].p[i].other;

			x->near[few] |= asked_by(x->few[other]);
			x->near[other] |= asked_by(x->few[few]);
		}
	return true;
}

/* Which sets ask; returns how many documents do. */
static uint32_t note_asking(struct near *x, const struct coverage_asking *ask, const uint8_t *live)
{
	const uint32_t *of = x->q->set_of[x->lead.kind];
	uint32_t count = 0;

	for (uint32_t d = 0; (d = flags_next(ask->asks, d, x->q->n)) < x->q->n; d++) {
		uint8_t few = ask->asks[d];

		count++;
		x->as_a |= few & COVERAGE_AS_A;
		x->as_b |= (few & COVERAGE_AS_B) != 0;
		x->some_empty |= of[d] == JOIN_NO_SET || x->sets->size[of[d]] == 0;
		if (of[d] == JOIN_NO_SET || !live[d])
			continue;
		x->few[of[d]] |= few;
		if (x->least && ask->least[d] < x->least[of[d]])
			x->least[of[d]] = ask->least[d];
	}
	return count;
}

/* How documents that are live (1, not 0) are wanted, from a bit on; NULL: now. */
static void note_ok(uint8_t *restrict each, const uint8_t *restrict live, const uint8_t *restrict ok, unsigned bit,
		    uint32_t n)
{
	if (ok)
		for (uint32_t d = 0; d < n; d++)
			each[d] |= (uint8_t)((ok[d] & -live[d]) << bit);
	else
		for (uint32_t d = 0; d < n; d++)
			each[d] |= (uint8_t)((COVERAGE_NOW * live[d]) << bit);
}

/* Which sets are looked at, and as what they are wanted; returns how many documents do not ask. */
static uint32_t note_wanted(struct near *x, const struct coverage_asking *ask, const uint8_t *live)
{
	const uint32_t *of = x->q->set_of[x->lead.kind];
	uint32_t others, n = x->q->n, sets = x->sets->n;
	/* of a document, and of a set: one does not ask, then as a, as b */
	uint8_t *each = mem_alloc((size_t)n + 1), *all = mem_zalloc((size_t)sets + 1);

	flags_not(each, ask->asks, n);
	flags_both(each, live, n);
	others = flags_count(each, n);
	note_ok(each, live, ask->a_ok, 2, n);
	note_ok(each, live, ask->b_ok, 4, n);
	for (uint32_t d = 0; d < n; d++)
		if (each[d] && of[d] != JOIN_NO_SET)
			all[of[d]] |= each[d];
	mem_free(each);
	flags_part(x->near, all, sets, 0, 1);
	flags_part(x->a_ok, all, sets, 2, 3);
	flags_part(x->b_ok, all, sets, 4, 3);
	mem_free(all);
	return others;
}

/* False when so many ask that everything is near. */
static bool note_sets(struct near *x, const struct coverage_asking *ask, const uint8_t *live)
{
	uint32_t count = note_asking(x, ask, live);

	if (ask->later && !ask->a_ok && !ask->b_ok) { /* whoever was put off, which is nobody that is not live */
		memset(x->a_ok, COVERAGE_NOW, x->sets->n);
		memset(x->b_ok, COVERAGE_NOW, x->sets->n);
		return true;
	}
	return note_wanted(x, ask, live) / NEAR_WORTH >= count ? ask->later || count : ask->later;
}

/* Can a document of a set that is asked for so be of a pair that is wanted? */
static bool may_answer(const struct coverage_asking *ask, uint32_t d, uint8_t near)
{
	if (ask->asks[d])
		return near;
	return (near & FOR_A && (!ask->b_ok || ask->b_ok[d])) || (near & FOR_B && (!ask->a_ok || ask->a_ok[d]));
}

/* Leaves live who can be of a pair that is wanted; pairs of one text and of none were given when they were not put off. */
static void leave_live(struct near *x, struct postings *kept, const struct coverage_asking *ask, uint8_t *live)
{
	uint32_t n = x->q->n;
	uint8_t *stays = mem_zalloc((size_t)n + 1);

	lookup_documents(kept, x->q, x->lead.kind);
	for (uint32_t s = 0; (s = flags_next(x->near, s, x->sets->n)) < x->sets->n; s++)
		for (uint32_t i = kept->docs_start[s]; x->sets->size[s] && i < kept->docs_start[s + 1]; i++)
			stays[kept->docs[i]] = may_answer(ask, kept->docs[i], x->near[s]);
	for (uint32_t d = 0; !ask->later && (d = flags_next(ask->asks, d, n)) < n; d++)
		stays[d] = 1;
	for (uint32_t s = 0; !ask->later && x->some_empty && s <= x->sets->n; s++)
		for (uint32_t i = kept->docs_start[s];
		     (s == x->sets->n || !x->sets->size[s]) && i < kept->docs_start[s + 1]; i++)
			stays[kept->docs[i]] = 1;
	flags_both(live, stays, n);
	mem_free(stays);
}

bool coverage_near(const struct join_query *q, unsigned i, const struct join_options *o,
		   const struct coverage_asking *ask, int kind, uint8_t *live, near_pairs *found)
{
	struct near x = { .q = q, .found = found };
	unsigned threads = o && o->threads ? o->threads : 1;
	const uint8_t *few = ask->asks;
	const uint32_t *of;

	if (ask->later && !(o && o->kept && o->kept[i].later.n))
		return false;
	if (q->disjunct[i].key)
		keep_blocks(q, q->disjunct[i].key, few, live);
	joiner_aim(&x.lead, q, i);
	if (x.lead.kind < 0 || !q->set_of[x.lead.kind])
		return false;
	of = q->set_of[x.lead.kind];
	x.sets = &q->sets[x.lead.kind];
	x.few = mem_zalloc((size_t)x.sets->n + 1);
	x.near = mem_zalloc((size_t)x.sets->n + 1);
	x.a_ok = mem_zalloc((size_t)x.sets->n + 1);
	x.b_ok = mem_zalloc((size_t)x.sets->n + 1);
	x.scratch = mem_zarray(threads, sizeof *x.scratch);
	if (ask->least && kind == x.lead.kind) {
		x.least = mem_array((size_t)x.sets->n + 1, sizeof *x.least);
		memset(x.least, 0xff, ((size_t)x.sets->n + 1) * sizeof *x.least);
	}
	if (!note_sets(&x, ask, live)) {
		release_sets(&x);
		return false;
	}
	if (by_index(&x, o, live, ask->later, threads)) {
		leave_live(&x, &o->kept[i], ask, live);
		release_sets(&x);
		return true;
	}
	note_items(&x);
	note_rarity(&x);
	for (size_t k = 0; k < x.sets_of_few.n; k++)
		choose_items(&x, (uint32_t)k);
	open_workers(&x, threads);
	task_each(threads, x.sets_of_few.n, NEAR_SETS, pair_few, &x);
	task_each(threads, x.sets->n, NEAR_SETS, test_sets, &x);
	for (uint32_t d = 0; d < q->n; d++)
		if (live[d] && !few[d])
			live[d] = of[d] == JOIN_NO_SET ? x.some_empty : x.near[of[d]];
	near_release(&x, threads);
	return true;
}

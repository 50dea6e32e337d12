/* join/fold.c -- see fold.h.
 *
 * Documents sorted by (sets, signature, apart) with those that can dominate
 * in front; each is tried against the maximal ones met so far in its class.
 * Not folding is always right, so a class with many maximal ones is tried only
 * against the first few.
 */
#include "join/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "join/sets.h"

#define FOLD_TRIES 16u

struct twin {
	uint64_t signature;
	uint32_t set[JOIN_KINDS], apart, doc;
};

static int by_class(const struct twin *a, const struct twin *b)
{
	int c = memcmp(a->set, b->set, sizeof a->set);

	if (c)
		return c;
	if (a->signature != b->signature)
		return a->signature < b->signature ? -1 : 1;
	return a->apart < b->apart ? -1 : a->apart > b->apart;
}

static int by_rank(const void *pa, const void *pb, void *context)
{
	const struct twin *a = pa, *b = pb;
	const struct join_fold *f = context;
	int c = by_class(a, b);

	if (c == 0)
		c = f->compare(f->context, a->doc, b->doc);
	return c ? c : a->doc < b->doc ? -1 : a->doc > b->doc;
}

static struct twin twin_of(const struct join_query *q, uint32_t d)
{
	const struct join_fold *f = q->fold;
	struct twin t = { .signature = f->signature(f->context, d), .apart = f->apart ? f->apart[d] : 0, .doc = d };

	for (int k = 0; k < JOIN_KINDS; k++) {
		uint32_t s = q->set_of[k] ? q->set_of[k][d] : JOIN_NO_SET;

		t.set[k] = s != JOIN_NO_SET && q->sets[k].size[s] ? s : JOIN_NO_SET;
	}
	return t;
}

static bool folds(const struct join_query *q, const struct twin *x, uint32_t y)
{
	struct join_overlap self[JOIN_KINDS] = { 0 };

	for (int k = 0; k < JOIN_KINDS; k++) {
		uint32_t size = x->set[k] == JOIN_NO_SET ? 0 : q->sets[k].size[x->set[k]];

		self[k] = (struct join_overlap){ size, size, size };
	}
	return q->fold->folds(q->fold->context, x->doc, y, self);
}

bool fold_pair(const struct join_query *q, uint32_t x, uint32_t y)
{
	struct twin a, b;

	if (!q->fold)
		return false;
	a = twin_of(q, x);
	b = twin_of(q, y);
	return by_class(&a, &b) == 0 && folds(q, &a, y);
}

uint32_t fold_twins(uint32_t *fold, const struct join_query *q)
{
	const struct join_fold *f = q->fold;
	struct twin *t;
	uint32_t tops[FOLD_TRIES], n_tops = 0, folded = 0;
	size_t kind;

	for (uint32_t d = 0; d < q->n; d++)
		fold[d] = d;
	if (!f)
		return 0;
	t = mem_array((size_t)q->n + 1, sizeof *t);
	for (uint32_t d = 0; d < q->n; d++)
		t[d] = twin_of(q, d);
	kind = q->set_of[0] ? 0 : 1;
	sets_sort(t, q->n, sizeof *t, offsetof(struct twin, set) + kind * sizeof t->set[0],
		  q->set_of[kind] ? q->sets[kind].n : 0, by_rank, (void *)(uintptr_t)f);
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t x = t[i].doc, k = 0;

		if (i == 0 || by_class(&t[i - 1], &t[i]) != 0)
			n_tops = 0;
		while (k < n_tops && !folds(q, &t[i], tops[k]))
			k++;
		if (k < n_tops) {
			fold[x] = tops[k];
			folded++;
		} else if (n_tops < FOLD_TRIES) {
			tops[n_tops++] = x;
		}
	}
	mem_free(t);
	return folded;
}

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

uint32_t fold_twins(uint32_t *fold, const struct join_query *q)
{
	const struct join_fold *f = q->fold;
	struct twin *t;
	uint32_t tops[FOLD_TRIES], n_tops = 0, folded = 0;

	for (uint32_t d = 0; d < q->n; d++)
		fold[d] = d;
	if (!f)
		return 0;
	t = mem_array((size_t)q->n + 1, sizeof *t);
	for (uint32_t d = 0; d < q->n; d++) {
		t[d] = (struct twin){ .signature = f->signature(f->context, d),
				      .apart = f->apart ? f->apart[d] : 0,
				      .doc = d };
		for (int k = 0; k < JOIN_KINDS; k++) {
			uint32_t s = q->set_of[k] ? q->set_of[k][d] : JOIN_NO_SET;

			t[d].set[k] = s != JOIN_NO_SET && q->sets[k].size[s] ? s : JOIN_NO_SET;
		}
	}
	qsort_r(t, q->n, sizeof *t, by_rank, (void *)(uintptr_t)f);
	for (uint32_t i = 0; i < q->n; i++) {
		struct join_overlap self[JOIN_KINDS] = { 0 };
		uint32_t x = t[i].doc, k = 0;

		if (i == 0 || by_class(&t[i - 1], &t[i]) != 0)
			n_tops = 0;
		for (int j = 0; j < JOIN_KINDS; j++) {
			uint32_t size = t[i].set[j] == JOIN_NO_SET ? 0 : q->sets[j].size[t[i].set[j]];

			self[j] = (struct join_overlap){ size, size, size };
		}
		while (k < n_tops && !f->folds(f->context, x, tops[k], self))
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

/* cover/preview.c -- stratified samples of blocks and their ratio estimate. */
#include "cover/preview.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"

#define POOL_WEIGHT 3.0 /* drawn blocks of a class that tell as much of its variance as all classes together */
#define IMAGINED 0.25	/* squared deviation of the block that was not seen, in squares of the mean */

struct ticket {
	uint64_t key;
	uint32_t block;
};

static unsigned class_of(uint32_t size) { return size ? 31u - (unsigned)__builtin_clz(size) : 0; }

static int by_key(const void *x, const void *y)
{
	const struct ticket *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int by_number(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

/* Blocks to draw of each class: whole classes while they cost less than an
 * equal share of what is left, then shares of the rest. */
static void allot(struct preview_sample *s, uint64_t budget)
{
	bool settled[PREVIEW_CLASSES] = { false };

	for (unsigned left = PREVIEW_CLASSES; left > 0;) {
		unsigned open = 0, whole = 0;

		for (unsigned k = 0; k < PREVIEW_CLASSES; k++)
			open += !settled[k] && s->blocks[k];
		for (unsigned k = 0; k < PREVIEW_CLASSES; k++)
			if (!settled[k] && s->blocks[k] && s->sizes[k] <= budget / open) {
				settled[k] = true;
				s->drawn[k] = s->blocks[k];
				budget -= s->sizes[k];
				whole++;
			}
		if (whole) {
			left = PREVIEW_CLASSES;
			continue;
		}
		for (unsigned k = 0; k < PREVIEW_CLASSES; k++)
			if (!settled[k] && s->blocks[k]) {
				uint64_t part = budget / open; /* whole documents */
				double share = (double)part / (double)s->sizes[k];
				uint32_t least = s->blocks[k] < 2 ? s->blocks[k] : 2,
					 want = (uint32_t)(share * s->blocks[k]);

				s->drawn[k] = want < least ? least : want;
			}
		break;
	}
}

void preview_draw(struct arena *a, struct preview_sample *s, const uint32_t *size, uint32_t blocks, uint64_t budget,
		  uint64_t seed)
{
	struct ticket *ticket = ARENA_ARRAY(a, struct ticket, (size_t)blocks + 1);
	uint32_t taken[PREVIEW_CLASSES] = { 0 };

	*s = (struct preview_sample){ .block = ARENA_ARRAY(a, uint32_t, (size_t)blocks + 1) };
	for (uint32_t b = 0; b < blocks; b++) {
		ticket[b] = (struct ticket){ mix64(mix64(seed + 0x9e3779b97f4a7c15u) ^ ((uint64_t)b + 1)), b };
		s->blocks[class_of(size[b])]++;
		s->sizes[class_of(size[b])] += size[b];
	}
	allot(s, budget);
	sort_array(ticket, blocks, sizeof(*ticket), by_key);
	for (uint32_t i = 0; i < blocks; i++) {
		unsigned k = class_of(size[ticket[i].block]);

		if (taken[k] >= s->drawn[k])
			continue;
		taken[k]++;
		s->block[s->n++] = ticket[i].block;
		s->documents += size[ticket[i].block];
	}
	sort_array(s->block, s->n, sizeof(*s->block), by_number);
	s->whole = s->n == blocks;
}

/* 97.5 % point of Student's t, within .002 from eight degrees of freedom on; nothing has fewer (POOL_WEIGHT). */
static double t_point(double freedom) { return 1.96 + 2.4 / freedom + 3 / (freedom * freedom); }

/* An interval inside what is possible. */
static struct preview_interval interval(double total, double reach, double least, double most, bool exact)
{
	double low = fmin(fmax(total - reach, least), most), high = fmax(fmin(total + reach, most), least);

	return (struct preview_interval){ fmin(fmax(total, low), high), low, high, exact };
}

/* What the drawn blocks of one class say. */
struct stratum {
	double all_x, sum_x, sum_y; /* of the class; of what was drawn */
	double unseen_most;	    /* that blocks not drawn can have */
	double square;		    /* sum of squared residuals */
};

static double residual(const struct stratum *h, double x, double y)
{
	return y - (h->sum_x > 0 ? h->sum_y / h->sum_x * x : 0);
}

static void gather(struct stratum *of, const struct preview_sample *s, const uint32_t *size, uint32_t blocks,
		   const struct preview_amounts *v)
{
	for (uint32_t b = 0; b < blocks; b++) {
		of[class_of(size[b])].all_x += v->x[b];
		of[class_of(size[b])].unseen_most += v->most[b];
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct stratum *h = &of[class_of(size[s->block[i]])];

		h->sum_x += v->x[s->block[i]];
		h->sum_y += v->y[i];
		h->unseen_most -= v->most[s->block[i]];
	}
	for (uint32_t i = 0; i < s->n; i++) {
		struct stratum *h = &of[class_of(size[s->block[i]])];
		double r = residual(h, v->x[s->block[i]], v->y[i]);

		h->square += r * r;
	}
}

/* Variance of what a block keeps, in squares of its class's mean: the mean of the classes by what they have of all, for
 * classes of few drawn blocks to lean on. */
static double pooled(const struct preview_sample *s, const struct stratum *of)
{
	double sum = 0, weight = 0;

	for (unsigned k = 0; k < PREVIEW_CLASSES; k++)
		if (s->drawn[k] > 1 && s->drawn[k] < s->blocks[k] && of[k].all_x > 0) {
			double mean = of[k].all_x / s->blocks[k];

			sum += of[k].all_x * of[k].square / (mean * mean) / (s->drawn[k] - 1);
			weight += of[k].all_x;
		}
	return weight > 0 ? sum / weight : IMAGINED;
}

struct preview_interval preview_total(const struct preview_sample *s, const uint32_t *size, uint32_t blocks,
				      const struct preview_amounts *v)
{
	struct stratum of[PREVIEW_CLASSES] = { 0 };
	double total = 0, variance = 0, weight = 0, least = 0, most = 0, reach, common;

	gather(of, s, size, blocks, v);
	common = pooled(s, of);
	for (unsigned k = 0; k < PREVIEW_CLASSES; k++) {
		double n = s->drawn[k], all = s->blocks[k], mean, freedom, part;

		if (!s->blocks[k])
			continue;
		total += n >= all ? of[k].sum_y : of[k].sum_x > 0 ? of[k].sum_y / of[k].sum_x * of[k].all_x : 0;
		least += of[k].sum_y + v->least * (all - n);
		most += of[k].sum_y + of[k].unseen_most;
		/* blocks of one document that keep one have nothing to vary */
		if (n >= all || (k == 0 && v->least >= 1))
			continue;
		mean = of[k].all_x / all;
		freedom = n + POOL_WEIGHT;
		part = all * all * (1 - n / all) / n *
		       (of[k].square + (POOL_WEIGHT * common + IMAGINED) * mean * mean) / freedom;
		variance += part;
		weight += part * part / freedom;
	}
	reach = weight > 0 ? sqrt(variance) * t_point(variance * variance / weight) : 0;
	return interval(total, reach, least, most, s->whole);
}

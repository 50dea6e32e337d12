/* cover/preview.c -- stratified samples of blocks and their ratio estimate. */
#include "cover/preview.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"

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

/* 97.5 % point of Student's t. */
static double t_point(double freedom)
{
	static const double low[] = { 12.706, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228 };

	if (freedom < 1)
		freedom = 1;
	return freedom <= 10 ? low[(int)freedom] : 1.96 + 2.5 / freedom;
}

/* An interval inside what is possible. */
static struct preview_interval interval(double total, double reach, double least, double most, bool exact)
{
	double low = fmin(fmax(total - reach, least), most), high = fmax(fmin(total + reach, most), least);

	return (struct preview_interval){ fmin(fmax(total, low), high), low, high, exact };
}

struct preview_interval preview_estimate(const struct preview_sample *s, const uint32_t *size, const uint32_t *kept)
{
	double documents[PREVIEW_CLASSES] = { 0 }, saved[PREVIEW_CLASSES] = { 0 }, square[PREVIEW_CLASSES] = { 0 };
	double total = 0, variance = 0, weight = 0, least = 0, most = 0, reach;

	for (uint32_t i = 0; i < s->n; i++) {
		unsigned k = class_of(size[s->block[i]]);

		documents[k] += size[s->block[i]];
		saved[k] += kept[i];
	}
	for (uint32_t i = 0; i < s->n; i++) {
		unsigned k = class_of(size[s->block[i]]);
		double residual = kept[i] - saved[k] / documents[k] * size[s->block[i]];

		square[k] += residual * residual;
	}
	for (unsigned k = 0; k < PREVIEW_CLASSES; k++) {
		double n = s->drawn[k], all = s->blocks[k], part;

		if (!s->blocks[k])
			continue;
		total += saved[k] / documents[k] * (double)s->sizes[k];
		least += saved[k] + (all - n); /* a block keeps at least one */
		most += saved[k] + ((double)s->sizes[k] - documents[k]);
		if (n >= all)
			continue;
		if (k > 0) { /* the imagined block: half of what could be kept otherwise */
			double mean = (double)s->sizes[k] / all;

			square[k] += mean * mean / 16;
		}
		part = all * all * (1 - n / all) / n * square[k] / (n > 1 ? n - 1 : 1);
		variance += part;
		if (part > 0)
			weight += part * part / (n > 1 ? n - 1 : 1);
	}
	reach = variance > 0 ? sqrt(variance) * t_point(weight > 0 ? variance * variance / weight : 1) : 0;
	return interval(total, reach, least, most, s->whole);
}

struct preview_interval preview_ratio(const struct preview_sample *s, const uint32_t *size, uint32_t blocks,
				      const double *x, const double *y)
{
	double all_x[PREVIEW_CLASSES] = { 0 }, sum_x[PREVIEW_CLASSES] = { 0 }, sum_y[PREVIEW_CLASSES] = { 0 },
	       square[PREVIEW_CLASSES] = { 0 };
	double total = 0, variance = 0, weight = 0, least = 0, most = 0, reach;

	for (uint32_t b = 0; b < blocks; b++)
		all_x[class_of(size[b])] += x[b];
	for (uint32_t i = 0; i < s->n; i++) {
		unsigned k = class_of(size[s->block[i]]);

		sum_x[k] += x[s->block[i]];
		sum_y[k] += y[i];
	}
	for (uint32_t i = 0; i < s->n; i++) {
		unsigned k = class_of(size[s->block[i]]);
		double residual = y[i] - (sum_x[k] > 0 ? sum_y[k] / sum_x[k] * x[s->block[i]] : 0);

		square[k] += residual * residual;
	}
	for (unsigned k = 0; k < PREVIEW_CLASSES; k++) {
		double n = s->drawn[k], all = s->blocks[k], part;

		if (!s->blocks[k])
			continue;
		total += n >= all ? sum_y[k] : sum_x[k] > 0 ? sum_y[k] / sum_x[k] * all_x[k] : 0;
		least += sum_y[k];
		most += sum_y[k] + (all_x[k] - sum_x[k]);
		if (n >= all)
			continue;
		if (k > 0)
			square[k] += all_x[k] / all * (all_x[k] / all) / 16;
		part = all * all * (1 - n / all) / n * square[k] / (n > 1 ? n - 1 : 1);
		variance += part;
		if (part > 0)
			weight += part * part / (n > 1 ? n - 1 : 1);
	}
	reach = variance > 0 ? sqrt(variance) * t_point(weight > 0 ? variance * variance / weight : 1) : 0;
	return interval(total, reach, least, most, s->whole);
}

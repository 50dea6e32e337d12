/* flow/preview_blocks.c -- into which blocks a preview divides the documents; see preview.h.
 *
 * Keys: documents that are equal in the key of some disjunct are united; when
 * every disjunct has a key, no pair lies across the result.
 *
 * URLs: without such a key, or when a block of it is too large for the budget,
 * captures of one URL that are in one block of the key.  Pairs across them are
 * then left out of the sample too, or what is seen of them would depend on how
 * much is drawn.
 */
#include "flow/preview_int.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"

static uint32_t root(uint32_t *up, uint32_t d)
{
	while (up[d] != d)
		d = up[d] = up[up[d]];
	return d;
}

/* The smaller number stays root, so that the result does not depend on the order of unions. */
static void unite(uint32_t *up, uint32_t x, uint32_t y)
{
	x = root(up, x);
	y = root(up, y);
	if (x < y)
		up[y] = x;
	else
		up[x] = y;
}

static uint32_t *alone(size_t n)
{
	uint32_t *up = mem_array(n + 1, sizeof *up);

	for (uint32_t d = 0; d < n; d++)
		up[d] = d;
	return up;
}

static void unite_blocks(uint32_t *up, const uint32_t *block, size_t n_blocks, size_t n)
{
	uint32_t *first = mem_array(n_blocks + 1, sizeof *first);

	memset(first, 0xff, n_blocks * sizeof *first);
	for (uint32_t d = 0; d < n; d++) {
		if (first[block[d]] == UINT32_MAX)
			first[block[d]] = d;
		unite(up, first[block[d]], d);
	}
	mem_free(first);
}

/* Blocks, their sizes and amounts, from a union of documents. */
static void count_blocks(struct preview_state *p, uint32_t *up)
{
	const double *bytes = p->docs.columns.col[ATTR_BYTES]->num, *shingles = p->docs.columns.col[ATTR_SHINGLES]->num;
	struct map seen = { 0 };
	size_t n = p->docs.n;

	preview_release(
	    &(struct preview_state){ .block = p->block, .size = p->size, .shingles = p->shingles, .bytes = p->bytes });
	p->block = mem_array(n + 1, sizeof *p->block);
	p->blocks = 0;
	p->all_shingles = 0;
	for (uint32_t d = 0; d < n; d++) {
		uint32_t r = root(up, d);

		p->block[d] = r == d ? p->blocks++ : p->block[r];
	}
	p->size = mem_zarray((size_t)p->blocks + 1, sizeof *p->size);
	p->shingles = mem_zarray((size_t)p->blocks + 1, sizeof *p->shingles);
	p->bytes = mem_zarray((size_t)p->blocks + 1, sizeof *p->bytes);
	for (uint32_t d = 0; d < n; d++) {
		uint32_t b = p->block[d];
		size_t before = seen.n;

		p->size[b]++;
		p->bytes[b] += bytes[d] == bytes[d] ? bytes[d] : 0;
		map_put(&seen, mix64(p->docs.content[d] + 1) ^ b, 1);
		if (seen.n > before && shingles[d] == shingles[d]) {
			p->shingles[b] += (uint64_t)shingles[d] + 1;
			p->all_shingles += (uint64_t)shingles[d] + 1;
		}
	}
	map_release(&seen);
}

static uint64_t largest(const struct preview_state *p)
{
	uint64_t most = 0;

	for (uint32_t b = 0; b < p->blocks; b++)
		most = p->shingles[b] > most ? p->shingles[b] : most;
	return most;
}

static void divide_by_url(struct preview_state *p, const uint32_t *within)
{
	const uint64_t *key = p->docs.url;
	uint32_t *up = alone(p->docs.n);

	/* canonical order: captures of one URL are neighbours */
	for (uint32_t d = 1; d < p->docs.n; d++)
		if (key[d] == key[d - 1] && within[d] == within[d - 1])
			unite(up, d - 1, d);
	count_blocks(p, up);
	p->by = BLOCKS_URL;
	mem_free(up);
}

int preview_divide(struct preview_state *p, struct err *err)
{
	uint32_t *up = alone(p->docs.n), *key = NULL;
	bool keyed = true;
	struct trial t;
	int rc;

	if ((rc = trial_open(&t, p->rule, &p->docs, NULL, NULL, err)) < 0)
		goto out;
	for (size_t i = 0; i < t.plan->n; i++)
		keyed &= t.plan->d[i].block != NULL;
	for (size_t i = 0; keyed && i < t.plan->n; i++)
		unite_blocks(up, t.plan->d[i].block, t.plan->d[i].n_blocks, p->docs.n);
	if (!keyed)
		for (uint32_t d = 0; d < p->docs.n; d++)
			up[d] = 0;
	count_blocks(p, up);
	p->by = p->all_shingles <= p->budget ? BLOCKS_ALL : BLOCKS_KEY;
	if (p->by == BLOCKS_ALL || (keyed && largest(p) <= p->budget / 4))
		goto out;
	key = p->block;
	p->block = NULL;
	divide_by_url(p, key);
out:
	mem_free(key);
	mem_free(up);
	trial_close(&t);
	return rc;
}

void preview_release(struct preview_state *p)
{
	mem_free(p->block);
	mem_free(p->size);
	mem_free(p->shingles);
	mem_free(p->bytes);
	selection_release(&p->docs);
}

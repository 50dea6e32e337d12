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

#include "base/forest.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"

static void unite_blocks(uint32_t *up, const uint32_t *block, size_t n_blocks, size_t n)
{
	uint32_t *first = mem_array(n_blocks + 1, sizeof *first);

	memset(first, 0xff, n_blocks * sizeof *first);
	for (uint32_t d = 0; d < n; d++) {
		if (first[block[d]] == UINT32_MAX)
			first[block[d]] = d;
		forest_unite(up, first[block[d]], d);
	}
	mem_free(first);
}

/* Whether a block has had a content before.  Documents come block by block, so the last block that had the content tells;
 * where contents are few of many numbers a map of pairs does, at five times the cost. */
struct contents_seen {
	uint32_t *last; /* [content]: its last block + 1 */
	struct map pairs;
};

static void seen_open(struct contents_seen *s, const uint64_t *content, size_t n)
{
	uint64_t most = 0;

	for (size_t d = 0; d < n; d++)
		most = content[d] > most ? content[d] : most;
	if (most < 16 * (uint64_t)n + 1024)
		s->last = mem_zarray(most + 1, sizeof *s->last);
}

static bool first_seen(struct contents_seen *s, uint64_t content, uint32_t block)
{
	size_t before = s->pairs.n;

	if (s->last) {
		bool first = s->last[content] != block + 1;

		s->last[content] = block + 1;
		return first;
	}
	map_put(&s->pairs, mix64(content + 1) ^ block, 1);
	return s->pairs.n > before;
}

/* Documents block by block, ascending in each. */
static uint32_t *in_blocks(const struct preview_state *p)
{
	uint32_t *at = mem_zarray((size_t)p->blocks + 2, sizeof *at), *order = mem_array(p->docs.n + 1, sizeof *order);

	for (uint32_t b = 0; b < p->blocks; b++)
		at[b + 1] = at[b] + p->size[b];
	for (uint32_t d = 0; d < p->docs.n; d++)
		order[at[p->block[d]]++] = d;
	mem_free(at);
	return order;
}

/* Blocks, their sizes and amounts, from a union of documents. */
static void count_blocks(struct preview_state *p, uint32_t *up)
{
	const double *bytes = p->docs.columns.col[ATTR_BYTES]->num, *shingles = p->docs.columns.col[ATTR_SHINGLES]->num;
	struct contents_seen seen = { 0 };
	size_t n = p->docs.n;
	uint32_t *order;

	seen_open(&seen, p->docs.content, n);
	preview_release(
	    &(struct preview_state){ .block = p->block, .size = p->size, .shingles = p->shingles, .bytes = p->bytes });
	p->block = mem_array(n + 1, sizeof *p->block);
	p->blocks = 0;
	p->all_shingles = p->all_contents = 0;
	for (uint32_t d = 0; d < n; d++) {
		uint32_t r = forest_root(up, d);

		p->block[d] = r == d ? p->blocks++ : p->block[r];
	}
	p->size = mem_zarray((size_t)p->blocks + 1, sizeof *p->size);
	p->shingles = mem_zarray((size_t)p->blocks + 1, sizeof *p->shingles);
	p->bytes = mem_zarray((size_t)p->blocks + 1, sizeof *p->bytes);
	for (uint32_t d = 0; d < n; d++)
		p->size[p->block[d]]++;
	order = in_blocks(p);
	for (size_t i = 0; i < n; i++) {
		uint32_t d = order[i], b = p->block[d];

		p->bytes[b] += bytes[d] == bytes[d] ? bytes[d] : 0;
		if (first_seen(&seen, p->docs.content[d], b) && shingles[d] == shingles[d]) {
			p->shingles[b] += (uint64_t)shingles[d] + 1;
			p->all_shingles += (uint64_t)shingles[d] + 1;
			p->all_contents++;
		}
	}
	mem_free(order);
	mem_free(seen.last);
	map_release(&seen.pairs);
}

static uint64_t largest(const struct preview_state *p)
{
	uint64_t most = 0;

	for (uint32_t b = 0; b < p->blocks; b++)
		most = p->shingles[b] > most ? p->shingles[b] : most;
	return most;
}

/* Blocks that lie in one URL each stay what they are. */
static void divide_by_url(struct preview_state *p, const uint32_t *within)
{
	uint32_t before = p->blocks;
	const uint64_t *key = p->docs.url;
	uint32_t *up = forest_new((uint32_t)p->docs.n);

	/* canonical order: captures of one URL are neighbours */
	for (uint32_t d = 1; d < p->docs.n; d++)
		if (key[d] == key[d - 1] && within[d] == within[d - 1])
			forest_unite(up, d - 1, d);
	count_blocks(p, up);
	p->by = p->blocks == before ? BLOCKS_KEY : BLOCKS_URL;
	mem_free(up);
}

int preview_divide(struct preview_state *p, struct err *err)
{
	uint32_t *up = forest_new((uint32_t)p->docs.n), *key = NULL;
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
	p->whole_shingles = p->all_shingles;
	p->contents = p->all_contents;
	p->by = p->all_shingles <= PREVIEW_WHOLE * p->budget ? BLOCKS_ALL : BLOCKS_KEY;
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

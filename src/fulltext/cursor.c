/* fulltext/cursor.c -- walking a term's documents and positions; see segment.h.
 *
 * Blocks are decoded when entered, frequencies when asked for.  Numbers read
 * from the file are tested before they index anything.
 */
#include "fulltext/segment.h"

static uint32_t broken(struct ftcursor *c, const char *what)
{
	c->damage = what;
	c->n = c->at = 0;
	c->block = c->n_blocks;
	return c->doc = FT_DONE;
}

int ftcursor_error(const struct ftcursor *c, struct err *err)
{
	return c->damage ? segfile_damaged(err, c->s->path, "%s", c->damage) : WN_OK;
}

uint32_t ftcursor_load(struct ftcursor *c, uint32_t block)
{
	const unsigned char *p = c->blocks;
	uint32_t doc = 0;
	uint64_t sum;

	if (block >= c->n_blocks) {
		c->block = c->n_blocks;
		c->n = c->at = 0;
		return c->doc = FT_DONE;
	}
	if (c->skip) {
		uint32_t at = get_u32(c->skip + FT_SKIP * (size_t)block + 4);

		if (at > (size_t)(c->end - p))
			return broken(c, "a block of postings lies outside of its term");
		p += at;
		if (block)
			doc = get_u32(c->skip + FT_SKIP * (size_t)(block - 1)) + 1;
	}
	c->n = block + 1 < c->n_blocks ? PACK_N : (c->term.df - 1) % PACK_N + 1;
	c->block_tf = unpack_block(p, c->end, c->docs, c->n);
	if (!c->block_tf)
		return broken(c, "a block of postings is cut off");
	sum = (uint64_t)doc + c->n - 1;
	for (uint32_t i = 0; i < c->n; i++) {
		sum += c->docs[i];
		doc += c->docs[i];
		c->docs[i] = doc++;
	}
	if (sum >= c->s->n) /* so no addition went past 2^32, and the docs ascend */
		return broken(c, "a posting names a document that is not there");
	c->block = block;
	c->at = 0;
	c->have_tf = false;
	return c->doc = c->docs[0];
}

uint32_t ftcursor_next_block(struct ftcursor *c) { return ftcursor_load(c, c->block + 1); }

uint32_t ftcursor_seek_block(const struct ftcursor *c, uint32_t target)
{
	uint32_t low = c->block, step = 1, high;

	if (!c->skip || low >= c->n_blocks || ftcursor_last(c, low) >= target)
		return low;
	while (low + step < c->n_blocks && ftcursor_last(c, low + step) < target)
		step *= 2;
	high = low + step < c->n_blocks ? low + step : c->n_blocks;
	low += step / 2 + 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (ftcursor_last(c, middle) < target)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t ftcursor_seek_far(struct ftcursor *c, uint32_t target)
{
	uint32_t low, high;

	if (c->block >= c->n_blocks)
		return c->doc = FT_DONE;
	if (c->docs[c->n - 1] < target) {
		uint32_t block = c->skip ? ftcursor_seek_block(c, target) : c->n_blocks;

		if (ftcursor_load(c, block == c->block ? block + 1 : block) >= target)
			return c->doc;
		if (c->docs[c->n - 1] < target) /* only when the skip table lies */
			return broken(c, "a skip table does not fit its blocks");
	}
	low = c->at + 1;
	high = c->n - 1;
	if (low + 4 > high || c->docs[low + 3] >= target) { /* near, most often */
		while (c->docs[low] < target)
			low++;
	} else {
		while (low < high) {
			uint32_t middle = (low + high) / 2;

			if (c->docs[middle] < target)
				low = middle + 1;
			else
				high = middle;
		}
	}
	c->at = low;
	return c->doc = c->docs[low];
}

void ftcursor_need_tf(struct ftcursor *c)
{
	c->have_tf = true;
	if (!unpack_block(c->block_tf, c->end, c->tfs, c->n)) {
		memset(c->tfs, 0, sizeof c->tfs);
		c->damage = "a block of frequencies is cut off";
	}
	for (uint32_t i = 0; i < c->n; i++)
		if (c->tfs[i]++ >= c->term.ttf) {
			c->tfs[i] = 1;
			c->damage = "a frequency is out of range";
		}
}

static uint32_t positions_in_next(const struct ftcursor *c)
{
	if (!c->pos_last)
		return c->pos_left < PACK_N ? (uint32_t)c->pos_left : PACK_N;
	return c->pos_p == c->pos_last ? (uint32_t)((c->term.ttf - 1) % PACK_N + 1) : PACK_N;
}

static bool next_positions(struct ftcursor *c, bool decode)
{
	uint32_t n = positions_in_next(c);

	if (!n || !c->pos_p || c->pos_p > c->positions_end)
		return false;
	c->pos_p =
	    decode ? unpack_block(c->pos_p, c->positions_end, c->pos, n) : skip_block(c->pos_p, c->positions_end, n);
	c->pos_n = n;
	c->pos_at = decode ? 0 : n;
	c->pos_left -= c->pos_last ? 0 : n;
	return c->pos_p != NULL;
}

static bool pass_positions(struct ftcursor *c, uint64_t count)
{
	while (count) {
		uint32_t here = c->pos_n - c->pos_at;

		if (here) {
			here = here < count ? here : (uint32_t)count;
			c->pos_at += here;
			count -= here;
		} else if (!next_positions(c, count < positions_in_next(c))) {
			return false;
		} else if (c->pos_at == c->pos_n) {
			if (c->pos_n > count)
				return false;
			count -= c->pos_n;
		}
	}
	return true;
}

static bool start_of_block(struct ftcursor *c)
{
	uint32_t at = 0, in = 0;

	if (c->skip) {
		at = get_u32(c->skip + FT_SKIP * (size_t)c->block + 8);
		in = c->skip[FT_SKIP * (size_t)c->block + 12];
	}
	if (at > c->term.positions_n)
		return false;
	c->pos_p = c->positions + at;
	c->pos_left = c->term.ttf;
	c->pos_n = c->pos_at = 0;
	c->pos_block = c->block;
	c->pos_docs = 0;
	return pass_positions(c, in);
}

static bool no_positions(struct ftcursor *c)
{
	c->pos_block = UINT32_MAX;
	broken(c, "positions are cut off");
	return false;
}

bool ftcursor_positions_open(struct ftcursor *c)
{
	uint64_t pass = 0;
	bool ok = true;

	(void)ftcursor_tf(c);
	if (c->pos_block != c->block || c->pos_docs > c->at)
		ok = start_of_block(c);
	while (ok && c->pos_docs < c->at)
		pass += c->tfs[c->pos_docs++];
	ok = ok && pass_positions(c, pass);
	c->pos_docs++;
	c->pos_before = UINT32_MAX;
	return ok || no_positions(c);
}

uint64_t ftcursor_gaps_open(struct ftcursor *c, uint32_t n)
{
	uint64_t sum = 0;

	if (!ftcursor_positions_open(c))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		sum += c->tfs[c->at + i];
	c->pos_docs += n - 1;
	return sum;
}

uint32_t ftcursor_gaps(struct ftcursor *c, const uint32_t **gaps, uint64_t most)
{
	uint32_t n;

	if (c->pos_at == c->pos_n && !next_positions(c, true)) {
		no_positions(c);
		return 0;
	}
	n = c->pos_n - c->pos_at < most ? c->pos_n - c->pos_at : (uint32_t)most;
	*gaps = c->pos + c->pos_at;
	c->pos_at += n;
	return n;
}

bool ftcursor_positions_some(struct ftcursor *c, uint32_t *out, uint32_t n)
{
	uint32_t before = c->pos_before;

	for (uint32_t i = 0; i < n; i++) {
		if (c->pos_at == c->pos_n && !next_positions(c, true))
			return no_positions(c);
		out[i] = before = before + 1 + c->pos[c->pos_at++];
	}
	c->pos_before = before;
	return true;
}

bool ftcursor_positions(struct ftcursor *c, uint32_t *out)
{
	return ftcursor_positions_open(c) && ftcursor_positions_some(c, out, ftcursor_tf(c));
}

/* join/columns_rank.c -- the index of classes (columns.h): numbered by the length of their lists, with the classes of each row. */
#include <string.h>

#include "base/task.h"
#include "join/big.h"
#include "join/columns_int.h"

void columns_shard_release(struct shard *s)
{
	big_free(s->slots, s->cap * sizeof *s->slots);
	vec_release(&s->records);
	*s = (struct shard){ 0 };
}

struct ranked {	      /* a class with what it is sorted by */
	uint64_t key; /* length of its list << 32 | its first row */
	uint32_t shard, at;
};

static void radix_pass(const struct ranked *from, struct ranked *to, size_t n, unsigned shift)
{
	size_t count[2049] = { 0 };

	for (size_t i = 0; i < n; i++)
		count[(from[i].key >> shift & 2047) + 1]++;
	for (size_t i = 0; i < 2048; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < n; i++)
		to[count[from[i].key >> shift & 2047]++] = from[i];
}

static unsigned bits_of(uint64_t x) { return x ? 64 - (unsigned)__builtin_clzll(x) : 0; }

/* Classes by (length, first row): short lists first, neighbours near. */
static struct ranked *rank_classes(const struct columns_shards *b, size_t n, struct ranked **spare)
{
	struct ranked *v = mem_array(n + 1, sizeof *v), *w = mem_array(n + 1, sizeof *w), *swap;
	size_t at = 0;
	uint64_t longest = 0;
	unsigned row_bits = bits_of(b->rows);

	for (uint32_t s = 0; s < SHARDS; s++)
		for (size_t c = 0; c < b->shard[s].records.n;) {
			const uint32_t *rec = b->shard[s].records.p + c;

			v[at++] = (struct ranked){ (uint64_t)rec[REC_N] << row_bits | rec[REC_ROWS], s, (uint32_t)c };
			longest = rec[REC_N] > longest ? rec[REC_N] : longest;
			c += REC_ROWS + rec[REC_N];
		}
	for (unsigned shift = 0; shift < row_bits + bits_of(longest); shift += 11) {
		radix_pass(v, w, n, shift);
		swap = v;
		v = w;
		w = swap;
	}
	*spare = w;
	return v;
}

struct forward_fill {
	struct columns_index *c;
	uint32_t *count; /* [parts x rows] */
	size_t parts;
};

static void part_of(const struct forward_fill *f, size_t p, uint32_t *from, uint32_t *to)
{
	/* equal numbers of postings, not of classes */
	uint64_t want[2] = { f->c->postings * p / f->parts, f->c->postings * (p + 1) / f->parts };
	uint32_t got[2];

	for (int i = 0; i < 2; i++) {
		uint32_t low = 0, high = f->c->classes;

		while (low < high) {
			uint32_t mid = low + (high - low) / 2;

			if (f->c->post_start[mid] < want[i])
				low = mid + 1;
			else
				high = mid;
		}
		got[i] = low;
	}
	*from = got[0];
	*to = p + 1 == f->parts ? f->c->classes : got[1];
}

static void forward_count(void *context, size_t from, size_t to, unsigned worker)
{
	struct forward_fill *f = context;

	(void)worker;
	for (size_t p = from; p < to; p++) {
		uint32_t *count = f->count + p * f->c->rows, first, last;

		part_of(f, p, &first, &last);
		for (uint64_t i = f->c->post_start[first]; i < f->c->post_start[last]; i++)
			count[f->c->post[i]]++;
	}
}

static void forward_place(void *context, size_t from, size_t to, unsigned worker)
{
	struct forward_fill *f = context;

	(void)worker;
	for (size_t p = from; p < to; p++) {
		uint32_t *count = f->count + p * f->c->rows, first, last;

		part_of(f, p, &first, &last);
		for (uint32_t k = first; k < last; k++)
			for (uint64_t i = f->c->post_start[k]; i < f->c->post_start[k + 1]; i++) {
				uint32_t r = f->c->post[i];

				f->c->forward[f->c->forward_start[r] + count[r]++] = k;
			}
	}
}

/* Lists of classes by row, ascending, by counting. */
static void build_forward(struct columns_index *c, unsigned threads)
{
	struct forward_fill f = { c, NULL, threads };
	uint64_t at = 0;

	f.count = mem_zarray((size_t)c->rows * f.parts + 1, sizeof *f.count);
	task_each(threads, f.parts, 1, forward_count, &f);
	for (uint32_t r = 0; r < c->rows; r++) {
		uint32_t inside = 0;

		c->forward_start[r] = at;
		for (size_t p = 0; p < f.parts; p++) {
			uint32_t n = f.count[p * c->rows + r];

			f.count[p * c->rows + r] = inside;
			inside += n;
		}
		at += inside;
	}
	c->forward_start[c->rows] = at;
	task_each(threads, f.parts, 1, forward_place, &f);
	mem_free(f.count);
}

static void *map_array(struct columns_index *c, int i, size_t n, size_t size)
{
	c->bytes[i] = (n + 1) * size;
	return big_alloc(c->bytes[i]);
}

void columns_rank(struct columns_index *c, struct columns_shards *b, const struct join_sets *sets, const uint32_t *set,
		  unsigned threads)
{
	size_t n = 0;
	struct ranked *order, *spare;

	c->rows = b->rows;
	for (uint32_t s = 0; s < SHARDS; s++) {
		n += b->shard[s].n;
		c->postings += b->shard[s].records.n - b->shard[s].n * REC_ROWS;
		big_free(b->shard[s].slots, b->shard[s].cap * sizeof *b->shard[s].slots);
		b->shard[s].slots = NULL;
		b->shard[s].cap = 0;
	}
	order = rank_classes(b, n, &spare);
	mem_free(spare);
	c->classes = (uint32_t)n;
	c->forward_start = map_array(c, 0, (size_t)c->rows + 1, sizeof *c->forward_start);
	c->post_start = map_array(c, 1, n + 1, sizeof *c->post_start);
	c->post = map_array(c, 2, c->postings, sizeof *c->post);
	c->weight = map_array(c, 3, n, sizeof *c->weight);
	c->privately = mem_array((size_t)c->rows + 1, sizeof *c->privately);
	for (uint32_t r = 0; r < c->rows; r++)
		c->privately[r] = set[r] == JOIN_NO_SET ? 0 : sets->size[set[r]];
	for (size_t k = 0, at = 0; k < n; k++) {
		const uint32_t *rec = b->shard[order[k].shard].records.p + order[k].at;

		if (k + 12 < n)
			__builtin_prefetch(b->shard[order[k + 12].shard].records.p + order[k + 12].at);
		c->weight[k] = rec[REC_WEIGHT];
		c->post_start[k] = at;
		for (uint32_t i = 0; i < rec[REC_N]; i++) {
			c->post[at++] = rec[REC_ROWS + i];
			c->privately[rec[REC_ROWS + i]] -= rec[REC_WEIGHT];
		}
	}
	c->post_start[n] = c->postings;
	for (uint32_t s = 0; s < SHARDS; s++)
		columns_shard_release(&b->shard[s]);
	mem_free(order);
	c->forward = map_array(c, 4, c->postings, sizeof *c->forward);
	build_forward(c, threads);
}

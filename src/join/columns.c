/* join/columns.c -- see columns.h. */
#include "join/columns.h"

#include <string.h>

#include "base/hash.h"
#include "base/task.h"
#include "base/vec.h"
#include "join/big.h"
#include "join/columns_int.h"
#include "join/postings.h"

#define BUCKET_ENTRIES 1024u /* aimed at; grouped in cache */
#define READ_AHEAD 12u	     /* rows whose next items are asked for before their turn */
#define ROW_ITEMS 100u	     /* of a row in a partition, at least: each visit to a row costs */
#define PARTITION_LEAST ((size_t)1 << 16)
#define PARTITION_MOST ((size_t)1 << 25)
#define ROW_SLICE 4096u /* rows read by one task, at most */
#define READ_ROOM 1024u /* items read at once */

/* Lists on their way to the shards: signature (two words), n, n rows. */
typedef VEC(uint32_t) outbox;
enum { OUT_LOW, OUT_HIGH, OUT_N, OUT_ROWS };

/* The items of some rows in the partition; unused where they need no decoding. */
typedef VEC(uint64_t) slice;

struct entry { /* an item of a row, in the order of buckets */
	uint64_t item;
	uint32_t row;
} __attribute__((packed));

struct build {
	const struct join_sets *sets;
	const uint32_t *set, *block;
	uint32_t rows;
	const struct columns_filter *filter;
	const struct join_options *options;
	unsigned threads;
	bool one_block;
	struct join_cursor *cursor; /* [rows]; for plain arrays .at is the next item */
	/* The partition. */
	uint64_t below;	      /* end of the partition; UINT64_MAX with last */
	unsigned shift, bits; /* bucket of an item: item >> shift & mask */
	size_t room;
	struct entry *entry;  /* by bucket */
	uint32_t *run;	      /* [rows] how many items each has in it */
	uint32_t *fill;	      /* [slices x buckets] counts, then places */
	size_t *bucket_start; /* [buckets + 1] */
	slice *slices;
	size_t n_slices, slice_rows, buckets;
	struct postings_writer *keep; /* NULL: nothing is */
	struct kept_bucket {	      /* where the bytes of a bucket are */
		unsigned worker;
		size_t at, n;
	} * kept;
	struct group_scratch *scratch; /* [threads] */
	outbox *out;		       /* [threads x SHARDS] */
	struct columns_shards classes;
	size_t memory;
	bool over;
};

struct group_scratch { /* grouping one bucket */
	size_t room;
	uint32_t *slot;	 /* table: group + 1 */
	uint32_t *group; /* of each entry */
	uint32_t *first; /* entry that made the group */
	uint32_t *count, *place, *list;
	uint32_t *level; /* for bags */
	size_t cap;
	struct postings_group *kept; /* [room] with build.keep */
	VEC(unsigned char) bytes;    /* buckets of the partition */
};

static void scratch_reserve(struct group_scratch *s, size_t n, bool keep)
{
	size_t cap = 16;

	if (n <= s->room)
		return;
	n += n / 2;
	while (cap < 2 * n)
		cap *= 2;
	mem_free(s->slot);
	s->slot = mem_array(cap, sizeof *s->slot);
	s->cap = cap;
	s->room = n;
	s->group = mem_rearray(s->group, n, sizeof *s->group);
	s->first = mem_rearray(s->first, n, sizeof *s->first);
	s->count = mem_rearray(s->count, n, sizeof *s->count);
	s->place = mem_rearray(s->place, n + 1, sizeof *s->place);
	s->list = mem_rearray(s->list, n, sizeof *s->list);
	s->level = mem_rearray(s->level, n, sizeof *s->level);
	if (keep)
		s->kept = mem_rearray(s->kept, n, sizeof *s->kept);
}

static void scratch_release(struct group_scratch *s)
{
	mem_free(s->slot);
	mem_free(s->group);
	mem_free(s->first);
	mem_free(s->count);
	mem_free(s->place);
	mem_free(s->list);
	mem_free(s->level);
	mem_free(s->kept);
	vec_release(&s->bytes);
}

/* --- reading a partition --- */

static uint32_t sift_items(const struct columns_filter *f, uint64_t *item, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = item[i], bit = x >> f->shift;

		item[kept] = x;
		kept += f->bits[bit / 64] >> bit % 64 & 1;
	}
	return kept;
}

/* Are the items read where they are? */
static bool in_place(const struct build *b) { return b->sets->items && !b->filter; }

/* Moves the cursor of r to the end of the partition, items at hand. */
static uint32_t skip_plain(const struct build *b, uint32_t r)
{
	struct join_cursor *c = &b->cursor[r];
	const uint64_t *p = b->sets->items + c->at;
	uint32_t n = 0;

	if (b->below == UINT64_MAX)
		n = c->left;
	else
		while (n < c->left && p[n] < b->below)
			n++;
	c->at += n;
	c->left -= n;
	return n;
}

/* Appends what row r has of the partition to the slice. */
static uint32_t read_row(const struct build *b, slice *s, uint32_t r)
{
	struct join_cursor *c = &b->cursor[r];
	size_t before = s->n;
	uint32_t n;

	do {
		vec_reserve(s, s->n + READ_ROOM);
		n = 0;
		if (b->sets->items) {
			const uint64_t *p = b->sets->items + c->at;
			uint32_t most = c->left < READ_ROOM ? c->left : READ_ROOM;

			for (; n < most && (p[n] < b->below || b->below == UINT64_MAX); n++)
				s->p[s->n + n] = p[n];
			c->at += n;
			c->left -= n;
		} else if (c->left) {
			n = b->sets->read(b->sets->context, c, b->below, s->p + s->n, READ_ROOM);
		}
		s->n += b->filter ? sift_items(b->filter, s->p + s->n, n) : n;
	} while (n == READ_ROOM);
	return (uint32_t)(s->n - before);
}

static void slice_bounds(const struct build *b, size_t k, uint32_t *first, uint32_t *last)
{
	*first = (uint32_t)(k * b->slice_rows);
	*last = (uint32_t)((k + 1) * b->slice_rows < b->rows ? (k + 1) * b->slice_rows : b->rows);
}

static void bring_near(const struct build *b, uint32_t r)
{
	if (b->sets->items)
		__builtin_prefetch(b->sets->items + b->cursor[r].at);
	else if (b->sets->near && b->cursor[r].left)
		b->sets->near(&b->cursor[r]);
}

static void read_slice(void *context, size_t from, size_t to, unsigned worker)
{
	struct build *b = context;
	size_t mask = b->buckets - 1;
	unsigned shift = b->shift;

	(void)worker;
	for (size_t k = from; k < to; k++) {
		slice *s = &b->slices[k];
		uint32_t *fill = b->fill + k * b->buckets, first, last;

		s->n = 0;
		slice_bounds(b, k, &first, &last);
		memset(fill, 0, b->buckets * sizeof *fill);
		for (uint32_t r = first; r < last; r++) {
			const uint64_t *p;
			uint32_t n = 0;

			if (r + READ_AHEAD < last)
				bring_near(b, r + READ_AHEAD);
			if (b->cursor[r].left)
				n = in_place(b) ? skip_plain(b, r) : read_row(b, s, r);
			b->run[r] = n;
			if (n == 0)
				continue;
			p = in_place(b) ? b->sets->items + b->cursor[r].at - n : s->p + s->n - n;
			for (uint32_t i = 0; i < n; i++)
				fill[p[i] >> shift & mask]++;
		}
	}
}

static void scatter_slice(void *context, size_t from, size_t to, unsigned worker)
{
	struct build *b = context;
	struct entry *entry = b->entry;
	size_t mask = b->buckets - 1;
	unsigned shift = b->shift;

	(void)worker;
	for (size_t k = from; k < to; k++) {
		const uint64_t *read = b->slices[k].p;
		uint32_t *fill = b->fill + k * b->buckets, first, last;

		slice_bounds(b, k, &first, &last);
		for (uint32_t r = first; r < last; r++) {
			uint32_t n = b->run[r];
			const uint64_t *p = in_place(b) ? b->sets->items + b->cursor[r].at - n : read;

			for (uint32_t i = 0; i < n; i++) {
				size_t bucket = p[i] >> shift & mask;
				struct entry *e = entry + fill[bucket]++;

				e->item = p[i];
				e->row = r;
			}
			if (!in_place(b) && n)
				read += n;
		}
	}
}

/* Turns counts by slice and bucket into places; returns the entries, which are
 * fewer than 2^32: a partition has few million, or few values. */
static size_t place_slices(struct build *b)
{
	size_t total = 0;

	for (size_t k = 0; k < b->buckets; k++) {
		b->bucket_start[k] = total;
		for (size_t s = 0; s < b->n_slices; s++) {
			uint32_t n = b->fill[s * b->buckets + k];

			b->fill[s * b->buckets + k] = (uint32_t)total;
			total += n;
		}
	}
	b->bucket_start[b->buckets] = total;
	return total;
}

/* --- classes --- */

uint64_t columns_signature(const uint32_t *list, uint32_t n)
{
	uint64_t sum = n * 0x9e3779b97f4a7c15u;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t x = (list[i] + 1) * 0xd6e8feb86659fd93u;

		x ^= x >> 32;
		sum += x * 0xcf1bbcdcbfa53e0bu;
	}
	return sum ^ sum >> 29;
}

static void shard_grow(struct shard *s)
{
	size_t cap = s->cap ? 2 * s->cap : 256;
	uint64_t *slots = big_alloc(cap * sizeof *slots);

	for (size_t i = 0; i < s->cap; i++)
		if (s->slots[i]) {
			size_t at = s->slots[i] >> 32 & (cap - 1);

			while (slots[at])
				at = (at + 1) & (cap - 1);
			slots[at] = s->slots[i];
		}
	big_free(s->slots, s->cap * sizeof *slots);
	s->slots = slots;
	s->cap = cap;
}

static void shard_add(struct shard *s, uint32_t tag, const uint32_t *list, uint32_t n)
{
	size_t at;
	uint32_t *rec;

	if (s->n * 4 >= s->cap * 3)
		shard_grow(s);
	for (at = tag & (s->cap - 1); s->slots[at]; at = (at + 1) & (s->cap - 1))
		if (s->slots[at] >> 32 == tag) {
			rec = s->records.p + (uint32_t)s->slots[at] - 1;
			if (rec[REC_N] == n && memcmp(rec + REC_ROWS, list, n * sizeof *list) == 0) {
				rec[REC_WEIGHT]++;
				return;
			}
		}
	s->slots[at] = (uint64_t)tag << 32 | (uint32_t)(s->records.n + 1);
	s->n++;
	vec_reserve(&s->records, s->records.n + REC_ROWS + n);
	rec = s->records.p + s->records.n;
	rec[REC_N] = n;
	rec[REC_WEIGHT] = 1;
	memcpy(rec + REC_ROWS, list, n * sizeof *list);
	s->records.n += REC_ROWS + n;
}

static void class_add(outbox *out, uint64_t sign, const uint32_t *list, uint32_t n)
{
	outbox *o = &out[sign >> 58];
	uint32_t *rec;

	vec_reserve(o, o->n + OUT_ROWS + n);
	rec = o->p + o->n;
	rec[OUT_LOW] = (uint32_t)sign;
	rec[OUT_HIGH] = (uint32_t)(sign >> 32);
	rec[OUT_N] = n;
	memcpy(rec + OUT_ROWS, list, n * sizeof *list);
	o->n += OUT_ROWS + n;
}

#define AHEAD 8 /* records between each look ahead and the next */

/* Empties the outboxes of one shard.  Two readers run ahead: the first asks for
 * the slot, the second, when that is there, for the record it names. */
static void fill_shards(void *context, size_t from, size_t to, unsigned worker)
{
	struct build *b = context;

	(void)worker;
	for (size_t k = from; k < to; k++) {
		struct shard *s = &b->classes.shard[k];

		for (unsigned t = 0; t < b->threads; t++) {
			outbox *o = &b->out[t * SHARDS + k];
			size_t far = 0, near = 0;
			unsigned lead = 0;

			for (size_t at = 0; at < o->n; at += OUT_ROWS + o->p[at + OUT_N]) {
				for (; far < o->n && lead < 2 * AHEAD && s->cap;
				     lead++, far += OUT_ROWS + o->p[far + OUT_N]) {
					__builtin_prefetch(&s->slots[o->p[far + OUT_LOW] & (s->cap - 1)]);
					if (lead >= AHEAD) {
						uint64_t slot = s->slots[o->p[near + OUT_LOW] & (s->cap - 1)];

						if (slot)
							__builtin_prefetch(s->records.p + (uint32_t)slot - 1);
						near += OUT_ROWS + o->p[near + OUT_N];
					}
				}
				shard_add(s, o->p[at + OUT_LOW], o->p + at + OUT_ROWS, o->p[at + OUT_N]);
				lead -= lead > 0;
			}
			o->n = 0;
		}
	}
}

/* A list with repeats (bags): one list per level. */
static void class_add_levels(outbox *out, struct group_scratch *s, const uint32_t *list, uint32_t n)
{
	for (uint32_t level = 1;; level++) {
		uint32_t m = 0;

		for (uint32_t i = 0, run = 0; i < n; i++) {
			run = i && list[i] == list[i - 1] ? run + 1 : 1;
			if (run == level)
				s->level[m++] = list[i];
		}
		if (m < 2) /* private from here on */
			return;
		class_add(out, columns_signature(s->level, m), s->level, m);
	}
}

/* Numbers the distinct (item, block) of a bucket; returns how many. */
static uint32_t group_entries(const struct build *b, struct group_scratch *s, const struct entry *e, size_t n)
{
	size_t cap = 16, mask;
	uint32_t groups = 0;

	while (cap < 2 * n)
		cap *= 2;
	mask = cap - 1;
	memset(s->slot, 0, cap * sizeof *s->slot);
	for (size_t i = 0; i < n; i++) {
		uint64_t h = e[i].item ^ (b->one_block ? 0 : (uint64_t)b->block[e[i].row] * 0x9e3779b97f4a7c15u);
		size_t at = (h * 0xd6e8feb86659fd93u) >> 40 & mask;
		uint32_t g;

		while ((g = s->slot[at]) != 0 &&
		       (e[s->first[g - 1]].item != e[i].item ||
			(!b->one_block && b->block[e[s->first[g - 1]].row] != b->block[e[i].row])))
			at = (at + 1) & mask;
		if (g == 0) {
			s->slot[at] = g = ++groups;
			s->first[g - 1] = (uint32_t)i;
			s->count[g - 1] = 0;
		}
		s->count[g - 1]++;
		s->group[i] = g - 1;
	}
	return groups;
}

/* An item's list for whoever looks it up later. */
static void keep_group(const struct build *b, struct group_scratch *s, const struct entry *e, uint32_t g,
		       uint64_t signature)
{
	const struct entry *first = &e[s->first[g]];

	s->kept[g] = (struct postings_group){ first->item, s->count[g] == 1 ? POSTINGS_OWN | first->row
									    : postings_ref(b->keep, signature) };
}

static void keep_bucket(struct build *b, struct group_scratch *s, unsigned worker, size_t bucket, uint32_t groups)
{
	size_t n = postings_bucket_bytes(groups);

	vec_reserve(&s->bytes, s->bytes.n + n);
	b->kept[bucket] = (struct kept_bucket){ worker, s->bytes.n, n };
	if (!postings_bucket(s->kept, groups, b->keep->bits, s->bytes.p + s->bytes.n))
		__atomic_store_n(&b->keep->given_up, true, __ATOMIC_RELAXED);
	s->bytes.n += n;
}

/* Returns the distinct items. */
static uint32_t collapse_bucket(struct build *b, outbox *out, struct group_scratch *s, const struct entry *e, size_t n)
{
	uint32_t groups, at = 0;

	scratch_reserve(s, n, b->keep != NULL);
	groups = group_entries(b, s, e, n);
	for (uint32_t g = 0; g < groups; g++) { /* singles get no place */
		s->place[g] = at;
		at += s->count[g] > 1 ? s->count[g] : 0;
	}
	for (size_t i = 0; i < n; i++)
		if (s->count[s->group[i]] > 1)
			s->list[s->place[s->group[i]]++] = e[i].row;
	for (uint32_t g = 0; g < groups; g++) {
		const uint32_t *list = s->list + s->place[g] - s->count[g];
		uint32_t m = s->count[g];
		uint64_t signature = 0;
		bool bag = false;

		for (uint32_t i = 1; i < m && !bag; i++)
			bag = list[i] == list[i - 1];
		if (bag)
			class_add_levels(out, s, list, m);
		else if (m > 1)
			class_add(out, signature = columns_signature(list, m), list, m);
		if (b->keep)
			keep_group(b, s, e, g, signature);
	}
	return groups;
}

static void collapse_buckets(void *context, size_t from, size_t to, unsigned worker)
{
	struct build *b = context;
	struct group_scratch *s = &b->scratch[worker];

	for (size_t k = from; k < to; k++) {
		size_t at = b->bucket_start[k], n = b->bucket_start[k + 1] - at;
		uint32_t groups = n ? collapse_bucket(b, b->out + worker * SHARDS, s, b->entry + at, n) : 0;

		if (b->keep)
			keep_bucket(b, s, worker, k, groups);
	}
}

/* The partition's buckets, in order. */
static void keep_partition(struct build *b)
{
	for (size_t k = 0; k < b->buckets && b->keep; k++) {
		const struct kept_bucket *t = &b->kept[k];

		postings_add_bucket(b->keep, b->scratch[t->worker].bytes.p + t->at, t->n);
	}
	for (unsigned t = 0; t < b->threads; t++)
		b->scratch[t].bytes.n = 0;
}

/* --- all together --- */

static void open_rows(struct build *b)
{
	b->cursor = mem_array((size_t)b->rows + 1, sizeof *b->cursor);
	b->one_block = true;
	for (uint32_t r = 0; r < b->rows; r++) {
		struct join_cursor *c = &b->cursor[r];

		*c = (struct join_cursor){ 0 };
		b->one_block &= b->block[r] == b->block[0];
		if (b->set[r] == JOIN_NO_SET)
			continue;
		if (b->sets->items) {
			c->at = b->sets->start[b->set[r]];
			c->left = b->sets->size[b->set[r]];
		} else {
			b->sets->open(b->sets->context, b->set[r], c);
		}
	}
}

static void partition_reserve(struct build *b, size_t n)
{
	if (n <= b->room)
		return;
	big_free(b->entry, b->room * sizeof *b->entry);
	b->room = n + n / 16 + 1024;
	b->entry = big_alloc(b->room * sizeof *b->entry);
}

static void run_partition(struct build *b)
{
	size_t held = 0;
	bool full = false;

	task_each(b->threads, b->n_slices, 1, read_slice, b);
	partition_reserve(b, place_slices(b));
	task_each(b->threads, b->n_slices, 4, scatter_slice, b);
	task_each(b->threads, b->buckets, 64, collapse_buckets, b);
	keep_partition(b);
	task_each(b->threads, SHARDS, 1, fill_shards, b);
	for (uint32_t s = 0; s < SHARDS; s++) {
		held += b->classes.shard[s].cap * sizeof *b->classes.shard[s].slots +
			b->classes.shard[s].records.cap * sizeof(uint32_t);
		full |= b->classes.shard[s].records.n > UINT32_MAX / 2;
	}
	b->over = held > b->memory || full;
}

static void partition_release(struct build *b)
{
	big_free(b->entry, b->room * sizeof *b->entry);
	b->room = 0;
	mem_free(b->run);
	for (size_t i = 0; i < b->n_slices; i++)
		vec_release(&b->slices[i]);
	mem_free(b->fill);
	mem_free(b->bucket_start);
	mem_free(b->slices);
	for (unsigned t = 0; t < b->threads; t++)
		scratch_release(&b->scratch[t]);
	mem_free(b->scratch);
	for (size_t i = 0; i < (size_t)b->threads * SHARDS; i++)
		vec_release(&b->out[i]);
	mem_free(b->out);
	mem_free(b->cursor);
	mem_free(b->kept);
}

static void run_partitions(struct build *b, uint64_t entries)
{
	unsigned bits = 0; /* of the partition number */
	size_t room =
	    b->memory / 4 / 20; /* entries of a partition: not much more than the cache, not too many passes */

	room = room < PARTITION_MOST ? room : PARTITION_MOST;
	room = room < (size_t)b->rows * ROW_ITEMS ? room : (size_t)b->rows * ROW_ITEMS;
	room = room < PARTITION_LEAST ? PARTITION_LEAST : room;
	while (bits < 16 && entries >> bits > room)
		bits++;
	b->bits = b->keep ? POSTINGS_LEAST_BITS : 4;
	while (b->bits < 14 && (entries >> bits >> b->bits) > BUCKET_ENTRIES)
		b->bits++;
	b->buckets = (size_t)1 << b->bits;
	b->shift = 64 - bits - b->bits;
	if (b->keep) {
		b->keep->bits = bits + b->bits;
		b->kept = mem_array(b->buckets, sizeof *b->kept);
	}
	b->fill = mem_array(b->n_slices * b->buckets + 1, sizeof *b->fill);
	b->bucket_start = mem_array(b->buckets + 1, sizeof *b->bucket_start);
	for (uint64_t p = 0; p < (uint64_t)1 << bits && !b->over && !task_interrupted(); p++) {
		b->below = p + 1 == (uint64_t)1 << bits ? UINT64_MAX : (p + 1) << (64 - bits);
		run_partition(b);
		mem_watch();
		if (b->options && b->options->progress)
			b->options->progress(b->options->progress_context, "index", entries * (p + 1) >> bits, entries);
	}
}

int columns_build(struct columns_index *out, const struct join_sets *sets, const uint32_t *set, const uint32_t *block,
		  uint32_t rows, const struct columns_filter *filter, const struct join_options *o, size_t memory,
		  struct postings_writer *keep, struct err *err)
{
	struct build b = { .sets = sets,
			   .set = set,
			   .block = block,
			   .rows = rows,
			   .filter = filter,
			   .options = o,
			   .threads = o && o->threads ? o->threads : 1,
			   .keep = sets->bag ? NULL : keep,
			   .memory = memory,
			   .classes.rows = rows };
	uint64_t entries = 0;
	int rc = WN_OK;

	*out = (struct columns_index){ 0 };
	open_rows(&b);
	for (uint32_t r = 0; r < rows; r++)
		entries += b.cursor[r].left;
	b.slice_rows = rows / (b.threads * 8) + 1 < ROW_SLICE ? rows / (b.threads * 8) + 1 : ROW_SLICE;
	b.n_slices = ((size_t)rows + b.slice_rows - 1) / b.slice_rows;
	b.run = mem_zarray((size_t)rows + 1, sizeof *b.run);
	b.slices = mem_zarray(b.n_slices + 1, sizeof *b.slices);
	b.scratch = mem_zarray(b.threads, sizeof *b.scratch);
	b.out = mem_zarray((size_t)b.threads * SHARDS, sizeof *b.out);
	run_partitions(&b, entries);
	partition_release(&b);
	if (task_interrupted())
		rc = err_set(err, WN_INTERRUPTED, "interrupted while indexing");
	else if (b.over)
		rc = err_set(err, WN_LIMIT, "an index of %u rows needs more than %zu bytes", rows, memory);
	else
		columns_rank(out, &b.classes, sets, set, b.threads);
	if (keep && (rc < 0 || sets->bag))
		keep->given_up = true;
	for (uint32_t s = 0; s < SHARDS; s++)
		columns_shard_release(&b.classes.shard[s]);
	return rc;
}

void columns_index_release(struct columns_index *c)
{
	void *mapped[5] = { c->forward_start, c->post_start, c->post, c->weight, c->forward };

	for (int i = 0; i < 5; i++)
		if (mapped[i])
			big_free(mapped[i], c->bytes[i]);
	mem_free(c->privately);
	*c = (struct columns_index){ 0 };
}

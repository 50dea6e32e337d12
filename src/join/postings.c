/* join/postings.c -- see postings.h. */
#include "join/postings.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "WNPOST\0\1";

#define ENTRY 6u			   /* bytes: 2 of the item, 4 of the ref */
#define BLOCK_HEAD (4 + 2 * POSTINGS_FINE) /* checksum, ends of the parts */
#define CLASSES_TO_A_SLOT 4u

/* ---- writing ---- */

uint32_t postings_ref(uint64_t signature) { return (uint32_t)(signature >> 16) & ~POSTINGS_OWN; }

size_t postings_bucket_bytes(uint32_t n) { return BLOCK_HEAD + (size_t)n * ENTRY; }

static unsigned fine_of(uint64_t item, unsigned bits) { return item << bits >> 59; }
static uint16_t tag_of(uint64_t item, unsigned bits) { return (uint16_t)(item << bits << 5 >> 48); }

bool postings_bucket(const struct postings_group *g, uint32_t n, unsigned bits, unsigned char *out)
{
	uint16_t end[POSTINGS_FINE] = { 0 };
	uint32_t at[POSTINGS_FINE], sum = 0, check;

	if (n > POSTINGS_BUCKET_MOST)
		return false;
	for (uint32_t i = 0; i < n; i++)
		end[fine_of(g[i].item, bits)]++;
	for (unsigned f = 0; f < POSTINGS_FINE; f++) {
		at[f] = sum;
		sum += end[f];
		end[f] = (uint16_t)sum;
	}
	memcpy(out + 4, end, sizeof end);
	for (uint32_t i = 0; i < n; i++) {
		unsigned char *e = out + BLOCK_HEAD + (size_t)at[fine_of(g[i].item, bits)]++ * ENTRY;
		uint16_t tag = tag_of(g[i].item, bits);

		memcpy(e, &tag, 2);
		memcpy(e + 2, &g[i].ref, 4);
	}
	check = (uint32_t)hash64(out + 4, postings_bucket_bytes(n) - 4);
	memcpy(out, &check, 4);
	return true;
}

static void put(struct postings_writer *w, const void *p, size_t n)
{
	if (!w->given_up && n)
		w->given_up = !w->put(w->context, p, n);
	w->at += n;
}

static void put_padding(struct postings_writer *w)
{
	static const char zeros[8];

	put(w, zeros, -w->at & 7);
}

void postings_add_bucket(struct postings_writer *w, const unsigned char *p, size_t n)
{
	vec_push(&w->bucket, w->at);
	put(w, p, n);
}

/* The last class of each row's prefix, + 1: beyond it too little is left. */
static uint32_t *prefix_ends(const struct columns_index *c, const uint32_t *size, const uint64_t *least)
{
	uint32_t *end = mem_zarray((size_t)c->rows + 1, sizeof *end);

	for (uint32_t r = 0; r < c->rows; r++) {
		uint64_t rest = size[r] - c->privately[r];

		for (uint64_t i = c->forward_start[r]; i < c->forward_start[r + 1] && rest >= least[r]; i++) {
			end[r] = c->forward[i] + 1;
			rest -= c->weight[c->forward[i]];
		}
	}
	return end;
}

/* Lists, those rows in front whose prefix the class is of; in the order of the classes there. */
static void put_lists(struct postings_writer *w, const struct columns_index *c, struct postings_class *classes,
		      const uint32_t *number, const uint32_t *prefix_end)
{
	VEC(uint32_t) list = { 0 };
	uint64_t start = 0;

	for (uint32_t k = 0; k < c->classes; k++) {
		struct postings_class *to = &classes[number[k]];
		const uint32_t *row = c->post + c->post_start[k];

		to->n = (uint32_t)(c->post_start[k + 1] - c->post_start[k]);
		to->start = start;
		vec_reserve(&list, list.n + to->n);
		for (uint32_t i = 0; i < to->n; i++)
			if (prefix_end[row[i]] > k)
				list.p[list.n + to->prefix++] = row[i];
		for (uint32_t i = 0, at = to->prefix; i < to->n; i++)
			if (prefix_end[row[i]] <= k)
				list.p[list.n + at++] = row[i];
		to->check = (uint32_t)hash64(list.p + list.n, to->n * sizeof *list.p);
		list.n += to->n;
		start += to->n;
		if (list.n > 1u << 18 || k + 1 == c->classes) {
			put(w, list.p, list.n * sizeof *list.p);
			list.n = 0;
		}
	}
	vec_release(&list);
}

/* Where classes stand by their refs: number[k] of each, and the directory. */
static unsigned place_classes(const uint32_t *ref, uint32_t n, uint32_t **number, uint32_t **directory)
{
	unsigned bits = 4;
	uint32_t *at;

	while (bits < 28 && (uint64_t)CLASSES_TO_A_SLOT << bits < n)
		bits++;
	at = mem_zarray(((size_t)1 << bits) + 2, sizeof *at);
	*number = mem_array((size_t)n + 1, sizeof **number);
	for (uint32_t k = 0; k < n; k++)
		at[(ref[k] >> (31 - bits)) + 2]++;
	for (size_t s = 1; s <= (size_t)1 << bits; s++)
		at[s + 1] += at[s];
	for (uint32_t k = 0; k < n; k++)
		(*number)[k] = at[(ref[k] >> (31 - bits)) + 1]++;
	*directory = at;
	return bits;
}

void postings_finish(struct postings_writer *w, const struct columns_index *c, const uint32_t *set,
		     const uint32_t *size, const uint64_t *least)
{
	struct postings_tail t = { .postings = c->postings,
				   .run = w->run,
				   .bounds = w->bounds,
				   .bits = w->bits,
				   .classes = c->classes,
				   .rows = c->rows };
	struct postings_class *classes = mem_zarray((size_t)c->classes + 1, sizeof *classes);
	uint32_t *ref = mem_array((size_t)c->classes + 1, sizeof *ref), *number, *directory, *prefix_end;
	uint32_t *name = mem_array((size_t)c->rows + 2, sizeof *name);
	size_t slots;

	memcpy(t.magic, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	put_padding(w);
	vec_push(&w->bucket, w->at);
	for (uint32_t k = 0; k < c->classes; k++)
		ref[k] = postings_ref(
		    columns_signature(c->post + c->post_start[k], (uint32_t)(c->post_start[k + 1] - c->post_start[k])));
	for (uint32_t r = 0; r < c->rows; r++)
		name[r] = set[r] == JOIN_NO_SET ? UINT32_MAX : w->name[set[r]];
	prefix_end = prefix_ends(c, size, least);
	t.class_bits = place_classes(ref, c->classes, &number, &directory);
	for (uint32_t k = 0; k < c->classes; k++)
		classes[number[k]].ref = ref[k];
	put_lists(w, c, classes, number, prefix_end);
	put_padding(w);
	t.tables = w->at;
	slots = ((size_t)1 << t.class_bits) + 1;
	t.check_tables = hash64(w->bucket.p, w->bucket.n * sizeof *w->bucket.p);
	t.check_tables = mix64(t.check_tables) ^ hash64(classes, c->classes * sizeof *classes);
	t.check_tables = mix64(t.check_tables) ^ hash64(directory, slots * sizeof *directory);
	t.check_tables = mix64(t.check_tables) ^ hash64(name, c->rows * sizeof *name);
	put(w, w->bucket.p, w->bucket.n * sizeof *w->bucket.p);
	put(w, classes, c->classes * sizeof *classes);
	put(w, directory, slots * sizeof *directory);
	put(w, name, c->rows * sizeof *name);
	put_padding(w);
	t.length = w->at + sizeof t;
	t.check = hash64(&t, sizeof t - sizeof t.check);
	put(w, &t, sizeof t);
	w->done = !w->given_up;
	mem_free(classes);
	mem_free(ref);
	mem_free(number);
	mem_free(directory);
	mem_free(prefix_end);
	mem_free(name);
}

/* ---- reading ---- */

static bool tables_fit(const struct postings_tail *t)
{
	uint64_t tables, lists;

	if (t->bits > 30 || t->class_bits > 28 || t->tables % 8 || t->tables > t->length)
		return false;
	tables = (((uint64_t)1 << t->bits) + 1) * 8 + (uint64_t)t->classes * sizeof(struct postings_class) +
		 (((uint64_t)1 << t->class_bits) + 1) * 4 + (uint64_t)t->rows * 4;
	lists = t->postings > t->tables ? UINT64_MAX : (t->postings * 4 + 7) / 8 * 8;
	return lists <= t->tables && t->tables + (tables + 7) / 8 * 8 + sizeof *t == t->length;
}

/* Buckets ascend to where the lists begin; classes lie inside the lists. */
static bool sound(const struct postings *p)
{
	const struct postings_tail *t = &p->tail;
	uint64_t lists = t->tables - (t->postings * 4 + 7) / 8 * 8;

	for (uint64_t b = 0; b < (uint64_t)1 << t->bits; b++)
		if (p->bucket[b] + BLOCK_HEAD > p->bucket[b + 1])
			return false;
	for (uint32_t k = 0; k < t->classes; k++)
		if (p->classes[k].start > t->postings || p->classes[k].n > t->postings - p->classes[k].start ||
		    p->classes[k].prefix > p->classes[k].n)
			return false;
	for (uint64_t s = 0; s < (uint64_t)1 << t->class_bits; s++)
		if (p->directory[s] > p->directory[s + 1])
			return false;
	return p->bucket[0] == 0 && p->bucket[(uint64_t)1 << t->bits] == lists &&
	       p->directory[(uint64_t)1 << t->class_bits] == t->classes;
}

int postings_open(struct postings *p, const unsigned char *bytes, size_t n, struct err *err)
{
	struct postings_tail *t = &p->tail;
	const unsigned char *at;
	uint64_t check;

	*p = (struct postings){ .bytes = bytes };
	if (n < sizeof *t)
		return err_set(err, WN_DATA, "not an index of postings");
	memcpy(t, bytes + n - sizeof *t, sizeof *t);
	if (memcmp(t->magic, magic, 8) != 0 || t->check != hash64(t, sizeof *t - sizeof t->check) || t->length != n ||
	    !tables_fit(t))
		return err_set(err, WN_DATA, "not an index of postings, or not all of it");
	at = bytes + t->tables;
	p->bucket = (const uint64_t *)(const void *)at;
	at += (((size_t)1 << t->bits) + 1) * 8;
	p->classes = (const struct postings_class *)(const void *)at;
	at += t->classes * sizeof *p->classes;
	p->directory = (const uint32_t *)(const void *)at;
	at += (((size_t)1 << t->class_bits) + 1) * 4;
	p->name = (const uint32_t *)(const void *)at;
	p->post = (const uint32_t *)(const void *)(bytes + (t->tables - (t->postings * 4 + 7) / 8 * 8));
	check = hash64(p->bucket, (((size_t)1 << t->bits) + 1) * 8);
	check = mix64(check) ^ hash64(p->classes, t->classes * sizeof *p->classes);
	check = mix64(check) ^ hash64(p->directory, (((size_t)1 << t->class_bits) + 1) * 4);
	check = mix64(check) ^ hash64(p->name, (size_t)t->rows * 4);
	if (check != t->check_tables || !sound(p))
		return err_set(err, WN_DATA, "the index of postings is damaged: a checksum is wrong");
	p->tested = mem_zalloc((size_t)t->classes + 1);
	p->tested_bucket = mem_zalloc(((size_t)1 << t->bits) + 1);
	return WN_OK;
}

void postings_close(struct postings *p)
{
	mem_free(p->tested);
	mem_free(p->tested_bucket);
	mem_free(p->set_of);
	vec_release(&p->later);
	*p = (struct postings){ 0 };
}

static bool block_sound(const unsigned char *block, uint64_t n)
{
	uint16_t end[POSTINGS_FINE];
	uint32_t check;

	memcpy(&check, block, 4);
	memcpy(end, block + 4, sizeof end);
	n = BLOCK_HEAD + (uint64_t)end[POSTINGS_FINE - 1] * ENTRY <= n
		? BLOCK_HEAD + (uint64_t)end[POSTINGS_FINE - 1] * ENTRY
		: 0;
	for (unsigned f = 1; f < POSTINGS_FINE && n; f++)
		n = end[f - 1] > end[f] ? 0 : n;
	return n && check == (uint32_t)hash64(block + 4, n - 4);
}

bool postings_find(const struct postings *p, const struct postings_query *q, size_t n, uint32_t below,
		   postings_hits *out)
{
	unsigned bits = p->tail.bits;
	uint64_t tested = UINT64_MAX;
	const unsigned char *block = NULL;

	for (size_t i = 0; i < n; i++) {
		uint64_t b = bits ? q[i].item >> (64 - bits) : 0;
		unsigned f = fine_of(q[i].item, bits);
		uint16_t tag = tag_of(q[i].item, bits), from = 0, to, has;
		uint32_t ref;

		if (q[i].of >= below)
			continue;
		if (b != tested) {
			block = p->bytes + p->bucket[b];
			if (!__atomic_load_n(&p->tested_bucket[b], __ATOMIC_RELAXED)) {
				if (!block_sound(block, p->bucket[b + 1] - p->bucket[b]))
					return false;
				__atomic_store_n(&p->tested_bucket[b], 1, __ATOMIC_RELAXED);
			}
			tested = b;
		}
		if (f)
			memcpy(&from, block + 4 + 2 * (f - 1), 2);
		memcpy(&to, block + 4 + 2 * f, 2);
		for (const unsigned char *e = block + BLOCK_HEAD + (size_t)from * ENTRY; from < to;
		     from++, e += ENTRY) {
			memcpy(&has, e, 2);
			if (has != tag)
				continue;
			memcpy(&ref, e + 2, 4);
			vec_push(out, ((struct postings_found){ q[i].of, ref }));
		}
	}
	return true;
}

void postings_expect(const struct postings *p, uint32_t ref, bool near)
{
	uint32_t slot = (ref & ~POSTINGS_OWN) >> (31 - p->tail.class_bits);

	if (!near) {
		__builtin_prefetch(&p->directory[slot]);
		return;
	}
	__builtin_prefetch(&p->classes[p->directory[slot]]);
	__builtin_prefetch(&p->tested[p->directory[slot]]);
}

static bool list_sound(const struct postings *p, const struct postings_class *c)
{
	const uint32_t *row = p->post + c->start;

	for (uint32_t i = 0; i < c->n; i++)
		if (row[i] >= p->tail.rows)
			return false;
	return c->check == (uint32_t)hash64(row, (size_t)c->n * 4);
}

const struct postings_class *postings_lists(struct postings *p, uint32_t ref, uint32_t *at)
{
	uint32_t slot = ref >> (31 - p->tail.class_bits), k = *at ? *at : p->directory[slot];

	for (; k < p->directory[slot + 1]; k++) {
		const struct postings_class *c = &p->classes[k];

		if (c->ref != ref)
			continue;
		if (!__atomic_load_n(&p->tested[k], __ATOMIC_RELAXED)) {
			if (!list_sound(p, c)) {
				__atomic_store_n(&p->damaged, true, __ATOMIC_RELAXED);
				return NULL;
			}
			__atomic_store_n(&p->tested[k], 1, __ATOMIC_RELAXED);
		}
		*at = k + 1;
		return c;
	}
	return NULL;
}

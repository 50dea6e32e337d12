/* join/postings.c -- see postings.h: reading. */
#include "join/postings.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

const char postings_magic[8] = "WNPOST\0\2";

uint64_t postings_tables_bytes(const struct postings_tail *t)
{
	uint64_t n = (((uint64_t)1 << t->bits) + 1) * 8 + (uint64_t)t->classes * sizeof(struct postings_class) +
		     (uint64_t)t->rows * sizeof(struct postings_row) +
		     (uint64_t)t->classes * sizeof(struct postings_name) + (((uint64_t)1 << t->class_bits) + 1) * 4;

	return (n + 7) / 8 * 8;
}

uint64_t postings_check_tables(const struct postings_tail *t, const unsigned char *tables)
{
	return hash64(tables, postings_tables_bytes(t));
}

/* Bytes of lists of rows and of lists of classes. */
static uint64_t lists_bytes(const struct postings_tail *t) { return t->postings * 8; }

static bool tables_fit(const struct postings_tail *t)
{
	if (t->bits < POSTINGS_LEAST_BITS || t->bits > 30 || t->class_bits > 28 || t->tables % 8 ||
	    t->tables > t->length || t->postings > t->tables / 8)
		return false;
	return t->tables + postings_tables_bytes(t) + sizeof *t == t->length;
}

int postings_open(struct postings *p, const unsigned char *bytes, size_t n, struct err *err)
{
	struct postings_tail *t = &p->tail;
	const unsigned char *at;

	*p = (struct postings){ .bytes = bytes };
	if (n < sizeof *t)
		return err_set(err, WN_DATA, "not an index of postings");
	memcpy(t, bytes + n - sizeof *t, sizeof *t);
	if (memcmp(t->magic, postings_magic, 8) != 0 || t->check != hash64(t, sizeof *t - sizeof t->check) ||
	    t->length != n || !tables_fit(t))
		return err_set(err, WN_DATA, "not an index of postings as this winnow keeps it, or not all of it");
	at = bytes + t->tables;
	p->bucket = (const uint64_t *)(const void *)at;
	at += (((size_t)1 << t->bits) + 1) * sizeof *p->bucket;
	p->classes = (const struct postings_class *)(const void *)at;
	at += t->classes * sizeof *p->classes;
	p->rows = (const struct postings_row *)(const void *)at;
	at += t->rows * sizeof *p->rows;
	p->names = (const struct postings_name *)(const void *)at;
	at += t->classes * sizeof *p->names;
	p->directory = (const uint32_t *)(const void *)at;
	p->post = (const uint32_t *)(const void *)(bytes + (t->tables - lists_bytes(t)));
	p->forward = p->post + t->postings;
	if (postings_check_tables(t, bytes + t->tables) != t->check_tables)
		return err_set(err, WN_DATA, "the index of postings is damaged: a checksum is wrong");
	p->tested = mem_zalloc((size_t)t->classes + 1);
	p->tested_row = mem_zalloc((size_t)t->rows + 1);
	p->tested_bucket = mem_zalloc(((size_t)1 << t->bits) + 1);
	return WN_OK;
}

void postings_bind(struct postings *p, const uint32_t *set_of, uint32_t names, uint32_t sets)
{
	uint32_t rows = p->tail.rows;

	p->set_of = mem_array((size_t)rows + 1, sizeof *p->set_of);
	p->next_row = mem_array((size_t)rows + 1, sizeof *p->next_row);
	p->row_of = mem_array((size_t)sets + 1, sizeof *p->row_of);
	memset(p->row_of, 0xff, ((size_t)sets + 1) * sizeof *p->row_of);
	for (uint32_t r = 0; r < rows; r++) {
		uint32_t set = p->rows[r].name < names ? set_of[p->rows[r].name] : JOIN_NO_SET;

		p->set_of[r] = set;
		p->next_row[r] = UINT32_MAX;
		if (set == JOIN_NO_SET)
			continue;
		p->next_row[r] = p->row_of[set];
		p->row_of[set] = r;
	}
}

struct postings_marks postings_marks(struct postings *p, unsigned thread)
{
	if (thread == p->marks.n)
		vec_push(&p->marks, ((struct postings_marks){ mem_zarray((size_t)p->tail.classes + 1, sizeof(uint32_t)),
							      mem_zarray((size_t)p->tail.rows + 1, sizeof(uint32_t)),
							      mem_zalloc((size_t)p->tail.rows + 1) }));
	return p->marks.p[thread];
}

void postings_close(struct postings *p)
{
	for (size_t i = 0; i < p->marks.n; i++) {
		mem_free(p->marks.p[i].class);
		mem_free(p->marks.p[i].alone);
		mem_free(p->marks.p[i].seen);
	}
	vec_release(&p->marks);
	mem_free(p->tested);
	mem_free(p->tested_row);
	mem_free(p->tested_bucket);
	mem_free(p->set_of);
	mem_free(p->row_of);
	mem_free(p->next_row);
	vec_release(&p->later);
	vec_release(&p->looked);
	vec_release(&p->refs);
	map_release(&p->looked_of);
	added_release(&p->added);
	mem_free(p->docs_start);
	mem_free(p->docs);
	*p = (struct postings){ 0 };
}

#define AHEAD 8u       /* queries between a look ahead and the search */
#define LINE 64u       /* bytes that are fetched at once */
#define GROUP_LINES 8u /* of a group, at most */

/* An item will be searched for soon: its group of parts, all of which is tested, is about where it would be if items
 * were spread evenly.
 * Always in line: to a compiler a function that only fetches does nothing, and calls of it are left out. */
static inline __attribute__((always_inline)) void expect(const struct postings *p, uint64_t item)
{
	uint64_t b = item >> (64 - p->tail.bits), size = p->bucket[b + 1] - p->bucket[b] - POSTINGS_BLOCK_HEAD;
	uint64_t group = postings_fine(item, p->tail.bits) / (POSTINGS_FINE / POSTINGS_GROUPS);
	uintptr_t block = (uintptr_t)p->bytes + p->bucket[b], /* which is not tested yet: no pointer */
	    at = block + POSTINGS_BLOCK_HEAD + size * group / POSTINGS_GROUPS, end = at + size / POSTINGS_GROUPS;

	__builtin_prefetch((const void *)block);
	__builtin_prefetch((const void *)(block + POSTINGS_ENDS + LINE - 1));
	for (unsigned i = 0; i < GROUP_LINES && at < end; i++, at += LINE)
		__builtin_prefetch((const void *)at);
}

uint32_t postings_check_group(const unsigned char *block, unsigned group, uint16_t from, uint16_t to)
{
	const unsigned bytes = 2 * POSTINGS_FINE / POSTINGS_GROUPS;
	uint64_t ends;

	_Static_assert(2 * POSTINGS_FINE / POSTINGS_GROUPS == sizeof ends, "ends of a group are one number");
	memcpy(&ends, block + POSTINGS_ENDS + (size_t)group * bytes, sizeof ends);
	return (uint32_t)(hash64(block + POSTINGS_BLOCK_HEAD + (size_t)from * POSTINGS_ENTRY,
				 (size_t)(to - from) * POSTINGS_ENTRY) ^
			  mix64(ends + from));
}

static uint16_t end_of(const unsigned char *block, unsigned part)
{
	uint16_t end;

	memcpy(&end, block + POSTINGS_ENDS + (size_t)2 * part, 2);
	return end;
}

/* Is the group that a part is of as it was written?  n: bytes of the bucket. */
static bool group_sound(const unsigned char *block, uint64_t n, unsigned group)
{
	const unsigned each = POSTINGS_FINE / POSTINGS_GROUPS;
	uint16_t from = group ? end_of(block, group * each - 1) : 0, to = end_of(block, (group + 1) * each - 1);
	uint32_t check;

	if (from > to || POSTINGS_BLOCK_HEAD + (uint64_t)to * POSTINGS_ENTRY > n)
		return false;
	for (unsigned f = group * each; f + 1 < (group + 1) * each; f++)
		if (end_of(block, f) < from || end_of(block, f) > end_of(block, f + 1))
			return false;
	memcpy(&check, block + (size_t)4 * group, 4);
	return check == postings_check_group(block, group, from, to);
}

/* Tests it once. */
static bool test_group(const struct postings *p, uint64_t b, unsigned group)
{
	uint8_t bit = (uint8_t)(1u << group);

	if (__atomic_load_n(&p->tested_bucket[b], __ATOMIC_RELAXED) & bit)
		return true;
	/* lists lie behind the buckets */
	if (p->bucket[b + 1] > p->tail.tables - lists_bytes(&p->tail) || p->bucket[b] > p->bucket[b + 1] ||
	    p->bucket[b + 1] - p->bucket[b] < POSTINGS_BLOCK_HEAD ||
	    !group_sound(p->bytes + p->bucket[b], p->bucket[b + 1] - p->bucket[b], group))
		return false;
	__atomic_fetch_or(&p->tested_bucket[b], bit, __ATOMIC_RELAXED);
	return true;
}

bool postings_find(const struct postings *p, const struct postings_query *q, size_t n, postings_hits *out)
{
	unsigned bits = p->tail.bits;

	for (size_t i = 0, end; i < n; i = end) {
		uint64_t b = q[i].item >> (64 - bits), rest = postings_rest(q[i].item, bits), has = 0;
		const unsigned char *block, *e;
		unsigned f = postings_fine(q[i].item, bits);
		uint16_t from, to;

		if (i + AHEAD < n)
			expect(p, q[i + AHEAD].item);
		for (end = i + 1; end < n && q[end].item == q[i].item; end++)
			;
		if (!test_group(p, b, f / (POSTINGS_FINE / POSTINGS_GROUPS)))
			return false;
		block = p->bytes + p->bucket[b];
		from = f ? end_of(block, f - 1) : 0;
		to = end_of(block, f);
		e = block + POSTINGS_BLOCK_HEAD + (size_t)from * POSTINGS_ENTRY;
		for (; from < to; from++, e += POSTINGS_ENTRY) {
			uint32_t ref;

			memcpy(&has, e, 6);
			if (has != rest)
				continue;
			memcpy(&ref, e + 6, 4);
			for (size_t k = i; k < end; k++)
				vec_push(out, ((struct postings_found){ q[k].of, ref }));
		}
	}
	return true;
}

uint32_t postings_classes(struct postings *p, uint32_t ref, const struct postings_name **first)
{
	uint32_t slot = ref >> (31 - p->tail.class_bits), k = p->directory[slot], end = p->directory[slot + 1], n = 0;
	bool bad = k > end || end > p->tail.classes;

	end = bad ? k = 0 : end;
	while (k < end && p->names[k].ref < ref)
		k++;
	*first = &p->names[k];
	for (; k + n < end && p->names[k + n].ref == ref; n++)
		bad |= p->names[k + n].class >= p->tail.classes;
	if (!bad)
		return n;
	__atomic_store_n(&p->damaged, true, __ATOMIC_RELAXED);
	return 0;
}

/* Numbers below a limit, as they were written? */
static bool list_sound(const uint32_t *list, uint32_t n, uint32_t limit, uint32_t check)
{
	uint32_t last = limit - 1, bad = last; /* bit 31: too large; without branches: several at once */

	for (uint32_t i = 0; i < n; i++)
		bad |= list[i] | (last - list[i]);
	return (n == 0 || !(bad >> 31)) && check == (uint32_t)hash64(list, (size_t)n * 4);
}

/* A list of rows or of classes, which begins somewhere behind `from`. */
static const uint32_t *test_list(struct postings *p, uint8_t *tested, const uint32_t *from, uint64_t start, uint32_t n,
				 uint32_t limit, uint32_t check)
{
	const uint32_t *list;

	if (__atomic_load_n(tested, __ATOMIC_RELAXED))
		return from + start;
	list = start <= p->tail.postings && n <= p->tail.postings - start ? from + start : NULL;
	if (!list || !list_sound(list, n, limit, check)) {
		__atomic_store_n(&p->damaged, true, __ATOMIC_RELAXED);
		return NULL;
	}
	__atomic_store_n(tested, 1, __ATOMIC_RELAXED);
	return list;
}

const uint32_t *postings_list(struct postings *p, uint32_t class)
{
	const struct postings_class *c = &p->classes[class];

	return test_list(p, &p->tested[class], p->post, c->prefix > c->n ? UINT64_MAX : c->start, c->n, p->tail.rows,
			 c->check);
}

const uint32_t *postings_row_classes(struct postings *p, uint32_t row)
{
	const struct postings_row *r = &p->rows[row];

	return test_list(p, &p->tested_row[row], p->forward, r->start, r->n, p->tail.classes, r->check);
}

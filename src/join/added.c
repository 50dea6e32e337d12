/* join/added.c -- see added.h. */
#include "join/added.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "WNADDS\0\1";

#define FILTER_SPARSE 16u /* bits for each difference, at least */

struct head {
	char magic[8];
	uint64_t index; /* checksum of its tail */
	uint64_t n;	/* differences */
	uint32_t rows, zero;
	uint64_t check; /* of everything behind the head, then of the head before this */
};

static size_t bytes_of(uint64_t rows, uint64_t n) { return rows * sizeof(struct added_row) + n * 8 + (n + 1) / 2 * 8; }

static uint64_t checksum(const struct head *h, const void *p, size_t n)
{
	return mix64(hash64(p, n)) ^ hash64(h, offsetof(struct head, check));
}

static void place(struct added_part *p, const unsigned char *at)
{
	p->rows = (const struct added_row *)(const void *)at;
	p->items = (const uint64_t *)(const void *)(p->rows + p->n_rows);
	p->who = (const uint32_t *)(const void *)(p->items + p->n);
}

/* Numbers that point somewhere point to something, and items ascend. */
static bool sound(const struct added_part *p, uint32_t rows)
{
	bool bad = false;

	for (uint32_t r = 0; r < p->n_rows; r++)
		bad |= p->rows[r].base >= rows && p->rows[r].base != ADDED_NONE;
	for (size_t i = 0; i < p->n; i++)
		bad |= (p->who[i] & ~ADDED_MISSING) >= p->n_rows || (i && p->items[i] < p->items[i - 1]);
	return !bad;
}

static void note_slots(struct added_part *p)
{
	unsigned bits = 8;
	size_t i = 0;

	while (bits < 32 && (size_t)1 << bits < p->n)
		bits++;
	p->shift = 64 - bits;
	p->slot = mem_array((size_t)1 << bits, sizeof *p->slot);
	for (uint64_t s = 0; s < (uint64_t)1 << bits; s++) {
		while (i < p->n && p->items[i] >> p->shift < s)
			i++;
		p->slot[s] = (uint32_t)i;
	}
}

int added_open(struct added *a, const unsigned char *bytes, size_t n, uint64_t index, uint32_t rows, struct err *err)
{
	struct added_part p = { 0 };
	struct head h;

	if (n < sizeof h || memcmp(bytes, magic, 8) != 0)
		return err_set(err, WN_DATA, "not sets that were added to an index, as this winnow keeps them");
	memcpy(&h, bytes, sizeof h);
	if (h.index != index)
		return err_set(err, WN_DATA, "these sets were added to another index");
	if (h.n > n / 8 || h.n > UINT32_MAX || bytes_of(h.rows, h.n) != n - sizeof h)
		return err_set(err, WN_DATA, "the sets that were added to an index have the wrong length");
	p = (struct added_part){ .n_rows = h.rows, .first = a->n, .n = h.n };
	place(&p, bytes + sizeof h);
	if (h.check != checksum(&h, bytes + sizeof h, n - sizeof h) || !sound(&p, rows))
		return err_set(err, WN_DATA, "the sets that were added to an index are damaged: the checksum is wrong");
	note_slots(&p);
	vec_push(&a->parts, p);
	a->n += p.n_rows;
	return WN_OK;
}

static void note_filter(struct added *a)
{
	size_t n = 0;
	unsigned bits = 10;

	for (size_t k = 0; k < a->parts.n; k++)
		n += a->parts.p[k].n;
	while (bits < 32 && (size_t)1 << bits < FILTER_SPARSE * n)
		bits++;
	a->filter_shift = 64 - bits;
	a->filter = mem_zalloc(((size_t)1 << bits) / 8);
	for (size_t k = 0; k < a->parts.n; k++)
		for (size_t i = 0; i < a->parts.p[k].n; i++) {
			uint64_t at = a->parts.p[k].items[i] >> a->filter_shift;

			a->filter[at >> 6] |= (uint64_t)1 << (at & 63);
		}
}

void added_bind(struct added *a, const uint32_t *set_of, uint32_t names, uint32_t sets, uint32_t rows)
{
	note_filter(a);
	a->set_of = mem_array((size_t)a->n + 1, sizeof *a->set_of);
	a->base = mem_array((size_t)a->n + 1, sizeof *a->base);
	a->next_of = mem_array((size_t)a->n + 1, sizeof *a->next_of);
	a->row_of = mem_array((size_t)sets + 1, sizeof *a->row_of);
	a->first_of = mem_array((size_t)rows + 1, sizeof *a->first_of);
	memset(a->row_of, 0xff, ((size_t)sets + 1) * sizeof *a->row_of);
	memset(a->first_of, 0xff, ((size_t)rows + 1) * sizeof *a->first_of);
	for (size_t k = 0; k < a->parts.n; k++)
		for (uint32_t i = 0; i < a->parts.p[k].n_rows; i++) {
			const struct added_row *r = &a->parts.p[k].rows[i];
			uint32_t at = a->parts.p[k].first + i, set = r->name < names ? set_of[r->name] : JOIN_NO_SET;

			a->set_of[at] = set;
			a->base[at] = r->base;
			a->next_of[at] = ADDED_NONE;
			if (set == JOIN_NO_SET)
				continue;
			a->row_of[set] = at;
			if (r->base == ADDED_NONE)
				continue;
			a->next_of[at] = a->first_of[r->base];
			a->first_of[r->base] = at;
		}
}

void added_release(struct added *a)
{
	for (size_t k = 0; k < a->parts.n; k++)
		mem_free(a->parts.p[k].slot);
	vec_release(&a->parts);
	vec_release(&a->fresh);
	vec_release(&a->fresh_items);
	mem_free(a->filter);
	mem_free(a->set_of);
	mem_free(a->base);
	mem_free(a->row_of);
	mem_free(a->first_of);
	mem_free(a->next_of);
	*a = (struct added){ 0 };
}

/* ---- writing ---- */

/* Parts behind which there is not much less: each set is written again as often as the number of sets doubles. */
unsigned added_stay(const struct added *a)
{
	size_t n = a->parts.n, behind = a->fresh_items.n;

	while (n && a->parts.p[n - 1].n / 2 <= behind)
		behind += a->parts.p[--n].n;
	return (unsigned)n;
}

typedef VEC(struct added_item) item_list;

/* Merges more items, which ascend as those that are there. */
static void merge(item_list *into, const struct added_item *more, size_t n)
{
	item_list all = { 0 };
	size_t i = 0, k = 0;

	vec_reserve(&all, into->n + n + 1);
	while (i < into->n || k < n) {
		bool left = k == n || (i < into->n && into->p[i].item <= more[k].item);

		all.p[all.n++] = left ? into->p[i++] : more[k++];
	}
	vec_release(into);
	*into = all;
}

/* Adds the rows of a part whose sets are there, and their differences. */
static void take_part(const struct added *a, const struct added_part *p, struct added_row *rows, uint32_t *n_rows,
		      item_list *items)
{
	uint32_t *now = mem_array((size_t)p->n_rows + 1, sizeof *now);
	item_list some = { 0 };

	for (uint32_t r = 0; r < p->n_rows; r++) {
		now[r] = a->set_of[p->first + r] == JOIN_NO_SET ? ADDED_NONE : *n_rows;
		if (now[r] != ADDED_NONE)
			rows[(*n_rows)++] = p->rows[r];
	}
	vec_reserve(&some, p->n + 1);
	for (size_t i = 0; i < p->n; i++) {
		uint32_t row = now[p->who[i] & ~ADDED_MISSING];

		if (row != ADDED_NONE)
			some.p[some.n++] = (struct added_item){ p->items[i], row | (p->who[i] & ADDED_MISSING) };
	}
	merge(items, some.p, some.n);
	vec_release(&some);
	mem_free(now);
}

static bool put_part(uint64_t index, const struct added_row *rows, uint32_t n_rows, const item_list *items,
		     bool (*put)(void *context, const void *p, size_t n), void *context)
{
	struct head h = { .index = index, .n = items->n, .rows = n_rows };
	size_t n = bytes_of(n_rows, items->n);
	unsigned char *body = mem_zalloc(n + 8);
	uint64_t *item = (uint64_t *)(void *)(body + n_rows * sizeof *rows);
	uint32_t *who = (uint32_t *)(void *)(item + items->n);
	bool ok;

	memcpy(h.magic, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(body, rows, n_rows * sizeof *rows);
	for (size_t i = 0; i < items->n; i++) {
		item[i] = items->p[i].item;
		who[i] = items->p[i].who;
	}
	h.check = checksum(&h, body, n);
	ok = put(context, &h, sizeof h) && put(context, body, n);
	mem_free(body);
	return ok;
}

bool added_write(struct added *a, uint64_t index, const uint32_t *name,
		 bool (*put)(void *context, const void *p, size_t n), void *context)
{
	struct added_row *rows = mem_array((size_t)a->n + a->fresh.n + 1, sizeof *rows);
	item_list items = { 0 };
	uint32_t n = 0;
	bool ok;

	for (; n < a->fresh.n; n++)
		rows[n] = (struct added_row){ name[a->fresh.p[n].name], a->fresh.p[n].base };
	for (size_t i = 0, end; i < a->fresh_items.n; i = end) { /* those of one question ascend */
		for (end = i + 1;
		     end < a->fresh_items.n && a->fresh_items.p[end - 1].item <= a->fresh_items.p[end].item; end++)
			;
		merge(&items, a->fresh_items.p + i, end - i);
	}
	for (size_t k = added_stay(a); k < a->parts.n; k++)
		take_part(a, &a->parts.p[k], rows, &n, &items);
	ok = a->fresh.n && put_part(index, rows, n, &items, put, context);
	vec_release(&items);
	mem_free(rows);
	return ok;
}

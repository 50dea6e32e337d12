/* join/postings_write.c -- see postings.h: the file as the join streams it out. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "join/postings.h"

#define CLASSES_TO_A_SLOT 4u

uint32_t postings_ref(const struct postings_writer *w, uint64_t signature)
{
	return ((uint32_t)(signature >> 16) & ~POSTINGS_OWN) >> w->coarse;
}

size_t postings_bucket_bytes(uint32_t n) { return POSTINGS_BLOCK_HEAD + (size_t)n * POSTINGS_ENTRY; }

bool postings_bucket(const struct postings_group *g, uint32_t n, unsigned bits, unsigned char *out)
{
	uint16_t end[POSTINGS_FINE] = { 0 };
	uint32_t at[POSTINGS_FINE], sum = 0;

	if (n > POSTINGS_BUCKET_MOST)
		return false;
	for (uint32_t i = 0; i < n; i++)
		end[postings_fine(g[i].item, bits)]++;
	for (unsigned f = 0; f < POSTINGS_FINE; f++) {
		at[f] = sum;
		sum += end[f];
		end[f] = (uint16_t)sum;
	}
	memcpy(out + POSTINGS_ENDS, end, sizeof end);
	for (uint32_t i = 0; i < n; i++) {
		unsigned char *e =
		    out + POSTINGS_BLOCK_HEAD + (size_t)at[postings_fine(g[i].item, bits)]++ * POSTINGS_ENTRY;
		uint64_t rest = postings_rest(g[i].item, bits);

		memcpy(e, &rest, 6);
		memcpy(e + 6, &g[i].ref, 4);
	}
	for (unsigned k = 0, each = POSTINGS_FINE / POSTINGS_GROUPS; k < POSTINGS_GROUPS; k++) {
		uint32_t check = postings_check_group(out, k, k ? end[k * each - 1] : 0, end[(k + 1) * each - 1]);

		memcpy(out + 4 * k, &check, 4);
	}
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

/* Lists, those rows in front whose prefix the class is of. */
static void put_lists(struct postings_writer *w, const struct columns_index *c, struct postings_class *classes,
		      const uint32_t *prefix_end)
{
	VEC(uint32_t) list = { 0 };

	for (uint32_t k = 0; k < c->classes; k++) {
		const uint32_t *row = c->post + c->post_start[k];
		uint32_t n = (uint32_t)(c->post_start[k + 1] - c->post_start[k]), prefix = 0, at;

		vec_reserve(&list, list.n + n);
		for (uint32_t i = 0; i < n; i++)
			if (prefix_end[row[i]] > k)
				list.p[list.n + prefix++] = row[i];
		at = prefix;
		for (uint32_t i = 0; i < n && prefix < n; i++)
			if (prefix_end[row[i]] <= k)
				list.p[list.n + at++] = row[i];
		classes[k] = (struct postings_class){ c->post_start[k], n, prefix, c->weight[k],
						      (uint32_t)hash64(list.p + list.n, n * sizeof *list.p) };
		list.n += n;
		if (list.n > 1u << 18 || k + 1 == c->classes) {
			put(w, list.p, list.n * sizeof *list.p);
			list.n = 0;
		}
	}
	vec_release(&list);
}

/* Classes by their refs, and the directory of that. */
static unsigned name_classes(const struct postings_writer *w, const struct columns_index *c,
			     struct postings_name *names, uint32_t **directory)
{
	uint32_t *ref = mem_array((size_t)c->classes + 1, sizeof *ref), *at;
	unsigned bits = 4;

	for (uint32_t k = 0; k < c->classes; k++)
		ref[k] = postings_ref(w, columns_signature(c->post + c->post_start[k],
							   (uint32_t)(c->post_start[k + 1] - c->post_start[k])));
	while (bits < 28 && (uint64_t)CLASSES_TO_A_SLOT << bits < c->classes)
		bits++;
	at = mem_zarray(((size_t)1 << bits) + 2, sizeof *at);
	for (uint32_t k = 0; k < c->classes; k++)
		at[(ref[k] >> (31 - bits)) + 2]++;
	for (size_t s = 1; s <= (size_t)1 << bits; s++)
		at[s + 1] += at[s];
	for (uint32_t k = 0; k < c->classes; k++)
		names[at[(ref[k] >> (31 - bits)) + 1]++] = (struct postings_name){ ref[k], k };
	/* those of one ref side by side */
	for (size_t s = 0; s < (size_t)1 << bits; s++)
		for (uint32_t i = at[s] + 1; i < at[s + 1]; i++)
			for (uint32_t k = i; k > at[s] && names[k - 1].ref > names[k].ref; k--) {
				struct postings_name t = names[k];

				names[k] = names[k - 1];
				names[k - 1] = t;
			}
	mem_free(ref);
	*directory = at;
	return bits;
}

static struct postings_row *list_rows(const struct postings_writer *w, const struct columns_index *c,
				      const uint32_t *set)
{
	struct postings_row *rows = mem_array((size_t)c->rows + 1, sizeof *rows);

	for (uint32_t r = 0; r < c->rows; r++) {
		uint32_t n = (uint32_t)(c->forward_start[r + 1] - c->forward_start[r]);

		rows[r] = (struct postings_row){ c->forward_start[r], n,
						 set[r] == JOIN_NO_SET ? UINT32_MAX : w->name[set[r]], c->privately[r],
						 (uint32_t)hash64(c->forward + c->forward_start[r], (size_t)n * 4) };
	}
	return rows;
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
	struct postings_class *classes = mem_array((size_t)c->classes + 1, sizeof *classes);
	struct postings_name *names = mem_array((size_t)c->classes + 1, sizeof *names);
	struct postings_row *rows = list_rows(w, c, set);
	uint32_t *directory, *prefix_end = prefix_ends(c, size, least);
	unsigned char *tables;
	size_t at = 0;

	memcpy(t.magic, postings_magic, 8);
	put_padding(w);
	vec_push(&w->bucket, w->at);
	put_lists(w, c, classes, prefix_end);
	put(w, c->forward, (size_t)c->postings * 4);
	put_padding(w);
	t.tables = w->at;
	t.class_bits = name_classes(w, c, names, &directory);
	tables = mem_zalloc(postings_tables_bytes(&t) + 8);
	struct {
		const void *p;
		size_t n;
	} const parts[] = { { w->bucket.p, w->bucket.n * sizeof *w->bucket.p },
			    { classes, c->classes * sizeof *classes },
			    { rows, c->rows * sizeof *rows },
			    { names, c->classes * sizeof *names },
			    { directory, (((size_t)1 << t.class_bits) + 1) * sizeof *directory } };

	for (size_t i = 0; i < COUNT(parts); at += parts[i++].n)
		if (parts[i].n)
			memcpy(tables + at, parts[i].p, parts[i].n);
	t.check_tables = postings_check_tables(&t, tables);
	put(w, tables, postings_tables_bytes(&t));
	t.length = w->at + sizeof t;
	t.check = hash64(&t, sizeof t - sizeof t.check);
	put(w, &t, sizeof t);
	w->done = !w->given_up;
	mem_free(tables);
	mem_free(classes);
	mem_free(names);
	mem_free(rows);
	mem_free(directory);
	mem_free(prefix_end);
}

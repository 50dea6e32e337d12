/* rule/columns.c -- columns of attributes; see columns.h.
 *
 * While filling, a text cell holds its number in the intern table plus one;
 * columns_finish() sorts the distinct texts by bytes and rewrites every cell
 * to its rank plus one, so that ids compare as the texts do.
 */
#include "rule/columns.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

void columns_init(struct columns *c, size_t n) { *c = (struct columns){ .n = n }; }

struct column *columns_add(struct columns *c, unsigned attr, enum value_type type)
{
	struct column *col = mem_zalloc(sizeof *col);

	col->type = type;
	if (type == TYPE_TEXT) {
		col->id = mem_zarray(c->n ? c->n : 1, sizeof *col->id);
	} else {
		col->num = mem_array(c->n ? c->n : 1, sizeof *col->num);
		for (size_t i = 0, n = c->n; i < n; i++)
			col->num[i] = NAN;
	}
	c->col[attr] = col;
	return col;
}

void columns_text(struct columns *c, struct column *col, size_t doc, struct str s)
{
	col->id[doc] = s.p ? intern_id(&c->intern, s) + 1 : 0;
}

void columns_number(struct column *col, size_t doc, double v) { col->num[doc] = isfinite(v) ? v : NAN; }

struct ranked {
	struct str s;
	uint32_t id;
};

static int by_bytes(const void *x, const void *y)
{
	return str_cmp(((const struct ranked *)x)->s, ((const struct ranked *)y)->s);
}

static void count_missing(const struct columns *c, struct column *col)
{
	const uint32_t *id = col->id;
	const double *num = col->num;
	size_t n = 0;

	if (id)
		for (size_t i = 0; i < c->n; i++)
			n += id[i] == 0;
	else
		for (size_t i = 0; i < c->n; i++)
			n += num[i] != num[i];
	col->n_missing = n;
}

void columns_finish(struct columns *c)
{
	size_t n = c->intern.n;
	struct ranked *r = mem_array(n + 1, sizeof *r);
	uint32_t *rank = mem_array(n + 1, sizeof *rank);

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){ c->intern.strs[i], (uint32_t)i };
	sort_array(r, n, sizeof *r, by_bytes);
	c->strs = mem_array(n + 1, sizeof *c->strs);
	c->strs[0] = STR_NONE;
	rank[0] = 0;
	for (size_t i = 0; i < n; i++) {
		c->strs[i + 1] = r[i].s;
		rank[r[i].id + 1] = (uint32_t)i + 1;
	}
	c->n_strs = n + 1;
	for (size_t k = 0; k < ATTR_LIMIT; k++) {
		struct column *col = c->col[k];

		if (!col)
			continue;
		for (size_t i = 0; col->id && i < c->n; i++)
			col->id[i] = rank[col->id[i]];
		count_missing(c, col);
	}
	mem_free(r);
	mem_free(rank);
	c->finished = true;
}

void columns_release(struct columns *c)
{
	for (size_t k = 0; k < ATTR_LIMIT; k++) {
		if (!c->col[k])
			continue;
		mem_free(c->col[k]->num);
		mem_free(c->col[k]->id);
		mem_free(c->col[k]);
	}
	mem_free(c->strs);
	intern_release(&c->intern);
	*c = (struct columns){ 0 };
}

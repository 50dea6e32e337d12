/* cover/classes.c -- see classes.h.
 *
 * A class is known by the rows that have it.  A new row is appended to the classes
 * that lie in it; one that lies in it in part is split, and the new one takes a copy
 * of the rows.  For the solver the best few documents of each class and quota stand
 * for it: as many as the quota asks for, one without a quota.  The others stay
 * documents of the problem, in no row and no quota; folded ones, which are in no row
 * anyway, are a class like any other.
 */
#include "cover/classes.h"

#include <string.h>

#include "base/mem.h"

static uint32_t group_of(const struct cover_problem *p, uint32_t d) { return p->group ? p->group[d] : COVER_NO_GROUP; }

static bool folded(const struct cover_problem *p, uint32_t d) { return p->fold && p->fold[d] != d; }

static int by_quota_and_worth(const void *px, const void *py, void *context)
{
	const struct cover_problem *p = context;
	uint32_t x = *(const uint32_t *)px, y = *(const uint32_t *)py, g = group_of(p, x), h = group_of(p, y);

	if (g != h)
		return g < h ? -1 : 1;
	if (p->previous && !p->previous[x] != !p->previous[y])
		return p->previous[x] ? -1 : 1;
	if (p->prefer && p->prefer[x] != p->prefer[y])
		return p->prefer[x] > p->prefer[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

void classes_open(struct classes *c, const struct cover_problem *p)
{
	*c = (struct classes){ .p = p,
			       .order = mem_array((size_t)p->n + 1, sizeof *c->order),
			       .of = mem_zarray((size_t)p->n + 1, sizeof *c->of) };
	for (uint32_t d = 0; d < p->n; d++)
		c->order[d] = d;
	qsort_r(c->order, p->n, sizeof *c->order, by_quota_and_worth, (void *)(uintptr_t)p);
	vec_push(&c->size, p->n);
	vec_push(&c->rows, (class_rows){ 0 });
}

void classes_close(struct classes *c)
{
	for (size_t i = 0; i < c->rows.n; i++)
		vec_release(&c->rows.p[i]);
	vec_release(&c->rows);
	vec_release(&c->size);
	vec_release(&c->owner);
	mem_free(c->of);
	mem_free(c->order);
	*c = (struct classes){ 0 };
}

/* A class without documents, in the rows of another. */
static uint32_t class_like(struct classes *c, uint32_t other)
{
	class_rows rows = { 0 };
	size_t n = c->rows.p[other].n;

	vec_reserve(&rows, n + 1);
	if (n)
		memcpy(rows.p, c->rows.p[other].p, n * sizeof *rows.p);
	rows.n = n;
	c->entries += n;
	vec_push(&c->rows, rows);
	vec_push(&c->size, 0);
	return (uint32_t)c->rows.n - 1;
}

void classes_add(struct classes *c, uint32_t a, const uint32_t *by, size_t count)
{
	uint32_t row = (uint32_t)c->owner.n, before = (uint32_t)c->size.n;
	uint32_t *inside = mem_zarray(before, sizeof *inside), *becomes = mem_array(before, sizeof *becomes);

	vec_push(&c->owner, a);
	inside[c->of[a]]++;
	for (size_t i = 0; i < count; i++)
		inside[c->of[by[i]]]++;
	for (uint32_t k = 0; k < before; k++) {
		if (!inside[k])
			continue;
		becomes[k] = inside[k] == c->size.p[k] ? k : class_like(c, k);
		vec_push(&c->rows.p[becomes[k]], row);
		c->entries++;
	}
	for (size_t i = 0; i <= count; i++) {
		uint32_t d = i < count ? by[i] : a;

		c->size.p[c->of[d]]--;
		c->of[d] = becomes[c->of[d]];
		c->size.p[c->of[d]]++;
	}
	mem_free(inside);
	mem_free(becomes);
}

uint32_t classes_best(const struct classes *c, const uint8_t *kept)
{
	uint8_t *has = mem_zalloc(c->owner.n + 1);
	uint32_t *count = mem_zarray(c->size.n, sizeof *count), best = UINT32_MAX;

	for (uint32_t d = 0; d < c->p->n; d++)
		for (size_t i = 0; kept[d] && i < c->rows.p[c->of[d]].n; i++)
			has[c->rows.p[c->of[d]].p[i]] = 1;
	for (size_t k = 0; k < c->size.n; k++)
		for (size_t i = 0; i < c->rows.p[k].n; i++)
			count[k] += !has[c->rows.p[k].p[i]];
	for (uint32_t d = 0; d < c->p->n; d++)
		if (count[c->of[d]] && (best == UINT32_MAX || count[c->of[d]] > count[c->of[best]]))
			best = d;
	mem_free(has);
	mem_free(count);
	return best;
}

/* Those that are kept whatever the rows say: pins, and documents without coverers. */
static bool is_sure(const struct cover_problem *p, uint32_t d, bool has_row)
{
	return (p->pinned && p->pinned[d]) ||
	       (!has_row && !folded(p, d) && p->start[d] == p->start[d + 1] && !p->covered[d]);
}

/* Marks the documents that stand for their classes, and those that are kept anyway. */
static void choose(const struct classes *c, const uint32_t *row_of, uint8_t *stands)
{
	const struct cover_problem *p = c->p;
	uint32_t *taken = mem_zarray(c->size.n, sizeof *taken), *quota = mem_zarray(c->size.n, sizeof *quota);

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t d = c->order[i], k = c->of[d], g = group_of(p, d), most = 1;

		if (quota[k] != g + 1) { /* COVER_NO_GROUP + 1 is 0, and no quota comes after it */
			quota[k] = g + 1;
			taken[k] = 0;
		}
		if (g != COVER_NO_GROUP && p->demand[g] > most)
			most = p->demand[g];
		if (is_sure(p, d, row_of[d] != 0))
			stands[d] = 1;
		else
			stands[d] = taken[k]++ < most;
	}
	mem_free(taken);
	mem_free(quota);
}

/* Where each row that was added begins, by document: room is made between the rows that the problem has. */
static void lay_rows(const struct classes *c, const uint8_t *stands, const uint32_t *row_of, uint64_t *start)
{
	const struct cover_problem *p = c->p;
	uint64_t *length = mem_zarray(c->owner.n + 1, sizeof *length), at = 0;

	for (uint32_t d = 0; d < p->n; d++)
		for (size_t i = 0; stands[d] && i < c->rows.p[c->of[d]].n; i++) {
			uint32_t row = c->rows.p[c->of[d]].p[i];

			length[row] += c->owner.p[row] != d;
		}
	for (uint32_t d = 0; d < p->n; d++) {
		start[d] = at;
		at += row_of[d] ? length[row_of[d] - 1] : p->start[d + 1] - p->start[d];
	}
	start[p->n] = at;
	mem_free(length);
}

static void fill_rows(const struct classes *c, const uint8_t *stands, const uint32_t *row_of, struct narrow *out)
{
	const struct cover_problem *p = c->p;
	uint64_t *place = mem_array(c->owner.n + 1, sizeof *place);

	for (size_t i = 0; i < c->owner.n; i++)
		place[i] = out->start[c->owner.p[i]];
	for (uint32_t d = 0; d < p->n; d++) {
		const class_rows *rows = &c->rows.p[c->of[d]];

		for (size_t i = 0; stands[d] && i < rows->n; i++)
			if (c->owner.p[rows->p[i]] != d)
				out->by[place[rows->p[i]]++] = d;
		if (!row_of[d] && p->start[d + 1] > p->start[d])
			memcpy(out->by + out->start[d], p->by + p->start[d],
			       (p->start[d + 1] - p->start[d]) * sizeof *out->by);
	}
	mem_free(place);
}

void classes_problem(const struct classes *c, struct narrow *out)
{
	const struct cover_problem *p = c->p;
	uint32_t *row_of = mem_zarray((size_t)p->n + 1, sizeof *row_of); /* and one */
	uint8_t *stands = mem_alloc((size_t)p->n + 1);

	*out = (struct narrow){ .problem = *p,
				.start = mem_array((size_t)p->n + 1, sizeof *out->start),
				.covered = mem_alloc((size_t)p->n + 1),
				.group = p->group ? mem_array((size_t)p->n + 1, sizeof *out->group) : NULL };
	for (size_t i = 0; i < c->owner.n; i++)
		row_of[c->owner.p[i]] = (uint32_t)i + 1;
	choose(c, row_of, stands);
	lay_rows(c, stands, row_of, out->start);
	out->by = mem_array(out->start[p->n] + 1, sizeof *out->by);
	fill_rows(c, stands, row_of, out);
	for (uint32_t d = 0; d < p->n; d++) {
		out->covered[d] = p->covered[d] || folded(p, d);
		if (out->group)
			out->group[d] = stands[d] ? p->group[d] : COVER_NO_GROUP;
	}
	out->problem.start = out->start;
	out->problem.by = out->by;
	out->problem.covered = out->covered;
	out->problem.group = out->group;
	out->problem.fold = NULL;
	mem_free(row_of);
	mem_free(stands);
}

void narrow_release(struct narrow *out)
{
	mem_free(out->start);
	mem_free(out->by);
	mem_free(out->group);
	mem_free(out->covered);
	*out = (struct narrow){ 0 };
}

/* cover/open.c -- from a problem to the instance that is left; linear passes. */
#include "cover/open.h"

#include "base/mem.h"

static bool folded(const struct cover_problem *p, uint32_t d) { return p->fold && p->fold[d] != d; }
static bool pinned(const struct cover_problem *p, uint32_t d) { return p->pinned && p->pinned[d]; }
static uint32_t group_of(const struct cover_problem *p, uint32_t d) { return p->group ? p->group[d] : COVER_NO_GROUP; }

static int check_fold(const struct cover_problem *p, uint32_t x, struct err *err)
{
	uint32_t y = p->fold[x];
	int px = p->previous ? p->previous[x] != 0 : 0, py = p->previous ? p->previous[y] != 0 : 0;

	if (y >= p->n || p->fold[y] != y)
		return err_set(err, WN_USAGE, "document %u is folded into %u, which is no representative", x, y);
	if (p->start[x] != p->start[x + 1] || pinned(p, x) || group_of(p, x) != group_of(p, y))
		return err_set(err, WN_USAGE,
			       "document %u may not be folded into %u: a pin, a quota or coverers tell them apart", x,
			       y);
	if (px > py || (px == py && p->prefer && p->prefer[x] > p->prefer[y]))
		return err_set(err, WN_USAGE, "document %u may not be folded into %u: it is preferred", x, y);
	return WN_OK;
}

int open_check(const struct cover_problem *p, struct err *err)
{
	for (uint32_t a = 0; a < p->n; a++) {
		int rc;

		if (p->start[a + 1] < p->start[a])
			return err_set(err, WN_USAGE, "coverers of document %u end before they begin", a);
		for (uint64_t i = p->start[a]; i < p->start[a + 1]; i++)
			if (p->by[i] >= p->n || p->by[i] == a || (i > p->start[a] && p->by[i] <= p->by[i - 1]) ||
			    folded(p, p->by[i]))
				return err_set(
				    err, WN_USAGE,
				    "coverers of document %u are not ascending numbers of other unfolded documents", a);
		if (p->group && p->group[a] != COVER_NO_GROUP && p->group[a] >= p->groups)
			return err_set(err, WN_USAGE, "document %u is of a group that does not exist", a);
		if (folded(p, a) && (rc = check_fold(p, a, err)) < 0)
			return rc;
	}
	return WN_OK;
}

static void keep_certain(const struct cover_problem *p, struct open *o)
{
	for (uint32_t d = 0; d < p->n; d++)
		if (pinned(p, d) ||
		    (!folded(p, d) && p->start[d] == p->start[d + 1] && !(p->covered && p->covered[d]))) {
			o->sure[d] = 1;
			o->sure_count++;
		}
}

static bool is_open(const struct cover_problem *p, const struct open *o, uint32_t d)
{
	if (o->sure[d] || folded(p, d) || (p->covered && p->covered[d]))
		return false;
	for (uint64_t i = p->start[d]; i < p->start[d + 1]; i++)
		if (o->sure[p->by[i]])
			return false;
	return true;
}

/* Members of groups whose quota is open, as lists; still[g] is what is wanted yet. */
static uint64_t open_quotas(struct arena *a, const struct cover_problem *p, struct open *o, uint32_t **still)
{
	uint32_t *size = arena_zalloc(a, sizeof(*size) * ((size_t)p->groups + 1)), *left;
	uint64_t members = 0;

	*still = left = arena_zalloc(a, sizeof(*left) * ((size_t)p->groups + 1));
	o->wants = arena_zalloc(a, sizeof(*o->wants) * ((size_t)p->groups + 1));
	if (!p->group)
		return 0;
	for (uint32_t d = 0; d < p->n; d++)
		if (p->group[d] != COVER_NO_GROUP)
			size[p->group[d]]++;
	for (uint32_t g = 0; g < p->groups; g++)
		left[g] = o->wants[g] = p->demand[g] < size[g] ? p->demand[g] : size[g];
	for (uint32_t d = 0; d < p->n; d++) {
		uint32_t g = p->group[d];

		if (g == COVER_NO_GROUP)
			continue;
		o->wants[g] -= pinned(p, d) && o->wants[g];
		left[g] -= o->sure[d] && left[g];
	}
	for (uint32_t d = 0; d < p->n; d++)
		members += p->group[d] != COVER_NO_GROUP && left[p->group[d]] && !o->sure[d];
	return members;
}

static void add_quota_rows(struct arena *a, const struct cover_problem *p, struct open *o, const uint32_t *still,
			   const uint32_t *col, uint64_t *at)
{
	struct instance *in = &o->in;
	uint64_t *place = ARENA_ARRAY(a, uint64_t, (size_t)p->groups + 1);
	uint32_t *count = arena_zalloc(a, sizeof(*count) * ((size_t)p->groups + 1));

	for (uint32_t d = 0; d < p->n; d++)
		if (p->group[d] != COVER_NO_GROUP && still[p->group[d]] && !o->sure[d])
			count[p->group[d]]++;
	for (uint32_t g = 0; g < p->groups; g++)
		if (still[g]) {
			in->row_at[in->rows] = place[g] = *at;
			in->demand[in->rows] = still[g];
			in->row_id[in->rows++] = p->n + g;
			*at += count[g];
		}
	for (uint32_t d = 0; d < p->n; d++)
		if (p->group[d] != COVER_NO_GROUP && still[p->group[d]] && !o->sure[d])
			in->row_col[place[p->group[d]]++] = col[d];
}

void open_build(struct arena *a, const struct cover_problem *p, struct open *o)
{
	struct instance *in = &o->in;
	uint32_t *row, rows = 0, *still, *col, quota_rows = 0;
	uint64_t edges = 0, members, at = 0;

	*o = (struct open){ .sure = arena_zalloc(a, (size_t)p->n + 1) };
	keep_certain(p, o);
	row = ARENA_ARRAY(a, uint32_t, (size_t)p->n + 1);
	col = arena_zalloc(a, sizeof(*col) * ((size_t)p->n + 1));
	for (uint32_t d = 0; d < p->n; d++)
		if (is_open(p, o, d)) {
			row[rows++] = d;
			edges += p->start[d + 1] - p->start[d] + 1;
			col[d] = 1;
			for (uint64_t i = p->start[d]; i < p->start[d + 1]; i++)
				col[p->by[i]] = 1;
		}
	members = open_quotas(a, p, o, &still);
	for (uint32_t g = 0; p->group && g < p->groups; g++)
		quota_rows += still[g] != 0;
	for (uint32_t d = 0; quota_rows && d < p->n; d++)
		if (p->group[d] != COVER_NO_GROUP && still[p->group[d]] && !o->sure[d])
			col[d] = 1;
	in->col_id = ARENA_ARRAY(a, uint32_t, (size_t)p->n + 1);
	for (uint32_t d = 0; d < p->n; d++)
		if (col[d]) {
			col[d] = in->cols;
			in->col_id[in->cols++] = d;
		}
	in->row_at = ARENA_ARRAY(a, uint64_t, (size_t)rows + quota_rows + 1);
	in->row_id = ARENA_ARRAY(a, uint32_t, (size_t)rows + quota_rows + 1);
	in->demand = ARENA_ARRAY(a, uint32_t, (size_t)rows + quota_rows + 1);
	in->row_col = ARENA_ARRAY(a, uint32_t, edges + members + 1);
	in->w = ARENA_ARRAY(a, weight, (size_t)in->cols + 1);
	for (uint32_t c = 0; c < in->cols; c++)
		in->w[c] = 1;
	for (; in->rows < rows; in->rows++) {
		uint32_t d = row[in->rows];
		uint64_t i = p->start[d];

		in->row_at[in->rows] = at;
		in->row_id[in->rows] = d;
		in->demand[in->rows] = 1;
		for (; i < p->start[d + 1] && p->by[i] < d; i++)
			in->row_col[at++] = col[p->by[i]];
		in->row_col[at++] = col[d];
		for (; i < p->start[d + 1]; i++)
			in->row_col[at++] = col[p->by[i]];
	}
	if (quota_rows)
		add_quota_rows(a, p, o, still, col, &at);
	in->row_at[in->rows] = at;
	instance_transpose(a, in);
}

/* rule/bind.c -- a rule compiled against columns; see bind.h and eval.h. */
#include "rule/bind.h"

#include <math.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/vec.h"

bool one_sided(const struct node *n) { return n->sides == SIDE_A || n->sides == SIDE_B; }

static struct derived *derived_find(struct bound *b, const struct node *n)
{
	for (size_t i = 0; i < b->derived.n; i++) {
		struct derived *d = &b->derived.p[i];

		if (!d->with && d->node->sides && node_same(d->node, n, d->node->sides != n->sides))
			return d;
	}
	return NULL;
}

static struct walk walk_of(const struct bound *b, uint32_t doc, struct arena *scratch)
{
	return (struct walk){ .rule = b->rule, .c = b->c, .hits = b->hits, .a = doc, .b = doc, .scratch = scratch };
}

/* ~ over all documents: each distinct text of a plain attribute is tried once. */
static void truth_match(struct bound *b, const struct node *n, uint8_t *out)
{
	const struct node *x = n->kids[0];
	const struct column *col = x->op == NODE_FIELD && n->query < 0 ? b->c->col[x->attr] : NULL;
	uint8_t *known = col ? mem_zalloc(b->c->n_strs) : NULL; /* 1 no, 2 yes */
	struct regex_run *run = n->query < 0 ? regex_run_new(n->regex) : NULL;
	struct arena scratch = { 0 };

	for (uint32_t i = 0; i < b->c->n; i++) {
		bool hit;

		if (n->query >= 0) {
			hit = b->hits && b->hits[n->query].hit[i];
		} else if (col) {
			uint32_t id = col->id[i];

			if (!known[id])
				known[id] = id && regex_match(run, b->c->strs[id]) ? 2 : 1;
			hit = known[id] == 2;
		} else {
			struct walk w = walk_of(b, i, &scratch);
			struct str s = walk_text(&w, x);

			hit = s.p && regex_match(run, s);
			arena_reset(&scratch);
		}
		out[i] = hit != n->negated;
	}
	arena_release(&scratch);
	regex_run_free(run);
	mem_free(known);
}

static void truth_join(struct bound *b, const struct node *n, uint8_t *out)
{
	bool all = n->op == NODE_AND;

	memset(out, all, b->c->n);
	for (size_t k = 0; k < n->n; k++) {
		const struct node *kid = n->kids[k];
		const uint8_t *t = kid->sides ? bound_truth(b, kid) : NULL;
		struct walk w = walk_of(b, 0, NULL);
		uint8_t constant = t ? 0 : walk_truth(&w, kid);

		for (size_t i = 0; i < b->c->n; i++)
			out[i] = all ? out[i] & (t ? t[i] : constant) : out[i] | (t ? t[i] : constant);
	}
}

static void truth_plain(struct bound *b, const struct node *n, uint8_t *out)
{
	struct arena scratch = { 0 };

	for (uint32_t i = 0; i < b->c->n; i++) {
		struct walk w = walk_of(b, i, &scratch);

		out[i] = walk_truth(&w, n);
		if (scratch.used)
			arena_reset(&scratch);
	}
	arena_release(&scratch);
}

const uint8_t *bound_truth(struct bound *b, const struct node *n)
{
	struct derived *d = derived_find(b, n);
	uint8_t *out;

	if (d)
		return d->truth;
	out = mem_zalloc(b->c->n + 1);
	if (n->op == NODE_MATCH) {
		truth_match(b, n, out);
	} else if (n->op == NODE_AND || n->op == NODE_OR) {
		truth_join(b, n, out);
	} else if (n->op == NODE_NOT) {
		const uint8_t *t = bound_truth(b, n->kids[0]);

		for (size_t i = 0; i < b->c->n; i++)
			out[i] = !t[i];
	} else {
		truth_plain(b, n, out);
	}
	vec_push(&b->derived, ((struct derived){ .node = n, .truth = out }));
	return out;
}

const double *bound_numbers(struct bound *b, const struct node *n)
{
	struct derived *d;
	struct arena scratch = { 0 };
	double *out;

	if (n->op == NODE_FIELD && n->attr != ATTR_YEAR)
		return b->c->col[n->attr]->num;
	if ((d = derived_find(b, n)))
		return d->num;
	out = mem_array(b->c->n + 1, sizeof *out);
	for (uint32_t i = 0; i < b->c->n; i++) {
		struct walk w = walk_of(b, i, &scratch);

		out[i] = walk_number(&w, n);
		if (scratch.used)
			arena_reset(&scratch);
	}
	arena_release(&scratch);
	vec_push(&b->derived, ((struct derived){ .node = n, .num = out }));
	return out;
}

static int by_bytes(const void *x, const void *y)
{
	return str_cmp(**(struct str *const *)x, **(struct str *const *)y);
}

/* Replaces ids (+1, 0 missing) by ranks (+1); returns the texts by rank. */
static struct str *rank_ids(struct bound *b, const struct intern *t, uint32_t **cols, size_t n_cols)
{
	struct str **order = mem_array(t->n + 1, sizeof(struct str *));
	struct str *strs = ARENA_ARRAY(&b->arena, struct str, t->n + 1);
	uint32_t *rank = mem_zarray(t->n + 1, sizeof *rank);

	for (size_t i = 0; i < t->n; i++)
		order[i] = &t->strs[i];
	sort_array(order, t->n, sizeof(struct str *), by_bytes);
	strs[0] = STR_NONE;
	for (size_t i = 0; i < t->n; i++) {
		strs[i + 1] = arena_str(&b->arena, *order[i]);
		rank[order[i] - t->strs + 1] = (uint32_t)i + 1;
	}
	for (size_t k = 0; k < n_cols; k++)
		for (size_t i = 0; i < b->c->n; i++)
			cols[k][i] = rank[cols[k][i]];
	mem_free(order);
	mem_free(rank);
	return strs;
}

static uint32_t *text_ids(struct bound *b, const struct node *n, struct intern *t)
{
	uint32_t *ids = mem_zarray(b->c->n + 1, sizeof *ids);
	struct arena scratch = { 0 };

	for (uint32_t i = 0; i < b->c->n; i++) {
		struct walk w = walk_of(b, i, &scratch);
		struct str s = walk_text(&w, n);

		ids[i] = s.p ? intern_id(t, s) + 1 : 0;
		arena_reset(&scratch);
	}
	arena_release(&scratch);
	return ids;
}

/* One text column with its table: a plain attribute, or computed. */
static const uint32_t *bound_texts(struct bound *b, const struct node *n, const struct str **strs)
{
	struct derived *d;
	struct intern t = { 0 };
	uint32_t *ids;
	struct str *table;

	if (n->op == NODE_FIELD) {
		*strs = b->c->strs;
		return b->c->col[n->attr]->id;
	}
	if (!(d = derived_find(b, n))) {
		ids = text_ids(b, n, &t);
		table = rank_ids(b, &t, &ids, 1);
		intern_release(&t);
		vec_push(&b->derived, ((struct derived){ .node = n, .rank = ids, .strs = table }));
		d = &vec_last(&b->derived);
	}
	*strs = d->strs;
	return d->rank;
}

void bound_ranks(struct bound *b, const struct node *x, const struct node *y, const uint32_t **rx, const uint32_t **ry)
{
	const struct str *strs;
	struct intern t = { 0 };
	uint32_t *ids[2];

	if ((x->op == NODE_FIELD && y->op == NODE_FIELD) || node_same(x, y, x->sides != y->sides)) {
		*rx = bound_texts(b, x, &strs);
		*ry = bound_texts(b, y, &strs);
		return;
	}
	for (size_t i = 0; i + 1 < b->derived.n; i++)
		if (b->derived.p[i].node == x && b->derived.p[i].with == y) {
			*rx = b->derived.p[i].rank;
			*ry = b->derived.p[i + 1].rank;
			return;
		}
	ids[0] = text_ids(b, x, &t);
	ids[1] = text_ids(b, y, &t);
	rank_ids(b, &t, ids, 2);
	intern_release(&t);
	vec_push(&b->derived, ((struct derived){ .node = x, .rank = ids[0], .with = y }));
	vec_push(&b->derived, ((struct derived){ .node = y, .rank = ids[1], .with = x }));
	*rx = ids[0];
	*ry = ids[1];
}

static struct code *code_new(struct bound *b, enum code_op op)
{
	struct code *c = ARENA_NEW(&b->arena, struct code);

	c->op = op;
	return c;
}

static struct code *compile_kids(struct bound *b, struct code *c, const struct node *n)
{
	c->kids = ARENA_ARRAY(&b->arena, struct code *, n->n);
	c->n = n->n;
	for (size_t i = 0; i < n->n; i++)
		c->kids[i] = bound_compile(b, n->kids[i]);
	return c;
}

static struct code *compile_text_test(struct bound *b, const struct node *n)
{
	const struct node *x = n->kids[0], *y = n->kids[1];
	struct code *c = code_new(b, CODE_TEXTS);
	struct code *second = code_new(b, CODE_CONST);

	/* the two texts read different documents here */
	c->func = n->func;
	c->swapped = x->sides == SIDE_B;
	c->rx = bound_texts(b, x, &c->strs);
	second->rx = bound_texts(b, y, &second->strs);
	c->kids = ARENA_ARRAY(&b->arena, struct code *, 1);
	c->kids[0] = second;
	c->n = 1;
	return c;
}

static struct code *compile_cmp(struct bound *b, const struct node *n)
{
	const struct node *x = n->kids[0], *y = n->kids[1];
	struct code *c;

	if (n->threshold && n->constant) {
		const struct node *m = n->kids[n->measure_at];

		c = code_new(b, CODE_THRESHOLD);
		c->measure = m->measure;
		c->kind = m->kind;
		c->cmp = n->measure_at ? cmp_flip(n->cmp) : n->cmp;
		c->p = n->p;
		c->q = n->q;
		return c;
	}
	if (one_sided(x) && one_sided(y) && x->type != TYPE_BOOL) {
		c = code_new(b, x->type == TYPE_TEXT ? CODE_RANKS : CODE_NUMS);
		c->cmp = n->cmp;
		c->swapped = x->sides == SIDE_B;
		if (x->type == TYPE_TEXT) {
			bound_ranks(b, x, y, &c->rx, &c->ry);
		} else {
			c->nx = bound_numbers(b, x);
			c->ny = bound_numbers(b, y);
		}
		return c;
	}
	c = code_new(b, CODE_CMP);
	c->cmp = n->cmp;
	return compile_kids(b, c, n);
}

static struct code *compile_call(struct bound *b, const struct node *n)
{
	struct code *c;

	switch (n->func) {
	case FUNC_STARTSWITH:
	case FUNC_ENDSWITH:
	case FUNC_CONTAINS: return compile_text_test(b, n);
	case FUNC_ABS: c = code_new(b, CODE_ABS); break;
	case FUNC_ROUND: c = code_new(b, CODE_ROUND); break;
	case FUNC_MIN: c = code_new(b, CODE_MIN); break;
	case FUNC_MAX: c = code_new(b, CODE_MAX); break;
	case FUNC_HAS: c = code_new(b, CODE_HAS); break;
	default: c = code_new(b, CODE_CIVIL); break;
	}
	c->func = n->func;
	return compile_kids(b, c, n);
}

static int price(const struct code *c)
{
	switch (c->op) {
	case CODE_CONST:
	case CODE_TRUE_A:
	case CODE_TRUE_B: return 0;
	case CODE_RANKS:
	case CODE_NUMS: return c->cmp == CMP_EQ ? 1 : 2; /* an equality rarely holds */
	case CODE_THRESHOLD: return 3;
	default: return 4;
	}
}

/* Terms have no effects, so the order of trying them is free. */
static struct code *cheap_first(struct code *c)
{
	for (size_t i = 1; i < c->n; i++)
		for (size_t k = i; k > 0 && price(c->kids[k]) < price(c->kids[k - 1]); k--) {
			struct code *x = c->kids[k];

			c->kids[k] = c->kids[k - 1];
			c->kids[k - 1] = x;
		}
	return c;
}

struct code *bound_compile(struct bound *b, const struct node *n)
{
	struct code *c;

	if (n->sides == 0) {
		struct walk w = walk_of(b, 0, NULL);

		c = code_new(b, CODE_CONST);
		c->num = n->type == TYPE_TEXT ? 0 : walk_number(&w, n);
		return c;
	}
	if (one_sided(n) && n->type == TYPE_BOOL && !(n->op == NODE_FIELD)) {
		c = code_new(b, n->sides == SIDE_A ? CODE_TRUE_A : CODE_TRUE_B);
		c->truth = bound_truth(b, n);
		return c;
	}
	if (one_sided(n)) {
		c = code_new(b, n->sides == SIDE_A ? CODE_NUM_A : CODE_NUM_B);
		c->nx = n->type == TYPE_TEXT ? NULL : bound_numbers(b, n);
		return c;
	}
	switch (n->op) {
	case NODE_MEASURE:
		c = code_new(b, CODE_MEASURE);
		c->measure = n->measure;
		c->kind = n->kind;
		return c;
	case NODE_CMP: return compile_cmp(b, n);
	case NODE_CALL: return compile_call(b, n);
	case NODE_IN: return compile_kids(b, code_new(b, CODE_IN), n);
	case NODE_NOT: return compile_kids(b, code_new(b, CODE_NOT), n);
	case NODE_AND: return cheap_first(compile_kids(b, code_new(b, CODE_AND), n));
	case NODE_OR: return cheap_first(compile_kids(b, code_new(b, CODE_OR), n));
	default: return compile_kids(b, code_new(b, CODE_NEG + (n->op - NODE_NEG)), n);
	}
}

static double code_extreme(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov)
{
	double best = code_number(c->kids[0], a, b, ov);

	for (size_t i = 1; i < c->n; i++) {
		double v = code_number(c->kids[i], a, b, ov);

		if (isnan(v) || isnan(best))
			return NAN;
		if (c->op == CODE_MIN ? v < best : v > best)
			best = v;
	}
	return best;
}

static double code_civil(enum func f, double time)
{
	struct stamp_civil t;

	if (!(fabs(time) < 1e15))
		return NAN;
	t = stamp_civil((int64_t)floor(time));
	return f == FUNC_YEAR ? (double)t.year : f == FUNC_MONTH ? t.month : t.day;
}

static bool code_texts(const struct code *c, uint32_t a, uint32_t b)
{
	struct str s = c->strs[c->rx[c->swapped ? b : a]];
	struct str what = c->kids[0]->strs[c->kids[0]->rx[c->swapped ? a : b]];

	if (!s.p || !what.p)
		return false;
	if (c->func == FUNC_STARTSWITH)
		return str_starts(s, what);
	return c->func == FUNC_ENDSWITH ? str_ends(s, what) : what.n == 0 || str_find(s, what) >= 0;
}

static bool code_in(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov)
{
	double x = code_number(c->kids[0], a, b, ov);

	for (size_t i = 1; i < c->n; i++)
		if (x == code_number(c->kids[i], a, b, ov))
			return true;
	return false;
}

bool code_truth(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov)
{
	switch (c->op) {
	case CODE_TRUE_A: return c->truth[a];
	case CODE_TRUE_B: return c->truth[b];
	case CODE_RANKS:
		return c->swapped ? cmp_rank(c->cmp, c->rx[b], c->ry[a]) : cmp_rank(c->cmp, c->rx[a], c->ry[b]);
	case CODE_NUMS:
		return c->swapped ? cmp_double(c->cmp, c->nx[b], c->ny[a]) : cmp_double(c->cmp, c->nx[a], c->ny[b]);
	case CODE_THRESHOLD: return measure_holds(c->measure, c->cmp, c->p, c->q, ov[c->kind]);
	case CODE_CMP: return cmp_double(c->cmp, code_number(c->kids[0], a, b, ov), code_number(c->kids[1], a, b, ov));
	case CODE_IN: return code_in(c, a, b, ov);
	case CODE_TEXTS: return code_texts(c, a, b);
	case CODE_HAS: return !isnan(code_number(c->kids[0], a, b, ov));
	case CODE_NOT: return !code_truth(c->kids[0], a, b, ov);
	case CODE_AND:
		for (size_t i = 0; i < c->n; i++)
			if (!code_truth(c->kids[i], a, b, ov))
				return false;
		return true;
	case CODE_OR:
		for (size_t i = 0; i < c->n; i++)
			if (code_truth(c->kids[i], a, b, ov))
				return true;
		return false;
	default: return code_number(c, a, b, ov) > 0;
	}
}

double code_number(const struct code *c, uint32_t a, uint32_t b, const struct overlap *ov)
{
	double y;

	switch (c->op) {
	case CODE_CONST: return c->num;
	case CODE_NUM_A: return c->nx[a];
	case CODE_NUM_B: return c->nx[b];
	case CODE_MEASURE: return measure_value(c->measure, ov[c->kind]);
	case CODE_ABS: return fabs(code_number(c->kids[0], a, b, ov));
	case CODE_ROUND: return round(code_number(c->kids[0], a, b, ov));
	case CODE_MIN:
	case CODE_MAX: return code_extreme(c, a, b, ov);
	case CODE_CIVIL: return code_civil(c->func, code_number(c->kids[0], a, b, ov));
	case CODE_NEG: return -code_number(c->kids[0], a, b, ov);
	case CODE_ADD: return finite_or_missing(code_number(c->kids[0], a, b, ov) + code_number(c->kids[1], a, b, ov));
	case CODE_SUB: return finite_or_missing(code_number(c->kids[0], a, b, ov) - code_number(c->kids[1], a, b, ov));
	case CODE_MUL: return finite_or_missing(code_number(c->kids[0], a, b, ov) * code_number(c->kids[1], a, b, ov));
	case CODE_DIV:
		y = code_number(c->kids[1], a, b, ov);
		return y == 0 ? NAN : finite_or_missing(code_number(c->kids[0], a, b, ov) / y);
	default: return code_truth(c, a, b, ov);
	}
}

int rule_bind(struct bound **out, const struct rule *rule, const struct columns *c, const struct text_hits *hits,
	      struct err *err)
{
	struct bound *b;

	for (unsigned i = 0; i < ATTR_LIMIT; i++)
		if (rule->needs[i] && !c->col[i]) {
			struct str name = i < ATTR_USER ? str(attr_name(i)) : rule->env.user[i - ATTR_USER].name;

			return err_set(err, WN_USAGE, "the attribute %.*s is not known for these documents",
				       STR_FMT(name));
		}
	b = mem_zalloc(sizeof *b);
	b->rule = rule;
	b->c = c;
	b->hits = hits;
	b->code = bound_compile(b, rule->root);
	*out = b;
	return WN_OK;
}

void bound_free(struct bound *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->derived.n; i++) {
		mem_free(b->derived.p[i].num);
		mem_free(b->derived.p[i].truth);
		mem_free(b->derived.p[i].rank);
	}
	vec_release(&b->derived);
	arena_release(&b->arena);
	mem_free(b);
}

bool rule_holds(const struct bound *r, uint32_t a, uint32_t b, const struct overlap ov[TEXT_KINDS])
{
	return code_truth(r->code, a, b, ov);
}

bool selection_holds(const struct bound *r, uint32_t doc) { return code_truth(r->code, doc, doc, NULL); }

void selection_run(const struct bound *r, uint8_t *out)
{
	for (size_t i = 0; i < r->c->n; i++)
		out[i] = selection_holds(r, (uint32_t)i);
}

size_t prefer_values(const struct bound *r, int64_t *out)
{
	const double most = 4611686018427387904.0; /* 2^62 */
	size_t beyond = 0;

	for (size_t i = 0; i < r->c->n; i++) {
		double v = round(code_number(r->code, (uint32_t)i, (uint32_t)i, NULL) * 1000);

		beyond += fabs(v) >= most;
		out[i] = isnan(v) ? 0 : v >= most ? INT64_C(1) << 62 : v <= -most ? -(INT64_C(1) << 62) : (int64_t)v;
	}
	return beyond;
}

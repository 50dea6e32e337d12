/* rule/plan_bind.c -- the plan bound to documents: blocks, ranges, needs.
 *
 * Bounds on the overlap are integers in 128 bits; with t = p/q, strict or not:
 *
 *	measure   least o                 sizes of b for a of size A
 *	C(a,b)    t A                     t A <= B
 *	C(b,a)    t B                     B <= A / t
 *	jaccard   p (A+B) / (p+q)         t A <= B <= A / t
 *	dice      p (A+B) / 2q            p A / (2q-p) <= B <= (2q-p) A / p
 *	shared    t                       t <= B
 */
#include <math.h>

#include "base/map.h"
#include "rule/plan_int.h"

typedef unsigned __int128 u128;

/* ---- content bounds ---- */

static uint64_t clip(u128 v) { return v > UINT64_MAX - 1 ? UINT64_MAX - 1 : (uint64_t)v; }

/* Least integer >= top/bottom (> when strict). */
static uint64_t at_least(u128 top, u128 bottom, bool strict)
{
	return clip(strict ? top / bottom + 1 : (top + bottom - 1) / bottom);
}

static uint64_t term_need(const struct content_term *t, uint64_t a, uint64_t b)
{
	bool strict = t->op == CMP_GT;
	u128 p = t->p, q = t->q, both = (u128)a + b;
	uint64_t need;

	if (t->measure != MEASURE_SHARED && (a == 0 || b == 0)) /* the ratio is 1 or 0 whatever they share */
		return measure_holds(t->measure, strict ? CMP_GT : CMP_GE, t->p, t->q, (struct overlap){ 0, a, b })
			   ? 0
			   : NEED_NEVER;
	switch (t->measure) {
	case MEASURE_CONTAINMENT_AB: need = at_least(p * a, q, strict); break;
	case MEASURE_CONTAINMENT_BA: need = at_least(p * b, q, strict); break;
	case MEASURE_JACCARD: need = at_least(p * both, p + q, strict); break;
	case MEASURE_DICE: need = at_least(p * both, 2 * q, strict); break;
	default: need = at_least(p, q, strict);
	}
	return need > (a < b ? a : b) ? NEED_NEVER : need;
}

uint64_t content_need(const struct disjunct *d, enum text_kind kind, uint64_t size_a, uint64_t size_b)
{
	uint64_t need = 0;

	for (size_t i = 0; i < d->n_content; i++) {
		const struct content_term *t = &d->content[i];
		uint64_t n;

		if (t->kind != kind || !t->lower)
			continue;
		n = term_need(t, size_a, size_b);
		if (n > need)
			need = n;
	}
	return need;
}

/* ---- making the plan ---- */

struct builder {
	struct plan *p;
	struct bound *b;
	struct disjunct *d;
	VEC(struct plan_range) ranges;
	VEC(struct content_term) content;
	VEC(struct code *) meta;
	VEC(struct code *) content_code;
	uint32_t *block;
	uint8_t *may[2];
};

static void *owned(struct plan *p, void *memory)
{
	vec_push(&p->memory->owned, memory);
	return memory;
}

/* Refines the blocks by one more key: dense numbers in order of first document. */
static void add_key(struct builder *k, const struct node *x)
{
	size_t n = k->p->n_docs;
	struct map seen = { 0 }, values = { 0 };
	const uint32_t *rank = NULL, *same;
	const double *num = NULL;

	if (x->type == TYPE_TEXT)
		bound_ranks(k->b, x, x, &rank, &same);
	else
		num = bound_numbers(k->b, x);
	if (!k->block)
		k->block = owned(k->p, mem_zarray(n + 1, sizeof *k->block));
	for (size_t i = 0; i < n; i++) {
		uint64_t value, bits;

		if (rank) {
			value = rank[i];
		} else {
			double v = isnan(num[i]) ? (double)NAN : num[i] == 0 ? 0 : num[i];

			memcpy(&bits, &v, sizeof bits);
			if (isnan(v))
				bits = UINT64_C(0x7ff8000000000000);
			value = *map_put(&values, bits, values.n);
		}
		k->block[i] = (uint32_t)*map_put(&seen, (uint64_t)k->block[i] << 32 | value, seen.n);
	}
	k->d->n_keys++;
	k->d->n_blocks = seen.n;
	map_release(&seen);
	map_release(&values);
}

static void add_one_sided(struct builder *k, const struct literal *l)
{
	int side = l->node->sides == SIDE_B;
	const uint8_t *t = bound_truth(k->b, l->node);
	size_t n = k->p->n_docs;
	bool flip = l->negated || (l->node->op == NODE_CMP && l->cmp != l->node->cmp);

	if (!k->may[side]) {
		k->may[side] = owned(k->p, mem_alloc(n + 1));
		memset(k->may[side], 1, n);
	}
	for (size_t i = 0; i < n; i++)
		k->may[side][i] &= t[i] != flip;
}

static struct code *literal_code(struct builder *k, const struct literal *l)
{
	struct code *c = bound_compile(k->b, l->node), *not ;

	if (!l->negated && l->cmp == l->node->cmp)
		return c;
	not = ARENA_NEW(&k->b->arena, struct code);
	not ->op = CODE_NOT;
	not ->kids = ARENA_ARRAY(&k->b->arena, struct code *, 1);
	not ->kids[0] = c;
	not ->n = 1;
	return not ;
}

static void add_range(struct builder *k, const struct linear *r)
{
	struct plan_range range = { bound_numbers(k->b, r->ta),
				    bound_numbers(k->b, r->tb),
				    r->lo,
				    r->hi,
				    r->lo_strict,
				    r->hi_strict,
				    r->exact };

	vec_push(&k->ranges, range);
}

static void add_content(struct builder *k, const struct literal *l)
{
	const struct node *n = l->node, *m = n->kids[n->measure_at];
	enum cmp_op op = n->measure_at ? cmp_flip(l->cmp) : l->cmp;
	bool lower = op == CMP_GE || op == CMP_GT || op == CMP_EQ;

	vec_push(&k->content, ((struct content_term){ m->kind, m->measure, op, n->p, n->q, lower }));
	if (lower && (n->p > 0 || op == CMP_GT))
		k->d->has_lower[m->kind] = true;
}

static unsigned texts_of(const struct node *n)
{
	unsigned texts = n->op == NODE_MEASURE ? 1u << n->kind : 0;

	for (size_t i = 0; i < n->n; i++)
		texts |= texts_of(n->kids[i]);
	return texts;
}

static void add_literal(struct builder *k, const struct literal *l)
{
	struct linear range;

	switch (term_kind(l, &range)) {
	case TERM_ONE_SIDED: add_one_sided(k, l); return;
	case TERM_KEY: add_key(k, l->node->kids[0]); return;
	case TERM_RANGE: add_range(k, &range); break;
	case TERM_DIFFER: k->d->n_differ++; break;
	case TERM_CONTENT:
		add_content(k, l);
		k->d->texts |= texts_of(l->node);
		vec_push(&k->content_code, literal_code(k, l));
		return;
	case TERM_CONTENT_REST:
		k->d->n_rest++;
		k->d->texts |= texts_of(l->node);
		vec_push(&k->content_code, literal_code(k, l));
		return;
	case TERM_REST: k->d->n_rest++; break;
	}
	vec_push(&k->meta, literal_code(k, l));
}

static void make_disjunct(struct plan *p, struct bound *b, struct disjunct *d, const struct conjunction *c)
{
	struct builder k = { .p = p, .b = b, .d = d };
	struct disjunct_code *code = ARENA_NEW(&p->memory->arena, struct disjunct_code);

	for (size_t i = 0; i < c->n; i++)
		add_literal(&k, &c->lit[i]);
	d->block = k.block;
	if (!k.block)
		d->n_blocks = 1;
	d->may_a = k.may[0];
	d->may_b = k.may[1];
	d->ranges = owned(p, k.ranges.p);
	d->n_ranges = k.ranges.n;
	d->content = owned(p, k.content.p);
	d->n_content = k.content.n;
	code->meta = owned(p, k.meta.p);
	code->n_meta = k.meta.n;
	code->content = owned(p, k.content_code.p);
	code->n_content = k.content_code.n;
	d->code = code;
}

int plan_make(struct plan **out, const struct bound *bound, struct err *err)
{
	struct plan *p = mem_zalloc(sizeof *p);
	struct bound *b = (struct bound *)bound; /* its columns may grow in number; what is there stays */
	int rc;

	p->rule = bound->rule;
	p->bound = bound;
	p->n_docs = bound->c->n;
	p->memory = mem_zalloc(sizeof *p->memory);
	if ((rc = dnf_make(&p->memory->arena, p->rule, &p->memory->conj, &p->n, err)) < 0) {
		plan_free(p);
		return rc;
	}
	p->d = arena_zalloc(&p->memory->arena, (p->n + 1) * sizeof *p->d);
	for (size_t i = 0; i < p->n; i++)
		make_disjunct(p, b, &p->d[i], &p->memory->conj[i]);
	fold_features(p, b);
	*out = p;
	return WN_OK;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->memory->owned.n; i++)
		mem_free(p->memory->owned.p[i]);
	vec_release(&p->memory->owned);
	vec_release(&p->memory->features);
	arena_release(&p->memory->arena);
	mem_free(p->memory);
	mem_free(p);
}

/* ---- using it ---- */

bool disjunct_meta(const struct disjunct *d, uint32_t a, uint32_t b)
{
	for (size_t i = 0; i < d->code->n_meta; i++)
		if (!code_truth(d->code->meta[i], a, b, NULL))
			return false;
	return true;
}

bool disjunct_content(const struct disjunct *d, uint32_t a, uint32_t b, const struct overlap ov[TEXT_KINDS])
{
	for (size_t i = 0; i < d->code->n_content; i++)
		if (!code_truth(d->code->content[i], a, b, ov))
			return false;
	return true;
}

double disjunct_pairs(const struct plan *p, const struct disjunct *d)
{
	uint32_t *in[2];
	double pairs = 0;

	in[0] = mem_zarray(d->n_blocks + 1, sizeof **in);
	in[1] = mem_zarray(d->n_blocks + 1, sizeof **in);
	for (size_t i = 0; i < p->n_docs; i++) {
		size_t block = d->block ? d->block[i] : 0;
		bool a = !d->may_a || d->may_a[i], b = !d->may_b || d->may_b[i];

		in[0][block] += a;
		in[1][block] += b;
		pairs -= a && b;
	}
	for (size_t i = 0; i < d->n_blocks; i++)
		pairs += (double)in[0][i] * in[1][i];
	mem_free(in[0]);
	mem_free(in[1]);
	return pairs;
}

double plan_quadratic(const struct plan *p)
{
	double all = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct disjunct *d = &p->d[i];
		double pairs;

		if (d->has_lower[TEXT_BODY] || d->has_lower[TEXT_MAIN])
			continue;
		pairs = disjunct_pairs(p, d);
		if (d->n_keys == 0 || pairs > 1e9)
			all += pairs;
	}
	return all;
}

/* rule/eval.c -- the plain evaluator: a rule straight from the definition.
 *
 * Walks the tree for one pair (or one document).  A number is a double with
 * NaN for missing, a text a str with p == NULL for missing, a condition is
 * true or false.  bind.c uses it to compute what depends on one document;
 * pairs in bulk go through the compiled form.
 */
#include <math.h>
#include <unicode/uchar.h>

#include "archive/stamp.h"
#include "base/utf8.h"
#include "rule/ast.h"

static double civil(enum func f, double time)
{
	struct stamp_civil c;

	if (!(fabs(time) < 1e15)) /* NaN too */
		return NAN;
	c = stamp_civil((int64_t)floor(time));
	return f == FUNC_YEAR ? (double)c.year : f == FUNC_MONTH ? c.month : c.day;
}

static double code_points(struct str s)
{
	double n = 0;

	if (!s.p)
		return NAN;
	for (size_t i = 0; i < s.n; n++) {
		uint32_t cp;

		i += utf8_decode(s.p + i, str_end(s), &cp);
	}
	return n;
}

static double extreme(const struct walk *w, const struct node *n)
{
	double best = walk_number(w, n->kids[0]);

	for (size_t i = 1; i < n->n; i++) {
		double v = walk_number(w, n->kids[i]);

		if (isnan(v) || isnan(best))
			return NAN;
		if (n->func == FUNC_MIN ? v < best : v > best)
			best = v;
	}
	return best;
}

static bool found_in(enum func f, struct str s, struct str what)
{
	if (!s.p || !what.p)
		return false;
	if (f == FUNC_STARTSWITH)
		return str_starts(s, what);
	return f == FUNC_ENDSWITH ? str_ends(s, what) : what.n == 0 || str_find(s, what) >= 0;
}

static double walk_call(const struct walk *w, const struct node *n)
{
	const struct node *x = n->kids[0];

	switch (n->func) {
	case FUNC_YEAR:
	case FUNC_MONTH:
	case FUNC_DAY: return civil(n->func, walk_number(w, x));
	case FUNC_LEN: return code_points(walk_text(w, x));
	case FUNC_ABS: return fabs(walk_number(w, x));
	case FUNC_ROUND: return round(walk_number(w, x));
	case FUNC_MIN:
	case FUNC_MAX: return extreme(w, n);
	case FUNC_HAS: return x->type == TYPE_TEXT ? walk_text(w, x).p != NULL : !isnan(walk_number(w, x));
	case FUNC_STARTSWITH:
	case FUNC_ENDSWITH:
	case FUNC_CONTAINS: return found_in(n->func, walk_text(w, x), walk_text(w, n->kids[1]));
	default: return NAN;
	}
}

static uint32_t doc_of(const struct walk *w, const struct node *n) { return n->side == SIDE_B ? w->b : w->a; }

static double walk_field(const struct walk *w, const struct node *n)
{
	uint32_t doc = doc_of(w, n);

	if (n->attr == ATTR_YEAR)
		return civil(FUNC_YEAR, w->c->col[ATTR_TIME]->num[doc]);
	return w->c->col[n->attr]->num[doc];
}

static double walk_arith(const struct walk *w, const struct node *n)
{
	double x = walk_number(w, n->kids[0]), y;

	if (n->op == NODE_NEG)
		return -x;
	y = walk_number(w, n->kids[1]);
	switch (n->op) {
	case NODE_ADD: return finite_or_missing(x + y);
	case NODE_SUB: return finite_or_missing(x - y);
	case NODE_MUL: return finite_or_missing(x * y);
	default: return y == 0 ? NAN : finite_or_missing(x / y);
	}
}

static bool walk_match(const struct walk *w, const struct node *n)
{
	struct str s;
	bool hit;

	if (n->query >= 0) {
		hit = w->hits && w->hits[n->query].hit[w->a];
	} else {
		s = walk_text(w, n->kids[0]);
		hit = s.p && regex_match_plainly(n->regex, s);
	}
	return hit != n->negated;
}

static bool walk_cmp(const struct walk *w, const struct node *n)
{
	const struct node *x = n->kids[0], *y = n->kids[1];

	if (x->op == NODE_SETTING || y->op == NODE_SETTING)
		return true; /* checked when the rule was read */
	if (n->threshold && n->constant) {
		const struct node *m = n->kids[n->measure_at];

		return measure_holds(m->measure, n->measure_at ? cmp_flip(n->cmp) : n->cmp, n->p, n->q, w->ov[m->kind]);
	}
	if (x->type == TYPE_TEXT) {
		struct str s = walk_text(w, x), t = walk_text(w, y);
		int order;

		if (!s.p || !t.p)
			return n->cmp == CMP_EQ ? !s.p && !t.p : n->cmp == CMP_NE && (s.p || t.p);
		order = str_cmp(s, t);
		return cmp_double(n->cmp, order, 0);
	}
	return cmp_double(n->cmp, walk_number(w, x), walk_number(w, y));
}

static bool walk_in(const struct walk *w, const struct node *n)
{
	const struct node *x = n->kids[0];

	for (size_t i = 1; i < n->n; i++) {
		if (x->type == TYPE_TEXT) {
			struct str s = walk_text(w, x);

			if (s.p && str_eq(s, n->kids[i]->text))
				return true;
		} else if (walk_number(w, x) == walk_number(w, n->kids[i])) {
			return true;
		}
	}
	return false;
}

bool walk_truth(const struct walk *w, const struct node *n)
{
	switch (n->op) {
	case NODE_NOT: return !walk_truth(w, n->kids[0]);
	case NODE_AND:
		for (size_t i = 0; i < n->n; i++)
			if (!walk_truth(w, n->kids[i]))
				return false;
		return true;
	case NODE_OR:
		for (size_t i = 0; i < n->n; i++)
			if (walk_truth(w, n->kids[i]))
				return true;
		return false;
	case NODE_CMP: return walk_cmp(w, n);
	case NODE_MATCH: return walk_match(w, n);
	case NODE_IN: return walk_in(w, n);
	default: return walk_number(w, n) > 0; /* a missing truth value is not true */
	}
}

double walk_number(const struct walk *w, const struct node *n)
{
	switch (n->op) {
	case NODE_CONST:
	case NODE_SETTING: return n->num;
	case NODE_FIELD: return walk_field(w, n);
	case NODE_MEASURE: return measure_value(n->measure, w->ov[n->kind]);
	case NODE_CALL: return walk_call(w, n);
	case NODE_NEG:
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV: return walk_arith(w, n);
	default: return walk_truth(w, n);
	}
}

/* Simple lower case by code point; ill-formed bytes become U+FFFD. */
static struct str text_lower(struct arena *arena, struct str s)
{
	char *out = arena_alloc(arena, 3 * s.n + 4);
	size_t n = 0;

	for (size_t i = 0; i < s.n;) {
		uint32_t cp;

		if ((unsigned char)s.p[i] < 128) {
			out[n++] = ascii_lower(s.p[i++]);
			continue;
		}
		i += utf8_decode(s.p + i, str_end(s), &cp);
		n += utf8_encode((uint32_t)u_tolower((UChar32)cp), out + n);
	}
	return str_n(out, n);
}

struct str walk_text(const struct walk *w, const struct node *n)
{
	struct str s;

	switch (n->op) {
	case NODE_FIELD: return columns_str(w->c, w->c->col[n->attr], doc_of(w, n));
	case NODE_CALL: /* lower() is the one function that makes a text */
		s = walk_text(w, n->kids[0]);
		return s.p ? text_lower(w->scratch, s) : s;
	default: return n->text;
	}
}

bool rule_holds_plainly(const struct rule *rule, const struct columns *c, const struct text_hits *hits, uint32_t a,
			uint32_t b, const struct overlap ov[TEXT_KINDS])
{
	struct arena scratch = { 0 };
	struct walk w = { .rule = rule, .c = c, .hits = hits, .a = a, .b = b, .ov = ov, .scratch = &scratch };
	bool holds = walk_truth(&w, rule->root);

	arena_release(&scratch);
	return holds;
}

/* rule/regex_parse.c -- a regular expression to a program.
 *
 * Recursive descent that emits into fragments; x{m,n} copies x, so the size of
 * the program is bounded by LIMIT_REGEX_INSTS and not by the pattern's length.
 * Classes are sets of code points (ICU's USet), closed under simple case
 * folding with REGEX_ICASE; afterwards all sets are cut into symbols.
 */
#include <assert.h>
#include <stdlib.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "rule/regex_prog.h"

#define REPEAT_MAX 1000
#define POSIX_CLASSES 13
#define LARGE_SET 1000 /* code points; at most LARGE_SETS classes may have more */
#define LARGE_SETS 64

struct re_node {
	enum { RE_EMPTY, RE_SET, RE_CAT, RE_ALT, RE_REPEAT, RE_ASSERT } kind;
	uint32_t set;
	enum inst_op assert;
	struct re_node **kids;
	size_t n;
	uint32_t min, max; /* max = UINT32_MAX: no bound */
};

typedef VEC(struct re_node *) re_vec;

struct written {
	USet *set;
	bool negated;
	uint32_t number;
};

struct re_parser {
	struct arena *arena;
	struct str s;
	size_t at;
	unsigned flags, depth, large;
	VEC(struct written) written;
	VEC(USet *) sets;
	USet *named[POSIX_CLASSES]; /* made when first used */
	VEC(struct inst) insts;
	struct regex *re;
	size_t *column;
	struct err *err;
};

static int fail(struct re_parser *p, size_t at, const char *what)
{
	if (p->column)
		*p->column = at + 1;
	return err_set(p->err, WN_USAGE, "%s", what);
}

static struct re_node *re_new(struct re_parser *p, int kind)
{
	struct re_node *n = ARENA_NEW(p->arena, struct re_node);

	n->kind = kind;
	return n;
}

static bool more(const struct re_parser *p) { return p->at < p->s.n; }

static char peek(const struct re_parser *p) { return p->at < p->s.n ? p->s.p[p->at] : 0; }

static USet *set_pattern(const char *pattern)
{
	UChar u[64];
	UErrorCode code = U_ZERO_ERROR;

	u_uastrcpy(u, pattern);
	return uset_openPattern(u, -1, &code);
}

static const char *const posix[] = { "alpha",  "digit", "alnum", "upper", "lower", "space", "punct",
				     "xdigit", "word",	"cntrl", "print", "graph", "blank" };
static const char *const posix_set[] = { "[[:L:]]",	     "[0-9]",	    "[[:L:][:N:]]",
					 "[[:Lu:]]",	     "[[:Ll:]]",    "[[:White_Space:]]",
					 "[!-/:-@\\[-`{-~]", "[0-9A-Fa-f]", "[[:L:][:M:][:N:]_]",
					 "[[:Cc:]]",	     "[[:^C:]]",    "[[[:^C:]]-[:White_Space:]]",
					 "[\\ \\t]" };
static_assert(COUNT(posix) == POSIX_CLASSES && COUNT(posix_set) == POSIX_CLASSES, "a set for each name");

/* A copy of a named class; ICU takes a millisecond to make one, so each is made once. */
static USet *named_set(struct re_parser *p, size_t i)
{
	if (!p->named[i])
		p->named[i] = set_pattern(posix_set[i]);
	return uset_clone(p->named[i]);
}

static USet *set_class(struct re_parser *p, char c)
{
	USet *s = named_set(p, ascii_lower(c) == 'd' ? 1 : ascii_lower(c) == 'w' ? 8 : 5);

	if (c >= 'A' && c <= 'Z')
		uset_complement(s);
	return s;
}

/* The number of a set, which is taken; sets equal to an earlier one share it. */
static uint32_t set_number(struct re_parser *p, USet *s)
{
	uint32_t i = 0;

	while (i < p->sets.n && !uset_equals(p->sets.p[i], s))
		i++;
	if (i < p->sets.n)
		uset_close(s);
	else
		vec_push(&p->sets, s);
	return i;
}

/* A class as written, which is taken.  Closing a large one under case takes ICU
 * milliseconds, so each spelling is closed once. */
static struct re_node *set_node(struct re_parser *p, USet *s, bool negated)
{
	struct re_node *n = re_new(p, RE_SET);
	struct written *w = NULL;

	for (size_t i = 0; i < p->written.n && !w; i++)
		if (p->written.p[i].negated == negated && uset_equals(p->written.p[i].set, s))
			w = &p->written.p[i];
	if (!w) {
		USet *closed = uset_clone(s);

		if (p->flags & REGEX_ICASE)
			uset_closeOver(closed, USET_CASE_INSENSITIVE);
		uset_removeAllStrings(closed);
		if (negated)
			uset_complement(closed);
		p->large += uset_size(s) > LARGE_SET;
		vec_push(&p->written, ((struct written){ s, negated, set_number(p, closed) }));
		w = &vec_last(&p->written);
	} else {
		uset_close(s);
	}
	n->set = w->number;
	return n;
}

static struct re_node *one_char(struct re_parser *p, uint32_t cp)
{
	return set_node(p, uset_open((UChar32)cp, (UChar32)cp), false);
}

static int hex_escape(struct re_parser *p, size_t start, size_t digits, uint32_t *cp)
{
	bool braces = digits == 2 && peek(p) == '{';
	size_t n = 0;

	*cp = 0;
	if (braces) {
		p->at++;
		digits = 8;
	}
	for (; n < digits && hex_digit(peek(p)) >= 0 && more(p); n++, p->at++)
		*cp = *cp << 4 | (uint32_t)hex_digit(peek(p));
	if (n == 0 || (!braces && n != digits) || *cp > 0x10ffff || (*cp >= 0xd800 && *cp < 0xe000))
		return fail(p, start, "a code point is written \\x41, \\x{1f600} or \\u00e9");
	if (braces && peek(p) != '}')
		return fail(p, start, "this \\x{ is not closed by }");
	p->at += braces;
	return WN_OK;
}

/* After the backslash: a literal code point, or *class = d D w W s S. */
static int escape(struct re_parser *p, uint32_t *cp, char *class)
{
	size_t start = p->at - 1;
	char c = peek(p);

	*class = 0;
	if (!more(p))
		return fail(p, start, "a backslash at the end escapes nothing");
	p->at++;
	switch (c) {
	case 'd':
	case 'D':
	case 'w':
	case 'W':
	case 's':
	case 'S': *class = c; return WN_OK;
	case 't': *cp = '\t'; return WN_OK;
	case 'n': *cp = '\n'; return WN_OK;
	case 'r': *cp = '\r'; return WN_OK;
	case 'f': *cp = '\f'; return WN_OK;
	case 'v': *cp = '\v'; return WN_OK;
	case '0': *cp = 0; return WN_OK;
	case 'x': return hex_escape(p, start, 2, cp);
	case 'u': return hex_escape(p, start, 4, cp);
	default: break;
	}
	if (c >= '1' && c <= '9')
		return fail(p, start, "back-references are not supported: they cannot be matched in linear time");
	if (c == 'k' || c == 'g')
		return fail(p, start, "back-references are not supported: they cannot be matched in linear time");
	if (ascii_alpha(c))
		return fail(p, start,
			    "unknown escape; known are \\d \\w \\s \\b \\t \\n \\r \\xHH \\uHHHH and \\ before a sign");
	p->at--;
	p->at += utf8_decode(p->s.p + p->at, str_end(p->s), cp);
	return WN_OK;
}

static int posix_class(struct re_parser *p, USet *set)
{
	size_t start = p->at;
	struct str rest = str_sub(p->s, p->at + 2, p->s.n);
	ptrdiff_t end = str_find(rest, STR(":]"));

	for (size_t i = 0; end > 0 && i < COUNT(posix); i++)
		if (str_eq(str_sub(rest, 0, (size_t)end), str(posix[i]))) {
			USet *c = named_set(p, i);

			uset_addAll(set, c);
			uset_close(c);
			p->at += 2 + (size_t)end + 2;
			return WN_OK;
		}
	return fail(p, start,
		    "unknown class; known are [:alpha:] [:digit:] [:alnum:] [:upper:] [:lower:] [:space:] [:punct:]");
}

/* One end of a range, or a class added to set. */
static int bracket_item(struct re_parser *p, USet *set, uint32_t *cp, bool *is_class)
{
	char class = 0;
	int rc = WN_OK;

	*is_class = false;
	if (peek(p) == '[' && p->at + 1 < p->s.n && p->s.p[p->at + 1] == ':') {
		*is_class = true;
		return posix_class(p, set);
	}
	if (peek(p) != '\\') {
		p->at += utf8_decode(p->s.p + p->at, str_end(p->s), cp);
		return WN_OK;
	}
	p->at++;
	if (peek(p) == 'b') {
		p->at++;
		*cp = '\b';
		return WN_OK;
	}
	if ((rc = escape(p, cp, &class)) == WN_OK && class) {
		USet *c = set_class(p, class);

		uset_addAll(set, c);
		uset_close(c);
		*is_class = true;
	}
	return rc;
}

static int bracket_items(struct re_parser *p, USet *set, size_t start)
{
	bool first = true, is_class;
	int rc;

	for (;; first = false) {
		uint32_t lo, hi;
		size_t at = p->at;

		if (!more(p))
			return fail(p, start, "this [ is never closed");
		if (peek(p) == ']' && !first) {
			p->at++;
			return WN_OK;
		}
		if ((rc = bracket_item(p, set, &lo, &is_class)) < 0)
			return rc;
		if (is_class)
			continue;
		hi = lo;
		if (peek(p) == '-' && p->at + 1 < p->s.n && p->s.p[p->at + 1] != ']') {
			p->at++;
			if ((rc = bracket_item(p, set, &hi, &is_class)) < 0)
				return rc;
			if (is_class || hi < lo)
				return fail(p, at, "this range runs backwards or ends in a class");
		}
		uset_addRange(set, (UChar32)lo, (UChar32)hi);
	}
}

static int bracket(struct re_parser *p, struct re_node **out)
{
	size_t start = p->at++;
	bool negated = peek(p) == '^';
	USet *set = uset_openEmpty();
	int rc;

	p->at += negated;
	if ((rc = bracket_items(p, set, start)) < 0) {
		uset_close(set);
		return rc;
	}
	*out = set_node(p, set, negated);
	return WN_OK;
}

static int alternation(struct re_parser *p, struct re_node **out);

static int group(struct re_parser *p, struct re_node **out)
{
	size_t start = p->at++;
	int rc;

	if (peek(p) == '?') {
		char next = p->at + 1 < p->s.n ? p->s.p[p->at + 1] : 0;

		if (next == '=' || next == '!' ||
		    (next == '<' && p->at + 2 < p->s.n && (p->s.p[p->at + 2] == '=' || p->s.p[p->at + 2] == '!')))
			return fail(p, start, "look-around is not supported: it cannot be matched in linear time");
		if (next != ':')
			return fail(p, start, "only (?: ) is known after (?");
		p->at += 2;
	}
	if (++p->depth > LIMIT_RULE_DEPTH)
		return fail(p, start, "brackets nested too deep");
	if ((rc = alternation(p, out)) < 0)
		return rc;
	p->depth--;
	if (peek(p) != ')' || !more(p))
		return fail(p, start, "this ( is never closed");
	p->at++;
	return WN_OK;
}

static struct re_node *assertion(struct re_parser *p, enum inst_op op)
{
	struct re_node *n = re_new(p, RE_ASSERT);

	n->assert = op;
	return n;
}

static int atom(struct re_parser *p, struct re_node **out)
{
	char c = peek(p), class;
	uint32_t cp;
	int rc;

	switch (c) {
	case '(': return group(p, out);
	case '[': return bracket(p, out);
	case '^':
		p->at++;
		*out = assertion(p, INST_START);
		return WN_OK;
	case '$':
		p->at++;
		*out = assertion(p, INST_FINISH);
		return WN_OK;
	case '.':
		p->at++;
		*out = set_node(p, uset_open(0, 0x10ffff), false);
		return WN_OK;
	case '*':
	case '+':
	case '?': return fail(p, p->at, "nothing here to repeat");
	case '\\':
		p->at++;
		if (peek(p) == 'b' || peek(p) == 'B') {
			p->re->has_word = true;
			*out = assertion(p, peek(p) == 'b' ? INST_WORD : INST_NOT_WORD);
			p->at++;
			return WN_OK;
		}
		if ((rc = escape(p, &cp, &class)) < 0)
			return rc;
		*out = class ? set_node(p, set_class(p, class), false) : one_char(p, cp);
		return WN_OK;
	default:
		p->at += utf8_decode(p->s.p + p->at, str_end(p->s), &cp);
		*out = one_char(p, cp);
		return WN_OK;
	}
}

/* {m}, {m,}, {m,n} or {,n}; anything else is a literal brace. */
static bool counts(const struct re_parser *p, uint32_t *min, uint32_t *max, size_t *len)
{
	size_t i = p->at + 1;
	bool comma = false, any = false;
	uint64_t v[2] = { 0, 0 };
	bool given[2] = { false, false };

	for (; i < p->s.n && p->s.p[i] != '}'; i++) {
		if (p->s.p[i] == ',' && !comma) {
			comma = true;
		} else if (ascii_digit(p->s.p[i])) {
			v[comma] = v[comma] * 10 + (uint64_t)(p->s.p[i] - '0');
			if (v[comma] > UINT32_MAX / 2)
				v[comma] = UINT32_MAX / 2;
			given[comma] = any = true;
		} else {
			return false;
		}
	}
	if (i >= p->s.n || !any)
		return false;
	*min = (uint32_t)v[0];
	*max = !comma ? *min : given[1] ? (uint32_t)v[1] : UINT32_MAX;
	*len = i + 1 - p->at;
	return true;
}

static int repetition(struct re_parser *p, struct re_node **out)
{
	size_t start, len = 1;
	uint32_t min, max;
	int rc;

	if ((rc = atom(p, out)) < 0)
		return rc;
	for (unsigned stacked = 0; more(p); stacked++) {
		struct re_node *r;
		char c = peek(p);

		start = p->at;
		if (c == '*')
			min = 0, max = UINT32_MAX, len = 1;
		else if (c == '+')
			min = 1, max = UINT32_MAX, len = 1;
		else if (c == '?')
			min = 0, max = 1, len = 1;
		else if (c != '{' || !counts(p, &min, &max, &len))
			break;
		if (min > REPEAT_MAX || (max != UINT32_MAX && max > REPEAT_MAX))
			return fail(p, start, "a repetition of more than 1000");
		if (max < min)
			return fail(p, start, "this repetition ends before it begins");
		if (stacked > 8)
			return fail(p, start, "too many repetitions of repetitions");
		p->at += len;
		if (peek(p) == '?' && more(p)) /* lazy: finds the same */
			p->at++;
		else if (peek(p) == '+' && more(p))
			return fail(p, p->at, "possessive repetition is not supported");
		r = re_new(p, RE_REPEAT);
		r->kids = ARENA_ARRAY(p->arena, struct re_node *, 1);
		r->kids[0] = *out;
		r->n = 1;
		r->min = min;
		r->max = max;
		*out = r;
	}
	return WN_OK;
}

static struct re_node *joined(struct re_parser *p, int kind, re_vec *v)
{
	struct re_node *n = re_new(p, v->n ? kind : RE_EMPTY);

	n->kids = ARENA_ARRAY(p->arena, struct re_node *, v->n + 1);
	n->n = v->n;
	for (size_t i = 0; i < v->n; i++)
		n->kids[i] = v->p[i];
	vec_release(v);
	return n;
}

static int sequence(struct re_parser *p, struct re_node **out)
{
	re_vec v = { 0 };
	struct re_node *n;
	int rc;

	while (more(p) && peek(p) != '|' && peek(p) != ')') {
		rc = repetition(p, &n);
		if (rc == WN_OK && (p->large > LARGE_SETS || p->sets.n > LIMIT_REGEX_SYMBOLS))
			rc = fail(p, p->at ? p->at - 1 : 0,
				  "this expression tells too many classes of characters apart");
		if (rc < 0) {
			vec_release(&v);
			return rc;
		}
		vec_push(&v, n);
	}
	*out = joined(p, RE_CAT, &v);
	return WN_OK;
}

static int alternation(struct re_parser *p, struct re_node **out)
{
	re_vec v = { 0 };
	struct re_node *n;
	int rc;

	for (;;) {
		if ((rc = sequence(p, &n)) < 0) {
			vec_release(&v);
			return rc;
		}
		vec_push(&v, n);
		if (!more(p) || peek(p) != '|')
			break;
		p->at++;
	}
	*out = joined(p, RE_ALT, &v);
	return WN_OK;
}

/* Emits n; false when the program grows past its limit. */
static bool emit(struct re_parser *p, const struct re_node *n);

static bool put(struct re_parser *p, enum inst_op op, uint32_t x, uint32_t y)
{
	if (p->insts.n >= LIMIT_REGEX_INSTS)
		return false;
	vec_push(&p->insts, ((struct inst){ op, x, y }));
	return true;
}

static bool emit_repeat(struct re_parser *p, const struct re_node *n)
{
	const struct re_node *kid = n->kids[0];
	uint32_t loop;

	for (uint32_t i = 0; i < n->min; i++)
		if (!emit(p, kid))
			return false;
	if (n->max == UINT32_MAX) {
		loop = (uint32_t)p->insts.n;
		if (!put(p, INST_SPLIT, loop + 1, 0) || !emit(p, kid) || !put(p, INST_JUMP, loop, 0))
			return false;
		p->insts.p[loop].y = (uint32_t)p->insts.n;
		return true;
	}
	for (uint32_t i = n->min; i < n->max; i++) {
		loop = (uint32_t)p->insts.n;
		if (!put(p, INST_SPLIT, loop + 1, UINT32_MAX) || !emit(p, kid))
			return false;
		p->insts.p[loop].y = (uint32_t)p->insts.n; /* leaves this copy; the later ones can be empty too */
	}
	return true;
}

static bool emit_alt(struct re_parser *p, const struct re_node *n)
{
	VEC(uint32_t) jumps = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < n->n; i++) {
		uint32_t split = (uint32_t)p->insts.n;

		if (i + 1 < n->n)
			ok = put(p, INST_SPLIT, split + 1, 0);
		ok = ok && emit(p, n->kids[i]);
		if (i + 1 < n->n && ok) {
			vec_push(&jumps, (uint32_t)p->insts.n);
			ok = put(p, INST_JUMP, 0, 0);
			p->insts.p[split].y = (uint32_t)p->insts.n;
		}
	}
	for (size_t i = 0; ok && i < jumps.n; i++)
		p->insts.p[jumps.p[i]].x = (uint32_t)p->insts.n;
	vec_release(&jumps);
	return ok;
}

static bool emit(struct re_parser *p, const struct re_node *n)
{
	switch (n->kind) {
	case RE_EMPTY: return true;
	case RE_SET: return put(p, INST_SET, n->set, 0);
	case RE_ASSERT: return put(p, n->assert, 0, 0);
	case RE_REPEAT: return emit_repeat(p, n);
	case RE_ALT: return emit_alt(p, n);
	case RE_CAT:
		for (size_t i = 0; i < n->n; i++)
			if (!emit(p, n->kids[i]))
				return false;
		return true;
	}
	return true;
}

static int by_value(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

/* All code points where some set begins or ends; each run between two of them
 * gets a symbol, equal rows of membership the same one. */
static int cut_symbols(struct re_parser *p)
{
	struct regex *re = p->re;
	VEC(uint32_t) b = { 0 };
	size_t n = 1, n_sets = p->sets.n;
	uint8_t *rows;

	vec_push(&b, 0);
	for (size_t i = 0; i < n_sets; i++)
		for (int32_t k = 0; k < uset_getItemCount(p->sets.p[i]); k++) {
			UChar32 lo, hi;
			UErrorCode code = U_ZERO_ERROR;

			uset_getItem(p->sets.p[i], k, &lo, &hi, NULL, 0, &code);
			vec_push(&b, (uint32_t)lo);
			vec_push(&b, (uint32_t)hi + 1);
		}
	sort_array(b.p, b.n, sizeof *b.p, by_value);
	for (size_t i = 1; i < b.n; i++)
		if (b.p[i] != b.p[n - 1] && b.p[i] <= 0x10ffff)
			b.p[n++] = b.p[i];
	re->bounds = ARENA_ARRAY(p->arena, uint32_t, n);
	re->bound_symbol = ARENA_ARRAY(p->arena, uint16_t, n);
	re->n_bounds = n;
	memcpy(re->bounds, b.p, n * sizeof *b.p);
	vec_release(&b);
	/* rows of membership, one per symbol found so far */
	re->n_symbols = 0;
	rows = mem_alloc((size_t)(LIMIT_REGEX_SYMBOLS + 1) * (n_sets + 1));
	for (size_t i = 0; i < n; i++) {
		uint8_t *row = rows + re->n_symbols * (n_sets + 1);
		size_t s = 0;

		for (size_t k = 0; k < n_sets; k++)
			row[k] = (uint8_t)uset_contains(p->sets.p[k], (UChar32)re->bounds[i]);
		while (s < re->n_symbols && memcmp(rows + s * (n_sets + 1), row, n_sets) != 0)
			s++;
		if (s == re->n_symbols && re->n_symbols++ == LIMIT_REGEX_SYMBOLS) {
			mem_free(rows);
			return fail(p, 0, "this expression tells too many classes of characters apart");
		}
		re->bound_symbol[i] = (uint16_t)s;
	}
	re->n_sets = n_sets;
	re->sets = ARENA_ARRAY(p->arena, uint8_t *, n_sets + 1);
	for (size_t k = 0; k < n_sets; k++) {
		re->sets[k] = ARENA_ARRAY(p->arena, uint8_t, re->n_symbols);
		for (size_t s = 0; s < re->n_symbols; s++)
			re->sets[k][s] = rows[s * (n_sets + 1) + k];
	}
	mem_free(rows);
	return WN_OK;
}

static void fill_ascii(struct regex *re)
{
	size_t at = 0;

	for (uint32_t c = 0; c < 128; c++) {
		while (at + 1 < re->n_bounds && re->bounds[at + 1] <= c)
			at++;
		re->ascii[c] = re->bound_symbol[at];
	}
}

static int compile(struct re_parser *p)
{
	struct re_node *root;
	int rc;

	if ((rc = alternation(p, &root)) < 0)
		return rc;
	if (more(p))
		return fail(p, p->at, "this ) closes nothing");
	if (!emit(p, root) || !put(p, INST_MATCH, 0, 0))
		return fail(p, 0, "this expression is too large");
	if (p->re->has_word)
		vec_push(&p->sets, set_class(p, 'w'));
	if ((rc = cut_symbols(p)) < 0)
		return rc;
	fill_ascii(p->re);
	p->re->is_word = p->re->has_word ? p->re->sets[p->sets.n - 1] : NULL;
	p->re->n = p->insts.n;
	p->re->insts = ARENA_ARRAY(p->arena, struct inst, p->insts.n);
	memcpy(p->re->insts, p->insts.p, p->insts.n * sizeof *p->insts.p);
	return WN_OK;
}

int regex_parse(struct arena *arena, struct str pattern, unsigned flags, struct regex **out, size_t *column,
		struct err *err)
{
	struct re_parser p = { .arena = arena, .s = pattern, .flags = flags, .column = column, .err = err };
	int rc;

	if (column)
		*column = 1;
	if (pattern.n > LIMIT_REGEX)
		return err_set(err, WN_USAGE, "a regular expression of %zu bytes; at most %zu are read", pattern.n,
			       (size_t)LIMIT_REGEX);
	p.re = ARENA_NEW(arena, struct regex);
	p.re->flags = flags;
	rc = compile(&p);
	for (size_t i = 0; i < p.sets.n; i++)
		uset_close(p.sets.p[i]);
	for (size_t i = 0; i < p.written.n; i++)
		uset_close(p.written.p[i].set);
	vec_release(&p.written);
	for (size_t i = 0; i < POSIX_CLASSES; i++)
		if (p.named[i])
			uset_close(p.named[i]);
	vec_release(&p.sets);
	vec_release(&p.insts);
	if (rc == WN_OK)
		*out = p.re;
	return rc;
}

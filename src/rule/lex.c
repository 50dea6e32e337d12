/* rule/lex.c -- the words of a rule, and the caret under a wrong one.
 *
 * Reads UTF-8; the paper's signs (≥ ≤ ≠ ∧ ∨ ¬ − ≐ no more) are spelled beside
 * their ASCII forms in one table.  A name may hold '-' only where the whole is
 * a known name, so `a.mime-type` is an attribute and `a.time-b.time` a
 * difference.
 */
#include "rule/lex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/utf8.h"

#define RULE_DECIMALS 9
#define RULE_SHOWN 96 /* columns of the rule shown around a caret */

static const struct sign {
	const char *text;
	enum token_kind kind;
} signs[] = {
	/* longer before shorter */
	{ "&&", TOK_AND },	{ "||", TOK_OR },     { "==", TOK_EQ },	       { "!=", TOK_NE },
	{ "<>", TOK_NE },	{ "<=", TOK_LE },     { ">=", TOK_GE },	       { "!~", TOK_NOMATCH },
	{ "=<", TOK_LE },	{ "=>", TOK_GE },     { "\u2227", TOK_AND },   { "\u2228", TOK_OR },
	{ "\u00ac", TOK_NOT },	{ "\u2260", TOK_NE }, { "\u2264", TOK_LE },    { "\u2265", TOK_GE },
	{ "\u2a7d", TOK_LE },	{ "\u2a7e", TOK_GE }, { "\u2212", TOK_MINUS }, { "\u00b7", TOK_STAR },
	{ "\u00d7", TOK_STAR }, { "=", TOK_EQ },      { "<", TOK_LT },	       { ">", TOK_GT },
	{ "~", TOK_MATCH },	{ "!", TOK_NOT },     { "+", TOK_PLUS },       { "-", TOK_MINUS },
	{ "*", TOK_STAR },	{ "/", TOK_SLASH },   { "(", TOK_OPEN },       { ")", TOK_CLOSE },
	{ ",", TOK_COMMA },	{ ".", TOK_DOT },
};

static const struct keyword {
	const char *text;
	enum token_kind kind;
} keywords[] = {
	{ "and", TOK_AND }, { "or", TOK_OR },	  { "not", TOK_NOT },
	{ "in", TOK_IN },   { "true", TOK_TRUE }, { "false", TOK_FALSE },
};

const char *token_name(enum token_kind kind)
{
	static const char *const names[] = {
		[TOK_END] = "the end",	   [TOK_NAME] = "a name",
		[TOK_NUMBER] = "a number", [TOK_DURATION] = "a duration",
		[TOK_DATE] = "a date",	   [TOK_STRING] = "a string",
		[TOK_AND] = "'and'",	   [TOK_OR] = "'or'",
		[TOK_NOT] = "'not'",	   [TOK_IN] = "'in'",
		[TOK_TRUE] = "'true'",	   [TOK_FALSE] = "'false'",
		[TOK_EQ] = "'='",	   [TOK_NE] = "'!='",
		[TOK_LT] = "'<'",	   [TOK_LE] = "'<='",
		[TOK_GT] = "'>'",	   [TOK_GE] = "'>='",
		[TOK_MATCH] = "'~'",	   [TOK_NOMATCH] = "'!~'",
		[TOK_PLUS] = "'+'",	   [TOK_MINUS] = "'-'",
		[TOK_STAR] = "'*'",	   [TOK_SLASH] = "'/'",
		[TOK_OPEN] = "'('",	   [TOK_CLOSE] = "')'",
		[TOK_COMMA] = "','",	   [TOK_DOT] = "'.'",
	};

	return names[kind];
}

/* The line that holds `at`, cut to a window around it; *from, *to in bytes. */
static void line_around(struct str text, size_t at, size_t *from, size_t *to)
{
	size_t lo = at, hi = at;

	while (lo > 0 && text.p[lo - 1] != '\n')
		lo--;
	while (hi < text.n && text.p[hi] != '\n')
		hi++;
	if (at - lo > RULE_SHOWN / 2)
		lo = at - RULE_SHOWN / 2;
	while (lo < at && ((unsigned char)text.p[lo] & 0xc0) == 0x80)
		lo++;
	if (hi - lo > RULE_SHOWN)
		hi = lo + RULE_SHOWN;
	while (hi > at && hi < text.n && ((unsigned char)text.p[hi] & 0xc0) == 0x80)
		hi--;
	*from = lo;
	*to = hi;
}

int rule_fail(struct err *err, struct str text, size_t at, const char *fmt, ...)
{
	char message[560], shown[RULE_SHOWN + 1], indent[RULE_SHOWN + 1];
	size_t from, to, n = 0, columns = 0, line = 1, column = 1;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	if (at > text.n)
		at = text.n;
	line_around(text, at, &from, &to);
	for (size_t i = from; i < to && n < RULE_SHOWN; i++)
		shown[n++] = (unsigned char)text.p[i] < 0x20 || text.p[i] == 0x7f ? ' ' : text.p[i];
	n = utf8_valid(str_n(shown, n)) == n ? n : utf8_valid(str_n(shown, n));
	shown[n] = 0;
	for (size_t i = from; i < at && columns < RULE_SHOWN; i++)
		if (((unsigned char)text.p[i] & 0xc0) != 0x80)
			indent[columns++] = ' ';
	indent[columns] = 0;
	for (size_t i = 0; i < at; i++) {
		if (text.p[i] == '\n')
			line++, column = 1;
		else if (((unsigned char)text.p[i] & 0xc0) != 0x80)
			column++;
	}
	if (line > 1)
		return err_set(err, WN_USAGE, "line %zu, column %zu: %s\n  %s\n  %s^", line, column, message, shown,
			       indent);
	return err_set(err, WN_USAGE, "column %zu: %s\n  %s\n  %s^", column, message, shown, indent);
}

static bool name_start(char c) { return ascii_alpha(c) || c == '_' || (unsigned char)c >= 0x80; }

static bool name_part(char c) { return name_start(c) || ascii_digit(c); }

static bool known_name(const struct lexer *lx, struct str name)
{
	if (attr_find(name) >= 0)
		return true;
	for (size_t i = 0; i < lx->env->n_user; i++)
		if (name_eq(name, lx->env->user[i].name))
			return true;
	return false;
}

static bool any_sign(struct str rest)
{
	for (size_t i = 0; i < COUNT(signs); i++)
		if (str_starts(rest, str(signs[i].text)))
			return true;
	return false;
}

static size_t word_end(struct str text, size_t at)
{
	while (at < text.n && name_part(text.p[at])) {
		if ((unsigned char)text.p[at] >= 0x80 && any_sign(str_sub(text, at, text.n)))
			break;
		at++;
	}
	return at;
}

static int lex_name(struct lexer *lx, struct token *t)
{
	size_t end = word_end(lx->text, t->at), best = end;

	/* a-b-c: the longest hyphenated spelling that is a name */
	for (size_t at = end; at + 1 < lx->text.n && lx->text.p[at] == '-' && name_part(lx->text.p[at + 1]);) {
		at = word_end(lx->text, at + 1);
		if (known_name(lx, str_sub(lx->text, t->at, at)))
			best = at;
	}
	t->kind = TOK_NAME;
	t->text = str_sub(lx->text, t->at, best);
	t->end = lx->at = best;
	for (size_t i = 0; i < COUNT(keywords); i++)
		if (str_ieq(t->text, str(keywords[i].text)))
			t->kind = keywords[i].kind;
	return WN_OK;
}

static int lex_string(struct lexer *lx, struct token *t, struct err *err)
{
	char quote = lx->text.p[lx->at++];
	char *out = arena_alloc(lx->arena, lx->text.n - lx->at + 1);
	size_t n = 0;

	for (;; lx->at++) {
		if (lx->at >= lx->text.n)
			return rule_fail(err, lx->text, t->at, "this string has no closing %c", quote);
		if (lx->text.p[lx->at] == quote) {
			if (lx->at + 1 >= lx->text.n || lx->text.p[lx->at + 1] != quote)
				break;
			lx->at++;
		}
		out[n++] = lx->text.p[lx->at];
	}
	out[n] = 0;
	lx->at++;
	t->kind = TOK_STRING;
	t->text = str_n(out, n);
	t->end = lx->at;
	return WN_OK;
}

static size_t digits_at(struct str s, size_t at)
{
	size_t n = 0;

	while (at + n < s.n && ascii_digit(s.p[at + n]))
		n++;
	return n;
}

static unsigned two(const char *p) { return (unsigned)(p[0] - '0') * 10 + (unsigned)(p[1] - '0'); }

/* YYYY-MM[-DD[THH:MM:SSZ]]; false when this is no date. */
static bool lex_date(struct lexer *lx, struct token *t, int *rc, struct err *err)
{
	struct str s = str_sub(lx->text, lx->at, lx->text.n);
	unsigned year, month, day = 1, hour = 0, minute = 0, second = 0;
	size_t n = 7;

	if (digits_at(s, 0) != 4 || s.n < 7 || s.p[4] != '-' || digits_at(s, 5) != 2)
		return false;
	year = two(s.p) * 100 + two(s.p + 2);
	month = two(s.p + 5);
	if (s.n >= 10 && s.p[7] == '-' && digits_at(s, 8) == 2) {
		day = two(s.p + 8);
		n = 10;
		if (s.n > 10 && ascii_lower(s.p[10]) == 't') {
			bool good = s.n >= 20 && digits_at(s, 11) == 2 && s.p[13] == ':' && digits_at(s, 14) == 2 &&
				    s.p[16] == ':' && digits_at(s, 17) == 2 && ascii_lower(s.p[19]) == 'z';

			if (!good) {
				*rc = rule_fail(err, lx->text, lx->at + 10,
						"a date with a time of day is written 2010-01-31T12:00:00Z");
				return true;
			}
			hour = two(s.p + 11), minute = two(s.p + 14), second = two(s.p + 17);
			n = 20;
		}
	}
	if (year < 1 || month < 1 || month > 12 || day < 1 || day > stamp_month_days(year, month) || hour > 23 ||
	    minute > 59 || second > 59) {
		*rc = rule_fail(err, lx->text, lx->at, "there is no date %.*s", STR_FMT(str_sub(s, 0, n)));
		return true;
	}
	t->kind = TOK_DATE;
	t->num = (double)stamp_from_civil(year, month, day, hour, minute, second);
	t->text =
	    n == 20 ? arena_printf(lx->arena, "%.10sT%.8sZ", s.p, s.p + 11) : arena_str(lx->arena, str_sub(s, 0, n));
	t->end = lx->at = lx->at + n;
	if (lx->at < lx->text.n && name_part(lx->text.p[lx->at]) && !any_sign(str_sub(lx->text, lx->at, lx->text.n)))
		*rc = rule_fail(err, lx->text, lx->at, "unexpected characters after the date %.*s", STR_FMT(t->text));
	return true;
}

static const char *unit_of(char c, double *seconds)
{
	static const struct {
		const char *name;
		double s;
	} units[] = {
		{ "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 }, { "w", 7 * 86400. }, { "y", 365 * 86400. },
	};

	for (size_t i = 0; i < COUNT(units); i++)
		if (units[i].name[0] == ascii_lower(c)) {
			*seconds = units[i].s;
			return units[i].name;
		}
	return NULL;
}

/* Digits with optional groups into `out` without commas. */
static size_t lex_digits(struct lexer *lx, char *out, size_t max, bool *grouped)
{
	size_t n = 0, len = digits_at(lx->text, lx->at);

	for (;;) {
		for (size_t i = 0; i < len; i++, lx->at++)
			if (n < max)
				out[n++] = lx->text.p[lx->at];
		if (lx->commas || len == 0 || len > 3 || lx->at >= lx->text.n || lx->text.p[lx->at] != ',' ||
		    digits_at(lx->text, lx->at + 1) != 3)
			return n;
		*grouped = true;
		lx->at++;
		len = 3;
	}
}

static int lex_number(struct lexer *lx, struct token *t, struct err *err)
{
	char whole[40] = "", fraction[16] = "";
	size_t n_whole, n_fraction = 0, skip = 0;
	double seconds = 1;
	int rc = WN_OK;

	if (lex_date(lx, t, &rc, err))
		return rc;
	n_whole = lex_digits(lx, whole, sizeof whole - 1, &t->grouped);
	t->year = n_whole == 4 && !t->grouped;
	if (lx->at + 1 < lx->text.n && lx->text.p[lx->at] == '.' && ascii_digit(lx->text.p[lx->at + 1])) {
		size_t len = digits_at(lx->text, lx->at + 1);

		if (len > RULE_DECIMALS)
			return rule_fail(err, lx->text, lx->at + 1 + RULE_DECIMALS, "a number has at most %d decimals",
					 RULE_DECIMALS);
		memcpy(fraction, lx->text.p + lx->at + 1, len);
		n_fraction = len;
		lx->at += 1 + len;
		t->year = false;
	}
	while (skip < n_whole && whole[skip] == '0')
		skip++;
	while (n_fraction > 0 && fraction[n_fraction - 1] == '0')
		fraction[--n_fraction] = 0;
	if (n_whole - skip > 15)
		return rule_fail(err, lx->text, t->at, "this number is too large: at most 15 digits before the point");
	whole[n_whole] = fraction[n_fraction] = 0;
	t->text = arena_printf(lx->arena, "%s%s%s", whole[skip] ? whole + skip : "0", n_fraction ? "." : "", fraction);
	t->num = strtod(t->text.p, NULL);
	t->q = 1;
	t->p = strtoull(whole[skip] ? whole + skip : "0", NULL, 10);
	for (size_t i = 0; i < n_fraction; i++) {
		t->q *= 10;
		if (t->p > (UINT64_MAX - 9) / 10) {
			t->q = 0; /* not exact in 64 bits */
			break;
		}
		t->p = t->p * 10 + (uint64_t)(fraction[i] - '0');
	}
	t->kind = TOK_NUMBER;
	t->end = lx->at;
	if (lx->at < lx->text.n && name_part(lx->text.p[lx->at]) && !any_sign(str_sub(lx->text, lx->at, lx->text.n))) {
		size_t end = word_end(lx->text, lx->at);
		struct str word = str_sub(lx->text, lx->at, end);
		const char *unit = unit_of(word.p[0], &seconds);

		if (ascii_lower(word.p[0]) == 'e' && (word.n == 1 || ascii_digit(word.p[1])))
			return rule_fail(err, lx->text, lx->at,
					 "numbers have no exponent; write it out with at most %d decimals",
					 RULE_DECIMALS);
		if (word.n != 1 || !unit)
			return rule_fail(
			    err, lx->text, lx->at,
			    "unknown unit \"%.*s\" after a number; expected s, m, h, d, w or y (7d is seven days)",
			    (int)(word.n < 40 ? word.n : 40), word.p);
		t->kind = TOK_DURATION;
		t->num *= seconds;
		t->text = arena_printf(lx->arena, "%.*s%s", STR_FMT(t->text), unit);
		t->end = lx->at = end;
	} else if (lx->at + 1 < lx->text.n && lx->text.p[lx->at] == '.') {
		return rule_fail(err, lx->text, lx->at, "a second or an empty fraction in a number");
	}
	return WN_OK;
}

static int lex_unknown(struct lexer *lx, struct err *err)
{
	struct str s = str_sub(lx->text, lx->at, lx->text.n);
	uint32_t cp;
	size_t n = utf8_decode(s.p, str_end(s), &cp);

	if (cp < 0x20 || cp == 0xfffd)
		return rule_fail(err, lx->text, lx->at, "unexpected byte 0x%02x", (unsigned char)s.p[0]);
	if (cp == 0x201c || cp == 0x201d || cp == 0x2018 || cp == 0x2019)
		return rule_fail(err, lx->text, lx->at, "strings stand in plain quotes: \"...\" or '...'");
	if (cp == '%')
		return rule_fail(err, lx->text, lx->at, "no percent signs; a threshold is a decimal such as 0.7");
	return rule_fail(err, lx->text, lx->at,
			 "unexpected character %.*s, expected a name, a constant, an operator or a bracket", (int)n,
			 s.p);
}

static bool lex_space(struct lexer *lx)
{
	struct str s = str_sub(lx->text, lx->at, lx->text.n);
	size_t n = 0;

	if (s.n && ascii_space(s.p[0]))
		n = 1;
	else if (str_starts(s, STR("\u00a0")))
		n = 2;
	else if (str_starts(s, STR("\u2009")) || str_starts(s, STR("\u202f")) || str_starts(s, STR("\ufeff")))
		n = 3;
	lx->at += n;
	return n > 0;
}

int lex_next(struct lexer *lx, struct token *t, struct err *err)
{
	char c;

	while (lex_space(lx))
		;
	*t = (struct token){ .at = lx->at, .end = lx->at };
	if (lx->at >= lx->text.n)
		return WN_OK;
	c = lx->text.p[lx->at];
	if (ascii_digit(c) || (c == '.' && lx->at + 1 < lx->text.n && ascii_digit(lx->text.p[lx->at + 1])))
		return lex_number(lx, t, err);
	if (c == '"' || c == '\'')
		return lex_string(lx, t, err);
	for (size_t i = 0; i < COUNT(signs); i++)
		if (str_starts(str_sub(lx->text, lx->at, lx->text.n), str(signs[i].text))) {
			t->kind = signs[i].kind;
			t->end = lx->at = lx->at + strlen(signs[i].text);
			return WN_OK;
		}
	if (ascii_alpha(c) || c == '_')
		return lex_name(lx, t);
	if ((unsigned char)c >= 0x80) {
		for (size_t i = 0; i < lx->env->n_user; i++) /* imported names may be in any script */
			if (str_eq(str_sub(lx->text, lx->at, word_end(lx->text, lx->at)), lx->env->user[i].name))
				return lex_name(lx, t);
	}
	return lex_unknown(lx, err);
}

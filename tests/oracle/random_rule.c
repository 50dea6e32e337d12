/* oracle/random_rule.c -- see random_rule.h. */
#include "random_rule.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"

const char *const draw_names[DRAWS] = {
	"or",
	"not",
	"!=",
	"strict order",
	"order",
	"window",
	"one-sided",
	"missing",
	"body text",
	"main text",
	"both texts",
	"no content",
	"upper threshold",
	"negated content",
	"expression threshold",
	"shared",
	"empty sets",
	"equal sets",
	"equal times",
	"bag",
	"key",
	"computed key",
	"regular expression",
	"order of texts",
	"imported attribute",
};

static const struct rule_attr imported[] = { { { "topic", 5 }, TYPE_TEXT },
					     { { "score", 5 }, TYPE_NUMBER },
					     { { "seen", 4 }, TYPE_TIME } };

uint64_t draw_next(uint64_t *rng) { return mix64(*rng += 0x9e3779b97f4a7c15u); }

uint64_t draw_below(uint64_t *rng, uint64_t bound) { return draw_next(rng) % bound; }

#define PICK(rng, array) ((array)[draw_below((rng), COUNT(array))])

static bool chance(uint64_t *rng, unsigned percent) { return draw_below(rng, 100) < percent; }

static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

static void sorted_unique(uint64_t *p, size_t *n)
{
	size_t k = 0;

	qsort(p, *n, sizeof *p, by_value);
	for (size_t i = 0; i < *n; i++)
		if (k == 0 || p[i] != p[k - 1])
			p[k++] = p[i];
	*n = k;
}

/* A set: new, empty, equal to an earlier one, or an earlier one changed a little. */
static void random_set(struct arena *arena, uint64_t *rng, struct world *w, enum text_kind kind, size_t doc,
		       unsigned *counts)
{
	uint64_t *s = ARENA_ARRAY(arena, uint64_t, 64);
	size_t n = 0, from = doc ? draw_below(rng, doc) : 0;
	unsigned how = (unsigned)draw_below(rng, 10);

	if (how == 0) {
		counts[DRAW_EMPTY_SETS]++;
	} else if (how < 3 || doc == 0) {
		n = 1 + draw_below(rng, 10);
		for (size_t i = 0; i < n; i++)
			s[i] = draw_below(rng, 24) << 8 | (w->bag ? draw_below(rng, 3) : 0);
	} else {
		n = w->size[kind][from];
		memcpy(s, w->set[kind][from], n * sizeof *s);
		if (how < 6)
			counts[DRAW_EQUAL_SETS]++;
		for (unsigned i = 0; how >= 6 && i < how - 5; i++) {
			if (n > 0 && chance(rng, 40))
				s[draw_below(rng, n)] = s[n - 1], n--;
			else if (n < 60)
				s[n++] = draw_below(rng, 24) << 8;
		}
	}
	sorted_unique(s, &n);
	w->set[kind][doc] = s;
	w->size[kind][doc] = n;
}

static void text_column(struct world *w, uint64_t *rng, unsigned attr, const char *const *values, size_t n,
			unsigned missing, unsigned *counts)
{
	struct column *col = columns_add(&w->c, attr, TYPE_TEXT);

	for (size_t i = 0; i < w->n; i++) {
		if (chance(rng, missing))
			counts[DRAW_MISSING]++;
		else
			columns_text(&w->c, col, i, str(values[draw_below(rng, n)]));
	}
}

static void number_column(struct world *w, uint64_t *rng, unsigned attr, enum value_type type, double from, double step,
			  unsigned n, unsigned missing, unsigned *counts)
{
	struct column *col = columns_add(&w->c, attr, type);

	for (size_t i = 0; i < w->n; i++) {
		if (chance(rng, missing))
			counts[DRAW_MISSING]++;
		else
			columns_number(col, i, from + step * (double)draw_below(rng, n));
	}
}

void random_world(struct arena *arena, uint64_t *rng, size_t n, struct world *w, unsigned counts[DRAWS])
{
	static const char *const hosts[] = { "a.example", "b.example", "example", "c.example" };
	static const char *const urls[] = { "http://a.example/", "http://a.example/x", "http://b.example/",
					    "http://b.example/x/y" };
	static const char *const titles[] = { "News", "news", "Old News", "\xc3\x84rger", "", "a.example" };
	static const char *const langs[] = { "en", "de", "fr" };
	static const char *const mimes[] = { "text/html", "text/plain" };
	double t0 = 1262304000; /* 2010-01-01 */

	*w = (struct world){ .n = n, .bag = chance(rng, 25) };
	counts[DRAW_BAG] += w->bag;
	w->env = (struct rule_env){ .kind = RULE_PAIR,
				    .user = imported,
				    .n_user = COUNT(imported),
				    .has_settings = true,
				    .k = 5,
				    .bag = w->bag,
				    .default_text = chance(rng, 20) ? TEXT_MAIN : TEXT_BODY };
	columns_init(&w->c, n);
	for (size_t i = 0; i < n; i++)
		for (int kind = 0; kind < TEXT_KINDS; kind++)
			random_set(arena, rng, w, kind, i, counts);
	text_column(w, rng, ATTR_URL, urls, COUNT(urls), 0, counts);
	text_column(w, rng, ATTR_URLKEY, urls, COUNT(urls), 0, counts);
	text_column(w, rng, ATTR_HOST, hosts, COUNT(hosts), 5, counts);
	text_column(w, rng, ATTR_DOMAIN, hosts, COUNT(hosts), 5, counts);
	text_column(w, rng, ATTR_MIME, mimes, COUNT(mimes), 0, counts);
	text_column(w, rng, ATTR_TITLE, titles, COUNT(titles), 25, counts);
	text_column(w, rng, ATTR_LANG, langs, COUNT(langs), 20, counts);
	text_column(w, rng, ATTR_DIGEST, urls, COUNT(urls), 0, counts);
	text_column(w, rng, ATTR_USER, langs, COUNT(langs), 30, counts);
	number_column(w, rng, ATTR_USER + 1, TYPE_NUMBER, -1, 0.5, 6, 30, counts);
	number_column(w, rng, ATTR_USER + 2, TYPE_TIME, t0, 1, 5, 20, counts);
	number_column(w, rng, ATTR_TIME, TYPE_TIME, t0, 43200, 12, chance(rng, 20) ? 15 : 0, counts);
	number_column(w, rng, ATTR_PUBLISHED, TYPE_TIME, t0, 86400, 400, 40, counts);
	number_column(w, rng, ATTR_STATUS, TYPE_NUMBER, 200, 100, 3, 10, counts);
	number_column(w, rng, ATTR_WORDS, TYPE_NUMBER, 0, 7, 8, 0, counts);
	number_column(w, rng, ATTR_BYTES, TYPE_NUMBER, 0, 100, 8, 0, counts);
	number_column(w, rng, ATTR_SHINGLES, TYPE_NUMBER, 0, 1, 10, 0, counts);
	number_column(w, rng, ATTR_CONTENT, TYPE_NUMBER, 1, 1, 5, 0, counts);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			counts[DRAW_EQUAL_TIMES] += w->c.col[ATTR_TIME]->num[i] == w->c.col[ATTR_TIME]->num[k];
	columns_finish(&w->c);
}

struct overlap world_overlap(const struct world *w, enum text_kind kind, uint32_t a, uint32_t b)
{
	const uint64_t *x = w->set[kind][a], *y = w->set[kind][b];
	size_t nx = w->size[kind][a], ny = w->size[kind][b], i = 0, k = 0;
	struct overlap ov = { 0, nx, ny };

	while (i < nx && k < ny) {
		if (x[i] == y[k])
			ov.o++, i++, k++;
		else if (x[i] < y[k])
			i++;
		else
			k++;
	}
	return ov;
}

/* ---- rules ---- */

struct drawing {
	struct buf out;
	uint64_t *rng;
	unsigned *counts;
	bool content, body, main;
};

static void say(struct drawing *d, const char *s) { buf_str(&d->out, str(s)); }

static const char *const thresholds[] = { "0.1", "0.25", "0.333333333", "0.5", "0.6",  "0.666666667",
					  "0.7", "0.75", "0.8",		"0.9", "0.99", "1" };

static void measure(struct drawing *d, const char *name)
{
	static const char *const texts[] = { "", "", ".body", ".main" };
	const char *text = PICK(d->rng, texts);
	bool swap = chance(d->rng, 25);

	d->content = true;
	if (text[0] == '.' && text[1] == 'm')
		d->main = true, d->counts[DRAW_MAIN]++;
	else if (text[0])
		d->body = true, d->counts[DRAW_BODY]++;
	buf_printf(&d->out, "%s(%s%s, %s%s)", name, swap ? "b" : "a", text, swap ? "a" : "b", text);
}

static void content_term(struct drawing *d)
{
	static const char *const names[] = { "containment", "C", "jaccard", "J", "dice", "D" };
	static const char *const lower[] = { ">=", ">=", ">=", ">", "=" };
	static const char *const upper[] = { "<", "<=", "!=" };
	bool up = chance(d->rng, 20);

	d->counts[DRAW_UPPER_THRESHOLD] += up;
	if (chance(d->rng, 12)) {
		d->counts[DRAW_SHARED]++;
		measure(d, "shared");
		buf_printf(&d->out, " %s %d", up ? PICK(d->rng, upper) : PICK(d->rng, lower),
			   (int)draw_below(d->rng, 5));
		return;
	}
	if (chance(d->rng, 10)) {
		buf_printf(&d->out, "%s <= ", PICK(d->rng, thresholds));
		measure(d, PICK(d->rng, names));
		return;
	}
	measure(d, PICK(d->rng, names));
	buf_printf(&d->out, " %s %s", up ? PICK(d->rng, upper) : PICK(d->rng, lower), PICK(d->rng, thresholds));
}

static void expression_threshold(struct drawing *d)
{
	static const char *const expr[] = { "0.2 + 0.1 * (b.time - a.time) / 2d", "a.score / 2", "0.1 * a.shingles",
					    "min(0.9, a.words / b.words)" };

	d->counts[DRAW_EXPRESSION_THRESHOLD]++;
	d->content = true;
	buf_printf(&d->out, "containment(a, b) >= %s and containment(a, b) %s %s", PICK(d->rng, thresholds),
		   chance(d->rng, 70) ? ">=" : "<", PICK(d->rng, expr));
}

static void key_term(struct drawing *d)
{
	static const char *const plain[] = { "host",	"urlkey", "lang",   "title", "mime",
					     "content", "status", "digest", "time" };
	static const char *const computed[] = { "lower(a.title) = lower(b.title)",
						"year(a.published) = year(b.published)",
						"a.year = b.year",
						"day(a.time) = day(b.time)",
						"round(a.words / 20) = round(b.words / 20)",
						"lower(a.title) = b.title",
						"a.host = b.domain",
						"len(a.title) = len(b.title)" };
	const char *name = PICK(d->rng, plain);

	if (chance(d->rng, 25)) {
		d->counts[DRAW_COMPUTED_KEY]++;
		say(d, PICK(d->rng, computed));
		return;
	}
	if (chance(d->rng, 10)) {
		d->counts[DRAW_IMPORTED]++;
		name = chance(d->rng, 50) ? "topic" : "score";
	}
	d->counts[DRAW_KEY]++;
	buf_printf(&d->out, chance(d->rng, 80) ? "a.%s = b.%s" : "b.%s = a.%s", name, name);
}

static void order_term(struct drawing *d)
{
	static const char *const names[] = { "time", "time", "time", "words", "published", "score", "bytes", "seen" };
	static const char *const weak[] = { "<=", "<=", ">=" };
	static const char *const strict[] = { "<", ">" };
	const char *name = PICK(d->rng, names);
	bool is_strict = chance(d->rng, 30);

	d->counts[is_strict ? DRAW_STRICT_ORDER : DRAW_ORDER]++;
	buf_printf(&d->out, chance(d->rng, 80) ? "a.%s %s b.%s" : "b.%s %s a.%s", name,
		   is_strict ? PICK(d->rng, strict) : PICK(d->rng, weak), name);
}

static void window_term(struct drawing *d)
{
	static const char *const forms[] = { "abs(a.time - b.time) <= 1d",
					     "abs(b.time - a.time) < 36h",
					     "b.time - a.time <= 2d",
					     "a.time >= b.time - 1d",
					     "a.time - b.time < 12h",
					     "2d >= abs(a.time - b.time)",
					     "a.time + 1d >= b.time",
					     "b.time < a.time + 1.5d",
					     "abs(a.time - b.time) > 1d",
					     "abs(a.published - b.time) <= 1w",
					     "abs(a.time - b.time + 12h) <= 1d",
					     "a.published - 1.000000001s <= b.published",
					     "abs(a.seen - b.seen) < 2s",
					     "a.seen <= b.seen + 0.5s",
					     "b.seen - a.seen > 2.5s - 0.5s",
					     "abs(b.seen - a.seen) <= 5s / 3",
					     "b.words - a.words <= 7",
					     "abs(a.score - b.score) < 1" };

	d->counts[DRAW_WINDOW]++;
	say(d, PICK(d->rng, forms));
}

static void one_sided_term(struct drawing *d)
{
	static const char *const forms[] = { "%s.host = \"a.example\"",
					     "%s.lang in (\"en\", \"de\")",
					     "has(%s.title)",
					     "%s.status = 200",
					     "%s.words > 14",
					     "%s.time >= 2010-01-02",
					     "startswith(%s.url, \"http://a\")",
					     "%s.title != \"\"",
					     "%s.status != 200",
					     "not has(%s.lang)",
					     "%s.time < 2010-01-04T12:00:00Z",
					     "len(%s.title) < 5",
					     "(%s.lang = \"en\" or %s.words = 0)",
					     "contains(lower(%s.title), \"news\")",
					     "%s.year = 2010" };
	static const char *const regex[] = { "%s.title ~ \"^(old )?news$\"", "%s.title !~ \"n.w\"",
					     "%s.title ~ \"\xc3\xa4\"", "lower(%s.title) ~ \"\\bn\"" };
	const char *side = chance(d->rng, 50) ? "a" : "b", *form;

	d->counts[DRAW_ONE_SIDED]++;
	if (chance(d->rng, 25)) {
		d->counts[DRAW_REGEX]++;
		form = PICK(d->rng, regex);
	} else {
		form = PICK(d->rng, forms);
	}
	for (; *form; form++) {
		if (form[0] == '%' && form[1] == 's') {
			say(d, side);
			form++;
		} else {
			buf_byte(&d->out, *form);
		}
	}
}

static void odd_term(struct drawing *d)
{
	static const char *const forms[] = { "startswith(a.url, b.url)",
					     "contains(b.url, a.host)",
					     "max(a.words, b.words) < 40",
					     "a.words * 2 <= b.words + 3",
					     "a.title < b.title",
					     "b.title <= a.title",
					     "lower(a.title) <= b.title",
					     "(a.status = 200) = (b.status = 200)",
					     "(a.words > 7) != (b.words > 7)",
					     "a.words + b.words in (7, 14, 21)",
					     "a.words / b.words > 0.5",
					     "has(a.score - b.score)",
					     "a.host != b.domain",
					     "a.score * b.score >= 0",
					     "min(a.time, b.time) >= 2010-01-02",
					     "true",
					     "k = 5" };
	const char *form = PICK(d->rng, forms);

	d->counts[DRAW_TEXT_ORDER] += strstr(form, "title") != NULL;
	say(d, form);
}

static void formula(struct drawing *d, unsigned depth);

static void term(struct drawing *d, unsigned depth)
{
	unsigned what = (unsigned)draw_below(d->rng, 100);

	if (depth > 0 && what < 12) {
		say(d, "(");
		formula(d, depth - 1);
		d->counts[DRAW_OR]++;
		say(d, " or ");
		formula(d, depth - 1);
		say(d, ")");
	} else if (depth > 0 && what < 20) {
		d->counts[DRAW_NOT]++;
		say(d, "not (");
		formula(d, depth - 1);
		say(d, ")");
	} else if (what < 24) {
		d->counts[DRAW_NEGATED_CONTENT]++;
		say(d, "not ");
		content_term(d);
	} else if (what < 27) {
		d->counts[DRAW_NOT]++;
		say(d, "not ");
		order_term(d);
	} else if (what < 46) {
		content_term(d);
	} else if (what < 49) {
		say(d, "(");
		expression_threshold(d);
		say(d, ")");
	} else if (what < 60) {
		key_term(d);
	} else if (what < 66) {
		d->counts[DRAW_NOT_EQUAL]++;
		say(d, chance(d->rng, 50)   ? "a.host != b.host"
		       : chance(d->rng, 50) ? "a.lang != b.lang"
					    : "not a.title = b.title");
	} else if (what < 78) {
		order_term(d);
	} else if (what < 85) {
		window_term(d);
	} else if (what < 94) {
		one_sided_term(d);
	} else {
		odd_term(d);
	}
}

static void formula(struct drawing *d, unsigned depth)
{
	size_t n = 1 + draw_below(d->rng, 3);

	for (size_t i = 0; i < n; i++) {
		if (i)
			say(d, " and ");
		term(d, depth);
	}
}

struct str random_rule(struct arena *arena, uint64_t *rng, unsigned counts[DRAWS])
{
	struct drawing d = { .out = BUF(1 << 16), .rng = rng, .counts = counts };
	struct str s;

	formula(&d, 2);
	counts[DRAW_NO_CONTENT] += !d.content;
	counts[DRAW_BOTH_TEXTS] += d.body && d.main;
	s = arena_str(arena, buf_view(&d.out));
	buf_release(&d.out);
	return s;
}

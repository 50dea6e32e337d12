/* serve/builder.c -- see builder.h. */
#include "serve/builder.h"

#include "base/limits.h"

const struct built_choice built_measures[] = {
	{ "containment", "contains this much of it", "containment" },
	{ "jaccard", "is alike: Jaccard, shared of both together", "jaccard" },
	{ "dice", "is alike: Dice, shared of the average", "dice" },
	{ "exact", "has exactly its text", "a.content = b.content" },
	{ "any", "whatever it says", "" },
	{ NULL, NULL, NULL },
};
const struct built_choice built_places[] = {
	{ "host", "has the same host", "a.host = b.host" },
	{ "domain", "has the same domain", "a.domain = b.domain" },
	{ "url", "has the same URL", "a.urlkey = b.urlkey" },
	{ "other-host", "is on another host", "a.host != b.host" },
	{ "any", "is anywhere", "" },
	{ NULL, NULL, NULL },
};
enum { MEASURE_EXACT = 3, MEASURE_ANY = 4, PLACE_ANY = 4 };

static const char order_clause[] = "a.time <= b.time", lang_clause[] = "a.lang = b.lang";

bool built_percent(struct str text, unsigned *out)
{
	struct str rest = str_trim(text), whole = str_cut(&rest, '.');
	uint64_t high, low = 0;

	if (rest.n > 2 || !str_u64(whole, &high) || (rest.n && !str_u64(rest, &low)))
		return false;
	*out = (unsigned)(high > 100 ? 10001 : high * 100 + (rest.n == 1 ? low * 10 : low));
	return *out > 0 && *out <= 10000;
}

struct str built_percent_text(struct arena *a, unsigned percent)
{
	return percent % 100 ? arena_printf(a, "%u.%02u", percent / 100, percent % 100)
			     : arena_printf(a, "%u", percent / 100);
}

/* "0.7", "1": hundredths of a percent; at most four decimals. */
static bool threshold(struct str text, unsigned *out)
{
	struct str rest = text, whole = str_cut(&rest, '.');
	uint64_t high, low = 0;

	if (rest.n > 4 || !str_u64(whole, &high) || high > 1 || (rest.n && !str_u64(rest, &low)))
		return false;
	for (size_t i = rest.n; i < 4; i++)
		low *= 10;
	*out = (unsigned)(high * 10000 + low);
	return *out > 0 && *out <= 10000;
}

static bool read_measure(struct built *b, struct str clause)
{
	static const char *const args[] = { "(a, b) >= ", "(a.main, b.main) >= " };

	for (unsigned m = 0; m < MEASURE_EXACT; m++)
		for (unsigned main = 0; main < 2; main++) {
			struct str name = str(built_measures[m].clause), arg = str(args[main]);

			if (str_starts(clause, name) && str_starts(str_sub(clause, name.n, clause.n), arg) &&
			    threshold(str_sub(clause, name.n + arg.n, clause.n), &b->percent)) {
				b->measure = m;
				b->main_text = main;
				return true;
			}
		}
	if (!str_eq(clause, str(built_measures[MEASURE_EXACT].clause)))
		return false;
	b->measure = MEASURE_EXACT;
	return true;
}

static bool read_place(struct built *b, struct str clause)
{
	for (unsigned i = 0; i < PLACE_ANY; i++)
		if (str_eq(clause, str(built_places[i].clause))) {
			b->place = i;
			return true;
		}
	return false;
}

/* A field takes a clause once; a second one of its kind is kept as text. */
static bool read_clause(struct built *b, struct str clause)
{
	if (b->measure == MEASURE_ANY && read_measure(b, clause))
		return true;
	if (b->place == PLACE_ANY && read_place(b, clause))
		return true;
	if (!b->not_older && str_eq(clause, str(order_clause)))
		return b->not_older = true;
	return !b->same_lang && str_eq(clause, str(lang_clause)) && (b->same_lang = true);
}

/* The next clause up to an " and " that stands in no bracket and no string; false: an "or" stands there. */
static bool next_clause(struct str *rest, struct str *clause)
{
	unsigned depth = 0;
	char quote = 0;

	for (size_t i = 0; i < rest->n; i++) {
		char c = rest->p[i];

		if (quote) {
			quote = c == quote ? 0 : quote;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '(' || c == ')') {
			depth += c == '(' ? 1u : -1u;
		} else if (depth == 0 && str_starts(str_sub(*rest, i, rest->n), STR(" or "))) {
			return false;
		} else if (depth == 0 && str_starts(str_sub(*rest, i, rest->n), STR(" and "))) {
			*clause = str_sub(*rest, 0, i);
			*rest = str_sub(*rest, i + 5, rest->n);
			return true;
		}
	}
	*clause = *rest;
	*rest = STR_NONE;
	return true;
}

static bool has_or(struct str rule)
{
	struct str clause;

	while (rule.n)
		if (!next_clause(&rule, &clause))
			return true;
	return false;
}

bool built_read(struct arena *a, struct str canonical, struct built *out)
{
	struct buf more = BUF(LIMIT_RULE);
	struct str rest = canonical, clause;

	*out = (struct built){ .measure = MEASURE_ANY, .place = PLACE_ANY, .percent = 7000 };
	if (has_or(canonical))
		return false;
	while (rest.n && next_clause(&rest, &clause))
		if (!read_clause(out, clause))
			buf_printf(&more, "%s%.*s", more.n ? " and " : "", STR_FMT(clause));
	out->more = arena_str(a, buf_view(&more));
	buf_release(&more);
	return true;
}

static void add_clause(struct buf *out, struct str clause)
{
	if (clause.n)
		buf_printf(out, "%s%.*s", out->n ? " and " : "", STR_FMT(clause));
}

void built_write(const struct built *b, struct buf *out)
{
	unsigned p = b->percent;

	if (b->measure < MEASURE_EXACT) {
		buf_printf(out, "%s(%s) >= %u.%04u", built_measures[b->measure].clause,
			   b->main_text ? "a.main, b.main" : "a, b", p / 10000, p % 10000);
		while (out->n && (out->p[out->n - 1] == '0' || out->p[out->n - 1] == '.') &&
		       out->p[out->n-- - 1] != '.') /* 0.7000 is 0.7, 1.0000 is 1 */
			;
	} else {
		add_clause(out, str(built_measures[b->measure].clause));
	}
	if (b->not_older)
		add_clause(out, str(order_clause));
	add_clause(out, str(built_places[b->place].clause));
	if (b->same_lang)
		add_clause(out, str(lang_clause));
	add_clause(out, b->more);
}

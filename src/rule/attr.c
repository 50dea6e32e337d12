/* rule/attr.c -- the names a rule may use: one table of attributes, one of
 * functions, and what to say when a name is almost one of them. */
#include "rule/ast.h"

static const struct attr_info {
	const char *name;
	enum value_type type;
	const char *alias[2];
} attrs[ATTR_USER] = {
	[ATTR_URL] = { "url", TYPE_TEXT, { 0 } },
	[ATTR_URLKEY] = { "urlkey", TYPE_TEXT, { 0 } },
	[ATTR_SCHEME] = { "scheme", TYPE_TEXT, { 0 } },
	[ATTR_HOST] = { "host", TYPE_TEXT, { "hostname" } },
	[ATTR_PORT] = { "port", TYPE_NUMBER, { 0 } },
	[ATTR_PATH] = { "path", TYPE_TEXT, { 0 } },
	[ATTR_QUERY] = { "query", TYPE_TEXT, { 0 } },
	[ATTR_DOMAIN] = { "domain", TYPE_TEXT, { 0 } },
	[ATTR_TIME] = { "time", TYPE_TIME, { "timestamp" } },
	[ATTR_MIME] = { "mime", TYPE_TEXT, { "mime-type", "mimetype" } },
	[ATTR_TYPE] = { "type", TYPE_TEXT, { 0 } },
	[ATTR_STATUS] = { "status", TYPE_NUMBER, { 0 } },
	[ATTR_TITLE] = { "title", TYPE_TEXT, { 0 } },
	[ATTR_LANG] = { "lang", TYPE_TEXT, { 0 } },
	[ATTR_CHARSET] = { "charset", TYPE_TEXT, { 0 } },
	[ATTR_YEAR] = { "year", TYPE_NUMBER, { 0 } },
	[ATTR_BYTES] = { "bytes", TYPE_NUMBER, { 0 } },
	[ATTR_WORDS] = { "words", TYPE_NUMBER, { 0 } },
	[ATTR_SHINGLES] = { "shingles", TYPE_NUMBER, { 0 } },
	[ATTR_DIGEST] = { "digest", TYPE_TEXT, { 0 } },
	[ATTR_CONTENT] = { "content", TYPE_NUMBER, { 0 } },
	[ATTR_CRAWL] = { "crawl", TYPE_TEXT, { 0 } },
	[ATTR_FILE] = { "file", TYPE_TEXT, { 0 } },
	[ATTR_RANK] = { "rank", TYPE_NUMBER, { 0 } },
	[ATTR_INLINKS] = { "inlinks", TYPE_NUMBER, { 0 } },
	[ATTR_OUTLINKS] = { "outlinks", TYPE_NUMBER, { 0 } },
	[ATTR_PUBLISHED] = { "published", TYPE_TIME, { 0 } },
	[ATTR_TEXT] = { "text", TYPE_TEXT, { 0 } },
};

const struct func_info func_table[] = {
	{ "year", FUNC_YEAR, 1, 1 },	     { "month", FUNC_MONTH, 1, 1 },
	{ "day", FUNC_DAY, 1, 1 },	     { "lower", FUNC_LOWER, 1, 1 },
	{ "len", FUNC_LEN, 1, 1 },	     { "abs", FUNC_ABS, 1, 1 },
	{ "min", FUNC_MIN, 2, 16 },	     { "max", FUNC_MAX, 2, 16 },
	{ "round", FUNC_ROUND, 1, 1 },	     { "startswith", FUNC_STARTSWITH, 2, 2 },
	{ "endswith", FUNC_ENDSWITH, 2, 2 }, { "contains", FUNC_CONTAINS, 2, 2 },
	{ "has", FUNC_HAS, 1, 1 },	     { NULL, 0, 0, 0 },
};

static char name_fold(char c) { return c == '-' ? '_' : ascii_lower(c); }

bool name_eq(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (name_fold(a.p[i]) != name_fold(b.p[i]))
			return false;
	return true;
}

int attr_find(struct str name)
{
	for (int i = 0; i < ATTR_USER; i++) {
		if (name_eq(name, str(attrs[i].name)))
			return i;
		for (size_t k = 0; k < COUNT(attrs[i].alias); k++)
			if (attrs[i].alias[k] && name_eq(name, str(attrs[i].alias[k])))
				return i;
	}
	return -1;
}

const char *attr_name(unsigned attr) { return attr < ATTR_USER ? attrs[attr].name : "(imported)"; }

enum value_type attr_type(unsigned attr) { return attr < ATTR_USER ? attrs[attr].type : TYPE_NONE; }

const char *type_name(enum value_type type)
{
	static const char *const names[] = { "nothing", "a condition", "a number", "a text", "a time", "a duration" };

	return names[type];
}

/* Optimal string alignment distance, given up beyond 31 characters. */
static unsigned distance(struct str a, struct str b)
{
	unsigned d[3][33];

	if (a.n > 31 || b.n > 31)
		return 99;
	for (size_t j = 0; j <= b.n; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a.n; i++) {
		unsigned *cur = d[i % 3], *prev = d[(i + 2) % 3], *before = d[(i + 1) % 3];

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= b.n; j++) {
			char x = name_fold(a.p[i - 1]), y = name_fold(b.p[j - 1]);
			unsigned best = prev[j - 1] + (x != y);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (cur[j - 1] + 1 < best)
				best = cur[j - 1] + 1;
			if (i > 1 && j > 1 && x == name_fold(b.p[j - 2]) && name_fold(a.p[i - 2]) == y &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			cur[j] = best;
		}
	}
	return d[a.n % 3][b.n];
}

void nearest_try(struct nearest *n, struct str candidate)
{
	unsigned limit = n->word.n < 3 ? 1 : (unsigned)(n->word.n + 2) / 3;
	unsigned d = distance(n->word, candidate);

	if (d <= limit && (!n->best.p || d < n->distance)) {
		n->best = candidate;
		n->distance = d;
	}
}

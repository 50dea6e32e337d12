/* fulltext/query.c -- reading a search; see search.h and query.h.
 *
 *	any  = all { "or" all }
 *	all  = item { item }
 *	item = [ "-" | "NOT" ] atom
 *	atom = [ "title:" ] ( "(" any ")" | '"' words '"' | word [ "*" ] )
 */
#include "fulltext/query.h"

#include "base/limits.h"
#include "base/vec.h"
#include "text/word.h"

struct parser {
	struct arena *a;
	struct str text;
	size_t at;
	unsigned depth, leaves;
	struct err *err;
	int rc;
};

static struct ftquery *parse_any(struct parser *p, enum ft_field field);

static void *fail(struct parser *p, size_t at, const char *what)
{
	if (p->rc == WN_OK)
		p->rc = err_set(p->err, WN_USAGE, "search, column %zu: %s", at + 1, what);
	return NULL;
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->text.n && ascii_space(p->text.p[p->at]))
		p->at++;
}

static bool at_end_of_word(const struct parser *p, size_t at)
{
	return at >= p->text.n || ascii_space(p->text.p[at]) || p->text.p[at] == '(' || p->text.p[at] == ')' ||
	       p->text.p[at] == '"';
}

static bool keyword(struct parser *p, struct str word, bool any_case)
{
	struct str here = str_sub(p->text, p->at, p->at + word.n);

	if (!(any_case ? str_ieq(here, word) : str_eq(here, word)) || !at_end_of_word(p, p->at + word.n))
		return false;
	p->at += word.n;
	return true;
}

static struct ftquery *new_leaf(struct parser *p, size_t at, enum ft_field field, struct str words)
{
	struct ftquery *q = ARENA_NEW(p->a, struct ftquery);
	struct buf folded = BUF(LIMIT_FT_QUERY * 2);
	struct str source;
	VEC(struct str) terms = { 0 };

	while (word_next(&words, &folded, &source)) {
		if (terms.n == LIMIT_FT_LEAVES) {
			fail(p, at, "a phrase has at most 256 words");
			break;
		}
		vec_push(&terms, arena_str(p->a, str_n(folded.p, folded.n < LIMIT_FT_TERM ? folded.n : LIMIT_FT_TERM)));
	}
	buf_release(&folded);
	q->n_terms = terms.n;
	if (terms.n) {
		q->terms = ARENA_ARRAY(p->a, struct str, terms.n);
		memcpy(q->terms, terms.p, terms.n * sizeof *terms.p);
	}
	vec_release(&terms);
	if (!q->n_terms || p->rc < 0)
		return NULL;
	if (p->leaves == LIMIT_FT_LEAVES)
		return fail(p, at, "a search has at most 256 words and phrases");
	q->kind = q->n_terms == 1 ? FT_TERM : FT_PHRASE;
	q->field = field;
	q->leaf = p->leaves++;
	return q;
}

static struct ftquery *parse_quoted(struct parser *p, enum ft_field field)
{
	size_t from = ++p->at;

	while (p->at < p->text.n && p->text.p[p->at] != '"')
		p->at++;
	if (p->at == p->text.n)
		return fail(p, from - 1, "the quotation that begins here does not end");
	return new_leaf(p, from, field, str_sub(p->text, from, p->at++));
}

static struct ftquery *parse_word(struct parser *p, enum ft_field field)
{
	size_t from = p->at;
	bool prefix;
	struct ftquery *q;

	while (!at_end_of_word(p, p->at))
		p->at++;
	prefix = p->text.p[p->at - 1] == '*';
	q = new_leaf(p, from, field, str_sub(p->text, from, p->at));
	if (prefix && p->rc == WN_OK) {
		if (!q)
			return fail(p, from, "a * needs the beginning of a word in front of it");
		if (q->n_terms > 1)
			return fail(p, from, "a * ends one word, and this is cut into several");
		q->kind = FT_PREFIX;
	}
	return q;
}

static struct ftquery *parse_atom(struct parser *p, enum ft_field field)
{
	struct str rest = str_sub(p->text, p->at, p->text.n);

	if (str_istarts(rest, STR("title:"))) {
		p->at += 6;
		field = FT_TITLE;
		if (at_end_of_word(p, p->at) &&
		    (p->at == p->text.n || ascii_space(p->text.p[p->at]) || p->text.p[p->at] == ')'))
			return fail(p, p->at, "title: needs a word, a phrase or a bracket right behind it");
	}
	if (p->text.p[p->at] == '"')
		return parse_quoted(p, field);
	if (p->text.p[p->at] == '(') {
		size_t from = p->at++;
		struct ftquery *q;

		if (++p->depth > LIMIT_FT_DEPTH)
			return fail(p, from, "brackets are nested too deep");
		q = parse_any(p, field);
		p->depth--;
		if (p->rc == WN_OK && (p->at == p->text.n || p->text.p[p->at] != ')'))
			return fail(p, from, "the bracket that begins here does not end");
		p->at++;
		return q;
	}
	return parse_word(p, field);
}

/* A list as one query: nothing, its only element, or a node. */
static struct ftquery *join(struct parser *p, enum ft_kind kind, struct ftquery *first, unsigned n)
{
	struct ftquery *q;

	if (n < 2)
		return first;
	q = ARENA_NEW(p->a, struct ftquery);
	q->kind = kind;
	q->first = first;
	q->n_children = n;
	return q;
}

static struct ftquery *parse_all(struct parser *p, enum ft_field field)
{
	struct ftquery *first = NULL, **last = &first;
	unsigned n = 0, wanted = 0;
	size_t from = p->at;

	for (;;) {
		struct ftquery *q;
		bool excluded = false;
		size_t before;

		skip_blanks(p);
		before = p->at;
		if (p->at == p->text.n || p->text.p[p->at] == ')')
			break;
		if (keyword(p, STR("or"), true)) {
			if (!n)
				return fail(p, before,
					    "\"or\" needs something on both sides; in quotation marks it is a word");
			p->at = before;
			break;
		}
		if (n && keyword(p, STR("AND"), false))
			continue;
		if (keyword(p, STR("NOT"), false)) {
			excluded = true;
			skip_blanks(p);
		} else if (p->text.p[p->at] == '-') {
			excluded = true;
			p->at++;
		}
		if (p->at == p->text.n || p->text.p[p->at] == ')' || (excluded && ascii_space(p->text.p[p->at]))) {
			if (excluded && p->text.p[before] == '-') /* a dash by itself is punctuation */
				continue;
			return fail(p, before, "something to leave out must follow");
		}
		q = parse_atom(p, field);
		if (p->rc < 0)
			return NULL;
		if (!q)
			continue;
		q->excluded = excluded;
		wanted += !excluded;
		*last = q;
		last = &q->next;
		n++;
	}
	if (n && !wanted)
		return fail(p, from, "a search must ask for something, not only leave out");
	return join(p, FT_ALL, first, n);
}

static struct ftquery *parse_any(struct parser *p, enum ft_field field)
{
	struct ftquery *first = NULL, **last = &first;
	unsigned n = 0;

	for (;;) {
		struct ftquery *q = parse_all(p, field);
		size_t from;

		if (p->rc < 0)
			return NULL;
		if (q) {
			*last = q;
			last = &q->next;
			n++;
		}
		skip_blanks(p);
		from = p->at;
		if (!keyword(p, STR("or"), true))
			return join(p, FT_ANY, first, n);
		skip_blanks(p);
		if (p->at == p->text.n || p->text.p[p->at] == ')')
			return fail(p, from, "\"or\" needs something on both sides; in quotation marks it is a word");
	}
}

int ftquery_parse(struct arena *a, struct str text, struct ftquery **out, struct err *err)
{
	struct parser p = { .a = a, .text = text, .err = err };
	struct ftquery *q;

	if (text.n > LIMIT_FT_QUERY)
		return err_set(err, WN_USAGE, "a search has at most %zu bytes", (size_t)LIMIT_FT_QUERY);
	q = parse_any(&p, FT_BODY);
	if (p.rc == WN_OK && p.at < text.n)
		fail(&p, p.at, "this bracket closes nothing");
	if (p.rc == WN_OK && !q)
		fail(&p, 0, "there is no word to search for");
	if (p.rc < 0)
		return p.rc;
	q->leaves = p.leaves;
	*out = q;
	return WN_OK;
}

/* ---- matching a text without an index ---- */

struct words { /* a text's folded terms, end to end */
	struct buf bytes;
	VEC(struct str) terms; /* p holds an offset until all are there */
	VEC(size_t) at;
};

static void cut(struct words *w, struct str text)
{
	struct buf folded = BUF(SIZE_MAX / 2);
	struct str source;

	w->bytes = BUF(SIZE_MAX / 2);
	while (word_next(&text, &folded, &source)) {
		vec_push(&w->at, w->bytes.n);
		buf_str(&w->bytes, str_n(folded.p, folded.n < LIMIT_FT_TERM ? folded.n : LIMIT_FT_TERM));
	}
	buf_release(&folded);
	for (size_t i = 0; i < w->at.n; i++) {
		size_t end = i + 1 < w->at.n ? w->at.p[i + 1] : w->bytes.n;

		vec_push(&w->terms, str_n(w->bytes.p + w->at.p[i], end - w->at.p[i]));
	}
}

static void words_release(struct words *w)
{
	buf_release(&w->bytes);
	vec_release(&w->terms);
	vec_release(&w->at);
}

static bool leaf_matches(const struct ftquery *q, const struct words *w)
{
	for (size_t i = 0; i + q->n_terms <= w->terms.n; i++) {
		size_t j = 0;

		if (q->kind == FT_PREFIX ? str_starts(w->terms.p[i], q->terms[0]) : str_eq(w->terms.p[i], q->terms[0]))
			for (j = 1; j < q->n_terms && str_eq(w->terms.p[i + j], q->terms[j]); j++)
				;
		if (j == q->n_terms)
			return true;
	}
	return false;
}

static bool matches(const struct ftquery *q, const struct words words[FT_FIELDS])
{
	if (q->kind < FT_ALL)
		return leaf_matches(q, &words[q->field]);
	for (const struct ftquery *c = q->first; c; c = c->next) {
		bool yes = matches(c, words);

		if (q->kind == FT_ANY && yes)
			return true;
		if (q->kind == FT_ALL && yes == c->excluded)
			return false;
	}
	return q->kind == FT_ALL;
}

bool ftquery_matches(const struct ftquery *q, struct str title, struct str body)
{
	struct words words[FT_FIELDS] = { 0 };
	bool yes;

	cut(&words[FT_TITLE], title);
	cut(&words[FT_BODY], body);
	yes = matches(q, words);
	words_release(&words[FT_TITLE]);
	words_release(&words[FT_BODY]);
	return yes;
}

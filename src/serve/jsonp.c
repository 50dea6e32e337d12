/* serve/jsonp.c -- see jsonp.h. */
#include "serve/jsonp.h"

#include "base/buf.h"

enum {
	NAME_MOST = 128,
	HEAD_MOST = 512 /* bytes of a body in which the call must begin: comments and tests may stand before it */
};

static bool in_name(char c) { return ascii_alpha(c) || ascii_digit(c) || c == '_' || c == '$' || c == '.'; }

bool jsonp_names(struct str name, struct str value)
{
	static const char *const names[] = { "callback",     "jsonp",	      "jsonpcallback", "jsonp_callback",
					     "jsoncallback", "json_callback", "_callback",     "cb" };
	bool known = false;

	for (size_t i = 0; i < COUNT(names); i++)
		known |= str_ieq(name, str(names[i]));
	if (!known || !value.n || value.n > NAME_MOST || ascii_digit(value.p[0]))
		return false;
	for (size_t i = 0; i < value.n; i++)
		if (!in_name(value.p[i]))
			return false;
	return true;
}

struct str jsonp_callback(struct str url)
{
	ptrdiff_t mark = str_chr(url, '?');
	struct str rest = mark < 0 ? STR_NONE : str_sub(url, (size_t)mark + 1, url.n);

	while (rest.n) {
		struct str value = str_cut(&rest, '&'), name = str_cut(&value, '=');

		if (jsonp_names(name, value))
			return value;
	}
	return STR_NONE;
}

/* The next place of the whole name in [at, n); n: none. */
static size_t find_name(struct str s, struct str name, size_t at)
{
	for (; at < s.n; at++) {
		ptrdiff_t found = str_find(str_sub(s, at, s.n), name);
		size_t end;

		if (found < 0)
			return s.n;
		at += (size_t)found;
		end = at + name.n;
		if ((at == 0 || !in_name(s.p[at - 1])) && (end == s.n || !in_name(s.p[end])))
			return at;
	}
	return s.n;
}

struct str jsonp_rename(struct arena *a, struct str body, struct str archived, struct str asked)
{
	struct str was = jsonp_callback(archived), now = jsonp_callback(asked), head = str_sub(body, 0, HEAD_MOST);
	struct buf out = BUF(body.n + HEAD_MOST * (size_t)NAME_MOST);
	size_t from = 0, at = 0;
	bool called = false;

	if (!was.n || !now.n || str_eq(was, now))
		return body;
	while (!called && (at = find_name(head, was, at)) < head.n) {
		buf_str(&out, str_sub(head, from, at));
		buf_str(&out, now);
		for (from = at += was.n; at < head.n && ascii_space(head.p[at]); at++)
			;
		called = at < head.n && head.p[at] == '(';
	}
	buf_str(&out, str_sub(body, from, body.n));
	if (called && !out.full)
		body = arena_str(a, buf_view(&out));
	buf_release(&out);
	return body;
}

/* archive/cdx_post.c -- requests other than GET as part of an urlkey.
 *
 * A replay server finds the response to a POST by method and body, so both are
 * added to the URL as if they were a query.  Bodies come in five kinds (the
 * table `encoders`): forms decoded, JSON flattened to name=value, parts of a
 * multipart form, plain text that may be JSON, and base64 of anything else.
 * A name seen before becomes name.2_, name.3_, ...
 * Cost: O(LIMIT_POST_BODY) for each request.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "archive/cdx.h"
#include "archive/url.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/utf8.h"

#define QUERY_MAX (16 * LIMIT_POST_BODY)

struct post {
	struct arena arena;
	struct intern names;		      /* seen so far */
	unsigned counts[LIMIT_POST_BODY + 1]; /* by id: a name takes at least one byte of body */
	struct buf *out;
	size_t start; /* where the arguments begin in out */
};

/* As an HTML form would: blank is '+', letters, digits and -_.~ stand. */
static void add_encoded(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (ascii_alpha(c) || ascii_digit(c) || c == '-' || c == '_' || c == '.' || c == '~')
			buf_byte(out, c);
		else if (c == ' ')
			buf_byte(out, '+');
		else
			buf_printf(out, "%%%02X", (unsigned char)c);
	}
}

static void add_argument(struct post *p, struct str name, struct str value)
{
	uint32_t id;
	unsigned count = 1;

	if (p->names.n < LIMIT_POST_BODY || intern_find(&p->names, name, &id)) {
		id = intern_id(&p->names, name);
		count = ++p->counts[id];
	}
	if (p->out->n > p->start)
		buf_byte(p->out, '&');
	add_encoded(name, p->out);
	if (count > 1)
		buf_printf(p->out, ".%u_", count);
	buf_byte(p->out, '=');
	add_encoded(value, p->out);
}

/* A number as Python prints it: integers as they are, others in the shortest form that reads back. */
static struct str number_text(struct post *p, struct str text)
{
	char shortest[64];
	double v;
	int digits;

	if (str_chr(text, '.') < 0 && str_chr(text, 'e') < 0 && str_chr(text, 'E') < 0)
		return str_eq(text, STR("-0")) ? STR("0") : text;
	if (!str_double(text, &v) || !isfinite(v))
		return text;
	for (digits = 1; digits < 17; digits++) {
		snprintf(shortest, sizeof shortest, "%.*e", digits - 1, v);
		if (strtod(shortest, NULL) == v)
			break;
	}
	snprintf(shortest, sizeof shortest, "%.*g", digits, v);
	if (v != 0 && (fabs(v) < 1e-4 || fabs(v) >= 1e16)) {
		snprintf(shortest, sizeof shortest, "%.*e", digits - 1, v);
	} else if (strchr(shortest, 'e')) {
		snprintf(shortest, sizeof shortest, "%.1f", v);
	} else if (!strchr(shortest, '.')) {
		strcat(shortest, ".0");
	}
	return arena_str(&p->arena, str(shortest));
}

/* Leaves under `name`; the depth is bounded by the JSON reader. */
static void flatten(struct post *p, const struct json_value *v, struct str name)
{
	if (v->type == JSON_OBJECT || v->type == JSON_ARRAY) {
		for (const struct json_value *m = v->first; m; m = m->next)
			flatten(p, m, v->type == JSON_OBJECT ? m->key : name);
		return;
	}
	if (!name.p)
		return;
	if (v->type == JSON_STRING)
		add_argument(p, name, v->text);
	else if (v->type == JSON_NUMBER)
		add_argument(p, name, number_text(p, v->text));
	else
		add_argument(p, name,
			     v->type == JSON_TRUE    ? STR("True")
			     : v->type == JSON_FALSE ? STR("False")
						     : STR("None"));
}

static bool json_body(struct post *p, struct str body)
{
	struct json_value *v;
	struct err err = { 0 };
	struct str rest = body;

	if (json_parse(&p->arena, body, &v, &err) == WN_OK) {
		flatten(p, v, STR_NONE);
		return true;
	}
	while (rest.p) { /* a value on each line */
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (line.n == 0)
			continue;
		if (json_parse(&p->arena, line, &v, &err) != WN_OK)
			return false;
		flatten(p, v, STR_NONE);
	}
	return true;
}

static void base64_body(struct post *p, struct str body)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	buf_str(p->out, STR("__wb_post_data="));
	for (size_t i = 0; i < body.n; i += 3) {
		size_t n = body.n - i < 3 ? body.n - i : 3;
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (k < n ? (unsigned char)body.p[i + k] : 0);
		buf_byte(p->out, digits[v >> 18]);
		buf_byte(p->out, digits[v >> 12 & 63]);
		buf_byte(p->out, n > 1 ? digits[v >> 6 & 63] : '=');
		buf_byte(p->out, n > 2 ? digits[v & 63] : '=');
	}
}

static bool binary(struct post *p, struct str type, struct str body)
{
	(void)type;
	base64_body(p, body);
	return true;
}

static bool form(struct post *p, struct str type, struct str body)
{
	struct buf plus = BUF(QUERY_MAX), text = BUF(QUERY_MAX);
	bool ok = utf8_valid(body) == body.n;

	(void)type;
	for (size_t i = 0; ok && i < body.n; i++)
		buf_byte(&plus, body.p[i] == '+' ? ' ' : body.p[i]);
	url_percent_decode(buf_view(&plus), &text);
	ok = ok && utf8_valid(buf_view(&text)) == text.n;
	if (ok)
		buf_str(p->out, buf_view(&text));
	buf_release(&plus);
	buf_release(&text);
	return ok;
}

static bool json(struct post *p, struct str type, struct str body)
{
	(void)type;
	json_body(p, body); /* what is no JSON adds nothing */
	return true;
}

static bool text(struct post *p, struct str type, struct str body)
{
	(void)type;
	return body.n && str_trim(body).n && str_trim(body).p[0] == '{' && json_body(p, body);
}

/* The value of `key=` in a header, quotes off. */
static struct str parameter(struct str header, struct str key)
{
	ptrdiff_t at = str_ifind(header, key);
	struct str v;

	if (at < 0)
		return STR_NONE;
	v = str_sub(header, (size_t)at + key.n, header.n);
	if (v.n && v.p[0] == '"') {
		v = str_sub(v, 1, v.n);
		return str_cut(&v, '"');
	}
	return str_trim(str_cut(&v, ';'));
}

/* One part: its head, an empty line, its value. */
static void part(struct post *p, struct str s)
{
	ptrdiff_t head = str_find(s, STR("\r\n\r\n"));
	struct str name;

	if (head < 0)
		return;
	name = parameter(str_sub(s, 0, (size_t)head), STR(" name="));
	if (name.p)
		add_argument(p, name, str_sub(s, (size_t)head + 4, s.n));
}

static bool multipart(struct post *p, struct str type, struct str body)
{
	struct str boundary = parameter(type, STR("boundary=")), dashes;
	ptrdiff_t at;

	if (!boundary.n)
		return false;
	dashes = arena_printf(&p->arena, "--%.*s", STR_FMT(boundary));
	if (!str_starts(body, dashes))
		return false;
	body = str_sub(body, dashes.n, body.n);
	dashes = arena_printf(&p->arena, "\r\n--%.*s", STR_FMT(boundary));
	while ((at = str_find(body, dashes)) >= 0) {
		part(p, str_sub(body, 0, (size_t)at));
		body = str_sub(body, (size_t)at + dashes.n, body.n);
	}
	return true;
}

static const struct {
	const char *mime;
	bool (*encode)(struct post *p, struct str type, struct str body); /* false: not so; base64 then */
} encoders[] = {
	{ "application/x-www-form-urlencoded", form },
	{ "application/json", json },
	{ "text/plain", text },
	{ "multipart/form-data", multipart },
	{ "", binary },
};

/* The media type alone. */
static struct str mime_of(struct str type)
{
	size_t n = 0;

	type = str_trim(type);
	while (n < type.n && type.p[n] != ';' && !ascii_space(type.p[n]))
		n++;
	return str_sub(type, 0, n);
}

static void add_body(struct post *p, struct str type, struct str body)
{
	struct str mime = mime_of(type);

	for (size_t i = 0; i < COUNT(encoders); i++) {
		if (encoders[i].mime[0] && !str_ieq(mime, str(encoders[i].mime)))
			continue;
		if (encoders[i].encode(p, type, body))
			return;
		p->out->n = p->start;
	}
}

bool cdx_post_query(struct str method, struct str content_type, struct str body, struct buf *out)
{
	struct post *p;

	if (method.n == 0 || str_ieq(method, STR("GET")))
		return false;
	buf_str(out, STR("__wb_method="));
	for (size_t i = 0; i < method.n; i++)
		buf_byte(out, method.p[i] >= 'a' && method.p[i] <= 'z' ? (char)(method.p[i] - 32) : method.p[i]);
	if (str_ieq(method, STR("HEAD")) || str_ieq(method, STR("OPTIONS")))
		return true;
	p = mem_zalloc(sizeof *p);
	buf_byte(out, '&');
	p->out = out;
	p->start = out->n;
	add_body(p, content_type, str_sub(body, 0, LIMIT_POST_BODY));
	if (out->n == p->start)
		out->n--;
	else if (out->n - p->start > LIMIT_POST_BODY)
		out->n = p->start + LIMIT_POST_BODY;
	arena_release(&p->arena);
	intern_release(&p->names);
	mem_free(p);
	return true;
}

void cdx_post_url(struct str url, struct str query, struct buf *out)
{
	buf_str(out, url);
	buf_byte(out, str_chr(url, '?') < 0 ? '?' : '&');
	buf_str(out, query);
}

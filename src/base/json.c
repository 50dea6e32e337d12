/* base/json.c -- see json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/limits.h"
#include "base/utf8.h"

static void newline(struct json *j)
{
	buf_byte(j->out, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		buf_str(j->out, STR("  "));
}

/* What must stand between the previous thing and the next value or key. */
static void before(struct json *j)
{
	if (j->comma)
		buf_str(j->out, j->spaced && !j->indent ? STR(", ") : STR(","));
	if (j->indent && j->depth && (j->comma || j->out->p[j->out->n - 1] != ':'))
		if (j->out->n < 2 || j->out->p[j->out->n - 1] != ' ')
			newline(j);
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	before(j);
	buf_byte(j->out, bracket);
	j->comma = false;
	j->depth++;
}

void json_close(struct json *j, char bracket)
{
	bool had = j->comma;

	j->depth--;
	if (j->indent && had)
		newline(j);
	buf_byte(j->out, bracket);
	j->comma = true;
}

void json_quote(struct buf *out, struct str s)
{
	const char *p = s.p, *end = str_end(s), *from = p;

	buf_byte(out, '"');
	while (p < end) {
		unsigned char c = (unsigned char)*p;
		char escape[8];
		int n = 0;
		size_t used = 1;

		if (c >= 0x80) {
			uint32_t cp;

			used = utf8_decode(p, end, &cp);
			if (cp == 0xfffd && (used != 3 || memcmp(p, "\xef\xbf\xbd", 3) != 0))
				n = snprintf(escape, sizeof escape, "\xef\xbf\xbd");
		} else if (c == '"' || c == '\\') {
			n = snprintf(escape, sizeof escape, "\\%c", c);
		} else if (c == '\n') {
			n = snprintf(escape, sizeof escape, "\\n");
		} else if (c == '\r') {
			n = snprintf(escape, sizeof escape, "\\r");
		} else if (c == '\t') {
			n = snprintf(escape, sizeof escape, "\\t");
		} else if (c < 0x20 || c == 0x7f) {
			n = snprintf(escape, sizeof escape, "\\u%04x", c);
		}
		if (n) {
			buf_add(out, from, (size_t)(p - from));
			buf_add(out, escape, (size_t)n);
			from = p + used;
		}
		p += used;
	}
	buf_add(out, from, (size_t)(p - from));
	buf_byte(out, '"');
}

void json_key_str(struct json *j, struct str key)
{
	before(j);
	json_quote(j->out, key);
	buf_str(j->out, j->spaced || j->indent ? STR(": ") : STR(":"));
	j->comma = false;
}

void json_key(struct json *j, const char *key) { json_key_str(j, str(key)); }

void json_str(struct json *j, struct str s)
{
	before(j);
	json_quote(j->out, s);
}

void json_z(struct json *j, const char *s)
{
	if (s)
		json_str(j, str(s));
	else
		json_null(j);
}

void json_u64(struct json *j, uint64_t v)
{
	before(j);
	buf_printf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, int64_t v)
{
	before(j);
	buf_printf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, double v, int decimals)
{
	before(j);
	if (isfinite(v))
		buf_printf(j->out, "%.*f", decimals, v);
	else
		buf_str(j->out, STR("null"));
}

void json_bool(struct json *j, bool v)
{
	before(j);
	buf_str(j->out, v ? STR("true") : STR("false"));
}

void json_null(struct json *j)
{
	before(j);
	buf_str(j->out, STR("null"));
}

void json_put_open(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_open(j, bracket);
}

void json_put_str(struct json *j, const char *key, struct str s)
{
	json_key(j, key);
	json_str(j, s);
}

void json_put_z(struct json *j, const char *key, const char *s)
{
	json_key(j, key);
	json_z(j, s);
}

void json_put_u64(struct json *j, const char *key, uint64_t v)
{
	json_key(j, key);
	json_u64(j, v);
}

void json_put_i64(struct json *j, const char *key, int64_t v)
{
	json_key(j, key);
	json_i64(j, v);
}

void json_put_double(struct json *j, const char *key, double v, int decimals)
{
	json_key(j, key);
	json_double(j, v, decimals);
}

void json_put_bool(struct json *j, const char *key, bool v)
{
	json_key(j, key);
	json_bool(j, v);
}

void json_put_text(struct json *j, const char *key, struct str s)
{
	json_key(j, key);
	s.n ? json_str(j, s) : json_null(j);
}

struct parser {
	struct arena *arena;
	const char *start, *p, *end;
	struct err *err;
};

static int fail(struct parser *x, const char *what)
{
	return err_set(x->err, WN_DATA, "not JSON at byte %zu: %s", (size_t)(x->p - x->start), what);
}

static void skip_space(struct parser *x)
{
	while (x->p < x->end && (*x->p == ' ' || *x->p == '\t' || *x->p == '\n' || *x->p == '\r'))
		x->p++;
}

static bool hex4(const char *p, const char *end, uint32_t *out)
{
	uint32_t v = 0;

	if (end - p < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return false;
		v = v << 4 | (uint32_t)d;
	}
	*out = v;
	return true;
}

/* At \u; a surrogate pair becomes one code point, a lone half U+FFFD. */
static bool unicode_escape(struct parser *x, uint32_t *cp)
{
	uint32_t low;

	if (!hex4(x->p + 2, x->end, cp))
		return false;
	x->p += 6;
	if (*cp >= 0xd800 && *cp < 0xdc00 && x->end - x->p >= 6 && x->p[0] == '\\' && x->p[1] == 'u' &&
	    hex4(x->p + 2, x->end, &low) && low >= 0xdc00 && low < 0xe000) {
		*cp = 0x10000 + ((*cp - 0xd800) << 10) + (low - 0xdc00);
		x->p += 6;
	} else if (*cp >= 0xd800 && *cp < 0xe000) {
		*cp = 0xfffd;
	}
	return true;
}

static int parse_string(struct parser *x, struct str *out)
{
	const char *q = ++x->p;
	char *to, *at;
	uint32_t cp;

	while (q < x->end && *q != '"' && *q != '\\')
		q++;
	if (q < x->end && *q == '"') { /* the common case needs no copy */
		*out = str_n(x->p, (size_t)(q - x->p));
		x->p = q + 1;
		return WN_OK;
	}
	while (q < x->end && *q != '"')
		q += *q == '\\' ? 2 : 1;
	if (q >= x->end)
		return fail(x, "a string does not end");
	to = at = arena_alloc(x->arena, (size_t)(q - x->p) + 1);
	while (x->p < q) {
		static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
		const char *found;

		if (*x->p != '\\') {
			*at++ = *x->p++;
			continue;
		}
		if (x->p[1] == 'u') {
			if (!unicode_escape(x, &cp))
				return fail(x, "a \\u escape needs four hexadecimal digits");
			at += utf8_encode(cp, at);
			continue;
		}
		found = x->p[1] ? strchr(from, x->p[1]) : NULL;
		if (!found)
			return fail(x, "an unknown escape");
		*at++ = into[found - from];
		x->p += 2;
	}
	x->p = q + 1;
	*out = str_n(to, (size_t)(at - to));
	return WN_OK;
}

static bool word(struct parser *x, struct str w)
{
	if (!str_starts(str_n(x->p, (size_t)(x->end - x->p)), w))
		return false;
	x->p += w.n;
	return true;
}

static int parse_scalar(struct parser *x, struct json_value *v)
{
	double number;

	if (*x->p == '"') {
		v->type = JSON_STRING;
		return parse_string(x, &v->text);
	}
	if (word(x, STR("true"))) {
		v->type = JSON_TRUE;
	} else if (word(x, STR("false"))) {
		v->type = JSON_FALSE;
	} else if (word(x, STR("null"))) {
		v->type = JSON_NULL;
	} else {
		const char *q = x->p;

		while (q < x->end && (ascii_digit(*q) || *q == '-' || *q == '+' || *q == '.' || *q == 'e' || *q == 'E'))
			q++;
		v->type = JSON_NUMBER;
		v->text = str_n(x->p, (size_t)(q - x->p));
		if (v->text.n == 0 || !(ascii_digit(v->text.p[0]) || v->text.p[0] == '-') ||
		    !str_double(v->text, &number))
			return fail(x, "expected a value");
		x->p = q;
	}
	return WN_OK;
}

/* Iterative, so that depth costs no stack: open[] holds the containers. */
int json_parse(struct arena *a, struct str text, struct json_value **out, struct err *err)
{
	struct parser x = { a, text.p, text.p, str_end(text), err };
	struct json_value *open[LIMIT_JSON_DEPTH], **tail[LIMIT_JSON_DEPTH], *root = NULL;
	unsigned depth = 0;
	int rc;

	for (;;) {
		struct json_value *v = NULL;
		bool object = depth && open[depth - 1]->type == JSON_OBJECT;

		skip_space(&x);
		if (x.p >= x.end)
			return fail(&x, "the text ends too early");
		if (depth && tail[depth - 1] == &open[depth - 1]->first && (*x.p == '}' || *x.p == ']')) {
			if ((*x.p == '}') != object)
				return fail(&x, "a bracket of the other kind");
			goto closed; /* empty */
		}
		v = ARENA_NEW(a, struct json_value);
		if (object) {
			if (*x.p != '"')
				return fail(&x, "expected a key in quotes");
			if ((rc = parse_string(&x, &v->key)) < 0)
				return rc;
			skip_space(&x);
			if (x.p >= x.end || *x.p != ':')
				return fail(&x, "expected a colon");
			x.p++;
			skip_space(&x);
			if (x.p >= x.end)
				return fail(&x, "the text ends too early");
		}
		if (depth) {
			*tail[depth - 1] = v;
			tail[depth - 1] = &v->next;
		} else {
			root = v;
		}
		if (*x.p == '{' || *x.p == '[') {
			if (depth == LIMIT_JSON_DEPTH)
				return fail(&x, "nested too deeply");
			v->type = *x.p++ == '{' ? JSON_OBJECT : JSON_ARRAY;
			open[depth] = v;
			tail[depth++] = &v->first;
			continue;
		}
		if ((rc = parse_scalar(&x, v)) < 0)
			return rc;
		while (depth) {
			skip_space(&x);
			if (x.p >= x.end)
				return fail(&x, "the text ends too early");
			if (*x.p == ',')
				break;
			if (*x.p != (open[depth - 1]->type == JSON_OBJECT ? '}' : ']'))
				return fail(&x, "expected a comma or a closing bracket");
		closed:
			x.p++;
			depth--;
		}
		if (!depth)
			break;
		x.p++; /* the comma */
		skip_space(&x);
		if (x.p < x.end && (*x.p == '}' || *x.p == ']'))
			return fail(&x, "a comma before a closing bracket");
	}
	skip_space(&x);
	if (x.p != x.end)
		return fail(&x, "something stands behind the value");
	*out = root;
	return WN_OK;
}

const struct json_value *json_get(const struct json_value *object, const char *key)
{
	if (!object || object->type != JSON_OBJECT)
		return NULL;
	for (const struct json_value *v = object->first; v; v = v->next)
		if (str_eq(v->key, str(key)))
			return v;
	return NULL;
}

struct str json_text(const struct json_value *object, const char *key)
{
	const struct json_value *v = json_get(object, key);

	return v && (v->type == JSON_STRING || v->type == JSON_NUMBER) ? v->text : STR_NONE;
}

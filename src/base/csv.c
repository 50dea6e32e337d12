/* base/csv.c -- see csv.h. */
#include "base/csv.h"

#include <inttypes.h>

#include "base/limits.h"

void csv_cell(struct buf *out, struct str s)
{
	bool quote = false;

	for (size_t i = 0; i < s.n; i++)
		quote |= s.p[i] == '"' || s.p[i] == ',' || s.p[i] == '\n' || s.p[i] == '\r';
	if (!quote) {
		buf_str(out, s);
		return;
	}
	buf_byte(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(out, '"');
		buf_byte(out, s.p[i]);
	}
	buf_byte(out, '"');
}

/* s without the first of each two quotes. */
static struct str undouble(struct arena *a, struct str s)
{
	char *to = arena_alloc(a, s.n);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		to[n++] = s.p[i];
		i += s.p[i] == '"';
	}
	return str_n(to, n);
}

/* The cell behind the quote at *p, which then stands behind the closing one. */
static int quoted(struct csv *c, const char **p, const char *end, struct str *out, struct err *err)
{
	const char *from = *p + 1, *at = from;
	bool doubled = false;

	for (; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++) {
		c->lines += *at == '\n';
		if (*at == '"')
			at++, doubled = true;
	}
	if (at >= end)
		return err_set(err, WN_USAGE, "line %" PRIu64 ": a quoted cell does not end", c->line);
	if ((size_t)(at - from) > LIMIT_LINE)
		return err_set(err, WN_USAGE, "line %" PRIu64 ": a cell is longer than %zu bytes", c->line, LIMIT_LINE);
	*out = str_n(from, (size_t)(at - from));
	if (doubled)
		*out = undouble(&c->arena, *out);
	*p = at + 1;
	if (*p < end && **p != ',' && **p != '\n' && **p != '\r')
		return err_set(err, WN_USAGE, "line %" PRIu64 ": something stands behind a closing quote", c->line);
	return WN_OK;
}

int csv_next(struct csv *c, struct err *err)
{
	const char *p = c->rest.p, *end = str_end(c->rest);
	int rc;

	c->cells.n = 0;
	arena_reset(&c->arena);
	if (c->rest.n == 0)
		return WN_END;
	c->line = c->lines + 1;
	for (;;) {
		const char *from = p;
		struct str cell;

		if (p < end && *p == '"') {
			if ((rc = quoted(c, &p, end, &cell, err)) < 0)
				return rc;
		} else {
			while (p < end && *p != ',' && *p != '\n' && *p != '\r')
				p++;
			cell = str_n(from, (size_t)(p - from));
		}
		if (c->cells.n == LIMIT_CSV_CELLS)
			return err_set(err, WN_USAGE, "line %" PRIu64 ": more than %d cells", c->line, LIMIT_CSV_CELLS);
		vec_push(&c->cells, cell);
		if (p == end || *p != ',')
			break;
		p++;
	}
	c->lines += p < end;
	if (p < end && *p == '\r')
		p++;
	if (p < end && *p == '\n')
		p++;
	c->rest = str_n(p, (size_t)(end - p));
	return WN_OK;
}

void csv_release(struct csv *c)
{
	vec_release(&c->cells);
	arena_release(&c->arena);
	*c = (struct csv){ 0 };
}

/* serve/sheet.c -- see listing.h. */
#include "serve/sheet.h"

#include <inttypes.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "catalog/catalog.h"

enum sheet_form sheet_form(const struct request *q)
{
	return str_eq(q->format, STR("csv"))	 ? SHEET_CSV
	       : str_eq(q->format, STR("jsonl")) ? SHEET_JSONL
	       : str_eq(q->format, STR("json"))	 ? SHEET_JSON
						 : SHEET_TABLE;
}

static void table_head(struct sheet *l, const char *caption)
{
	html(l->b, "<table class=\"cards\">");
	if (caption)
		html(l->b, "<caption>%z</caption>", caption);
	html(l->b, "<thead><tr>");
	for (const struct sheet_column *c = l->columns; c->name; c++)
		if (c->title)
			html(l->b, "<th scope=\"col\"%m>%z</th>", c->kind == COLUMN_NUMBER ? " class=\"num\"" : "",
			     c->title);
	html(l->b, "</tr></thead><tbody>\n");
}

void sheet_begin(struct sheet *l, enum sheet_form form, struct buf *b, const struct sheet_column *columns,
		 const char *caption)
{
	*l = (struct sheet){ .b = b, .columns = columns, .form = form, .j = { .out = b } };
	if (form == SHEET_TABLE)
		table_head(l, caption);
	if (form == SHEET_CSV)
		for (const struct sheet_column *c = columns; c->name; c++)
			buf_printf(b, "%s%s", c->name, c[1].name ? "," : "\r\n");
	if (form == SHEET_JSON)
		json_open(&l->j, '[');
}

void sheet_begin_in(struct sheet *l, struct json *j, const struct sheet_column *columns)
{
	*l = (struct sheet){ .b = j->out, .columns = columns, .form = SHEET_JSON, .j = *j, .outer = j };
	json_open(&l->j, '[');
}

static void cell_close(struct sheet *l)
{
	if (l->in_cell)
		buf_str(l->b, str(l->cell_end));
	l->in_cell = false;
}

static void row_close(struct sheet *l)
{
	cell_close(l);
	if (!l->in_row)
		return;
	if (l->form == SHEET_TABLE)
		buf_str(l->b, STR("</tr>\n"));
	if (l->form == SHEET_CSV)
		buf_str(l->b, STR("\r\n"));
	if (l->form == SHEET_JSON || l->form == SHEET_JSONL)
		json_close(&l->j, '}');
	if (l->form == SHEET_JSONL) {
		buf_byte(l->b, '\n');
		l->j = (struct json){ .out = l->b };
	}
	l->in_row = false;
}

void sheet_row(struct sheet *l)
{
	row_close(l);
	l->in_row = true;
	l->at = 0;
	if (l->form == SHEET_TABLE)
		html(l->b, "<tr>");
	if (l->form == SHEET_JSON || l->form == SHEET_JSONL)
		json_open(&l->j, '{');
}

void sheet_end(struct sheet *l)
{
	row_close(l);
	if (l->form == SHEET_TABLE)
		html(l->b, "</tbody></table>\n");
	if (l->form == SHEET_JSON)
		json_close(&l->j, ']');
	if (l->outer)
		*l->outer = l->j;
}

/* Opens the next cell; for a table whether it is shown. */
static bool cell_open(struct sheet *l)
{
	const struct sheet_column *c = &l->columns[l->at++];

	cell_close(l);
	if (l->form == SHEET_CSV && l->at > 1)
		buf_byte(l->b, ',');
	if (l->form == SHEET_JSON || l->form == SHEET_JSONL)
		json_key(&l->j, c->name);
	if (l->form != SHEET_TABLE || !c->title)
		return false;
	if (l->at == 1)
		html(l->b, "<th scope=\"row\">");
	else
		html(l->b, "<td%m data-name=\"%z\">%m", c->kind == COLUMN_NUMBER ? " class=\"num\"" : "", c->title,
		     c->kind == COLUMN_CODE ? "<code>" : "");
	l->cell_end = l->at == 1 ? "</th>" : c->kind == COLUMN_CODE ? "</code></td>" : "</td>";
	l->in_cell = true;
	return true;
}

static void csv_text(struct buf *b, struct str s)
{
	buf_byte(b, '"');
	if (s.n && strchr("=+-@\t\r", s.p[0])) /* a spreadsheet would compute it */
		buf_byte(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_byte(b, '"');
		buf_byte(b, s.p[i]);
	}
	buf_byte(b, '"');
}

bool sheet_cell(struct sheet *l, struct str value)
{
	if (cell_open(l))
		return true;
	if (l->form == SHEET_CSV && value.n)
		csv_text(l->b, value);
	else if ((l->form == SHEET_JSON || l->form == SHEET_JSONL) && value.n)
		json_str(&l->j, value);
	else if (l->form == SHEET_JSON || l->form == SHEET_JSONL)
		json_null(&l->j);
	return false;
}

bool sheet_cell_u64(struct sheet *l, uint64_t value)
{
	if (cell_open(l))
		return true;
	if (l->form == SHEET_CSV)
		buf_printf(l->b, "%" PRIu64, value);
	else if (l->form != SHEET_TABLE)
		json_u64(&l->j, value);
	return false;
}

bool sheet_cell_time(struct sheet *l, int64_t time)
{
	char text[21];

	return sheet_cell(l, time == CAPTURE_NO_TIME ? STR_NONE : stamp_rfc3339(time, text));
}

void sheet_text(struct sheet *l, struct str value)
{
	if (sheet_cell(l, value))
		html(l->b, "%b", value);
}

void sheet_number(struct sheet *l, uint64_t value)
{
	if (sheet_cell_u64(l, value))
		html(l->b, "%n", value);
}

void sheet_real(struct sheet *l, double value, int decimals)
{
	if (cell_open(l) || l->form == SHEET_CSV)
		buf_printf(l->b, "%.*f", decimals, value);
	else if (l->form != SHEET_TABLE)
		json_double(&l->j, value, decimals);
}

void sheet_time(struct sheet *l, int64_t time)
{
	if (sheet_cell_time(l, time) && time != CAPTURE_NO_TIME)
		html(l->b, "%t", time);
}

void sheet_none(struct sheet *l) { sheet_cell(l, STR_NONE); }

/* ---- whole lists, streamed ---- */

struct stream {
	struct sheet_source *source;
	struct collection coll; /* its own: the worker's serves others meanwhile */
	struct arena scratch;
	struct buf piece;
	struct sheet list;
	size_t at;
	bool open, ended;
};

static ptrdiff_t stream_more(void *context, char *p, size_t n)
{
	struct stream *s = context;
	size_t left;

	while (s->at == s->piece.n && !s->ended) {
		buf_reset(&s->piece);
		s->at = 0;
		arena_reset(&s->scratch);
		s->ended = !s->source->fill(s->source, &s->list, &s->coll, &s->scratch);
		row_close(&s->list);
		if (s->piece.full)
			return -1;
	}
	left = s->piece.n - s->at;
	n = n < left ? n : left;
	if (n)
		memcpy(p, s->piece.p + s->at, n);
	s->at += n;
	return (ptrdiff_t)n;
}

static void stream_done(void *context)
{
	struct stream *s = context;

	if (s->open)
		collection_close(&s->coll);
	arena_release(&s->scratch);
	buf_release(&s->piece);
}

void sheet_stream(struct request *q, struct response *r, struct sheet_source *source, const char *name)
{
	struct stream *s = ARENA_NEW(&q->arena, struct stream);
	enum sheet_form form = sheet_form(q);
	struct err err = { 0 };

	source->q = q;
	*s = (struct stream){ .source = source, .piece = BUF(LIMIT_PAGE) };
	if (collection_open(&s->coll, q->served->dir, CATALOG_READ, NULL, &err) < 0) {
		response_err(r, &err);
		return;
	}
	s->open = true;
	sheet_begin(&s->list, form, &s->piece, source->columns, NULL);
	r->policy = POLICY_DATA;
	response_headerf(r, "Content-Disposition", "attachment; filename=\"%s.%s\"", name,
			 form == SHEET_CSV ? "csv" : "jsonl");
	response_stream(r, form == SHEET_CSV ? "text/csv; charset=utf-8" : "application/jsonl; charset=utf-8",
			stream_more, stream_done, s);
}

/* ---- pages as JSON ---- */

struct json *data_begin(struct request *q)
{
	struct json *j = ARENA_NEW(&q->arena, struct json);

	*j = (struct json){ .out = request_buf(q, LIMIT_PAGE) };
	json_open(j, '{');
	json_key(j, "data");
	return j;
}

void data_end(struct request *q, struct response *r, struct json *j, uint64_t revision, struct str next)
{
	json_put_open(j, "meta", '{');
	if (q->served) {
		json_put_text(j, "collection", str(q->served->name));
		json_put_u64(j, "revision", revision);
	}
	json_put_text(j, "version", STR(WINNOW_VERSION));
	json_close(j, '}');
	json_put_open(j, "links", '{');
	json_put_text(j, "self", q->target);
	if (next.n) {
		struct str path = q->target;

		path = str_cut(&path, '?');
		json_put_text(j, "next", arena_printf(&q->arena, "%.*s?%.*s", STR_FMT(path), STR_FMT(next)));
	}
	json_close(j, '}');
	json_close(j, '}');
	buf_byte(j->out, '\n');
	r->policy = POLICY_DATA;
	if (j->out->full)
		response_error(r, 503, "the answer is too long; ask for less of it");
	else
		response_json(r, buf_view(j->out));
}

void data_time(struct json *j, const char *key, int64_t t)
{
	char text[21];

	json_put_text(j, key, t == CAPTURE_NO_TIME ? STR_NONE : stamp_rfc3339(t, text));
}

/* cmd/listing.c -- see listing.h. */
#include "cmd/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"

enum { TABLE_CELL = 4096, TABLE_ROWS = 500 }; /* a table's columns are measured over these */

static enum listing_form form_of(const struct cmd_run *run)
{
	static const char *const names[] = { "table", "tsv", "csv", "jsonl" };

	for (size_t i = 0; run->common.format && i < COUNT(names); i++)
		if (strcmp(names[i], run->common.format) == 0)
			return (enum listing_form)i;
	if (run->common.json)
		return LISTING_JSON;
	return isatty(1) ? LISTING_TABLE : LISTING_TSV;
}

static void tsv_cell(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '\t': buf_str(out, STR("\\t")); break;
		case '\n': buf_str(out, STR("\\n")); break;
		case '\r': buf_str(out, STR("\\r")); break;
		case '\\': buf_str(out, STR("\\\\")); break;
		default: buf_byte(out, s.p[i]);
		}
	}
}

/* Which columns --fields names, in its order; a name that is none of them ends the program as a usage mistake. */
static void choose(struct listing *l, const struct cmd_run *run)
{
	struct str rest = str(run->common.fields);

	while (rest.p) {
		struct str name = str_trim(str_cut(&rest, ','));
		size_t i = 0;

		while (i < l->n && !str_eq(str(l->names[i]), name))
			i++;
		if (i == l->n) {
			const char *near = opt_nearest(arena_strz(&l->arena, name), l->names, l->n);

			error("%s: there is no field '%.*s' here; %s '%s'%s", run->cmd->name, STR_FMT(name),
			      near ? "did you mean" : "the first is",
			      near   ? near
			      : l->n ? l->names[0]
				     : "none",
			      near ? "?" : "");
			exit(EXIT_USAGE);
		}
		vec_push(&l->shown, i);
	}
}

static const char *shown_name(const struct listing *l, size_t i) { return l->names[l->shown.p[i]]; }

static void separated_cell(struct listing *l, size_t i, struct str s)
{
	if (i)
		buf_byte(&l->out, l->form == LISTING_TSV ? '\t' : ',');
	l->form == LISTING_TSV ? tsv_cell(&l->out, s) : csv_cell(&l->out, s);
}

void listing_open(struct listing *l, const struct cmd_run *run, const char *const *names, size_t n)
{
	struct winsize w = { 0 };

	*l = (struct listing){ .form = form_of(run), .names = names, .n = n, .out = BUF(256 * MIB), .width = 100 };
	if (run->common.fields)
		choose(l, run);
	for (size_t i = 0; !run->common.fields && i < n; i++)
		vec_push(&l->shown, i);
	l->cells = mem_zarray(n, sizeof *l->cells);
	l->widths = mem_zarray(l->shown.n, sizeof *l->widths);
	if (ioctl(1, TIOCGWINSZ, &w) == 0 && w.ws_col >= 40)
		l->width = w.ws_col;
	if (l->form == LISTING_TSV || l->form == LISTING_CSV) {
		for (size_t i = 0; i < l->shown.n; i++)
			separated_cell(l, i, str(shown_name(l, i)));
		buf_byte(&l->out, '\n');
	}
}

static void cell(struct listing *l, struct str s, bool number)
{
	if (l->filled >= l->n)
		BUG("row of more than %zu cells", l->n);
	if (l->form == LISTING_TABLE && s.n > TABLE_CELL) /* no terminal is that wide */
		s.n = TABLE_CELL;
	l->cells[l->filled++] = (struct listing_cell){ s.p ? arena_str(&l->arena, s) : STR_NONE, number };
}

void listing_text(struct listing *l, struct str s) { cell(l, s.p ? s : STR(""), false); }
void listing_none(struct listing *l) { cell(l, STR_NONE, false); }
void listing_u64(struct listing *l, uint64_t v) { cell(l, arena_printf(&l->arena, "%" PRIu64, v), true); }
void listing_i64(struct listing *l, int64_t v) { cell(l, arena_printf(&l->arena, "%" PRId64, v), true); }
void listing_double(struct listing *l, double v, int decimals)
{
	cell(l, arena_printf(&l->arena, "%.*f", decimals, v), true);
}
void listing_number(struct listing *l, struct str digits) { cell(l, digits, true); }

static unsigned columns_of(struct str s) /* code points; wide ones are rare in lists */
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static void table_cell(struct listing *l, struct listing_cell c, unsigned width, bool last)
{
	const char *p = c.text.p, *end = str_end(c.text);
	unsigned have = columns_of(c.text), written = 0;

	for (unsigned i = have; c.number && i < width; i++)
		buf_byte(&l->out, ' ');
	while (p < end && written < (have > width ? width - 1 : width)) {
		uint32_t cp;
		size_t n = utf8_decode(p, end, &cp);

		if (cp < 0x20 || cp == 0x7f) /* control characters of a stranger's page stay out of the terminal */
			buf_byte(&l->out, ' ');
		else
			buf_add(&l->out, p, n);
		p += n;
		written++;
	}
	if (have > width)
		buf_str(&l->out, STR("…"));
	for (unsigned i = have; !c.number && !last && i < width; i++)
		buf_byte(&l->out, ' ');
	buf_str(&l->out, last ? STR("\n") : STR("  "));
}

static void lay_out(struct listing *l)
{
	unsigned total = 0;

	for (size_t i = 0; i < l->shown.n; i++) {
		l->widths[i] = columns_of(str(shown_name(l, i)));
		for (size_t r = 0; r < l->rows.n; r++) {
			unsigned w = columns_of(l->rows.p[r][i].text);

			l->widths[i] = w > l->widths[i] ? w : l->widths[i];
		}
		total += l->widths[i] + 2;
	}
	while (total > l->width + 2) { /* the widest column gives way */
		size_t widest = 0;

		for (size_t i = 1; i < l->shown.n; i++)
			if (l->widths[i] > l->widths[widest])
				widest = i;
		if (l->widths[widest] <= 8)
			break;
		l->widths[widest]--;
		total--;
	}
	for (size_t i = 0; i < l->shown.n; i++)
		table_cell(l, (struct listing_cell){ str(shown_name(l, i)), l->rows.n && l->rows.p[0][i].number },
			   l->widths[i], i + 1 == l->shown.n);
}

static void flush_table(struct listing *l)
{
	if (!l->rows.n)
		return;
	if (l->count <= TABLE_ROWS)
		lay_out(l);
	for (size_t r = 0; r < l->rows.n; r++)
		for (size_t i = 0; i < l->shown.n; i++)
			table_cell(l, l->rows.p[r][i], l->widths[i], i + 1 == l->shown.n);
	l->rows.n = 0;
	arena_reset(&l->arena);
}

static void json_row(struct listing *l, const struct listing_cell *row)
{
	struct json j = { .out = &l->out, .spaced = true };

	if (l->form == LISTING_JSON)
		buf_str(&l->out, l->count == 1 ? STR("{\"rows\": [\n") : STR(",\n"));
	json_open(&j, '{');
	for (size_t i = 0; i < l->shown.n; i++) {
		json_key(&j, shown_name(l, i));
		if (!row[i].text.p) {
			json_null(&j);
		} else if (row[i].number) {
			buf_str(&l->out, row[i].text);
			j.comma = true;
		} else {
			json_str(&j, row[i].text);
		}
	}
	json_close(&j, '}');
	if (l->form == LISTING_JSONL)
		buf_byte(&l->out, '\n');
}

void listing_row(struct listing *l)
{
	struct listing_cell *row = ARENA_ARRAY(&l->arena, struct listing_cell, l->shown.n);

	if (l->filled != l->n)
		BUG("row of %zu cells where there are %zu columns", l->filled, l->n);
	l->filled = 0;
	l->count++;
	for (size_t i = 0; i < l->shown.n; i++)
		row[i] = l->cells[l->shown.p[i]];
	if (l->form == LISTING_TABLE) {
		vec_push(&l->rows, row);
		if (l->rows.n == TABLE_ROWS)
			flush_table(l);
	} else if (l->form >= LISTING_JSONL) {
		json_row(l, row);
	} else {
		for (size_t i = 0; i < l->shown.n; i++)
			separated_cell(l, i, row[i].text);
		buf_byte(&l->out, '\n');
	}
	if (l->form != LISTING_TABLE)
		arena_reset(&l->arena);
	if (l->out.full)
		die("a row of more than %zu MB cannot be written; ask for less of it", l->out.max >> 20);
	if (l->out.n > 64 * KIB) {
		cmd_out(&l->out);
		buf_reset(&l->out);
	}
}

void listing_close(struct listing *l)
{
	flush_table(l);
	if (l->form == LISTING_JSON)
		buf_str(&l->out, l->count ? STR("\n]}\n") : STR("{\"rows\": []}\n"));
	cmd_out(&l->out);
	buf_release(&l->out);
	vec_release(&l->rows);
	arena_release(&l->arena);
	mem_free(l->cells);
	mem_free(l->widths);
	vec_release(&l->shown);
}

/* serve/cdx_format.c -- how rows of a CDX answer look: CDXJ, JSON lines, arrays, words, links; and what a cover adds. */
#include <pthread.h>
#include <stdlib.h>

#include "archive/cdx.h"
#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "flow/members.h"
#include "serve/memento.h"
#include "serve/cdx_scan_int.h"

struct str cdx_bare_digest(struct str digest)
{
	ptrdiff_t colon = str_chr(digest, ':');

	return colon < 0 ? digest : str_sub(digest, (size_t)colon + 1, digest.n);
}

static struct str decimal(uint64_t v, char scratch[32])
{
	char *p = scratch + 32;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	return str_n(p, (size_t)(scratch + 32 - p));
}

static struct cdx line_of(const struct cdx_row *row)
{
	return (struct cdx){ .urlkey = row->urlkey,
			     .time = row->time,
			     .url = row->url,
			     .mime = row->type,
			     .digest = row->digest,
			     .filename = row->file_name,
			     .status = row->status == CAPTURE_NO_STATUS ? -1 : row->status,
			     .length = row->length ? row->length : CDX_NONE,
			     .offset = row->file_name.n ? row->at : CDX_NONE,
			     .redirect = row->redirect,
			     .method = row->method };
}

struct str cdx_value(struct cdx_scan *s, const struct cdx_row *row, enum cdx_column column, char scratch[32])
{
	struct cdx line;

	switch (column) {
	case COL_URLKEY: return row->urlkey;
	case COL_TIMESTAMP: return stamp_14(row->time, scratch);
	case COL_URL: return row->url;
	case COL_MIME: return row->type;
	case COL_STATUS: return row->status == CAPTURE_NO_STATUS ? STR_NONE : decimal((uint64_t)row->status, scratch);
	case COL_DIGEST: return s->q->dialect == CDX_IA ? cdx_bare_digest(row->digest) : row->digest;
	case COL_REDIRECT: return row->redirect;
	case COL_LENGTH: return row->length ? decimal(row->length, scratch) : STR_NONE;
	case COL_OFFSET: return row->file_name.n ? decimal(row->at, scratch) : STR_NONE;
	case COL_FILENAME: return row->file_name;
	case COL_METHOD: return row->method;
	case COL_SOURCE:
	case COL_SOURCE_COLL: return s->set.source;
	case COL_DUPECOUNT: return decimal(s->held_dupes, scratch);
	case COL_SKIPCOUNT: return decimal(s->skipped, scratch);
	case COL_ENDTIMESTAMP: return stamp_14(s->last_skipped, scratch);
	case COL_LINE:
		line = line_of(row);
		buf_reset(&s->text);
		cdx_add(CDX_J, &line, &s->text);
		return str_trim(buf_view(&s->text));
	default: return STR_NONE;
	}
}

bool cdx_place_behind(const struct cdx_scan *s, const struct cdx_row *row)
{
	const struct cdx_place *p = &s->resume;
	int by = str_cmp(row->urlkey, p->key);

	if (by == 0)
		by = row->time < p->time ? -1 : row->time > p->time;
	if (by == 0 && p->id != INT64_MAX)
		by = (int64_t)row->id < p->id ? -1 : (int64_t)row->id > p->id;
	return s->q->sort == CDX_SORT_REVERSE ? by < 0 : by > 0;
}

void cdx_remember(struct cdx_scan *s, const struct cdx_row *row)
{
	s->resume_key.max = 8 * LIMIT_URL;
	buf_reset(&s->resume_key);
	buf_str(&s->resume_key, row->urlkey);
	stamp_14(row->time, s->resume_stamp);
	s->resume_time = row->time;
	s->resume_id = row->id;
}

void cdx_more(struct cdx_scan *s, const struct cdx_row *row)
{
	s->more = true;
	s->more_same_time = row->time == s->resume_time && str_eq(row->urlkey, buf_view(&s->resume_key));
}

/* ---- what a cover adds ---- */

/* How many captures each kept one stands for: by capture, ascending; made once per cover and process. */
struct covered {
	uint64_t cover;
	char *dir;
	VEC(uint64_t) id;
	VEC(uint32_t) n;
};
enum { COVERS_KEPT = 4 };
static struct covered remembered[COVERS_KEPT];
static unsigned next_slot;
static pthread_mutex_t covered_lock = PTHREAD_MUTEX_INITIALIZER;

static void forget(struct covered *k)
{
	mem_free(k->dir);
	vec_release(&k->id);
	vec_release(&k->n);
	*k = (struct covered){ 0 };
}

static void note_covered(void *context, uint64_t kept, uint64_t covers)
{
	struct covered *k = context;

	vec_push(&k->id, kept);
	vec_push(&k->n, (uint32_t)covers);
}

int cdx_covered_count(struct catalog *c, uint64_t cover, uint64_t capture, uint64_t *out, struct err *err)
{
	struct covered *k = NULL;
	int rc = WN_OK;

	*out = 0;
	pthread_mutex_lock(&covered_lock);
	for (unsigned i = 0; i < COVERS_KEPT; i++)
		if (remembered[i].dir && remembered[i].cover == cover && strcmp(remembered[i].dir, catalog_dir(c)) == 0)
			k = &remembered[i];
	if (!k) {
		k = &remembered[next_slot++ % COVERS_KEPT];
		forget(k);
		k->cover = cover;
		k->dir = mem_strdup(catalog_dir(c));
		if ((rc = members_covering(c, cover, note_covered, k, err)) < 0)
			forget(k);
	}
	for (size_t low = 0, high = k->id.n; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (k->id.p[middle] == capture) {
			*out = k->n.p[middle];
			break;
		}
		if (k->id.p[middle] < capture)
			low = middle + 1;
		else
			high = middle;
	}
	pthread_mutex_unlock(&covered_lock);
	return rc;
}

/* ---- writing ---- */

/* What stands in columns that another row must be read for. */
struct extras {
	struct str original[3]; /* length, offset, file name */
	char length[32], offset[32], count[32];
	struct str covered_count, covered_by;
	struct arena arena;
};

static int find_extras(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, struct extras *x,
		       struct err *err)
{
	struct cdx_row o;
	uint64_t n;
	int rc;

	if (s->q->resolve_revisits) {
		x->original[0] = x->original[1] = x->original[2] = STR("-");
		if (row->kind == CAPTURE_REVISIT && row->original) {
			if ((rc = catalog_cdx_row(c, row->original, &o, err)) < 0 && rc != WN_NONE)
				return rc;
			if (rc == WN_OK) {
				x->original[0] = decimal(o.length, x->length);
				x->original[1] = decimal(o.at, x->offset);
				x->original[2] = arena_str(&x->arena, o.file_name);
			}
		}
	}
	if (!s->q->cover)
		return WN_OK;
	if (s->cover_state == 1) {
		if ((rc = cdx_covered_count(c, s->q->cover, row->id, &n, err)) < 0)
			return rc;
		x->covered_count = decimal(n, x->count);
		return WN_OK;
	}
	x->covered_count = STR("0");
	if ((rc = catalog_cdx_row(c, s->witness, &o, err)) == WN_OK &&
	    acl_allows(s->set.acl, o.urlkey, o.time, s->set.user)) {
		char stamp[15];

		x->covered_by = arena_printf(&x->arena, "%s/%.*s", stamp_14(o.time, stamp).p, STR_FMT(o.url));
	}
	return rc == WN_NONE ? WN_OK : rc;
}

static struct str value_of(struct cdx_scan *s, const struct cdx_row *row, const struct extras *x,
			   enum cdx_column column, char scratch[32])
{
	switch (column) {
	case COL_ORIG_LENGTH: return x->original[0];
	case COL_ORIG_OFFSET: return x->original[1];
	case COL_ORIG_FILENAME: return x->original[2];
	case COL_COVEREDCOUNT: return x->covered_count;
	case COL_COVEREDBY: return x->covered_by;
	default: return cdx_value(s, row, column, scratch);
	}
}

static void add_word(struct buf *out, struct str v)
{
	if (v.n == 0)
		buf_byte(out, '-');
	for (size_t i = 0; i < v.n; i++) {
		unsigned char ch = (unsigned char)v.p[i];

		if (ch <= ' ' || ch == 0x7f)
			buf_printf(out, "%%%02X", ch);
		else
			buf_byte(out, (char)ch);
	}
}

static void write_object(struct cdx_scan *s, const struct cdx_row *row, const struct extras *x, bool with_key,
			 struct buf *out)
{
	bool first = true;

	buf_byte(out, '{');
	for (unsigned i = 0; i < s->q->n_fields; i++) {
		enum cdx_column column = s->q->fields[i];
		char scratch[32];
		struct str v = value_of(s, row, x, column, scratch);

		if (v.n == 0 || (!with_key && !s->q->fields_given && (column == COL_URLKEY || column == COL_TIMESTAMP)))
			continue;
		buf_str(out, first ? STR("\"") : STR(", \""));
		first = false;
		buf_str(out, str(cdx_column_name(s->q->dialect, column)));
		buf_str(out, STR("\": "));
		json_quote(out, v);
	}
	buf_byte(out, '}');
}

static void write_cdxj(struct cdx_scan *s, const struct cdx_row *row, const struct extras *x, bool plain,
		       struct buf *out)
{
	char stamp[15];

	if (plain) {
		struct cdx line = line_of(row);

		cdx_add(CDX_J, &line, out);
		return;
	}
	add_word(out, row->urlkey);
	buf_byte(out, ' ');
	buf_str(out, stamp_14(row->time, stamp));
	buf_byte(out, ' ');
	write_object(s, row, x, false, out);
	buf_byte(out, '\n');
}

static void write_words(struct cdx_scan *s, const struct cdx_row *row, const struct extras *x, struct buf *out)
{
	for (unsigned i = 0; i < s->q->n_fields; i++) {
		char scratch[32];

		if (i)
			buf_byte(out, ' ');
		add_word(out, value_of(s, row, x, s->q->fields[i], scratch));
	}
	buf_byte(out, '\n');
}

static void write_array(struct cdx_scan *s, const struct cdx_row *row, const struct extras *x, struct buf *out)
{
	if (s->written == 1) { /* the header row comes with the first: an empty answer is [] */
		buf_byte(out, '[');
		for (unsigned i = 0; i < s->q->n_fields; i++)
			buf_printf(out, "%s\"%s\"", i ? "," : "", cdx_column_name(s->q->dialect, s->q->fields[i]));
		buf_byte(out, ']');
	}
	buf_str(out, STR(",\n["));
	for (unsigned i = 0; i < s->q->n_fields; i++) {
		char scratch[32];
		struct str v = value_of(s, row, x, s->q->fields[i], scratch);

		if (i)
			buf_byte(out, ',');
		json_quote(out, v.n ? v : STR("-"));
	}
	buf_byte(out, ']');
}

static void write_link(struct cdx_scan *s, const struct cdx_row *row, struct buf *out)
{
	char stamp[15], date[30];

	if (s->written > 1)
		buf_str(out, STR(",\n"));
	buf_byte(out, '<');
	buf_str(out, s->set.memento);
	buf_str(out, stamp_14(row->time, stamp));
	buf_str(out, STR("mp_/"));
	memento_target(out, row->url);
	buf_printf(out, ">; rel=\"memento\"; datetime=\"%s\"", stamp_http(row->time, date).p);
}

void cdx_write_head(struct cdx_scan *s, struct buf *out)
{
	if (s->q->output == CDX_OUT_ARRAY)
		buf_byte(out, '[');
}

int cdx_write_row(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, struct buf *out, struct err *err)
{
	const struct cdx_query *q = s->q;
	bool plain =
	    !q->fields_given && !q->resolve_revisits && !q->cover && !q->dupe_count && !q->skip_count && !q->last_skip;
	struct extras x = { .covered_count = STR_NONE };
	int rc = plain && !q->fields_given ? WN_OK : find_extras(s, c, row, &x, err);

	switch (rc < 0 ? -1 : (int)q->output) {
	case CDX_OUT_CDXJ: write_cdxj(s, row, &x, plain && q->dialect == CDX_PYWB, out); break;
	case CDX_OUT_NDJSON:
		write_object(s, row, &x, true, out);
		buf_byte(out, '\n');
		break;
	case CDX_OUT_LINK: write_link(s, row, out); break;
	case CDX_OUT_ARRAY: write_array(s, row, &x, out); break;
	case CDX_OUT_TEXT:
		if (q->dialect == CDX_PYWB && !q->fields_given)
			write_cdxj(s, row, &x, plain, out);
		else
			write_words(s, row, &x, out);
		break;
	default: break;
	}
	arena_release(&x.arena);
	return rc < 0 ? rc : WN_OK;
}

void cdx_write_block(struct cdx_scan *s, uint64_t block, const struct cdx_row *first, struct buf *out)
{
	char stamp[15];

	stamp_14(first->time, stamp);
	if (s->q->output == CDX_OUT_NDJSON || s->q->output == CDX_OUT_ARRAY) {
		buf_str(out, STR("{\"urlkey\": "));
		buf_reset(&s->text);
		buf_str(&s->text, first->urlkey);
		buf_byte(&s->text, ' ');
		buf_str(&s->text, str(stamp));
		json_quote(out, buf_view(&s->text));
		buf_printf(out, ", \"part\": \"catalog\", \"offset\": %llu, \"length\": %d, \"lineno\": %llu}\n",
			   (unsigned long long)block * CDX_BLOCK, CDX_BLOCK, (unsigned long long)block + 1);
		return;
	}
	add_word(out, first->urlkey);
	buf_printf(out, " %s\tcatalog\t%llu\t%d\t%llu\n", stamp, (unsigned long long)block * CDX_BLOCK, CDX_BLOCK,
		   (unsigned long long)block + 1);
}

/* As a form encodes it: what clients send back as it is. */
static void add_escaped(struct buf *out, struct str v)
{
	for (size_t i = 0; i < v.n; i++) {
		char ch = v.p[i];

		if (ascii_alpha(ch) || ascii_digit(ch) || ch == '-' || ch == '_' || ch == '.' || ch == '*')
			buf_byte(out, ch);
		else if (ch == ' ')
			buf_byte(out, '+');
		else
			buf_printf(out, "%%%02X", (unsigned char)ch);
	}
}

static void add_resume_key(struct cdx_scan *s, struct buf *out)
{
	add_escaped(out, buf_view(&s->resume_key));
	buf_printf(out, "+%s", s->resume_stamp);
	if (s->more_same_time)
		buf_printf(out, "+%llu", (unsigned long long)s->resume_id);
	buf_str(out, STR("%21"));
}

void cdx_write_tail(struct cdx_scan *s, struct buf *out)
{
	bool resume = s->q->show_resume && s->more && s->q->sort != CDX_SORT_CLOSEST;

	if (s->q->output == CDX_OUT_LINK && s->written)
		buf_byte(out, '\n');
	if (s->q->output == CDX_OUT_ARRAY) {
		if (resume) {
			buf_str(out, STR(",\n[],\n[\""));
			add_resume_key(s, out);
			buf_str(out, STR("\"]"));
		}
		buf_str(out, STR("]\n"));
	} else if (resume && s->q->output != CDX_OUT_LINK) {
		buf_byte(out, '\n');
		add_resume_key(s, out);
		buf_byte(out, '\n');
	}
}

/* serve/cdx_scan.c -- see cdx_scan.h.
 *
 * Rows come from a source (one range, or for sort=closest one to either side
 * of the time, merged by distance), pass cover, access rules and filters, are
 * collapsed with their neighbours, and are written by cdx_format.c.  What needs
 * to know the row behind (skip counts, collapsing to the last, whether there is
 * more to resume) holds one row back.
 * limit=-N first finds where the last N rows begin: backwards where rows do not
 * depend on those before them, else by counting forwards.
 */
#include "serve/cdx_scan.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "serve/cdx_scan_int.h"

enum { ROWS_PER_FILL = 50000 };

struct cdx_scan *cdx_scan_new(const struct cdx_query *query, const struct cdx_setting *setting)
{
	struct cdx_scan *s = mem_zalloc(sizeof *s);

	s->q = query;
	s->set = *setting;
	for (unsigned i = 0; i < query->n_filters; i++)
		if (query->filters[i].regex)
			s->runs[i] = regex_run_new(query->filters[i].regex);
	s->collapsed = s->collapse_now = BUF(8 * LIMIT_URL * CDX_COLLAPSES);
	s->text = BUF(2 * LIMIT_CDX_LINE);
	return s;
}

void cdx_scan_free(struct cdx_scan *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->q->n_filters; i++)
		if (s->runs[i])
			regex_run_free(s->runs[i]);
	buf_release(&s->collapsed);
	buf_release(&s->collapse_now);
	buf_release(&s->text);
	buf_release(&s->resume_key);
	map_release(&s->digests);
	arena_release(&s->places);
	arena_release(&s->held_arena);
	arena_release(&s->digest_key);
	mem_free(s);
}

/* ---- the source of rows ---- */

static void keep_place(struct cdx_scan *s, struct cdx_place *p, const struct cdx_row *row, int64_t id)
{
	if (!str_eq(p->key, row->urlkey)) {
		if (s->places.used > 4 * MIB) { /* places of long ago */
			struct str a = s->side[0].from.key, b = s->side[0].to.key, c = s->side[1].from.key,
				   d = s->side[1].to.key;
			struct arena fresh = { 0 };

			s->side[0].from.key = arena_str(&fresh, a);
			s->side[0].to.key = arena_str(&fresh, b);
			s->side[1].from.key = arena_str(&fresh, c);
			s->side[1].to.key = arena_str(&fresh, d);
			arena_release(&s->places);
			s->places = fresh;
		}
		p->key = arena_str(&s->places, row->urlkey);
	}
	p->time = row->time;
	p->id = id;
}

static int open_sides(struct cdx_scan *s, struct catalog *c, struct err *err)
{
	int rc = WN_OK;

	for (unsigned i = 0; i < s->n_sides && rc == WN_OK; i++)
		if (!s->side_end[i])
			rc = catalog_cdx(c, &s->side[i], &s->cursor[i], err);
	s->peeked[0] = s->peeked[1] = false;
	return rc;
}

static void close_sides(struct cdx_scan *s)
{
	for (unsigned i = 0; i < s->n_sides; i++) {
		cdx_close(s->cursor[i]);
		s->cursor[i] = NULL;
	}
}

static int peek(struct cdx_scan *s, unsigned i, struct err *err)
{
	int rc;

	if (s->peeked[i] || s->side_end[i])
		return WN_OK;
	rc = cdx_next(s->cursor[i], &s->next[i], err);
	s->side_end[i] = rc == WN_END;
	s->peeked[i] = rc == WN_OK;
	return rc < 0 ? rc : WN_OK;
}

/* The next row of the source; its strings last until the next call. */
static int next_row(struct cdx_scan *s, struct cdx_row *out, struct err *err)
{
	unsigned pick = 0;
	int rc;

	for (unsigned i = 0; i < s->n_sides; i++)
		if ((rc = peek(s, i, err)) < 0)
			return rc;
	if (s->n_sides == 2) { /* 0 before the time, 1 at it or after */
		if (s->side_end[0] ||
		    (!s->side_end[1] && s->next[1].time - s->q->closest < s->q->closest - s->next[0].time))
			pick = 1;
	}
	if (s->side_end[pick])
		return WN_END;
	*out = s->next[pick];
	s->peeked[pick] = false;
	if (s->side[pick].backward)
		keep_place(s, &s->side[pick].to, out, (int64_t)out->id);
	else
		keep_place(s, &s->side[pick].from, out, (int64_t)out->id + 1);
	return WN_OK;
}

/* ---- which rows ---- */

static bool filter_passes(struct cdx_scan *s, unsigned i, const struct cdx_row *row)
{
	const struct cdx_filter *f = &s->q->filters[i];
	char scratch[32];
	struct str v = cdx_value(s, row, f->column, scratch);
	bool hit;

	switch (f->kind) {
	case FILTER_CONTAINS: hit = f->text.n == 0 || str_find(v, f->text) >= 0; break;
	case FILTER_EQUALS:
		hit = str_eq(v, f->text) ||
		      (f->column == COL_DIGEST && str_eq(cdx_bare_digest(v), cdx_bare_digest(f->text)) && v.n);
		break;
	default: hit = regex_match(s->runs[i], v); break;
	}
	return hit != f->negated;
}

/* cover, access rules, filters */
static int row_passes(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, bool *passes, struct err *err)
{
	int rc;

	*passes = false;
	if (s->q->cover) {
		if ((rc = catalog_cover_state(c, s->q->cover, row->id, &s->cover_state, &s->witness, err)) < 0)
			return rc;
		if (s->cover_state == 0 && !s->q->covered_too) /* what it says nothing of (images, errors) stays */
			return WN_OK;
	}
	if (!acl_allows(s->set.acl, row->urlkey, row->time, s->set.user))
		return WN_OK;
	for (unsigned i = 0; i < s->q->n_filters; i++)
		if (!filter_passes(s, i, row))
			return WN_OK;
	if (s->q->omit_self && row->redirect.n && surt_leads_to(s->q->omit_self, row->url, row->redirect, row->urlkey))
		return WN_OK;
	*passes = true;
	return WN_OK;
}

/* Whether the row is equal, in all that is collapsed by, to the one before. */
static bool same_as_before(struct cdx_scan *s, const struct cdx_row *row)
{
	struct buf swap;
	bool same;

	if (!s->q->n_collapses)
		return false;
	buf_reset(&s->collapse_now);
	for (unsigned i = 0; i < s->q->n_collapses; i++) {
		const struct cdx_collapse *k = &s->q->collapses[i];
		char scratch[32];
		struct str v = cdx_value(s, row, k->column, scratch);

		buf_str(&s->collapse_now, k->length ? str_sub(v, 0, k->length) : v);
		buf_byte(&s->collapse_now, 0);
	}
	same = s->has_before && str_eq(buf_view(&s->collapsed), buf_view(&s->collapse_now));
	swap = s->collapsed;
	s->collapsed = s->collapse_now;
	s->collapse_now = swap;
	s->has_before = true;
	return same;
}

static uint64_t count_digest(struct cdx_scan *s, const struct cdx_row *row)
{
	struct str digest = cdx_bare_digest(row->digest);
	uint64_t *n;

	if (!str_eq(s->digest_of, row->urlkey)) {
		map_release(&s->digests);
		arena_reset(&s->digest_key);
		s->digest_of = arena_str(&s->digest_key, row->urlkey);
	}
	if (s->digests.n >= LIMIT_CDX_DIGESTS)
		return 0;
	n = map_put(&s->digests, hash64(digest.p, digest.n), 0);
	return (*n)++;
}

/* ---- rows held back ---- */

static void hold(struct cdx_scan *s, const struct cdx_row *row)
{
	struct cdx_row *h = &s->held;
	struct str *all[] = { &h->urlkey, &h->url, &h->type, &h->digest, &h->redirect, &h->method, &h->file_name };

	arena_reset(&s->held_arena);
	*h = *row;
	for (size_t i = 0; i < COUNT(all); i++)
		*all[i] = arena_str(&s->held_arena, *all[i]);
	s->holding = true;
	s->held_cover = s->cover_state;
	s->held_witness = s->witness;
}

static int emit(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, struct buf *out, struct err *err)
{
	if (s->counting) {
		s->counted++;
		return WN_OK;
	}
	if (s->to_skip) {
		s->to_skip--;
		return WN_OK;
	}
	s->written++;
	if (s->q->show_resume)
		cdx_remember(s, row);
	return cdx_write_row(s, c, row, out, err);
}

static int emit_held(struct cdx_scan *s, struct catalog *c, struct buf *out, struct err *err)
{
	int state = s->cover_state, rc;
	uint64_t witness = s->witness;

	if (!s->holding)
		return WN_OK;
	s->holding = false;
	s->cover_state = s->held_cover;
	s->witness = s->held_witness;
	rc = emit(s, c, &s->held, out, err);
	s->cover_state = state;
	s->witness = witness;
	return rc;
}

static bool holds_back(const struct cdx_query *q)
{
	return q->skip_count || q->last_skip || (q->collapse_to_last && q->n_collapses);
}

static void note_skip(struct cdx_scan *s, const struct cdx_row *row)
{
	s->skipped++;
	s->last_skipped = row->time;
}

static bool limit_reached(const struct cdx_scan *s)
{
	return s->q->limited && s->q->limit >= 0 && !s->counting && s->written >= (uint64_t)s->q->limit;
}

/* One row of the source.  *over: nothing behind it is wanted. */
static int take_row(struct cdx_scan *s, struct catalog *c, const struct cdx_row *row, struct buf *out, bool *over,
		    struct err *err)
{
	bool passes;
	int rc;

	if (s->priming && cdx_place_behind(s, row))
		s->priming = false;
	if ((rc = row_passes(s, c, row, &passes, err)) < 0)
		return rc;
	if (passes && s->q->dupe_count)
		s->dupes = count_digest(s, row);
	if (s->priming) { /* only so that the next row knows its neighbour */
		if (passes)
			same_as_before(s, row);
		return WN_OK;
	}
	if (passes && same_as_before(s, row)) {
		if (s->q->collapse_to_last) {
			hold(s, row);
			s->held_dupes = s->dupes;
		} else {
			note_skip(s, row);
		}
		return WN_OK;
	}
	if (!passes) {
		if (s->holding)
			note_skip(s, row);
		return WN_OK;
	}
	if (holds_back(s->q)) {
		if ((rc = emit_held(s, c, out, err)) < 0)
			return rc;
		if ((*over = limit_reached(s))) {
			cdx_more(s, row);
			return WN_OK;
		}
		hold(s, row);
		s->held_dupes = s->dupes;
		s->skipped = 0;
		s->last_skipped = row->time;
		return WN_OK;
	}
	if ((*over = limit_reached(s))) {
		cdx_more(s, row);
		return WN_OK;
	}
	s->held_dupes = s->dupes;
	rc = emit(s, c, row, out, err);
	/* without a resume key nobody asks whether there is more */
	*over = limit_reached(s) && !s->q->show_resume;
	return rc;
}

static int run_rows(struct cdx_scan *s, struct catalog *c, struct buf *out, size_t enough, bool *over, struct err *err)
{
	struct cdx_row row;
	uint64_t rows = 0;
	int rc = WN_OK;

	*over = false;
	if (s->q->limited && s->q->limit == 0)
		*over = true;
	if (*over || (rc = open_sides(s, c, err)) < 0)
		goto out;
	while (!*over && out->n < enough && rows++ < ROWS_PER_FILL) {
		rc = next_row(s, &row, err);
		if (rc == WN_END) {
			rc = emit_held(s, c, out, err);
			*over = true;
			break;
		}
		if (rc < 0 || (rc = take_row(s, c, &row, out, over, err)) < 0)
			break;
	}
out:
	close_sides(s);
	return rc < 0 ? rc : WN_OK;
}

/* ---- where to begin ---- */

static struct cdx_place later(struct cdx_place a, struct cdx_place b)
{
	int by = str_cmp(a.key, b.key);

	if (by)
		return by > 0 ? a : b;
	return a.time != b.time ? (a.time > b.time ? a : b) : a.id > b.id ? a : b;
}

static void whole_range(struct cdx_scan *s)
{
	const struct cdx_query *q = s->q;
	struct cdx_range *r = &s->side[0];

	*r = (struct cdx_range){ .backward = q->sort == CDX_SORT_REVERSE };
	r->from = (struct cdx_place){ q->key, q->exact ? q->time_from : INT64_MIN, INT64_MIN };
	r->to = q->exact ? (struct cdx_place){ q->key, q->time_to, INT64_MAX }
			 : (struct cdx_place){ q->end, INT64_MIN, INT64_MIN };
	r->timed = q->timed && !q->exact;
	r->time_from = q->time_from;
	r->time_to = q->time_to;
	s->n_sides = 1;
	if (q->sort == CDX_SORT_CLOSEST) {
		int64_t at = q->closest > q->time_to	 ? q->time_to + (q->time_to < INT64_MAX)
			     : q->closest < q->time_from ? q->time_from
							 : q->closest;

		s->n_sides = 2;
		s->side[1] = *r;
		r->backward = true;
		r->to = (struct cdx_place){ q->key, at, INT64_MIN };
		s->side[1].from = (struct cdx_place){ q->key, at, INT64_MIN };
	}
}

/* Behind the place that the client was given; one row earlier when rows are collapsed. */
static void begin_resumed(struct cdx_scan *s)
{
	struct cdx_place p = s->q->resume;
	struct cdx_range *r = &s->side[0];
	bool prime = s->q->n_collapses > 0;

	s->resume = p;
	s->priming = prime;
	if (!r->backward) {
		struct cdx_place start = prime
					     ? (struct cdx_place){ p.key, p.time, p.id == INT64_MAX ? INT64_MIN : p.id }
					     : (struct cdx_place){ p.key, p.time, p.id == INT64_MAX ? p.id : p.id + 1 };
		r->from = later(r->from, start);
	} else {
		struct cdx_place end = prime
					   ? (struct cdx_place){ p.key, p.time, p.id == INT64_MAX ? p.id : p.id + 1 }
					   : (struct cdx_place){ p.key, p.time, p.id == INT64_MAX ? INT64_MIN : p.id };
		if (!r->to.key.n || later(r->to, end).key.p == r->to.key.p)
			r->to = end;
	}
}

/* Walks the keys of the range that may be seen: each block of CDX_BLOCK rows begins at a place.  Calls each with it. */
static int each_block(struct cdx_scan *s, struct catalog *c,
		      int (*each)(void *context, uint64_t block, const struct cdx_row *first), void *context,
		      uint64_t *rows, struct err *err)
{
	struct cdx_range r = s->side[0];
	struct cdx_cursor *cur = NULL;
	struct cdx_row row;
	int rc;

	*rows = 0;
	r.keys_only = true;
	if ((rc = catalog_cdx(c, &r, &cur, err)) < 0)
		return rc;
	while ((rc = cdx_next(cur, &row, err)) == WN_OK) {
		if (!acl_allows(s->set.acl, row.urlkey, row.time, s->set.user))
			continue;
		if (*rows % CDX_BLOCK == 0 && (rc = each(context, *rows / CDX_BLOCK, &row)) != WN_OK)
			break;
		++*rows;
	}
	cdx_close(cur);
	return rc < 0 ? rc : WN_OK;
}

struct page_finder {
	struct cdx_scan *s;
	uint64_t first, end; /* blocks */
	struct cdx_place from, to;
	bool has_from, has_to;
};

static int find_page(void *context, uint64_t block, const struct cdx_row *row)
{
	struct page_finder *f = context;
	struct cdx_place p = { arena_str(&f->s->held_arena,
					 block == f->first || block == f->end ? row->urlkey : STR_NONE),
			       row->time, (int64_t)row->id };

	if (block == f->first) {
		f->from = p;
		f->has_from = true;
	}
	if (block == f->end) {
		f->to = p;
		f->has_to = true;
		return WN_END;
	}
	return WN_OK;
}

static int begin_page(struct cdx_scan *s, struct catalog *c, struct err *err)
{
	struct page_finder f = { .s = s,
				 .first = s->q->page * s->q->page_size,
				 .end = (s->q->page + 1) * s->q->page_size };
	struct cdx_range *r = &s->side[0];
	uint64_t rows;
	int rc;

	if ((rc = each_block(s, c, find_page, &f, &rows, err)) < 0)
		return rc;
	if (!f.has_from) {
		s->side_end[0] = true;
		return WN_OK;
	}
	f.from.key = arena_str(&s->places, f.from.key);
	f.to.key = arena_str(&s->places, f.to.key);
	if (r->backward) { /* rows go down: from is the upper end, and belongs to the page */
		r->to = f.from;
		r->to.id++;
		if (f.has_to) {
			r->from = f.to;
			r->from.id++;
		}
	} else {
		r->from = f.from;
		if (f.has_to)
			r->to = f.to;
	}
	return WN_OK;
}

static int count_block(void *context, uint64_t block, const struct cdx_row *row)
{
	(void)context, (void)block, (void)row;
	return WN_OK;
}

static int show_pages(struct cdx_scan *s, struct catalog *c, struct buf *out, struct err *err)
{
	uint64_t rows, blocks, pages;
	int rc;

	if ((rc = each_block(s, c, count_block, NULL, &rows, err)) < 0)
		return rc;
	blocks = (rows + CDX_BLOCK - 1) / CDX_BLOCK;
	pages = (blocks + s->q->page_size - 1) / s->q->page_size;
	if (s->q->dialect == CDX_IA)
		buf_printf(out, "%llu\n", (unsigned long long)pages);
	else
		buf_printf(out, "{\"blocks\": %llu, \"pages\": %llu, \"pageSize\": %llu}\n", (unsigned long long)blocks,
			   (unsigned long long)pages, (unsigned long long)s->q->page_size);
	return WN_OK;
}

struct block_writer {
	struct cdx_scan *s;
	struct buf *out;
};

static int write_block(void *context, uint64_t block, const struct cdx_row *row)
{
	struct block_writer *w = context;

	cdx_write_block(w->s, block, row, w->out);
	return w->out->full ? WN_END : WN_OK;
}

/* limit=-N: how many rows in front of the last N are passed over, or where these begin. */
static int begin_last(struct cdx_scan *s, struct catalog *c, struct err *err)
{
	uint64_t want = (uint64_t)-s->q->limit, seen = 0;
	struct cdx_range r = s->side[0];
	struct cdx_cursor *cur = NULL;
	struct cdx_row row;
	bool passes;
	int rc;

	r.backward = !r.backward;
	if ((rc = catalog_cdx(c, &r, &cur, err)) < 0)
		return rc;
	while (seen < want && (rc = cdx_next(cur, &row, err)) == WN_OK) {
		if ((rc = row_passes(s, c, &row, &passes, err)) < 0)
			break;
		if (passes && ++seen == want) {
			if (s->side[0].backward)
				keep_place(s, &s->side[0].to, &row, (int64_t)row.id + 1);
			else
				keep_place(s, &s->side[0].from, &row, (int64_t)row.id);
		}
	}
	cdx_close(cur);
	return rc < 0 ? rc : WN_OK;
}

static int count_all(struct cdx_scan *s, struct catalog *c, uint64_t *out, struct err *err)
{
	struct buf nothing = BUF(1);
	bool over = false;
	int rc = WN_OK;

	s->counting = true;
	while (!over && rc == WN_OK)
		rc = run_rows(s, c, &nothing, SIZE_MAX, &over, err);
	*out = s->counted;
	buf_release(&nothing);
	return rc;
}

/* Rows depend on those before them: count them all, then begin anew. */
static int begin_last_counted(struct cdx_scan *s, struct catalog *c, struct err *err)
{
	struct cdx_scan *twin = cdx_scan_new(s->q, &s->set);
	uint64_t all = 0, last = (uint64_t)-s->q->limit;
	int rc;

	for (unsigned i = 0; i < 2; i++) {
		twin->side[i] = s->side[i];
		twin->side_end[i] = s->side_end[i];
	}
	twin->n_sides = s->n_sides;
	twin->resume = s->resume;
	twin->priming = s->priming;
	rc = count_all(twin, c, &all, err);
	s->to_skip = all > last ? all - last : 0;
	cdx_scan_free(twin);
	return rc;
}

static int begin(struct cdx_scan *s, struct catalog *c, struct buf *out, bool *done, struct err *err)
{
	const struct cdx_query *q = s->q;
	int rc = WN_OK;

	s->begun = true;
	whole_range(s);
	if (q->exact && q->timed && q->time_from > q->time_to)
		s->side_end[0] = s->side_end[1] = true;
	if (q->show_pages || q->show_index) {
		struct block_writer w = { s, out };
		uint64_t rows;

		*done = true;
		return q->show_pages ? show_pages(s, c, out, err) : each_block(s, c, write_block, &w, &rows, err);
	}
	if (q->resumed)
		begin_resumed(s);
	if (q->paged && (rc = begin_page(s, c, err)) < 0)
		return rc;
	s->to_skip = q->offset;
	if (q->limited && q->limit < 0) {
		bool depends = q->n_collapses || q->dupe_count || q->skip_count || q->last_skip;

		s->to_skip = 0;
		rc = s->side_end[0] ? WN_OK : depends ? begin_last_counted(s, c, err) : begin_last(s, c, err);
	}
	cdx_write_head(s, out);
	return rc;
}

int cdx_scan_fill(struct cdx_scan *s, struct catalog *c, struct buf *out, size_t enough, bool *done, struct err *err)
{
	bool over = false;
	int rc = WN_OK;

	*done = false;
	if (!s->begun && ((rc = begin(s, c, out, done, err)) < 0 || *done))
		return rc;
	if ((rc = run_rows(s, c, out, enough, &over, err)) < 0)
		return rc;
	if (over) {
		cdx_write_tail(s, out);
		*done = true;
	}
	return out->full ? err_set(err, WN_LIMIT, "a row is too long") : WN_OK;
}

/* ---- nearest ---- */

int cdx_nearest(struct catalog *c, struct arena *a, struct str urlkey, int64_t time, const struct cdx_setting *setting,
		struct cdx_row *out, struct err *err)
{
	struct cdx_query q = { .key = urlkey,
			       .exact = true,
			       .sort = CDX_SORT_CLOSEST,
			       .closest = time,
			       .time_from = INT64_MIN,
			       .time_to = INT64_MAX };
	struct cdx_scan s = { .q = &q, .set = *setting };
	struct str *all[] = { &out->urlkey,   &out->url,    &out->type,	    &out->digest,
			      &out->redirect, &out->method, &out->file_name };
	int rc;

	whole_range(&s);
	if ((rc = open_sides(&s, c, err)) == WN_OK)
		while ((rc = next_row(&s, out, err)) == WN_OK &&
		       !acl_allows(s.set.acl, out->urlkey, out->time, s.set.user))
			;
	for (size_t i = 0; i < COUNT(all) && rc == WN_OK; i++)
		*all[i] = arena_str(a, *all[i]);
	close_sides(&s);
	arena_release(&s.places);
	return rc == WN_END ? WN_NONE : rc;
}

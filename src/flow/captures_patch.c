/* flow/captures_patch.c -- a table of captures brought to the present (captures.h).
 *
 * The catalogue lists every capture that was altered or removed; those added
 * have larger ids than any before.  What came is put after its nearest
 * predecessor by urlkey and time that stays; captures of the same urlkey and
 * second are taken out and put in again together, so that their order is made
 * in one place.  Of a capture whose urlkey is in the table, and not that second, the table itself tells the place;
 * like the order of the table it takes 64 bits of a urlkey for the urlkey.
 * Cost: a question or a few for each change, passes over three arrays of the table.
 */
#include "base/map.h"
#include "base/vec.h"
#include "flow/captures_int.h"

#define NOT_THERE UINT64_MAX
#define PATCH_SHARE 4 /* more than a quarter changed: reading all is cheaper */

struct patch {
	sqlite3 *db;
	struct err *err;
	struct captures *old;
	struct arena arena;
	sqlite3_stmt *row_of, *near, *before;
	struct map out;		      /* ids that leave the old table, and */
	VEC(uint32_t) taken;	      /* the same, listed */
	VEC(struct capture_place) in; /* that stand somewhere new */
	struct captures rows;	      /* theirs, as they were read */
	size_t room;
	uint32_t *at_of; /* [last + 1] place of an id in the old table */
	uint32_t *row;	 /* [old->n] where that has it */
	struct map urls; /* of what stands somewhere new: where the urlkey's captures begin there, or NOT_THERE */
	uint8_t *leaves; /* [old->n] */
};

static int failed(struct patch *p) { return err_set(p->err, WN_CATALOG, "captures: %s", sqlite3_errmsg(p->db)); }

#define CAPTURE_ROW                                                                                \
	"select " CAPTURE_COLUMNS ", t.words, t.shingles, t.shingles_main, t.lang, " PLACE_COLUMNS \
	" from capture c left join content t on t.id = c.content left join file f on f.id = c.file "

/* A row of CAPTURE_ROW, into row i. */
static void note_capture(struct patch *p, sqlite3_stmt *s, struct captures *out, size_t i, struct capture_place *at)
{
	captures_row(out, i, s);
	out->words[i] = (uint32_t)sqlite3_column_int64(s, 12);
	out->shingles[i] = (uint32_t)sqlite3_column_int64(s, 13);
	out->shingles_main[i] = (uint32_t)sqlite3_column_int64(s, 14);
	out->lang[i] = (uint32_t)sqlite3_column_int64(s, 15);
	captures_place(at, s, 16, &p->arena);
	out->url[i] = captures_url(at->urlkey);
}

/* Reads a capture into row i; WN_NONE when it is gone. */
static int read_capture(struct patch *p, uint32_t id, struct captures *out, size_t i, struct capture_place *at)
{
	int step;

	if (!p->row_of && sqlite3_prepare_v2(p->db, CAPTURE_ROW "where c.id = ?", -1, &p->row_of, NULL) != SQLITE_OK)
		return failed(p);
	sqlite3_bind_int64(p->row_of, 1, id);
	step = sqlite3_step(p->row_of);
	if (step == SQLITE_ROW)
		note_capture(p, p->row_of, out, i, at);
	sqlite3_reset(p->row_of);
	return step == SQLITE_ROW ? WN_OK : step == SQLITE_DONE ? WN_NONE : failed(p);
}

static void make_room(struct patch *p)
{
	struct captures more = { 0 };

	if (p->in.n < p->room)
		return;
	p->room = 2 * p->room + 256;
	captures_alloc(&more, p->room);
	if (p->in.n)
		captures_copy(&more, 0, &p->rows, 0, p->in.n);
	captures_release(&p->rows);
	p->rows = more;
}

/* Notes that an id leaves; false: it did before. */
static bool takes_out(struct patch *p, uint32_t id)
{
	size_t before = p->out.n;

	map_put(&p->out, id, 1);
	if (p->out.n == before)
		return false;
	vec_push(&p->taken, id);
	make_room(p);
	return true;
}

/* The row that was read last stands somewhere new. */
static void put_in(struct patch *p, struct capture_place at)
{
	at.row = (uint32_t)p->in.n;
	at.before = UINT32_MAX;
	vec_push(&p->in, at);
}

static int take_id(struct patch *p, uint32_t id)
{
	struct capture_place at;
	int rc;

	if (!takes_out(p, id))
		return WN_OK;
	if ((rc = read_capture(p, id, &p->rows, p->in.n, &at)) == WN_OK)
		put_in(p, at);
	return rc == WN_NONE ? WN_OK : rc;
}

static size_t most_taken(const struct patch *p) { return p->old->n / PATCH_SHARE + 1000; }

static int ended(struct patch *p, int step)
{
	return step == SQLITE_ROW ? WN_NONE : step == SQLITE_DONE ? WN_OK : failed(p);
}

static int take_altered(struct patch *p, uint64_t after)
{
	VEC(uint32_t) ids = { 0 };
	sqlite3_stmt *s = NULL;
	int rc, step = SQLITE_ERROR;

	if (sqlite3_prepare_v2(p->db, "select distinct capture from altered where seq > ? order by capture", -1, &s,
			       NULL) == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)after);
		while ((step = sqlite3_step(s)) == SQLITE_ROW && ids.n <= most_taken(p))
			vec_push(&ids, (uint32_t)sqlite3_column_int64(s, 0));
	}
	rc = ended(p, step);
	sqlite3_finalize(s);
	for (size_t i = 0; i < ids.n && rc == WN_OK; i++)
		rc = take_id(p, ids.p[i]);
	vec_release(&ids);
	return rc;
}

/* Those stand one after another in the catalogue. */
static int take_added(struct patch *p, uint64_t after)
{
	sqlite3_stmt *s = NULL;
	size_t n = 0;
	int rc, step = SQLITE_ERROR;

	if (sqlite3_prepare_v2(p->db, CAPTURE_ROW "where c.id > ? order by c.id", -1, &s, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, (sqlite3_int64)after);
		while ((step = sqlite3_step(s)) == SQLITE_ROW && n++ <= most_taken(p)) {
			struct capture_place at;

			if (!takes_out(p, (uint32_t)sqlite3_column_int64(s, 0)))
				continue;
			note_capture(p, s, &p->rows, p->in.n, &at);
			put_in(p, at);
		}
	}
	rc = ended(p, step);
	sqlite3_finalize(s);
	return rc;
}

static uint64_t url_at(const struct patch *p, size_t place) { return CAPTURE_FACT(p->old, url, p->row[place]); }
static int64_t time_at(const struct patch *p, size_t place) { return CAPTURE_FACT(p->old, time, p->row[place]); }

/* Where the captures of each urlkey begin. */
static void note_urls(struct patch *p)
{
	for (size_t i = 0; i < p->in.n; i++)
		map_put(&p->urls, p->rows.url[p->in.p[i].row], NOT_THERE);
	for (size_t i = 0; i < p->old->n; i++)
		if (i == 0 || url_at(p, i) != url_at(p, i - 1)) {
			uint64_t *at = map_get(&p->urls, url_at(p, i));

			if (at)
				*at = i;
		}
}

/* Which one of before stands in front of it, if that has others of its urlkey, and none of its second. */
static bool find_same(struct patch *p, size_t i)
{
	uint64_t url = p->rows.url[p->in.p[i].row];
	const uint64_t *at = map_get(&p->urls, url);
	size_t place;

	if (!at || *at == NOT_THERE)
		return false;
	for (place = *at; place < p->old->n && url_at(p, place) == url; place++)
		if (time_at(p, place) >= p->in.p[i].time)
			break;
	if (place < p->old->n && url_at(p, place) == url && time_at(p, place) == p->in.p[i].time)
		return false;
	p->in.p[i].before = place ? CAPTURE_FACT(p->old, id, p->row[place - 1]) : 0;
	return true;
}

/* The others of its urlkey and second, and which one of before stands in front of those. */
static int take_same(struct patch *p, size_t i)
{
	struct capture_place at = p->in.p[i]; /* the list moves */
	VEC(uint32_t) ids = { 0 };
	int rc = WN_OK, step;

	if (!p->near &&
	    sqlite3_prepare_v2(
		p->db,
		"select capture, time, urlkey from capture_key where (urlkey, time) <= (?, ?) order by urlkey desc, time desc, capture desc",
		-1, &p->near, NULL) != SQLITE_OK)
		return failed(p);
	sqlite3_bind_text(p->near, 1, at.urlkey.n ? at.urlkey.p : "", (int)at.urlkey.n, SQLITE_STATIC);
	sqlite3_bind_int64(p->near, 2, at.time);
	p->in.p[i].before = 0;
	while ((step = sqlite3_step(p->near)) == SQLITE_ROW) {
		uint32_t id = (uint32_t)sqlite3_column_int64(p->near, 0);

		if (sqlite3_column_int64(p->near, 1) == at.time &&
		    str_eq(at.urlkey, str_n((const char *)sqlite3_column_blob(p->near, 2),
					    (size_t)sqlite3_column_bytes(p->near, 2)))) {
			vec_push(&ids, id);
		} else if (id <= p->old->last) {
			p->in.p[i].before = id;
			break;
		}
	}
	sqlite3_reset(p->near);
	if (step != SQLITE_DONE && step != SQLITE_ROW)
		rc = failed(p);
	for (size_t k = 0; k < ids.n && rc == WN_OK; k++)
		rc = take_id(p, ids.p[k]);
	vec_release(&ids);
	return rc;
}

static bool stays(const struct patch *p, uint32_t id)
{
	return id <= p->old->last && p->at_of[id] != UINT32_MAX && !p->leaves[p->at_of[id]];
}

/* The nearest capture in front that stays in the table; 0: none. */
static int seek_before(struct patch *p, const struct capture_place *at, uint32_t *before)
{
	int step;

	if (!p->before &&
	    sqlite3_prepare_v2(
		p->db,
		"select capture from capture_key where (urlkey, time) < (?, ?) order by urlkey desc, time desc, capture desc",
		-1, &p->before, NULL) != SQLITE_OK)
		return failed(p);
	sqlite3_bind_text(p->before, 1, at->urlkey.n ? at->urlkey.p : "", (int)at->urlkey.n, SQLITE_STATIC);
	sqlite3_bind_int64(p->before, 2, at->time);
	*before = 0;
	while ((step = sqlite3_step(p->before)) == SQLITE_ROW)
		if (stays(p, *before = (uint32_t)sqlite3_column_int64(p->before, 0)))
			break;
	sqlite3_reset(p->before);
	if (step == SQLITE_DONE)
		*before = 0;
	return step == SQLITE_ROW || step == SQLITE_DONE ? WN_OK : failed(p);
}

static bool same_second(const struct patch *p, size_t x, size_t y)
{
	return url_at(p, x) == url_at(p, y) && time_at(p, x) == time_at(p, y);
}

/* How many rows of the old table stand before it. */
static int find_before(struct patch *p, const struct capture_place *at, size_t *place)
{
	uint32_t before = at->before;
	int rc;

	if (before && !stays(p, before) && (rc = seek_before(p, at, &before)) < 0)
		return rc;
	*place = before ? (size_t)p->at_of[before] + 1 : 0;
	/* of several captures of that second the last of the table's order is meant */
	while (*place && *place < p->old->n && same_second(p, *place, *place - 1))
		++*place;
	return WN_OK;
}

typedef VEC(struct capture_stretch) stretches;

/* Old rows from *from to `end`, less those that leave. */
static void list_old(const struct patch *p, stretches *out, size_t *from, size_t end)
{
	while (*from < end) {
		size_t k = *from;

		while (k < end && !p->leaves[k])
			k++;
		if (k > *from)
			vec_push(out, ((struct capture_stretch){ (uint32_t)*from, (uint32_t)(k - *from) }));
		*from = k + (k < end);
	}
}

static int merge(struct patch *p, struct captures *out)
{
	struct captures fresh = { 0 };
	size_t from = 0, place = 0;
	stretches all = { 0 };
	int rc = WN_OK;

	captures_alloc(&fresh, p->in.n);
	for (size_t i = 0; i < p->in.n && rc == WN_OK; i++) {
		captures_copy(&fresh, i, &p->rows, p->in.p[i].row, 1);
		if ((rc = find_before(p, &p->in.p[i], &place)) < 0)
			break;
		list_old(p, &all, &from, place);
		vec_push(&all, ((struct capture_stretch){ CAPTURE_NEW, 1 }));
	}
	list_old(p, &all, &from, p->old->n);
	if (rc == WN_OK && !captures_put_together(out, p->old, &fresh, all.p, all.n))
		rc = err_set(p->err, WN_NONE, "the table of captures does not add up");
	captures_release(&fresh);
	vec_release(&all);
	return rc;
}

static void note_places(struct patch *p)
{
	const struct captures *old = p->old;
	size_t i = 0;

	p->row = mem_array(old->n + 1, sizeof *p->row);
	for (size_t k = 0; k < old->n_stretches; k++)
		for (uint32_t row = old->stretches[k].from, end = row + old->stretches[k].n; row < end; row++) {
			uint32_t id = CAPTURE_FACT(old, id, row);

			p->row[i] = row;
			if (id <= old->last)
				p->at_of[id] = (uint32_t)i;
			i++;
		}
}

int captures_some(struct captures *out, struct collection *coll, const uint64_t *ids, size_t n, struct err *err)
{
	struct patch p = { .db = catalog_sqlite(coll->catalog), .err = err };
	struct catalog_next next;
	size_t there = 0;
	int rc;

	*out = (struct captures){ 0 };
	if ((rc = catalog_next(coll->catalog, &next, err)) < 0)
		return rc;
	out->revision = next.revision;
	out->last = next.capture - 1;
	captures_alloc(out, n);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct capture_place at;

		rc = ids[i] > UINT32_MAX ? WN_NONE : read_capture(&p, (uint32_t)ids[i], out, there, &at);
		there += rc == WN_OK;
		rc = rc == WN_NONE ? WN_OK : rc;
	}
	out->n = there;
	if (there)
		out->stretches[0].n = (uint32_t)there;
	out->n_stretches = there ? 1 : 0;
	sqlite3_finalize(p.row_of);
	arena_release(&p.arena);
	if (rc < 0)
		captures_release(out);
	return rc;
}

int captures_patch(struct captures *out, struct captures *old, sqlite3 *db, struct err *err)
{
	struct patch p = { .db = db, .err = err, .old = old };
	size_t left = 0;
	int rc;

	if (old->altered > out->altered || old->last > out->last || out->last >= UINT32_MAX)
		return WN_NONE;
	if ((rc = take_altered(&p, old->altered)) != WN_OK || (rc = take_added(&p, old->last)) != WN_OK)
		goto out;
	p.at_of = mem_array((size_t)old->last + 1, sizeof *p.at_of);
	memset(p.at_of, 0xff, ((size_t)old->last + 1) * sizeof *p.at_of);
	note_places(&p);
	note_urls(&p);
	for (size_t i = 0, n = p.in.n; i < n && rc == WN_OK; i++)
		rc = find_same(&p, i) ? WN_OK : take_same(&p, i);
	if (rc < 0)
		goto out;
	sort_array(p.in.p, p.in.n, sizeof *p.in.p, captures_by_place);
	p.leaves = mem_zarray(old->n + 1, 1);
	left = old->n;
	for (size_t i = 0; i < p.out.n; i++) {
		uint64_t id = p.taken.p[i];

		if (id <= old->last && p.at_of[id] != UINT32_MAX) {
			p.leaves[p.at_of[id]] = 1;
			left--;
		}
	}
	out->n = left + p.in.n;
	out->how = CAPTURES_PATCHED;
	out->base = old->base;
	if ((rc = merge(&p, out)) < 0)
		captures_release(out);
out:
	sqlite3_finalize(p.row_of);
	sqlite3_finalize(p.near);
	sqlite3_finalize(p.before);
	captures_release(&p.rows);
	map_release(&p.out);
	map_release(&p.urls);
	vec_release(&p.in);
	vec_release(&p.taken);
	mem_free(p.at_of);
	mem_free(p.row);
	mem_free(p.leaves);
	arena_release(&p.arena);
	return rc;
}

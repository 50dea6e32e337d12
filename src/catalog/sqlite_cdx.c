/* catalog/sqlite_cdx.c -- the index read as CDX servers read theirs: seek once, step, stop.
 *
 * A range is two places (urlkey, time, id) on the tree of capture_key; SQLite
 * seeks to the one where rows begin, and reads each capture's row by id; the
 * other end is compared here, row by row, at a fraction of what it costs inside
 * a statement.  Ranges that begin between two ids of one second, and those with
 * bounds of time, are rarer, and their statements say all of it.
 * No joins: texts of types and names of files are few, and remembered
 * by id (ids are never given again).  Four cursors of a shape may be open at
 * once, then a statement is prepared for the caller alone.  Cost: two seeks for
 * the first row, one for each further one, no allocation in the steady state.
 */
#include "catalog/sqlite_int.h"

#include "base/buf.h"
#include "base/limits.h"

#define ROW_COLUMNS(urlkey)     \
	"c.id, c.time, " urlkey \
	", c.file, c.at, c.length, c.original, c.kind, c.url, c.status, ifnull(c.declared, c.mime), c.payload_digest, c.redirect, c.method, c.part"

struct sq_cdx {
	struct cdx_cursor base;
	struct sqlite_catalog *c;
	sqlite3_stmt *s;
	bool busy, lone; /* lone: not kept */
	bool keys_only;
	/* the bound that the statement does not know: rows go on up to it */
	bool bounded, backward, one;
	struct cdx_place end;
	struct buf keys; /* of both places: SQLite and `end` borrow them */
};

#define PLACE "(x.urlkey, x.time, x.capture)"
#define WITHIN " where " PLACE " >= (?1, ?2, ?3) and " PLACE " < (?4, ?5, ?6) and x.time between ?7 and ?8 "

/* Most questions are of one key: then only time and id are compared. */
#define OF_ONE " where x.urlkey = ?1 and (x.time, x.capture) >= (?2, ?3) and (x.time, x.capture) < (?5, ?6) "

#define ROWS "select " ROW_COLUMNS("x.urlkey") " from capture_key x cross join capture c on c.id = x.capture"
#define KEYS "select x.capture, x.time, x.urlkey from capture_key x"
#define UP "order by x.urlkey, x.time, x.capture"
#define DOWN "order by x.urlkey desc, x.time desc, x.capture desc"

static const char *const shapes[CDX_SHAPES] = {
	[CDX_ONE_FORWARD] = ROWS " where x.urlkey = ?1 and x.time >= ?2 order by x.time, x.capture",
	[CDX_ONE_BACKWARD] = ROWS " where x.urlkey = ?1 and x.time <= ?2 order by x.time desc, x.capture desc",
	[CDX_MANY_FORWARD] = ROWS " where x.urlkey >= ?1 " UP,
	[CDX_MANY_BACKWARD] = ROWS " where x.urlkey < ?1 " DOWN,
	[CDX_ONE_PLACED_FORWARD] = ROWS OF_ONE "order by x.time, x.capture",
	[CDX_ONE_PLACED_BACKWARD] = ROWS OF_ONE "order by x.time desc, x.capture desc",
	[CDX_FORWARD] = ROWS WITHIN UP,
	[CDX_BACKWARD] = ROWS WITHIN DOWN,
	[CDX_KEYS_FORWARD] = KEYS WITHIN UP,
	[CDX_KEYS_BACKWARD] = KEYS WITHIN DOWN,
};

/* The text with that id, asked for once. */
static int name_of(struct sqlite_catalog *c, struct sq_names *names, const char *sql, uint64_t id, struct str *out,
		   struct err *err)
{
	const uint64_t *known = id ? map_get(&names->at, id) : NULL;
	int rc, step;

	*out = STR_NONE;
	if (!id)
		return WN_OK;
	if (known) {
		*out = names->texts.p[*known];
		return WN_OK;
	}
	if (!names->find && (rc = sq_prepare(c, &names->find, sql, err)) < 0)
		return rc;
	sq_int(names->find, 1, id);
	step = sqlite3_step(names->find);
	if (step == SQLITE_ROW) {
		*out = arena_str(&names->arena, sq_col(names->find, 0));
		map_put(&names->at, id, names->texts.n);
		vec_push(&names->texts, *out);
	}
	sqlite3_reset(names->find);
	return step == SQLITE_ROW || step == SQLITE_DONE ? WN_OK : sq_fail(c, sql, err);
}

static int read_row(struct sqlite_catalog *c, sqlite3_stmt *s, struct cdx_row *o, struct err *err)
{
	int rc;

	*o = (struct cdx_row){
		.id = sq_u64(s, 0),
		.time = sqlite3_column_int64(s, 1),
		.urlkey = sq_col(s, 2),
		.file = sq_u64(s, 3),
		.at = sq_u64(s, 4),
		.length = sq_u64(s, 5),
		.original = sq_u64(s, 6),
		.kind = (enum capture_kind)sqlite3_column_int(s, 7),
		.url = sq_col(s, 8),
		.status = sqlite3_column_type(s, 9) == SQLITE_NULL ? CAPTURE_NO_STATUS : sqlite3_column_int(s, 9),
		.digest = sq_col(s, 11),
		.redirect = sq_col(s, 12),
		.method = sq_col(s, 13),
	};
	if (o->kind == CAPTURE_REVISIT)
		o->type = STR("warc/revisit");
	else if ((rc = name_of(c, &c->word_texts, "select text from word where id = ?", sq_u64(s, 10), &o->type, err)) <
		 0)
		return rc;
	if (!o->file) { /* from a CDX file, which named it */
		o->file_name = sq_col(s, 14);
		return WN_OK;
	}
	return name_of(c, &c->file_names, "select name from file where id = ?", o->file, &o->file_name, err);
}

/* Whether the row is behind the end that the statement does not know. */
static bool is_over(const struct sq_cdx *x, const struct cdx_row *o)
{
	int by = x->one ? 0 : str_cmp(o->urlkey, x->end.key);

	if (by == 0)
		by = o->time < x->end.time ? -1 : o->time > x->end.time;
	if (by == 0)
		by = (int64_t)o->id < x->end.id ? -1 : (int64_t)o->id > x->end.id;
	return x->backward ? by < 0 : by >= 0;
}

static int cdx_step(struct cdx_cursor *cur, struct cdx_row *o, struct err *err)
{
	struct sq_cdx *x = (struct sq_cdx *)(void *)cur;
	int step = sqlite3_step(x->s);

	if (step == SQLITE_DONE)
		return WN_END;
	if (step != SQLITE_ROW)
		return sq_fail(x->c, "index", err);
	if (!x->keys_only) {
		int rc = read_row(x->c, x->s, o, err);

		return rc == WN_OK && x->bounded && is_over(x, o) ? WN_END : rc;
	}
	*o = (struct cdx_row){ .id = sq_u64(x->s, 0),
			       .time = sqlite3_column_int64(x->s, 1),
			       .urlkey = sq_col(x->s, 2),
			       .status = CAPTURE_NO_STATUS };
	return WN_OK;
}

static void cursor_free(struct sq_cdx *x)
{
	sqlite3_finalize(x->s);
	buf_release(&x->keys);
	mem_free(x);
}

static void cdx_end(struct cdx_cursor *cur)
{
	struct sq_cdx *x = (struct sq_cdx *)(void *)cur;

	sqlite3_reset(x->s); /* what is bound to it stays until the next question */
	x->busy = false;
	if (x->lone)
		cursor_free(x);
}

static int cursor_for(struct sqlite_catalog *c, int shape, struct sq_cdx **out, struct err *err)
{
	struct sq_cdx **slot = NULL, *x;
	int rc;

	for (int i = 0; i < CDX_CURSORS && !slot; i++)
		if (!c->cdx[shape][i] || !c->cdx[shape][i]->busy)
			slot = &c->cdx[shape][i];
	if (slot && *slot) {
		*out = *slot;
		return WN_OK;
	}
	x = mem_zalloc(sizeof *x);
	x->c = c;
	x->lone = !slot;
	x->keys.max = 16 * LIMIT_URL + 64;
	x->base = (struct cdx_cursor){ cdx_step, cdx_end };
	x->keys_only = shape == CDX_KEYS_FORWARD || shape == CDX_KEYS_BACKWARD;
	if ((rc = sq_prepare(c, &x->s, shapes[shape], err)) < 0) {
		mem_free(x);
		return rc;
	}
	if (slot)
		*slot = x;
	*out = x;
	return WN_OK;
}

static void bind_place(sqlite3_stmt *s, int at, const struct cdx_place *p)
{
	sqlite3_bind_text(s, at, p->key.n ? p->key.p : "", (int)p->key.n, SQLITE_STATIC);
	sqlite3_bind_int64(s, at + 1, p->time);
	sqlite3_bind_int64(s, at + 2, p->id);
}

/* A place at the beginning (or, backward, behind the end) of a second or of a key needs no comparison of ids. */
static bool is_plain(const struct cdx_range *r, bool one)
{
	if (r->timed || r->keys_only)
		return false;
	if (!r->backward)
		return r->from.id == INT64_MIN && (one || r->from.time == INT64_MIN);
	if (one)
		return r->to.id == INT64_MIN ? r->to.time > INT64_MIN : r->to.id == INT64_MAX;
	return r->to.id == INT64_MIN && r->to.time == INT64_MIN;
}

static int shape_of(const struct cdx_range *r, bool one, bool plain)
{
	int forward = plain		 ? (one ? CDX_ONE_FORWARD : CDX_MANY_FORWARD)
		      : r->keys_only	 ? CDX_KEYS_FORWARD
		      : one && !r->timed ? CDX_ONE_PLACED_FORWARD
					 : CDX_FORWARD;

	return forward + (r->backward ? 1 : 0);
}

/* The seek of a plain range; its other end is compared here. */
static void bind_plain(struct sq_cdx *x, const struct cdx_range *r, bool one)
{
	const struct cdx_place *start = r->backward ? &r->to : &r->from;
	int64_t time = start->time;

	x->end = r->backward ? r->from : r->to;
	x->bounded = r->backward || r->to.key.n;
	x->backward = r->backward;
	x->one = one;
	if (r->backward && !start->key.n)
		sqlite3_bind_blob(x->s, 1, "", 0, SQLITE_STATIC); /* a blob is behind every text */
	else
		sqlite3_bind_text(x->s, 1, start->key.n ? start->key.p : "", (int)start->key.n, SQLITE_STATIC);
	if (one) /* backward: rows of that second belong to it only when all of them do */
		sqlite3_bind_int64(x->s, 2, r->backward && start->id == INT64_MIN ? time - 1 : time);
}

/* Both keys, kept by the cursor: the caller's may go while rows are read. */
static int keep_keys(struct sq_cdx *x, struct cdx_range *r, struct err *err)
{
	struct str *keys[] = { &r->from.key, &r->to.key };
	char *p;

	buf_reset(&x->keys);
	if (!(p = buf_room(&x->keys, keys[0]->n + keys[1]->n + 1)))
		return err_set(err, WN_LIMIT, "a key of the index is too long");
	for (size_t i = 0; i < COUNT(keys); i++) {
		if (keys[i]->n)
			memcpy(p, keys[i]->p, keys[i]->n);
		keys[i]->p = p;
		p += keys[i]->n;
	}
	return WN_OK;
}

int sq_cdx(struct catalog *base, const struct cdx_range *given, struct cdx_cursor **out, struct err *err)
{
	bool one = !given->keys_only && given->to.key.n && str_eq(given->from.key, given->to.key);
	bool plain = is_plain(given, one);
	struct cdx_range r = *given;
	struct sq_cdx *x;
	int rc;

	if ((rc = cursor_for(sq(base), shape_of(given, one, plain), &x, err)) < 0 || (rc = keep_keys(x, &r, err)) < 0)
		return rc;
	x->busy = true;
	x->bounded = false;
	*out = &x->base;
	if (plain) {
		bind_plain(x, &r, one);
		return WN_OK;
	}
	bind_place(x->s, 1, &r.from);
	bind_place(x->s, 4, &r.to);
	if (!r.to.key.n)
		sqlite3_bind_blob(x->s, 4, "", 0, SQLITE_STATIC); /* a blob is behind every text */
	if (!one || r.timed) {
		sqlite3_bind_int64(x->s, 7, r.timed ? r.time_from : INT64_MIN);
		sqlite3_bind_int64(x->s, 8, r.timed ? r.time_to : INT64_MAX);
	}
	return WN_OK;
}

int sq_cdx_row(struct catalog *base, uint64_t id, struct cdx_row *out, struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc, step;

	if (c->cdx_by_id)
		sqlite3_reset(c->cdx_by_id);
	else if ((rc = sq_prepare(c, &c->cdx_by_id, "select " ROW_COLUMNS("c.urlkey") " from capture c where c.id = ?",
				  err)) < 0)
		return rc;
	sq_int(c->cdx_by_id, 1, id);
	step = sqlite3_step(c->cdx_by_id);
	if (step == SQLITE_ROW)
		return read_row(c, c->cdx_by_id, out, err);
	sqlite3_reset(c->cdx_by_id);
	return step == SQLITE_DONE ? WN_NONE : sq_fail(c, "capture", err);
}

int sq_cover_state(struct catalog *base, uint64_t cover, uint64_t capture, int *state, uint64_t *witness,
		   struct err *err)
{
	struct sqlite_catalog *c = sq(base);
	int rc, step;

	if (!c->cover_state &&
	    (rc = sq_prepare(c, &c->cover_state,
			     "select kept, witness from cover_member where cover = ? and capture = ?", err)) < 0)
		return rc;
	sq_int(c->cover_state, 1, cover);
	sq_int(c->cover_state, 2, capture);
	step = sqlite3_step(c->cover_state);
	*state = step == SQLITE_ROW ? sqlite3_column_int(c->cover_state, 0) : -1;
	*witness = step == SQLITE_ROW ? sq_u64(c->cover_state, 1) : 0;
	sqlite3_reset(c->cover_state);
	return step == SQLITE_ROW || step == SQLITE_DONE ? WN_OK : sq_fail(c, "cover", err);
}

static void names_release(struct sq_names *n)
{
	sqlite3_finalize(n->find);
	map_release(&n->at);
	vec_release(&n->texts);
	arena_release(&n->arena);
}

void sq_cdx_release(struct sqlite_catalog *c)
{
	for (int i = 0; i < CDX_SHAPES; i++)
		for (int k = 0; k < CDX_CURSORS; k++)
			if (c->cdx[i][k])
				cursor_free(c->cdx[i][k]);
	names_release(&c->word_texts);
	names_release(&c->file_names);
	sqlite3_finalize(c->cdx_by_id);
	sqlite3_finalize(c->cover_state);
	sqlite3_finalize(c->hold);
	sqlite3_finalize(c->rest);
}

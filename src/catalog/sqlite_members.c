/* catalog/sqlite_members.c -- members of covers as rows: the virtual table cover_member.
 *
 * A collection of version 4 has no table of that name: SQLite then takes this module for it, so that views and
 * questions are written as if there were one, with the primary key (cover, capture) and an index (cover, witness).
 * A collection of before has the table, and this is not asked.  Rows come from runs/ID.members (memberfile.h), of the
 * revision that the cover's row has in the reader's snapshot; files of the revision before stay for those who are
 * still reading.  It reads nothing but those files, which is why it may stand in a view (SQLITE_VTAB_INNOCUOUS).
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/mem.h"
#include "catalog/memberfile.h"
#include "catalog/sqlite_int.h"

enum { COLUMN_COVER, COLUMN_CAPTURE, COLUMN_KEPT, COLUMN_WITNESS, COLUMN_SHARED, COLUMN_SIZE, COLUMN_WITNESS_SIZE };

/* A plan: which values it is given, in this order, and how it reads. */
enum {
	GIVEN_COVER = 1,
	GIVEN_CAPTURE = 2,	/* this one */
	GIVEN_CAPTURE_FROM = 4, /* this one and those that follow */
	GIVEN_WITNESS = 8,
	GIVEN_WITNESS_FROM = 16,
	GIVEN_KEPT = 32,
	GIVEN_VALUES = 6, /* so many kinds of values */
	ONLY_KEPT = 64,
	BY_WITNESS = 128, /* dropped ones, by witness, then by capture */
};

#define FILES_OPEN 8u /* covers that are compared are few */

struct opened {
	struct memberfile file;
	uint64_t cover, revision;
	unsigned cursors, age; /* who reads in it; when it was last asked for */
	bool there;
};

struct members_table {
	sqlite3_vtab base;
	sqlite3 *db;
	const char *dir;
	sqlite3_stmt *next; /* the first cover from an id on, and its revision */
	unsigned clock;
	struct opened file[FILES_OPEN];
};

struct members_cursor {
	sqlite3_vtab_cursor base;
	struct opened *in; /* NULL: at the end */
	const uint32_t *order;
	uint32_t at, end;
	uint64_t cover;
	int kept; /* only those; -1: all */
	bool all_covers, none;
};

static int members_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
			   char **message)
{
	struct members_table *t;
	int rc = sqlite3_declare_vtab(
	    db,
	    "create table x (cover integer, capture integer, kept integer, witness integer, shared integer, size integer, witness_size integer)");

	(void)argc, (void)argv, (void)message;
	if (rc != SQLITE_OK)
		return rc;
	sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
	t = mem_zalloc(sizeof *t);
	t->db = db;
	t->dir = aux;
	*out = &t->base;
	return SQLITE_OK;
}

static void forget_file(struct opened *f)
{
	memberfile_close(&f->file);
	*f = (struct opened){ 0 };
}

static int members_disconnect(sqlite3_vtab *base)
{
	struct members_table *t = (struct members_table *)base;

	sqlite3_finalize(t->next);
	for (unsigned i = 0; i < FILES_OPEN; i++)
		forget_file(&t->file[i]);
	mem_free(t);
	return SQLITE_OK;
}

/* ---- plans ---- */

static unsigned given_by(const struct sqlite3_index_constraint *c)
{
	bool from = c->op == SQLITE_INDEX_CONSTRAINT_GT || c->op == SQLITE_INDEX_CONSTRAINT_GE,
	     same = c->op == SQLITE_INDEX_CONSTRAINT_EQ;

	if (!c->usable)
		return 0;
	switch (c->iColumn) {
	case COLUMN_COVER: return same ? GIVEN_COVER : 0;
	case COLUMN_CAPTURE: return same ? GIVEN_CAPTURE : from ? GIVEN_CAPTURE_FROM : 0;
	case COLUMN_KEPT: return same ? GIVEN_KEPT : 0;
	case COLUMN_WITNESS:
		return same					 ? GIVEN_WITNESS
		       : from					 ? GIVEN_WITNESS_FROM
		       : c->op == SQLITE_INDEX_CONSTRAINT_ISNULL ? ONLY_KEPT
								 : 0;
	default: return 0;
	}
}

/* Is the order asked for ascending by these columns, from the skip-th on?  Others may follow none. */
static bool ordered_by(const sqlite3_index_info *info, const int *columns, int n)
{
	if (info->nOrderBy == 0 || info->nOrderBy > n)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].iColumn != columns[i] || info->aOrderBy[i].desc)
			return false;
	return true;
}

static int members_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
	static const int by_key[] = { COLUMN_COVER, COLUMN_CAPTURE }, by_witness[] = { COLUMN_WITNESS, COLUMN_CAPTURE };
	unsigned given = 0, plan;
	int where[GIVEN_VALUES], argc = 0;
	double rows = 100000;

	(void)base;
	for (int k = 0; k < GIVEN_VALUES; k++)
		where[k] = -1;
	for (int i = 0; i < info->nConstraint; i++) {
		unsigned g = given_by(&info->aConstraint[i]);

		given |= g;
		for (int k = 0; k < GIVEN_VALUES; k++)
			if (g == 1u << k && where[k] < 0)
				where[k] = i;
	}
	plan = given & (GIVEN_COVER | GIVEN_KEPT | ONLY_KEPT);
	if (!(given & GIVEN_COVER)) {
		rows = 1000000;
		info->orderByConsumed = ordered_by(info, by_key, 2);
	} else if (given & GIVEN_CAPTURE) {
		plan |= GIVEN_CAPTURE;
		rows = 1;
		info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
		info->orderByConsumed = 1;
	} else if (given & GIVEN_WITNESS) {
		plan |= BY_WITNESS | GIVEN_WITNESS | (given & GIVEN_CAPTURE_FROM);
		rows = 20;
		info->orderByConsumed = ordered_by(info, by_key + 1, 1) || ordered_by(info, by_witness, 2);
	} else if (given & GIVEN_WITNESS_FROM) {
		plan |= BY_WITNESS | GIVEN_WITNESS_FROM;
		rows /= 2;
		info->orderByConsumed = ordered_by(info, by_witness, 2);
	} else {
		plan |= given & GIVEN_CAPTURE_FROM;
		rows /= given & GIVEN_CAPTURE_FROM ? 2 : 1;
		info->orderByConsumed = ordered_by(info, by_key, 2) || ordered_by(info, by_key + 1, 1);
	}
	for (int k = 0; k < GIVEN_VALUES; k++)
		if (plan & 1u << k) /* SQLite looks again: values may be of any type */
			info->aConstraintUsage[where[k]].argvIndex = ++argc;
	info->idxNum = (int)plan;
	info->estimatedCost = rows;
	info->estimatedRows = (sqlite3_int64)rows;
	return SQLITE_OK;
}

/* ---- files ---- */

static int members_failed(struct members_table *t, uint64_t cover, const char *why)
{
	sqlite3_free(t->base.zErrMsg);
	t->base.zErrMsg = sqlite3_mprintf(
	    "the members of cover %llu cannot be read: %s; 'winnow cover rm' and 'winnow reduce' make it again",
	    (unsigned long long)cover, why);
	return SQLITE_CORRUPT;
}

/* The file of a cover at a revision, opened once. */
static int find_file(struct members_table *t, uint64_t cover, uint64_t revision, struct opened **out)
{
	struct opened *f = NULL;
	struct arena a = { 0 };
	struct err err = { 0 };
	int rc;

	for (unsigned i = 0; i < FILES_OPEN; i++) {
		struct opened *x = &t->file[i];

		if (x->there && x->cover == cover && x->revision == revision) {
			x->age = ++t->clock;
			*out = x;
			return SQLITE_OK;
		}
		if (!x->cursors && (!f || x->age < f->age))
			f = x;
	}
	if (!f)
		return members_failed(t, cover, "too many covers are asked for at once");
	forget_file(f);
	rc = memberfile_open(&f->file,
			     arena_printf(&a, "%s/runs/%06" PRIu64 "-r%" PRIu64 ".members", t->dir, cover, revision).p,
			     revision, &err);
	if (rc < 0 && rc != WN_DATA)
		rc = memberfile_open(&f->file, arena_printf(&a, "%s/runs/%06" PRIu64 ".members", t->dir, cover).p,
				     revision, &err);
	arena_release(&a);
	if (rc == WN_OK && !memberfile_order(&f->file)) {
		memberfile_close(&f->file);
		rc = err_set(&err, WN_DATA, "a document is there twice");
	}
	if (rc < 0)
		return members_failed(t, cover, err.text);
	f->cover = cover;
	f->revision = revision;
	f->age = ++t->clock;
	f->there = true;
	*out = f;
	return SQLITE_OK;
}

/* ---- rows ---- */

static int members_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct members_cursor *c = mem_zalloc(sizeof *c);

	(void)base;
	*out = &c->base;
	return SQLITE_OK;
}

static void leave(struct members_cursor *c)
{
	if (c->in)
		c->in->cursors--;
	c->in = NULL;
}

static int members_close(sqlite3_vtab_cursor *base)
{
	leave((struct members_cursor *)base);
	mem_free(base);
	return SQLITE_OK;
}

/* Goes into the first cover from an id on, if there is one; only that when all are not asked for. */
static int enter(struct members_cursor *c, uint64_t cover)
{
	struct members_table *t = (struct members_table *)c->base.pVtab;
	uint64_t revision;
	bool there;
	int rc;

	leave(c);
	if (!t->next &&
	    (rc = sqlite3_prepare_v3(t->db, "select id, revision from cover where id >= ? order by id limit 1", -1,
				     SQLITE_PREPARE_PERSISTENT, &t->next, NULL)) != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(t->next, 1, (sqlite3_int64)cover);
	there = sqlite3_step(t->next) == SQLITE_ROW;
	c->cover = there ? sq_u64(t->next, 0) : 0;
	revision = there ? sq_u64(t->next, 1) : 0;
	if ((rc = sqlite3_reset(t->next)) != SQLITE_OK)
		return rc;
	if (!there || (!c->all_covers && c->cover != cover))
		return SQLITE_OK;
	if ((rc = find_file(t, c->cover, revision, &c->in)) != SQLITE_OK) {
		c->in = NULL;
		return rc;
	}
	c->in->cursors++;
	c->order = c->in->file.by_id;
	c->at = 0;
	c->end = c->in->file.list.n;
	return SQLITE_OK;
}

static uint32_t place(const struct members_cursor *c) { return c->order[c->at]; }

/* To the next row from `at` on that is asked for, in this cover or a later one. */
static int settle(struct members_cursor *c)
{
	int rc;

	while (c->in) {
		const uint32_t *witness = c->in->file.list.witness;

		while (c->at < c->end && c->kept >= 0 && (witness[place(c)] == MEMBER_KEPT) != c->kept)
			c->at++;
		if (c->at < c->end)
			return SQLITE_OK;
		if (!c->all_covers) {
			leave(c);
			return SQLITE_OK;
		}
		if ((rc = enter(c, c->cover + 1)) != SQLITE_OK)
			return rc;
	}
	return SQLITE_OK;
}

static int members_next(sqlite3_vtab_cursor *base)
{
	struct members_cursor *c = (struct members_cursor *)base;

	c->at++;
	return settle(c);
}

/* A value as a number that is not negative; false: no row can have it, as equal or as less. */
static bool number_of(sqlite3_value *v, bool from, uint64_t *out)
{
	double x;

	*out = 0;
	switch (sqlite3_value_numeric_type(v)) {
	case SQLITE_INTEGER:
		if (sqlite3_value_int64(v) >= 0)
			*out = (uint64_t)sqlite3_value_int64(v);
		return from || sqlite3_value_int64(v) >= 0;
	case SQLITE_FLOAT:
		x = sqlite3_value_double(v);
		if (!(x < 1e18))
			return false;
		*out = x > 0 ? (uint64_t)x : 0;
		return from || (x >= 0 && (double)*out == x);
	default: return false; /* texts are larger than numbers, and nothing is equal to none */
	}
}

/* Where reading begins and ends, by the values given. */
static void narrow(struct members_cursor *c, unsigned plan, const uint64_t value[GIVEN_VALUES])
{
	struct memberfile *f = &c->in->file;

	if (plan & BY_WITNESS) {
		memberfile_order_by_witness(f);
		c->order = f->by_witness;
		c->end = f->dropped;
	}
	if (plan & GIVEN_WITNESS) {
		c->at = memberfile_find_witness(f, value[3], plan & GIVEN_CAPTURE_FROM ? value[2] : 0);
		c->end = memberfile_find_witness(f, value[3] + 1, 0);
	} else if (plan & GIVEN_WITNESS_FROM) {
		c->at = memberfile_find_witness(f, value[4], 0);
	} else if (plan & GIVEN_CAPTURE) {
		c->at = memberfile_find(f, value[1]);
		c->end = c->at < f->list.n && f->list.id[place(c)] == value[1] ? c->at + 1 : c->at;
	} else if (plan & GIVEN_CAPTURE_FROM) {
		c->at = memberfile_find(f, value[2]);
	}
}

static int members_filter(sqlite3_vtab_cursor *base, int index, const char *name, int argc, sqlite3_value **argv)
{
	struct members_cursor *c = (struct members_cursor *)base;
	uint64_t value[GIVEN_VALUES] = { 0 };
	unsigned plan = (unsigned)index;
	bool any = true;
	int rc;

	(void)name;
	leave(c);
	for (int k = 0, i = 0; k < GIVEN_VALUES && i < argc; k++)
		if (plan & 1u << k)
			any &= number_of(argv[i++], 1u << k & (GIVEN_CAPTURE_FROM | GIVEN_WITNESS_FROM), &value[k]);
	c->kept = plan & ONLY_KEPT ? 1 : -1;
	if (plan & GIVEN_KEPT) {
		any &= value[5] <= 1 && !(c->kept == 1 && value[5] == 0);
		c->kept = value[5] == 1;
	}
	c->all_covers = !(plan & GIVEN_COVER);
	if (!any)
		return SQLITE_OK;
	if ((rc = enter(c, c->all_covers ? 0 : value[0])) != SQLITE_OK)
		return rc;
	if (c->in && !c->all_covers)
		narrow(c, plan, value);
	return settle(c);
}

static int members_eof(sqlite3_vtab_cursor *base) { return !((struct members_cursor *)base)->in; }

static int members_column(sqlite3_vtab_cursor *base, sqlite3_context *x, int column)
{
	struct members_cursor *c = (struct members_cursor *)base;
	const struct member_list *m = &c->in->file.list;
	uint32_t at = place(c), witness = m->witness[at];

	if (column >= COLUMN_WITNESS && witness == MEMBER_KEPT) {
		sqlite3_result_null(x);
		return SQLITE_OK;
	}
	switch (column) {
	case COLUMN_COVER: sqlite3_result_int64(x, (sqlite3_int64)c->cover); break;
	case COLUMN_CAPTURE: sqlite3_result_int64(x, m->id[at]); break;
	case COLUMN_KEPT: sqlite3_result_int(x, witness == MEMBER_KEPT); break;
	case COLUMN_WITNESS: sqlite3_result_int64(x, m->id[witness]); break;
	case COLUMN_SHARED: sqlite3_result_int64(x, m->shared[at]); break;
	case COLUMN_SIZE: sqlite3_result_int64(x, m->size[at]); break;
	default: sqlite3_result_int64(x, m->size[witness]);
	}
	return SQLITE_OK;
}

static int members_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	struct members_cursor *c = (struct members_cursor *)base;

	*out = (sqlite3_int64)(c->cover << 32 | c->in->file.list.id[place(c)]);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xConnect = members_connect,
	.xDisconnect = members_disconnect,
	.xBestIndex = members_best,
	.xOpen = members_open,
	.xClose = members_close,
	.xFilter = members_filter,
	.xNext = members_next,
	.xEof = members_eof,
	.xColumn = members_column,
	.xRowid = members_rowid,
};

int sq_members_install(sqlite3 *db, const char *dir)
{
	return sqlite3_create_module_v2(db, "cover_member", &module, mem_strdup(dir), mem_free);
}

/* flow/rules.c -- see rules.h. */
#include "flow/rules.h"

#include <sqlite3.h>

static int failed(sqlite3 *db, struct err *err)
{
	return err_set(err, WN_CATALOG, "saved rules: %s", sqlite3_errmsg(db));
}

static void bind(sqlite3_stmt *s, int at, struct str text)
{
	if (text.n)
		sqlite3_bind_text(s, at, text.p, (int)text.n, SQLITE_STATIC);
}

/* Runs one statement that changes something; *changed rows. */
static int change(const char *dir, const char *sql, const struct saved_rule *rule, int *changed, struct err *err)
{
	struct catalog *c = NULL;
	sqlite3_stmt *s = NULL;
	sqlite3 *db;
	int rc;

	if ((rc = catalog_open(&c, dir, CATALOG_SHARED, NULL, err)) < 0)
		return rc;
	db = catalog_sqlite(c);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
		rc = failed(db, err);
	} else {
		bind(s, 1, rule->name);
		bind(s, 2, rule->text);
		bind(s, 3, rule->selection);
		rc = sqlite3_step(s) == SQLITE_DONE ? WN_OK : failed(db, err);
		*changed = sqlite3_changes(db);
	}
	sqlite3_finalize(s);
	catalog_close(c);
	return rc;
}

static int name_check(struct str name, struct err *err)
{
	if (!name.n || name.n > 100)
		return err_set(err, WN_USAGE, "a rule's name has 1 to 100 bytes");
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 || name.p[i] == '/' || name.p[i] == 0x7f)
			return err_set(err, WN_USAGE, "a rule's name has no slash and no control character");
	if (str_eq(name, STR("new")))
		return err_set(err, WN_USAGE, "\"new\" is where rules are made; choose another name");
	return WN_OK;
}

int rules_save(const char *dir, const struct saved_rule *rule, struct err *err)
{
	int changed, rc = name_check(rule->name, err);

	return rc < 0
		   ? rc
		   : change(
			 dir,
			 "insert into rule (name, text, selection) values (?1, ?2, ?3) on conflict (name) do update set text = excluded.text, selection = excluded.selection",
			 rule, &changed, err);
}

int rules_remove(const char *dir, struct str name, struct err *err)
{
	int changed = 0,
	    rc = change(dir, "delete from rule where name = ?1", &(struct saved_rule){ .name = name }, &changed, err);

	return rc < 0 || changed ? rc : err_set(err, WN_NONE, "there is no saved rule of that name");
}

static struct str text(sqlite3_stmt *s, int i)
{
	const char *p = (const char *)sqlite3_column_text(s, i);

	return p ? str_n(p, (size_t)sqlite3_column_bytes(s, i)) : STR_NONE;
}

int rules_each(struct collection *coll, int (*each)(void *context, const struct saved_rule *rule), void *context,
	       struct err *err)
{
	sqlite3 *db = catalog_sqlite(coll->catalog);
	sqlite3_stmt *s = NULL;
	int step, rc = WN_OK;

	if (sqlite3_prepare_v2(db, "select name, text, selection from rule order by name", -1, &s, NULL) != SQLITE_OK)
		return failed(db, err);
	while ((step = sqlite3_step(s)) == SQLITE_ROW && rc == WN_OK)
		rc = each(context, &(struct saved_rule){ text(s, 0), text(s, 1), text(s, 2) });
	if (rc == WN_OK && step != SQLITE_DONE)
		rc = failed(db, err);
	sqlite3_finalize(s);
	return rc;
}

struct wanted {
	struct arena *a;
	struct str name;
	struct saved_rule *out;
	bool found;
};

static int look(void *context, const struct saved_rule *rule)
{
	struct wanted *w = context;

	if (str_eq(rule->name, w->name)) {
		*w->out = (struct saved_rule){ arena_str(w->a, rule->name), arena_str(w->a, rule->text),
					       arena_str(w->a, rule->selection) };
		w->found = true;
	}
	return WN_OK;
}

int rules_find(struct collection *coll, struct arena *a, struct str name, struct saved_rule *out, struct err *err)
{
	struct wanted w = { a, name, out, false };
	int rc = rules_each(coll, look, &w, err);

	return rc < 0 || w.found
		   ? rc
		   : err_set(err, WN_NONE, "there is no saved rule '%.*s'", (int)(name.n < 100 ? name.n : 100), name.p);
}

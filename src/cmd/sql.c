/* cmd/sql.c -- winnow sql: questions to a collection in SQL. */
#include <sqlite3.h>

#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/guarded_sql.h"

struct sink {
	struct cmd_run *run;
	struct listing list;
	bool open;
};

static int head(void *context, const char *const *names, size_t n)
{
	struct sink *s = context;
	const char **copies = ARENA_ARRAY(&s->run->arena, const char *, n); /* SQLite's go with the statement */

	for (size_t i = 0; i < n; i++)
		copies[i] = arena_strz(&s->run->arena, str(names[i]));
	listing_open(&s->list, s->run, copies, n);
	s->open = true;
	return WN_OK;
}

static int row(void *context, sqlite3_stmt *stmt, size_t n)
{
	struct sink *s = context;

	for (size_t i = 0; i < n; i++) {
		switch (sqlite3_column_type(stmt, (int)i)) {
		case SQLITE_INTEGER: listing_i64(&s->list, sqlite3_column_int64(stmt, (int)i)); break;
		case SQLITE_NULL: listing_none(&s->list); break;
		case SQLITE_FLOAT: {
			const char *text = (const char *)sqlite3_column_text(stmt, (int)i);
			double v;

			if (str_double(str(text), &v)) {
				listing_number(&s->list, str(text));
			} else {
				listing_none(&s->list); /* infinities have no JSON */
			}
			break;
		}
		default: {
			const char *text = sqlite3_column_blob(stmt, (int)i);

			listing_text(&s->list, str_n(text ? text : "", (size_t)sqlite3_column_bytes(stmt, (int)i)));
		}
		}
	}
	listing_row(&s->list);
	return WN_OK;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct sink s = { .run = run };
	struct sql_sink sink = { &s, head, row };
	int rc;

	rc = guarded_sql(coll, str(run->rest.p[1]), &(struct sql_limits){ .memory = run->common.memory }, &sink,
			 &run->err);
	if (s.open)
		listing_close(&s.list);
	return rc;
}

static const struct cmd_example examples[] = {
	{ "winnow sql sample \"select host, captures from hosts order by captures desc\"", "captures by host" },
	{ "winnow sql sample \"select lang, count(*) n from documents group by lang\" --format csv",
	  "documents by language, for a spreadsheet" },
	{ 0 },
};

const struct cmd cmd_sql = {
	.name = "sql",
	.args = "COLL SELECT",
	.summary = "ask a collection in SQL, read-only",
	.group = GROUP_LOOK,
	.coll_first = true,
	.listing = true,
	.min_args = 2,
	.max_args = 2,
	.read = run,
	.examples = examples,
	.prose =
	    "Runs one SELECT on the collection's catalogue and prints the rows. The views captures, documents, contents, hosts, links, files, flaws, "
	    "attributes, covers, cover_members and pairs are described by 'winnow help sql.7'. Nothing can be written, attached or loaded.",
};

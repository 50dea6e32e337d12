/* serve/api_rules.c -- /api/v1: rules, previews, covers and their members, SQL. */
#include <sqlite3.h>

#include "base/limits.h"
#include "flow/covers.h"
#include "flow/guarded_sql.h"
#include "flow/members.h"
#include "flow/preview.h"
#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/routes.h"
#include "serve/sheet.h"

/* ---- rules and covers ---- */

/* The JSON object of the body; NULL with the error in r. */
static const struct json_value *body_of(struct api *a)
{
	struct json_value *v;

	if (json_parse(&a->q->arena, a->q->body, &v, &a->err) < 0 || v->type != JSON_OBJECT) {
		response_error(a->r, 400, "the body must be a JSON object, {\"rule\": \"...\"}");
		return NULL;
	}
	return v;
}

static struct str rule_of(struct api *a, const struct json_value *body)
{
	struct str rule = json_text(body, "rule");

	if (!rule.n)
		response_error(a->r, 422, "rule is missing");
	return rule;
}

/* The rule that a text says; NULL when it says none, and the answer tells so. */
static struct rule *parsed_rule(struct api *a, struct str text)
{
	struct arena *arena = &a->q->arena;
	struct rule_env env;
	struct rule *rule;

	if (selection_env(a->coll, arena, RULE_PAIR, &env, &a->err) < 0) {
		api_fail(a);
		return NULL;
	}
	if (rule_parse(arena, text, &env, &rule, &a->err) < 0) {
		response_error(a->r, 422, "%s", a->err.text);
		return NULL;
	}
	return rule;
}

void api_rules_check(struct request *q, struct response *r)
{
	struct api a;
	const struct json_value *body;
	struct rule *rule;
	struct str text;

	if (!api_begin(&a, q, r) || !(body = body_of(&a)) || !(text = rule_of(&a, body)).n ||
	    !(rule = parsed_rule(&a, text)))
		return;
	json_open(&a.j, '{');
	json_put_text(&a.j, "rule", rule->canonical);
	json_put_text(&a.j, "sha256", str(rule->sha256));
	json_close(&a.j, '}');
	api_end(&a, 0);
}

void api_rules_preview(struct request *q, struct response *r)
{
	struct api a;
	const struct json_value *body;
	struct preview_request preview = { .threads = 1 };
	struct preview_report report = { 0 };
	struct str where;
	int rc;

	if (!api_begin(&a, q, r) || !(body = body_of(&a)) || !(preview.rule = rule_of(&a, body)).n)
		return;
	where = json_text(body, "where");
	preview.where = where.n ? arena_strz(&q->arena, where) : NULL;
	preview.acl = a.acl;
	preview.user = q->acl_user;
	if ((rc = preview_run(a.coll, &preview, &report, &a.err)) < 0) {
		response_error(r, rc == WN_USAGE ? 422 : 503, "%s", a.err.text);
	} else {
		preview_report_json(&report, &a.j);
		api_end(&a, 0);
	}
	preview_report_release(&report);
}

static void put_cover(struct json *j, const struct cover_row *c)
{
	json_open(j, '{');
	json_put_u64(j, "id", c->id);
	json_put_text(j, "name", c->name);
	json_put_text(j, "rule", c->rule);
	json_put_text(j, "rule_sha256", c->sha256);
	json_put_text(j, "selection", c->selection);
	json_put_u64(j, "revision", c->revision);
	data_time(j, "created_at", c->created);
	json_put_u64(j, "documents", c->documents);
	json_put_u64(j, "kept", c->kept);
	json_put_u64(j, "dropped", c->documents - c->kept);
	json_put_u64(j, "lower_bound", c->lower_bound);
	json_close(j, '}');
}

static int each_cover(void *context, const struct cover_row *row)
{
	put_cover(&((struct api *)context)->j, row);
	return WN_OK;
}

void api_covers(struct request *q, struct response *r)
{
	struct api a;

	if (!api_begin(&a, q, r))
		return;
	json_open(&a.j, '[');
	if (covers_each(a.coll, each_cover, &a, &a.err) < 0) {
		api_fail(&a);
		return;
	}
	json_close(&a.j, ']');
	api_end(&a, 0);
}

static bool find_cover(struct api *a, struct cover_row *row)
{
	if (covers_find(a->coll, &a->q->arena, arena_strz(&a->q->arena, request_arg(a->q, "id")), row, &a->err) ==
	    WN_OK)
		return true;
	response_error(a->r, a->err.code == WN_NONE ? 404 : 503, "%s", a->err.text);
	return false;
}

void api_cover(struct request *q, struct response *r)
{
	struct api a;
	struct cover_row row;

	if (!api_begin(&a, q, r) || !find_cover(&a, &row))
		return;
	put_cover(&a.j, &row);
	api_end(&a, 0);
}

/* Members by id; filter[state]=kept|dropped. */
void api_members(struct request *q, struct response *r)
{
	struct api a;
	struct cover_row row;
	struct str state = request_param(q, "filter[state]");
	uint64_t cursor, size, n = 0, last = 0;
	struct members_query of = { .which = str_eq(state, STR("kept"))	     ? MEMBERS_KEPT
					     : str_eq(state, STR("dropped")) ? MEMBERS_DROPPED
									     : MEMBERS_ALL };
	struct cover_member m;
	struct members *list;

	if (!api_begin(&a, q, r) || !find_cover(&a, &row) ||
	    !api_page(&a, (const char *const[2]){ "state" }, &cursor, &size))
		return;
	if (state.n && of.which == MEMBERS_ALL) {
		response_error(r, 400, "filter[state] is kept or dropped");
		return;
	}
	of.cover = row.id;
	of.after = cursor;
	if (members_open(&list, a.coll, &of, &a.err) < 0) {
		response_err(r, &a.err);
		return;
	}
	json_open(&a.j, '[');
	while (n <= size && members_next(list, &m, NULL) == WN_OK) {
		struct arena scratch = { 0 };
		struct capture c, w;

		if (catalog_capture(a.coll->catalog, &scratch, m.id, &c, NULL) == WN_OK && api_visible(&a, &c) &&
		    ++n <= size) {
			last = c.id;
			json_open(&a.j, '{');
			json_put_u64(&a.j, "id", c.id);
			json_put_text(&a.j, "url", c.url);
			data_time(&a.j, "time", c.time);
			json_put_text(&a.j, "state", m.kept ? STR("kept") : STR("dropped"));
			if (!m.kept && catalog_capture(a.coll->catalog, &scratch, m.witness, &w, NULL) == WN_OK &&
			    api_visible(&a, &w)) {
				json_put_u64(&a.j, "by_id", w.id);
				json_put_text(&a.j, "by_url", w.url);
				data_time(&a.j, "by_time", w.time);
				json_put_u64(&a.j, "shared", m.shared);
				json_put_u64(&a.j, "size", m.size);
				json_put_u64(&a.j, "by_size", m.witness_size);
			}
			json_close(&a.j, '}');
		}
		arena_release(&scratch);
	}
	members_close(list);
	json_close(&a.j, ']');
	api_end(&a, n > size ? last : 0);
}

static const char *member_z(struct api *a, const struct json_value *body, const char *key)
{
	struct str v = json_text(body, key);

	return v.n ? arena_strz(&a->q->arena, v) : NULL;
}

/* 202 and the job that computes the cover. */
void api_cover_add(struct request *q, struct response *r)
{
	struct api a;
	const struct json_value *body;
	struct job_request job = { .coll = q->served ? q->served->name : "" };
	struct str text, id, key = request_header(q, "Idempotency-Key");
	uint64_t least = 0;

	if (!api_begin(&a, q, r) || !(body = body_of(&a)) || !(text = rule_of(&a, body)).n || !parsed_rule(&a, text))
		return;
	if (json_text(body, "keep_at_least").n && !str_u64(json_text(body, "keep_at_least"), &least)) {
		response_error(r, 422, "keep_at_least must be a whole number");
		return;
	}
	job.key = key.n ? arena_strz(&q->arena, key) : NULL;
	job.rule = arena_strz(&q->arena, text);
	job.where = member_z(&a, body, "where");
	job.per = member_z(&a, body, "per");
	job.prefer = member_z(&a, body, "prefer");
	job.name = member_z(&a, body, "name");
	job.keep_at_least = least;
	if (jobs_add(&q->arena, &job, &id, &a.err) < 0) {
		response_header(r, "Retry-After", STR("30"));
		response_error(r, a.err.code == WN_LIMIT ? 429 : 503, "%s", a.err.text);
		return;
	}
	json_open(&a.j, '{');
	json_put_text(&a.j, "job", id);
	json_close(&a.j, '}');
	r->status = 202;
	response_header(r, "Location", request_href(q, "/api/v1/jobs/%.*s", STR_FMT(id)));
	api_end(&a, 0);
}

/* ---- SQL ---- */

static int sql_head(void *context, const char *const *names, size_t n)
{
	struct api *a = context;

	json_open(&a->j, '{');
	json_put_open(&a->j, "columns", '[');
	for (size_t i = 0; i < n; i++)
		json_z(&a->j, names[i]);
	json_close(&a->j, ']');
	json_put_open(&a->j, "rows", '[');
	return WN_OK;
}

static int sql_row(void *context, sqlite3_stmt *s, size_t n)
{
	struct api *a = context;

	json_open(&a->j, '[');
	for (size_t i = 0; i < n; i++) {
		const char *text;

		switch (sqlite3_column_type(s, (int)i)) {
		case SQLITE_INTEGER: json_i64(&a->j, sqlite3_column_int64(s, (int)i)); break;
		case SQLITE_FLOAT: json_double(&a->j, sqlite3_column_double(s, (int)i), 9); break;
		case SQLITE_NULL: json_null(&a->j); break;
		default:
			text = sqlite3_column_blob(s, (int)i);
			json_str(&a->j, str_n(text ? text : "", (size_t)sqlite3_column_bytes(s, (int)i)));
		}
	}
	json_close(&a->j, ']');
	return a->j.out->full ? WN_LIMIT : WN_OK;
}

void api_sql(struct request *q, struct response *r)
{
	struct api a;
	struct str sql = request_param(q, "q");
	struct sql_sink sink = { &a, sql_head, sql_row };
	struct sql_limits limits = { .rows = LIMIT_SQL_ROWS,
				     .seconds = LIMIT_SQL_SECONDS,
				     .memory = LIMIT_SQL_MEMORY,
				     .value = LIMIT_SQL_VALUE };
	int rc;

	if (!api_begin(&a, q, r))
		return;
	if (!sql.n)
		sql = q->body;
	if (!sql.n) {
		response_error(r, 400, "q= must hold a SELECT");
		return;
	}
	if (a.acl) {
		response_error(r, 403,
			       "this collection has access rules, which SQL cannot hold to; ask by /captures or CDX");
		return;
	}
	if ((rc = guarded_sql(a.coll, arena_str(&q->arena, sql), &limits, &sink, &a.err)) < 0) {
		response_error(r, rc == WN_USAGE ? 400 : 503, "%s",
			       a.err.text[0] ? a.err.text : "the answer is too long");
		return;
	}
	json_close(&a.j, ']');
	json_close(&a.j, '}');
	api_end(&a, 0);
}

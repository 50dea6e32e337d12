/* cmd/why.c -- winnow why: why a document is kept or dropped by a cover. */
#include <inttypes.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/map.h"
#include "cmd/table.h"
#include "flow/covers.h"

struct args {
	const char *cover;
};

static const struct opt opts[] = {
	{ "cover", 0, OPT_TEXT, "ID", "which cover (default: the newest)", offsetof(struct args, cover) }, { 0 }
};

static int take_last(void *context, const struct cover_row *row)
{
	*(uint64_t *)context = row->id;
	return WN_OK;
}

/* The cover that --cover names, else the newest. */
static int find_cover(struct cmd_run *run, struct collection *coll, struct cover_row *out)
{
	struct args *a = run->args;
	const char *name = a->cover;
	uint64_t last = 0;
	int rc;

	if (!name) {
		if ((rc = covers_each(coll, take_last, &last, &run->err)) < 0)
			return rc;
		if (!last)
			return err_set(&run->err, WN_USAGE, "%s has no cover yet; 'winnow reduce' makes one",
				       run->rest.p[0]);
		name = arena_printf(&run->arena, "%" PRIu64, last).p;
	}
	return cmd_read_cover(run, coll, name, out);
}

static void document(struct buf *out, struct json *j, const char *key, const struct capture *c)
{
	char time[21];

	stamp_rfc3339(c->time, time);
	if (j) {
		json_put_open(j, key, '{');
		json_put_u64(j, "id", c->id);
		json_put_str(j, "url", c->url);
		json_put_z(j, "time", time);
		json_put_str(j, "title", c->title);
		json_close(j, '}');
	} else {
		buf_printf(out, "%s %" PRIu64 "  %s  %.*s", key, c->id, time, STR_FMT(c->url));
		if (c->title.n)
			buf_printf(out, "  (%.*s)", STR_FMT(c->title));
		buf_byte(out, '\n');
	}
}

/* The clauses of the rule for this pair, with their numbers. */
static int clauses(struct cmd_run *run, struct collection *coll, const struct cover_row *row, uint64_t a, uint64_t b,
		   struct buf *out, struct json *j)
{
	struct run_request q = covers_request(&run->arena, row);
	struct overlap ov[TEXT_KINDS];
	struct run r;
	struct clause *c;
	uint32_t x, y;
	size_t n;
	int rc;

	q.threads = (unsigned)run->common.threads;
	q.memory = run->common.memory;
	if ((rc = run_open(&r, coll, &q, &run->err)) < 0)
		return rc;
	if (!selection_find(&r.docs, a, &x) || !selection_find(&r.docs, b, &y)) {
		rc = err_set(
		    &run->err, WN_NONE,
		    "the collection has changed since this cover was made; 'winnow update' brings it up to date");
	} else if ((rc = run_overlaps(&r, x, y, ov, &run->err)) == WN_OK) {
		c = rule_clauses(&run->arena, r.rule, &r.docs.columns, x, y, ov, &n);
		if (j)
			json_put_open(j, "clauses", '[');
		for (size_t i = 0; i < n; i++) {
			if (j) {
				json_open(j, '{');
				json_put_str(j, "clause", c[i].text);
				json_put_bool(j, "holds", c[i].holds);
				json_put_str(j, "numbers", c[i].numbers);
				json_close(j, '}');
			} else {
				buf_printf(out, "  %s %.*s\n", c[i].holds ? "yes" : "no ", STR_FMT(c[i].text));
				if (c[i].numbers.n)
					buf_printf(out, "      %.*s%s\n", STR_FMT(c[i].numbers),
						   c[i].by_missing ? " (both missing)" : "");
			}
		}
		if (j)
			json_close(j, ']');
	}
	run_close(&r);
	return rc;
}

static int explain_kept(struct cmd_run *run, struct collection *coll, const struct cover_row *row,
			const struct capture *c, struct buf *out, struct json *j)
{
	struct cover_member *m;
	size_t n, covered = 0;
	int rc;

	if ((rc = covers_members(coll, &run->arena, row->id, &m, &n, &run->err)) < 0)
		return rc;
	if (!j)
		buf_str(out, STR("It is kept. It is the witness of:\n"));
	if (j)
		json_put_open(j, "witness_of", '[');
	for (size_t i = 0; i < n; i++) {
		struct capture other;

		if (m[i].kept || m[i].witness != c->id)
			continue;
		covered++;
		if (j) {
			json_u64(j, m[i].id);
		} else if (covered <= 20) {
			if ((rc = catalog_capture(coll->catalog, &run->arena, m[i].id, &other, &run->err)) < 0)
				return rc;
			buf_printf(out, "  %5.1f %% ",
				   m[i].size ? 100.0 * (double)m[i].shared / (double)m[i].size : 100.0);
			document(out, NULL, "", &other);
		}
	}
	if (j)
		json_close(j, ']');
	else if (covered == 0)
		buf_str(out, STR("  nothing: no other document was dropped because of it\n"));
	else if (covered > 20)
		buf_printf(out, "  ... and %zu more\n", covered - 20);
	return WN_OK;
}

static int explain_dropped(struct cmd_run *run, struct collection *coll, const struct cover_row *row,
			   const struct cover_member *m, struct buf *out, struct json *j)
{
	struct capture w;
	int rc = catalog_capture(coll->catalog, &run->arena, m->witness, &w, &run->err);

	if (rc == WN_NONE)
		return err_set(&run->err, WN_NONE,
			       "document %" PRIu64 " was dropped because of document %" PRIu64
			       ", which is no more in the collection; 'winnow update %s --cover %" PRIu64
			       "' finds another",
			       m->id, m->witness, run->rest.p[0], row->id);
	if (rc < 0)
		return rc;
	if (j) {
		document(out, j, "by", &w);
		json_put_u64(j, "shared", m->shared);
		json_put_u64(j, "size_a", m->size);
		json_put_u64(j, "size_b", m->witness_size);
		return clauses(run, coll, row, m->id, m->witness, out, j);
	}
	buf_str(out, STR("It is dropped, because this one is kept:\n"));
	document(out, j, "witness ", &w);
	buf_printf(out, "They share %" PRIu64 " shingles of %" PRIu64 " and %" PRIu64 ".\n", m->shared, m->size,
		   m->witness_size);
	if ((rc = clauses(run, coll, row, m->id, m->witness, out, j)) == WN_OK)
		buf_printf(out, "'winnow diff %s %" PRIu64 " %" PRIu64 "' shows how their texts differ.\n",
			   run->rest.p[0], m->id, m->witness);
	return rc;
}

static int explain(struct cmd_run *run, struct collection *coll, struct buf *out, struct json *j)
{
	struct cover_row row;
	struct cover_member m;
	struct capture c;
	int rc;

	if ((rc = find_cover(run, coll, &row)) < 0 ||
	    (rc = collection_find(coll, &run->arena, run->rest.p[1], &c, &run->err)) < 0 ||
	    (rc = covers_member(coll, row.id, c.id, &m, &run->err)) < 0)
		return rc;
	if (j) {
		json_open(j, '{');
		json_put_u64(j, "cover", row.id);
		json_put_str(j, "rule", row.rule);
		json_put_z(j, "state", m.kept ? "kept" : "dropped");
	} else {
		buf_printf(out, "cover %" PRIu64 ": %.*s\n\n", row.id, STR_FMT(row.rule));
	}
	document(out, j, "document", &c);
	rc = m.kept ? explain_kept(run, coll, &row, &c, out, j) : explain_dropped(run, coll, &row, &m, out, j);
	if (j)
		json_close(j, '}');
	return rc;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct buf out = BUF(64 * MIB);
	struct json j = { .out = &out, .spaced = true };
	int rc;

	rc = explain(run, coll, &out, run->common.json ? &j : NULL);
	if (rc == WN_OK) {
		if (run->common.json)
			buf_byte(&out, '\n');
		cmd_out(&out);
	}
	buf_release(&out);
	return rc;
}

static const struct cmd_example examples[] = {
	{ "winnow why sample 1 --cover 1", "kept, or dropped by which document, clause by clause" }, { 0 }
};

const struct cmd cmd_why = {
	.name = "why",
	.args = "COLL DOC",
	.summary = "say why a document is kept or dropped",
	.group = GROUP_DECIDE,
	.joins = true,
	.coll_first = true,
	.min_args = 2,
	.max_args = 2,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "For a document that a cover dropped: the kept document that covers it, and each clause of the rule with its numbers for this pair. For one that is "
	    "kept: the documents it is the witness of.",
};

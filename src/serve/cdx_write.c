/* serve/cdx_write.c -- OutbackCDX's way of writing: POST lines of CDX to /{coll}, POST them to /{coll}/delete to take them out.
 *
 * Only with --allow-cdx-write and the token.  A line that is there already (urlkey,
 * time, file and offset) is not added again, so that a client may repeat a request.
 * Only captures that came as CDX lines can be deleted; those of ingested
 * archives stay.  The collection's lock is taken for the request: 503 while another writer has it.
 */
#include <unistd.h>

#include "archive/cdx.h"
#include "archive/surt.h"
#include "base/limits.h"
#include "base/os.h"
#include "flow/import.h"
#include "serve/cdx_api.h"
#include "serve/routes.h"

struct line_reader {
	struct request *q;
	struct cdx_reader reader;
	struct str rest;
	uint64_t number;
	bool skip_bad;
	struct buf key;
	const struct surt_profile *profile;
};

/* The next capture; its urlkey made when the line has none.  WN_END. */
static int next_line(struct line_reader *l, struct cdx *out, struct str *line, struct err *err)
{
	while (l->rest.p && l->rest.n) {
		struct err why = { 0 };
		int rc;

		*line = str_cut(&l->rest, '\n');
		l->number++;
		if (str_starts(*line, STR("@alias")))
			continue;
		rc = cdx_parse(&l->reader, &l->q->arena, *line, out, &why);
		if (rc == WN_NONE)
			continue;
		if (rc == WN_OK) {
			if (out->urlkey.n == 0 || str_eq(out->urlkey, STR("-"))) {
				buf_reset(&l->key);
				surt_add(l->profile, out->url, &l->key);
				out->urlkey = arena_str(&l->q->arena, buf_view(&l->key));
			}
			return WN_OK;
		}
		if (!l->skip_bad)
			return err_set(err, WN_USAGE, "line %llu: %s; badLines=skip passes over such lines",
				       (unsigned long long)l->number, why.text);
	}
	return WN_END;
}

/* The capture that the line describes; 0 when it is not here.  *file: of which archive file, 0: came as CDX. */
static int find_capture(struct catalog *c, const struct cdx *x, uint64_t *id, uint64_t *file, struct err *err)
{
	struct cdx_range range = { .from = { x->urlkey, x->time, INT64_MIN }, .to = { x->urlkey, x->time, INT64_MAX } };
	struct cdx_cursor *cur = NULL;
	struct cdx_row row;
	int rc;

	*id = 0;
	if ((rc = catalog_cdx(c, &range, &cur, err)) < 0)
		return rc;
	while (!*id && (rc = cdx_next(cur, &row, err)) == WN_OK)
		if ((!x->filename.n || str_eq(row.file_name, x->filename)) &&
		    (x->offset == CDX_NONE || row.at == x->offset)) {
			*id = row.id;
			*file = row.file;
		}
	cdx_close(cur);
	return rc < 0 ? rc : WN_OK;
}

static void fail(struct response *r, const struct err *err)
{
	bool busy = err->code == WN_BUSY;

	if (busy)
		response_header(r, "Retry-After", STR("2"));
	cdx_message(r, busy ? 503 : err->code == WN_USAGE ? 400 : 503, err->text);
}

static int begin(struct request *q, struct line_reader *l, struct collection *coll, struct err *err)
{
	int rc = collection_open(coll, q->served->dir, CATALOG_WRITE, NULL, err);

	*l = (struct line_reader){ .q = q,
				   .rest = q->body,
				   .skip_bad = str_eq(request_param(q, "badLines"), STR("skip")),
				   .key = BUF(8 * LIMIT_URL) };
	if (rc == WN_OK)
		l->profile = surt_profile(catalog_settings(coll->catalog)->profile);
	return rc;
}

/* Lines that are not here yet, to a file that import reads. */
static int import_new(struct request *q, struct line_reader *l, struct collection *coll, uint64_t *lines,
		      struct err *err)
{
	struct buf fresh = BUF(q->body.n + 2 * MIB);
	const char *path = arena_printf(&q->arena, "%s/posted.cdx", q->served->dir).p;
	struct os_atomic f = { 0 };
	struct import_report report;
	struct str line;
	struct cdx x;
	uint64_t id, file, a, b;
	int rc;

	while ((rc = next_line(l, &x, &line, err)) == WN_OK) {
		++*lines;
		if ((rc = find_capture(coll->catalog, &x, &id, &file, err)) < 0)
			break;
		if (!id)
			cdx_add(CDX_J, &x, &fresh);
	}
	if (rc == WN_END && fresh.n) {
		if ((rc = os_atomic_open(&f, path, err)) == WN_OK &&
		    (rc = os_write(f.fd, fresh.p, fresh.n, path, err)) == WN_OK)
			rc = os_atomic_commit(&f, err);
		os_atomic_abort(&f);
		if (rc == WN_OK)
			rc = import_cdx(coll, &path, 1, 64 * MIB, &report, err);
		if (rc == WN_OK)
			rc = catalog_resolve(coll->catalog, &a, &b, err);
		os_unlink(path, NULL);
	}
	buf_release(&fresh);
	return rc < 0 ? rc : WN_OK;
}

void cdx_post(struct request *q, struct response *r)
{
	struct collection coll = { 0 };
	struct line_reader l;
	struct err err = { 0 };
	uint64_t lines = 0;
	int rc;

	if ((rc = begin(q, &l, &coll, &err)) == WN_OK)
		rc = import_new(q, &l, &coll, &lines, &err);
	buf_release(&l.key);
	collection_close(&coll);
	if (rc < 0) {
		err.code = rc;
		fail(r, &err);
		return;
	}
	response_body(r, "text/plain", arena_printf(&q->arena, "Added %llu records\n", (unsigned long long)lines));
}

void cdx_delete(struct request *q, struct response *r)
{
	struct collection coll = { 0 };
	struct line_reader l;
	struct err err = { 0 };
	VEC(uint64_t) gone = { 0 };
	struct str line;
	struct cdx x;
	int rc;

	if ((rc = begin(q, &l, &coll, &err)) == WN_OK)
		while ((rc = next_line(&l, &x, &line, &err)) == WN_OK) {
			uint64_t id, file = 0;

			if ((rc = find_capture(coll.catalog, &x, &id, &file, &err)) < 0)
				break;
			if (id && !file)
				vec_push(&gone, id);
		}
	if (rc == WN_END)
		rc = gone.n ? catalog_remove_captures(coll.catalog, gone.p, gone.n, &err) : WN_OK;
	buf_release(&l.key);
	collection_close(&coll);
	if (rc < 0) {
		err.code = rc;
		fail(r, &err);
	} else {
		response_body(r, "text/plain", arena_printf(&q->arena, "Deleted %zu records\n", gone.n));
	}
	vec_release(&gone);
}

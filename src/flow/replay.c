/* flow/replay.c -- see replay.h. */
#include "flow/replay.h"

#include "archive/stamp.h"
#include "base/limits.h"

bool replay_is_same(const struct record *r, const struct capture *c)
{
	struct stamp t;
	struct str url = r->target_uri;

	if (url.n > LIMIT_URL)
		url.n = LIMIT_URL;
	return str_eq(url, c->url) && (!stamp_parse(r->date, &t) || t.time == c->time);
}

int replay_open(struct replay *p, struct collection *coll, const struct capture *c, bool original, struct err *err)
{
	const char *path;
	int rc;

	p->capture = *c;
	if (original && c->kind == CAPTURE_REVISIT) {
		if (!c->original)
			return err_set(err, WN_NONE, "%.*s is a revisit whose original is not in this collection",
				       STR_FMT(c->url));
		if ((rc = catalog_capture(coll->catalog, &p->arena, c->original, &p->capture, err)) < 0)
			return rc;
	}
	if ((rc = collection_file(coll, &p->arena, p->capture.file, &path, err)) < 0)
		return rc;
	if (p->capture.part.n)
		path = arena_printf(&p->arena, "%s#%.*s", path, STR_FMT(p->capture.part)).p;
	if ((rc = reader_open_span(&p->reader, path, (struct span){ p->capture.at, p->capture.length, p->capture.skip },
				   err)) < 0)
		return collection_unread(coll, p->capture.file, err);
	rc = reader_next(p->reader, &p->record, err);
	if (rc == WN_END)
		return err_set(err, WN_IO, "%s has no record at %llu any more; it was changed after it was ingested",
			       path, (unsigned long long)p->capture.at);
	if (rc == WN_OK && !replay_is_same(&p->record, &p->capture))
		return err_set(err, WN_IO, "%s has another record at %llu than when it was ingested; ingest it again",
			       path, (unsigned long long)p->capture.at);
	if (rc == WN_OK && p->record.segment_number == 1) { /* the rest of it may lie in any file */
		const char *const *files;
		size_t n;

		if ((rc = collection_files(coll, &p->arena, &files, &n, err)) == WN_OK)
			payload_others(&p->payload, files, n);
	}
	return rc;
}

void replay_close(struct replay *p)
{
	payload_release(&p->payload);
	reader_close(p->reader);
	arena_release(&p->arena);
	*p = (struct replay){ 0 };
}

static int run_open(struct replay_run *run, struct collection *coll, const struct capture *c, struct err *err)
{
	struct arena a = { 0 };
	const char *path;
	int rc;

	replay_run_close(run);
	if ((rc = collection_file(coll, &a, c->file, &path, err)) == WN_OK)
		rc = reader_resume(&run->reader, path, c->at, c->skip, UINT64_MAX, err);
	run->file = c->file;
	arena_release(&a);
	return rc;
}

int replay_run_to(struct replay_run *run, struct collection *coll, const struct capture *c, struct record *rec,
		  struct err *err)
{
	int rc = WN_OK;

	if (!c->skip || c->part.n)
		return WN_END;
	if (!run->reader || run->file != c->file || run->span.at != c->at || run->span.skip >= c->skip)
		rc = run_open(run, coll, c, err);
	while (rc == WN_OK && (rc = reader_next(run->reader, rec, err)) == WN_OK) {
		run->span = rec->span;
		if (rec->span.at == c->at && rec->span.skip == c->skip && replay_is_same(rec, c))
			return WN_OK;
		if (rec->span.at != c->at || rec->span.skip >= c->skip)
			break;
	}
	replay_run_close(run);
	return rc < 0 ? rc : WN_END;
}

void replay_run_close(struct replay_run *run)
{
	reader_close(run->reader);
	*run = (struct replay_run){ 0 };
}

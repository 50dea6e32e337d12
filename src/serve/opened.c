/* serve/opened.c -- see opened.h. */
#include "serve/opened.h"

#include <unistd.h>

#include "base/limits.h"
#include "serve/server_int.h"

/* The file under --warc-dir: by the name that an index gave, or by its last part; a name cannot lead out of the folder. */
static const char *under_warc_dir(struct request *q, struct str name)
{
	const char *dir = q->server->options.warc_dir, *path;
	bool inside = name.n && name.p[0] != '/' && str_find(name, STR("..")) < 0 && !memchr(name.p, 0, name.n);

	path = arena_printf(&q->arena, "%s/%.*s", dir, STR_FMT(name)).p;
	if (inside && access(path, R_OK) == 0)
		return path;
	return arena_printf(&q->arena, "%s/%.*s", dir,
			    STR_FMT(str_sub(name, (size_t)(str_rchr(name, '/') + 1), name.n)))
	    .p;
}

static int open_record(struct opened *o, struct request *q, struct history *h, const struct capture *c, struct err *err)
{
	const char *path;
	int rc;

	if (!c->file && c->part.n && q->server->options.warc_dir) {
		path = under_warc_dir(q, c->part); /* from an index, which named the file */
	} else {
		if ((rc = history_file(h, c->file, &path, err)) < 0)
			return rc;
		if (q->server->options.warc_dir && access(path, R_OK) != 0)
			path = under_warc_dir(q, str(path));
		if (c->part.n)
			path = arena_printf(&q->arena, "%s#%.*s", path, STR_FMT(c->part)).p;
	}
	o->path = arena_strz(&q->arena, str(path));
	if ((rc = worker_read(q->worker, path, (struct span){ c->at, c->file ? c->length : 0, c->skip }, &o->reader,
			      err)) < 0)
		return rc;
	rc = reader_next(o->reader, &o->record, err);
	return rc == WN_END
		   ? err_set(err, WN_IO,
			     "the archive file was changed after it was ingested: it has no record there any more")
		   : rc;
}

static void keep_head(struct opened *o, struct arena *a, const struct http_head *head)
{
	struct field *fields = ARENA_ARRAY(a, struct field, head->nfields + 1);

	o->head = *head;
	for (unsigned i = 0; i < head->nfields; i++) {
		fields[i] = head->fields[i];
		fields[i].name = arena_str(a, head->fields[i].name);
		fields[i].value = arena_str(a, head->fields[i].value);
	}
	o->head.fields = fields;
	o->head.reason = arena_str(a, head->reason);
	o->head.content_type = head->content_type.p ? arena_str(a, head->content_type) : STR_NONE;
	o->head.location = head->location.p ? arena_str(a, head->location) : STR_NONE;
	o->has_head = true;
}

static void finish(struct opened *o)
{
	payload_release(&o->payload);
	worker_read_end(worker_here(o->server), o->reader, o->path);
	o->reader = NULL;
	o->payload = (struct payload){ 0 };
}

/* The head of a revisit: its own, where it has one that says more than "not modified". */
static int revisit_head(struct opened *o, struct request *q, struct history *h, const struct capture *c,
			struct err *err)
{
	int rc;

	if ((rc = open_record(o, q, h, c, err)) < 0 ||
	    (rc = payload_begin(&o->payload, o->reader, &o->record, PAYLOAD_RAW, 0, err)) < 0)
		return rc;
	if (o->payload.has_http && o->payload.http.status != 304 && o->payload.http.status)
		keep_head(o, &q->arena, &o->payload.http);
	finish(o);
	return WN_OK;
}

/* A body without any coding is the rest of its record; of others the catalogue knows how long they are decoded. */
static uint64_t length_of(const struct opened *o, const struct capture *c, bool raw)
{
	const struct http_head *h = o->payload.has_http ? &o->payload.http : NULL;
	uint64_t head = h ? h->size : 0;

	if (!o->record.segment_number && (!h || (!h->content_encoding.n && !h->transfer_encoding.n)))
		return o->record.length > head ? o->record.length - head : 0;
	return raw && h && h->content_encoding.n ? 0 : c->bytes;
}

int opened_open(struct opened *o, struct request *q, struct history *h, const struct capture *c, bool raw, bool whole,
		struct err *err)
{
	struct capture original = *c;
	int rc;

	o->server = q->server;
	if (c->kind == CAPTURE_REVISIT) {
		if ((rc = revisit_head(o, q, h, c, err)) < 0)
			return rc;
		if (o->has_head && o->head.status >= 300 && o->head.status < 400) {
			o->status = o->head.status;
			o->type = o->head.content_type;
			return WN_OK;
		}
		if (!c->original)
			return err_set(
			    err, WN_BUSY,
			    "this capture says that the page was as before, and that earlier capture is not in this collection");
		if ((rc = history_capture(h, &q->arena, c->original, &original, err)) < 0)
			return rc;
	}
	if ((rc = open_record(o, q, h, &original, err)) < 0 ||
	    (rc = payload_begin(&o->payload, o->reader, &o->record, raw ? PAYLOAD_DECHUNKED : PAYLOAD_DECODED, 0,
				err)) < 0)
		return rc;
	o->length = length_of(o, &original, raw);
	if (!o->has_head && o->payload.has_http)
		keep_head(o, &q->arena, &o->payload.http);
	o->type = o->has_head ? o->head.content_type : arena_str(&q->arena, payload_type(&o->payload, &o->record));
	o->status = o->has_head && o->head.status ? o->head.status : 200;
	return !whole ? WN_OK : payload_all(&o->payload, LIMIT_REPLAY_BODY, &o->body, &o->cut, err);
}

void opened_close(struct opened *o)
{
	finish(o);
	*o = (struct opened){ 0 };
}

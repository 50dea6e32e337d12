/* flow/index.c -- see index.h.
 *
 * A worker makes of a record one item: its finished line and, when requests
 * are to be joined, what is needed to make the line again with another key.
 * On the calling thread items arrive in the order of the files; requests and
 * responses that stand next to each other are joined there, and lines go to
 * the sorter.
 */
#include "flow/index.h"

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/mem.h"
#include "flow/linesort.h"

#define SORT_MEMORY (48 * MIB)

struct item {
	unsigned flaws;
	bool request, response; /* may be joined */
	struct str line;	/* empty: none */
	struct str url, query;	/* of a request: the query it makes */
	struct cdx c;		/* of a response; slices point behind the item */
	char bytes[];
};

struct scratch {
	struct payload payload;
	struct buf key, line, query;
	struct arena arena;
};

struct job {
	const struct index_options *o;
	const char *const *paths;
	struct scratch *scratch;
	struct linesort sort;
	struct index_report *report;
	struct item *pending; /* waits for its other half */
	struct err *err;
	struct buf line, key;
};

/* ---- one record ---- */

static struct str base_name(struct str path)
{
	ptrdiff_t slash = str_rchr(path, '/');

	return str_sub(path, (size_t)(slash + 1), path.n);
}

static bool is_indexed(const struct record *rec)
{
	switch (rec->type) {
	case RECORD_RESPONSE:
	case RECORD_REVISIT: return true;
	case RECORD_RESOURCE:
	case RECORD_METADATA: return !str_ieq(http_mime(rec->content_type), STR("application/warc-fields"));
	default: return false;
	}
}

static struct str digest_text(const struct record *rec, const struct payload *p, char out[DIGEST_TEXT])
{
	if (rec->payload_digest.n)
		return rec->payload_digest;
	if (p->payload_digest.kind == DIGEST_NONE)
		return STR("");
	return str_n(out, digest_write(&p->payload_digest, out));
}

/* Fills c (but urlkey) from a record whose payload was begun and ended; slices
 * borrow from rec, p and digest.  False for a record that is not indexed. */
static bool fill_line(const struct record *rec, const struct payload *p, char digest[DIGEST_TEXT], struct cdx *c)
{
	struct stamp t;

	if (!is_indexed(rec))
		return false;
	*c = (struct cdx){ .status = -1, .length = rec->span.length, .offset = rec->span.at, .url = rec->target_uri };
	if (rec->plain) /* without the line ends behind it, as others count */
		c->length = rec->head + rec->length;
	if (stamp_parse(rec->date, &t)) {
		c->time = t.time;
		c->nsec = t.nsec;
	}
	c->mime = rec->type == RECORD_REVISIT ? STR("warc/revisit") : http_mime(payload_type(p, rec));
	if (p->has_http && rec->type != RECORD_REVISIT && p->http.status > 0)
		c->status = p->http.status;
	c->digest = digest_text(rec, p, digest);
	return true;
}

/* The record's own digest is checked, or believed where its payload was passed over; a missing one is computed. */
static unsigned wants_of(const struct record *rec)
{
	struct digest own;

	if (!rec->payload_digest.n)
		return PAYLOAD_DIGEST;
	return digest_parse(rec->payload_digest, &own) ? PAYLOAD_CHECK | PAYLOAD_HEAD : PAYLOAD_CHECK;
}

static struct str keep(char **at, struct str s)
{
	struct str copy = { *at, s.n };

	if (s.n)
		memcpy(*at, s.p, s.n);
	*at += s.n;
	return copy;
}

static struct item *flaws_only(const struct record *rec)
{
	struct item *it;

	if (rec->flaws.n == 0)
		return NULL;
	it = mem_zalloc(sizeof *it);
	it->flaws = rec->flaws.n + rec->flaws.more;
	return it;
}

/* The line of c, and with `again` all of c. */
static struct item *line_item(const struct job *job, struct scratch *s, const struct record *rec, struct cdx *c)
{
	bool again = job->o->post_append && rec->type != RECORD_METADATA;
	struct item *it;
	char *at;

	buf_reset(&s->key);
	surt_add(job->o->profile, c->url, &s->key);
	c->urlkey = buf_view(&s->key);
	buf_reset(&s->line);
	cdx_add(job->o->format, c, &s->line);
	it = mem_alloc(sizeof *it + s->line.n + (again ? c->url.n + c->mime.n + c->digest.n + c->filename.n : 0));
	memset(it, 0, sizeof *it);
	at = it->bytes;
	it->flaws = rec->flaws.n + rec->flaws.more;
	it->line = keep(&at, buf_view(&s->line));
	it->response = again;
	if (again) {
		it->c = *c;
		it->c.url = it->url = keep(&at, c->url);
		it->c.mime = keep(&at, c->mime);
		it->c.digest = keep(&at, c->digest);
		it->c.filename = keep(&at, c->filename);
		it->c.urlkey = STR("");
	}
	return it;
}

/* A request that may be joined; a GET, without a query, takes its response away from others. */
static struct item *request_item(struct scratch *s, struct reader *r, struct record *rec)
{
	struct err err = { 0 };
	struct str body, method;
	struct item *it;
	bool cut, any;
	char *at;

	if (payload_begin(&s->payload, r, rec, PAYLOAD_DECHUNKED, 0, &err) < 0)
		return NULL;
	method = s->payload.http.method;
	buf_reset(&s->query);
	any = s->payload.has_http && s->payload.http.request &&
	      payload_all(&s->payload, LIMIT_POST_BODY, &body, &cut, &err) == WN_OK &&
	      cdx_post_query(method, s->payload.http.content_type, body, &s->query);
	payload_end(&s->payload, rec, &err);
	if (!any)
		buf_reset(&s->query);
	it = mem_alloc(sizeof *it + rec->target_uri.n + s->query.n);
	memset(it, 0, sizeof *it);
	at = it->bytes;
	it->request = true;
	it->flaws = rec->flaws.n + rec->flaws.more;
	it->url = keep(&at, rec->target_uri);
	it->query = keep(&at, buf_view(&s->query));
	return it;
}

static void *work(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	const struct job *job = context;
	struct scratch *s = &job->scratch[worker];
	struct err err = { 0 };
	char digest[DIGEST_TEXT];
	struct cdx c;

	if (rec->type == RECORD_REQUEST && job->o->post_append)
		return request_item(s, r, rec);
	if (!is_indexed(rec)) {
		reader_end(r, rec, &err);
		return flaws_only(rec);
	}
	if (payload_begin(&s->payload, r, rec, PAYLOAD_DECHUNKED, wants_of(rec), &err) < 0)
		return flaws_only(rec);
	/* the head's slices last until payload_end: the line is made of a copy of the type */
	arena_reset(&s->arena);
	if (s->payload.has_http)
		s->payload.http.content_type = arena_str(&s->arena, s->payload.http.content_type);
	if (payload_end(&s->payload, rec, &err) < 0)
		return flaws_only(rec);
	fill_line(rec, &s->payload, digest, &c);
	c.filename = base_name(rec->part.n ? rec->part : str(job->paths[file]));
	return line_item(job, s, rec, &c);
}

/* ---- in order ---- */

static int add_line(struct job *job, struct str line)
{
	if (line.n == 0)
		return WN_OK;
	job->report->lines++;
	return linesort_add(&job->sort, line, job->err);
}

static int flush_pending(struct job *job)
{
	struct item *it = job->pending;
	int rc = WN_OK;

	job->pending = NULL;
	if (it)
		rc = add_line(job, it->line);
	mem_free(it);
	return rc;
}

/* The response's line with the request in its key. */
static int join(struct job *job, struct item *request, struct item *response)
{
	struct cdx c = response->c;
	struct str rest = request->query;
	struct buf url = BUF(2 * LIMIT_URL + 16 * LIMIT_POST_BODY);
	int rc;

	if (!request->query.n) {
		rc = add_line(job, response->line);
		goto out;
	}
	cdx_post_url(c.url, request->query, &url);
	buf_reset(&job->key);
	surt_add(job->o->profile, buf_view(&url), &job->key);
	c.urlkey = buf_view(&job->key);
	c.method = str_cut(&rest, '&');
	c.method = str_sub(c.method, strlen("__wb_method="), c.method.n);
	c.request_body = rest;
	buf_reset(&job->line);
	cdx_add(job->o->format, &c, &job->line);
	rc = add_line(job, buf_view(&job->line));
out:
	buf_release(&url);
	mem_free(request);
	mem_free(response);
	return rc;
}

static int take(struct job *job, struct item *it)
{
	struct item *other = job->pending;
	int rc;

	job->report->flaws += it->flaws;
	if (!it->request && !it->response) {
		rc = flush_pending(job);
		if (rc == WN_OK)
			rc = add_line(job, it->line);
		mem_free(it);
		return rc;
	}
	if (other && other->request != it->request && str_eq(other->url, it->url)) {
		job->pending = NULL;
		return it->request ? join(job, it, other) : join(job, other, it);
	}
	rc = flush_pending(job);
	job->pending = it;
	return rc;
}

static void tell(struct job *job, const char *path, const char *why)
{
	if (job->o->trouble)
		job->o->trouble(job->o->context, path, why);
}

static int end_file(struct job *job, const struct scan_file *f)
{
	job->report->files++;
	job->report->records += f->records;
	job->report->flaws += f->tail->n + f->tail->more;
	if (f->code < 0) {
		job->report->failed++;
		tell(job, f->path, f->err->text);
	} else if (f->records == 0 && flaw_has(f->tail, FLAW_NOT_AN_ARCHIVE)) {
		job->report->not_archives++;
		tell(job, f->path, "not an archive");
	}
	return flush_pending(job);
}

static int done(void *context, void *item, size_t file, const struct scan_file *summary)
{
	struct job *job = context;

	(void)file;
	return item ? take(job, item) : end_file(job, summary);
}

static void drop(void *context, void *item)
{
	(void)context;
	mem_free(item);
}

static void progress(void *context, uint64_t bytes)
{
	struct job *job = context;

	if (job->o->progress)
		job->o->progress(job->o->context, bytes);
}

static int run(struct job *job, size_t n)
{
	const struct index_options *o = job->o;
	struct scan scan = { .threads = o->threads,
			     .quick = o->quick,
			     .context = job,
			     .work = work,
			     .done = done,
			     .drop = drop,
			     .progress = progress };
	struct str header = cdx_header(o->format);
	int rc = scan_paths(&scan, job->paths, n, job->err);

	if (rc != WN_OK)
		return rc;
	if (header.n && (rc = o->write(o->context, header, job->err)) < 0)
		return rc;
	job->report->runs = job->sort.runs.n;
	return linesort_drain(&job->sort, o->context, o->write, job->err);
}

int index_paths(const struct index_options *o, const char *const *paths, size_t n, struct index_report *report,
		struct err *err)
{
	struct job job = {
		.o = o, .paths = paths, .report = report, .err = err, .line = BUF(LIMIT_LINE), .key = BUF(LIMIT_LINE)
	};
	unsigned scratches = (o->threads ? o->threads : 1) + 1;
	int rc;

	*report = (struct index_report){ 0 };
	job.scratch = mem_zarray(scratches, sizeof *job.scratch);
	for (unsigned i = 0; i < scratches; i++) {
		job.scratch[i].key = job.scratch[i].line = job.scratch[i].query = BUF(LIMIT_LINE);
		payload_others(&job.scratch[i].payload, paths, n);
	}
	linesort_init(&job.sort, o->memory ? o->memory : SORT_MEMORY, o->tmp);
	rc = run(&job, n);
	mem_free(job.pending);
	linesort_release(&job.sort);
	for (unsigned i = 0; i < scratches; i++) {
		payload_release(&job.scratch[i].payload);
		buf_release(&job.scratch[i].key);
		buf_release(&job.scratch[i].line);
		buf_release(&job.scratch[i].query);
		arena_release(&job.scratch[i].arena);
	}
	mem_free(job.scratch);
	buf_release(&job.line);
	buf_release(&job.key);
	return rc;
}

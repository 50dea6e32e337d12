/* flow/jsonl.c -- see jsonl.h. */
#include "flow/jsonl.h"

#include <inttypes.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/progress.h"
#include "base/task.h"
#include "flow/batch.h"
#include "flow/extractor.h"
#include "flow/inputs.h"

int jsonl_map_parse(struct str spec, struct jsonl_map *out, struct err *err)
{
	const struct {
		const char *name;
		char *into;
	} parts[] = { { "id", out->id },
		      { "text", out->text },
		      { "url", out->url },
		      { "time", out->time },
		      { "title", out->title } };

	*out = (struct jsonl_map){ 0 };
	while (spec.p) {
		struct str part = str_cut(&spec, ','), name = str_trim(str_cut(&part, '='));
		bool known = false;

		part = str_trim(part);
		for (size_t i = 0; i < COUNT(parts); i++)
			if (str_eq(name, str(parts[i].name)) && part.n && part.n < 64) {
				memcpy(parts[i].into, part.p, part.n);
				parts[i].into[part.n] = 0;
				known = true;
			}
		if (!known)
			return err_set(err, WN_USAGE,
				       "--map is id=..,text=..[,url=..,time=..,title=..]; '%.*s' is none of these",
				       STR_FMT(name));
	}
	if (!out->text[0])
		return err_set(err, WN_USAGE, "--map must say which member is the text: text=NAME");
	return WN_OK;
}

static struct str member(const struct json_value *v, const char *name)
{
	return name[0] ? json_text(v, name) : STR_NONE;
}

/* Lines as they are handed to a worker.  Numbers count lines that are not blank, from 1, over the whole file. */
#define CHUNK_LINES 64
#define CHUNK_BYTES (256 * KIB) /* a chunk is full with the line that reaches it */

struct chunk {
	struct str text;		  /* its lines, with their ends */
	uint64_t at, number;		  /* of its beginning; of its first line */
	struct found *found[CHUNK_LINES]; /* of each line that is not blank; NULL: too large to be made beside others */
};

struct worker {
	struct extractor *extractor;
	struct arena arena; /* of one line */
};

struct lines {
	struct batch *batch;
	struct worker *workers; /* the last is that of the thread that takes */
	unsigned n_workers;
	size_t large; /* a longer line is made alone */
	const struct jsonl_map *map;
	struct ingest_report *report;
	struct input in;
	struct err *err;
};

/* A line that gave no document is named in the flaws. */
static struct found *passed_over(const struct jsonl_map *map, uint64_t at, uint64_t number)
{
	struct found *f = found_new();
	struct flaws one = { 0 };

	f->at = at;
	flaw_add(&one, FLAW_BAD_LINE, at, "line %" PRIu64 " has no text '%s'", number, map->text);
	found_flaws(f, one.v, one.n);
	return f;
}

static struct found *make(struct worker *w, const struct jsonl_map *m, struct str line, uint64_t at, uint64_t number)
{
	struct json_value *v;
	struct str text, url, id;
	struct stamp t = { 0 };
	struct flaws flaws = { 0 };
	struct found *f;

	arena_reset(&w->arena);
	if (json_parse(&w->arena, line, &v, NULL) < 0 || !(text = member(v, m->text)).p)
		return passed_over(m, at, number);
	id = member(v, m->id);
	url = member(v, m->url);
	if (!url.n)
		url = id.n ? arena_printf(&w->arena, "urn:jsonl:%.*s", STR_FMT(id))
			   : arena_printf(&w->arena, "urn:jsonl:%" PRIu64, number);
	/* seconds of Unix would be read as digits of a date, were they not of a month that there is not */
	if (m->time[0] && (!stamp_parse(member(v, m->time), &t) || t.clipped)) {
		t = (struct stamp){ 0 };
		flaw_add(&flaws, FLAW_BAD_DATE, at, "line %" PRIu64 " has no time '%s' that can be read: dated 1970",
			 number, m->time);
	}
	f = extractor_text(w->extractor, url, t.time, text, member(v, m->title));
	found_flaws(f, flaws.v, flaws.n);
	f->at = f->capture.at = at;
	f->capture.length = line.n;
	return f;
}

/* The next line of a chunk that is not blank, and where it begins; false at the end. */
static bool next_line(const struct chunk *c, struct str *rest, struct str *line, uint64_t *at)
{
	while (rest->n) {
		*at = c->at + (uint64_t)(rest->p - c->text.p);
		*line = str_cut(rest, '\n');
		if (str_trim(*line).n)
			return true;
	}
	return false;
}

static void work(void *context, void *item, unsigned worker)
{
	struct lines *l = context;
	struct chunk *c = item;
	struct str rest = c->text, line;
	uint64_t at;

	for (size_t i = 0; next_line(c, &rest, &line, &at); i++)
		if (line.n <= l->large)
			c->found[i] = make(&l->workers[worker], l->map, line, at, c->number + i);
}

/* The file's row says how far it was read, so that whatever ends this is continued from there. */
static int take(struct lines *l, struct found *f, uint64_t to, bool whole)
{
	int rc = batch_take(l->batch, f, l->in.file.id, l->err);

	l->report->records++;
	if (!whole)
		return rc; /* a last line without an end may go on when the file has grown: it is read again then */
	l->in.file.records++;
	l->in.file.done_to = to;
	if (rc < 0 || !batch_full(l->batch))
		return rc;
	batch_file(l->batch, &l->in.file);
	return batch_pass(l->batch, l->err);
}

static int done(void *context, void *item, bool cancelled)
{
	struct lines *l = context;
	struct chunk *c = item;
	struct str rest = c->text, line;
	uint64_t at;
	int rc = cancelled ? WN_INTERRUPTED : WN_OK;

	for (size_t i = 0; next_line(c, &rest, &line, &at); i++) {
		struct found *f = c->found[i];

		if (rc == WN_OK && !f) {
			batch_file(l->batch, &l->in.file); /* what makes room may commit */
			rc = batch_make_room(l->batch, l->err);
		}
		if (rc == WN_OK && !f)
			f = make(&l->workers[l->n_workers - 1], l->map, line, at, c->number + i);
		if (rc == WN_OK)
			rc = take(l, f, rest.p ? c->at + (uint64_t)(rest.p - c->text.p) : 0, rest.p != NULL);
		else
			found_free(f);
	}
	progress_add(c->text.n);
	mem_free(c);
	return cancelled ? 0 : rc;
}

/* A chunk from the beginning of *rest, and the lines it has. */
static struct chunk *cut_chunk(struct str *rest, uint64_t at, uint64_t *number)
{
	struct chunk *c = mem_zalloc(sizeof *c);
	const char *from = rest->p;
	size_t n = 0;

	*c = (struct chunk){ .at = at, .number = *number };
	while (rest->n && n < CHUNK_LINES && (size_t)(rest->p - from) < CHUNK_BYTES)
		n += str_trim(str_cut(rest, '\n')).n > 0;
	c->text = str_n(from, rest->p ? (size_t)(rest->p - from) : 0);
	*number += n;
	return c;
}

static int read_lines(struct lines *l, struct str all, struct err *err)
{
	struct pool *pool = pool_new(l->n_workers - 1, 2 * l->n_workers, work, done, l);
	struct str rest = str_sub(all, l->in.start, all.n);
	uint64_t number = l->in.file.records + 1;
	bool stopped = false;
	int rc = WN_OK;

	while (rest.n && rc == WN_OK && !(stopped = task_interrupted())) {
		uint64_t at = (uint64_t)(rest.p - all.p);
		struct chunk *c = cut_chunk(&rest, at, &number);

		if (!rest.p) /* the last line has no end */
			c->text = str_sub(all, at, all.n);
		rc = pool_add(pool, c);
	}
	if (rc == WN_OK)
		rc = pool_finish(pool);
	pool_free(pool);
	if (rc < 0)
		return rc;
	l->in.file.complete = !stopped;
	batch_file(l->batch, &l->in.file);
	rc = batch_commit(l->batch, err);
	return rc == WN_OK && stopped ? err_set(err, WN_INTERRUPTED, "interrupted") : rc;
}

/* Is it new, grown or replaced? */
static int look(struct lines *l, struct collection *coll, struct arena *a, const char *path, struct err *err)
{
	struct known_files *known = NULL;
	struct catalog_next next;
	int rc;

	if ((rc = catalog_next(coll->catalog, &next, err)) == WN_OK &&
	    (rc = known_files_load(&known, coll->catalog, err)) == WN_OK &&
	    (rc = known_files_look(known, a, path, &next.file, &l->in, err)) == WN_OK && !l->in.skip) {
		uint64_t records =
		    l->in.start ? l->in.file.records : 0; /* lines before start, with or without a text */

		rc = inputs_clear(coll->catalog, known, &l->in, &l->report->files_replaced,
				  &l->report->captures_replaced, err);
		l->in.file.records = records;
	}
	known_files_free(known);
	if (rc == WN_OK && l->in.skip && l->in.moved) {
		batch_file(l->batch, &l->in.file); /* only its path is new */
		rc = batch_commit(l->batch, err);
	}
	l->in.file.lines = true;
	return rc;
}

int jsonl_ingest(struct collection *coll, const char *path, const struct jsonl_map *map, const struct ingest_options *o,
		 struct ingest_report *out, struct err *err)
{
	struct batch_options bo = { .threads = o->threads,
				    .plan = memory_plan(o->memory, o->threads),
				    .fulltext = !o->no_fulltext };
	struct extractor_options eo = { .spec = collection_spec(coll),
					.profile = catalog_settings(coll->catalog)->profile,
					.payload_max = LIMIT_TEXT };
	struct lines l = {
		.n_workers = bo.plan.threads + 1, .large = bo.plan.large, .map = map, .report = out, .err = err
	};
	double started = progress_clock();
	struct os_map file = { 0 };
	struct arena a = { 0 };
	int rc;

	*out = (struct ingest_report){ 0 };
	l.workers = mem_zarray(l.n_workers, sizeof *l.workers);
	for (unsigned i = 0; i < l.n_workers; i++)
		l.workers[i].extractor = extractor_new(&eo);
	if ((rc = batch_open(&l.batch, coll, &bo, err)) < 0 || (rc = os_map(&file, path, err)) < 0 ||
	    (rc = look(&l, coll, &a, path, err)) < 0)
		goto out;
	if (l.in.skip) {
		out->files_skipped = 1;
		goto out;
	}
	out->bytes_read = file.n - l.in.start;
	progress_phase("reading", "bytes", out->bytes_read);
	if ((rc = read_lines(&l, str_n((const char *)file.p, file.n), err)) == WN_OK)
		rc = batch_finish(l.batch, err);
	progress_end();
	out->files = 1;
	out->captures = batch_counts(l.batch)->captures;
	out->documents = batch_counts(l.batch)->documents;
	out->contents = batch_counts(l.batch)->contents;
	out->flaws = batch_counts(l.batch)->flaws;
	out->bytes_payload = batch_counts(l.batch)->bytes_payload;
out:
	for (unsigned i = 0; i < l.n_workers; i++) {
		extractor_free(l.workers[i].extractor);
		arena_release(&l.workers[i].arena);
	}
	mem_free(l.workers);
	batch_close(l.batch);
	os_unmap(&file);
	arena_release(&a);
	out->seconds = progress_clock() - started;
	return rc;
}

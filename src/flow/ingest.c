/* flow/ingest.c -- see ingest.h. */
#include "flow/ingest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "archive/scan.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "base/progress.h"
#include "base/task.h"
#include "flow/batch.h"
#include "flow/extractor.h"
#include "flow/health.h"
#include "flow/inputs.h"
#include "flow/replay.h"
#include "flow/seen.h"
#include "text/document.h"

struct ingest {
	struct collection *coll;
	const struct ingest_options *o;
	struct ingest_report *report;
	struct batch *batch;
	struct extractor **extractors; /* threads + 1, and one for `again` */
	unsigned n_extractors;
	VEC(struct input) inputs; /* those to be read, in order */
	uint64_t to_read;	  /* bytes of them */
	uint64_t passed;	  /* how many of those went before the batch in the making */
	struct arena arena;
	struct err *err;
	atomic_bool continues; /* a segment was read of a record that may be of an earlier ingest */
	struct {	       /* the record that the calling thread works on */
		struct input *in;
		uint64_t at;
		bool inside;
	} now;
};

static void *work(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct ingest *g = context;
	struct err err = { 0 };
	struct found *f;

	bool calling = worker == g->o->threads;

	if (calling) {
		g->now.in = &g->inputs.p[file];
		g->now.at = rec->span.at;
		g->now.inside = rec->span.skip || rec->part.n;
	}
	if (rec->type == RECORD_CONTINUATION)
		atomic_store_explicit(&g->continues, true, memory_order_relaxed);
	f = extractor_found(g->extractors[worker], r, rec, &err);
	return !f && err.code == WN_LIMIT && !calling ? SCAN_LATER : f;
}

static size_t size(void *context, const void *item)
{
	(void)context;
	return found_size(item);
}

static void drop(void *context, void *item)
{
	(void)context;
	found_free(item);
}

/* Reads a capture's record again, with nothing skipped. */
static int again(void *context, const struct capture *c, struct found **out, struct err *err)
{
	struct ingest *g = context;
	struct reader *r = NULL;
	struct record rec;
	const char *path = NULL;
	int rc;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (g->inputs.p[i].file.id == c->file)
			path = g->inputs.p[i].path;
	if (!path)
		BUG("capture of file %" PRIu64 " that is not being read", c->file);
	if (c->part.n)
		path = arena_printf(&g->arena, "%s#%.*s", path, STR_FMT(c->part)).p;
	if ((rc = reader_open_span(&r, path, (struct span){ c->at, c->length, c->skip }, err)) < 0)
		return rc;
	if ((rc = reader_next(r, &rec, err)) == WN_OK) {
		*out = extractor_found(g->extractors[g->n_extractors - 1], r, &rec, err);
		rc = *out ? WN_OK : WN_IO;
	}
	reader_close(r);
	return rc == WN_END ? err_set(err, WN_IO, "%s changed while it was read", path) : rc;
}

/* `again` is called in the middle of a batch, which cannot end there. */
static int stay(void *context, struct err *err)
{
	(void)context, (void)err;
	return WN_OK;
}

static void file_failed(struct ingest *g, const char *why)
{
	if (!g->report->files_failed++)
		snprintf(g->report->failure, sizeof g->report->failure, "%s", why);
}

static void file_trouble(struct ingest *g, const char *why)
{
	file_failed(g, why);
	if (g->o->trouble)
		g->o->trouble(why);
}

/* A batch ends before a record, so that the file's row can say where to go on. */
static void end_before(struct ingest *g, struct input *in, uint64_t at, bool inside)
{
	struct catalog_file row;

	if (!inside) {
		in->go_on = at;
		in->before = in->file.records;
	}
	row = in->file;
	row.done_to = in->go_on;
	row.records = in->before;
	batch_file(g->batch, &row);
}

/* The last batch is committed when there is nothing else to do.  So one that has come to four fifths of what is to be read
 * ends there: its commit is done beside the rest, whose own is short then. */
static bool is_near_the_end(const struct ingest *g, uint64_t at)
{
	return at > g->passed && at < g->to_read && g->to_read - at <= (at - g->passed) / 4 && batch_worth(g->batch);
}

static int make_room(void *context, struct err *err)
{
	struct ingest *g = context;

	if (g->now.in)
		end_before(g, g->now.in, g->now.at, g->now.inside);
	return batch_make_room(g->batch, err);
}

static int done(void *context, void *item, size_t file, const struct scan_file *summary)
{
	struct ingest *g = context;
	struct input *in = &g->inputs.p[file];
	int rc;

	if (task_interrupted()) {
		found_free(item);
		return err_set(g->err, WN_INTERRUPTED, "interrupted");
	}
	if (item) {
		struct found *f = item;

		if (!f->inside) {
			in->go_on = f->at;
			in->before = in->file.records;
		}
		uint64_t at = in->begins + f->at - in->start; /* of all that is to be read */

		if (batch_ends_before(g->batch, f, is_near_the_end(g, at))) {
			end_before(g, in, f->at, f->inside);
			g->passed = at;
			if ((rc = batch_pass(g->batch, g->err)) < 0) {
				found_free(f);
				return rc;
			}
		}
		in->file.records++;
		return batch_take(g->batch, f, in->file.id, g->err);
	}
	if (summary->code < 0) {
		file_trouble(g, summary->err ? summary->err->text : in->path);
		return WN_OK;
	}
	for (unsigned i = 0; summary->tail && i < summary->tail->n; i++) {
		struct found *f = found_new();

		found_flaws(f, &summary->tail->v[i], 1);
		if ((rc = batch_take(g->batch, f, in->file.id, g->err)) < 0)
			return rc;
	}
	g->report->files++;
	g->report->records += summary->records;
	in->file.done_to = summary->stop;
	in->file.complete = true;
	batch_file(g->batch, &in->file);
	return batch_full(g->batch) ? batch_pass(g->batch, g->err) : WN_OK;
}

static void show_progress(void *context, uint64_t bytes)
{
	(void)context;
	progress_add(bytes);
}

/* Standard input is kept in incoming/, so that spans stay readable. */
static int keep_stdin(struct ingest *g, const char **path, struct err *err)
{
	const char *dir = collection_path(g->coll, &g->arena, "incoming");
	char name[64], *piece;
	struct os_atomic f = { .fd = -1 };
	struct tm tm;
	time_t now = time(NULL);
	size_t got;
	int rc;

	if ((rc = os_mkdir(dir, err)) < 0)
		return rc;
	gmtime_r(&now, &tm);
	strftime(name, sizeof name, "stdin-%Y%m%d%H%M%S", &tm);
	*path = arena_printf(&g->arena, "%s/%s-%ld.warc", dir, name, (long)getpid()).p;
	if ((rc = os_atomic_open(&f, *path, err)) < 0)
		return rc;
	piece = mem_alloc(1 * MIB);
	while ((rc = os_read(0, piece, 1 * MIB, &got, "standard input", err)) == WN_OK && got) {
		if (task_interrupted()) {
			rc = err_set(err, WN_INTERRUPTED, "interrupted");
			break;
		}
		if ((rc = os_write(f.fd, piece, got, f.tmp, err)) < 0)
			break;
	}
	mem_free(piece);
	if (rc < 0) {
		os_atomic_abort(&f);
		return rc;
	}
	return os_atomic_commit(&f, err);
}

/* Which of the paths are new, grown, moved, replaced or known. */
static int look(struct ingest *g, const char *const *paths, size_t n, struct err *err)
{
	struct known_files *known = NULL;
	struct paths all = { 0 };
	struct catalog_next next;
	int rc;

	if ((rc = inputs_expand(&g->arena, paths, n, &all, err)) < 0 ||
	    (rc = catalog_next(g->coll->catalog, &next, err)) < 0 ||
	    (rc = known_files_load(&known, g->coll->catalog, err)) < 0)
		goto out;
	for (size_t i = 0; i < all.unread.n; i++)
		file_failed(g, all.unread.p[i]);
	for (size_t i = 0; i < all.list.n && rc == WN_OK; i++) {
		const char *path = all.list.p[i];
		bool standard = strcmp(path, "-") == 0;
		struct input in;

		if (standard && (rc = keep_stdin(g, &path, err)) < 0)
			break;
		rc = known_files_look(known, &g->arena, path, &next.file, &in, err);
		if (rc == WN_IO && !standard) { /* a link to nowhere, or not ours to read: the others are */
			file_trouble(g, err->text);
			*err = (struct err){ 0 };
			rc = WN_OK;
			continue;
		}
		if (rc < 0)
			break;
		if (!in.skip) {
			vec_push(&g->inputs, in);
			continue;
		}
		g->report->files_skipped++;
		if (standard)
			os_unlink(path, NULL); /* a second copy of what is kept */
		else if (in.moved)
			batch_file(g->batch, &in.file); /* only its path is new */
	}
	for (size_t i = 0; i < g->inputs.n && rc == WN_OK; i++)
		rc = inputs_clear(g->coll->catalog, known, &g->inputs.p[i], &g->report->files_replaced,
				  &g->report->captures_replaced, err);
out:
	known_files_free(known);
	paths_release(&all);
	return rc;
}

/* Segments of a record may lie in any file that is read now or was read before. */
static int find_others(struct ingest *g, const char *const *paths, struct err *err)
{
	const char *const *known, **all;
	size_t n;
	int rc = collection_files(g->coll, &g->arena, &known, &n, err);

	if (rc < 0)
		return rc;
	all = ARENA_ARRAY(&g->arena, const char *, g->inputs.n + n + 1);
	for (size_t i = 0; i < g->inputs.n; i++)
		all[i] = paths[i];
	for (size_t i = 0; i < n; i++)
		all[g->inputs.n + i] = known[i];
	for (unsigned i = 0; i < g->n_extractors; i++)
		extractor_others(g->extractors[i], all, g->inputs.n + n);
	return WN_OK;
}

static int scan_inputs(struct ingest *g, struct err *err)
{
	const char **paths = mem_array(g->inputs.n, sizeof *paths);
	uint64_t *starts = mem_array(g->inputs.n, sizeof *starts), total = 0;
	struct scan s = { .threads = g->o->threads,
			  .quick = g->o->quick && g->o->index_only,
			  .context = g,
			  .work = work,
			  .done = done,
			  .drop = drop,
			  .size = size,
			  .memory = memory_plan(g->o->memory, g->o->threads).waiting,
			  .progress = show_progress };
	int rc;

	for (size_t i = 0; i < g->inputs.n; i++) {
		paths[i] = g->inputs.p[i].path;
		starts[i] = g->inputs.p[i].start;
		g->inputs.p[i].begins = total;
		total += g->inputs.p[i].file.bytes - starts[i];
	}
	g->to_read = total;
	s.starts = starts;
	g->report->bytes_read = total;
	progress_phase("reading", "bytes", total);
	if ((rc = find_others(g, paths, err)) == WN_OK)
		rc = scan_paths(&s, paths, g->inputs.n, err);
	if (rc == WN_OK || rc == WN_INTERRUPTED) {
		/* an interrupted ingest keeps what it has: the open file's row says where to go on */
		int committed = batch_commit(g->batch, rc == WN_OK ? err : NULL);

		if (rc == WN_OK)
			rc = committed;
	}
	progress_end();
	mem_free(paths);
	mem_free(starts);
	return rc;
}

struct ids {
	VEC(uint64_t) list;
};

static int keep_id(void *context, uint64_t id)
{
	struct ids *ids = context;

	vec_push(&ids->list, id);
	return WN_OK;
}

/* Reads a capture again with the segments that are there now; taken when that makes another payload of it. */
static int rejoin_one(struct ingest *g, uint64_t id, struct err *err)
{
	struct arena a = { 0 };
	struct replay p = { 0 };
	struct err why = { 0 };
	struct found *f = NULL;
	struct capture c;
	int rc = catalog_capture(g->coll->catalog, &a, id, &c, err);

	/* what cannot be read now stays as it is */
	if (rc == WN_OK && c.kind != CAPTURE_REVISIT && replay_open(&p, g->coll, &c, false, &why) == WN_OK)
		f = extractor_found(g->extractors[g->n_extractors - 1], p.reader, &p.record, &why);
	replay_close(&p);
	if (f && f->is_capture && f->capture.bytes != c.bytes) {
		rc = batch_retake(g->batch, f, &c, true, err);
		g->report->captures_rejoined++;
	} else {
		found_free(f);
	}
	arena_release(&a);
	return rc;
}

/* Segments of records that an earlier ingest found without them, also of one that was killed before it came to this. */
static int rejoin(struct ingest *g, struct err *err)
{
	struct ids ids = { 0 };
	int rc = catalog_flawed(g->coll->catalog, flaw_name(FLAW_SEGMENT), keep_id, &ids, err);

	for (size_t i = 0; i < ids.list.n && rc == WN_OK; i++)
		rc = rejoin_one(g, ids.list.p[i], err);
	vec_release(&ids.list);
	if (rc == WN_OK && g->report->captures_rejoined && (rc = batch_commit(g->batch, err)) == WN_OK)
		rc = catalog_reprocessed(g->coll->catalog, catalog_settings(g->coll->catalog)->extractor, err);
	return rc;
}

/* Whether captures were entered without making documents of them, and that was not made good since. */
static int are_some_bare(struct collection *coll, bool *out, struct err *err)
{
	struct arena a = { 0 };
	struct str value;
	int rc = catalog_get(coll->catalog, CATALOG_INDEX_ONLY, &a, &value, err);

	*out = rc == WN_OK && str_eq(value, STR("1"));
	arena_release(&a);
	return rc == WN_NONE ? WN_OK : rc;
}

static int run(struct ingest *g, const char *const *paths, size_t n, struct err *err)
{
	struct batch_options bo = { .threads = g->o->threads,
				    .plan = memory_plan(g->o->memory, g->o->threads),
				    .fulltext = !g->o->index_only && !g->o->no_fulltext,
				    .again = again,
				    .context = g };
	const struct batch_counts *counts;
	uint64_t left = 0;
	int rc;

	if ((rc = batch_open(&g->batch, g->coll, &bo, err)) < 0 || (rc = look(g, paths, n, err)) < 0)
		return rc;
	if (g->o->index_only && (rc = catalog_set(g->coll->catalog, CATALOG_INDEX_ONLY, STR("1"), err)) < 0)
		return rc;
	if (!g->o->index_only && g->report->files_skipped && (rc = are_some_bare(g->coll, &g->report->bare, err)) < 0)
		return rc;
	if ((rc = scan_inputs(g, err)) < 0 || ((atomic_load(&g->continues) || g->report->files_skipped) &&
					       !g->o->index_only && (rc = rejoin(g, err)) < 0))
		return rc;
	progress_phase("finding originals", "revisits", 0);
	if ((rc = catalog_adopt(g->coll->catalog, &g->report->captures_adopted, err)) < 0 ||
	    (rc = catalog_resolve(g->coll->catalog, &g->report->revisits_resolved, &left, err)) < 0)
		return rc;
	g->report->revisits_unresolved = left;
	if (bo.fulltext) {
		progress_phase("merging", "segments", 0);
		rc = batch_finish(g->batch, err);
	}
	progress_end();
	counts = batch_counts(g->batch);
	g->report->captures = counts->captures - g->report->captures_rejoined;
	g->report->documents = counts->documents;
	g->report->contents = counts->contents;
	g->report->flaws = counts->flaws;
	g->report->bytes_payload = counts->bytes_payload;
	return rc;
}

int ingest_paths(struct collection *coll, const char *const *paths, size_t n, const struct ingest_options *o,
		 struct ingest_report *out, struct err *err)
{
	struct ingest g = { .coll = coll, .o = o, .report = out, .err = err };
	struct extractor_options eo = { .spec = collection_spec(coll),
					.profile = catalog_settings(coll->catalog)->profile,
					.index_only = o->index_only,
					.parse_all = o->parse_all };
	double started = progress_clock();
	struct seen *seen = o->index_only ? NULL : seen_new();
	pthread_mutex_t wide_turn = PTHREAD_MUTEX_INITIALIZER;
	int rc;

	*out = (struct ingest_report){ 0 };
	eo.payload_max = LIMIT_PAYLOAD_TEXT;
	g.n_extractors = (o->threads ? o->threads : 1) + 2;
	g.extractors = mem_zarray(g.n_extractors, sizeof(struct extractor *));
	eo.large = memory_plan(o->memory, o->threads).large;
	eo.wide = memory_plan(o->memory, o->threads).wide;
	eo.wide_turn = &wide_turn;
	eo.context = &g;
	for (unsigned i = 0; i < g.n_extractors; i++) { /* of the workers, of the calling thread, for `again` */
		eo.make_room = i + 1 == g.n_extractors ? stay : i + 2 == g.n_extractors ? make_room : NULL;
		eo.seen = i + 1 < g.n_extractors ? seen : NULL;
		g.extractors[i] = extractor_new(&eo);
	}
	rc = run(&g, paths, n, err);
	for (unsigned i = 0; i < g.n_extractors; i++)
		extractor_free(g.extractors[i]);
	mem_free(g.extractors);
	seen_free(seen);
	batch_close(g.batch);
	vec_release(&g.inputs);
	arena_release(&g.arena);
	out->seconds = progress_clock() - started;
	return rc;
}

/* ---- texts made anew ---- */

/* Whether the archive still has what was read there.  Of a capture without a document the digest may be the record's own word,
 * and one that is cut into segments may have got more of them. */
static bool is_as_before(const struct found *f, const struct capture *c, bool first)
{
	bool made = c->content || c->why;

	return !made || first || !c->digest.n || !f->capture.digest.n || str_eq(c->digest, f->capture.digest);
}

static int reprocess_one(struct ingest *g, struct collection *read_from, struct replay_run *run,
			 const struct capture *c, struct err *err)
{
	struct replay p = { 0 };
	struct err why = { 0 };
	struct found *f = NULL;
	bool follows = replay_run_to(run, read_from, c, &p.record, &why) == WN_OK && !p.record.segment_number, first;
	int rc = follows ? WN_OK : replay_open(&p, read_from, c, false, &why);

	first = rc == WN_OK && p.record.segment_number == 1;
	if (rc == WN_OK)
		f = extractor_found(g->extractors[0], follows ? run->reader : p.reader, &p.record, &why);
	replay_close(&p);
	if (!f) /* where it stands is not known */
		replay_run_close(run);
	if (f && !is_as_before(f, c, first)) {
		err_set(&why, WN_IO,
			"%.*s has another payload than when it was ingested: its archive was damaged or changed since",
			STR_FMT(c->url));
		found_free(f);
		f = NULL;
	}
	if (!f) {
		file_failed(g, why.text);
		return WN_OK;
	}
	return batch_retake(g->batch, f, c, first, err);
}

/* All captures, or with `bare` those of which no document was made yet. */
static int reprocess_all(struct ingest *g, struct collection *read_from, bool bare, struct err *err)
{
	struct capture_query q = { 0 };
	struct capture_cursor *cur = NULL;
	struct replay_run run = { 0 };
	struct capture c;
	int rc;

	/* a second connection reads the captures as they were while this one writes */
	if ((rc = catalog_begin(read_from->catalog, err)) < 0 ||
	    (rc = catalog_captures(read_from->catalog, &q, &cur, err)) < 0)
		return rc;
	while ((rc = capture_next(cur, &c, err)) == WN_OK) {
		progress_add(1);
		if (task_interrupted()) {
			rc = err_set(err, WN_INTERRUPTED, "interrupted");
			break;
		}
		if (c.kind == CAPTURE_REVISIT || !c.file || (bare && (c.content || c.why)))
			continue;
		if ((rc = reprocess_one(g, read_from, &run, &c, err)) < 0 ||
		    (batch_full(g->batch) && (rc = batch_pass(g->batch, err)) < 0))
			break;
	}
	capture_close(cur);
	replay_run_close(&run);
	catalog_end(read_from->catalog);
	return rc == WN_END ? batch_commit(g->batch, err) : rc;
}

int ingest_reprocess(struct collection *coll, bool always, const struct ingest_options *o, struct ingest_report *out,
		     struct err *err)
{
	struct ingest g = { .coll = coll, .o = o, .report = out, .err = err, .n_extractors = 1 };
	struct batch_options bo = { .threads = o->threads,
				    .plan = memory_plan(o->memory, o->threads),
				    .fulltext = !o->no_fulltext };
	struct extractor_options eo = { .spec = collection_spec(coll),
					.profile = catalog_settings(coll->catalog)->profile,
					.payload_max = LIMIT_PAYLOAD_TEXT,
					.large = bo.plan.large,
					.make_room = make_room,
					.context = &g };
	struct collection read_from = { 0 };
	struct catalog_stats stats;
	bool bare, sound;
	double started = progress_clock();
	int rc;

	*out = (struct ingest_report){ 0 };
	/* a collection that was made without an index of words gets one */
	if (bo.fulltext && (rc = catalog_set(coll->catalog, CATALOG_FULLTEXT, STR("1"), err)) < 0)
		return rc;
	if ((rc = health_mend(coll, bo.fulltext, bo.plan.words, &out->mended, err)) < 0)
		return rc;
	if ((rc = are_some_bare(coll, &bare, err)) < 0)
		return rc;
	sound = !always && !out->mended.lost && !out->mended.links &&
		catalog_settings(coll->catalog)->extractor == DOCUMENT_VERSION;
	if (sound && !bare)
		return WN_OK;
	g.extractors = mem_zarray(1, sizeof(struct extractor *));
	g.extractors[0] = extractor_new(&eo);
	if ((rc = catalog_stats(coll->catalog, &stats, err)) == WN_OK &&
	    (rc = batch_open(&g.batch, coll, &bo, err)) == WN_OK &&
	    (rc = collection_open(&read_from, catalog_dir(coll->catalog), CATALOG_READ, NULL, err)) == WN_OK) {
		progress_phase("making texts anew", "captures", stats.captures);
		rc = find_others(&g, NULL, err);
	}
	if (rc == WN_OK) {
		rc = reprocess_all(&g, &read_from, sound, err);
	}
	if (rc == WN_OK && (rc = catalog_reprocessed(coll->catalog, DOCUMENT_VERSION, err)) == WN_OK)
		rc = catalog_resolve(coll->catalog, &out->revisits_resolved, &out->revisits_unresolved, err);
	if (rc == WN_OK && bare && !out->files_failed)
		rc = catalog_set(coll->catalog, CATALOG_INDEX_ONLY, STR("0"), err);
	if (rc == WN_OK)
		rc = batch_finish(g.batch, err);
	progress_end();
	if (g.batch) {
		out->captures = batch_counts(g.batch)->captures;
		out->documents = batch_counts(g.batch)->documents;
		out->contents = batch_counts(g.batch)->contents;
		out->flaws = batch_counts(g.batch)->flaws;
	}
	extractor_free(g.extractors[0]);
	mem_free(g.extractors);
	batch_close(g.batch);
	arena_release(&g.arena);
	collection_close(&read_from);
	out->seconds = progress_clock() - started;
	return rc;
}

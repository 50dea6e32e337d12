/* flow/jsonl.c -- see jsonl.h. */
#include "flow/jsonl.h"

#include <inttypes.h>
#include <stdio.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
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

struct lines {
	struct batch *batch;
	struct extractor *extractor;
	const struct jsonl_map *map;
	struct ingest_report *report;
	struct input in;
	struct arena arena; /* of one line */
};

/* One line, number `number` of its file; false in *taken: no object, or without a text. */
static int one(struct lines *l, struct str line, uint64_t at, uint64_t number, bool *taken, struct err *err)
{
	const struct jsonl_map *m = l->map;
	struct json_value *v;
	struct str text, url, id;
	struct stamp t = { 0 };
	struct flaws flaws = { 0 };
	struct found *f;

	*taken = false;
	if (json_parse(&l->arena, line, &v, NULL) < 0 || !(text = member(v, m->text)).p)
		return WN_OK;
	id = member(v, m->id);
	url = member(v, m->url);
	if (!url.n)
		url = id.n ? arena_printf(&l->arena, "urn:jsonl:%.*s", STR_FMT(id))
			   : arena_printf(&l->arena, "urn:jsonl:%" PRIu64, number);
	if (m->time[0] && !stamp_parse(member(v, m->time), &t)) {
		t = (struct stamp){ 0 };
		flaw_add(&flaws, FLAW_BAD_DATE, at, "line %" PRIu64 " has no time '%s' that can be read: dated 1970",
			 number, m->time);
	}
	*taken = true;
	f = extractor_text(l->extractor, url, t.time, text, member(v, m->title));
	if (flaws.n)
		found_flaws(f, flaws.v, flaws.n);
	f->at = f->capture.at = at;
	f->capture.length = line.n;
	return batch_take(l->batch, f, l->in.file.id, err);
}

/* A line that gave no document is named in the flaws. */
static int pass_over(struct lines *l, uint64_t at, uint64_t number, struct err *err)
{
	struct found *f = found_new();
	struct flaws one = { 0 };

	f->at = at;
	flaw_add(&one, FLAW_BAD_LINE, at, "line %" PRIu64 " has no text '%s'", number, l->map->text);
	found_flaws(f, one.v, one.n);
	return batch_take(l->batch, f, l->in.file.id, err);
}

/* The file's row says how far it was read, so that whatever ends this is continued from there. */
static int commit_to(struct lines *l, uint64_t at, struct err *err)
{
	l->in.file.done_to = at;
	batch_file(l->batch, &l->in.file);
	return batch_commit(l->batch, err);
}

static int read_lines(struct lines *l, struct str all, struct err *err)
{
	struct str rest = str_sub(all, l->in.start, all.n);
	uint64_t at = l->in.start;
	int rc = WN_OK;

	while (rest.n && rc == WN_OK) {
		struct str line = str_cut(&rest, '\n');
		uint64_t next = rest.p ? (uint64_t)(rest.p - all.p) : all.n;
		bool taken = true;

		if (task_interrupted()) {
			commit_to(l, at, NULL);
			return err_set(err, WN_INTERRUPTED, "interrupted");
		}
		progress_add(next - at);
		arena_reset(&l->arena);
		if (str_trim(line).n) {
			l->report->records++;
			rc = one(l, line, at, l->in.file.records + 1, &taken, err);
			if (rc == WN_OK && !taken)
				rc = pass_over(l, at, l->in.file.records + 1, err);
		}
		if (!rest.p)
			break; /* a last line without an end may go on when the file has grown: it is read again then */
		l->in.file.records += str_trim(line).n > 0;
		at = next;
		if (rc == WN_OK && batch_full(l->batch))
			rc = commit_to(l, at, err);
	}
	l->in.file.complete = true;
	return rc == WN_OK ? commit_to(l, at, err) : rc;
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
	struct lines l = { .extractor = extractor_new(&eo), .map = map, .report = out };
	double started = progress_clock();
	struct os_map file = { 0 };
	struct arena a = { 0 };
	int rc;

	*out = (struct ingest_report){ 0 };
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
	extractor_free(l.extractor);
	batch_close(l.batch);
	os_unmap(&file);
	arena_release(&l.arena);
	arena_release(&a);
	out->seconds = progress_clock() - started;
	return rc;
}

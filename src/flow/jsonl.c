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

static int one(struct batch *b, struct extractor *x, const struct jsonl_map *m, struct arena *a, struct str line,
	       uint64_t number, bool *taken, struct err *err)
{
	struct json_value *v;
	struct str text, url, id;
	struct stamp t = { 0 };

	*taken = false;
	if (json_parse(a, line, &v, NULL) < 0 || !(text = member(v, m->text)).p)
		return WN_OK;
	id = member(v, m->id);
	url = member(v, m->url);
	if (!url.n)
		url = id.n ? arena_printf(a, "urn:jsonl:%.*s", STR_FMT(id))
			   : arena_printf(a, "urn:jsonl:%" PRIu64, number);
	if (m->time[0])
		stamp_parse(member(v, m->time), &t);
	*taken = true;
	return batch_take(b, extractor_text(x, url, t.time, text, member(v, m->title)), 0, err);
}

int jsonl_ingest(struct collection *coll, const char *path, const struct jsonl_map *map, const struct ingest_options *o,
		 struct ingest_report *out, struct err *err)
{
	struct batch_options bo = { .threads = o->threads, .memory = o->memory / 6, .fulltext = !o->no_fulltext };
	struct extractor_options eo = { .spec = collection_spec(coll),
					.profile = catalog_settings(coll->catalog)->profile,
					.payload_max = LIMIT_TEXT };
	struct extractor *x = extractor_new(&eo);
	double started = progress_clock();
	struct os_map file = { 0 };
	struct batch *b = NULL;
	struct arena a = { 0 };
	struct str rest;
	int rc;

	*out = (struct ingest_report){ 0 };
	if ((rc = batch_open(&b, coll, &bo, err)) < 0 || (rc = os_map(&file, path, err)) < 0)
		goto out;
	rest = str_n((const char *)file.p, file.n);
	progress_phase("reading", "bytes", file.n);
	while (rest.p && rest.n && rc == WN_OK) {
		struct str line = str_cut(&rest, '\n');
		bool taken;

		progress_add(line.n + 1);
		if (str_trim(line).n == 0)
			continue;
		arena_reset(&a);
		out->records++;
		if (task_interrupted())
			rc = err_set(err, WN_INTERRUPTED, "interrupted");
		else if ((rc = one(b, x, map, &a, line, out->records, &taken, err)) == WN_OK && !taken)
			out->flaws++;
		if (rc == WN_OK && batch_full(b))
			rc = batch_commit(b, err);
	}
	if (rc == WN_OK && (rc = batch_commit(b, err)) == WN_OK)
		rc = batch_finish(b, err);
	progress_end();
	out->files = 1;
	out->bytes_read = file.n;
	out->captures = batch_counts(b)->captures;
	out->documents = batch_counts(b)->documents;
	out->contents = batch_counts(b)->contents;
	out->bytes_payload = batch_counts(b)->bytes_payload;
out:
	extractor_free(x);
	batch_close(b);
	os_unmap(&file);
	arena_release(&a);
	out->seconds = progress_clock() - started;
	return rc;
}

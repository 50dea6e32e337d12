/* flow/collection.c -- see collection.h. */
#include "flow/collection.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/vec.h"
#include "text/document.h"

struct catalog_settings collection_defaults(void)
{
	struct catalog_settings s = { .k = SHINGLE_DEFAULT.k, .extractor = DOCUMENT_VERSION };

	snprintf(s.profile, sizeof s.profile, "%s", surt_profiles[0].name);
	return s;
}

int collection_open(struct collection *c, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		    struct err *err)
{
	*c = (struct collection){ 0 };
	return catalog_open(&c->catalog, dir, mode, fresh, err);
}

void collection_forget(struct collection *c)
{
	segments_close(c->sets);
	textstore_close(c->texts);
	ftreader_close(c->words);
	textcache_release(&c->cache);
	*c = (struct collection){ .catalog = c->catalog };
}

void collection_close(struct collection *c)
{
	collection_forget(c);
	catalog_close(c->catalog);
	c->catalog = NULL;
}

struct shingle_spec collection_spec(const struct collection *c)
{
	const struct catalog_settings *s = catalog_settings(c->catalog);

	return (struct shingle_spec){ .k = s->k, .unit = s->chars ? SHINGLE_CHAR : SHINGLE_WORD, .bag = s->bag };
}

const char *collection_path(const struct collection *c, struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", catalog_dir(c->catalog), name).p;
}

int collection_sets(struct collection *c, struct segments **out, struct err *err)
{
	struct arena a = { 0 };
	int rc = c->sets ? WN_OK : segments_open(&c->sets, collection_path(c, &a, "sketch"), err);

	arena_release(&a);
	*out = c->sets;
	return rc;
}

int collection_texts(struct collection *c, struct textstore **out, struct err *err)
{
	struct arena a = { 0 };
	int rc = c->texts ? WN_OK : textstore_open(&c->texts, collection_path(c, &a, "text"), err);

	arena_release(&a);
	*out = c->texts;
	return rc;
}

int collection_words(struct collection *c, struct ftreader **out, struct err *err)
{
	struct arena a = { 0 };
	const char *dir = collection_path(c, &a, "fulltext");
	struct catalog_next next = { 0 };
	int rc = c->words ? WN_OK : ftreader_open(&c->words, dir, err);

	if (rc == WN_OK && access(arena_printf(&a, "%s/manifest", dir).p, F_OK) != 0 &&
	    (rc = catalog_next(c->catalog, &next, err)) == WN_OK && next.content > 1)
		rc = err_set(err, WN_DATA,
			     "the full-text index is missing in %s; ingest with --reprocess makes it again", dir);
	arena_release(&a);
	*out = c->words;
	return rc;
}

int collection_text(struct collection *c, uint64_t content, struct texts *out, struct err *err)
{
	struct textstore *store;
	int rc;

	if ((rc = collection_texts(c, &store, err)) < 0)
		return rc;
	rc = textstore_get(store, content, &c->cache, out, err);
	return rc == WN_NONE ? err_set(err, WN_DATA,
				       "the text of content %" PRIu64
				       " is missing in %s/text; ingest with --reprocess makes it again",
				       content, catalog_dir(c->catalog))
			     : rc;
}

int collection_set(struct collection *c, struct arena *a, uint64_t content, enum sketch_text which, struct set *out,
		   struct err *err)
{
	struct segments *sets;
	uint64_t *values;
	size_t n, got;
	int rc;

	if ((rc = collection_sets(c, &sets, err)) < 0 || (rc = segments_size(sets, content, which, &n, err)) < 0)
		return rc;
	values = ARENA_ARRAY(a, uint64_t, n + 1);
	if ((rc = segments_get(sets, content, which, values, n, &got, err)) < 0)
		return rc;
	*out = (struct set){ values, got };
	return WN_OK;
}

/* The first capture of the query whose URL fits best; copies it. */
static int take_first(struct collection *c, struct arena *a, const struct capture_query *q, struct capture *out,
		      struct err *err)
{
	struct capture_cursor *cur = NULL;
	struct capture row;
	int rc;

	if ((rc = catalog_captures(c->catalog, q, &cur, err)) < 0)
		return rc;
	rc = capture_next(cur, &row, err);
	if (rc == WN_OK)
		rc = catalog_capture(c->catalog, a, row.id, out, err);
	capture_close(cur);
	return rc;
}

static int closest(struct collection *c, struct arena *a, struct capture_query *q, const struct stamp *t,
		   struct capture *out, struct err *err)
{
	int64_t from = t->time, to = stamp_end(t);
	struct capture before, after;
	int has_after, has_before;

	/* inside the period first, then the nearest on either side */
	q->time_from = from;
	q->time_to = STAMP_MAX;
	q->backward = false;
	if ((has_after = take_first(c, a, q, &after, err)) < 0)
		return has_after;
	if (has_after == WN_OK && after.time <= to) {
		*out = after;
		return WN_OK;
	}
	q->time_from = STAMP_MIN;
	q->time_to = from;
	q->backward = true;
	if ((has_before = take_first(c, a, q, &before, err)) < 0)
		return has_before;
	if (has_after != WN_OK && has_before != WN_OK)
		return WN_END;
	if (has_after != WN_OK || (has_before == WN_OK && from - before.time <= after.time - to))
		*out = before;
	else
		*out = after;
	return WN_OK;
}

/* The newest capture of exactly this URL; WN_END when there is none. */
static int whole_url(struct collection *c, struct arena *a, struct str url, struct capture *out, struct err *err)
{
	struct buf key = BUF(4 * LIMIT_URL);
	struct capture_query q = { .by_key = true, .backward = true, .limit = 1 };
	int rc;

	surt_add(surt_profile(catalog_settings(c->catalog)->profile), url, &key);
	q.key_from = arena_str(a, buf_view(&key));
	buf_byte(&key, 0);
	q.key_to = buf_view(&key);
	rc = take_first(c, a, &q, out, err);
	buf_release(&key);
	return rc == WN_OK && !str_eq(out->url, url) ? WN_END : rc;
}

int collection_find(struct collection *c, struct arena *a, const char *name, struct capture *out, struct err *err)
{
	struct str url = str(name), at = STR_NONE;
	struct buf key = BUF(4 * LIMIT_URL);
	struct capture_query q = { .by_key = true, .backward = true, .limit = 1 };
	ptrdiff_t sign = str_rchr(url, '@');
	struct stamp t = { 0 };
	uint64_t id;
	int rc;

	if (str_u64(url, &id))
		return catalog_capture(c->catalog, a, id, out, err);
	if (sign > 0 && whole_url(c, a, url, out, err) == WN_OK)
		return WN_OK;
	if (sign > 0) { /* an @ may belong to the URL: only digits or a date behind the last one are a time */
		at = str_sub(url, (size_t)sign + 1, url.n);
		if (at.n && stamp_parse(at, &t))
			url.n = (size_t)sign;
		else
			at = STR_NONE;
	}
	surt_add(surt_profile(catalog_settings(c->catalog)->profile), url, &key);
	q.key_from = arena_str(a, buf_view(&key));
	buf_byte(&key, 0); /* the next key after it */
	q.key_to = buf_view(&key);
	rc = at.n ? closest(c, a, &q, &t, out, err) : take_first(c, a, &q, out, err);
	if (rc == WN_END) { /* answers to POST have the request in their keys */
		q.key_from = arena_printf(a, "%.*s?__wb_method=", STR_FMT(q.key_from));
		q.key_to = arena_printf(a, "%.*s>", STR_FMT(str_sub(q.key_from, 0, q.key_from.n - 1)));
		rc = at.n ? closest(c, a, &q, &t, out, err) : take_first(c, a, &q, out, err);
	}
	buf_release(&key);
	if (rc == WN_END)
		return err_set(err, WN_NONE,
			       "%.*s was never captured here; 'winnow ls %s --where \"url ~ '...'\"' finds near names",
			       STR_FMT(url), catalog_dir(c->catalog));
	return rc;
}

struct wanted {
	uint64_t id;
	struct arena *arena;
	const char *path;
};

static int pick_file(void *context, const struct catalog_file *f)
{
	struct wanted *w = context;

	if (f->id == w->id)
		w->path = arena_strz(w->arena, f->path);
	return WN_OK;
}

struct listed {
	struct arena *arena;
	VEC(const char *) list;
};

static int list_file(void *context, const struct catalog_file *f)
{
	struct listed *l = context;

	if (!f->lines)
		vec_push(&l->list, arena_strz(l->arena, f->path));
	return WN_OK;
}

int collection_files(struct collection *c, struct arena *a, const char *const **paths, size_t *n, struct err *err)
{
	struct listed l = { .arena = a };
	int rc = catalog_files(c->catalog, list_file, &l, err);
	const char **copy = ARENA_ARRAY(a, const char *, l.list.n + 1);

	if (l.list.n)
		memcpy(copy, l.list.p, l.list.n * sizeof *copy);
	*paths = copy;
	*n = l.list.n;
	vec_release(&l.list);
	return rc;
}

int collection_file(struct collection *c, struct arena *a, uint64_t file, const char **path, struct err *err)
{
	struct wanted w = { file, a, NULL };
	int rc;

	if ((rc = catalog_files(c->catalog, pick_file, &w, err)) < 0)
		return rc;
	if (!w.path)
		return err_set(err, WN_NONE,
			       "this capture has no archive file: it came from an index or from JSON lines");
	*path = w.path;
	return WN_OK;
}

int collection_unread(struct collection *c, uint64_t file, struct err *err)
{
	struct arena a = { 0 };
	struct err why = { 0 };
	const char *path;
	int rc = collection_file(c, &a, file, &path, err);

	if (rc == WN_OK && (rc = os_named_file(path, &why)) == WN_USAGE)
		rc = err_in(err, "the archive file was moved or removed; 'winnow ingest %s NEW-PATH' finds it again",
			    catalog_dir(c->catalog));
	else if (rc == WN_IO && why.code)
		*err = why;
	else if (rc == WN_OK) /* it is there, and is not what it was */
		rc = err->code;
	arena_release(&a);
	return rc;
}

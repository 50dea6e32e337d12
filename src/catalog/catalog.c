/* catalog/catalog.c -- the catalogue's functions, handed to the backend. */
#include "catalog/catalog.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"
#include "catalog/backend.h"

static const struct catalog_backend *const backends[] = { &catalog_backend_sqlite, NULL };

static const char *const kind_names[CAPTURE_KINDS] = { "response", "resource",	 "revisit",
						       "metadata", "conversion", "request" };

const char *capture_kind_name(enum capture_kind kind)
{
	return (unsigned)kind < CAPTURE_KINDS ? kind_names[kind] : "unknown";
}

static const struct catalog_backend *backend_of(const char *dir)
{
	for (size_t i = 0; backends[i]; i++)
		if (backends[i]->here(dir))
			return backends[i];
	return NULL;
}

int catalog_open(struct catalog **out, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		 struct err *err)
{
	const struct catalog_backend *ops = backend_of(dir);
	struct stat st;

	if (!ops && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(
		    err, WN_USAGE,
		    "%s is a file, and a collection is a directory; 'winnow ingest NEW-DIRECTORY FILE...' makes one",
		    dir);
	if (!ops && access(dir, F_OK) == 0 && access(dir, R_OK | X_OK) != 0)
		return err_set(err, WN_IO, "cannot look into %s: %s; its owner can allow it with 'chmod -R a+rX %s'",
			       dir, strerror(errno), dir);
	if (!ops && mode == CATALOG_CREATE) {
		ops = backends[0];
	} else if (!ops) {
		if (stat(dir, &st) && errno == EACCES)
			return err_sys(err, errno, "cannot look into %s", dir);
		if (stat(dir, &st) && errno == ENOENT)
			return err_set(err, WN_USAGE, "%s is not there; 'winnow ingest %s FILE...' makes a collection",
				       dir, dir);
		return err_set(
		    err, WN_USAGE,
		    "%s is not a collection: it has no catalogue; 'winnow ingest NEW-DIRECTORY FILE...' makes one",
		    dir);
	}
	return ops->open(out, dir, mode, fresh, err);
}

void catalog_close(struct catalog *c)
{
	if (c)
		c->ops->close(c);
}

const char *catalog_dir(const struct catalog *c) { return c->dir; }
const struct catalog_settings *catalog_settings(const struct catalog *c) { return &c->settings; }
int catalog_begin(struct catalog *c, struct err *err) { return c->ops->begin(c, err); }
void catalog_end(struct catalog *c) { c->ops->end(c); }
void catalog_hold(struct catalog *c) { c->ops->hold(c); }
void catalog_rest(struct catalog *c) { c->ops->rest(c); }
int catalog_next(struct catalog *c, struct catalog_next *out, struct err *err) { return c->ops->next(c, out, err); }
int catalog_add(struct catalog *c, const struct catalog_batch *b, struct err *err) { return c->ops->add(c, b, err); }

int catalog_content_by_key(struct catalog *c, const unsigned char key[32], uint64_t *id, struct err *err)
{
	return c->ops->content_by_key(c, key, id, err);
}

int catalog_page_by_key(struct catalog *c, uint64_t key, uint64_t *id, struct err *err)
{
	return c->ops->page_by_key(c, key, id, err);
}

int catalog_resolve(struct catalog *c, uint64_t *resolved, uint64_t *left, struct err *err)
{
	return c->ops->resolve(c, resolved, left, err);
}

int catalog_reprocessed(struct catalog *c, unsigned extractor, struct err *err)
{
	return c->ops->reprocessed(c, extractor, err);
}

int catalog_files(struct catalog *c, int (*each)(void *context, const struct catalog_file *f), void *context,
		  struct err *err)
{
	return c->ops->files(c, each, context, err);
}

int catalog_forget_texts(struct catalog *c, const uint64_t *ids, size_t n, struct err *err)
{
	return c->ops->forget_texts(c, ids, n, err);
}

int catalog_contents(struct catalog *c, int (*each)(void *context, uint64_t id), void *context, struct err *err)
{
	return c->ops->contents(c, each, context, err);
}

int catalog_flawed(struct catalog *c, const char *kind, int (*each)(void *context, uint64_t id), void *context,
		   struct err *err)
{
	return c->ops->flawed(c, kind, each, context, err);
}

int catalog_check(struct catalog *c, void (*wrong)(void *context, const char *why), void *context, struct err *err)
{
	return c->ops->check(c, wrong, context, err);
}

int catalog_remove(struct catalog *c, uint64_t file, uint64_t from, uint64_t *captures, struct err *err)
{
	return c->ops->remove(c, file, from, captures, err);
}

int catalog_adopt(struct catalog *c, uint64_t *captures, struct err *err) { return c->ops->adopt(c, captures, err); }

int catalog_remove_captures(struct catalog *c, const uint64_t *ids, size_t n, struct err *err)
{
	return c->ops->remove_captures(c, ids, n, err);
}

int catalog_captures(struct catalog *c, const struct capture_query *q, struct capture_cursor **out, struct err *err)
{
	return c->ops->captures(c, q, out, err);
}

int capture_next(struct capture_cursor *cur, struct capture *out, struct err *err) { return cur->next(cur, out, err); }

void capture_close(struct capture_cursor *cur)
{
	if (cur)
		cur->close(cur);
}

static void copy_strings(struct arena *a, struct capture *c)
{
	struct str *all[] = { &c->part,	    &c->host,	 &c->domain, &c->urlkey,	 &c->url,	&c->mime,
			      &c->declared, &c->charset, &c->digest, &c->payload_digest, &c->redirect,	&c->via,
			      &c->method,   &c->title,	 &c->lang,   &c->file_name,	 &c->crawl_name };

	for (size_t i = 0; i < COUNT(all); i++)
		*all[i] = arena_str(a, *all[i]);
}

int catalog_capture(struct catalog *c, struct arena *a, uint64_t id, struct capture *out, struct err *err)
{
	struct capture_query q = { .id = id, .limit = 1 };
	struct capture_cursor *cur = NULL;
	int rc;

	if ((rc = catalog_captures(c, &q, &cur, err)) < 0)
		return rc;
	rc = capture_next(cur, out, err);
	if (rc == WN_OK)
		copy_strings(a, out);
	capture_close(cur);
	if (rc == WN_END)
		return err_set(err, WN_NONE, "there is no document %llu here; 'winnow ls %s' lists them",
			       (unsigned long long)id, c->dir);
	return rc;
}

int catalog_cdx(struct catalog *c, const struct cdx_range *r, struct cdx_cursor **out, struct err *err)
{
	return c->ops->cdx(c, r, out, err);
}
int cdx_next(struct cdx_cursor *cur, struct cdx_row *out, struct err *err) { return cur->next(cur, out, err); }

void cdx_close(struct cdx_cursor *cur)
{
	if (cur)
		cur->close(cur);
}

int catalog_cdx_row(struct catalog *c, uint64_t id, struct cdx_row *out, struct err *err)
{
	return c->ops->cdx_row(c, id, out, err);
}

int catalog_cover_state(struct catalog *c, uint64_t cover, uint64_t capture, int *state, uint64_t *witness,
			struct err *err)
{
	return c->ops->cover_state(c, cover, capture, state, witness, err);
}

int catalog_stats(struct catalog *c, struct catalog_stats *out, struct err *err) { return c->ops->stats(c, out, err); }

int catalog_times(struct catalog *c, struct str urlkey, int64_t from, int64_t to,
		  int (*each)(void *context, uint64_t id, int64_t time), void *context, struct err *err)
{
	return c->ops->times(c, urlkey, from, to, each, context, err);
}

int catalog_brief(struct catalog *c, uint64_t id, int *status, uint64_t *content, struct err *err)
{
	return c->ops->brief(c, id, status, content, err);
}

int catalog_url(struct catalog *c, struct arena *a, struct str from, struct str to, uint64_t most,
		struct catalog_url *out, struct err *err)
{
	return c->ops->url(c, a, from, to, most, out, err);
}

int catalog_counts(struct catalog *c, const char *what, int (*each)(void *context, struct str value, uint64_t count),
		   void *context, struct err *err)
{
	return c->ops->counts(c, what, each, context, err);
}

int catalog_lost_links(struct catalog *c, int (*each)(void *context, uint64_t page), void *context, struct err *err)
{
	return c->ops->lost_links(c, each, context, err);
}

int catalog_forget_links(struct catalog *c, const uint64_t *pages, size_t n, struct err *err)
{
	return c->ops->forget_links(c, pages, n, err);
}

int catalog_links(struct catalog *c, uint64_t page, int (*each)(void *context, const struct catalog_link *l),
		  void *context, struct err *err)
{
	return c->ops->links(c, page, each, context, err);
}

int catalog_get(struct catalog *c, const char *key, struct arena *a, struct str *value, struct err *err)
{
	return c->ops->get(c, key, a, value, err);
}

int catalog_set(struct catalog *c, const char *key, struct str value, struct err *err)
{
	return c->ops->set(c, key, value, err);
}
struct sqlite3 *catalog_sqlite(struct catalog *c) { return c->ops->sqlite(c); }

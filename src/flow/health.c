/* flow/health.c -- see health.h. */
#include "flow/health.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/os.h"
#include "base/vec.h"
#include "fulltext/index.h"

static void damaged(struct health *h, enum health_part part, const char *path, const char *why)
{
	h->damages++;
	h->damaged(h->context, part, path, why);
}

/* One file by its layer's checker: what is wrong with the file is told, what kept us from looking is returned. */
static int one_file(struct health *h, enum health_part part, int (*check)(const char *path, struct err *err),
		    const char *path, struct err *err)
{
	int rc = check(path, err);

	h->files++;
	if (rc != WN_DATA)
		return rc;
	damaged(h, part, path, err->text);
	err_reset(err);
	return WN_OK;
}

static int all_files(struct health *h, int (*check)(const char *path, struct err *err), const char *dir,
		     struct err *err)
{
	struct arena arena = { 0 };
	struct str *names;
	size_t n;
	int rc = os_list(&arena, dir, ".seg", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		rc = one_file(h, HEALTH_SEGMENT, check, arena_printf(&arena, "%s/%.*s", dir, STR_FMT(names[i])).p, err);
	arena_release(&arena);
	return rc;
}

struct missing {
	const struct segments *sets;
	const struct textstore *texts;
	uint64_t without_set, without_text;
	VEC(uint64_t) ids;
};

static int content(void *context, uint64_t id)
{
	struct missing *m = context;
	bool set = segments_find(m->sets, id) != NULL, text = textstore_has(m->texts, id);

	if (!set || !text)
		vec_push(&m->ids, id);
	m->without_set += !set;
	m->without_text += !text;
	return 0;
}

/* Contents of the catalogue that no segment holds: a file was lost whole. */
static int find_missing(struct collection *coll, struct missing *m, struct err *err)
{
	struct segments *sets;
	struct textstore *texts;
	int rc;

	if ((rc = collection_sets(coll, &sets, err)) < 0 || (rc = collection_texts(coll, &texts, err)) < 0)
		return rc;
	m->sets = sets;
	m->texts = texts;
	return catalog_contents(coll->catalog, content, m, err);
}

static int all_contents(struct collection *coll, struct health *h, const char *catalog, struct err *err)
{
	struct missing m = { 0 };
	int rc = find_missing(coll, &m, err);
	char why[200];

	if (rc == WN_OK && m.ids.n) {
		snprintf(why, sizeof why,
			 "%" PRIu64 " contents have no set and %" PRIu64 " no text in any segment, content %" PRIu64
			 " first; `winnow ingest --reprocess` makes them again",
			 m.without_set, m.without_text, m.ids.p[0]);
		damaged(h, HEALTH_CONTENTS, catalog, why);
	}
	vec_release(&m.ids);
	return rc;
}

struct told {
	struct health *h;
	const char *path;
};

static void catalog_says(void *context, const char *why)
{
	struct told *t = context;

	damaged(t->h, HEALTH_CATALOG, t->path, why);
}

int health_check(struct collection *coll, struct health *h, struct err *err)
{
	struct arena arena = { 0 };
	const char *catalog = collection_path(coll, &arena, "catalog.db");
	const char *words = collection_path(coll, &arena, "fulltext");
	const char *manifest = collection_path(coll, &arena, "fulltext/manifest");
	struct told told = { h, catalog };
	struct stat st;
	int rc = catalog_check(coll->catalog, catalog_says, &told, err);

	h->files++;
	if (rc == WN_OK)
		rc = all_files(h, segment_check, collection_path(coll, &arena, "sketch"), err);
	if (rc == WN_OK)
		rc = all_files(h, textstore_check, collection_path(coll, &arena, "text"), err);
	if (rc == WN_OK && stat(manifest, &st) == 0)
		rc = one_file(h, HEALTH_WORDS, ftindex_check, words, err);
	if (rc == WN_OK && !h->damages) /* a damaged segment has been named already */
		rc = all_contents(coll, h, catalog, err);
	arena_release(&arena);
	return rc;
}

/* ---- mending ---- */

struct mending {
	struct arena arena;
	VEC(const char *) segments;
	const char *words;		   /* NULL: sound */
	const char *catalog, *catalog_why; /* NULL: sound */
};

static void note_damage(void *context, enum health_part part, const char *path, const char *why)
{
	struct mending *m = context;

	if (part == HEALTH_SEGMENT)
		vec_push(&m->segments, arena_strz(&m->arena, str(path)));
	else if (part == HEALTH_WORDS)
		m->words = arena_strz(&m->arena, str(path));
	else if (part == HEALTH_CATALOG && !m->catalog) {
		m->catalog = arena_strz(&m->arena, str(path));
		m->catalog_why = arena_strz(&m->arena, str(why));
	}
}

static int every_content(void *context, uint64_t id)
{
	struct missing *m = context;

	vec_push(&m->ids, id);
	return 0;
}

static int remove_files(struct mending *m, struct err *err)
{
	struct str *names;
	size_t n = 0;
	int rc = WN_OK;

	for (size_t i = 0; i < m->segments.n && rc == WN_OK; i++)
		rc = os_unlink(m->segments.p[i], err);
	if (rc < 0 || !m->words || (rc = os_list(&m->arena, m->words, "", &names, &n, err)) < 0)
		return rc;
	for (size_t i = n; i-- > 0 && rc == WN_OK;) /* "manifest" sorts last: without it the rest is nothing */
		rc = os_unlink(arena_printf(&m->arena, "%s/%.*s", m->words, STR_FMT(names[i])).p, err);
	return rc;
}

int health_mend(struct collection *coll, bool fulltext, uint64_t *lost, struct err *err)
{
	struct mending m = { 0 };
	struct missing gone = { 0 };
	struct health h = { .context = &m, .damaged = note_damage };
	const char *manifest = collection_path(coll, &m.arena, "fulltext/manifest");
	struct stat st;
	int rc = health_check(coll, &h, err);

	if (rc == WN_OK && m.catalog)
		rc = err_set(err, WN_DATA, "%s is damaged: %s; ingest the archive files into a new collection",
			     m.catalog, m.catalog_why);
	if (rc == WN_OK)
		rc = remove_files(&m, err);
	/* words are made from texts as these are read: without an index all of them are read again */
	if (rc == WN_OK && fulltext && (m.words || stat(manifest, &st) != 0))
		rc = catalog_contents(coll->catalog, every_content, &gone, err);
	else if (rc == WN_OK)
		rc = find_missing(coll, &gone, err);
	*lost = gone.ids.n;
	if (rc == WN_OK && gone.ids.n)
		rc = catalog_forget_texts(coll->catalog, gone.ids.p, gone.ids.n, err);
	collection_forget(coll);
	vec_release(&gone.ids);
	vec_release(&m.segments);
	arena_release(&m.arena);
	return rc;
}

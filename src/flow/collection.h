/* flow/collection.h -- an opened collection: its catalogue and its stored sets and texts.
 *
 *	collection_open(&coll, dir, CATALOG_READ, NULL, err);
 *	collection_find(&coll, arena, "https://example.org/@2011", &capture, err);
 *	collection_close(&coll);
 *
 * Segments are opened when first asked for.  One thread at a time, but sets
 * and texts (const after opening) may be shared, each thread with its textcache.
 */
#ifndef WINNOW_FLOW_COLLECTION_H
#define WINNOW_FLOW_COLLECTION_H
#include "catalog/catalog.h"
#include "fulltext/search.h"
#include "sketch/segment.h"
#include "sketch/textstore.h"

struct collection {
	struct catalog *catalog;
	struct segments *sets;	 /* use collection_sets() */
	struct textstore *texts; /* use collection_texts() */
	struct ftreader *words;	 /* use collection_words() */
	struct textcache cache;
};

/* What a new collection is made with where nobody says otherwise. */
struct catalog_settings collection_defaults(void);
int collection_open(struct collection *c, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		    struct err *err);
void collection_close(struct collection *c);  /* zero is fine */
void collection_forget(struct collection *c); /* what it has opened of its segments: they are others now */

struct shingle_spec collection_spec(const struct collection *c);
const char *collection_path(const struct collection *c, struct arena *a, const char *name); /* dir/name */

int collection_sets(struct collection *c, struct segments **out, struct err *err);
int collection_texts(struct collection *c, struct textstore **out, struct err *err);
int collection_words(struct collection *c, struct ftreader **out, struct err *err);

/* The texts of a content; until the next call. */
int collection_text(struct collection *c, uint64_t content, struct texts *out, struct err *err);
/* A set, in the arena. */
int collection_set(struct collection *c, struct arena *a, uint64_t content, enum sketch_text which, struct set *out,
		   struct err *err);

/* The capture a person names: an id, a URL (its newest) or URL@STAMP (the
 * closest to that time; a short stamp prefers a capture inside its period).
 * WN_NONE with what to do when there is none. */
int collection_find(struct collection *c, struct arena *a, const char *name, struct capture *out, struct err *err);

/* The archive files it was made of, in the arena. */
int collection_files(struct collection *c, struct arena *a, const char *const **paths, size_t *n, struct err *err);
/* The archive file's path of a capture's span; WN_NONE when it is of no file. */
int collection_file(struct collection *c, struct arena *a, uint64_t file, const char **path, struct err *err);
/* An archive file could not be opened, and err says so: adds what to do, by whether it is gone or only locked. */
int collection_unread(struct collection *c, uint64_t file, struct err *err);
#endif

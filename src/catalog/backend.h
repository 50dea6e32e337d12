/* catalog/backend.h -- what a store must be able to do to stand under the catalogue.
 *
 * catalog.h says what each function means; a backend's struct begins with
 * struct catalog.  Backends are listed in catalog.c.
 */
#ifndef WINNOW_CATALOG_BACKEND_H
#define WINNOW_CATALOG_BACKEND_H
#include "catalog/catalog.h"

struct catalog_backend {
	const char *name;
	bool (*here)(const char *dir); /* is there such a catalogue? */
	int (*open)(struct catalog **out, const char *dir, enum catalog_mode mode, const struct catalog_settings *fresh,
		    struct err *err);
	void (*close)(struct catalog *c);
	int (*begin)(struct catalog *c, struct err *err);
	void (*end)(struct catalog *c);
	void (*hold)(struct catalog *c);
	void (*rest)(struct catalog *c);
	int (*next)(struct catalog *c, struct catalog_next *out, struct err *err);
	int (*add)(struct catalog *c, const struct catalog_batch *b, struct err *err);
	int (*content_by_key)(struct catalog *c, const unsigned char key[32], uint64_t *id, struct err *err);
	int (*page_by_key)(struct catalog *c, uint64_t key, uint64_t *id, struct err *err);
	int (*forget_texts)(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);
	int (*resolve)(struct catalog *c, uint64_t *resolved, uint64_t *left, struct err *err);
	int (*reprocessed)(struct catalog *c, unsigned extractor, struct err *err);
	int (*files)(struct catalog *c, int (*each)(void *context, const struct catalog_file *f), void *context,
		     struct err *err);
	int (*contents)(struct catalog *c, int (*each)(void *context, uint64_t id), void *context, struct err *err);
	int (*flawed)(struct catalog *c, const char *kind, int (*each)(void *context, uint64_t id), void *context,
		      struct err *err);
	int (*check)(struct catalog *c, void (*wrong)(void *context, const char *why), void *context, struct err *err);
	int (*remove)(struct catalog *c, uint64_t file, uint64_t from, uint64_t *captures, struct err *err);
	int (*adopt)(struct catalog *c, uint64_t *captures, struct err *err);
	int (*remove_captures)(struct catalog *c, const uint64_t *ids, size_t n, struct err *err);
	int (*captures)(struct catalog *c, const struct capture_query *q, struct capture_cursor **out, struct err *err);
	int (*cdx)(struct catalog *c, const struct cdx_range *r, struct cdx_cursor **out, struct err *err);
	int (*cdx_row)(struct catalog *c, uint64_t id, struct cdx_row *out, struct err *err);
	int (*times)(struct catalog *c, struct str urlkey, int64_t from, int64_t to,
		     int (*each)(void *context, uint64_t id, int64_t time), void *context, struct err *err);
	int (*brief)(struct catalog *c, uint64_t id, int *status, uint64_t *content, struct err *err);
	int (*url)(struct catalog *c, struct arena *a, struct str from, struct str to, uint64_t most,
		   struct catalog_url *out, struct err *err);
	int (*cover_state)(struct catalog *c, uint64_t cover, uint64_t capture, int *state, uint64_t *witness,
			   struct err *err);
	int (*stats)(struct catalog *c, struct catalog_stats *out, struct err *err);
	int (*counts)(struct catalog *c, const char *what, int (*each)(void *context, struct str value, uint64_t count),
		      void *context, struct err *err);
	int (*links)(struct catalog *c, uint64_t page, int (*each)(void *context, const struct catalog_link *l),
		     void *context, struct err *err);
	int (*lost_links)(struct catalog *c, int (*each)(void *context, uint64_t page), void *context, struct err *err);
	int (*forget_links)(struct catalog *c, const uint64_t *pages, size_t n, struct err *err);
	int (*get)(struct catalog *c, const char *key, struct arena *a, struct str *value, struct err *err);
	int (*set)(struct catalog *c, const char *key, struct str value, struct err *err);
	struct sqlite3 *(*sqlite)(struct catalog *c);
};

struct catalog {
	const struct catalog_backend *ops;
	char *dir;
	struct catalog_settings settings;
	enum catalog_mode mode;
};

/* A cursor belongs to its backend, which says how it moves. */
struct capture_cursor {
	int (*next)(struct capture_cursor *cur, struct capture *out, struct err *err);
	void (*close)(struct capture_cursor *cur);
};

struct cdx_cursor {
	int (*next)(struct cdx_cursor *cur, struct cdx_row *out, struct err *err);
	void (*close)(struct cdx_cursor *cur);
};

extern const struct catalog_backend catalog_backend_sqlite;
#endif

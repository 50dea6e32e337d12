/* serve/history.h -- the captures of one URL in time: seeks, never scans.
 *
 * Statements over the table capture_key (urlkey, time, capture) are prepared
 * once per worker; each answer is one or two seeks in its tree, whatever the
 * number of captures.  One thread at a time.
 */
#ifndef WINNOW_SERVE_HISTORY_H
#define WINNOW_SERVE_HISTORY_H
#include "flow/collection.h"

struct history;

struct moment {
	uint64_t id;
	int64_t time;
};

int history_open(struct history **out, struct collection *coll, struct err *err);
void history_close(struct history *h); /* h may be NULL */

/* One view of the catalogue, and one lock, for all questions between the two; not nested. */
void history_begin(struct history *h);
void history_end(struct history *h);

/* The urlkey of url in the collection's profile, in the arena. */
const struct surt_profile *history_profile(const struct history *h);
struct str history_key(struct history *h, struct arena *a, struct str url);

/* The capture closest to [from, to]: inside it the one nearest to from, else the nearest outside; WN_NONE. */
int history_closest(struct history *h, struct str key, int64_t from, int64_t to, struct moment *out, struct err *err);
/* The next one in time: strictly after (before) m; first (last) of all; WN_NONE. */
int history_after(struct history *h, struct str key, struct moment m, struct moment *out, struct err *err);
int history_before(struct history *h, struct str key, struct moment m, struct moment *out, struct err *err);
int history_first(struct history *h, struct str key, struct moment *out, struct err *err);
int history_last(struct history *h, struct str key, struct moment *out, struct err *err);

/* Of the captures of a key, how many lie up to that time and how many there are: one step a capture. */
int history_count(struct history *h, struct str key, int64_t until, uint64_t *number, uint64_t *all, struct err *err);
/* The next key that has captures, in (after, before): one seek.  In the arena; WN_NONE. */
int history_next_key(struct history *h, struct arena *a, struct str after, struct str before, struct str *out,
		     struct err *err);

/* All that replay needs of a capture, in the arena; WN_NONE. */
int history_capture(struct history *h, struct arena *a, uint64_t id, struct capture *out, struct err *err);
/* The archive file of a capture, remembered. */
int history_file(struct history *h, uint64_t file, const char **path, struct err *err);

/* Moments after `after` in order of time, at most n of them; returns how many, or an error. */
int history_list(struct history *h, struct str key, struct moment after, struct moment *out, size_t n, size_t *got,
		 struct err *err);
struct collection *history_collection(struct history *h);
#endif

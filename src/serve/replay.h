/* serve/replay.h -- what the files of replay share. */
#ifndef WINNOW_SERVE_REPLAY_H
#define WINNOW_SERVE_REPLAY_H
#include "serve/history.h"
#include "serve/memento.h"
#include "serve/path.h"
#include "serve/server.h"

/* A capture about to be sent. */
struct replay_job {
	struct request *q;
	struct response *r;
	struct history *h;
	const struct replay_path *path;
	struct str key; /* under which it was found */
	struct capture capture;
};

/* The capture closest to [from, to] that can be shown; WN_NONE. */
int replay_find(struct history *h, struct request *q, struct str key, int64_t from, int64_t to, struct capture *out,
		struct err *err);
/* The same of a URL: also the answer to a POST of it, and unless --no-fuzzy one that differs in cache-busters (*fuzzy). */
int replay_look(struct history *h, struct request *q, struct str url, int64_t from, int64_t to, struct capture *out,
		bool *fuzzy, struct err *err);
/* The URL by which replay finds captures of this key: for the answer to a POST one with the method and what was sent. */
struct str replay_url_of(struct arena *a, struct str url, struct str key);
/* The URL, or its key, without its cache-busters and callbacks; STR_NONE when it has none. */
struct str replay_plain_url(struct arena *a, struct str url);
/* 404, with what is archived near url and time: for frames and programs; as a page of ours. */
void replay_missing(struct request *q, struct response *r, struct history *h, struct str url, int64_t time);
void replay_missing_page(struct request *q, struct response *r, struct history *h, struct str url, int64_t time);
void replay_send(struct replay_job *job);
/* Whether this asks for the script of a service worker, which nothing archived may install: 403 then. */
bool replay_refuses_worker(struct request *q, struct response *r);
/* Access rules: whether this reader may see it; permit also answers 404 or 451. */
bool replay_allows(struct request *q, struct str key, int64_t time);
bool replay_permit(struct request *q, struct response *r, struct str key, int64_t time);
/* Calendars and frame pages, which are pages of ours. */
void replay_ui(struct request *q, struct response *r, struct history *h, const struct replay_path *p);
#endif

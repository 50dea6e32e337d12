/* serve/opened.h -- a capture's record opened for replay: head of its own, payload of its own or of its original. */
#ifndef WINNOW_SERVE_OPENED_H
#define WINNOW_SERVE_OPENED_H
#include "archive/payload.h"
#include "serve/history.h"
#include "serve/server.h"

struct opened { /* zero-initialised is closed */
	struct server *server;
	const char *path; /* of the reader */
	struct reader *reader;
	struct record record;
	struct payload payload;
	struct http_head head; /* of the response as it is replayed; in the arena */
	bool has_head;
	struct str body; /* in the arena, or of the payload until opened_close */
	bool cut;	 /* larger than LIMIT_REPLAY_BODY */
	bool unread;	 /* then: nothing of it was read from payload yet */
	uint64_t length; /* of the body in the form that was asked for; 0: not known */
	struct str type; /* Content-Type, of the head or the record */
	int status;
};

/* raw: codings kept.  whole: the body in memory (or cut); else it is to be read from payload. */
int opened_open(struct opened *o, struct request *q, struct history *h, const struct capture *c, bool raw, bool whole,
		struct err *err);
void opened_close(struct opened *o);
#endif

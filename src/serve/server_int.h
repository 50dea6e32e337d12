/* serve/server_int.h -- what the files of the server share: workers, their handles, a request's own memory. */
#ifndef WINNOW_SERVE_SERVER_INT_H
#define WINNOW_SERVE_SERVER_INT_H
#include <sys/types.h>

#include "archive/record.h"
#include "serve/history.h"
#include "serve/server.h"

struct reader;

/* One collection as one worker has it open. */
struct handle {
	struct collection coll;
	struct history *history;
	bool open, held; /* held: in a snapshot until worker_rest */
	unsigned generation;
	uint64_t revision;
	int64_t looked; /* when the revision was last read, ms */
	dev_t device;	/* which file its catalogue is: another one may come to stand at its place */
	ino_t file;
};

/* A thread that runs handlers.  Readers of archive files that it used last wait for the next record of theirs. */
enum { WORKER_READERS = 4 };
struct worker {
	struct server *server;
	struct handle *handles; /* by served.index */
	size_t n_handles;
	struct worker *next;
	struct {
		char *path;
		struct reader *reader;
		int64_t opened; /* ms: a file may be replaced, so none is kept for long */
	} readers[WORKER_READERS];
	unsigned next_reader;
	bool holds; /* a loop: what it asks in one round is of one snapshot per collection, at the cost of one lock */
	unsigned n_held;
};

struct owned_buf {
	struct buf buf;
	struct owned_buf *next;
};

/* A request on the wire: what the handler sees, and what only the server does. */
struct live {
	struct request q; /* first */
	struct response r;
	struct owned_buf *bufs;
	struct buf body;
	struct live *spare;
	int64_t began; /* ns */
	uint64_t sent;
	bool answered; /* r is complete before the body was read: it was refused */
	bool done_called;
};

static inline struct live *extra(struct request *q) { return (struct live *)(void *)q; }

struct worker *worker_here(struct server *s); /* of this thread; made when first asked for */
struct handle *worker_handle(struct worker *w, unsigned index, struct err *err);
void worker_rest(struct worker *w); /* the end of a loop's round */
void workers_close(void);
/* The record at span of path, which may name a part of a WACZ. */
int worker_read(struct worker *w, const char *path, struct span span, struct reader **out, struct err *err);
void worker_read_end(struct worker *w, struct reader *r, const char *path); /* r may be NULL; of any worker */

struct str percent_decode(struct arena *a, struct str s, bool plus);
bool request_split(struct request *q);

/* dispatch.c: finds the route and asks the guard: false when r is the answer already.  Then, when the body is here, the
 * handler; then the policy. */
bool dispatch_head(struct request *q, struct response *r);
void dispatch_run(struct request *q, struct response *r);
void dispatch_refuse(struct request *q, struct response *r, int status, const char *why); /* of what is no request */
/* guard.c: true, or the refusal in r. */
bool guard_host(struct request *q, struct response *r);
struct str guard_host_name(struct str host);		/* without its port */
bool guard_host_is_sound(struct str host);		/* bytes that a host with a port may have */
bool guard_here(struct request *q, struct response *r); /* whether the route is there at the host that was asked */
bool guard_route(struct request *q, struct response *r);
bool guard_token_is(const struct server *s, struct str token);
/* squeeze.c */
void squeeze_apply(struct request *q, struct response *r);
/* policy.c */
void policy_apply(struct request *q, struct response *r);
/* metrics.c */
void metrics_count(const struct request *q, int status, int64_t ns, uint64_t bytes);
void metrics_write(struct buf *out);
void metrics_connections(int change);
/* server.c: the access log. */
void server_log(const struct live *x, int64_t ns);
int64_t server_now_ns(void);
uint64_t server_request_id(void);
enum method method_of(struct str name);
#endif

/* serve/net.h -- connections: a few loops that never wait, and helpers that may.
 *
 * A loop is a thread with an epoll set; a connection stays with the loop that
 * accepted it.  Handlers marked ROUTE_QUICK run on the loop, all others and the
 * pieces of streamed answers on helper threads, so that neither a long
 * question nor a slow client keeps others waiting.  A connection without a
 * request has no memory but its struct.
 *
 * Every state of a connection has a time by which it must have moved on
 * (conn.c), so that whoever is slow loses only their own connection.
 */
#ifndef WINNOW_SERVE_NET_H
#define WINNOW_SERVE_NET_H
#include <stdatomic.h>

#include "base/buf.h"
#include "serve/server_int.h"
#include "serve/wire.h"

enum conn_state {
	CONN_HEAD, /* a request's head is awaited or incomplete */
	CONN_BODY,
	CONN_RUN,  /* complete: to be answered */
	CONN_BUSY, /* a helper has it */
	CONN_SEND,
	CONN_FILL,   /* the next piece of a streamed answer is to be made */
	CONN_WAIT,   /* a streamed answer has nothing to say yet */
	CONN_LINGER, /* answered and closed for writing; what still comes is thrown away */
	CONN_CLOSE,
};

struct conn {
	int fd;
	struct loop *loop;
	struct conn *prev, *next;
	enum conn_state state;
	bool readable, writable, eof;
	bool half;		       /* the client will send no more: that comes behind what it sent */
	bool gone;		       /* reset by the client */
	bool close_after, close_drain; /* close_drain: with bytes unread */
	bool busy;		       /* a helper works on it */
	int64_t deadline, began;       /* ms */
	uint64_t moved;		       /* bytes since the deadline was set */
	char *in;
	size_t in_n, in_cap, seen;
	struct wire_head head;
	struct wire_chunks chunks;
	uint64_t body_left;
	struct live *live;
	struct buf out; /* head of the answer */
	size_t out_at, body_at;
	char *piece; /* of a streamed answer, framed */
	size_t piece_n, piece_at;
	bool chunked_out, last_piece, failed_piece, waits;
	int64_t wake;	   /* CONN_WAIT: when to ask again, ms */
	struct conn *task; /* next in a queue of helpers or of done work */
	char peer[48];
};

struct loop {
	struct net *net;
	int epoll, wake; /* wake: eventfd */
	pthread_t thread;
	struct conn *conns;
	struct conn *dead; /* closed in this round */
	unsigned n_conns, n_waiting;
	struct live *spare;
	unsigned n_spare;
	char *spare_in[32];
	unsigned n_spare_in;
	pthread_mutex_t lock; /* of done */
	struct conn *done;
	bool accepting;
	int64_t accept_again; /* ms; after the system had no descriptor left */
	int64_t now;	      /* ms, of this round */
	int64_t date_second;
	char date[40];
	size_t date_n;
	int64_t last_sweep;
};

struct net {
	struct server *server;
	int listener;
	struct loop *loops;
	unsigned n_loops, n_helpers;
	pthread_t *helpers;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct conn *queue, **queue_end;
	atomic_bool stopping, over;
	atomic_int active; /* requests under way */
	atomic_uint conns;
	unsigned max_conns;
};

int net_start(struct net *n, struct server *s, int listener, unsigned loops, unsigned helpers, struct err *err);
/* No new connection, no new request; up to ms for those under way; then all ends. */
void net_stop(struct net *n, unsigned ms);

/* conn.c: moves the connection on as far as it goes without waiting.  It may be freed then. */
void conn_run(struct conn *c);
void conn_add(struct loop *l, int fd, const char *peer);
void conn_back(struct conn *c); /* a helper has done its work; on the loop's thread */
void conn_help(struct conn *c); /* the work; on a helper's thread */
void conn_late(struct conn *c); /* its deadline has passed */
void conn_free(struct conn *c);
bool conn_is_idle(const struct conn *c);
/* net.c */
void net_push(struct conn *c);
#endif

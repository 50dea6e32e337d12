/* serve/conn.c -- one connection: reading requests, having them answered, sending, and being patient only so long.
 *
 * conn_run moves through the states of net.h until something is awaited: bytes,
 * room to write, a helper.  Requests that came behind each other are answered
 * in their order, one at a time.  Head and body leave in one call.
 * Deadlines: a head LIMIT_HEAD_SECONDS after its first byte, a body or an
 * answer LIMIT_STALL_SECONDS without LIMIT_STALL_BYTES of it, else
 * LIMIT_IDLE_SECONDS between requests. */
#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/mem.h"
#include "serve/net.h"
#include "serve/routes.h"

enum {
	IN_FIRST = 4096,
	PIECE = 64 * 1024,
	FRAME = 16 /* before a piece: its size in hex, CRLF */,
	LINGER_MS = 2000,
	LINGER_BYTES = 4 << 20
};

static void patience(struct conn *c, unsigned seconds)
{
	c->deadline = c->loop->now + (int64_t)seconds * 1000;
	c->moved = 0;
}

/* ---- memory ---- */

static void in_release(struct conn *c)
{
	struct loop *l = c->loop;

	if (c->in && c->in_cap == IN_FIRST && l->n_spare_in < COUNT(l->spare_in))
		l->spare_in[l->n_spare_in++] = c->in;
	else
		mem_free(c->in);
	c->in = NULL;
	c->in_n = c->in_cap = c->seen = 0;
}

static void in_take(struct conn *c, size_t n)
{
	c->in_n -= n;
	c->seen = 0;
	if (c->in_n)
		memmove(c->in, c->in + n, c->in_n);
	else
		in_release(c);
}

static struct live *live_new(struct loop *l)
{
	struct live *x = l->spare;
	struct arena arena;
	struct response r;
	struct buf body;

	if (x) {
		l->spare = x->spare;
		l->n_spare--;
	} else {
		x = mem_zalloc(sizeof *x);
		x->body.max = LIMIT_BODY;
	}
	arena = x->q.arena;
	r = x->r;
	body = x->body;
	*x = (struct live){ .q = { .server = l->net->server, .arena = arena },
			    .r = { .headers = r.headers },
			    .body = body,
			    .began = server_now_ns() };
	x->q.id = server_request_id();
	atomic_fetch_add(&l->net->active, 1);
	return x;
}

/* The request is over, sent or not. */
static void live_end(struct conn *c)
{
	struct live *x = c->live;
	struct loop *l = c->loop;
	int64_t ns;

	if (!x)
		return;
	c->live = NULL;
	if (x->r.done && !x->done_called) {
		x->done_called = true;
		x->r.done(x->r.context);
	}
	if (x->q.upload_end)
		x->q.upload_end(&x->q);
	ns = server_now_ns() - x->began;
	if (x->r.status) {
		metrics_count(&x->q, x->r.status, ns, x->sent);
		server_log(x, ns);
	}
	for (struct owned_buf *o = x->bufs; o; o = o->next)
		buf_release(&o->buf);
	arena_reset(&x->q.arena);
	if (x->body.cap > 64 * KIB)
		buf_release(&x->body);
	buf_reset(&x->body);
	x->r.headers.n = 0;
	atomic_fetch_sub(&l->net->active, 1);
	if (l->n_spare < 64) {
		x->spare = l->spare;
		l->spare = x;
		l->n_spare++;
		return;
	}
	arena_release(&x->q.arena);
	vec_release(&x->r.headers);
	buf_release(&x->body);
	mem_free(x);
}

void conn_add(struct loop *l, int fd, const char *peer)
{
	struct conn *c = mem_zalloc(sizeof *c);
	struct epoll_event e = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c };

	*c = (struct conn){ .fd = fd, .loop = l, .out = BUF(4 * LIMIT_HTTP_HEAD), .next = l->conns, .writable = true };
	memcpy(c->peer, peer, sizeof c->peer);
	patience(c, LIMIT_HEAD_SECONDS);
	if (l->conns)
		l->conns->prev = c;
	l->conns = c;
	l->n_conns++;
	atomic_fetch_add(&l->net->conns, 1);
	metrics_connections(1);
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) < 0)
		conn_free(c);
}

void conn_free(struct conn *c)
{
	struct loop *l = c->loop;

	if (c->state == CONN_WAIT)
		l->n_waiting--;
	live_end(c);
	in_release(c);
	mem_free(c->piece);
	buf_release(&c->out);
	close(c->fd);
	c->fd = -1;
	if (c->prev)
		c->prev->next = c->next;
	else
		l->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	l->n_conns--;
	atomic_fetch_sub(&l->net->conns, 1);
	metrics_connections(-1);
	c->task = l->dead;
	l->dead = c;
}

bool conn_is_idle(const struct conn *c) { return c->state == CONN_HEAD && !c->in_n && !c->live; }

/* ---- reading ---- */

/* More bytes behind those that are here: how many, 0: none now, -1: none any more. */
static ptrdiff_t read_some(struct conn *c, size_t most)
{
	ptrdiff_t n;

	if (!c->readable || c->eof)
		return c->eof ? -1 : 0;
	if (!c->in) {
		c->in = c->loop->n_spare_in ? c->loop->spare_in[--c->loop->n_spare_in] : mem_alloc(IN_FIRST);
		c->in_cap = IN_FIRST;
	}
	if (c->in_n == c->in_cap) {
		size_t cap = 4 * c->in_cap < most ? 4 * c->in_cap : most;

		if (cap <= c->in_cap)
			return 0;
		c->in = mem_realloc(c->in, cap);
		c->in_cap = cap;
	}
	n = recv(c->fd, c->in + c->in_n, c->in_cap - c->in_n, 0);
	if (n > 0) {
		c->readable = c->half || (size_t)n == c->in_cap - c->in_n;
		c->in_n += (size_t)n;
		c->moved += (uint64_t)n;
		return n;
	}
	if (!c->in_n)
		in_release(c);
	if (n < 0 && errno == EINTR)
		return 0;
	c->readable = false;
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	c->eof = true;
	c->gone |= n < 0;
	return -1;
}

/* An answer to what is no request, or to one whose body will not be read: then the connection is of no more use. */
static void refuse(struct conn *c, int status, const char *why)
{
	if (!c->live)
		c->live = live_new(c->loop);
	c->live->q.peer = str(c->peer);
	if (!c->live->q.method_name)
		c->live->q.method_name = "-";
	dispatch_refuse(&c->live->q, &c->live->r, status, why);
	c->close_after = c->close_drain = true;
	c->state = CONN_SEND;
}

static void begin_request(struct conn *c, size_t head)
{
	struct live *x = c->live = live_new(c->loop);
	struct request *q = &x->q;
	char *copy = arena_alloc(&q->arena, head + 1);
	struct field_pair *fields = ARENA_ARRAY(&q->arena, struct field_pair, LIMIT_REQUEST_FIELDS);
	int bad;

	memcpy(copy, c->in, head);
	in_take(c, head);
	c->chunks = (struct wire_chunks){ 0 };
	if ((bad = wire_head_read(&c->head, copy, head, fields, LIMIT_REQUEST_FIELDS))) {
		refuse(c, bad, "this is no request that can be understood");
		return;
	}
	q->fields = c->head.fields;
	q->n_fields = c->head.n_fields;
	q->minor = c->head.minor;
	q->target = c->head.target;
	q->method_name = arena_strz(&q->arena, c->head.method);
	q->method = method_of(c->head.method);
	q->peer = str(c->peer);
	q->worker = worker_here(c->loop->net->server);
	c->body_left = c->head.length;
	c->close_after = !c->head.keep_alive || atomic_load(&c->loop->net->stopping);
	x->answered = !dispatch_head(q, &x->r);
	if (!x->answered && c->body_left > (q->route->sink ? LIMIT_UPLOAD : LIMIT_BODY)) {
		refuse(c, 413, "the body of this request is too large");
	} else if (x->answered && (c->body_left || c->head.chunked)) {
		c->close_after = c->close_drain = true; /* its body will not be read */
		c->state = CONN_SEND;
	} else if (x->answered) {
		c->state = CONN_SEND;
	} else if (c->body_left || c->head.chunked) {
		static const char go[] = "HTTP/1.1 100 Continue\r\n\r\n";

		c->state = CONN_BODY;
		patience(c, LIMIT_STALL_SECONDS);
		if (c->head.expects && !c->in_n && send(c->fd, go, sizeof go - 1, MSG_NOSIGNAL) < 0)
			c->gone = true;
	} else {
		c->state = CONN_RUN;
	}
}

/* False: waits. */
static bool run_head(struct conn *c)
{
	size_t blank = c->in_n ? wire_blank(c->in, c->in_n) : 0, head;

	if (blank)
		in_take(c, blank);
	head = c->in_n ? wire_head_end(c->in, c->in_n, &c->seen) : 0;
	if (head) {
		begin_request(c, head);
		return true;
	}
	if (c->in_n >= LIMIT_REQUEST_HEAD) {
		bool line = memchr(c->in, '\n', c->in_n) != NULL;

		refuse(c, line ? 431 : 414,
		       line ? "the headers of this request are too long" : "the address is too long");
		return true;
	}
	if (!c->in_n)
		c->began = 0;
	else if (!c->began) {
		c->began = c->loop->now;
		patience(c, LIMIT_HEAD_SECONDS);
	}
	ptrdiff_t got = read_some(c, LIMIT_REQUEST_HEAD);

	if (got < 0)
		c->state = CONN_CLOSE;
	return got != 0;
}

static bool body_bytes(struct conn *c, struct str data)
{
	struct live *x = c->live;

	if (!data.n)
		return true;
	if (x->q.route->sink) {
		bool taken = x->q.route->sink(&x->q, &x->r, data);

		if (!taken)
			policy_apply(&x->q, &x->r);
		return taken;
	}
	if (buf_add(&x->body, data.p, data.n))
		return true;
	dispatch_refuse(&x->q, &x->r, 413, "the body of this request is too large");
	return false;
}

static bool run_body(struct conn *c)
{
	struct live *x = c->live;
	struct str data;
	size_t used, at = 0;
	int ended = 0;

	for (; at < c->in_n && !ended; at += used) {
		if (c->head.chunked) {
			ended = wire_chunks_next(&c->chunks, c->in + at, c->in_n - at, &used, &data);
		} else {
			used = c->in_n - at < c->body_left ? c->in_n - at : (size_t)c->body_left;
			data = str_n(c->in + at, used);
			c->body_left -= used;
			ended = !c->body_left;
		}
		if (ended < 0) {
			refuse(c, 400, "the body of this request is not in chunks as its header says");
			return true;
		}
		if (!body_bytes(c, data)) {
			c->close_after = c->close_drain = true;
			c->state = CONN_SEND;
			return true;
		}
	}
	if (at)
		in_take(c, at);
	if (ended) {
		x->q.body = buf_view(&x->body);
		c->state = CONN_RUN;
		return true;
	}
	ptrdiff_t got = read_some(c, 64 * KIB);

	if (got < 0)
		c->state = CONN_CLOSE;
	return got != 0;
}

/* ---- sending ---- */

static void write_date(struct loop *l)
{
	int64_t s = time(NULL);

	if (s != l->date_second) {
		char text[30];

		l->date_second = s;
		snprintf(l->date, sizeof l->date, "%s", stamp_http(s, text).p);
		l->date_n = strlen(l->date);
	}
}

static void add_status(struct buf *out, const struct response *r)
{
	if (r->reason.n && r->reason_of == r->status)
		buf_printf(out, "HTTP/1.1 %d %.*s\r\n", r->status, STR_FMT(r->reason));
	else if (r->status == 200)
		buf_str(out, STR("HTTP/1.1 200 OK\r\n"));
	else
		buf_printf(out, "HTTP/1.1 %d %s\r\n", r->status, status_reason(r->status));
}

static void add_length(struct buf *out, uint64_t n)
{
	char text[24], *end = text + sizeof text, *p = end;

	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	buf_str(out, STR("Content-Length: "));
	buf_add(out, p, (size_t)(end - p));
	buf_add(out, "\r\n", 2);
}

static bool has_body(const struct response *r) { return r->status >= 200 && r->status != 204 && r->status != 304; }

static void write_head(struct conn *c)
{
	struct live *x = c->live;
	struct response *r = &x->r;
	struct buf *out = &c->out;

	buf_reset(out);
	write_date(c->loop);
	add_status(out, r);
	buf_str(out, STR("Date: "));
	buf_add(out, c->loop->date, c->loop->date_n);
	buf_add(out, "\r\n", 2);
	for (size_t i = 0; i < r->headers.n; i++) {
		buf_str(out, r->headers.p[i].name);
		buf_add(out, ": ", 2);
		buf_str(out, r->headers.p[i].value);
		buf_add(out, "\r\n", 2);
	}
	c->chunked_out = false;
	if (r->more && r->length == UINT64_MAX) {
		c->chunked_out = x->q.minor > 0 && has_body(r);
		if (c->chunked_out)
			buf_str(out, STR("Transfer-Encoding: chunked\r\n"));
		else if (has_body(r))
			c->close_after = true; /* the end of an HTTP/1.0 answer is the end of the connection */
	} else if (has_body(r)) {
		add_length(out, r->more ? r->length : r->body.n);
	}
	if (c->close_after)
		buf_str(out, STR("Connection: close\r\n"));
	else if (!x->q.minor)
		buf_str(out, STR("Connection: keep-alive\r\n"));
	buf_add(out, "\r\n", 2);
	if (x->q.method == METHOD_HEAD || !has_body(r)) {
		r->body = STR_NONE;
		r->more = NULL;
	}
	c->out_at = c->body_at = 0;
	c->piece_n = c->piece_at = 0;
	c->last_piece = !r->more;
	patience(c, LIMIT_STALL_SECONDS);
}

/* As much as the socket takes of what is there; false: it waits or failed. */
static bool write_some(struct conn *c)
{
	struct response *r = &c->live->r;

	for (;;) {
		struct iovec v[3];
		struct msghdr m = { .msg_iov = v };
		ptrdiff_t n;
		size_t left;

		if (c->out_at < c->out.n)
			v[m.msg_iovlen++] = (struct iovec){ c->out.p + c->out_at, c->out.n - c->out_at };
		if (!r->more && c->body_at < r->body.n)
			v[m.msg_iovlen++] =
			    (struct iovec){ (void *)(uintptr_t)(r->body.p + c->body_at), r->body.n - c->body_at };
		if (c->piece_at < c->piece_n)
			v[m.msg_iovlen++] = (struct iovec){ c->piece + c->piece_at, c->piece_n - c->piece_at };
		if (!m.msg_iovlen)
			return true;
		n = sendmsg(c->fd, &m, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			c->writable = false;
			c->gone |= errno != EAGAIN && errno != EWOULDBLOCK;
			return false;
		}
		c->moved += (uint64_t)n;
		left = c->out.n - c->out_at < (size_t)n ? c->out.n - c->out_at : (size_t)n;
		c->out_at += left;
		n -= (ptrdiff_t)left;
		if (!r->more) {
			c->body_at += (size_t)n;
			c->live->sent += (uint64_t)n;
		} else {
			c->piece_at += (size_t)n;
		}
	}
}

/* The answer is out: the next request, or the end. */
static void sent(struct conn *c)
{
	bool drain = c->close_drain;

	live_end(c);
	c->close_drain = false;
	if (c->out.cap > 64 * KIB)
		buf_release(&c->out);
	mem_free(c->piece);
	c->piece = NULL;
	if (!c->close_after) {
		c->state = CONN_HEAD;
		c->began = 0;
		patience(c, LIMIT_IDLE_SECONDS);
		return;
	}
	if (!drain && !c->in_n && !c->readable) {
		c->state = CONN_CLOSE;
		return;
	}
	/* closing with bytes unread resets the connection, and the client may never see the answer */
	shutdown(c->fd, SHUT_WR);
	in_release(c);
	c->state = CONN_LINGER;
	c->deadline = c->loop->now + LINGER_MS;
	c->moved = 0;
}

static bool run_send(struct conn *c)
{
	if (!write_some(c)) {
		if (c->gone)
			c->state = CONN_CLOSE;
		return c->gone;
	}
	if (c->failed_piece) {
		c->state = CONN_CLOSE; /* in the middle of a body: only the missing end can say so */
	} else if (c->last_piece) {
		sent(c);
	} else {
		c->state = CONN_FILL;
	}
	return true;
}

static bool run_linger(struct conn *c)
{
	ptrdiff_t got = read_some(c, 64 * KIB);

	in_release(c);
	if (got < 0 || c->moved > LINGER_BYTES)
		c->state = CONN_CLOSE;
	return got != 0;
}

/* ---- work ---- */

/* The next piece of a streamed answer, with the frame of a chunk around it. */
static void fill(struct conn *c)
{
	struct live *x = c->live;
	ptrdiff_t n;

	if (!c->piece)
		c->piece = mem_alloc(FRAME + PIECE + 16);
	n = x->r.more(x->r.context, c->piece + FRAME, PIECE);
	c->waits = n == RESPONSE_WAIT;
	c->failed_piece = n < 0 && !c->waits;
	c->last_piece = n == 0;
	c->piece_at = FRAME;
	c->piece_n = FRAME;
	if (n > 0) {
		x->sent += (uint64_t)n;
		c->piece_n += (size_t)n;
	}
	if (c->chunked_out && n >= 0) {
		char size[FRAME + 1];
		int digits = snprintf(size, sizeof size, "%zx\r\n", (size_t)n);

		if (n > 0) {
			c->piece_at -= (size_t)digits;
			memcpy(c->piece + c->piece_at, size, (size_t)digits);
			memcpy(c->piece + c->piece_n, "\r\n", 2);
			c->piece_n += 2;
		} else {
			memcpy(c->piece + c->piece_n, "0\r\n\r\n", 5);
			c->piece_n += 5;
		}
	}
}

void conn_help(struct conn *c)
{
	struct live *x = c->live;

	x->q.worker = worker_here(c->loop->net->server);
	if (c->state == CONN_FILL)
		fill(c);
	else
		dispatch_run(&x->q, &x->r);
}

/* Behind fill: something to send, or nothing yet. */
static void filled(struct conn *c)
{
	if (!c->waits) {
		c->state = CONN_SEND;
		patience(c, LIMIT_STALL_SECONDS);
		return;
	}
	c->state = CONN_WAIT;
	c->loop->n_waiting++;
	c->wake = c->loop->now + RESPONSE_WAIT_MS;
	patience(c, LIMIT_IDLE_SECONDS);
}

void conn_back(struct conn *c)
{
	c->busy = false;
	if (c->state == CONN_FILL) {
		filled(c);
	} else {
		write_head(c);
		c->state = CONN_SEND;
	}
	conn_run(c);
}

static bool run_request(struct conn *c)
{
	struct live *x = c->live;

	if (!(x->q.route->flags & ROUTE_QUICK)) {
		c->state = CONN_BUSY;
		net_push(c);
		return false;
	}
	dispatch_run(&x->q, &x->r);
	write_head(c);
	c->state = CONN_SEND;
	return true;
}

void conn_run(struct conn *c)
{
	bool on = true;

	while (on) {
		enum conn_state was = c->state;

		if (c->gone)
			c->state = CONN_CLOSE;
		switch (c->state) {
		case CONN_HEAD: on = run_head(c); break;
		case CONN_BODY: on = run_body(c); break;
		case CONN_RUN: on = run_request(c); break;
		case CONN_SEND: on = run_send(c); break;
		case CONN_FILL: net_push(c); return;
		case CONN_WAIT:
			if (c->readable && read_some(c, 64 * KIB) < 0)
				c->gone = true;
			on = c->gone;
			break;
		case CONN_LINGER: on = run_linger(c); break;
		case CONN_BUSY: return;
		case CONN_CLOSE:
			if (was == CONN_WAIT)
				c->loop->n_waiting--;
			conn_free(c);
			return;
		}
		if ((was == CONN_HEAD || was == CONN_BODY) && c->state == CONN_SEND)
			write_head(c); /* refused before it was run */
	}
}

void conn_late(struct conn *c)
{
	bool moves = c->state == CONN_BODY || c->state == CONN_SEND || c->state == CONN_WAIT;

	if (c->state == CONN_WAIT || (moves && c->moved >= LIMIT_STALL_BYTES)) {
		patience(c, LIMIT_STALL_SECONDS);
		return;
	}
	if (c->state == CONN_HEAD && c->in_n) {
		refuse(c, 408, "the request did not come in time");
		write_head(c);
		conn_run(c);
		return;
	}
	conn_free(c);
}

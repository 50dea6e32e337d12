/* serve/net.c -- see net.h: threads, accepting, deadlines. */
#include "serve/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"

enum { EVENTS = 256, ACCEPTS = 64, SWEEP_MS = 500 };

static int64_t now_ms(void) { return server_now_ns() / 1000000; }

/* ---- helpers ---- */

void net_push(struct conn *c)
{
	struct net *n = c->loop->net;

	c->busy = true;
	c->task = NULL;
	pthread_mutex_lock(&n->lock);
	*n->queue_end = c;
	n->queue_end = &c->task;
	pthread_cond_signal(&n->more);
	pthread_mutex_unlock(&n->lock);
}

static void loop_wake(struct loop *l)
{
	uint64_t one = 1;

	if (write(l->wake, &one, sizeof one) < 0)
		return; /* full: it is awake anyway */
}

static void *helper(void *context)
{
	struct net *n = context;

	worker_here(n->server);
	pthread_mutex_lock(&n->lock);
	for (;;) {
		struct conn *c = n->queue;
		struct loop *l;

		if (atomic_load(&n->over))
			break;
		if (!c) {
			pthread_cond_wait(&n->more, &n->lock);
			continue;
		}
		if (!(n->queue = c->task))
			n->queue_end = &n->queue;
		pthread_mutex_unlock(&n->lock);
		conn_help(c);
		l = c->loop;
		pthread_mutex_lock(&l->lock);
		c->task = l->done;
		l->done = c;
		pthread_mutex_unlock(&l->lock);
		loop_wake(l);
		pthread_mutex_lock(&n->lock);
	}
	pthread_mutex_unlock(&n->lock);
	return NULL;
}

static void take_done(struct loop *l)
{
	uint64_t count;
	struct conn *c, *next;

	if (read(l->wake, &count, sizeof count) < 0)
		return;
	pthread_mutex_lock(&l->lock);
	c = l->done;
	l->done = NULL;
	pthread_mutex_unlock(&l->lock);
	for (; c; c = next) {
		next = c->task;
		conn_back(c);
	}
}

/* ---- accepting ---- */

static void listen_here(struct loop *l, bool on)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = l->net };

	if (on != l->accepting && epoll_ctl(l->epoll, on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, l->net->listener, &e) == 0)
		l->accepting = on;
}

/* Makes room by closing the connection that has been idle longest; false: none is idle. */
static bool drop_idle(struct loop *l)
{
	struct conn *oldest = NULL;

	for (struct conn *c = l->conns; c; c = c->next)
		if (conn_is_idle(c) && (!oldest || c->deadline < oldest->deadline))
			oldest = c;
	if (oldest)
		conn_free(oldest);
	return oldest != NULL;
}

static void peer_name(const struct sockaddr_storage *at, char out[48])
{
	out[0] = 0;
	if (at->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)at)->sin_addr, out, 48);
	else if (at->ss_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)at)->sin6_addr, out, 48);
}

static void accept_some(struct loop *l)
{
	struct net *n = l->net;

	for (unsigned i = 0; i < ACCEPTS; i++) {
		struct sockaddr_storage at;
		socklen_t size = sizeof at;
		char peer[48];
		int fd, on = 1;

		if (atomic_load(&n->conns) >= n->max_conns && !drop_idle(l)) {
			listen_here(l, false); /* they wait in the backlog */
			l->accept_again = l->now + 100;
			return;
		}
		fd = accept4(n->listener, (struct sockaddr *)&at, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0) {
			if ((errno == EMFILE || errno == ENFILE) && !drop_idle(l)) {
				listen_here(l, false);
				l->accept_again = l->now + 100;
			}
			return;
		}
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		peer_name(&at, peer);
		conn_add(l, fd, peer);
	}
}

/* ---- a loop ---- */

static void sweep(struct loop *l)
{
	for (struct conn *c = l->conns, *next; c; c = next) {
		next = c->next;
		if (c->state == CONN_WAIT && l->now >= c->wake) {
			c->state = CONN_FILL;
			l->n_waiting--;
			conn_run(c);
		} else if (!c->busy && l->now >= c->deadline) {
			conn_late(c);
		} else if (!c->busy && atomic_load(&l->net->stopping) && conn_is_idle(c)) {
			conn_free(c);
		}
	}
	l->last_sweep = l->now;
	if (l->accept_again && l->now >= l->accept_again && !atomic_load(&l->net->stopping)) {
		l->accept_again = 0;
		listen_here(l, true);
	}
	if (atomic_load(&l->net->stopping))
		listen_here(l, false);
}

static void on_event(struct loop *l, const struct epoll_event *e)
{
	struct conn *c = e->data.ptr;

	if (e->data.ptr == l->net) {
		accept_some(l);
		return;
	}
	if (c->fd < 0)
		return; /* closed by another event of this round */
	c->readable |= (e->events & (EPOLLIN | EPOLLRDHUP)) != 0;
	c->half |= (e->events & EPOLLRDHUP) != 0;
	c->writable |= (e->events & EPOLLOUT) != 0;
	c->gone |= (e->events & (EPOLLHUP | EPOLLERR)) != 0;
	if (!c->busy)
		conn_run(c);
}

/* What was closed in this round: its events have all been seen. */
static void bury(struct loop *l)
{
	for (struct conn *c = l->dead, *next; c; c = next) {
		next = c->task;
		mem_free(c);
	}
	l->dead = NULL;
}

static void *loop_main(void *context)
{
	struct loop *l = context;
	struct epoll_event events[EVENTS];
	struct worker *w = worker_here(l->net->server);

	w->holds = true;
	while (!atomic_load(&l->net->over)) {
		int wait = l->n_waiting ? 100 : SWEEP_MS, n = epoll_wait(l->epoll, events, EVENTS, wait);

		l->now = now_ms();
		for (int i = 0; i < n; i++)
			if (events[i].data.ptr == l)
				take_done(l);
			else
				on_event(l, &events[i]);
		if (l->now - l->last_sweep >= wait)
			sweep(l);
		worker_rest(w);
		bury(l);
	}
	return NULL;
}

static int loop_open(struct loop *l, struct net *n, struct err *err)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = l };

	*l = (struct loop){ .net = n,
			    .epoll = epoll_create1(EPOLL_CLOEXEC),
			    .wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC),
			    .now = now_ms() };
	pthread_mutex_init(&l->lock, NULL);
	if (l->epoll < 0 || l->wake < 0 || epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->wake, &e) < 0)
		return err_sys(err, errno, "the server's loop cannot be made");
	listen_here(l, true);
	return WN_OK;
}

static void loop_close(struct loop *l)
{
	while (l->conns)
		conn_free(l->conns);
	bury(l);
	for (struct live *x = l->spare, *next; x; x = next) {
		next = x->spare;
		arena_release(&x->q.arena);
		vec_release(&x->r.headers);
		buf_release(&x->body);
		mem_free(x);
	}
	while (l->n_spare_in)
		mem_free(l->spare_in[--l->n_spare_in]);
	close(l->epoll);
	close(l->wake);
	pthread_mutex_destroy(&l->lock);
}

static unsigned room_for_conns(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur == RLIM_INFINITY)
		return LIMIT_CONNECTIONS;
	if (r.rlim_cur < 512)
		return (unsigned)r.rlim_cur / 2;
	return r.rlim_cur - 256 < LIMIT_CONNECTIONS ? (unsigned)r.rlim_cur - 256 : LIMIT_CONNECTIONS;
}

int net_start(struct net *n, struct server *s, int listener, unsigned loops, unsigned helpers, struct err *err)
{
	int rc;

	*n = (struct net){ .server = s, .listener = listener, .max_conns = room_for_conns() };
	n->queue_end = &n->queue;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->more, NULL);
	n->loops = mem_zalloc(loops * sizeof *n->loops);
	n->helpers = mem_zalloc(helpers * sizeof *n->helpers);
	for (; n->n_loops < loops; n->n_loops++) {
		struct loop *l = &n->loops[n->n_loops];

		if ((rc = loop_open(l, n, err)) < 0)
			return rc;
		if (pthread_create(&l->thread, NULL, loop_main, l) != 0)
			return err_set(err, WN_LIMIT, "the system gives no thread for the server");
	}
	for (; n->n_helpers < helpers; n->n_helpers++)
		if (pthread_create(&n->helpers[n->n_helpers], NULL, helper, n) != 0)
			return err_set(err, WN_LIMIT, "the system gives no thread for the server");
	return WN_OK;
}

void net_stop(struct net *n, unsigned ms)
{
	int64_t end = now_ms() + ms;

	atomic_store(&n->stopping, true);
	for (unsigned i = 0; i < n->n_loops; i++)
		loop_wake(&n->loops[i]);
	while (atomic_load(&n->active) > 0 && now_ms() < end)
		usleep(5000);
	pthread_mutex_lock(&n->lock);
	atomic_store(&n->over, true);
	pthread_cond_broadcast(&n->more);
	pthread_mutex_unlock(&n->lock);
	for (unsigned i = 0; i < n->n_helpers; i++)
		pthread_join(n->helpers[i], NULL);
	for (unsigned i = 0; i < n->n_loops; i++) {
		loop_wake(&n->loops[i]);
		pthread_join(n->loops[i].thread, NULL);
		loop_close(&n->loops[i]);
	}
	mem_free(n->loops);
	mem_free(n->helpers);
	pthread_cond_destroy(&n->more);
	pthread_mutex_destroy(&n->lock);
}

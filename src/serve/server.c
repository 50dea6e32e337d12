/* serve/server.c -- the loop: libmicrohttpd's worker threads, their handles, the life of a request, the end.
 *
 * Each worker is one thread with an epoll set.  A request is answered at the
 * second call of on_request or later (an answer at the first would close the
 * connection), from memory where it can: head and small body leave in one
 * write.  Requests are used again, so that their arenas stay warm. */
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "archive/url.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "base/task.h"
#include "serve/setup.h"
#include "serve/server_int.h"

static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *workers;
static _Thread_local struct worker *this_worker;
static _Atomic uint64_t next_id = 1;
static _Atomic int active;
static int access_fd = -1;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- workers and their handles ---- */

static struct worker *worker_here(struct server *s)
{
	struct worker *w = this_worker;

	if (w)
		return w;
	w = mem_zalloc(sizeof *w);
	w->server = s;
	w->handles = mem_zarray(s->n_served + 1, sizeof *w->handles);
	pthread_mutex_lock(&workers_lock);
	w->next = workers;
	workers = w;
	pthread_mutex_unlock(&workers_lock);
	return this_worker = w;
}

static void handle_close(struct handle *h)
{
	history_close(h->history);
	collection_close(&h->coll);
	*h = (struct handle){ 0 };
}

struct handle *worker_handle(struct worker *w, unsigned index, struct err *err)
{
	struct handle *h = &w->handles[index];
	struct catalog_next next;
	int64_t now = now_ns() / 1000000;

	if (h->open && h->generation != w->server->generation)
		handle_close(h);
	if (h->open && now - h->looked > REVISION_EVERY_MS) {
		/* stored texts and words of a newer revision lie in files that are not open yet */
		h->looked = now;
		if (catalog_next(h->coll.catalog, &next, err) < 0 || next.revision != h->revision)
			handle_close(h);
	}
	if (h->open)
		return h;
	if (collection_open(&h->coll, w->server->served[index].dir, CATALOG_READ, NULL, err) < 0 ||
	    catalog_next(h->coll.catalog, &next, err) < 0) {
		collection_close(&h->coll);
		return NULL;
	}
	h->open = true;
	h->generation = w->server->generation;
	h->revision = next.revision;
	h->looked = now;
	return h;
}

static void workers_close(struct server *s)
{
	for (struct worker *w = workers, *next; w; w = next) {
		next = w->next;
		for (size_t i = 0; i < s->n_served; i++)
			if (w->handles[i].open)
				handle_close(&w->handles[i]);
		for (struct live *x = w->spare, *after; x; x = after) {
			after = x->spare;
			arena_release(&x->q.arena);
			vec_release(&x->r.headers);
			buf_release(&x->body);
			mem_free(x);
		}
		mem_free(w->handles);
		mem_free(w);
	}
	workers = NULL;
}

/* ---- the life of a request ---- */

static void *on_uri(void *context, const char *uri, struct MHD_Connection *connection)
{
	struct server *s = context;
	struct worker *w = worker_here(s);
	struct live *x = w->spare;
	struct arena arena;
	struct response r;
	struct buf body;

	(void)connection;
	if (x) {
		w->spare = x->spare;
		w->n_spare--;
	} else {
		x = mem_zalloc(sizeof *x);
		x->body.max = LIMIT_BODY;
	}
	arena = x->q.arena;
	r = x->r;
	body = x->body;
	*x = (struct live){
		.q = { .server = s, .arena = arena }, .r = { .headers = r.headers }, .body = body, .began = now_ns()
	};
	x->q.target = arena_str(&x->q.arena, str(uri));
	x->q.id = atomic_fetch_add(&next_id, 1);
	atomic_fetch_add(&active, 1);
	return x;
}

static enum method method_of(const char *name)
{
	static const struct {
		const char *name;
		enum method m;
	} all[] = {
		{ "GET", METHOD_GET },	       { "HEAD", METHOD_HEAD },	    { "POST", METHOD_POST },
		{ "PUT", METHOD_PUT },	       { "DELETE", METHOD_DELETE }, { "PATCH", METHOD_PATCH },
		{ "OPTIONS", METHOD_OPTIONS },
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].m;
	return METHOD_OTHER;
}

static void find_peer(struct live *x, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	char text[INET6_ADDRSTRLEN] = "";

	if (info && info->client_addr && info->client_addr->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)info->client_addr)->sin_addr, text,
			  sizeof text);
	else if (info && info->client_addr && info->client_addr->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)info->client_addr)->sin6_addr, text,
			  sizeof text);
	x->q.peer = arena_str(&x->q.arena, str(text));
}

static ssize_t on_more(void *context, uint64_t at, char *p, size_t n)
{
	struct live *x = context;
	ptrdiff_t got = x->r.more(x->r.context, p, n);

	(void)at;
	if (got > 0)
		x->sent += (uint64_t)got;
	return got > 0 ? got : got == 0 ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
}

static enum MHD_Result answer(struct live *x, struct MHD_Connection *c)
{
	struct response *r = &x->r;
	struct MHD_Response *out;
	enum MHD_Result done;

	if (r->more)
		out = MHD_create_response_from_callback(r->length == UINT64_MAX ? MHD_SIZE_UNKNOWN : r->length,
							64 * KIB, on_more, x, NULL);
	else
		out = MHD_create_response_from_buffer(r->body.n, (void *)(uintptr_t)r->body.p, MHD_RESPMEM_PERSISTENT);
	if (!out)
		return MHD_NO;
	for (size_t i = 0; i < r->headers.n; i++)
		MHD_add_response_header(out, r->headers.p[i].name.p, r->headers.p[i].value.p);
	x->status = r->status;
	if (!r->more)
		x->sent = x->q.method == METHOD_HEAD ? 0 : r->body.n;
	done = MHD_queue_response(c, (unsigned)r->status, out);
	MHD_destroy_response(out);
	return done;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *c, const char *url, const char *method,
				  const char *version, const char *data, size_t *n_data, void **state)
{
	struct live *x = *state;

	(void)context;
	(void)url;
	(void)version;
	if (!x)
		return MHD_NO;
	if (!x->seen) { /* the head is here; the body comes, perhaps */
		x->seen = true;
		x->q.worker = this_worker;
		x->q.connection = c;
		x->q.method_name = arena_strz(&x->q.arena, str(method));
		x->q.method = method_of(method);
		find_peer(x, c);
		return MHD_YES;
	}
	if (*n_data) {
		x->too_large |= !buf_add(&x->body, data, *n_data);
		*n_data = 0;
		return MHD_YES;
	}
	if (x->status)
		return MHD_YES;
	x->q.body = buf_view(&x->body);
	if (x->too_large) {
		x->r = (struct response){ .policy = POLICY_DATA, .request = &x->q, .headers = x->r.headers };
		response_error(&x->r, 413, "the body of this request is larger than %zu bytes", LIMIT_BODY);
	} else if (x->q.target.n > LIMIT_URL) {
		x->r = (struct response){ .policy = POLICY_DATA, .request = &x->q, .headers = x->r.headers };
		response_error(&x->r, 414, "the address is longer than %zu bytes", LIMIT_URL);
	} else {
		dispatch(&x->q, &x->r);
	}
	return answer(x, c);
}

static void log_line(const struct live *x, int64_t ns)
{
	char line[2048], stamp[21];
	struct timespec t;
	int n;

	clock_gettime(CLOCK_REALTIME, &t);
	stamp_rfc3339(t.tv_sec, stamp);
	n = snprintf(line, sizeof line, "%.*s %s \"%s ", STR_FMT(x->q.peer), stamp,
		     x->q.method_name ? x->q.method_name : "-");
	for (size_t i = 0; i < x->q.target.n && n < 1800;
	     i++) { /* nothing that a terminal or a parser of logs would act on */
		unsigned char ch = (unsigned char)x->q.target.p[i];

		if (ch <= 0x20 || ch >= 0x7f || ch == '"' || ch == '\\')
			n += snprintf(line + n, sizeof line - (size_t)n, "%%%02X", ch);
		else
			line[n++] = (char)ch;
	}
	n += snprintf(line + n, sizeof line - (size_t)n, "\" %d %" PRIu64 " %.6f\n", x->status, x->sent,
		      (double)ns / 1e9);
	if (n > 0 && write(access_fd, line, (size_t)n) < 0)
		access_fd = -1;
}

static void on_completed(void *context, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode how)
{
	struct live *x = *state;
	struct worker *w = this_worker;
	int64_t ns;

	(void)context;
	(void)c;
	(void)how;
	if (!x)
		return;
	*state = NULL;
	if (x->r.done && !x->done_called) {
		x->done_called = true;
		x->r.done(x->r.context);
	}
	ns = now_ns() - x->began;
	if (x->status)
		metrics_count(&x->q, x->status, ns, x->sent);
	if (access_fd >= 0 && x->status)
		log_line(x, ns);
	for (struct owned_buf *o = x->bufs; o; o = o->next)
		buf_release(&o->buf);
	x->bufs = NULL;
	arena_reset(&x->q.arena);
	if (x->body.cap > 64 * KIB)
		buf_release(&x->body);
	buf_reset(&x->body);
	x->r.headers.n = 0;
	if (w && w->n_spare < 64) {
		x->spare = w->spare;
		w->spare = x;
		w->n_spare++;
	} else {
		arena_release(&x->q.arena);
		vec_release(&x->r.headers);
		buf_release(&x->body);
		mem_free(x);
	}
	atomic_fetch_sub(&active, 1);
}

static void on_connection(void *context, struct MHD_Connection *c, void **socket_context,
			  enum MHD_ConnectionNotificationCode code)
{
	(void)context;
	(void)socket_context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
		int on = 1;

		if (info)
			setsockopt(info->connect_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	}
	metrics_connections(code == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1);
}

static size_t keep_escapes(void *context, struct MHD_Connection *c, char *s)
{
	(void)context;
	(void)c;
	return strlen(s);
}

/* ---- start and end ---- */

static volatile sig_atomic_t stop_asked, reload_asked;
static void on_signal(int n)
{
	if (n == SIGHUP)
		reload_asked = 1;
	else
		stop_asked = 1;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	struct sigaction a = { .sa_handler = on_signal };

	for (size_t i = 0; i < COUNT(numbers); i++)
		sigaction(numbers[i], &a, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static void raise_files(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static struct MHD_Daemon *start(struct server *s, const struct sockaddr *at, unsigned threads)
{
	return MHD_start_daemon(
	    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG * 0 | (at->sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0,
	    NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, at, MHD_OPTION_THREAD_POOL_SIZE, threads,
	    MHD_OPTION_URI_LOG_CALLBACK, on_uri, s, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, s, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, s,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)LIMIT_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
	    LIMIT_REQUEST_HEAD, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)LIMIT_IDLE_SECONDS,
	    MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
}

static void wait_for_end(struct server *s)
{
	sigset_t block, old;

	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	while (!stop_asked) {
		sigsuspend(&old);
		if (reload_asked) {
			reload_asked = 0;
			s->generation++;
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

int server_run(const struct server_options *o, void (*ready)(void *context, const struct server *s, struct str url),
	       void *context, struct err *err)
{
	struct server s = { .options = *o };
	struct sockaddr_storage at;
	struct MHD_Daemon *daemon;
	unsigned threads = o->threads ? o->threads : task_cores();
	MHD_socket fd;
	int rc;

	if ((rc = setup_server(&s, &at, err)) < 0) {
		arena_release(&s.arena);
		return rc;
	}
	if (o->access_log)
		access_fd = strcmp(o->access_log, "-") == 0 ? 2 : -1;
	if (o->access_log && access_fd < 0 &&
	    (rc = os_open(&access_fd, o->access_log, O_WRONLY | O_CREAT | O_APPEND, err)) < 0)
		return rc;
	raise_files();
	catch_signals();
	s.started = time(NULL);
	daemon = start(&s, (const struct sockaddr *)&at, threads < 4 ? 4 : threads);
	if (!daemon) {
		rc = err_sys(err, errno, "cannot listen on %s", o->listen);
		arena_release(&s.arena);
		return rc;
	}
	s.port = (int)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
	ready(context, &s, setup_url(&s));
	wait_for_end(&s);
	fd = MHD_quiesce_daemon(daemon);
	if (fd != MHD_INVALID_SOCKET)
		close(fd);
	for (unsigned i = 0; i < LIMIT_STOP_MS / 10 && atomic_load(&active) > 0; i++)
		usleep(10000);
	MHD_stop_daemon(daemon);
	workers_close(&s);
	if (access_fd > 2)
		os_close(&access_fd);
	arena_release(&s.arena);
	return WN_OK;
}

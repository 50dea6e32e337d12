/* serve/server.c -- threads and their handles of collections, the access log, the start and the end.
 *
 * net.c has the loops and helpers, conn.c the connections; both run handlers by
 * dispatch.c.  Each of these threads is a worker: it opens a collection when it
 * is first asked of it, and anew when the collection has moved on. */
#include "serve/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "archive/reader.h"
#include "archive/stamp.h"
#include "archive/url.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "base/task.h"
#include "serve/setup.h"
#include "serve/jobs.h"
#include "serve/net.h"

static pthread_mutex_t workers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *workers;
static _Thread_local struct worker *this_worker;
static int access_fd = -1;

int64_t server_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- workers and their handles ---- */

struct worker *worker_here(struct server *s)
{
	struct worker *w = this_worker;

	if (w)
		return w;
	w = mem_zalloc(sizeof *w);
	w->server = s;
	w->n_handles = s->max_served;
	w->handles = mem_zarray(w->n_handles, sizeof *w->handles);
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

static struct handle *held(struct worker *w, struct handle *h)
{
	if (w->holds && !h->held) {
		catalog_hold(h->coll.catalog);
		h->held = true;
		w->n_held++;
	}
	return h;
}

/* Which file is the catalogue of that folder; false: there is none. */
static bool catalogue_file(const char *dir, dev_t *device, ino_t *file)
{
	char path[PATH_MAX];
	struct stat st;

	if (snprintf(path, sizeof path, "%s/catalog.db", dir) >= (int)sizeof path || stat(path, &st) < 0)
		return false;
	*device = st.st_dev;
	*file = st.st_ino;
	return true;
}

/* Whether the catalogue is another one than that which is open, or of another revision. */
static bool has_changed(const struct handle *h, const char *dir)
{
	struct catalog_next next;
	dev_t device;
	ino_t file;

	return !catalogue_file(dir, &device, &file) || device != h->device || file != h->file ||
	       catalog_next(h->coll.catalog, &next, NULL) < 0 || next.revision != h->revision;
}

struct handle *worker_handle(struct worker *w, unsigned index, struct err *err)
{
	struct handle *h = &w->handles[index];
	const char *dir = w->server->served[index].dir;
	struct catalog_next next;
	int64_t now = server_now_ns() / 1000000;

	if (h->open && h->generation != w->server->generation)
		handle_close(h);
	if (h->open && now - h->looked > REVISION_EVERY_MS) {
		/* stored texts and words of a newer revision lie in files that are not open yet */
		h->looked = now;
		if (has_changed(h, dir))
			handle_close(h);
	}
	if (h->open)
		return held(w, h);
	catalogue_file(dir, &h->device, &h->file);
	if (collection_open(&h->coll, dir, CATALOG_READ, NULL, err) < 0 ||
	    catalog_next(h->coll.catalog, &next, err) < 0) {
		collection_close(&h->coll);
		return NULL;
	}
	h->open = true;
	h->generation = w->server->generation;
	h->revision = next.revision;
	h->looked = now;
	return held(w, h);
}

void worker_rest(struct worker *w)
{
	for (size_t i = 0; w->n_held && i < w->n_handles; i++)
		if (w->handles[i].held) {
			catalog_rest(w->handles[i].coll.catalog);
			w->handles[i].held = false;
			w->n_held--;
		}
	w->n_held = 0;
}

/* ---- readers ---- */

static void reader_forget(struct worker *w, unsigned i)
{
	reader_close(w->readers[i].reader);
	mem_free(w->readers[i].path);
	w->readers[i].path = NULL;
	w->readers[i].reader = NULL;
}

int worker_read(struct worker *w, const char *path, struct span span, struct reader **out, struct err *err)
{
	int64_t now = server_now_ns() / 1000000;
	int rc;

	for (unsigned i = 0; i < WORKER_READERS; i++) {
		struct reader *r = w->readers[i].reader;

		if (!r)
			continue;
		if (now - w->readers[i].opened > READER_KEPT_MS) {
			reader_forget(w, i);
			continue;
		}
		if (strcmp(w->readers[i].path, path) != 0)
			continue;
		w->readers[i].reader = NULL;
		reader_forget(w, i);
		if ((rc = reader_move(r, span, err)) == WN_OK)
			*out = r;
		else
			reader_close(r);
		return rc;
	}
	return reader_open_span(out, path, span, err);
}

void worker_read_end(struct worker *w, struct reader *r, const char *path)
{
	unsigned i = w->next_reader;

	if (!r)
		return;
	if (!reader_can_move(r)) {
		reader_close(r);
		return;
	}
	reader_forget(w, i);
	w->readers[i].path = mem_strdup(path);
	w->readers[i].reader = r;
	w->readers[i].opened = server_now_ns() / 1000000;
	w->next_reader = (i + 1) % WORKER_READERS;
}

void workers_close(void)
{
	for (struct worker *w = workers, *next; w; w = next) {
		next = w->next;
		for (size_t i = 0; i < w->n_handles; i++)
			if (w->handles[i].open)
				handle_close(&w->handles[i]);
		for (unsigned i = 0; i < WORKER_READERS; i++)
			reader_forget(w, i);
		mem_free(w->handles);
		mem_free(w);
	}
	workers = NULL;
}

/* ---- requests ---- */

uint64_t server_request_id(void)
{
	static _Atomic uint64_t next = 1;

	return atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
}

enum method method_of(struct str name)
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
		if (str_eq(str(all[i].name), name))
			return all[i].m;
	return METHOD_OTHER;
}

void server_log(const struct live *x, int64_t ns)
{
	char line[2048], stamp[21];
	struct timespec t;
	int n;

	if (access_fd < 0)
		return;
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
	n += snprintf(line + n, sizeof line - (size_t)n, "\" %d %" PRIu64 " %.6f\n", x->r.status, x->sent,
		      (double)ns / 1e9);
	if (n > 0 && write(access_fd, line, (size_t)n) < 0)
		access_fd = -1;
}

/* ---- start and end ---- */

static sigset_t our_signals(void)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGTERM);
	sigaddset(&s, SIGINT);
	sigaddset(&s, SIGHUP);
	return s;
}

/* Before any thread is made: all inherit it, and only wait_for_end hears them. */
static void block_signals(void)
{
	sigset_t s = our_signals();

	pthread_sigmask(SIG_BLOCK, &s, NULL);
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

static int listen_at(const struct sockaddr_storage *at, const char *name, int *port, struct err *err)
{
	socklen_t size = at->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
	struct sockaddr_storage got;
	socklen_t got_size = sizeof got;
	int fd = socket(at->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
	    bind(fd, (const struct sockaddr *)at, size) < 0 || listen(fd, 1024) < 0 ||
	    getsockname(fd, (struct sockaddr *)&got, &got_size) < 0) {
		err_sys(err, errno, "cannot listen on %s", name);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*port = ntohs(got.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&got)->sin6_port
						: ((struct sockaddr_in *)(void *)&got)->sin_port);
	return fd;
}

static void wait_for_end(struct server *s)
{
	sigset_t ours = our_signals();
	int n;

	for (;;) {
		if (sigwait(&ours, &n) != 0)
			continue;
		if (n != SIGHUP)
			return;
		s->generation++;
	}
}

int server_run(const struct server_options *o, void (*ready)(void *context, const struct server *s, struct str url),
	       void *context, struct err *err)
{
	struct server s = { .options = *o };
	struct sockaddr_storage at;
	struct net net;
	unsigned threads = o->threads ? o->threads : task_cores();
	struct str url;
	int rc, listener = -1;

	if ((rc = setup_server(&s, &at, err)) < 0)
		goto out;
	if (o->access_log)
		access_fd = strcmp(o->access_log, "-") == 0 ? 2 : -1;
	if (o->access_log && access_fd < 0 &&
	    (rc = os_open(&access_fd, o->access_log, O_WRONLY | O_CREAT | O_APPEND, err)) < 0)
		goto out;
	raise_files();
	block_signals();
	s.started = time(NULL);
	if ((listener = listen_at(&at, o->listen, &s.port, err)) < 0) {
		rc = err->code;
		goto out;
	}
	url = setup_url(&s); /* before there are other threads: it takes memory of the server's arena */
	if ((rc = jobs_begin(&s, (int64_t)(o->job_lease ? o->job_lease : 15) * 1000, err)) == WN_OK) {
		if ((rc = net_start(&net, &s, listener, threads, threads < 2 ? 4 : 2 * threads, err)) == WN_OK) {
			ready(context, &s, url);
			wait_for_end(&s);
		}
		net_stop(&net, LIMIT_STOP_MS);
		workers_close();
	}
	jobs_end();
	if (access_fd > 2)
		os_close(&access_fd);
out:
	os_close(&listener);
	arena_release(&s.arena);
	return rc;
}

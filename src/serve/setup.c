/* serve/setup.c -- see setup.h. */
#include "serve/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/digest.h"
#include "archive/url.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "serve/acl.h"
#include "serve/server_int.h"
#include "text/document.h"

enum { LOOK_AGAIN_MS = 100 };

static const char *const reserved[] = { "c",	   "api",     "a",	     "jobs",	   "help", "cdx",
					"metrics", "healthz", "favicon.ico", "robots.txt", "login" };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void random_text(char *out, size_t n)
{
	unsigned char bytes[64];

	if (getrandom(bytes, n, 0) != (ssize_t)n)
		abort(); /* no token is better than one that can be guessed */
	for (size_t i = 0; i < n; i++)
		out[i] = alphabet[bytes[i] % 64];
	out[n] = 0;
}

static int name_of(struct server *s, const char *given, const char **name, const char **dir, struct err *err)
{
	const char *sign = strchr(given, '=');
	struct str d = str(given), n;

	if (sign && !memchr(given, '/', (size_t)(sign - given))) {
		n = str_n(given, (size_t)(sign - given));
		d = str(sign + 1);
	} else {
		while (d.n > 1 && d.p[d.n - 1] == '/')
			d.n--;
		char *real = realpath(arena_strz(&s->arena, d), NULL);
		struct str whole = real ? arena_str(&s->arena, str(real)) : d;

		free(real);
		n = str_sub(whole, (size_t)(str_rchr(whole, '/') + 1), whole.n);
	}
	for (size_t i = 0; i < n.n; i++)
		if (!ascii_alpha(n.p[i]) && !ascii_digit(n.p[i]) && !strchr("._-", n.p[i]))
			return err_set(
			    err, WN_USAGE,
			    "'%.*s' cannot be a collection's name in URLs; use NAME=DIR with letters, digits, '.', '_' and '-'",
			    STR_FMT(n));
	if (n.n == 0 || n.p[0] == '.')
		return err_set(err, WN_USAGE, "'%s' gives no name for URLs; use NAME=DIR", given);
	for (size_t i = 0; i < COUNT(reserved); i++)
		if (str_eq(n, str(reserved[i])))
			return err_set(err, WN_USAGE,
				       "the name '%s' is used by the server itself; use NAME=DIR with another one",
				       reserved[i]);
	*name = arena_strz(&s->arena, n);
	*dir = arena_strz(&s->arena, d);
	return WN_OK;
}

/* From the token, which tells nothing of itself by it: servers that share a token (--token-file) have the same addresses. */
static void secret_of(const char *token, const char *name, char out[23])
{
	struct digest sum;
	struct arena a = { 0 };
	struct str text = arena_printf(&a, "winnow private path\n%s\n%s", token, name);

	digest_of(DIGEST_SHA256, text, &sum);
	for (unsigned i = 0; i < 22; i++)
		out[i] = alphabet[sum.bytes[i] % 64];
	out[22] = 0;
	arena_release(&a);
}

/* One more row, not yet counted in n_served. */
static void served_fill(struct server *s, struct served *v)
{
	char secret[23];

	v->slug = v->name;
	v->index = (unsigned)(v - s->served);
	if (s->options.private_paths) {
		secret_of(s->token, v->name, secret);
		v->slug = arena_printf(&s->arena, "%s~%s", v->name, secret).p;
	}
}

static int add_given(struct server *s, const char *given, struct err *err)
{
	struct served *v = &s->served[s->n_served];
	struct collection probe;
	struct acl *acl = NULL;
	int rc;

	if ((rc = name_of(s, given, &v->name, &v->dir, err)) < 0)
		return rc;
	if (server_find(s, str(v->name), false))
		return err_set(err, WN_USAGE, "two collections are named '%s'; use NAME=DIR for one of them", v->name);
	served_fill(s, v);
	if ((rc = collection_open(&probe, v->dir, CATALOG_READ, NULL, err)) < 0)
		return rc;
	collection_close(&probe);
	if ((rc = acl_served(&acl, s, v, err)) < 0)
		return rc;
	acl_free(acl);
	s->n_served++; /* from here on others see it */
	return WN_OK;
}

/* Where uploads go: --uploads, else the place that the desktop has for a program's data. */
static void find_uploads(struct server *s)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (s->options.uploads)
		s->uploads = s->options.uploads;
	else if (data && data[0] == '/')
		s->uploads = arena_printf(&s->arena, "%s/winnow", data).p;
	else
		s->uploads = home ? arena_printf(&s->arena, "%s/.local/share/winnow", home).p : "winnow-collections";
}

/* ---- what was uploaded, here or by another server of the same folder ---- */

static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct timespec seen; /* change of the folder that was looked at */
	int64_t again;	      /* ms: not before this, while something in it is not ready */
	bool unready;
} looked;

/* Whether the folder may have something new: it changed since, or so shortly before that its time cannot tell. */
static bool folder_changed(const char *dir, struct timespec *at)
{
	struct timespec now;
	struct stat st;

	if (stat(dir, &st) < 0)
		return false;
	*at = st.st_mtim;
	if (at->tv_sec != looked.seen.tv_sec || at->tv_nsec != looked.seen.tv_nsec)
		return true;
	clock_gettime(CLOCK_REALTIME, &now);
	return (looked.unready || now.tv_sec - at->tv_sec < 2) && server_now_ns() / 1000000 >= looked.again;
}

static bool is_served(const struct server *s, const char *dir)
{
	for (size_t i = 0; i < s->n_served; i++)
		if (strcmp(s->served[i].dir, dir) == 0)
			return true;
	return false;
}

/* One folder of the uploads: becomes a row, or is none of ours, or is not ready. */
static bool add_uploaded(struct server *s, struct arena *scratch, struct str name)
{
	const char *dir = arena_printf(scratch, "%s/%.*s", s->uploads, STR_FMT(name)).p;
	struct err why = { 0 };

	if (name.p[0] == '.' || is_served(s, dir) || s->n_served == s->max_served)
		return false;
	if (access(arena_printf(scratch, "%s/catalog.db", dir).p, F_OK) != 0) {
		looked.unready = true; /* no collection, or not yet */
		return false;
	}
	if (add_given(s, dir, &why) < 0) {
		looked.unready = true;
		if (!looked.seen.tv_sec)
			warning("%s is not served: %s", dir, why.text);
		return false;
	}
	return true;
}

bool setup_look(struct server *s)
{
	struct arena scratch = { 0 };
	struct timespec at;
	struct str *names;
	bool added = false;
	size_t n;

	if (s->options.n_collections && !s->options.uploads)
		return false; /* who names collections gets these, unless the folder is named too */
	pthread_mutex_lock(&adding);
	if (folder_changed(s->uploads, &at) && os_list(&scratch, s->uploads, "", &names, &n, NULL) == WN_OK) {
		looked.unready = false;
		looked.again = server_now_ns() / 1000000 + LOOK_AGAIN_MS;
		for (size_t i = 0; i < n; i++)
			added |= add_uploaded(s, &scratch, names[i]);
		looked.seen = at;
	}
	pthread_mutex_unlock(&adding);
	arena_release(&scratch);
	return added;
}

static int setup_collections(struct server *s, struct err *err)
{
	const struct server_options *o = &s->options;
	int rc;

	s->max_served = o->n_collections + LIMIT_SERVED;
	s->served = arena_zalloc(&s->arena, s->max_served * sizeof *s->served);
	find_uploads(s);
	for (size_t i = 0; i < o->n_collections; i++)
		if ((rc = add_given(s, o->collections[i], err)) < 0)
			return rc;
	setup_look(s);
	return WN_OK;
}

/* ---- while it runs ---- */

int setup_make_dirs(const char *path, struct err *err)
{
	struct arena a = { 0 };
	int rc = WN_OK;

	for (const char *p = path; *p && rc == WN_OK; p++)
		if (p[1] == '/' || p[1] == 0)
			rc = os_mkdir(arena_strz(&a, str_n(path, (size_t)(p - path) + 1)), err);
	arena_release(&a);
	return rc;
}

static bool is_taken(const struct server *s, const char *name)
{
	for (size_t i = 0; i < COUNT(reserved); i++)
		if (strcmp(reserved[i], name) == 0)
			return true;
	return server_find(s, str(name), false) != NULL;
}

/* Gives the collection made at `fresh` its name, unless that is taken: 1, 0, or a failure. */
static int claim(const struct server *s, const char *fresh, const char *name, const char *dir, struct err *err)
{
	if (is_taken(s, name))
		return 0;
	if (renameat2(AT_FDCWD, fresh, AT_FDCWD, dir, RENAME_NOREPLACE) == 0)
		return 1;
	if (errno == EEXIST || errno == ENOTEMPTY)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return err_sys(err, errno, "%s cannot be made", dir);
	if (access(dir, F_OK) == 0) /* a file system that knows only the plain form */
		return 0;
	return os_rename(fresh, dir, err) < 0 ? err->code : 1;
}

int setup_add(struct server *s, const char *name, bool exactly, const struct served **out, struct err *err)
{
	struct catalog_settings settings = { .k = 5, .profile = "ia-surt", .extractor = DOCUMENT_VERSION };
	struct collection coll = { 0 };
	struct served *v;
	const char *fresh;
	int rc = WN_OK;

	pthread_mutex_lock(&adding);
	v = &s->served[s->n_served];
	if (s->n_served == s->max_served) {
		rc = err_set(err, WN_LIMIT, "this server has as many collections as it can");
		goto out;
	}
	/* made beside and then named, so that other servers of the folder see it whole, and of two that want a name one gets it */
	fresh = arena_printf(&s->arena, "%s/.new-%ld", s->uploads, (long)getpid()).p;
	if ((rc = collection_open(&coll, fresh, CATALOG_CREATE, &settings, err)) < 0)
		goto out;
	collection_close(&coll);
	v->name = arena_strz(&s->arena, str(name));
	for (unsigned i = 2;; i++) {
		v->dir = arena_printf(&s->arena, "%s/%s", s->uploads, v->name).p;
		if ((rc = claim(s, fresh, v->name, v->dir, err)))
			break;
		if (exactly || i > 999) {
			rc = err_set(err, WN_USAGE, "there is a collection named '%s' already, or the name is not free",
				     v->name);
			break;
		}
		v->name = arena_printf(&s->arena, "%s-%u", name, i).p;
	}
	if (rc < 0)
		goto out;
	rc = WN_OK;
	served_fill(s, v);
	s->n_served++; /* from here on others see it */
	*out = v;
out:
	pthread_mutex_unlock(&adding);
	return rc;
}

static int setup_address(struct server *s, struct sockaddr_storage *at, struct err *err)
{
	struct str listen = str(s->options.listen ? s->options.listen : "127.0.0.1:8080");
	ptrdiff_t colon = str_rchr(listen, ':');
	struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM }, *found = NULL;
	struct str host, port;
	uint64_t number;

	if (colon < 0)
		return err_set(err, WN_USAGE, "--listen takes ADDR:PORT, not '%.*s'", STR_FMT(listen));
	host = str_sub(listen, 0, (size_t)colon);
	port = str_sub(listen, (size_t)colon + 1, listen.n);
	s->listen_host =
	    host.n == 0 || str_eq(host, STR("0.0.0.0")) || str_eq(host, STR("[::]")) ? STR("127.0.0.1") : host;
	if (str_chr(s->listen_host, ':') >= 0 && s->listen_host.p[0] != '[')
		s->listen_host = arena_printf(&s->arena, "[%.*s]", STR_FMT(s->listen_host));
	if (host.n > 1 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = str_sub(host, 1, host.n - 1);
	if (!str_u64(port, &number) || number > 65535)
		return err_set(err, WN_USAGE, "'%.*s' is no port: 0 to 65535", STR_FMT(port));
	if (getaddrinfo(host.n ? arena_strz(&s->arena, host) : NULL, arena_strz(&s->arena, port), &hints, &found) !=
		0 ||
	    !found)
		return err_set(err, WN_USAGE, "'%.*s' is no address of this machine", STR_FMT(host));
	memcpy(at, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	s->port = (int)number;
	return WN_OK;
}

static int setup_public(struct server *s, struct err *err)
{
	struct url u = { 0 };
	struct buf origin = BUF(4 * KIB);
	struct str path;

	if (!s->options.public_url)
		return WN_OK;
	if (!url_parse(&u, str(s->options.public_url), NULL) || !url_is_http(&u)) {
		url_release(&u);
		return err_set(err, WN_USAGE, "--public-url takes an http or https URL, not '%s'",
			       s->options.public_url);
	}
	url_origin(&u, &origin);
	s->origin = arena_str(&s->arena, buf_view(&origin));
	s->public_host = arena_str(&s->arena, url_host_port(&u));
	path = url_pathname(&u);
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	s->prefix = arena_str(&s->arena, path);
	buf_release(&origin);
	url_release(&u);
	return WN_OK;
}

/* A name of its own: cookies know no ports, so another port of our own name would be no other place. */
static int setup_replay(struct server *s, struct err *err)
{
	struct str given = str(s->options.replay_host ? s->options.replay_host : ""), name = guard_host_name(given),
		   ours;

	if (!s->options.replay_host)
		return WN_OK;
	ours = s->public_host.n ? guard_host_name(s->public_host) : s->listen_host;
	if (!guard_host_is_sound(given) || !name.n)
		return err_set(err, WN_USAGE, "--replay-host takes a host name, not '%.*s'", STR_FMT(given));
	if (str_ieq(name, ours))
		return err_set(err, WN_USAGE,
			       "--replay-host must be another name than that of winnow's own pages, which is '%.*s'",
			       STR_FMT(ours));
	s->replay_host = arena_lower(&s->arena, name);
	s->replay_port = arena_str(&s->arena, str_sub(given, name.n, given.n));
	return WN_OK;
}

static int setup_token(struct server *s, struct err *err)
{
	struct str text;
	int rc, fd;

	random_text(s->token, 43);
	if (!s->options.token_file)
		return WN_OK;
	if (stat(s->options.token_file, &(struct stat){ 0 }) == 0) {
		if ((rc = os_slurp(&s->arena, s->options.token_file, 4096, &text, err)) < 0)
			return rc;
		text = str_trim(text);
		if (text.n < 16 || text.n > 43)
			return err_set(err, WN_USAGE, "%s must hold a token of 16 to 43 characters",
				       s->options.token_file);
		memcpy(s->token, text.p, text.n);
		s->token[text.n] = 0;
		return WN_OK;
	}
	if ((rc = os_open(&fd, s->options.token_file, O_WRONLY | O_CREAT | O_EXCL, err)) < 0)
		return rc;
	fchmod(fd, 0600);
	rc = os_write(fd, s->token, 43, s->options.token_file, err);
	os_close(&fd);
	return rc;
}

int setup_server(struct server *s, struct sockaddr_storage *at, struct err *err)
{
	int rc;

	if ((rc = setup_token(s, err)) < 0 || (rc = setup_collections(s, err)) < 0 ||
	    (rc = setup_address(s, at, err)) < 0 || (rc = setup_public(s, err)) < 0)
		return rc;
	return setup_replay(s, err);
}

struct str setup_url(struct server *s)
{
	if (s->origin.n)
		return arena_printf(&s->arena, "%.*s%.*s/login?token=%s", STR_FMT(s->origin), STR_FMT(s->prefix),
				    s->token);
	return arena_printf(&s->arena, "http://%.*s:%d/login?token=%s", STR_FMT(s->listen_host), s->port, s->token);
}

/* serve/acl.c -- the access rules of each served collection: COLL/access.aclj and the file of --acl, one set.
 *
 * Read when first asked for and again after SIGHUP.  Rules that cannot be read
 * hide everything until they can: a typing error must not open an archive.
 * Sets that were replaced stay in memory, since requests may still hold them.
 */
#include "serve/acl.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "archive/surt.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/os.h"
#include "serve/server.h"

struct loaded {
	bool read;
	unsigned generation;
	struct acl *acl;
};

static struct {
	pthread_mutex_t lock;
	const struct server *server;
	struct loaded *sets; /* by served.index */
	size_t n;
} rules = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int add_file(struct arena *a, struct buf *text, const char *path, struct err *err)
{
	struct str s;
	int rc = os_slurp(a, path, LIMIT_ACL, &s, err);

	if (rc == WN_OK) {
		buf_str(text, s);
		buf_byte(text, '\n');
	}
	return rc;
}

int acl_served(struct acl **out, const struct server *s, const struct served *which, struct err *err)
{
	struct buf text = BUF(2 * LIMIT_ACL);
	struct arena a = { 0 };
	const char *own = arena_printf(&a, "%s/access.aclj", which->dir).p;
	int rc = WN_OK;

	*out = NULL;
	if (access(own, F_OK) == 0)
		rc = add_file(&a, &text, own, err);
	if (rc == WN_OK && s->options.acl)
		rc = add_file(&a, &text, s->options.acl, err);
	if (rc == WN_OK && text.n)
		rc = acl_parse(out, buf_view(&text), err);
	if (rc < 0)
		err_in(err, "access rules of %s", which->name);
	buf_release(&text);
	arena_release(&a);
	return rc;
}

struct acl *request_acl(struct request *q, const struct served *which)
{
	struct acl *acl = NULL;
	struct loaded *l;

	pthread_mutex_lock(&rules.lock);
	if (rules.server != q->server || which->index >= rules.n) {
		size_t n = q->server->max_served;

		rules.sets = mem_rearray(rules.server == q->server ? rules.sets : NULL, n, sizeof *rules.sets);
		memset(rules.sets + (rules.server == q->server ? rules.n : 0), 0,
		       (n - (rules.server == q->server ? rules.n : 0)) * sizeof *rules.sets);
		rules.server = q->server;
		rules.n = n;
	}
	l = &rules.sets[which->index];
	if (!l->read || l->generation != q->server->generation) {
		struct err err = { 0 };

		l->read = true;
		l->generation = q->server->generation;
		if (acl_served(&l->acl, q->server, which, &err) < 0) {
			warning("%s; nothing of this collection is shown until they are mended", err.text);
			if (acl_parse(&l->acl, STR("* - {\"access\": \"exclude\"}"), &err) < 0)
				die("access rules: %s", err.text);
		}
	}
	acl = l->acl;
	pthread_mutex_unlock(&rules.lock);
	return acl;
}

bool acl_shows_host(struct request *q, const struct served *which, struct collection *coll, struct str host)
{
	const struct acl *acl = request_acl(q, which);
	struct buf *url, *key;

	if (!acl)
		return true;
	url = request_buf(q, LIMIT_URL);
	key = request_buf(q, 4 * LIMIT_URL);
	buf_printf(url, "http://%.*s/", STR_FMT(host));
	surt_add(surt_profile(catalog_settings(coll->catalog)->profile), buf_view(url), key);
	return acl_allows(acl, buf_view(key), 0, q->acl_user) ||
	       acl_allows(acl, buf_view(key), (int64_t)time(NULL), q->acl_user);
}

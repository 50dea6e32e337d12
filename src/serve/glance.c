/* serve/glance.c -- see glance.h.
 *
 * The numbers travel as one JSON text: what the thread makes, what the
 * catalogue keeps and what each request reads into its own arena are the same.
 */
#include "serve/glance.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/vec.h"
#include "flow/captures.h"
#include "serve/acl.h"
#include "text/document.h"

enum { GLANCE_WAIT_MS = 30, GLANCE_ROWS = 20, GLANCE_MONTHS_MOST = 1200 };

const char *const glance_names[GLANCE_KINDS] = { "months", "hosts", "mime", "status", "lang", "flaws", "why" };

/* ---- the text ---- */

static const struct {
	const char *name;
	size_t at;
} numbers[] = {
#define N(field)                                              \
	{                                                     \
#field, offsetof(struct catalog_stats, field) \
	}
	N(captures), N(documents), N(contents), N(urls),     N(hosts),	  N(bytes_payload),	  N(bytes_text),
	N(words),    N(shingles),  N(files),	N(revision), N(revisits), N(revisits_unresolved),
#undef N
};

static uint64_t *number_at(struct catalog_stats *s, size_t i)
{
	return (uint64_t *)(void *)((char *)s + numbers[i].at);
}

struct counting {
	struct json j;
	uint64_t all;
};

static int put_row(void *context, struct str name, uint64_t n)
{
	struct counting *c = context;

	if (c->all++ >= GLANCE_MONTHS_MOST)
		return WN_OK;
	json_open(&c->j, '[');
	json_str(&c->j, name);
	json_u64(&c->j, n);
	json_close(&c->j, ']');
	return WN_OK;
}

static int put_why(void *context, struct str value, uint64_t n)
{
	uint64_t why;

	if (str_u64(value, &why))
		value = why ? str(document_why_name((enum document_why)why)) : STR("revisit without its original");
	return put_row(context, value, n);
}

static int count(struct collection *coll, struct buf *out, struct err *err)
{
	struct counting c = { .j = { .out = out } };
	struct catalog_stats st;
	int rc;

	if ((rc = catalog_stats(coll->catalog, &st, err)) < 0)
		return rc;
	json_open(&c.j, '{');
	json_put_open(&c.j, "stats", '{');
	for (size_t i = 0; i < COUNT(numbers); i++)
		json_put_u64(&c.j, numbers[i].name, *number_at(&st, i));
	if (st.first != CAPTURE_NO_TIME) {
		json_put_i64(&c.j, "first", st.first);
		json_put_i64(&c.j, "last", st.last);
	}
	json_close(&c.j, '}');
	for (int kind = 0; kind < GLANCE_KINDS && rc == WN_OK; kind++) {
		c.all = 0;
		json_put_open(&c.j, glance_names[kind], '[');
		rc = catalog_counts(coll->catalog, glance_names[kind], kind == GLANCE_WHY ? put_why : put_row, &c, err);
		json_close(&c.j, ']');
	}
	json_close(&c.j, '}');
	return rc;
}

static int64_t time_of(const struct json_value *v, const char *key)
{
	int64_t t;

	return str_i64(json_text(v, key), &t) ? t : CAPTURE_NO_TIME;
}

static void read_table(struct arena *a, const struct json_value *list, struct glance_table *t, size_t most)
{
	*t = (struct glance_table){ 0 };
	for (const struct json_value *v = list ? list->first : NULL; v; v = v->next)
		t->all++;
	t->rows = ARENA_ARRAY(a, struct glance_row, t->all + 1);
	for (const struct json_value *v = list ? list->first : NULL; v && t->n < most; v = v->next) {
		struct glance_row *row = &t->rows[t->n];

		if (!v->first || !v->first->next || !str_u64(v->first->next->text, &row->n))
			continue;
		row->name = v->first->text;
		t->sum += row->n;
		t->most = row->n > t->most ? row->n : t->most;
		t->n++;
	}
}

static bool read_text(struct arena *a, struct str text, struct glance *g)
{
	struct json_value *v;
	const struct json_value *stats;

	*g = (struct glance){ 0 };
	if (!text.n || json_parse(a, text, &v, NULL) < 0 || !(stats = json_get(v, "stats")))
		return false;
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (!str_u64(json_text(stats, numbers[i].name), number_at(&g->stats, i)))
			return false;
	g->stats.first = time_of(stats, "first");
	g->stats.last = time_of(stats, "last");
	for (int kind = 0; kind < GLANCE_KINDS; kind++)
		read_table(a, json_get(v, glance_names[kind]), &g->tables[kind],
			   kind == GLANCE_MONTHS ? GLANCE_MONTHS_MOST : GLANCE_ROWS);
	return true;
}

/* ---- memory, and the thread that counts ---- */

static struct known {
	const char *dir; /* of the collection: names may come again */
	uint64_t revision;
	struct str text;
	bool counting;
	uint64_t failed; /* revision that could not be counted; 0: none */
	struct known *next;
} * all_known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;

struct errand {
	struct known *known;
	char *dir;
	bool keep; /* in the catalogue too */
};

static struct known *known_of(const char *dir)
{
	struct known *k = all_known;

	while (k && strcmp(k->dir, dir) != 0)
		k = k->next;
	if (!k) {
		size_t n = strlen(dir) + 1;

		k = mem_zalloc(sizeof *k);
		k->dir = memcpy(mem_alloc(n), dir, n);
		k->next = all_known;
		all_known = k;
	}
	return k;
}

static void learn(struct known *k, uint64_t revision, struct str text)
{
	mem_free((char *)k->text.p);
	k->text.p = memcpy(mem_alloc(text.n + 1), text.p, text.n);
	k->text.n = text.n;
	k->revision = revision;
}

static void keep(const char *dir, struct str text)
{
	struct catalog *c;

	if (catalog_open(&c, dir, CATALOG_SHARED, NULL, NULL) < 0)
		return; /* it is counted again by the next server, no more */
	catalog_set(c, "glance", text, NULL);
	catalog_close(c);
}

/* The first preview would have to read every capture: what it keeps of them for the next (flow/captures.h) is made now. */
static void prepare(const char *dir)
{
	struct captures captures = { 0 };
	struct catalog_next next;
	struct collection coll;

	if (collection_open(&coll, dir, CATALOG_READ, NULL, NULL) < 0)
		return;
	/* an index alone has nothing to be compared */
	if (catalog_begin(coll.catalog, NULL) == WN_OK && catalog_next(coll.catalog, &next, NULL) == WN_OK &&
	    next.content > 1 && captures_load(&captures, &coll, NULL) == WN_OK)
		captures_release(&captures);
	catalog_end(coll.catalog);
	collection_close(&coll);
}

static void *count_beside(void *context)
{
	struct errand *e = context;
	struct buf out = BUF(LIMIT_PAGE);
	struct catalog_next next = { 0 };
	struct collection coll;
	bool good = false;

	if (collection_open(&coll, e->dir, CATALOG_READ, NULL, NULL) == WN_OK) {
		good = catalog_begin(coll.catalog, NULL) == WN_OK && catalog_next(coll.catalog, &next, NULL) == WN_OK &&
		       count(&coll, &out, NULL) == WN_OK && !out.full;
		catalog_end(coll.catalog);
		collection_close(&coll);
	}
	pthread_mutex_lock(&lock);
	if (good)
		learn(e->known, next.revision, buf_view(&out));
	e->known->counting = false;
	e->known->failed = good ? 0 : next.revision;
	pthread_cond_broadcast(&counted);
	pthread_mutex_unlock(&lock);
	if (good && e->keep) {
		keep(e->dir, buf_view(&out));
		prepare(e->dir);
	}
	buf_release(&out);
	mem_free(e->dir);
	mem_free(e);
	return NULL;
}

static void begin_counting(struct known *k, bool keep_it)
{
	struct errand *e = mem_zalloc(sizeof *e);
	size_t n = strlen(k->dir) + 1;
	pthread_t thread;

	*e = (struct errand){ .known = k, .dir = memcpy(mem_alloc(n), k->dir, n), .keep = keep_it };
	k->counting = pthread_create(&thread, NULL, count_beside, e) == 0;
	if (k->counting) {
		pthread_detach(thread);
	} else {
		mem_free(e->dir);
		mem_free(e);
	}
}

static void wait_for(struct known *k)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += GLANCE_WAIT_MS * 1000000l;
	until.tv_sec += until.tv_nsec / 1000000000l;
	until.tv_nsec %= 1000000000l;
	while (k->counting && pthread_cond_timedwait(&counted, &lock, &until) == 0)
		;
}

/* Hosts that access rules close are no rows; how many there are is not told either. */
static void leave_hidden_hosts(struct request *q, const struct served *s, struct collection *coll,
			       struct glance_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (acl_shows_host(q, s, coll, t->rows[i].name))
			t->rows[n++] = t->rows[i];
		else
			t->sum -= t->rows[i].n;
	t->all -= t->n - n;
	t->n = n;
}

bool glance_of(struct request *q, const struct served *s, struct collection *coll, struct glance *g)
{
	struct catalog_next next;
	struct str text = STR_NONE;
	struct known *k;

	*g = (struct glance){ 0 };
	if (catalog_next(coll->catalog, &next, NULL) < 0)
		return false;
	pthread_mutex_lock(&lock);
	k = known_of(s->dir);
	if (!k->text.n && catalog_get(coll->catalog, "glance", &q->arena, &text, NULL) == WN_OK &&
	    read_text(&q->arena, text, g))
		learn(k, g->stats.revision, text);
	if (k->revision != next.revision || !k->text.n) {
		if (!k->counting && k->failed != next.revision)
			begin_counting(k, !q->server->options.read_only);
		wait_for(k);
	}
	text = arena_str(&q->arena, k->text);
	pthread_mutex_unlock(&lock);
	if (!read_text(&q->arena, text, g))
		return false;
	leave_hidden_hosts(q, s, coll, &g->tables[GLANCE_HOSTS]);
	return g->stats.revision == next.revision;
}

void glance_later(struct response *r)
{
	response_error(r, 503, "this collection is being counted; ask again in a moment");
	response_header(r, "Retry-After", STR("2"));
}

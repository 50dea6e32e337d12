/* tests/unit/flow/captures.c -- the table of captures, brought up to date, beside one read from the catalogue. */
#include "flow/captures.h"

#include <sqlite3.h>

#include "base/vec.h"
#include "test.h"

struct growing {
	struct test *t;
	struct collection coll;
	uint64_t next;
	VEC(uint64_t) there;
	unsigned patched, mapped, read, ties;
};

static struct capture some_capture(struct growing *g)
{
	struct test *t = g->t;
	unsigned site = (unsigned)test_below(t, 3), page = (unsigned)test_below(t, 4);
	struct capture c = { .id = g->next++,
			     .kind = CAPTURE_RESPONSE,
			     .status = test_below(t, 5) ? 200 : CAPTURE_NO_STATUS,
			     .time = (int64_t)test_below(t, 6),
			     .bytes = test_below(t, 1000),
			     .content = test_below(t, 3),
			     .published = test_below(t, 2) ? CAPTURE_NO_TIME : 7,
			     .mime = STR("text/html"),
			     .at = test_below(t, 3) };

	c.host = arena_printf(t->arena, "h%u", site);
	c.domain = c.host;
	c.urlkey = arena_printf(t->arena, "k%u/%u", site, page);
	c.url = arena_printf(t->arena, "http://h%u/%u%s", site, page, test_below(t, 2) ? "" : "?");
	c.digest = arena_printf(t->arena, "%019u%u", 0, (unsigned)test_below(t, 2));
	return c;
}

static void grow(struct growing *g, bool contents)
{
	struct content text[2] = { { .id = 1, .words = 5, .shingles = 3, .lang = STR("en") },
				   { .id = 2, .key = { 1 }, .words = 9, .shingles = 4 } };
	struct test *t = g->t;
	VEC(struct capture) list = { 0 };
	struct catalog_batch b = { .contents = text, .n_contents = contents ? 2 : 0 };
	struct err err = { 0 };

	for (uint64_t n = 1 + test_below(t, 6); n; n--) {
		vec_push(&list, some_capture(g));
		vec_push(&g->there, list.p[list.n - 1].id);
	}
	b.captures = list.p;
	b.n_captures = list.n;
	CHECK(catalog_add(g->coll.catalog, &b, &err) == WN_OK, "%s", err.text);
	vec_release(&list);
}

static void shrink(struct growing *g)
{
	struct test *t = g->t;
	struct err err = { 0 };
	size_t i;

	if (g->there.n < 20)
		return;
	i = test_below(t, g->there.n);
	/* contents stay, as the captures to come have them */
	sqlite3_exec(catalog_sqlite(g->coll.catalog), "insert or ignore into content_capture values (1, 0), (2, 0)",
		     NULL, NULL, NULL);
	CHECK(catalog_remove_captures(g->coll.catalog, &g->there.p[i], 1, &err) == WN_OK, "%s", err.text);
	g->there.p[i] = g->there.p[--g->there.n];
}

/* A capture whose text was made anew. */
static void alter(struct growing *g)
{
	struct test *t = g->t;
	struct capture c = { .id = g->there.p[test_below(t, g->there.n)],
			     .content = 1 + test_below(t, 2),
			     .mime = STR("text/plain"),
			     .published = 9 };
	struct catalog_batch b = { .updates = &c, .n_updates = 1 };
	struct err err = { 0 };

	CHECK(catalog_add(g->coll.catalog, &b, &err) == WN_OK, "%s", err.text);
}

static bool same(const struct captures *a, const struct captures *b)
{
	if (a->n != b->n || a->last != b->last || a->altered != b->altered || a->revision != b->revision)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (a->id[i] != b->id[i] || a->content[i] != b->content[i] || a->time[i] != b->time[i] ||
		    a->published[i] != b->published[i] || a->bytes[i] != b->bytes[i] || a->url[i] != b->url[i] ||
		    a->host[i] != b->host[i] || a->mime[i] != b->mime[i] || a->charset[i] != b->charset[i] ||
		    a->lang[i] != b->lang[i] || a->words[i] != b->words[i] || a->shingles[i] != b->shingles[i] ||
		    a->status[i] != b->status[i] || a->file[i] != b->file[i] || a->crawl[i] != b->crawl[i] ||
		    a->declared[i] != b->declared[i])
			return false;
	return true;
}

static void compare(struct growing *g, int round)
{
	struct test *t = g->t;
	struct captures patched, again, read;
	struct err err = { 0 };

	REQUIRE(captures_load(&patched, &g->coll, &err) == WN_OK, "%s", err.text);
	REQUIRE(captures_load(&again, &g->coll, &err) == WN_OK, "%s", err.text);
	CHECK(again.how == CAPTURES_MAPPED, "round %d: the table was stored", round);
	CHECK(same(&patched, &again), "round %d: as it was stored", round);
	g->patched += patched.how == CAPTURES_PATCHED;
	g->mapped += patched.how == CAPTURES_MAPPED;
	g->read += patched.how == CAPTURES_READ;
	captures_release(&again);
	CHECK(os_unlink(arena_printf(t->arena, "%s/runs/captures-r%" PRIu64 ".table", test_dir(t), patched.revision).p,
			&err) == WN_OK,
	      "%s", err.text);
	REQUIRE(captures_load(&read, &g->coll, &err) == WN_OK, "%s", err.text);
	CHECK(read.how == CAPTURES_READ, "round %d: nothing to begin with", round);
	CHECK(same(&patched, &read), "round %d: %zu captures, %zu read", round, patched.n, read.n);
	for (size_t i = 1; i < read.n; i++)
		g->ties += read.url[i] == read.url[i - 1] && read.time[i] == read.time[i - 1];
	captures_release(&patched);
	captures_release(&read);
}

TEST(flow, a_table_of_captures_keeps_up_with_the_catalogue)
{
	struct catalog_settings settings = { .k = 5, .profile = "ia-surt", .extractor = 1 };
	struct growing g = { .t = t, .next = 1 };
	struct err err = { 0 };

	REQUIRE(collection_open(&g.coll, test_dir(t), CATALOG_CREATE, &settings, &err) == WN_OK, "%s", err.text);
	grow(&g, true);
	for (int round = 0; round < 150 && t->failures < 3; round++) {
		for (uint64_t steps = test_below(t, 4); steps; steps--)
			switch (test_below(t, 4)) {
			case 0: shrink(&g); break;
			case 1: alter(&g); break;
			default: grow(&g, false); break;
			}
		compare(&g, round);
	}
	CHECK(g.patched > 50 && g.mapped > 5 && g.ties > 50, "patched %u, mapped %u, read %u, ties %u", g.patched,
	      g.mapped, g.read, g.ties);
	collection_close(&g.coll);
	vec_release(&g.there);
}

/* tests/unit/flow/captures.c -- the table of captures, brought up to date, beside one read from the catalogue. */
#include "flow/captures.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "test.h"

struct growing {
	struct test *t;
	struct collection coll;
	uint64_t next;
	VEC(uint64_t) there;
	unsigned patched, mapped, read, ties, deltas, damaged;
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

/* Where the i-th capture stands. */
static uint32_t row_of(const struct captures *c, size_t i)
{
	size_t k = 0;

	while (i >= c->stretches[k].n)
		i -= c->stretches[k++].n;
	return c->stretches[k].from + (uint32_t)i;
}

/* As CAPTURES_TAKE has it, too. */
static bool same_taken(const struct captures *a, const struct captures *b)
{
	uint64_t *x = mem_array(a->n + 1, sizeof *x), *y = mem_array(a->n + 1, sizeof *y);
	bool same;

	CAPTURES_TAKE(x, a, url, a->stretches, a->n_stretches);
	CAPTURES_TAKE(y, b, url, b->stretches, b->n_stretches);
	same = memcmp(x, y, a->n * sizeof *x) == 0;
	mem_free(x);
	mem_free(y);
	return same;
}

static bool same(const struct captures *a, const struct captures *b)
{
	if (a->n != b->n || a->last != b->last || a->altered != b->altered || a->revision != b->revision)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		uint32_t x = row_of(a, i), y = row_of(b, i);

#define SAME(name) (CAPTURE_FACT(a, name, x) == CAPTURE_FACT(b, name, y))
		if (!SAME(id) || !SAME(content) || !SAME(time) || !SAME(published) || !SAME(bytes) || !SAME(url) ||
		    !SAME(host) || !SAME(mime) || !SAME(charset) || !SAME(lang) || !SAME(words) || !SAME(shingles) ||
		    !SAME(shingles_main) || !SAME(status) || !SAME(file) || !SAME(crawl) || !SAME(declared))
			return false;
#undef SAME
	}
	return same_taken(a, b);
}

/* Files of captures: with a wrong bit somewhere, or gone. */
static void spoil(struct growing *g, bool remove)
{
	struct test *t = g->t;
	const char *runs = arena_printf(t->arena, "%s/runs", test_dir(t)).p;
	struct err err = { 0 };
	struct str *names;
	size_t n;

	REQUIRE(os_list(t->arena, runs, "", &names, &n, &err) == WN_OK, "%s", err.text);
	for (size_t i = 0; i < n; i++) {
		const char *path = arena_printf(t->arena, "%s/%.*s", runs, STR_FMT(names[i])).p;
		struct str bytes;
		FILE *f;

		if (!str_starts(names[i], STR("captures-r")))
			continue;
		if (remove) {
			CHECK(os_unlink(path, &err) == WN_OK, "%s", err.text);
			continue;
		}
		REQUIRE(os_slurp(t->arena, path, 1 << 20, &bytes, &err) == WN_OK, "%s", err.text);
		if (test_below(t, 2) || !(f = fopen(path, "r+b")))
			continue;
		fseek(f, (long)test_below(t, bytes.n), SEEK_SET);
		fputc((int)test_below(t, 256), f);
		fclose(f);
		g->damaged++;
	}
}

static bool has_delta(struct growing *g, uint64_t revision)
{
	FILE *f =
	    fopen(arena_printf(g->t->arena, "%s/runs/captures-r%" PRIu64 ".delta", test_dir(g->t), revision).p, "rb");

	if (f)
		fclose(f);
	return f != NULL;
}

static void compare(struct growing *g, int round)
{
	const char *runs = arena_printf(g->t->arena, "%s/runs", test_dir(g->t)).p,
		   *aside = arena_printf(g->t->arena, "%s/aside", test_dir(g->t)).p;
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
	g->deltas += patched.how == CAPTURES_PATCHED && has_delta(g, patched.revision);
	captures_release(&again);
	REQUIRE(rename(runs, aside) == 0, "rename");
	REQUIRE(captures_load(&read, &g->coll, &err) == WN_OK, "%s", err.text);
	CHECK(read.how == CAPTURES_READ, "round %d: nothing to begin with", round);
	CHECK(same(&patched, &read), "round %d: %zu captures, %zu read", round, patched.n, read.n);
	for (size_t i = 1; i < read.n; i++)
		g->ties += read.url[i] == read.url[i - 1] && read.time[i] == read.time[i - 1];
	captures_release(&patched);
	captures_release(&read);
	spoil(g, true);
	REQUIRE(rmdir(runs) == 0 && rename(aside, runs) == 0, "rename");
	if (test_below(t, 5) == 0)
		spoil(g, test_below(t, 2));
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
	CHECK(g.patched > 50 && g.mapped > 5 && g.read > 2 && g.ties > 50 && g.deltas > 20 && g.damaged > 0,
	      "patched %u, mapped %u, read %u, ties %u, deltas %u, damaged %u", g.patched, g.mapped, g.read, g.ties,
	      g.deltas, g.damaged);
	collection_close(&g.coll);
	vec_release(&g.there);
}

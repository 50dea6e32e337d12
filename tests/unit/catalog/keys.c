/* tests/unit/catalog/keys.c -- what pages ask of the index of keys, against every capture looked at one by one. */
#include <fcntl.h>
#include <sys/file.h>

#include "base/limits.h"
#include "base/os.h"
#include "catalog/catalog.h"
#include "test.h"

enum { CAPTURES = 400, KEYS = 12 };

static struct capture made[CAPTURES]; /* in order of id */

static struct catalog *random_catalog(struct test *t)
{
	static const struct catalog_settings fresh = { .k = 5, .profile = "ia-surt" };
	struct catalog_batch batch = { .captures = made, .n_captures = CAPTURES };
	struct catalog_next next;
	struct catalog *c;
	struct err err = { 0 };

	if (!CHECK(catalog_open(&c, test_dir(t), CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text) ||
	    !CHECK(catalog_next(c, &next, &err) == WN_OK, "%s", err.text))
		return NULL;
	for (uint64_t i = 0; i < CAPTURES; i++) {
		unsigned key = (unsigned)test_below(t, KEYS);

		made[i] = (struct capture){
			.id = next.capture + i,
			.time = (int64_t)test_below(t, 40) * 40 * 86400,
			.urlkey = arena_printf(t->arena, "example,h%u)/%u", key % 3, key),
			.url = arena_printf(t->arena, "http://h%u.example/%u?%u", key % 3, key, (unsigned)i),
			.host = arena_printf(t->arena, "h%u.example", key % 3),
			.domain = STR("example"),
			.status = test_below(t, 4) ? (int)(200 + test_below(t, 300)) : CAPTURE_NO_STATUS,
			.published = CAPTURE_NO_TIME,
			.refers_time = CAPTURE_NO_TIME,
		};
	}
	CHECK(catalog_add(c, &batch, &err) == WN_OK, "%s", err.text);
	return c;
}

/* The file is there before its tables are: a reader of that moment is told to come again, not that it is no catalogue. */
TEST(catalog, a_collection_that_is_being_made_is_busy)
{
	const char *dir = test_dir(t);
	struct catalog *c;
	struct err err = { 0 };
	int lock = -1, file = -1;

	REQUIRE(os_open(&lock, arena_printf(t->arena, "%s/lock", dir).p, O_RDWR | O_CREAT, &err) == WN_OK);
	REQUIRE(os_open(&file, arena_printf(t->arena, "%s/catalog.db", dir).p, O_RDWR | O_CREAT, &err) == WN_OK);
	CHECK_EQ(catalog_open(&c, dir, CATALOG_READ, NULL, &err), WN_DATA, "nobody makes it");
	REQUIRE(flock(lock, LOCK_EX | LOCK_NB) == 0);
	CHECK_EQ(catalog_open(&c, dir, CATALOG_READ, NULL, &err), WN_BUSY, "%s", err.text);
	os_close(&lock);
	os_close(&file);
}

struct seen {
	uint64_t n, most, last;
	int64_t time;
	bool in_order;
};

static int see(void *context, uint64_t id, int64_t time)
{
	struct seen *s = context;

	s->in_order &= !s->n || time > s->time || (time == s->time && id > s->last);
	s->time = time;
	s->last = id;
	return ++s->n == s->most ? WN_END : WN_OK;
}

TEST(keys, times_of_one_key_in_their_order)
{
	struct catalog *c = random_catalog(t);

	for (unsigned round = 0; c && round < 200; round++) {
		struct str key = made[test_below(t, CAPTURES)].urlkey;
		int64_t from = (int64_t)test_below(t, 1600) * 86400, to = from + (int64_t)test_below(t, 1600) * 86400;
		struct seen all = { .in_order = true }, some = { .in_order = true, .most = 1 + test_below(t, 5) };
		uint64_t want = 0;
		struct err err = { 0 };

		for (size_t i = 0; i < CAPTURES; i++)
			want += str_eq(made[i].urlkey, key) && made[i].time >= from && made[i].time <= to;
		CHECK(catalog_times(c, key, from, to, see, &all, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(all.n, want);
		CHECK(all.in_order);
		CHECK_EQ(catalog_times(c, key, from, to, see, &some, &err), want >= some.most ? WN_END : WN_OK);
		CHECK_EQ(some.n, want < some.most ? want : some.most);
	}
	catalog_close(c);
}

TEST(keys, urls_from_a_place_on)
{
	struct catalog *c = random_catalog(t);
	struct str from = STR(""), to = STR("example,h2)");
	struct catalog_url u;
	struct err err = { 0 };
	unsigned keys = 0;
	int rc;

	for (; c && (rc = catalog_url(c, t->arena, from, keys < 4 ? STR_NONE : to, 30, &u, &err)) == WN_OK; keys++) {
		uint64_t n = 0;
		int64_t first = INT64_MAX, last = INT64_MIN;

		for (size_t i = 0; i < CAPTURES; i++) {
			CHECK(str_cmp(made[i].urlkey, from) < 0 || str_cmp(made[i].urlkey, u.urlkey) >= 0,
			      "no key was passed over");
			if (!str_eq(made[i].urlkey, u.urlkey))
				continue;
			n++;
			first = made[i].time < first ? made[i].time : first;
			last = made[i].time > last ? made[i].time : last;
		}
		CHECK_EQ(u.captures, n < 30 ? n : 30);
		CHECK(u.first == first && u.last == last);
		CHECK(n > 0 && u.url.n > 0 && (keys < 4 || str_cmp(u.urlkey, to) < 0));
		from = arena_printf(t->arena, "%.*s!", STR_FMT(u.urlkey));
	}
	CHECK_EQ(rc, WN_NONE);
	CHECK_EQ(keys, KEYS / 3 * 2);
	catalog_close(c);
}

TEST(keys, captures_by_id_from_a_place_on_and_of_a_host)
{
	struct catalog *c = random_catalog(t);

	for (unsigned round = 0; c && round < 50; round++) {
		uint64_t after = test_below(t, CAPTURES), until = round % 2 ? after + test_below(t, CAPTURES) : 0,
			 content;
		struct str host = round % 3 ? arena_printf(t->arena, "h%u.example", round % 4) : STR_NONE;
		struct capture_query q = { .after = after, .until = until, .host = host };
		struct capture_cursor *list;
		struct err err = { 0 };
		struct capture got;
		int status;

		if (!CHECK(catalog_captures(c, &q, &list, &err) == WN_OK, "%s", err.text))
			break;
		for (size_t i = 0; i < CAPTURES; i++) {
			if (made[i].id <= after || (until && made[i].id > until) ||
			    (host.n && !str_eq(host, made[i].host)))
				continue;
			REQUIRE(capture_next(list, &got, &err) == WN_OK);
			CHECK_EQ(got.id, made[i].id);
			CHECK(catalog_brief(c, got.id, &status, &content, &err) == WN_OK && status == made[i].status &&
			      content == 0);
		}
		CHECK_EQ(capture_next(list, &got, &err), WN_END);
		capture_close(list);
		CHECK_EQ(catalog_brief(c, 10 * CAPTURES, &status, &content, &err), WN_NONE);
	}
	catalog_close(c);
}

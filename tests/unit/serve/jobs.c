/* tests/unit/serve/jobs.c -- the table of jobs: leases by a clock of the test's own. */
#include "serve/job_store.h"

#include <sqlite3.h>

#include "test.h"

static sqlite3 *fresh(struct test *t)
{
	struct err err = { 0 };
	sqlite3 *db = NULL;

	(void)t;
	sqlite3_open(":memory:", &db);
	job_store_prepare(db, &err);
	return db;
}

static uint64_t add(struct test *t, sqlite3 *db, const char *key, int64_t now)
{
	struct err err = { 0 };
	uint64_t n = 0;
	bool known;

	CHECK(job_store_add(db, "cover", STR("{\"rule\": \"x\"}"), str(key), now, &n, &known, &err) == WN_OK, "%s",
	      err.text);
	return n;
}

static enum job_state state_of(struct test *t, sqlite3 *db, uint64_t n)
{
	struct job_row row = { 0 };
	struct err err = { 0 };

	CHECK(job_store_get(db, t->arena, n, &row, &err) == WN_OK, "%s", err.text);
	return row.state;
}

TEST(jobs, one_owner_by_lease)
{
	sqlite3 *db = fresh(t);
	struct err err = { 0 };
	struct job_row row;
	enum job_wish wish;
	uint64_t n = add(t, db, "", 1000);

	CHECK(job_store_take(db, t->arena, STR("a"), 1000, 500, &row, &err) == WN_OK && row.number == n, "a takes it");
	CHECK_EQ(job_store_take(db, t->arena, STR("b"), 1200, 500, &row, &err), WN_NONE, "it is a's");
	CHECK_EQ(job_store_beat(db, n, STR("a"), 1400, 500, STR("{}"), &wish, &err), WN_OK, "a lives");
	CHECK_EQ(job_store_take(db, t->arena, STR("b"), 1899, 500, &row, &err), WN_NONE, "the lease was moved on");
	CHECK_EQ(job_store_take(db, t->arena, STR("b"), 1901, 500, &row, &err), WN_OK, "a is gone");
	CHECK_EQ(row.attempts, 2u, "the second attempt");
	CHECK_EQ(job_store_beat(db, n, STR("a"), 1950, 500, STR("{}"), &wish, &err), WN_NONE,
		 "a was only slow, and learns it");
	CHECK_EQ(job_store_end(db, n, STR("a"), JOB_SUCCEEDED, 7, STR_NONE, STR_NONE, 1950, &err), WN_NONE,
		 "what a made does not count");
	CHECK_EQ(job_store_end(db, n, STR("b"), JOB_SUCCEEDED, 8, STR_NONE, STR_NONE, 1960, &err), WN_OK, "b ends it");
	CHECK_EQ(job_store_end(db, n, STR("b"), JOB_FAILED, 9, STR_NONE, STR_NONE, 1970, &err), WN_NONE, "once");
	CHECK(job_store_get(db, t->arena, n, &row, &err) == WN_OK && row.state == JOB_SUCCEEDED && row.result == 8,
	      "b's result");
	CHECK_EQ(job_store_take(db, t->arena, STR("c"), 99999, 500, &row, &err), WN_NONE, "it is over");
	sqlite3_close(db);
}

TEST(jobs, wishes)
{
	sqlite3 *db = fresh(t);
	struct err err = { 0 };
	struct job_row row;
	enum job_wish wish = JOB_GO_ON;
	uint64_t waits = add(t, db, "", 1), runs, paused;

	CHECK_EQ(job_store_ask(db, waits, JOB_WISH_CANCEL, 2, &err), WN_OK, "one that waits");
	CHECK_EQ(state_of(t, db, waits), JOB_CANCELLED, "ends at once");
	CHECK_EQ(job_store_ask(db, waits, JOB_WISH_CANCEL, 2, &err), WN_NONE, "and only once");
	runs = add(t, db, "", 3);
	job_store_take(db, t->arena, STR("a"), 3, 100, &row, &err);
	CHECK_EQ(job_store_ask(db, runs, JOB_WISH_CANCEL, 4, &err), WN_OK, "one that runs");
	CHECK_EQ(state_of(t, db, runs), JOB_RUNNING, "is its owner's to end");
	CHECK(job_store_beat(db, runs, STR("a"), 5, 100, STR("{}"), &wish, &err) == WN_OK && wish == JOB_WISH_CANCEL,
	      "who hears of it");
	CHECK_EQ(job_store_take(db, t->arena, STR("b"), 500, 100, &row, &err), WN_OK, "its owner died");
	CHECK_EQ(row.wish, JOB_WISH_CANCEL, "the next one hears of it too");
	job_store_end(db, runs, STR("b"), JOB_CANCELLED, 0, STR_NONE, STR_NONE, 501, &err);
	paused = add(t, db, "", 6);
	CHECK_EQ(job_store_ask(db, paused, JOB_WISH_PAUSE, 7, &err), WN_OK, "paused");
	CHECK_EQ(job_store_take(db, t->arena, STR("a"), 8, 100, &row, &err), WN_NONE, "waits for its person");
	CHECK_EQ(job_store_resume(db, paused, &err), WN_OK, "resumed");
	CHECK_EQ(job_store_resume(db, paused, &err), WN_NONE, "once");
	CHECK_EQ(job_store_take(db, t->arena, STR("a"), 9, 100, &row, &err), WN_OK, "goes on");
	sqlite3_close(db);
}

TEST(jobs, the_same_key_is_the_same_job)
{
	sqlite3 *db = fresh(t);
	uint64_t a = add(t, db, "k1", 1), b = add(t, db, "k1", 2), c = add(t, db, "k2", 3), d = add(t, db, "", 4),
		 e = add(t, db, "", 5);

	CHECK_EQ(a, b, "the same key");
	CHECK(a != c && c != d && d != e, "others");
	sqlite3_close(db);
}

/* Owners that live, stall and die in a random order: each job ends once, by who had it then. */
TEST(jobs, random_deaths)
{
	for (int round = 0; round < 50; round++) {
		sqlite3 *db = fresh(t);
		struct err err = { 0 };
		uint64_t has[3] = { 0 }, ended[8] = { 0 }, n = 1 + test_below(t, 7);
		int64_t now = 1000;

		for (uint64_t i = 0; i < n; i++)
			add(t, db, "", now);
		for (int step = 0; step < 400; step++) {
			unsigned who = (unsigned)test_below(t, 3);
			struct str name = str_n(&"abc"[who], 1);
			enum job_wish wish;
			struct job_row row;

			now += (int64_t)test_below(t, 40);
			if (!has[who]) {
				if (job_store_take(db, t->arena, name, now, 100, &row, &err) == WN_OK)
					has[who] = row.number;
			} else if (test_below(t, 4) == 0) {
				if (job_store_end(db, has[who], name, JOB_SUCCEEDED, who + 1, STR_NONE, STR_NONE, now,
						  &err) == WN_OK)
					ended[has[who]]++;
				has[who] = 0;
			} else if (test_below(t, 8) == 0) {
				has[who] = 0; /* dies */
			} else {
				job_store_beat(db, has[who], name, now, 100, STR("{}"), &wish, &err);
			}
		}
		for (uint64_t i = 1; i <= n; i++)
			CHECK_EQ(ended[i], state_of(t, db, i) == JOB_SUCCEEDED ? 1u : 0u, "job %d of round %d", (int)i,
				 round);
		sqlite3_close(db);
	}
}

/* tests/unit/base/task.c -- threads work in any order; what comes out does not show it. */
#include "base/task.h"

#include <stdatomic.h>

#include "test.h"

enum { ITEMS = 500 };

struct item {
	unsigned number, worked, done, cancelled;
};

struct work {
	struct test *t;
	unsigned threads, next; /* item that done must get */
	unsigned fails_at;	/* ITEMS: none */
	_Atomic unsigned under_way, most;
};

static void work(void *context, void *arg, unsigned worker)
{
	struct work *w = context;
	struct item *i = arg;
	unsigned now = atomic_fetch_add(&w->under_way, 1) + 1, most = atomic_load(&w->most);

	while (now > most && !atomic_compare_exchange_weak(&w->most, &most, now))
		;
	i->worked += worker < w->threads;
	for (volatile unsigned spin = 0; spin < i->number % 7 * 300; spin++)
		;
}

static int done(void *context, void *arg, bool cancelled)
{
	struct work *w = context;
	struct test *t = w->t;
	struct item *i = arg;

	CHECK_EQ(i->number, w->next, "in the order they were added");
	CHECK_EQ(i->worked, 1, "worked on before");
	CHECK_EQ(cancelled, i->number > w->fails_at);
	w->next++;
	atomic_fetch_sub(&w->under_way, 1);
	i->done++;
	return i->number == w->fails_at ? -77 : 0;
}

static void run(struct test *t, unsigned threads, size_t window, unsigned fails_at)
{
	struct item *items = arena_zalloc(t->arena, ITEMS * sizeof *items);
	struct work w = { .t = t, .threads = threads, .fails_at = fails_at };
	struct pool *p = pool_new(threads, window, work, done, &w);
	unsigned added = 0;
	int rc = 0;

	while (rc == 0 && added < ITEMS) {
		items[added].number = added;
		rc = pool_add(p, &items[added++]);
	}
	CHECK_EQ(pool_finish(p), fails_at < ITEMS ? -77 : 0);
	pool_free(p);
	CHECK_EQ(w.next, added, "each item that was added is handed to done once");
	CHECK(added == ITEMS || fails_at < ITEMS);
	CHECK(w.most <= (threads == 1 ? 1 : window), "%u items under way in a window of %zu", w.most, window);
}

TEST(task, items_are_done_in_order)
{
	for (unsigned threads = 1; threads <= 4; threads++)
		for (size_t window = 1; window <= 9; window += 4)
			run(t, threads, window, ITEMS);
}

TEST(task, after_a_failure_the_rest_is_cancelled)
{
	for (unsigned threads = 1; threads <= 4; threads++)
		run(t, threads, 8, (unsigned)test_below(t, ITEMS));
}

struct ranges {
	unsigned char seen[1000]; /* threads write to places of their own */
	unsigned threads;
	size_t block;
	_Atomic unsigned wrong;
};

static void mark(void *context, size_t from, size_t to, unsigned worker)
{
	struct ranges *r = context;

	if (from >= to || to - from > r->block || worker >= r->threads)
		atomic_fetch_add(&r->wrong, 1);
	for (size_t i = from; i < to; i++)
		r->seen[i]++;
}

TEST(task, each_number_is_in_one_range)
{
	for (unsigned round = 0; round < 50; round++) {
		size_t n = test_below(t, sizeof((struct ranges *)0)->seen + 1);
		struct ranges r = { .threads = 1 + (unsigned)test_below(t, 4), .block = 1 + test_below(t, 300) };

		task_each(r.threads, n, r.block, mark, &r);
		CHECK_EQ(r.wrong, 0);
		for (size_t i = 0; i < sizeof r.seen; i++)
			CHECK_EQ(r.seen[i], i < n, "%zu of %zu", i, n);
	}
}

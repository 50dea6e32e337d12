/* base/task.c -- see task.h.
 *
 * The pool is a ring of `window` slots.  Items take numbers in order; workers
 * take the lowest number not yet taken; the caller retires the lowest number
 * once it is finished.  So a slot is free again exactly when all items before
 * it are retired.
 */
#include "base/task.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

struct slot {
	void *item;
	bool finished;
};

struct pool {
	unsigned threads;
	size_t window;
	pool_work *work;
	pool_done *done;
	void *context;
	int result; /* first non-zero of done */

	pthread_mutex_t lock;
	pthread_cond_t more, finished; /* an item to take; an item to retire */
	struct slot *slots;
	uint64_t added, taken, retired; /* retired <= taken <= added <= retired + window */
	bool closing;
	pthread_t *ids;
};

struct worker {
	struct pool *pool;
	unsigned number;
};

static void *worker_main(void *arg)
{
	struct worker w = *(struct worker *)arg;
	struct pool *p = w.pool;

	mem_free(arg);
	pthread_mutex_lock(&p->lock);
	for (;;) {
		struct slot *s;

		while (p->taken == p->added && !p->closing)
			pthread_cond_wait(&p->more, &p->lock);
		if (p->taken == p->added)
			break;
		s = &p->slots[p->taken++ % p->window];
		pthread_mutex_unlock(&p->lock);
		p->work(p->context, s->item, w.number);
		pthread_mutex_lock(&p->lock);
		s->finished = true;
		pthread_cond_signal(&p->finished);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_new(unsigned threads, size_t window, pool_work *work, pool_done *done, void *context)
{
	struct pool *p = mem_zalloc(sizeof *p);

	p->threads = threads ? threads : 1;
	p->window = window ? window : 1;
	p->work = work;
	p->done = done;
	p->context = context;
	if (p->threads == 1)
		return p;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	pthread_cond_init(&p->finished, NULL);
	p->slots = mem_zarray(p->window, sizeof *p->slots);
	p->ids = mem_array(p->threads, sizeof *p->ids);
	for (unsigned i = 0; i < p->threads; i++) {
		struct worker *w = mem_alloc(sizeof *w);

		*w = (struct worker){ p, i };
		if (pthread_create(&p->ids[i], NULL, worker_main, w))
			die("cannot start a thread; try --threads 1");
	}
	return p;
}

static void retire_item(struct pool *p, void *item)
{
	int rc = p->done(p->context, item, p->result != 0);

	if (rc && !p->result)
		p->result = rc;
}

/* Retires finished items from the front; with `all`, waits until none is left. */
static void retire(struct pool *p, bool all)
{
	pthread_mutex_lock(&p->lock);
	while (p->retired < p->added) {
		struct slot *s = &p->slots[p->retired % p->window];
		bool must = all || p->added - p->retired == p->window;

		if (!s->finished && !must)
			break;
		while (!s->finished)
			pthread_cond_wait(&p->finished, &p->lock);
		pthread_mutex_unlock(&p->lock);
		retire_item(p, s->item);
		pthread_mutex_lock(&p->lock);
		s->finished = false;
		p->retired++;
	}
	pthread_mutex_unlock(&p->lock);
}

int pool_add(struct pool *p, void *item)
{
	if (p->threads == 1) {
		p->work(p->context, item, 0);
		retire_item(p, item);
		return p->result;
	}
	retire(p, false);
	pthread_mutex_lock(&p->lock);
	p->slots[p->added++ % p->window] = (struct slot){ item, false };
	pthread_cond_signal(&p->more);
	pthread_mutex_unlock(&p->lock);
	return p->result;
}

int pool_finish(struct pool *p)
{
	if (p->threads > 1)
		retire(p, true);
	return p->result;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	if (p->threads > 1) {
		pool_finish(p);
		pthread_mutex_lock(&p->lock);
		p->closing = true;
		pthread_cond_broadcast(&p->more);
		pthread_mutex_unlock(&p->lock);
		for (unsigned i = 0; i < p->threads; i++)
			pthread_join(p->ids[i], NULL);
		pthread_cond_destroy(&p->more);
		pthread_cond_destroy(&p->finished);
		pthread_mutex_destroy(&p->lock);
		mem_free(p->slots);
		mem_free(p->ids);
	}
	mem_free(p);
}

struct each {
	_Atomic size_t next;
	size_t n, block;
	void (*body)(void *context, size_t from, size_t to, unsigned worker);
	void *context;
};

struct each_worker {
	struct each *each;
	unsigned number;
	pthread_t id;
};

static void *each_main(void *arg)
{
	struct each_worker *w = arg;
	struct each *e = w->each;

	for (;;) {
		size_t from = atomic_fetch_add(&e->next, e->block);
		size_t to = from + e->block;

		if (from >= e->n)
			return NULL;
		e->body(e->context, from, to < e->n ? to : e->n, w->number);
	}
}

void task_each(unsigned threads, size_t n, size_t block,
	       void (*body)(void *context, size_t from, size_t to, unsigned worker), void *context)
{
	struct each e = { 0, n, block ? block : 1, body, context };
	struct each_worker *w;

	if (threads == 0)
		threads = 1;
	w = mem_zarray(threads, sizeof *w);
	for (unsigned i = 0; i < threads; i++)
		w[i] = (struct each_worker){ &e, i, 0 };
	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&w[i].id, NULL, each_main, &w[i]))
			die("cannot start a thread; try --threads 1");
	each_main(&w[0]);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(w[i].id, NULL);
	mem_free(w);
}

unsigned task_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
		return (unsigned)CPU_COUNT(&set);
	return 1;
}

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	if (interrupted) /* asked twice: at once */
		_exit(130);
	interrupted = number;
}

static atomic_bool stopped;

bool task_interrupted(void) { return interrupted != 0 || atomic_load_explicit(&stopped, memory_order_relaxed); }

void task_stop(bool wish) { atomic_store(&stopped, wish); }

void task_catch_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
}

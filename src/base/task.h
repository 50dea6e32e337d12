/* base/task.h -- work on several threads whose results come out in order.
 *
 * struct pool runs `work` on items in any order on n threads and `done` on the
 * same items strictly in the order they were added, one at a time, on the
 * thread that calls pool_add or pool_finish.  So whatever `done` writes does
 * not depend on the number of threads.  pool_add blocks while `window` items
 * are under way: memory stays bounded.
 *
 *	struct pool *p = pool_new(threads, window, work, done, context);
 *	while (more) pool_add(p, item);
 *	rc = pool_finish(p);	   // waits; the first non-zero that done returned
 *	pool_free(p);
 *
 * With one thread everything runs inline, in order.  `work` gets its worker's
 * number (0..threads-1) for per-thread scratch.  After `done` has returned
 * non-zero, remaining items are still passed to done with cancelled = true so
 * that they can be freed.
 */
#ifndef WINNOW_BASE_TASK_H
#define WINNOW_BASE_TASK_H
#include <stdbool.h>
#include <stddef.h>

typedef void pool_work(void *context, void *item, unsigned worker);
typedef int pool_done(void *context, void *item, bool cancelled);

struct pool;
struct pool *pool_new(unsigned threads, size_t window, pool_work *work, pool_done *done, void *context);
int pool_add(struct pool *p, void *item); /* 0, or what done returned: stop adding */
int pool_finish(struct pool *p);
void pool_free(struct pool *p);

/* body(context, from, to, worker) for ranges of at most `block` that make up [0, n), handed out as threads are free. */
void task_each(unsigned threads, size_t n, size_t block,
	       void (*body)(void *context, size_t from, size_t to, unsigned worker), void *context);

unsigned task_cores(void); /* cores this process may use */

/* Set by SIGINT/SIGTERM after task_catch_signals(); long loops look at it. */
bool task_interrupted(void);
/* Asks long work of this process to end as if a signal had come, or takes that back: how a server cancels its job. */
void task_stop(bool wish);
void task_catch_signals(void);
#endif

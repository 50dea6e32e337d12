/* archive/scan.c -- see scan.h.
 *
 * A path is cut into ranges of RANGE_BYTES; each is one item of the pool.  A
 * worker reads the records that begin in its range and keeps their items.  In
 * order, on the calling thread, a range is accepted when its first record
 * begins exactly where the records before it ended; else its items are dropped
 * and the place is read again in sequence from there.  So the result is that
 * of one reader going from front to back, whatever the cutting did.
 *
 * A range that holds more items or text than fits the window stops early and
 * is carried on in sequence.  What cannot be cut (pipes, WACZ) is read in
 * sequence altogether.
 */
#include "archive/scan.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/task.h"
#include "base/vec.h"

#define RANGE_BYTES (2 * MIB)
#define RANGE_ITEMS 8192
#define RANGE_TEXT (64 * MIB)
#define WINDOW(threads) (2 * (size_t)(threads) + 1) /* ranges at a time */

char scan_later_;

/* What a grown file is continued from: its end when the last record is whole and ends there.  Else more bytes may change
 * what that record is, so that it is read again; from the start of the file when it cannot be reached directly or when
 * not it alone is in doubt. */
struct last {
	uint64_t at; /* of the last record */
	bool whole;
	bool reachable; /* it begins a member, or the file is plain and in one part */
	bool tentative; /* reader_tentative says so of it */
	bool doubt;	/* or of one before */
};

struct range {
	size_t file;
	uint64_t from, to; /* to: UINT64_MAX in the last one */
	bool exact, in_sequence, last;
	VEC(void *) items;
	bool any, early;
	uint64_t first_at, stop_at, stop_skip, records;
	struct last end;
	int code;
	struct err err;
	struct flaws tail;
};

struct run {
	const struct scan *s;
	const char *const *paths;
	unsigned threads;
	/* the file that is being delivered */
	uint64_t at, skip, records, bytes;
	uint64_t clear; /* nothing begins from `at` up to here: long garbage is not read again for each range */
	struct last last;
	int code;
	struct err err;
	struct flaws tail;
};

static void tell(const struct scan *s, uint64_t bytes)
{
	if (s->progress)
		s->progress(s->progress_context ? s->progress_context : s->context, bytes);
}

static void note_last(struct last *l, const struct reader *r, const struct record *rec)
{
	l->doubt |= l->tentative;
	l->at = rec->span.at;
	l->reachable = rec->span.skip == 0 && rec->part.n == 0;
	l->whole = reader_whole(r, rec) && rec->part.n == 0;
	l->tentative = reader_tentative(r, rec);
}

/* Reads one record: work, then whatever work left of it. */
static int take_record(const struct run *run, struct reader *r, struct record *rec, size_t file, unsigned worker,
		       void **item, struct err *err)
{
	int rc = reader_next(r, rec, err);

	if (rc != WN_OK)
		return rc;
	*item = run->s->work(run->s->context, r, rec, file, worker);
	if (*item == SCAN_LATER)
		return WN_OK;
	rc = reader_end(r, rec, err);
	if (rc < 0 && *item && run->s->drop) {
		run->s->drop(run->s->context, *item);
		*item = NULL;
	}
	return rc;
}

/* On a worker: the records of a range, kept. */
static void read_range(const struct run *run, struct range *g, unsigned worker)
{
	struct reader *r;
	struct record *rec = mem_alloc(sizeof *rec);
	uint64_t text = 0, held = 0, share = run->s->memory / WINDOW(run->threads);
	void *item;

	g->code = reader_open_range(&r, run->paths[g->file], g->from, g->to, g->exact, &g->err);
	if (g->code < 0) {
		mem_free(rec);
		return;
	}
	if (run->s->quick)
		reader_quick(r);
	while ((g->code = take_record(run, r, rec, g->file, worker, &item, &g->err)) == WN_OK) {
		if (!g->any)
			g->first_at = rec->span.at;
		g->any = true;
		if (item == SCAN_LATER) {
			g->early = true;
			break;
		}
		g->records++;
		reader_stop(r, &g->stop_at, &g->stop_skip);
		note_last(&g->end, r, rec);
		if (item)
			vec_push(&g->items, item);
		text += rec->length;
		if (item && run->s->size)
			held += run->s->size(run->s->context, item);
		if (g->items.n >= RANGE_ITEMS || text >= RANGE_TEXT || (share && held >= share)) {
			g->early = true;
			break;
		}
	}
	if (g->code == WN_END)
		g->tail = *reader_tail(r);
	reader_close(r);
	mem_free(rec);
}

static void work(void *context, void *item, unsigned worker)
{
	struct range *g = item;

	if (!g->in_sequence && g->code == WN_OK)
		read_range(context, g, worker);
}

/* On the calling thread: the records from run->at to `to`, delivered at once. */
static int read_in_sequence(struct run *run, size_t file, uint64_t to)
{
	const struct scan *s = run->s;
	struct reader *r;
	struct record *rec;
	void *item;
	int stop = 0;
	uint64_t told = run->at;

	if (run->at || run->skip)
		run->code = reader_resume(&r, run->paths[file], run->at, run->skip, to, &run->err);
	else
		run->code = reader_open_to(&r, run->paths[file], to, &run->err);
	if (run->code < 0)
		return 0;
	if (s->quick)
		reader_quick(r);
	rec = mem_alloc(sizeof *rec);
	while (!stop && (run->code = take_record(run, r, rec, file, run->threads, &item, &run->err)) == WN_OK) {
		run->records++;
		reader_stop(r, &run->at, &run->skip);
		note_last(&run->last, r, rec);
		if (item)
			stop = s->done(s->context, item, file, NULL);
		if (reader_at(r) > told + MIB && to == UINT64_MAX) {
			tell(s, reader_at(r) - told);
			told = reader_at(r);
		}
	}
	if (run->code == WN_END) {
		run->code = WN_OK;
		run->clear = reader_ahead(r);
		run->tail = *reader_tail(r);
	}
	if (to == UINT64_MAX && reader_at(r) > told)
		tell(s, reader_at(r) - told);
	reader_close(r);
	mem_free(rec);
	return stop;
}

static void drop_items(const struct scan *s, struct range *g)
{
	for (size_t i = 0; i < g->items.n; i++)
		if (s->drop)
			s->drop(s->context, g->items.p[i]);
	g->items.n = 0;
}

static int deliver(struct run *run, struct range *g)
{
	const struct scan *s = run->s;
	int stop = 0;
	size_t i = 0;

	while (i < g->items.n && !stop)
		stop = s->done(s->context, g->items.p[i++], g->file, NULL);
	for (; i < g->items.n; i++)
		if (s->drop)
			s->drop(s->context, g->items.p[i]);
	g->items.n = 0;
	run->records += g->records;
	if (g->records) {
		run->at = g->stop_at;
		run->skip = g->stop_skip;
		g->end.doubt |= run->last.doubt || run->last.tentative;
		run->last = g->end;
	}
	return stop;
}

/* The range in its turn. */
static int accept(struct run *run, struct range *g)
{
	int stop = 0;

	if (g->in_sequence)
		return read_in_sequence(run, g->file, UINT64_MAX);
	bool meets = g->exact || (g->any && g->first_at == run->at && run->skip == 0);
	bool covered = run->at >= g->to || run->clear >= g->to || (!g->any && run->at >= run->bytes);

	if (meets && g->code >= 0) {
		stop = deliver(run, g);
		run->tail = g->tail;
		if (!stop && g->early && run->at < g->to)
			stop = read_in_sequence(run, g->file, g->to);
		return stop;
	}
	drop_items(run->s, g);
	if (g->exact) { /* the first range failed: there is nothing to go on from */
		run->code = g->code;
		run->err = g->err;
		return 0;
	}
	if (covered) {
		if (g->last && run->at >= run->bytes)
			run->tail.n = run->tail.more = 0;
		return 0;
	}
	return read_in_sequence(run, g->file, g->to);
}

static int end_file(struct run *run, size_t file)
{
	const struct last *l = &run->last;
	bool at_end = l->whole && run->at == run->bytes && run->skip == 0;
	uint64_t stop = l->doubt ? 0 : at_end ? run->bytes : l->reachable ? l->at : 0;
	struct scan_file f = { run->paths[file], run->records, run->bytes, stop, &run->tail, run->code, &run->err };

	return run->s->done(run->s->context, NULL, file, &f);
}

static void begin_file(struct run *run, const struct range *g)
{
	struct stat st;

	run->at = g->from;
	run->last = (struct last){ .at = g->from, .reachable = true };
	run->skip = run->records = run->clear = 0;
	run->code = WN_OK;
	run->tail.n = run->tail.more = 0;
	run->bytes = stat(run->paths[g->file], &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static int done(void *context, void *item, bool cancelled)
{
	struct run *run = context;
	struct range *g = item;
	int stop = 0;

	if (cancelled) {
		drop_items(run->s, g);
	} else {
		if (g->exact)
			begin_file(run, g);
		if (g->exact && g->code < 0) {
			run->code = g->code;
			run->err = g->err;
			drop_items(run->s, g);
		} else if (run->code < 0) {
			drop_items(run->s, g);
		} else {
			stop = accept(run, g);
		}
		if (!g->in_sequence && run->bytes > g->from)
			tell(run->s, (g->to < run->bytes ? g->to : run->bytes) - g->from);
		if (g->last && !stop)
			stop = end_file(run, g->file);
	}
	vec_release(&g->items);
	mem_free(g);
	return stop;
}

/* How a path is cut: its size when it can be, 0 when it must be read in sequence. */
static int look(const char *path, uint64_t *size, struct err *err)
{
	struct reader *r;
	struct stat st;
	int rc = reader_open(&r, path, err);

	*size = 0;
	if (rc < 0)
		return rc;
	if (reader_can_split(r) && stat(reader_path(r), &st) == 0)
		*size = (uint64_t)st.st_size;
	reader_close(r);
	return WN_OK;
}

static struct range *new_range(size_t file, uint64_t from, uint64_t to)
{
	struct range *g = mem_zalloc(sizeof *g);

	g->file = file;
	g->from = from;
	g->to = to;
	return g;
}

static int add_path(struct run *run, struct pool *pool, size_t file)
{
	uint64_t from = run->s->starts ? run->s->starts[file] : 0, size = 0;
	struct range *g = new_range(file, from, UINT64_MAX);
	int stop = 0;

	g->exact = true;
	g->in_sequence = run->threads == 1 || strcmp(run->paths[file], "-") == 0;
	if (!g->in_sequence) {
		g->code = look(run->paths[file], &size, &g->err);
		g->in_sequence = size == 0;
	}
	for (;;) {
		uint64_t next = (g->from / RANGE_BYTES + 1) * RANGE_BYTES;

		g->last = g->in_sequence || g->code < 0 || next + RANGE_BYTES / 2 >= size;
		if (!g->last)
			g->to = next;
		bool last = g->last;

		stop = pool_add(pool, g);
		if (last || stop)
			return stop;
		g = new_range(file, next, UINT64_MAX);
	}
}

int scan_paths(const struct scan *s, const char *const *paths, size_t n, struct err *err)
{
	struct run run = { .s = s, .paths = paths, .threads = s->threads ? s->threads : 1 };
	struct pool *pool = pool_new(run.threads, WINDOW(run.threads), work, done, &run);
	int stop = 0, rc;

	(void)err;
	for (size_t i = 0; i < n && !stop && !task_interrupted(); i++)
		stop = add_path(&run, pool, i);
	rc = pool_finish(pool);
	pool_free(pool);
	if (!stop && !rc && task_interrupted())
		return err_set(err, WN_INTERRUPTED, "interrupted");
	return stop ? stop : rc;
}

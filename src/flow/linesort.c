/* flow/linesort.c -- see linesort.h.
 *
 * Half of the limit is text, the rest its line table and, when merging, the
 * cursors' windows.  Lines are compared by their first eight bytes as a number
 * and then by memcmp with their newline, which is smaller than any byte of a
 * line, so that the order is that of `LC_ALL=C sort`.
 */
#include "flow/linesort.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"

#define OUT_CHUNK (256 * KIB)
#define WINDOW_MIN (8 * KIB)

void linesort_init(struct linesort *s, size_t limit, const char *directory)
{
	*s = (struct linesort){ .limit = limit < MIB ? MIB : limit,
				.directory = directory ? directory : "/tmp",
				.fd = -1 };
}

static uint64_t prefix_of(const char *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 8; i++)
		v = v << 8 | (i < n ? (unsigned char)p[i] : 0);
	return v;
}

static int compare_text(const char *a, size_t an, const char *b, size_t bn)
{
	int order = memcmp(a, b, an < bn ? an : bn);

	return order ? order : (an > bn) - (an < bn);
}

static int compare_lines(const void *x, const void *y, void *arg)
{
	const struct linesort_line *a = x, *b = y;
	const char *text = arg;

	if (a->prefix != b->prefix)
		return a->prefix < b->prefix ? -1 : 1;
	return compare_text(text + a->at, a->n, text + b->at, b->n);
}

static void sort_lines(struct linesort *s)
{
	if (s->lines.n)
		qsort_r(s->lines.p, s->lines.n, sizeof *s->lines.p, compare_lines, s->text);
}

static int open_spill(struct linesort *s, struct err *err)
{
	size_t n = strlen(s->directory) + 32;
	char *path = mem_alloc(n);
	int rc;

	snprintf(path, n, "%s/winnow-sort-%ld", s->directory, (long)getpid());
	rc = os_open(&s->fd, path, O_RDWR | O_CREAT | O_EXCL, err);
	if (rc == WN_OK)
		rc = os_unlink(path, err);
	mem_free(path);
	return rc;
}

/* Sorted lines to `put` in chunks. */
static int write_sorted(struct linesort *s, int (*put)(void *to, struct str piece, struct err *err), void *to,
			struct err *err)
{
	struct buf out = BUF(SIZE_MAX / 2);
	int rc = WN_OK;

	for (size_t i = 0; i < s->lines.n && rc == WN_OK; i++) {
		buf_add(&out, s->text + s->lines.p[i].at, s->lines.p[i].n);
		if (out.n >= OUT_CHUNK) {
			rc = put(to, buf_view(&out), err);
			buf_reset(&out);
		}
	}
	if (rc == WN_OK && out.n)
		rc = put(to, buf_view(&out), err);
	buf_release(&out);
	return rc;
}

static int put_spill(void *to, struct str piece, struct err *err)
{
	struct linesort *s = to;
	int rc = os_pwrite(s->fd, piece.p, piece.n, s->spilled, "a temporary file", err);

	s->spilled += piece.n;
	return rc;
}

static int spill(struct linesort *s, struct err *err)
{
	struct linesort_run run = { .at = s->spilled };
	int rc;

	if (s->fd < 0 && (rc = open_spill(s, err)) < 0)
		return rc;
	sort_lines(s);
	if ((rc = write_sorted(s, put_spill, s, err)) < 0)
		return err_in(err, "sorting needs room in %s (see --tmp)", s->directory);
	run.n = s->spilled - run.at;
	vec_push(&s->runs, run);
	s->n = s->lines.n = 0;
	return WN_OK;
}

int linesort_add(struct linesort *s, struct str line, struct err *err)
{
	size_t text_max = s->limit / 2;
	int rc;

	if (s->n && (s->n + line.n > text_max || (s->lines.n + 1) * sizeof *s->lines.p > s->limit / 4) &&
	    (rc = spill(s, err)) < 0)
		return rc;
	if (s->n + line.n > s->cap) {
		size_t cap = s->cap ? s->cap : 64 * KIB;

		while (cap < s->n + line.n)
			cap *= 2;
		if (cap > text_max && s->n + line.n <= text_max)
			cap = text_max;
		s->text = mem_realloc(s->text, cap);
		s->cap = cap;
	}
	memcpy(s->text + s->n, line.p, line.n);
	vec_push(&s->lines, ((struct linesort_line){ prefix_of(line.p, line.n), (uint32_t)s->n, (uint32_t)line.n }));
	s->n += line.n;
	return WN_OK;
}

/* ---- merging ---- */

struct cursor {
	uint64_t at, end; /* not read yet */
	char *window;
	size_t cap, from, n; /* unread: [from, n) */
	struct str line;
	uint64_t prefix;
};

/* The next line into c->line; WN_END at the end of the run. */
static int advance(struct linesort *s, struct cursor *c, struct err *err)
{
	for (;;) {
		char *nl = c->from < c->n ? memchr(c->window + c->from, '\n', c->n - c->from) : NULL;
		size_t want, got;
		int rc;

		if (nl) {
			c->line = str_n(c->window + c->from, (size_t)(nl + 1 - c->window) - c->from);
			c->prefix = prefix_of(c->line.p, c->line.n);
			c->from += c->line.n;
			return WN_OK;
		}
		if (c->at == c->end)
			return WN_END;
		if (c->from) {
			memmove(c->window, c->window + c->from, c->n - c->from);
			c->n -= c->from;
			c->from = 0;
		} else if (c->n == c->cap) { /* a line longer than the window */
			c->cap *= 2;
			c->window = mem_realloc(c->window, c->cap);
		}
		want = c->cap - c->n;
		if (want > c->end - c->at)
			want = (size_t)(c->end - c->at);
		if ((rc = os_pread(s->fd, c->window + c->n, want, c->at, &got, "a temporary file", err)) < 0)
			return rc;
		if (got < want)
			return err_set(err, WN_IO, "a temporary file in %s is shorter than what was written",
				       s->directory);
		c->n += got;
		c->at += got;
	}
}

static bool before(const struct cursor *a, const struct cursor *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix;
	return compare_text(a->line.p, a->line.n, b->line.p, b->line.n) < 0;
}

static void sift_down(struct cursor **heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;
		struct cursor *swap;

		if (2 * i + 1 < n && before(heap[2 * i + 1], heap[least]))
			least = 2 * i + 1;
		if (2 * i + 2 < n && before(heap[2 * i + 2], heap[least]))
			least = 2 * i + 2;
		if (least == i)
			return;
		swap = heap[i];
		heap[i] = heap[least];
		heap[least] = swap;
		i = least;
	}
}

static int merge_heap(struct linesort *s, struct cursor **heap, size_t n, void *context,
		      int (*write)(void *context, struct str lines, struct err *err), struct err *err)
{
	struct buf out = BUF(SIZE_MAX / 2);
	int rc = WN_OK;

	for (size_t i = n; i-- > 0;)
		sift_down(heap, n, i);
	while (n && rc == WN_OK) {
		buf_str(&out, heap[0]->line);
		if (out.n >= OUT_CHUNK) {
			rc = write(context, buf_view(&out), err);
			buf_reset(&out);
		}
		if (rc == WN_OK && (rc = advance(s, heap[0], err)) == WN_END) {
			heap[0] = heap[--n];
			rc = WN_OK;
		}
		sift_down(heap, n, 0);
	}
	if (rc == WN_OK && out.n)
		rc = write(context, buf_view(&out), err);
	buf_release(&out);
	return rc;
}

static int merge(struct linesort *s, void *context, int (*write)(void *context, struct str lines, struct err *err),
		 struct err *err)
{
	size_t n = s->runs.n, window = s->limit / 2 / n, live = 0;
	struct cursor *cursors = mem_zarray(n, sizeof *cursors), **heap = mem_array(n, sizeof(struct cursor *));
	int rc = WN_OK;

	if (window > MIB)
		window = MIB;
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct cursor *c = &cursors[i];

		c->at = s->runs.p[i].at;
		c->end = c->at + s->runs.p[i].n;
		c->cap = window < WINDOW_MIN ? WINDOW_MIN : window;
		c->window = mem_alloc(c->cap);
		rc = advance(s, c, err);
		if (rc == WN_OK)
			heap[live++] = c;
		else if (rc == WN_END)
			rc = WN_OK;
	}
	if (rc == WN_OK)
		rc = merge_heap(s, heap, live, context, write, err);
	for (size_t i = 0; i < n; i++)
		mem_free(cursors[i].window);
	mem_free(cursors);
	mem_free(heap);
	return rc;
}

int linesort_drain(struct linesort *s, void *context, int (*write)(void *context, struct str lines, struct err *err),
		   struct err *err)
{
	int rc = WN_OK;

	if (s->runs.n == 0) {
		sort_lines(s);
		return write_sorted(s, write, context, err);
	}
	if (s->lines.n)
		rc = spill(s, err);
	mem_free(s->text);
	s->text = NULL;
	s->cap = 0;
	vec_release(&s->lines);
	return rc < 0 ? rc : merge(s, context, write, err);
}

void linesort_release(struct linesort *s)
{
	mem_free(s->text);
	vec_release(&s->lines);
	vec_release(&s->runs);
	os_close(&s->fd);
	s->text = NULL;
	s->n = s->cap = 0;
}

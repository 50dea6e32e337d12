/* fulltext/index.c -- the writing side of the index; see index.h.
 *
 * One lock guards the list of parts.  A merge takes its sources under the lock,
 * works without it, and under it again carries over what was removed meanwhile,
 * swaps the parts and commits.  Files that no manifest names any more are
 * unlinked after the manifest that forgot them is on disk; readers that have
 * them mapped keep them.
 */
#include "fulltext/index.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "fulltext/build.h"
#include "fulltext/manifest.h"

#define FANOUT 8			      /* segments of one size class are merged when there are as many */
#define MERGE_MAX (2 * GIB)		      /* a segment that would become larger stays as it is */
#define MERGE_DOC 40			      /* bytes of memory that a document takes in a merge */
#define CLASS_BYTES(c) ((1 * MIB) << 3 * (c)) /* size classes: to 1 MiB, 8 MiB, 64 MiB, ... */

struct ftindex {
	pthread_mutex_t lock;
	char *dir;
	struct ftmanifest m;
	uint64_t merge_docs;			/* most that a merged segment may have */
	VEC(uint64_t) forgotten, forgotten_del; /* numbers of files to unlink after the next manifest */
};

static void unlink_number(struct ftindex *x, uint64_t number, const char *suffix)
{
	struct arena a = { 0 };

	os_unlink(ftmanifest_name(&a, x->dir, number, suffix).p, NULL);
	arena_release(&a);
}

/* Files that the manifest does not name: a writer was killed. */
static int sweep(struct ftindex *x, struct err *err)
{
	struct arena a = { 0 };
	struct str *names;
	size_t n;
	int rc = os_list(&a, x->dir, "", &names, &n, err);

	for (size_t i = 0; i < n; i++) {
		bool ours = str_ends(names[i], STR(".seg")) || str_ends(names[i], STR(".del")) ||
			    str_ends(names[i], STR(".tmp"));

		for (size_t j = 0; j < x->m.parts.n && ours; j++) {
			const struct ftpart *p = &x->m.parts.p[j];

			ours =
			    !str_eq(names[i], arena_printf(&a, "%06" PRIu64 ".seg", p->number)) &&
			    !(p->del_number && str_eq(names[i], arena_printf(&a, "%06" PRIu64 ".del", p->del_number)));
		}
		if (ours)
			os_unlink(arena_printf(&a, "%s/%.*s", x->dir, STR_FMT(names[i])).p, NULL);
	}
	arena_release(&a);
	return rc;
}

int ftindex_open(struct ftindex **out, const char *dir, struct err *err)
{
	struct ftindex *x;
	int rc;

	if ((rc = os_mkdir(dir, err)) < 0)
		return rc;
	x = mem_zalloc(sizeof *x);
	pthread_mutex_init(&x->lock, NULL);
	x->dir = mem_strdup(dir);
	ftindex_memory(x, 256 * MIB);
	if ((rc = ftmanifest_open(&x->m, dir, err)) < 0 || (rc = sweep(x, err)) < 0) {
		ftindex_close(x);
		return rc;
	}
	*out = x;
	return WN_OK;
}

void ftindex_memory(struct ftindex *x, uint64_t bytes) { x->merge_docs = bytes / MERGE_DOC; }

void ftindex_close(struct ftindex *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->m.parts.n; i++)
		if (x->m.parts.p[i].pending)
			unlink_number(x, x->m.parts.p[i].number, ".seg");
	ftmanifest_release(&x->m);
	vec_release(&x->forgotten);
	vec_release(&x->forgotten_del);
	pthread_mutex_destroy(&x->lock);
	mem_free(x->dir);
	mem_free(x);
}

uint64_t ftindex_contents(const struct ftindex *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->m.parts.n; i++)
		if (!x->m.parts.p[i].pending)
			n += x->m.parts.p[i].s->n - x->m.parts.p[i].n_deleted;
	return n;
}

uint64_t ftindex_end(const struct ftindex *x)
{
	uint64_t end = 0;

	for (size_t i = 0; i < x->m.parts.n; i++) {
		const struct ftpart *p = &x->m.parts.p[i];

		for (uint32_t d = p->s->n; d-- > 0 && !p->pending;)
			if (!p->deleted || !(p->deleted[d / 64] >> d % 64 & 1)) {
				end = p->s->contents[d] + 1 > end ? p->s->contents[d] + 1 : end;
				break;
			}
	}
	return end;
}

static uint64_t take_number(struct ftindex *x)
{
	uint64_t number;

	pthread_mutex_lock(&x->lock);
	number = x->m.next++;
	pthread_mutex_unlock(&x->lock);
	return number;
}

const char *ftindex_path(const struct ftindex *x, struct arena *a, const char *suffix, uint64_t number)
{
	return ftmanifest_name(a, x->dir, number, suffix).p;
}

const char *ftindex_new_path(struct ftindex *x, struct arena *a, const char *suffix, uint64_t *number)
{
	*number = take_number(x);
	return ftindex_path(x, a, suffix, *number);
}

int ftindex_flush(struct ftindex *x, struct ftbuild *b, struct err *err)
{
	struct arena a = { 0 };
	struct ftpart p = { .pending = true };
	const char *path;
	int rc;

	if (!ftbuild_contents(b))
		return WN_OK;
	path = ftindex_new_path(x, &a, ".seg", &p.number);
	if ((rc = ftbuild_join(x, b, path, err)) == WN_OK && (rc = ftseg_open(&p.s, path, err)) == WN_OK) {
		pthread_mutex_lock(&x->lock);
		vec_push(&x->m.parts, p);
		pthread_mutex_unlock(&x->lock);
	}
	arena_release(&a);
	return rc;
}

int ftindex_remove(struct ftindex *x, uint64_t content, struct err *err)
{
	(void)err;
	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->m.parts.n; i++) {
		struct ftpart *p = &x->m.parts.p[i];
		uint32_t doc;

		if (ftseg_find_doc(p->s, content, &doc) && ftpart_delete(p, doc))
			p->dirty = true;
	}
	pthread_mutex_unlock(&x->lock);
	return WN_OK;
}

int ftindex_truncate(struct ftindex *x, uint64_t end, struct err *err)
{
	(void)err;
	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->m.parts.n; i++) {
		struct ftpart *p = &x->m.parts.p[i];
		uint32_t doc;

		for (ftseg_find_doc(p->s, end, &doc); doc < p->s->n; doc++)
			if (ftpart_delete(p, doc))
				p->dirty = true;
	}
	pthread_mutex_unlock(&x->lock);
	return WN_OK;
}

static void forget(struct ftindex *x, size_t at)
{
	struct ftpart *p = &x->m.parts.p[at];

	vec_push(&x->forgotten, p->number);
	if (p->del_number)
		vec_push(&x->forgotten_del, p->del_number);
	ftpart_release(p);
	memmove(p, p + 1, (x->m.parts.n - at - 1) * sizeof *p);
	x->m.parts.n--;
}

/* Under the lock: tombstones, then the manifest, then what nobody names any more. */
static int commit(struct ftindex *x, struct err *err)
{
	struct arena a = { 0 };
	int rc = WN_OK;

	for (size_t i = x->m.parts.n; i-- > 0;) {
		struct ftpart *p = &x->m.parts.p[i];

		if (p->n_deleted == p->s->n && !p->busy && !p->pending)
			forget(x, i);
	}
	for (size_t i = 0; i < x->m.parts.n && rc == WN_OK; i++) {
		struct ftpart *p = &x->m.parts.p[i];
		uint64_t number;

		if (!p->dirty || p->pending)
			continue;
		number = x->m.next++;
		if ((rc = ftpart_write_deleted(p, ftmanifest_name(&a, x->dir, number, ".del").p, err)) == WN_OK) {
			if (p->del_number)
				vec_push(&x->forgotten_del, p->del_number);
			p->del_number = number;
			p->dirty = false;
		}
	}
	if (rc == WN_OK)
		rc = ftmanifest_write(&x->m, x->dir, err);
	if (rc == WN_OK) {
		for (size_t i = 0; i < x->forgotten.n; i++)
			unlink_number(x, x->forgotten.p[i], ".seg");
		for (size_t i = 0; i < x->forgotten_del.n; i++)
			unlink_number(x, x->forgotten_del.p[i], ".del");
		x->forgotten.n = x->forgotten_del.n = 0;
	}
	arena_release(&a);
	return rc;
}

int ftindex_commit(struct ftindex *x, struct err *err)
{
	int rc;

	pthread_mutex_lock(&x->lock);
	for (size_t i = 0; i < x->m.parts.n; i++)
		x->m.parts.p[i].pending = false;
	rc = commit(x, err);
	pthread_mutex_unlock(&x->lock);
	return rc;
}

static unsigned size_class(const struct ftpart *p)
{
	unsigned c = 0;

	while (c < 10 && p->s->map.n > CLASS_BYTES(c))
		c++;
	return c;
}

static bool free_to_merge(const struct ftindex *x, const struct ftpart *p)
{
	return !p->pending && !p->busy && p->s->map.n < MERGE_MAX && p->s->n <= x->merge_docs / 2;
}

/* The smallest size class with enough segments, or -1. */
static int crowded_class(const struct ftindex *x)
{
	size_t count[11] = { 0 };

	for (size_t i = 0; i < x->m.parts.n; i++)
		if (free_to_merge(x, &x->m.parts.p[i]))
			count[size_class(&x->m.parts.p[i])]++;
	for (int c = 0; c < 11; c++)
		if (count[c] >= FANOUT)
			return c;
	return -1;
}

/* Under the lock: marks the sources of the next merge as busy and returns how
 * many: a crowded size class, else one segment of which most is gone. */
static size_t choose(struct ftindex *x, bool all)
{
	int crowded = crowded_class(x);
	size_t n = 0;
	uint64_t bytes = 0, docs = 0;

	for (size_t i = 0; i < x->m.parts.n && (all || n < FANOUT); i++) {
		struct ftpart *p = &x->m.parts.p[i];
		bool wanted =
		    all || (crowded >= 0 ? size_class(p) == (unsigned)crowded : n == 0 && p->n_deleted > p->s->n / 2);

		if (wanted && free_to_merge(x, p) && bytes + p->s->map.n <= MERGE_MAX &&
		    docs + p->s->n <= x->merge_docs) {
			bytes += p->s->map.n;
			docs += p->s->n;
			p->busy = true;
			n++;
		}
	}
	return n;
}

struct merge {
	VEC(struct ftseg *) segments;
	VEC(const uint64_t *) deleted; /* copies, as of the start */
	struct ftpart made;
};

static void take_sources(struct ftindex *x, struct merge *g)
{
	for (size_t i = 0; i < x->m.parts.n; i++) {
		const struct ftpart *p = &x->m.parts.p[i];
		size_t bytes = (p->s->n / 64 + (size_t)1) * 8;
		uint64_t *copy = NULL;

		if (!p->busy)
			continue;
		if (p->deleted)
			copy = memcpy(mem_alloc(bytes), p->deleted, bytes);
		vec_push(&g->segments, p->s);
		vec_push(&g->deleted, copy);
	}
}

/* Under the lock: what was removed from a source since it was taken is removed from the merged part too. */
static void carry_over(const struct ftpart *p, const uint64_t *before, struct ftpart *made)
{
	for (uint32_t d = 0; d < p->s->n && p->deleted; d++) {
		uint32_t doc;
		bool now = p->deleted[d / 64] >> d % 64 & 1, then = before && (before[d / 64] >> d % 64 & 1);

		if (now && !then && ftseg_find_doc(made->s, p->s->contents[d], &doc) && ftpart_delete(made, doc))
			made->dirty = true;
	}
}

/* Under the lock: the merged part stands in for its sources. */
static void swap_parts(struct ftindex *x, struct merge *g)
{
	for (size_t i = x->m.parts.n; i-- > 0;)
		for (size_t j = 0; j < g->segments.n; j++)
			if (x->m.parts.p[i].s == g->segments.p[j]) {
				carry_over(&x->m.parts.p[i], g->deleted.p[j], &g->made);
				forget(x, i);
				break;
			}
	vec_push(&x->m.parts, g->made);
}

static int merge(struct ftindex *x, bool all, bool *did, struct err *err)
{
	struct merge g = { 0 };
	struct arena a = { 0 };
	const char *path;
	size_t n;
	int rc;

	*did = false;
	pthread_mutex_lock(&x->lock);
	n = choose(x, all);
	if (n == 1) /* nothing to join, unless something is gone from it */
		for (size_t i = 0; i < x->m.parts.n; i++)
			if (x->m.parts.p[i].busy && !x->m.parts.p[i].n_deleted) {
				x->m.parts.p[i].busy = false;
				n = 0;
			}
	if (n)
		take_sources(x, &g);
	pthread_mutex_unlock(&x->lock);
	if (!n)
		return WN_OK;
	path = ftindex_new_path(x, &a, ".seg", &g.made.number);
	rc = ftmerge_write(g.segments.p, g.deleted.p, g.segments.n, false, path, err);
	if (rc == WN_OK)
		rc = ftseg_open(&g.made.s, path, err);
	pthread_mutex_lock(&x->lock);
	if (rc == WN_OK) {
		swap_parts(x, &g);
		rc = commit(x, err);
		*did = rc == WN_OK;
	} else {
		for (size_t i = 0; i < x->m.parts.n; i++)
			for (size_t j = 0; j < g.segments.n; j++)
				if (x->m.parts.p[i].s == g.segments.p[j])
					x->m.parts.p[i].busy = false;
	}
	pthread_mutex_unlock(&x->lock);
	for (size_t i = 0; i < g.deleted.n; i++)
		mem_free((void *)g.deleted.p[i]);
	vec_release(&g.segments);
	vec_release(&g.deleted);
	arena_release(&a);
	return rc;
}

int ftindex_merge(struct ftindex *x, bool *did, struct err *err) { return merge(x, false, did, err); }

int ftindex_merge_all(struct ftindex *x, struct err *err)
{
	bool did;

	return merge(x, true, &did, err);
}

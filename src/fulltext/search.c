/* fulltext/search.c -- the best contents, or all of them; see search.h.
 *
 * Three shapes of query have a driver that leaves out what cannot enter the
 * list of the best: one term (blocks whose bound is too low are not decoded),
 * several terms of which one must be there (MaxScore: terms that cannot lift a document
 * over the bar by themselves are only looked up), several that must all be there
 * (ranges in which the blocks' bounds together are too low are stepped over).
 * All others go through the matcher and score every match.
 */
#include "fulltext/search.h"
#include "base/vec.h"

#include <stdlib.h>

#include "fulltext/match.h"

int ftreader_open(struct ftreader **out, const char *dir, struct err *err)
{
	struct ftreader *r = mem_zalloc(sizeof *r);
	int rc = ftmanifest_open(&r->m, dir, err);

	if (rc < 0) {
		mem_free(r);
		return rc;
	}
	for (size_t i = 0; i < r->m.parts.n; i++) {
		const struct ftpart *p = &r->m.parts.p[i];

		r->contents += p->s->n - p->n_deleted;
		for (int f = 0; f < FT_FIELDS; f++)
			r->tokens[f] += p->s->tokens[f] - p->deleted_tokens[f];
	}
	*out = r;
	return WN_OK;
}

void ftreader_close(struct ftreader *r)
{
	if (!r)
		return;
	ftmanifest_release(&r->m);
	mem_free(r);
}

uint64_t ftreader_contents(const struct ftreader *r) { return r->contents; }

/* ---- the best so far: a heap whose root is the least ---- */

struct entry {
	uint64_t score, content;
};
struct top {
	struct entry *heap;
	size_t n, limit;
	uint64_t bar; /* below it nothing enters */
	const struct ftfilter *filter;
	const struct ftpart *part;
};

static bool worse(struct entry a, struct entry b)
{
	return a.score != b.score ? a.score < b.score : a.content > b.content;
}

static void sift_down(struct entry *heap, size_t n, struct entry e)
{
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && worse(heap[child + 1], heap[child]))
			child++;
		if (!worse(heap[child], e))
			break;
		heap[at] = heap[child];
	}
	heap[at] = e;
}

static void sift_up(struct entry *heap, size_t at, struct entry e)
{
	for (; at > 0 && worse(e, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = e;
}

static bool passes(const struct ftfilter *f, uint64_t content)
{
	if (!f)
		return true;
	if (f->bits && (content >= f->n_bits || !(f->bits[content / 64] >> content % 64 & 1)))
		return false;
	return !f->test || f->test(f->context, content);
}

static bool lives(const struct ftpart *p, uint32_t doc)
{
	return !p->deleted || !(p->deleted[doc / 64] >> doc % 64 & 1);
}

static void offer(struct top *t, uint32_t doc, uint64_t score)
{
	struct entry e = { score, t->part->s->contents[doc] };

	if (t->n == t->limit && !worse(t->heap[0], e))
		return;
	if (!lives(t->part, doc) || !passes(t->filter, e.content))
		return;
	if (t->n < t->limit) {
		sift_up(t->heap, t->n, e);
		t->n++;
	} else {
		sift_down(t->heap, t->n, e);
	}
	if (t->n == t->limit)
		t->bar = t->heap[0].score;
}

/* ---- bounds ---- */

static uint64_t block_bound(const struct matcher *m, uint32_t block)
{
	const struct ftcursor *c = &m->cursors[0];
	const unsigned char *skip = c->skip ? c->skip + FT_SKIP * (size_t)block : NULL;

	if (!skip || skip[13] == 255)
		return (uint64_t)m->weight + FT_SLACK;
	return ft_score(m->weight, skip[13], m->k[skip[14]]) + (uint64_t)FT_SLACK;
}

static uint64_t term_bound(const struct matcher *m)
{
	uint64_t most = 0;

	for (uint32_t b = 0; b < m->cursors[0].n_blocks; b++) {
		uint64_t bound = block_bound(m, b);

		most = bound > most ? bound : most;
	}
	return most;
}

static uint64_t term_score(struct matcher *m)
{
	struct ftcursor *c = &m->cursors[0];

	return ft_score(m->weight, ftcursor_tf(c), m->k[m->norms[c->doc]]);
}

/* ---- drivers ---- */

static void top_of_term(struct top *t, struct matcher *m)
{
	struct ftcursor *c = &m->cursors[0];

	for (uint32_t b = 0; b < c->n_blocks; b++) {
		uint32_t scores[PACK_N];

		if (block_bound(m, b) < t->bar)
			continue;
		if (ftcursor_load(c, b) == FT_DONE)
			return;
		ftcursor_need_tf(c);
		for (uint32_t i = 0; i < c->n; i++)
			scores[i] = ft_score(m->weight, c->tfs[i], m->k[m->norms[c->docs[i]]]);
		for (uint32_t i = 0; i < c->n; i++)
			if (scores[i] >= t->bar)
				offer(t, c->docs[i], scores[i]);
	}
}

struct ranked { /* a term of a disjunction */
	struct matcher *m;
	uint64_t bound, sum; /* sum: of the bounds up to and with this one */
};

static int by_bound(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->bound < y->bound ? -1 : x->bound > y->bound;
}

static void top_of_any(struct top *t, struct matcher *m)
{
	struct ranked *r = mem_array(m->n_wanted + (size_t)1, sizeof *r);
	size_t n = 0, needed = 0; /* r[needed..] find candidates, r[..needed) are looked up */

	for (unsigned i = 0; i < m->n_wanted; i++)
		if (m->wanted[i]->n_cursors)
			r[n++] = (struct ranked){ m->wanted[i], term_bound(m->wanted[i]), 0 };
	sort_array(r, n, sizeof *r, by_bound);
	for (size_t i = 0; i < n; i++)
		r[i].sum = r[i].bound + (i ? r[i - 1].sum : 0);
	for (;;) {
		uint32_t doc = FT_DONE;
		uint64_t score = 0;
		size_t i;

		while (needed < n && r[needed].sum < t->bar)
			needed++;
		for (i = needed; i < n; i++)
			doc = r[i].m->cursors[0].doc < doc ? r[i].m->cursors[0].doc : doc;
		if (doc == FT_DONE)
			break;
		for (i = needed; i < n; i++) {
			struct ftcursor *c = &r[i].m->cursors[0];

			if (c->doc == doc) {
				score += term_score(r[i].m);
				ftcursor_next(c);
			}
		}
		for (i = needed; i-- > 0 && score + r[i].sum >= t->bar;)
			if (ftcursor_seek(&r[i].m->cursors[0], doc) == doc)
				score += term_score(r[i].m);
		if (score >= t->bar)
			offer(t, doc, score);
	}
	mem_free(r);
}

/* The first doc from which the bounds of all blocks together reach the bar; *until: the last doc for which that holds. */
static uint32_t promising(const struct top *t, struct matcher *const *w, unsigned n, uint32_t doc, uint32_t *until)
{
	for (;;) {
		uint64_t sum = 0;

		*until = FT_DONE - 1;
		for (unsigned i = 0; i < n; i++) {
			const struct ftcursor *c = &w[i]->cursors[0];
			uint32_t block = ftcursor_seek_block(c, doc), last;

			if (block >= c->n_blocks)
				return FT_DONE;
			sum += block_bound(w[i], block);
			last = ftcursor_last(c, block);
			*until = last < *until ? last : *until;
		}
		if (sum >= t->bar || *until == FT_DONE - 1)
			return doc;
		doc = *until + 1;
	}
}

static void top_of_all(struct top *t, struct matcher *m)
{
	struct matcher **w = m->wanted;
	unsigned n = m->n_wanted;
	uint32_t doc = 0, until = 0;
	bool known = false; /* `until` was computed for this bar */
	uint64_t bar = 0;

	for (unsigned i = 0; i < n; i++)
		if (!w[i]->n_cursors)
			return;
	for (;;) {
		uint64_t score = 0;
		unsigned i;

		doc = ftcursor_seek(&w[0]->cursors[0], doc);
		if (t->bar && (!known || doc > until || t->bar != bar)) {
			uint32_t from = promising(t, w, n, doc, &until);

			known = true;
			bar = t->bar;
			if (from != doc) {
				doc = from;
				if (doc == FT_DONE)
					return;
				continue;
			}
		}
		if (doc == FT_DONE)
			return;
		for (i = 1; i < n; i++) {
			uint32_t other = ftcursor_seek(&w[i]->cursors[0], doc);

			if (other != doc) {
				doc = other;
				break;
			}
		}
		if (doc == FT_DONE)
			return;
		if (i < n)
			continue;
		for (i = 0; i < n; i++)
			score += term_score(w[i]);
		if (score >= t->bar)
			offer(t, doc, score);
		doc++;
	}
}

static void top_of_tree(struct top *t, struct matcher *m)
{
	for (uint32_t doc = matcher_seek(m, 0); doc != FT_DONE; doc = matcher_seek(m, doc + 1))
		offer(t, doc, matcher_score(m));
}

static bool only_terms(const struct matcher *m)
{
	if (m->n_unwanted || !m->n_wanted)
		return false;
	for (unsigned i = 0; i < m->n_wanted; i++)
		if (m->wanted[i]->q->kind != FT_TERM)
			return false;
	return true;
}

static void top_of(struct top *t, struct matcher *m)
{
	if (m->q->kind == FT_TERM) {
		if (m->n_cursors)
			top_of_term(t, m);
	} else if (m->q->kind == FT_ANY && only_terms(m)) {
		top_of_any(t, m);
	} else if (m->q->kind == FT_ALL && only_terms(m)) {
		top_of_all(t, m);
	} else {
		top_of_tree(t, m);
	}
}

static int best_first(const void *a, const void *b)
{
	return worse(*(const struct entry *)a, *(const struct entry *)b) ? 1 : -1;
}

int ftsearch_top(const struct ftreader *r, const struct ftquery *q, const struct ftfilter *filter, size_t limit,
		 struct fthit *hits, size_t *n, struct err *err)
{
	struct arena a = { 0 };
	struct top t = { .limit = limit, .filter = filter };
	struct ftplan plan;
	int rc = WN_OK;

	*n = 0;
	if (!limit)
		return WN_OK;
	ftplan_make(&plan, &a, r, q, err, &rc);
	t.heap = mem_array(limit, sizeof *t.heap);
	for (size_t i = 0; i < r->m.parts.n && rc == WN_OK; i++) {
		struct matcher *m = matcher_new(&a, &plan, q, i, err, &rc);

		t.part = &r->m.parts.p[i];
		if (rc == WN_OK) {
			top_of(&t, m);
			rc = matcher_error(m, err);
		}
		matcher_release(m);
	}
	if (rc == WN_OK) {
		sort_array(t.heap, t.n, sizeof *t.heap, best_first);
		for (size_t i = 0; i < t.n; i++)
			hits[i] = (struct fthit){ t.heap[i].content, (double)t.heap[i].score / (double)FT_UNIT };
		*n = t.n;
	}
	mem_free(t.heap);
	arena_release(&a);
	return rc;
}

int ftsearch_each(const struct ftreader *r, const struct ftquery *q, int (*each)(void *context, uint64_t content),
		  void *context, struct err *err)
{
	struct arena a = { 0 };
	struct ftplan plan;
	int rc = WN_OK, stop = 0;

	ftplan_make(&plan, &a, r, q, err, &rc);
	for (size_t i = 0; i < r->m.parts.n && rc == WN_OK && !stop; i++) {
		const struct ftpart *p = &r->m.parts.p[i];
		struct matcher *m = matcher_new(&a, &plan, q, i, err, &rc);

		for (uint32_t doc = rc == WN_OK ? matcher_seek(m, 0) : FT_DONE; doc != FT_DONE && !stop;
		     doc = matcher_seek(m, doc + 1))
			if (lives(p, doc))
				stop = each(context, p->s->contents[doc]);
		if (rc == WN_OK)
			rc = matcher_error(m, err);
		matcher_release(m);
	}
	arena_release(&a);
	return rc < 0 ? rc : stop;
}

struct bits {
	uint64_t *bits, n, count;
};

static int set_bit(void *context, uint64_t content)
{
	struct bits *b = context;

	if (content < b->n)
		b->bits[content / 64] |= (uint64_t)1 << content % 64;
	b->count++;
	return 0;
}

int ftsearch_bits(const struct ftreader *r, const struct ftquery *q, uint64_t *bits, uint64_t n_bits, uint64_t *count,
		  struct err *err)
{
	struct bits b = { bits, n_bits, 0 };
	int rc = ftsearch_each(r, q, set_bit, &b, err);

	*count = b.count;
	return rc;
}

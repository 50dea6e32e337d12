/* fulltext/match.c -- see match.h. */
#include "fulltext/match.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

static double idf(uint64_t n, uint64_t df)
{
	if (df > n) /* removed documents still count in df until they are merged away */
		df = n;
	return log(1 + ((double)(n - df) + 0.5) / ((double)df + 0.5));
}

static struct str term_key(struct arena *a, const struct ftquery *q, size_t i)
{
	return q->field == FT_TITLE ? arena_printf(a, "%c%.*s", FT_TITLE_KEY, STR_FMT(q->terms[i])) : q->terms[i];
}

static int plan_leaf(struct ftplan *p, struct arena *a, const struct ftquery *q, struct err *err)
{
	size_t parts = p->r->m.parts.n;
	double weight = 0;
	int rc = WN_OK;

	p->terms[q->leaf] = arena_zalloc(a, (parts * q->n_terms + 1) * sizeof(struct ftterm));
	for (size_t i = 0; i < q->n_terms; i++) {
		struct str key = term_key(a, q, i);
		uint64_t df = 0;

		for (size_t j = 0; j < parts; j++) {
			struct ftterm *t = &p->terms[q->leaf][j * q->n_terms + i];
			bool found;

			if ((rc = ftseg_lookup(p->r->m.parts.p[j].s, key, t, &found, err)) < 0)
				return rc;
			df += t->df;
		}
		weight += idf(p->r->contents, df);
	}
	p->weights[q->leaf] = (float)(weight * (FT_K1 + 1)) * FT_UNIT;
	return WN_OK;
}

static int plan_tree(struct ftplan *p, struct arena *a, const struct ftquery *q, struct err *err)
{
	int rc = WN_OK;

	if (q->kind == FT_PREFIX)
		return WN_OK;
	if (q->kind < FT_ALL)
		return plan_leaf(p, a, q, err);
	for (const struct ftquery *c = q->first; c && rc == WN_OK; c = c->next)
		rc = plan_tree(p, a, c, err);
	return rc;
}

void ftplan_make(struct ftplan *p, struct arena *a, const struct ftreader *r, const struct ftquery *q, struct err *err,
		 int *rc)
{
	p->r = r;
	p->weights = arena_zalloc(a, (q->leaves + 1) * sizeof *p->weights);
	p->terms = arena_zalloc(a, (q->leaves + 1) * sizeof(struct ftterm *));
	for (int f = 0; f < FT_FIELDS; f++) {
		double mean = r->contents && r->tokens[f] ? (double)r->tokens[f] / (double)r->contents : 1;

		for (unsigned i = 0; i < 256; i++)
			p->k[f][i] = (float)(FT_K1 * (1 - FT_B + FT_B * ft_norm_length((uint8_t)i) / mean));
	}
	*rc = plan_tree(p, a, q, err);
}

/* ---- leaves ---- */

static int fill_prefix(struct matcher *m, struct arena *a, struct err *err)
{
	struct str key = term_key(a, m->q, 0);
	struct ftdict d = { 0 };
	struct ftcursor *c = mem_alloc(sizeof *c);
	int rc;

	m->bits = mem_zarray(m->s->n / 64 + (size_t)1, sizeof *m->bits);
	for (rc = ftdict_seek(&d, m->s, key, err); rc == WN_OK && str_starts(buf_view(&d.key), key);
	     rc = ftdict_next(&d, err)) {
		if ((rc = ftcursor_open(c, m->s, &d.term, err)) < 0)
			break;
		do
			for (uint32_t i = 0; i < c->n; i++)
				m->bits[c->docs[i] / 64] |= (uint64_t)1 << c->docs[i] % 64;
		while (ftcursor_next_block(c) != FT_DONE);
		m->cost += d.term.df;
		if ((rc = ftcursor_error(c, err)) < 0)
			break;
	}
	mem_free(c);
	ftdict_release(&d);
	return rc < 0 ? rc : WN_OK;
}

static uint32_t next_bit(const struct matcher *m, uint32_t target)
{
	uint32_t word = target / 64;
	uint64_t bits;

	if (target >= m->s->n)
		return FT_DONE;
	bits = m->bits[word] >> target % 64 << target % 64;
	while (!bits) {
		if (++word > (m->s->n - 1) / 64)
			return FT_DONE;
		bits = m->bits[word];
	}
	return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

static int new_leaf(struct matcher *m, struct arena *a, const struct ftplan *p, size_t part, struct err *err)
{
	const struct ftquery *q = m->q;
	const struct ftterm *terms;
	int rc = WN_OK;

	if (q->kind == FT_PREFIX)
		return fill_prefix(m, a, err);
	terms = p->terms[q->leaf] + part * q->n_terms;
	m->weight = p->weights[q->leaf];
	m->k = p->k[q->field];
	m->norms = m->s->norms[q->field];
	m->cost = UINT64_MAX;
	for (size_t i = 0; i < q->n_terms; i++)
		m->cost = terms[i].df < m->cost ? terms[i].df : m->cost;
	if (!m->cost) /* a term is not in this segment */
		return WN_OK;
	m->cursors = arena_alloc(a, q->n_terms * sizeof *m->cursors);
	m->positions = arena_zalloc(a, q->n_terms * sizeof *m->positions);
	m->positions_cap = arena_zalloc(a, q->n_terms * sizeof *m->positions_cap);
	for (size_t i = 0; i < q->n_terms && rc == WN_OK; i++)
		if ((rc = ftcursor_open(&m->cursors[i], m->s, &terms[i], err)) == WN_OK)
			m->n_cursors++;
	return rc;
}

/* All cursors of a phrase at one doc >= target. */
static uint32_t phrase_doc(struct matcher *m, uint32_t target)
{
	for (;;) {
		uint32_t high = target;

		for (uint32_t i = 0; i < m->n_cursors; i++) {
			uint32_t doc = ftcursor_seek(&m->cursors[i], high);

			if (doc == FT_DONE)
				return FT_DONE;
			high = doc;
		}
		if (m->cursors[0].doc == high)
			return high;
		target = high;
	}
}

/* How often the terms stand in a row in the present doc of the cursors. */
static uint32_t phrase_count(struct matcher *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_cursors; i++) {
		uint32_t tf = ftcursor_tf(&m->cursors[i]), *list, kept = 0, at = 0;

		if (tf > m->positions_cap[i]) {
			m->positions_cap[i] = tf + tf / 2;
			m->positions[i] = mem_rearray(m->positions[i], m->positions_cap[i], sizeof **m->positions);
		}
		if (!ftcursor_positions(&m->cursors[i], m->positions[i]))
			return 0;
		if (i == 0) {
			n = tf;
			continue;
		}
		list = m->positions[0]; /* starts that have matched so far */
		for (uint32_t j = 0; j < n; j++) {
			while (at < tf && m->positions[i][at] < list[j] + i)
				at++;
			if (at < tf && m->positions[i][at] == list[j] + i)
				list[kept++] = list[j];
		}
		if (!(n = kept))
			return 0;
	}
	return n;
}

static uint32_t leaf_seek(struct matcher *m, uint32_t target)
{
	if (m->q->kind == FT_PREFIX)
		return next_bit(m, target);
	if (!m->n_cursors)
		return FT_DONE;
	if (m->q->kind == FT_TERM)
		return ftcursor_seek(&m->cursors[0], target);
	for (uint32_t doc = phrase_doc(m, target); doc != FT_DONE; doc = phrase_doc(m, doc + 1))
		if ((m->tf = phrase_count(m)) > 0)
			return doc;
	return FT_DONE;
}

static uint64_t leaf_score(struct matcher *m)
{
	if (m->q->kind == FT_PREFIX)
		return (uint64_t)FT_UNIT;
	return ft_score(m->weight, m->q->kind == FT_TERM ? ftcursor_tf(&m->cursors[0]) : m->tf, m->k[m->norms[m->doc]]);
}

/* ---- trees ---- */

static int by_cost(const void *a, const void *b)
{
	const struct matcher *x = *(struct matcher *const *)a, *y = *(struct matcher *const *)b;

	return x->cost < y->cost ? -1 : x->cost > y->cost;
}

struct matcher *matcher_new(struct arena *a, const struct ftplan *p, const struct ftquery *q, size_t part,
			    struct err *err, int *rc)
{
	struct matcher *m = ARENA_NEW(a, struct matcher);

	m->q = q;
	m->s = p->r->m.parts.p[part].s;
	if (q->kind < FT_ALL) {
		*rc = new_leaf(m, a, p, part, err);
	} else {
		m->wanted = arena_zalloc(a, q->n_children * sizeof(struct matcher *));
		m->unwanted = arena_zalloc(a, q->n_children * sizeof(struct matcher *));
		for (const struct ftquery *c = q->first; c && *rc == WN_OK; c = c->next) {
			struct matcher *child = matcher_new(a, p, c, part, err, rc);

			if (c->excluded)
				m->unwanted[m->n_unwanted++] = child;
			else
				m->wanted[m->n_wanted++] = child;
		}
		if (m->n_wanted)
			sort_array(m->wanted, m->n_wanted, sizeof(struct matcher *), by_cost);
		for (unsigned i = 0; i < m->n_wanted; i++)
			m->cost = q->kind == FT_ANY ? m->cost + m->wanted[i]->cost : m->wanted[0]->cost;
	}
	if (*rc == WN_OK && q->kind < FT_ALL)
		m->doc = leaf_seek(m, 0); /* a node begins at 0; matcher_seek settles it */
	return m;
}

void matcher_release(struct matcher *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n_cursors; i++)
		mem_free(m->positions[i]);
	mem_free(m->bits);
	for (unsigned i = 0; i < m->n_wanted; i++)
		matcher_release(m->wanted[i]);
	for (unsigned i = 0; i < m->n_unwanted; i++)
		matcher_release(m->unwanted[i]);
}

static uint32_t all_seek(struct matcher *m, uint32_t target)
{
	for (;;) {
		uint32_t doc = matcher_seek(m->wanted[0], target);
		unsigned i = 1;

		for (; i < m->n_wanted && doc != FT_DONE; i++) {
			target = matcher_seek(m->wanted[i], doc);
			if (target != doc)
				break;
		}
		if (doc == FT_DONE || (i < m->n_wanted && target == FT_DONE))
			return FT_DONE;
		if (i < m->n_wanted)
			continue;
		for (i = 0; i < m->n_unwanted && matcher_seek(m->unwanted[i], doc) != doc; i++)
			;
		if (i == m->n_unwanted)
			return doc;
		target = doc + 1;
	}
}

static uint32_t any_seek(struct matcher *m, uint32_t target)
{
	uint32_t least = FT_DONE;

	for (unsigned i = 0; i < m->n_wanted; i++) {
		uint32_t doc = matcher_seek(m->wanted[i], target);

		least = doc < least ? doc : least;
	}
	return least;
}

uint32_t matcher_seek(struct matcher *m, uint32_t target)
{
	if (m->q->kind < FT_ALL)
		return m->doc >= target ? m->doc : (m->doc = leaf_seek(m, target));
	return m->doc = m->q->kind == FT_ALL ? all_seek(m, target) : any_seek(m, target);
}

uint64_t matcher_score(struct matcher *m)
{
	uint64_t sum = 0;

	if (m->q->kind < FT_ALL)
		return leaf_score(m);
	for (unsigned i = 0; i < m->n_wanted; i++)
		if (m->wanted[i]->doc == m->doc)
			sum += matcher_score(m->wanted[i]);
	return sum;
}

int matcher_error(const struct matcher *m, struct err *err)
{
	int rc = WN_OK;

	for (uint32_t i = 0; i < m->n_cursors && rc == WN_OK; i++)
		rc = ftcursor_error(&m->cursors[i], err);
	for (unsigned i = 0; i < m->n_wanted && rc == WN_OK; i++)
		rc = matcher_error(m->wanted[i], err);
	for (unsigned i = 0; i < m->n_unwanted && rc == WN_OK; i++)
		rc = matcher_error(m->unwanted[i], err);
	return rc;
}

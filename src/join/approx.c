/* join/approx.c -- see approx.h. */
#include "join/approx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/task.h"
#include "base/vec.h"
#include "join/bound.h"
#include "join/probe.h"

struct banded {
	uint64_t key;
	uint32_t row;
};

struct approx {
	struct joiner *j;
	unsigned bands, rows;
	uint64_t *key; /* [rows.n x bands]; equal keys of a band: a candidate */
	struct banded *order;
	unsigned band;
	const uint8_t *of_a, *of_b;
	joiner_pair *pair;
	void *context;
	double *found, *expected; /* [threads] */
};

static int by_key(const void *pa, const void *pb)
{
	const struct banded *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* The least item in each of n equal ranges of values; 0 where none is. */
static void sample(uint64_t *out, unsigned n, const uint64_t *item, uint32_t size)
{
	uint64_t known[APPROX_PLACES];

	memset(out, 0, n * sizeof *out);
	for (uint32_t i = size; i-- > 0;)
		out[(unsigned)(((unsigned __int128)item[i] * n) >> 64)] = item[i] | 1;
	memcpy(known, out, n * sizeof *known);
	for (unsigned i = 0; i < n; i++) { /* an empty range asks others in a fixed random order */
		uint64_t step = i;

		for (unsigned tries = 0; !out[i] && tries < 64 * n; tries++) {
			step = mix64(step + 0x9e3779b97f4a7c15u);
			out[i] = known[step % n];
		}
	}
}

static void make_keys(void *context, size_t from, size_t to, unsigned worker)
{
	struct approx *x = context;
	const struct joiner *j = x->j;
	uint64_t place[APPROX_PLACES];

	for (size_t r = from; r < to; r++) {
		uint32_t n;
		const uint64_t *item = sets_get(&j->probes[worker].sets, j->q, j->kind, j->rows.set[j->kind][r], 0, &n);

		if (n == 0)
			continue;
		sample(place, x->bands * x->rows, item, n);
		for (unsigned b = 0; b < x->bands; b++) {
			uint64_t h = mix64(j->rows.block[r] + 1);

			for (unsigned i = 0; i < x->rows; i++)
				h = mix64(h ^ place[b * x->rows + i]);
			x->key[r * x->bands + b] = h;
		}
	}
}

static bool met_before(const struct approx *x, uint32_t a, uint32_t b)
{
	for (unsigned i = 0; i < x->band; i++)
		if (x->key[(size_t)a * x->bands + i] == x->key[(size_t)b * x->bands + i])
			return true;
	return false;
}

static bool bounds_hold(struct approx *x, struct probe *p, uint32_t a, uint32_t b, struct join_overlap lead)
{
	const struct joiner *j = x->j;

	if ((x->of_a && !x->of_a[a]) || (x->of_b && !x->of_b[b]) || !rows_may(&j->rows, j->d, a, b))
		return false;
	for (unsigned i = 0; i < j->d->n_bounds; i++) {
		const struct join_bound *k = &j->d->bound[i];
		struct join_overlap o =
		    k->kind == j->kind
			? lead
			: sets_overlap(&p->sets, j->q, k->kind, j->rows.set[k->kind][a], j->rows.set[k->kind][b]);

		if (!bound_holds(k, o.a, o.b, o.shared))
			return false;
	}
	return true;
}

static void verify(struct approx *x, unsigned worker, uint32_t a, uint32_t b)
{
	struct joiner *j = x->j;
	struct probe *p = &j->probes[worker];
	struct join_overlap o;

	if (j->rows.block[a] != j->rows.block[b] || met_before(x, a, b))
		return;
	if (!rows_may(&j->rows, j->d, a, b) && !rows_may(&j->rows, j->d, b, a))
		return;
	o = sets_overlap(&p->sets, j->q, j->kind, j->rows.set[j->kind][a], j->rows.set[j->kind][b]);
	for (int turn = 0; turn < 2; turn++) {
		uint32_t u = turn ? b : a, v = turn ? a : b;
		struct join_overlap seen = turn ? (struct join_overlap){ o.b, o.a, o.shared } : o;
		double s = (double)o.shared / ((double)o.a + o.b - o.shared);

		if (!bounds_hold(x, p, u, v, seen))
			continue;
		p->stats.row_pairs++;
		x->found[worker] += 1;
		x->expected[worker] += 1 / fmax(1 - pow(1 - pow(s, x->rows), x->bands), 1e-9);
		x->pair(x->context, worker, u, v, o.shared);
	}
}

/* All pairs of a run of equal keys that begins in [from, to). */
static void verify_runs(void *context, size_t from, size_t to, unsigned worker)
{
	struct approx *x = context;
	size_t n = x->j->rows.n;

	for (size_t i = from; i < to; i++) {
		size_t end = i + 1;

		if (x->j->rows.size[x->j->kind][x->order[i].row] == 0)
			continue;
		while (end < n && x->order[end].key == x->order[i].key)
			verify(x, worker, x->order[i].row, x->order[end++].row);
	}
}

int approx_run(struct joiner *j, const uint8_t *of_a, const uint8_t *of_b, joiner_pair *pair, void *context,
	       struct err *err)
{
	struct approx x = { .j = j,
			    .bands = j->o->bands,
			    .rows = j->o->rows ? j->o->rows : 1,
			    .of_a = of_a,
			    .of_b = of_b,
			    .pair = pair,
			    .context = context };
	double found = 0, expected = 0;

	if (x.bands * x.rows > APPROX_PLACES || x.bands > APPROX_PLACES)
		return err_set(err, WN_USAGE, "%u bands of %u rows: at most %u places in all", x.bands, x.rows,
			       APPROX_PLACES);
	x.key = mem_zarray((size_t)j->rows.n * x.bands + 1, sizeof *x.key);
	x.order = mem_array((size_t)j->rows.n + 1, sizeof *x.order);
	x.found = mem_zarray(j->threads, sizeof *x.found);
	x.expected = mem_zarray(j->threads, sizeof *x.expected);
	task_each(j->threads, j->rows.n, 64, make_keys, &x);
	for (x.band = 0; x.band < x.bands; x.band++) {
		for (uint32_t r = 0; r < j->rows.n; r++)
			x.order[r] = (struct banded){ x.key[(size_t)r * x.bands + x.band], r };
		sort_array(x.order, j->rows.n, sizeof *x.order, by_key);
		task_each(j->threads, j->rows.n, 64, verify_runs, &x);
	}
	for (unsigned t = 0; t < j->threads; t++) {
		found += x.found[t];
		expected += x.expected[t];
	}
	j->stats.recall = expected > 0 ? found / expected : 1;
	mem_free(x.key);
	mem_free(x.order);
	mem_free(x.found);
	mem_free(x.expected);
	return WN_OK;
}

/* flow/update_plan.c -- see update_plan.h; docs/algorithm/update.md tells why it is right.
 *
 * Of an old run it is known of each document how it was settled (state.h): of
 * a forced or core document all coverers are known; of a covered or folded one
 * only that `of` settles it.  A document stays settled as long as that one is
 * there, unchanged, and (if it covers) still forced.
 * Cost: a few passes over arrays of all documents, and the pairs of those probed.
 */
#include "flow/update_plan.h"

#include "base/progress.h"
#include "cover/groups.h"
#include "join/flags.h"
#include "join/fold.h"

#define FOLD_TRIES 16u /* as many twins as the join tries */

/* Old numbers by capture. */
static uint32_t *old_numbers(const struct run_state *was, uint32_t *limit)
{
	uint32_t most = 0, *old;

	for (uint32_t o = 0; o < was->n; o++)
		most = was->id[o] > most ? was->id[o] : most;
	*limit = most;
	old = mem_array((size_t)most + 1, sizeof *old);
	memset(old, 0xff, ((size_t)most + 1) * sizeof *old);
	for (uint32_t o = 0; o < was->n; o++)
		old[was->id[o]] = o;
	return old;
}

/* Of those that are not probed: if they are changed they fold. */
static uint8_t kind_of(const struct update_work *w, uint32_t d) { return w->folds[d] ? STATE_FOLDED : w->kind[d]; }

/* A changed document that folds into an unchanged one of its text needs no row and is needed in none.  Where quotas are
 * it may be needed itself. */
static void fold_changed(struct update_work *w)
{
	const struct join_query *q = &w->run->ruled.query;
	const uint32_t *of = q->set_of[w->run->kind];
	const uint8_t *kind = w->kind;
	uint32_t *twin, *next; /* by set the last, by document the one before: unchanged and not folded */
	uint8_t *asked;	       /* by set: a changed document has it, and the set has a twin */

	if (!of || w->run->group || !w->n_changed)
		return;
	twin = mem_array((size_t)q->sets[w->run->kind].n + 1, sizeof *twin);
	next = mem_array((size_t)w->n + 1, sizeof *next);
	asked = mem_zarray((size_t)q->sets[w->run->kind].n + 1, 1);
	for (uint32_t d = 0; d < w->n; d++)
		if (kind[d] == UPDATE_CHANGED && of[d] != JOIN_NO_SET) {
			asked[of[d]] = 1;
			twin[of[d]] = UPDATE_NONE;
		}
	for (uint32_t d = 0; d < w->n; d++)
		if (of[d] != JOIN_NO_SET && asked[of[d]] && kind[d] != UPDATE_CHANGED && kind[d] != STATE_FOLDED) {
			next[d] = twin[of[d]];
			twin[of[d]] = d;
		}
	for (uint32_t d = 0; d < w->n; d++) {
		if (kind[d] != UPDATE_CHANGED || of[d] == JOIN_NO_SET)
			continue;
		for (uint32_t y = twin[of[d]], tries = 0; y != UPDATE_NONE && tries < FOLD_TRIES; y = next[y], tries++)
			if (fold_pair(q, d, y)) {
				w->folds[d] = 1;
				w->fold[d] = y;
				break;
			}
	}
	mem_free(twin);
	mem_free(next);
	mem_free(asked);
}

/* By present number what the run before knew of each document, for the passes that follow. */
static void note_settled(struct update_work *w)
{
	const struct run_state *was = w->was;

	for (uint32_t d = 0; d < w->n; d++) {
		uint32_t o = w->before[d];
		bool unchanged = o != UPDATE_NONE && w->now[o] == d;

		w->kind[d] = unchanged ? was->kind[o] : UPDATE_CHANGED;
		w->of[d] = unchanged ? w->now[was->of[o]] : UPDATE_NONE;
		w->kept[d] = o != UPDATE_NONE && was->witness[o] == STATE_KEPT;
	}
}

void update_work_open(struct update_work *w, struct run *r, const struct run_state *was)
{
	uint32_t n = (uint32_t)r->docs.n, found = 0, most, *old = old_numbers(was, &most);

	*w = (struct update_work){ .run = r, .was = was, .n = n };
	w->signature = mem_array((size_t)n + 1, sizeof *w->signature);
	w->before = mem_array((size_t)n + 1, sizeof *w->before);
	w->by = mem_array((size_t)n + 1, sizeof *w->by);
	w->now = mem_array((size_t)was->n + 1, sizeof *w->now);
	w->kind = mem_array((size_t)n + 1, 1);
	w->of = mem_array((size_t)n + 1, sizeof *w->of);
	w->kept = mem_array((size_t)n + 1, 1);
	w->probed = mem_zarray((size_t)n + 1, 1);
	w->whole = mem_zarray((size_t)n + 1, 1);
	w->folds = mem_zarray((size_t)n + 1, 1);
	w->fold = mem_array((size_t)n + 1, sizeof *w->fold);
	w->forced = mem_zarray((size_t)n + 1, 1);
	w->unsettled = mem_zarray((size_t)n + 1, 1);
	w->n_lost = UPDATE_NONE;
	w->open = mem_zarray((size_t)n + 1, 1);
	w->part_open = mem_zarray((size_t)was->n_parts + 1, 1);
	run_signatures(r, w->signature);
	memset(w->now, 0xff, ((size_t)was->n + 1) * sizeof *w->now);
	memset(w->by, 0xff, ((size_t)n + 1) * sizeof *w->by);
	for (uint32_t d = 0; d < n; d++) {
		uint32_t o = r->docs.id[d] <= most ? old[r->docs.id[d]] : UPDATE_NONE;

		w->before[d] = o;
		found += o != UPDATE_NONE;
		if (o != UPDATE_NONE && was->signature[o] == w->signature[d])
			w->now[o] = d;
		else
			w->n_changed++;
	}
	w->n_gone = was->n - found;
	note_settled(w);
	mem_free(old);
	fold_changed(w);
}

void update_work_close(struct update_work *w)
{
	mem_free(w->signature);
	mem_free(w->before);
	mem_free(w->now);
	mem_free(w->kind);
	mem_free(w->of);
	mem_free(w->kept);
	mem_free(w->probed);
	mem_free(w->whole);
	mem_free(w->folds);
	mem_free(w->fold);
	mem_free(w->forced);
	mem_free(w->unsettled);
	mem_free(w->by);
	mem_free(w->open);
	mem_free(w->part_open);
	mem_free(w->pair_start);
	vec_release(&w->pairs);
}

/* Of whom is what settled it no longer there? */
static void find_unsettled(struct update_work *w)
{
	const uint8_t *kind = w->kind, *forced = w->forced, *kept = w->kept;
	const uint32_t *of = w->of;
	uint8_t *unsettled = w->unsettled;

	for (uint32_t d = 0, n = w->n; d < n; d++)
		if (kind[d] == STATE_COVERED) /* of one that folds now the kind is UPDATE_CHANGED */
			unsettled[d] = of[d] == UPDATE_NONE || kind[of[d]] != STATE_FORCED || !forced[of[d]];
		else if (kind[d] == STATE_FOLDED) /* one that was kept to fill a group is no mere twin */
			unsettled[d] = of[d] == UPDATE_NONE || kept[d];
}

/* It stands for its twin, and is in no row. */
static bool is_folded(const struct update_work *w, uint32_t d)
{
	return !w->probed[d] && kind_of(w, d) == STATE_FOLDED &&
	       (w->kind[d] != STATE_FOLDED || (w->of[d] != UPDATE_NONE && !w->kept[d]));
}

/* ---- probing ---- */

static int note_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct update_work *w = context;

	(void)size_a;
	(void)size_b;
	vec_push(&w->pairs, ((struct update_pair){ a, b, shared }));
	return 0;
}

int update_pairs(struct update_work *w, struct coverage_asking ask, struct err *err)
{
	const struct join_query *q = &w->run->ruled.query;
	struct coverage_stats stats = { 0 };

	ask.done = ask.later ? NULL : w->probed;
	w->n_probed += ask.later ? 0 : flags_count(ask.asks, w->n);
	return coverage_changed(q, &w->run->join, &ask, q->set_of[w->run->kind] ? w->run->kind : -1, note_pair, w,
				&stats, err);
}

/* Who is forced now, and whom a forced document of the pairs covers. */
static void settle(struct update_work *w)
{
	const uint8_t *restrict probed = w->probed, *restrict kind = w->kind;
	uint8_t *restrict forced = w->forced;
	uint32_t lost = 0;

	for (uint32_t d = 0, n = w->n; d < n; d++)
		forced[d] = (uint8_t)(probed[d] | (kind[d] == STATE_FORCED));
	for (size_t i = 0; i < w->pairs.n; i++) {
		uint32_t a = w->pairs.p[i].a;

		w->by[a] = UPDATE_NONE;
		if (!is_folded(w, w->pairs.p[i].b)) {
			lost += kind[a] == STATE_FORCED && forced[a];
			forced[a] = 0;
		}
	}
	for (size_t i = 0; i < w->pairs.n; i++) {
		const struct update_pair *p = &w->pairs.p[i];

		if (w->forced[p->b] && (w->by[p->a] == UPDATE_NONE || p->b < w->by[p->a]))
			w->by[p->a] = p->b;
	}
	if (lost != w->n_lost) /* who is lost stays so, as pairs only become more: as many are the same ones */
		find_unsettled(w);
	w->n_lost = lost;
}

/* Whom to compare with documents that are probed.  Coverers that were not kept are of use only to those that no forced
 * document covers; rows that are settled only to those that will be kept, which may be better witnesses. */
static void note_wanted(const struct update_work *w, const uint8_t *restrict more, uint8_t *restrict a_ok,
			uint8_t *restrict b_ok)
{
	const uint8_t *restrict probed = w->probed, *restrict kept = w->kept, *restrict kind = w->kind,
				*restrict unsettled = w->unsettled, *restrict folds = w->folds;

	for (uint32_t d = 0, n = w->n; d < n; d++) {
		uint8_t asks = more[d] | probed[d],
			settled = (uint8_t)((kind[d] == STATE_COVERED) | (kind[d] == STATE_FOLDED) | folds[d]) &
				  !unsettled[d],
			was_kept = kept[d] & (kind[d] != UPDATE_CHANGED);

		a_ok[d] = (settled & !asks) ? COVERAGE_LATER : COVERAGE_NOW;
		b_ok[d] = (was_kept | asks) ? COVERAGE_NOW : COVERAGE_LATER;
	}
}

/* Documents that were probed and that nothing forced covers, as far as is known, get the rest of their coverers. */
static int probe_wholly(struct update_work *w, uint8_t *asks, struct err *err)
{
	int rc = WN_OK;

	for (;;) { /* one that was thought to be forced may not be */
		uint32_t count = 0;

		settle(w);
		memset(asks, 0, w->n);
		for (uint32_t d = 0; (d = flags_next(w->probed, d, w->n)) < w->n; d++)
			if (!w->whole[d] && w->by[d] == UPDATE_NONE) {
				asks[d] = COVERAGE_AS_A;
				w->whole[d] = 1;
				count++;
			}
		if (count == 0 || rc < 0)
			return rc;
		rc = update_pairs(w, (struct coverage_asking){ .asks = asks, .later = true }, err);
	}
}

/* Documents that were settled and are no more; returns how many. */
static uint32_t note_unsettled(const struct update_work *w, uint8_t *more)
{
	uint32_t count = 0;

	memset(more, 0, w->n);
	for (uint32_t d = 0; (d = flags_next(w->unsettled, d, w->n)) < w->n; d++)
		if (!w->probed[d] && w->by[d] == UPDATE_NONE) {
			more[d] = COVERAGE_AS_A | COVERAGE_AS_B;
			count++;
		}
	return count;
}

/* Another forced document may cover those: what was put off of the probed ones' pairs tells. */
static int settle_again(struct update_work *w, uint8_t *more, uint32_t *count, struct err *err)
{
	int rc = WN_OK;

	*count = note_unsettled(w, more);
	if (*count && (rc = update_pairs(w, (struct coverage_asking){ .asks = more, .later = true }, err)) == WN_OK &&
	    (rc = probe_wholly(w, more, err)) == WN_OK)
		*count = note_unsettled(w, more);
	return rc;
}

int update_probe(struct update_work *w, uint8_t *more, struct err *err)
{
	uint8_t *a_ok = mem_alloc((size_t)w->n + 1), *b_ok = mem_alloc((size_t)w->n + 1);
	uint32_t count;
	int rc = WN_OK;

	settle(w);
	if ((count = flags_count(more, w->n)) == 0)
		count = note_unsettled(w, more);
	while (count && rc == WN_OK) {
		note_wanted(w, more, a_ok, b_ok);
		rc = update_pairs(w, (struct coverage_asking){ .asks = more, .a_ok = a_ok, .b_ok = b_ok }, err);
		for (uint32_t d = 0; (d = flags_next(more, d, w->n)) < w->n; d++)
			w->probed[d] = 1;
		if (rc == WN_OK && (rc = probe_wholly(w, more, err)) == WN_OK)
			rc = settle_again(w, more, &count, err);
	}
	mem_free(a_ok);
	mem_free(b_ok);
	return rc;
}

/* ---- what is open ---- */

static void open_part(struct update_work *w, uint32_t d)
{
	if (w->before[d] != UPDATE_NONE)
		w->part_open[w->was->part[w->before[d]]] = 1;
}

/* Must its coverers be known one by one? */
static bool row_matters(const struct update_work *w, uint32_t a)
{
	if (w->by[a] != UPDATE_NONE && w->probed[a])
		return false;
	return w->probed[a] || kind_of(w, a) == STATE_FORCED || kind_of(w, a) == STATE_CORE || w->unsettled[a];
}

/* Components that lost something, and those with a row that is not what it was; documents probed that such rows need. */
static void open_by_change(struct update_work *w, const struct certificate *proof)
{
	const struct run_state *was = w->was;

	/* one that was not kept and needed nothing but a forced document leaves no gap */
	for (uint32_t o = 0; o < was->n; o++)
		if (w->now[o] == UPDATE_NONE &&
		    (was->witness[o] == STATE_KEPT || was->kind[o] == STATE_FORCED || was->kind[o] == STATE_CORE))
			w->part_open[was->part[o]] = 1;
	for (uint32_t i = 0; i < proof->value_count; i++) {
		uint32_t o = proof->values[i].id;

		if (w->now[o] == UPDATE_NONE || was->kind[o] == STATE_COVERED || was->kind[o] == STATE_FOLDED)
			w->part_open[was->part[o]] = 1;
	}
	for (uint32_t d = 0; (d = flags_next(w->unsettled, d, w->n)) < w->n; d++)
		if (!w->probed[d])
			open_part(w, d);
	for (uint32_t d = 0; (d = flags_next(w->probed, d, w->n)) < w->n; d++) {
		if (update_unchanged(w, d))
			open_part(w, d);
		w->open[d] = update_unchanged(w, d) || w->by[d] == UPDATE_NONE || w->run->group ||
			     (w->run->pinned && w->run->pinned[d]);
	}
	for (size_t i = 0; i < w->pairs.n; i++) {
		uint32_t a = w->pairs.p[i].a, b = w->pairs.p[i].b;

		if (!row_matters(w, a) || is_folded(w, b))
			continue;
		if (!w->probed[a])
			open_part(w, a);
		if (w->probed[b])
			w->open[b] = 1;
		else
			open_part(w, b);
	}
}

/* Groups that lost a document, and then all components of groups with an open document. */
static void open_groups(struct update_work *w)
{
	const struct run_state *was = w->was;
	uint8_t *less = mem_zarray((size_t)was->n + 1, 1);
	uint32_t *part_of = mem_array((size_t)w->n + 1, sizeof *part_of);

	for (uint32_t o = 0; o < was->n; o++)
		if (w->now[o] == UPDATE_NONE && was->group[o] != COVER_NO_GROUP)
			less[was->group[o]] = 1;
	for (uint32_t d = 0; d < w->n; d++) {
		uint32_t o = w->before[d];

		part_of[d] = o == UPDATE_NONE ? UPDATE_NONE : was->part[o];
		if (o != UPDATE_NONE && was->group[o] != COVER_NO_GROUP && less[was->group[o]])
			w->open[d] = 1;
	}
	groups_reach(w->open, w->n, w->run->group, w->run->groups, part_of, was->n_parts);
	mem_free(less);
	mem_free(part_of);
}

/* Of open components; true: some were not open before. */
static bool open_documents(struct update_work *w)
{
	const uint32_t *part = w->was->part, *before = w->before;
	const uint8_t *part_open = w->part_open, *kind = w->kind;
	uint8_t *open = w->open, more = 0;

	for (uint32_t d = 0, n = w->n; d < n; d++) {
		if (kind[d] == UPDATE_CHANGED || !part_open[part[before[d]]])
			continue;
		more |= !open[d];
		open[d] = 1;
	}
	return more;
}

void update_choose(struct update_work *w, const struct certificate *proof)
{
	bool more = true;

	open_by_change(w, proof);
	while (more) { /* groups open components, which open documents of further groups */
		more = false;
		if (w->run->group) {
			open_groups(w);
			for (uint32_t d = 0; d < w->n; d++)
				if (w->open[d] && update_unchanged(w, d))
					open_part(w, d);
		}
		more = open_documents(w) && w->run->group;
	}
}

/* ---- the problem of what is open ---- */

/* Pairs by a, then b, each once. */
static void sort_pairs(struct update_work *w)
{
	struct update_pair *to = mem_array(w->pairs.n + 1, sizeof *to);
	uint32_t *start = mem_zarray((size_t)w->n + 2, sizeof *start);
	size_t kept = 0;

	for (int turn = 0; turn < 2; turn++) { /* by b, then, keeping that, by a */
		memset(start, 0, ((size_t)w->n + 2) * sizeof *start);
		for (size_t i = 0; i < w->pairs.n; i++)
			start[(turn ? w->pairs.p[i].a : w->pairs.p[i].b) + 1]++;
		for (uint32_t d = 0; d < w->n; d++)
			start[d + 1] += start[d];
		for (size_t i = 0; i < w->pairs.n; i++)
			to[start[turn ? w->pairs.p[i].a : w->pairs.p[i].b]++] = w->pairs.p[i];
		if (w->pairs.n)
			memcpy(w->pairs.p, to, w->pairs.n * sizeof *to);
	}
	for (uint32_t d = 0, i = 0; d < w->n; d++) { /* start[d] became the end of d's */
		size_t from = kept;

		for (; i < start[d]; i++)
			if (kept == from || w->pairs.p[kept - 1].b != to[i].b)
				w->pairs.p[kept++] = to[i];
		start[d] = (uint32_t)from;
	}
	start[w->n] = (uint32_t)kept;
	w->pairs.n = kept;
	mem_free(to);
	mem_free(w->pair_start);
	w->pair_start = start;
}

/* All coverers of a row: those it had, and those of the pairs; ascending, each once. */
static void list_coverers(struct update_part *p, const struct update_work *w, uint32_t d)
{
	uint32_t o = w->before[d], i = 0, end = 0, k = w->pair_start[d];

	if (!w->probed[d]) {
		i = w->was->start[o];
		end = w->was->start[o + 1];
	}
	for (;;) {
		uint32_t x, y, b;

		while (i < end && w->now[w->was->by[i]] == UPDATE_NONE)
			i++;
		x = i < end ? w->now[w->was->by[i]] : UPDATE_NONE;
		y = k < w->pair_start[d + 1] ? w->pairs.p[k].b : UPDATE_NONE;
		b = x < y ? x : y;
		if (b == UPDATE_NONE)
			return;
		i += x == b;
		k += y == b;
		if (!is_folded(w, b))
			vec_push(&p->by, p->place[b]);
	}
}

static void one_coverer(struct update_part *p, uint32_t i, uint32_t b)
{
	if (p->place[b] == UPDATE_NONE)
		p->covered[i] = 1;
	else
		vec_push(&p->by, p->place[b]);
}

static void list_row(struct update_part *p, const struct update_work *w, uint32_t i)
{
	uint32_t d = p->docs[i];

	if (w->by[d] != UPDATE_NONE && (w->probed[d] || !is_folded(w, d)))
		one_coverer(p, i, w->by[d]);
	else if (w->probed[d] || kind_of(w, d) == STATE_FORCED || kind_of(w, d) == STATE_CORE)
		list_coverers(p, w, d);
	else if (kind_of(w, d) == STATE_COVERED)
		one_coverer(p, i, w->of[d]);
	else
		p->fold[i] = p->place[w->of[d]];
}

void update_part_build(struct update_part *p, struct update_work *w)
{
	sort_pairs(w);
	*p = (struct update_part){ .docs = mem_array((size_t)w->n + 1, sizeof *p->docs),
				   .place = mem_array((size_t)w->n + 1, sizeof *p->place) };
	for (uint32_t d = 0; d < w->n; d++) {
		p->place[d] = w->open[d] ? p->n : UPDATE_NONE;
		p->docs[p->n] = d;
		p->n += w->open[d];
	}
	p->start = mem_array((size_t)p->n + 1, sizeof *p->start);
	p->fold = mem_array((size_t)p->n + 1, sizeof *p->fold);
	p->covered = mem_zarray((size_t)p->n + 1, 1);
	vec_reserve(&p->by, 1);
	for (uint32_t i = 0; i < p->n; i++) {
		p->start[i] = p->by.n;
		p->fold[i] = i;
		list_row(p, w, i);
	}
	p->start[p->n] = p->by.n;
}

void update_part_release(struct update_part *p)
{
	mem_free(p->docs);
	mem_free(p->place);
	mem_free(p->start);
	mem_free(p->fold);
	mem_free(p->covered);
	vec_release(&p->by);
	*p = (struct update_part){ 0 };
}

enum state_kind update_settled(const struct update_part *p, const struct update_work *w, uint32_t i, uint32_t *of)
{
	uint32_t d = p->docs[i], b;

	*of = d;
	if (p->fold[i] != i) {
		*of = p->docs[p->fold[i]];
		return STATE_FOLDED;
	}
	if (p->covered[i]) {
		*of = w->by[d] != UPDATE_NONE ? w->by[d] : w->of[d];
		return STATE_COVERED;
	}
	if (p->start[i] == p->start[i + 1])
		return STATE_FORCED;
	b = p->by.p[p->start[i]];
	if (p->start[i + 1] - p->start[i] == 1 && p->start[b] == p->start[b + 1] && p->fold[b] == b && !p->covered[b]) {
		*of = p->docs[b];
		return STATE_COVERED;
	}
	return STATE_CORE;
}

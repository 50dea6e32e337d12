/* flow/update_plan.c -- see update_plan.h; docs/algorithm/update.md tells why it is right.
 *
 * Of an old run it is known of each document how it was settled (state.h): of
 * a forced or core document all coverers are known to be in its component; of
 * a covered or folded one only that `of` settles it.  A document stays settled
 * as long as that one is there, unchanged, and (if it covers) still forced.
 */
#include "flow/update_plan.h"

#include "base/map.h"
#include "base/progress.h"
#include "cover/update.h"

void update_work_open(struct update_work *w, struct run *r, const struct run_state *was, const uint8_t *was_kept)
{
	struct map old = { 0 };
	uint32_t n = (uint32_t)r->docs.n, found = 0;

	*w = (struct update_work){ .run = r, .was = was, .was_kept = was_kept, .n = n };
	w->before = mem_array((size_t)n + 1, sizeof *w->before);
	w->by = mem_array((size_t)n + 1, sizeof *w->by);
	w->now = mem_array((size_t)was->n + 1, sizeof *w->now);
	w->probed = mem_zarray((size_t)n + 1, 1);
	w->forced = mem_zarray((size_t)n + 1, 1);
	w->open = mem_zarray((size_t)n + 1, 1);
	for (uint32_t o = 0; o < was->n; o++) {
		map_put(&old, was->id[o], o);
		w->now[o] = UPDATE_NONE;
	}
	for (uint32_t d = 0; d < n; d++) {
		const uint64_t *o = map_get(&old, r->docs.id[d]);

		w->by[d] = UPDATE_NONE;
		w->before[d] = o ? (uint32_t)*o : UPDATE_NONE;
		found += o != NULL;
		if (o && was->signature[*o] == run_signature(r, d))
			w->now[*o] = d;
		else
			w->n_changed++;
	}
	w->n_gone = was->n - found;
	map_release(&old);
}

void update_work_close(struct update_work *w)
{
	mem_free(w->before);
	mem_free(w->now);
	mem_free(w->probed);
	mem_free(w->forced);
	mem_free(w->by);
	mem_free(w->open);
	vec_release(&w->pairs);
}

static bool unchanged(const struct update_work *w, uint32_t d)
{
	return w->before[d] != UPDATE_NONE && w->now[w->before[d]] == d;
}

static enum state_kind kind_of(const struct update_work *w, uint32_t d)
{
	return (enum state_kind)w->was->kind[w->before[d]];
}

static int note_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct update_work *w = context;

	(void)shared;
	(void)size_a;
	(void)size_b;
	vec_push(&w->pairs, ((struct update_pair){ a, b }));
	return 0;
}

/* Who is forced now, and whom a forced document of the pairs covers. */
static void settle(struct update_work *w)
{
	for (uint32_t d = 0; d < w->n; d++) {
		w->forced[d] = w->probed[d] || (unchanged(w, d) && kind_of(w, d) == STATE_FORCED);
		w->by[d] = UPDATE_NONE;
	}
	for (size_t i = 0; i < w->pairs.n; i++)
		w->forced[w->pairs.p[i].a] = 0;
	for (size_t i = 0; i < w->pairs.n; i++) {
		const struct update_pair *p = &w->pairs.p[i];

		if (w->forced[p->b] && (w->by[p->a] == UPDATE_NONE || p->b < w->by[p->a]))
			w->by[p->a] = p->b;
	}
}

/* Is what settled it still there?  Of documents that were not probed. */
static bool still_settled(const struct update_work *w, uint32_t d)
{
	uint32_t of;

	if (kind_of(w, d) != STATE_COVERED && kind_of(w, d) != STATE_FOLDED)
		return true;
	of = w->now[w->was->of[w->before[d]]];
	return of != UPDATE_NONE && (kind_of(w, d) == STATE_FOLDED || w->forced[of]);
}

int update_probe(struct update_work *w, uint8_t *more, struct err *err)
{
	uint32_t count = 0;
	int rc = WN_OK;

	for (uint32_t d = 0; d < w->n; d++)
		count += more[d];
	while (count && rc == WN_OK) {
		struct coverage_stats stats = { 0 };

		for (uint32_t d = 0; d < w->n; d++)
			w->probed[d] |= more[d];
		w->n_probed += count;
		rc = coverage_changed(&w->run->ruled.query, &w->run->join, more, note_pair, w, &stats, err);
		settle(w);
		count = 0;
		for (uint32_t d = 0; d < w->n; d++) {
			more[d] = !w->probed[d] && !still_settled(w, d) && w->by[d] == UPDATE_NONE;
			count += more[d];
		}
	}
	if (w->n_probed == 0)
		settle(w);
	return rc;
}

/* A component is opened by its number; a new document has none. */
static void open_part(const struct update_work *w, uint8_t *parts, uint32_t d)
{
	if (w->before[d] != UPDATE_NONE)
		parts[w->was->part[w->before[d]]] = 1;
}

static void open_by_pairs(struct update_work *w, uint8_t *parts)
{
	for (size_t i = 0; i < w->pairs.n; i++) {
		uint32_t a = w->pairs.p[i].a, b = w->pairs.p[i].b;

		/* a row that something forced of its own component covers does not care who else does */
		if (!w->probed[a] &&
		    (kind_of(w, a) == STATE_FORCED || kind_of(w, a) == STATE_CORE || !still_settled(w, a)))
			open_part(w, parts, a);
		if (w->probed[a] && !w->probed[b] && (w->by[a] == UPDATE_NONE || w->by[a] == b))
			open_part(w, parts, b);
	}
}

/* Groups that lost a document, and then all components of groups with an open document. */
static void open_groups(struct update_work *w)
{
	const struct run_state *was = w->was;
	struct update_plan plan = { .open = w->open };
	uint8_t *less = mem_zarray((size_t)was->n + 1, 1);
	uint32_t *part_of = mem_array((size_t)w->n + 1, sizeof *part_of);

	for (uint32_t o = 0; o < was->n; o++)
		if (w->now[o] == UPDATE_NONE && was->group[o] != COVER_NO_GROUP)
			less[was->group[o]] = 1;
	for (uint32_t d = 0; d < w->n; d++) {
		uint32_t o = w->before[d];

		part_of[d] = o == UPDATE_NONE ? UPDATE_NEW : was->part[o];
		if (o != UPDATE_NONE && was->group[o] != COVER_NO_GROUP && less[was->group[o]])
			w->open[d] = 1;
		plan.open_count += w->open[d];
	}
	update_open_groups(&plan, w->n, w->run->group, w->run->groups, part_of, was->n_parts);
	mem_free(less);
	mem_free(part_of);
}

void update_choose(struct update_work *w)
{
	const struct run_state *was = w->was;
	uint8_t *parts = mem_zarray((size_t)was->n_parts + 1, 1);
	bool more = true;

	/* one that was not kept and needed nothing but a forced document leaves no gap */
	for (uint32_t o = 0; o < was->n; o++)
		if (w->now[o] == UPDATE_NONE &&
		    (w->was_kept[o] || was->kind[o] == STATE_FORCED || was->kind[o] == STATE_CORE))
			parts[was->part[o]] = 1;
	for (uint32_t d = 0; d < w->n; d++)
		if (w->probed[d] || !still_settled(w, d)) /* what is not unchanged was probed */
			open_part(w, parts, d);
	open_by_pairs(w, parts);
	while (more) { /* groups open components, which open documents of further groups */
		more = false;
		if (w->run->group)
			open_groups(w);
		for (uint32_t d = 0; d < w->n; d++)
			if (w->open[d])
				open_part(w, parts, d);
		for (uint32_t d = 0; d < w->n; d++) {
			bool open =
			    w->open[d] || w->probed[d] || w->before[d] == UPDATE_NONE || parts[was->part[w->before[d]]];

			more |= open && !w->open[d];
			w->open[d] = open;
		}
	}
	mem_free(parts);
}

uint32_t update_unsettled(const struct update_work *w, const uint32_t *docs, const struct kernel *k, uint8_t *more)
{
	uint32_t count = 0;

	memset(more, 0, w->n);
	for (uint32_t i = 0; i < k->graph.n; i++) {
		uint32_t d = docs[i], of;
		enum state_kind is = state_settled(k, i, &of);

		if (w->probed[d] || (is != STATE_CORE && is != STATE_FORCED) || kind_of(w, d) == STATE_FORCED ||
		    kind_of(w, d) == STATE_CORE)
			continue;
		more[d] = 1;
		count++;
	}
	return count;
}

/* flow/update_combine.c -- what was solved again and what was left alone, as one answer (update_int.h):
 * kept documents, components, dual values over a common denominator, the state of the run.
 * Cost: a few passes over the documents.
 */
#include "flow/update_int.h"
#include "join/flags.h"

static uint32_t common(uint32_t x, uint32_t y)
{
	uint32_t a = x, b = y;

	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return x / a * y; /* both divide the solver's scale, so this does too */
}

static void combine_values(struct update *u)
{
	struct cover_result *all = &u->all;
	const struct update_work *w = &u->work;
	uint32_t old_by, new_by, *old;

	all->denominator = common(u->proof.denominator, u->solved.denominator);
	old_by = all->denominator / u->proof.denominator;
	new_by = all->denominator / u->solved.denominator;
	all->y = mem_zarray((size_t)w->n + 1, sizeof *all->y);
	for (uint32_t i = 0; i < u->proof.value_count; i++) {
		uint32_t d = w->now[u->proof.values[i].id];

		if (d != UPDATE_NONE && !w->open[d])
			all->y[d] = u->proof.values[i].y * old_by;
	}
	for (uint32_t i = 0; i < u->part.n; i++)
		all->y[u->part.docs[i]] = u->solved.y[i] * new_by;
	if (!u->run->group)
		return;
	all->group_y = mem_zarray((size_t)u->run->groups + 1, sizeof *all->group_y);
	for (uint32_t g = 0; g < u->run->groups; g++)
		all->group_y[g] = u->solved.group_y[g] * new_by;
	old = mem_zarray((size_t)u->was.n + 1, sizeof *old); /* there are no more groups than documents */
	for (uint32_t i = 0; i < u->proof.group_value_count; i++)
		if (u->proof.group_values[i].id < u->was.n)
			old[u->proof.group_values[i].id] = u->proof.group_values[i].y * old_by;
	for (uint32_t d = 0; d < w->n; d++) /* groups are open or closed as a whole */
		if (!w->open[d] && w->before[d] != UPDATE_NONE && u->was.group[w->before[d]] != COVER_NO_GROUP)
			all->group_y[u->run->group[d]] = old[u->was.group[w->before[d]]];
	mem_free(old);
}

/* Coverers of closed core documents that are still there. */
static uint32_t closed_list(const struct update *u, uint32_t o, uint32_t *out)
{
	uint32_t n = 0;

	for (uint32_t i = u->was.start[o]; i < u->was.start[o + 1]; i++) {
		uint32_t b = u->work.now[u->was.by[i]];

		if (out && b != UPDATE_NONE)
			out[n] = b;
		n += b != UPDATE_NONE;
	}
	return n;
}

static void settle_open(struct update *u, uint32_t d, uint32_t *at, uint32_t first_part)
{
	const struct update_part *p = &u->part;
	uint32_t i = p->place[d], component = u->solved.component[i];

	u->is.kind[d] = (uint8_t)update_settled(p, &u->work, i, &u->is.of[d]);
	u->is.part[d] = component == COVER_NO_COMPONENT ? UPDATE_NONE : first_part + component;
	for (uint64_t k = p->start[i]; u->is.kind[d] == STATE_CORE && k < p->start[i + 1]; k++)
		u->is.by[(*at)++] = p->docs[p->by.p[k]];
}

/* One that is new or changed, and closed: it folds, or only has to be covered, and is. */
static void settle_changed(struct update *u, uint32_t d)
{
	bool folds = u->work.folds[d];

	u->is.kind[d] = folds ? STATE_FOLDED : STATE_COVERED;
	u->is.of[d] = folds ? u->work.fold[d] : u->work.by[d];
	u->is.part[d] = UPDATE_NONE;
}

/* All documents in order, most of which are closed and as they were. */
static void settle_all(struct update *u, uint32_t closed, const uint32_t *number)
{
	const struct update_work *w = &u->work;
	const uint32_t *before = w->before, *part = u->was.part, *start = u->was.start;
	struct run_state *is = &u->is;
	uint32_t at = 0;

	for (uint32_t d = 0, n = w->n; d < n; d++) {
		uint32_t o = before[d];

		is->start[d] = at;
		if (w->open[d]) {
			settle_open(u, d, &at, closed);
		} else if (w->kind[d] == UPDATE_CHANGED) {
			settle_changed(u, d);
		} else {
			is->kind[d] = w->kind[d];
			is->of[d] = w->of[d];
			is->part[d] = number[part[o]];
			if (start[o] != start[o + 1])
				at += closed_list(u, o, is->by + at);
		}
	}
	is->start[w->n] = at;
}

/* Numbers of closed components, in order of their documents; returns how many. */
static uint32_t number_parts(const struct update *u, uint32_t *number)
{
	const uint8_t *open = u->work.open, *kind = u->work.kind;
	const uint32_t *part = u->was.part, *before = u->work.before;
	uint32_t parts = 0;

	memset(number, 0xff, ((size_t)u->was.n_parts + 1) * sizeof *number);
	for (uint32_t d = 0, n = u->work.n; d < n; d++)
		if (!open[d] && kind[d] != UPDATE_CHANGED && number[part[before[d]]] == UINT32_MAX)
			number[part[before[d]]] = parts++;
	return parts;
}

static uint64_t count_edges(const struct update *u)
{
	const uint32_t *now = u->work.now, *start = u->was.start;
	uint64_t edges = 0;
	uint32_t of;

	for (uint32_t o = 0, n = u->was.n; o < n; o++)
		if (start[o] != start[o + 1] && now[o] != UPDATE_NONE && !u->work.open[now[o]])
			edges += closed_list(u, o, NULL);
	for (uint32_t i = 0; i < u->part.n; i++)
		if (update_settled(&u->part, &u->work, i, &of) == STATE_CORE)
			edges += u->part.start[i + 1] - u->part.start[i];
	return edges;
}

/* The state of the run as it is now: closed components, then those solved.  Witnesses come later. */
static void combine_state(struct update *u)
{
	const struct update_work *w = &u->work;
	uint32_t *number = mem_array((size_t)u->was.n_parts + 1, sizeof *number), closed = number_parts(u, number);

	state_alloc(&u->is, w->n, closed + u->solved.component_count, (uint32_t)count_edges(u), u->run->group != NULL);
	u->is.run = reduce_about(u->run);
	u->is.index = u->was.index;
	memcpy(u->is.signature, w->signature, w->n * sizeof *w->signature);
	for (uint32_t d = 0; d < w->n; d++)
		u->is.id[d] = (uint32_t)u->run->docs.id[d];
	if (u->run->group)
		memcpy(u->is.group, u->run->group, w->n * sizeof *u->is.group);
	settle_all(u, closed, number);
	for (uint32_t d = 0; d < w->n; d++) { /* with whom they need */
		uint32_t of = d;

		if (u->is.part[d] != UPDATE_NONE)
			continue;
		while (u->is.part[of] == UPDATE_NONE)
			of = u->is.of[of];
		u->is.part[d] = u->is.part[of];
	}
	for (uint32_t k = 0; k < u->was.n_parts; k++)
		if (number[k] != UINT32_MAX)
			u->is.parts[number[k]] = u->was.parts[k];
	for (uint32_t k = 0; k < u->solved.component_count; k++) {
		const struct cover_component *c = &u->solved.components[k];

		u->is.parts[closed + k] = (struct state_part){ c->kept, c->lower, c->certified, c->status };
	}
	mem_free(number);
}

static void count_quotas(struct update *u)
{
	const struct run *r = u->run;
	uint32_t *kept = mem_zarray((size_t)r->groups + 1, sizeof *kept),
		 *size = mem_zarray((size_t)r->groups + 1, sizeof *size);

	for (uint32_t d = 0; r->group && d < r->docs.n; d++) {
		kept[r->group[d]] += u->all.kept[d];
		size[r->group[d]]++;
	}
	for (uint32_t g = 0; r->group && g < r->groups; g++)
		u->all.quotas_binding +=
		    size[g] && r->demand[g] && kept[g] <= (r->demand[g] < size[g] ? r->demand[g] : size[g]);
	mem_free(kept);
	mem_free(size);
}

/* Is a component left alone that has no proof? */
static bool left_unproven(const struct update *u)
{
	uint32_t closed = u->is.n_parts - u->solved.component_count;

	for (uint32_t k = 0; k < closed; k++)
		if (u->is.parts[k].status == COVER_BOUNDED)
			return true;
	return false;
}

static void keep_closed(uint8_t *restrict kept, const uint8_t *restrict open, const uint8_t *restrict kind,
			const uint8_t *restrict was, uint32_t n)
{
	for (uint32_t d = 0; d < n; d++)
		kept[d] = (uint8_t)((open[d] == 0) & (kind[d] != UPDATE_CHANGED) & was[d]);
}

void update_combine(struct update *u)
{
	struct cover_result *all = &u->all;
	const struct update_work *w = &u->work;

	all->kept = mem_zarray((size_t)w->n + 1, 1);
	keep_closed(all->kept, w->open, w->kind, w->kept, w->n);
	for (uint32_t i = 0; i < u->part.n; i++)
		all->kept[u->part.docs[i]] = u->solved.kept[i];
	combine_values(u);
	combine_state(u);
	all->kept_count = flags_count(all->kept, w->n);
	all->pinned_count = u->run->pinned ? flags_count(u->run->pinned, w->n) : 0;
	for (uint32_t d = 0; d < w->n; d++)
		all->forced += u->is.kind[d] == STATE_FORCED;
	all->component_count = u->is.n_parts;
	for (uint32_t k = 0; k < u->is.n_parts; k++) {
		all->lower_bound += u->is.parts[k].lower;
		all->certified += u->is.parts[k].certified;
		all->by_status[u->is.parts[k].status]++;
	}
	all->timed_out = u->solved.timed_out || (u->timed_out && left_unproven(u));
	/* which component it was is not kept: with any that was left alone it stays so */
	all->value_proven = u->solved.value_proven && !(u->value_unproven && u->is.n_parts > u->solved.component_count);
	count_quotas(u);
}

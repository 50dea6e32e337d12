/* flow/update_combine.c -- what was solved again and what was left alone, as one answer (update_int.h):
 * kept documents, components, dual values over a common denominator, the state of the run.
 * Cost: a few passes over the documents.
 */
#include "flow/update_int.h"

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

static void settle_closed(struct update *u, uint32_t d, uint32_t *at, const uint32_t *number)
{
	uint32_t o = u->work.before[d];

	if (u->work.fold[d] != UPDATE_NONE) {
		u->is.kind[d] = STATE_FOLDED;
		u->is.of[d] = u->work.fold[d];
		u->is.part[d] = UPDATE_NONE;
		return;
	}
	if (u->work.probed[d] && !update_unchanged(&u->work, d)) { /* it only has to be covered, and is */
		u->is.kind[d] = STATE_COVERED;
		u->is.of[d] = u->work.by[d];
		u->is.part[d] = UPDATE_NONE;
		return;
	}
	u->is.kind[d] = u->was.kind[o];
	u->is.of[d] = u->work.of[d];
	u->is.part[d] = number[u->was.part[o]];
	*at += closed_list(u, o, u->is.by + *at);
}

/* Numbers of closed components, in order of their documents; returns how many. */
static uint32_t number_parts(const struct update *u, uint32_t *number)
{
	uint32_t parts = 0;

	memset(number, 0xff, ((size_t)u->was.n_parts + 1) * sizeof *number);
	for (uint32_t d = 0; d < u->work.n; d++)
		if (!u->work.open[d] && update_unchanged(&u->work, d) &&
		    number[u->was.part[u->work.before[d]]] == UINT32_MAX)
			number[u->was.part[u->work.before[d]]] = parts++;
	return parts;
}

static uint64_t count_edges(const struct update *u)
{
	uint64_t edges = 0;
	uint32_t of;

	for (uint32_t d = 0; d < u->work.n; d++)
		if (!u->work.open[d] && update_unchanged(&u->work, d))
			edges += closed_list(u, u->work.before[d], NULL);
	for (uint32_t i = 0; i < u->part.n; i++)
		if (update_settled(&u->part, &u->work, i, &of) == STATE_CORE)
			edges += u->part.start[i + 1] - u->part.start[i];
	return edges;
}

/* The state of the run as it is now: closed components, then those solved.  Witnesses come later. */
static void combine_state(struct update *u)
{
	const struct update_work *w = &u->work;
	uint32_t *number = mem_array((size_t)u->was.n_parts + 1, sizeof *number), closed = number_parts(u, number),
		 at = 0;

	state_alloc(&u->is, w->n, closed + u->solved.component_count, (uint32_t)count_edges(u));
	u->is.run = reduce_about(u->run);
	u->is.index = u->was.index;
	memcpy(u->is.signature, w->signature, w->n * sizeof *w->signature);
	for (uint32_t d = 0; d < w->n; d++) {
		u->is.id[d] = (uint32_t)u->run->docs.id[d];
		u->is.group[d] = u->run->group ? u->run->group[d] : COVER_NO_GROUP;
		u->is.start[d] = at;
		w->open[d] ? settle_open(u, d, &at, closed) : settle_closed(u, d, &at, number);
	}
	u->is.start[w->n] = at;
	for (uint32_t d = 0; d < w->n; d++) { /* with whom they need */
		uint32_t of = d;

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

void update_combine(struct update *u)
{
	struct cover_result *all = &u->all;
	const struct update_work *w = &u->work;

	all->kept = mem_zarray((size_t)w->n + 1, 1);
	for (uint32_t d = 0; d < w->n; d++)
		if (!w->open[d] && update_unchanged(w, d))
			all->kept[d] = u->work.kept[d];
	for (uint32_t i = 0; i < u->part.n; i++)
		all->kept[u->part.docs[i]] = u->solved.kept[i];
	combine_values(u);
	combine_state(u);
	for (uint32_t d = 0; d < w->n; d++) {
		all->kept_count += all->kept[d];
		all->pinned_count += u->run->pinned && u->run->pinned[d];
		all->forced += u->is.kind[d] == STATE_FORCED;
	}
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

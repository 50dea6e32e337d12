/* cover/update.c -- marks, over arrays; nothing is solved here. */
#include "cover/update.h"

#include "base/mem.h"

static void open_component(uint8_t *flag, const uint32_t *before, const uint32_t *was_component, uint32_t d)
{
	if (before[d] != UPDATE_NEW && was_component[before[d]] != COVER_NO_COMPONENT)
		flag[was_component[before[d]]] = 1;
}

void update_plan(struct update_plan *out, uint32_t n, const uint32_t *before, const uint8_t *changed,
		 const uint32_t *was_component, uint32_t previous, uint32_t components, const uint32_t *gone,
		 uint32_t gone_count, const uint32_t *a, const uint32_t *b, uint64_t edges)
{
	uint8_t *flag = mem_zarray((size_t)components + 1, 1);

	*out = (struct update_plan){ .open = mem_zarray((size_t)n + 1, 1) };
	for (uint32_t i = 0; i < gone_count; i++)
		if (gone[i] < previous && was_component[gone[i]] != COVER_NO_COMPONENT)
			flag[was_component[gone[i]]] = 1;
	for (uint32_t d = 0; d < n; d++)
		if (changed[d] || before[d] == UPDATE_NEW) {
			out->open[d] = 1;
			open_component(flag, before, was_component, d);
		}
	for (uint64_t i = 0; i < edges; i++) {
		out->open[a[i]] = out->open[b[i]] = 1;
		open_component(flag, before, was_component, a[i]);
		open_component(flag, before, was_component, b[i]);
	}
	for (uint32_t d = 0; d < n; d++) {
		/* what stood outside all components is cheap to look at again */
		if (before[d] != UPDATE_NEW &&
		    (was_component[before[d]] == COVER_NO_COMPONENT || flag[was_component[before[d]]]))
			out->open[d] = 1;
		out->open_count += out->open[d];
	}
	for (uint32_t k = 0; k < components; k++)
		out->components_open += flag[k];
	out->components_kept = components - out->components_open;
	mem_free(flag);
}

void update_plan_release(struct update_plan *p)
{
	mem_free(p->open);
	*p = (struct update_plan){ 0 };
}

bool update_open_groups(struct update_plan *p, uint32_t n, const uint32_t *group, uint32_t groups,
			const uint32_t *component_of, uint32_t components)
{
	uint8_t *open_group = mem_zarray((size_t)groups + 1, 1), *open_part = mem_zarray((size_t)components + 1, 1);
	uint32_t was = p->open_count;
	bool more = true;

	while (more) { /* a component opened by one group may touch another */
		more = false;
		for (uint32_t d = 0; d < n; d++)
			if (p->open[d] && group[d] < groups && !open_group[group[d]])
				open_group[group[d]] = more = true;
		for (uint32_t d = 0; d < n; d++)
			if (component_of[d] < components && group[d] < groups && open_group[group[d]])
				open_part[component_of[d]] = 1;
		for (uint32_t d = 0; d < n; d++)
			if (!p->open[d] && ((component_of[d] < components && open_part[component_of[d]]) ||
					    (group[d] < groups && open_group[group[d]]))) {
				p->open[d] = 1;
				p->open_count++;
				more = true;
			}
	}
	mem_free(open_group);
	mem_free(open_part);
	return p->open_count > was;
}

struct cover_difference cover_compare(const uint8_t *first, const uint8_t *second, uint32_t n)
{
	struct cover_difference out = { 0 };

	for (uint32_t d = 0; d < n; d++) {
		out.both += first[d] && second[d];
		out.only_first += first[d] && !second[d];
		out.only_second += !first[d] && second[d];
		out.neither += !first[d] && !second[d];
	}
	return out;
}

/* cover/update.h -- what to solve again when documents changed, and how two covers differ.
 *
 * A component none of whose documents or edges changed has the cover it had:
 * the problem falls apart by components, and ties are decided by canonical
 * order, which changes nothing inside an untouched component as long as its
 * documents keep their order among themselves.  So after a change only the
 * components that hold a changed document, or a neighbour of one, are open;
 * with quotas, also all that a quota with a changed member touches.
 */
#ifndef WINNOW_COVER_UPDATE_H
#define WINNOW_COVER_UPDATE_H
#include "cover/cover.h"

#define UPDATE_NEW UINT32_MAX

struct update_plan {
	uint8_t *open; /* n: the document is in a component to be solved again */
	uint32_t open_count, components_open, components_kept;
};

/* n documents now; before[d] is d's number in the previous run, or UPDATE_NEW.
 * was_component is by previous number (previous: how many).  changed[d]: new, or its set,
 * time or other attribute is different.  gone lists previous numbers that are
 * no longer there.  Edges: pairs (a, b) of present documents with an end that
 * changed, as the join finds them: a[i], b[i].  Deterministic; linear. */
void update_plan(struct update_plan *out, uint32_t n, const uint32_t *before, const uint8_t *changed,
		 const uint32_t *was_component, uint32_t previous, uint32_t components, const uint32_t *gone,
		 uint32_t gone_count, const uint32_t *a, const uint32_t *b, uint64_t edges);
void update_plan_release(struct update_plan *p);

/* Opens further every component of a group that has an open document; true if
 * that opened anything.  component_of: by present number, UPDATE_NEW for new ones. */
bool update_open_groups(struct update_plan *p, uint32_t n, const uint32_t *group, uint32_t groups,
			const uint32_t *component_of, uint32_t components);

/* How two covers of one collection differ. */
struct cover_difference {
	uint32_t both, only_first, only_second, neither;
};
struct cover_difference cover_compare(const uint8_t *first, const uint8_t *second, uint32_t n);
#endif

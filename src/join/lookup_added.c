/* join/lookup_added.c -- sets that were added to an index (added.h), as lookup.c needs them. */
#include <string.h>

#include "base/mem.h"
#include "join/lookup_int.h"

void lookup_added_items(const struct added *a, const uint64_t *item, uint32_t n, uint32_t of, postings_hits *out)
{
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < a->parts.n && added_may_have(a, item[i]); k++) {
			const struct added_part *p = &a->parts.p[k];

			for (size_t e = p->slot[item[i] >> p->shift]; e < p->n && p->items[e] <= item[i]; e++)
				if (p->items[e] == item[i])
					vec_push(out, ((struct postings_found){ of, p->first + p->who[e] }));
		}
}

/* How many of a row's classes are the prefix of a set that must share `least`, and has of the row no more than all. */
static uint32_t prefix_of(const struct postings *kept, const uint32_t *class, uint32_t n, uint64_t rest, uint64_t least)
{
	uint32_t i = 0;

	for (; i < n && rest >= least; i++)
		rest -= kept->classes[class[i]].weight;
	return i;
}

/* An added set probes by its base's classes.  Those of the base's own prefix have the base in front; where the set
 * need share less there are more. */
void lookup_added_more(struct lookup *x)
{
	struct postings *kept = x->r->kept;
	const struct added *a = &kept->added;

	x->more_start = mem_array((size_t)kept->tail.classes + 1, sizeof *x->more_start);
	memset(x->more_start, 0xff, ((size_t)kept->tail.classes + 1) * sizeof *x->more_start);
	for (uint32_t k = 0; k < a->n; k++) {
		const uint32_t *class;
		uint64_t least, size = 0;
		uint32_t n;

		if (a->set_of[k] == JOIN_NO_SET || a->base[k] == ADDED_NONE ||
		    !(class = postings_row_classes(kept, a->base[k])))
			continue;
		n = kept->rows[a->base[k]].n;
		for (uint32_t i = 0; i < n; i++)
			size += kept->classes[class[i]].weight;
		least = joiner_least(x->r->lead, size + kept->rows[a->base[k]].alone);
		for (uint32_t
			 i = prefix_of(kept, class, n, size, least),
			 end = prefix_of(kept, class, n, size, joiner_least(x->r->lead, x->sets->size[a->set_of[k]]));
		     i < end; i++) {
			vec_push(&x->more, ((struct lookup_more){ k, x->more_start[class[i]] }));
			x->more_start[class[i]] = (uint32_t)x->more.n - 1;
		}
	}
}

/* cover/kernel.c -- one pass over the kernel's lists. */
#include "cover/kernel.h"

void cover_from_kernel(struct arena *a, const struct kernel *k, struct cover_problem *out)
{
	uint64_t *start = ARENA_ARRAY(a, uint64_t, (size_t)k->n + 1), at = 0;
	uint32_t *by = ARENA_ARRAY(a, uint32_t, k->start[k->n_elements] + 1), element = 0;
	uint8_t *covered = arena_zalloc(a, (size_t)k->n + 1);

	for (uint32_t d = 0; d < k->n; d++) {
		start[d] = at;
		covered[d] = k->state[d] == KERNEL_COVERED;
		if (element < k->n_elements && k->element[element] == d) {
			for (uint64_t i = k->start[element]; i < k->start[element + 1]; i++)
				if (k->by[i] != d)
					by[at++] = k->by[i];
			element++;
		}
	}
	start[k->n] = at;
	*out = (struct cover_problem){ .n = k->n, .start = start, .by = by, .covered = covered, .fold = k->folded_into };
}

void cover_from_coverage(const struct coverage *c, struct cover_problem *out)
{
	*out = (struct cover_problem){ .n = c->n, .start = c->start, .by = c->by };
}

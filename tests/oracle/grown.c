/* oracle/grown.c -- see grown.h. */
#include "grown.h"

#include "base/mem.h"

void grown_row(void *context, uint32_t doc, const uint32_t *by, size_t n)
{
	struct coverage *c = &((struct kernel *)context)->graph;
	uint64_t at = c->start[doc], all = c->start[c->n];
	uint32_t *wider = mem_array(all + n + 1, sizeof *wider);

	for (uint64_t i = 0; i < at; i++)
		wider[i] = c->by[i];
	for (size_t i = 0; i < n; i++)
		wider[at + i] = by[i];
	for (uint64_t i = at; i < all; i++)
		wider[n + i] = c->by[i];
	for (uint32_t d = doc + 1; d <= c->n; d++)
		c->start[d] += n;
	mem_free(c->by);
	c->by = wider;
}

/* base/vec.c -- see vec.h.  Doubles; never shrinks. */
#include "base/vec.h"

void *vec_grow_(void *p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 8;

	while (n < want)
		n *= 2;
	*cap = n;
	return mem_rearray(p, n, size);
}

/* base/vec.h -- a typed array that grows.
 *
 *	VEC(uint64_t) v = { 0 };
 *	vec_push(&v, 7);
 *	for (size_t i = 0; i < v.n; i++) use(v.p[i]);
 *	vec_release(&v);
 *
 * Zero-initialised is empty.  Elements move when it grows.
 */
#ifndef WINNOW_BASE_VEC_H
#define WINNOW_BASE_VEC_H
#include <stdlib.h>

#include "base/mem.h"

#define VEC(T)                 \
	struct {               \
		T *p;          \
		size_t n, cap; \
	}

#define vec_reserve(v, want)          \
	((v)->cap >= (want) ? (void)0 \
			    : (void)((v)->p = vec_grow_((v)->p, &(v)->cap, (want), sizeof(__typeof__(*(v)->p)))))
#define vec_push(v, x) (vec_reserve(v, (v)->n + 1), (v)->p[(v)->n++] = (x))
#define vec_add(v) (vec_reserve(v, (v)->n + 1), &(v)->p[(v)->n++]) /* pointer to a new, uninitialised element */
#define vec_last(v) ((v)->p[(v)->n - 1])
#define vec_release(v) (mem_free((v)->p), (v)->p = NULL, (v)->n = (v)->cap = 0)

/* qsort, that takes an empty array wherever it is not. */
static inline void sort_array(void *p, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	if (n > 1)
		qsort(p, n, size, compare);
}

void *vec_grow_(void *p, size_t *cap, size_t want, size_t size);
#endif

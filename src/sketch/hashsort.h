/* sketch/hashsort.h -- sorts 64-bit hashes. */
#ifndef WINNOW_SKETCH_HASHSORT_H
#define WINNOW_SKETCH_HASHSORT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts v[0..n) ascending; scratch has room for n more.  Repeated values stay when `repeated`, else one of them does.
 * Returns how many remain.  Made for uniform hashes, linear in them; right for all, and as slow as quicksort for what shares leading bits. */
size_t hashsort(uint64_t *v, size_t n, uint64_t *scratch, bool repeated);

/* The same with scratch for n_scratch values only; n / 64 are enough for uniform hashes, with fewer it is slower. */
size_t hashsort_in_place(uint64_t *v, size_t n, uint64_t *scratch, size_t n_scratch, bool repeated);

/* The union of two ascending arrays without repetition, which is such a one; out has room for both. */
size_t hashsort_unite(uint64_t *out, const uint64_t *a, size_t na, const uint64_t *b, size_t nb);
#endif

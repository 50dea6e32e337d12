/* join/intersect.h -- what two ascending arrays share.
 *
 * The public functions choose AVX2 at run time; the _plain twins are the same
 * in portable C and are what a test compares them with.
 */
#ifndef WINNOW_JOIN_INTERSECT_H
#define WINNOW_JOIN_INTERSECT_H
#include <stdint.h>

/* Items shared by two bags (equal items pair off one to one). */
uint32_t intersect_bags(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb);

/* The same for sets: no item repeats within one array. */
uint32_t intersect_sets(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb);
uint32_t intersect_sets_plain(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb);

/* The sum of weight[i] over a[i] that are in b (no repeats).  rest[i] is the
 * sum of weight[i..na).  It may stop, and then returns something below need,
 * as soon as need cannot be reached. */
uint32_t intersect_weights(const uint32_t *a, const uint32_t *weight, const uint32_t *rest, uint32_t na,
			   const uint32_t *b, uint32_t nb, uint32_t need);
uint32_t intersect_weights_plain(const uint32_t *a, const uint32_t *weight, const uint32_t *rest, uint32_t na,
				 const uint32_t *b, uint32_t nb, uint32_t need);
#endif

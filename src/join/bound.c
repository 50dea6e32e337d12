/* join/bound.c -- see bound.h. */
#include "join/bound.h"

/* The least o with o * over >= num, or > when strict. */
static uint64_t least(uint64_t num, uint64_t over, bool strict)
{
	return strict ? num / over + 1 : num / over + (num % over != 0);
}

bool bound_holds(const struct join_bound *b, uint64_t A, uint64_t B, uint64_t o)
{
	uint64_t left, right;

	if (b->measure == JOIN_SHARED) {
		left = o * b->den;
		right = b->num;
	} else if (A == 0 && B == 0) {
		left = b->den;
		right = b->num;
	} else if (A == 0 || B == 0) {
		left = 0;
		right = b->num;
	} else if (b->measure == JOIN_CONTAINED) {
		left = o * b->den;
		right = b->num * A;
	} else if (b->measure == JOIN_CONTAINS) {
		left = o * b->den;
		right = b->num * B;
	} else if (b->measure == JOIN_JACCARD) {
		left = o * b->den;
		right = b->num * (A + B - o);
	} else {
		left = 2 * o * b->den;
		right = b->num * (A + B);
	}
	return b->strict ? left > right : left >= right;
}

uint64_t bound_need(const struct join_bound *b, uint64_t A, uint64_t B)
{
	switch (b->measure) {
	case JOIN_CONTAINED: return least(b->num * A, b->den, b->strict);
	case JOIN_CONTAINS: return least(b->num * B, b->den, b->strict);
	case JOIN_JACCARD: return least(b->num * (A + B), b->den + b->num, b->strict);
	case JOIN_DICE: return least(b->num * (A + B), 2 * b->den, b->strict);
	default: return least(b->num, b->den, b->strict);
	}
}

uint64_t bound_least(const struct join_bound *b, uint64_t A)
{
	switch (b->measure) {
	case JOIN_CONTAINED:
	case JOIN_JACCARD: /* B >= o, so o den >= num (A + B - o) >= num A */
		return least(b->num * A, b->den, b->strict);
	case JOIN_DICE: /* B >= o: 2 o den >= num A + num o */
		return b->num >= 2 * b->den ? UINT32_MAX : least(b->num * A, 2 * b->den - b->num, b->strict);
	case JOIN_CONTAINS: return 1;
	default: return least(b->num, b->den, b->strict);
	}
}

struct join_bound bound_flip(struct join_bound b)
{
	if (b.measure == JOIN_CONTAINED)
		b.measure = JOIN_CONTAINS;
	else if (b.measure == JOIN_CONTAINS)
		b.measure = JOIN_CONTAINED;
	return b;
}

bool bound_symmetric(const struct join_bound *b) { return b->measure != JOIN_CONTAINED && b->measure != JOIN_CONTAINS; }

/* rule/measure.c -- measures of overlap against exact fractions.
 *
 * o, A, B below 2^62 and p, q below 2^62: every product fits 128 bits.
 * Empty sets: both empty, every ratio is 1; one empty, 0.
 */
#include <math.h>

#include "rule/ast.h"

typedef unsigned __int128 u128;

enum cmp_op cmp_flip(enum cmp_op op)
{
	static const enum cmp_op flip[] = { CMP_EQ, CMP_NE, CMP_GT, CMP_GE, CMP_LT, CMP_LE };

	return flip[op];
}

enum cmp_op cmp_not(enum cmp_op op)
{
	static const enum cmp_op complement[] = { CMP_NE, CMP_EQ, CMP_GE, CMP_GT, CMP_LE, CMP_LT };

	return complement[op];
}

bool cmp_double(enum cmp_op op, double x, double y)
{
	switch (op) {
	case CMP_EQ: return x == y || (isnan(x) && isnan(y));
	case CMP_NE: return !(x == y || (isnan(x) && isnan(y)));
	case CMP_LT: return x < y;
	case CMP_LE: return x <= y;
	case CMP_GT: return x > y;
	default: return x >= y;
	}
}

bool cmp_rank(enum cmp_op op, uint32_t x, uint32_t y)
{
	switch (op) {
	case CMP_EQ: return x == y;
	case CMP_NE: return x != y;
	case CMP_LT: return x && y && x < y;
	case CMP_LE: return x && y && x <= y;
	case CMP_GT: return x && y && x > y;
	default: return x && y && x >= y;
	}
}

/* The measure as top / bottom. */
static void ratio(enum measure m, struct overlap ov, u128 *top, u128 *bottom)
{
	*top = ov.o;
	*bottom = 1;
	if (m == MEASURE_SHARED)
		return;
	if (ov.a == 0 || ov.b == 0) {
		*top = ov.a == ov.b;
		return;
	}
	switch (m) {
	case MEASURE_CONTAINMENT_AB: *bottom = ov.a; break;
	case MEASURE_CONTAINMENT_BA: *bottom = ov.b; break;
	case MEASURE_JACCARD: *bottom = (u128)ov.a + ov.b - ov.o; break;
	default: *top = (u128)2 * ov.o; *bottom = (u128)ov.a + ov.b;
	}
}

/* 128 bits: always enough. */
static bool measure_holds_widely(enum measure m, enum cmp_op op, uint64_t p, uint64_t q, struct overlap ov)
{
	u128 top, bottom, left, right;

	ratio(m, ov, &top, &bottom);
	left = top * q;
	right = bottom * p;
	switch (op) {
	case CMP_EQ: return left == right;
	case CMP_NE: return left != right;
	case CMP_LT: return left < right;
	case CMP_LE: return left <= right;
	case CMP_GT: return left > right;
	default: return left >= right;
	}
}

static bool cmp_products(enum cmp_op op, uint64_t left, uint64_t right)
{
	switch (op) {
	case CMP_EQ: return left == right;
	case CMP_NE: return left != right;
	case CMP_LT: return left < right;
	case CMP_LE: return left <= right;
	case CMP_GT: return left > right;
	default: return left >= right;
	}
}

bool measure_holds(enum measure m, enum cmp_op op, uint64_t p, uint64_t q, struct overlap ov)
{
	/* nearly always: every product below 2^62 */
	if ((ov.a | ov.b | p | q) >> 30 == 0 && ov.a && ov.b) {
		switch (m) {
		case MEASURE_CONTAINMENT_AB: return cmp_products(op, ov.o * q, p * ov.a);
		case MEASURE_CONTAINMENT_BA: return cmp_products(op, ov.o * q, p * ov.b);
		case MEASURE_JACCARD: return cmp_products(op, ov.o * q, p * (ov.a + ov.b - ov.o));
		case MEASURE_DICE: return cmp_products(op, 2 * ov.o * q, p * (ov.a + ov.b));
		default: return cmp_products(op, ov.o * q, p);
		}
	}
	return measure_holds_widely(m, op, p, q, ov);
}

double measure_value(enum measure m, struct overlap ov)
{
	u128 top, bottom;

	ratio(m, ov, &top, &bottom);
	if (top >> 64 || bottom >> 64)
		return (double)top / (double)bottom;
	return (double)(uint64_t)top / (double)(uint64_t)bottom;
}

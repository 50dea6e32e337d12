/* sketch/diff.h -- how two texts differ, in words or lines.
 *
 * Anchored on shared shingles: runs of five tokens that occur once in each
 * text and in the same order (longest increasing subsequence) are the same
 * place; what lies between two anchors is compared by Myers' method, with a
 * bound on the number of differences, beyond which the stretch is shown as
 * replaced.  Cost: O(n log n) and the bounded search; pages take milliseconds.
 */
#ifndef WINNOW_SKETCH_DIFF_H
#define WINNOW_SKETCH_DIFF_H
#include "base/arena.h"

enum diff_unit { DIFF_WORD, DIFF_LINE };
enum diff_op { DIFF_SAME, DIFF_ONLY_A, DIFF_ONLY_B };

struct diff_piece {
	enum diff_op op;
	struct str text; /* of a for SAME and ONLY_A, of b for ONLY_B; with the white space behind it */
	uint32_t tokens;
};

struct diff {
	struct diff_piece *pieces; /* in reading order; of a change ONLY_A before ONLY_B */
	size_t n;
	uint32_t same, only_a, only_b; /* tokens */
};

/* In the arena; pieces borrow from a and b. */
struct diff diff_texts(struct arena *arena, struct str a, struct str b, enum diff_unit unit);
#endif

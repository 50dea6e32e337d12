/* rule/regex_prog.h -- the compiled form of a regular expression, between
 * regex_parse.c (makes it) and regex.c (runs it).
 *
 * A program for a machine that holds many places at once.  Code points are
 * first mapped to symbols: code points that no class of the pattern tells
 * apart share one, so a set of code points is a bit set of symbols.
 */
#ifndef WINNOW_RULE_REGEX_PROG_H
#define WINNOW_RULE_REGEX_PROG_H
#include "rule/regex.h"

enum inst_op { INST_SET, INST_SPLIT, INST_JUMP, INST_START, INST_FINISH, INST_WORD, INST_NOT_WORD, INST_MATCH };

struct inst {
	enum inst_op op;
	uint32_t x, y; /* SET: set x; SPLIT: both; JUMP: x */
};

struct regex {
	struct inst *insts;
	size_t n;
	unsigned flags;
	bool has_word;	/* \b or \B occurs */
	uint8_t **sets; /* by set, by symbol: 1 = in it */
	size_t n_sets;
	size_t n_symbols;
	uint32_t *bounds; /* first code point of each run of one symbol, ascending; bounds[0] = 0 */
	uint16_t *bound_symbol;
	size_t n_bounds;
	uint16_t ascii[128];
	uint8_t *is_word; /* by symbol */
};

static inline uint16_t regex_symbol(const struct regex *re, uint32_t cp)
{
	size_t lo = 0, hi = re->n_bounds;

	if (cp < 128)
		return re->ascii[cp];
	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;

		if (re->bounds[mid] <= cp)
			lo = mid;
		else
			hi = mid;
	}
	return re->bound_symbol[lo];
}
#endif

/* rule/regex.h -- regular expressions in linear time.
 *
 * Thompson's automaton over code points, run as a lazily built DFA over bytes
 * with a bounded cache; no backtracking, so no input is slow.  Literals,
 * . [a-z] [^x] [[:alpha:]] \d \D \w \W \s \S \b \B \t \n \xHH \x{H} \uHHHH, ( ) (?: ) | * + ? {m,n}
 * (and their lazy forms, which find the same), ^ $.  Back-references and look-around are errors.  Ill-formed UTF-8
 * matches as U+FFFD.  A compiled regex is read-only; each thread matches with its own regex_run.
 */
#ifndef WINNOW_RULE_REGEX_H
#define WINNOW_RULE_REGEX_H
#include "base/arena.h"
#include "base/err.h"

enum regex_flags {
	REGEX_ICASE = 1, /* ASCII and simple Unicode case folding */
	REGEX_FULL = 2,	 /* the whole string must match */
	REGEX_START = 4, /* the match begins at the start */
};

struct regex;
/* In the arena.  On error *column (1-based, in bytes; may be NULL) is the place. */
int regex_parse(struct arena *arena, struct str pattern, unsigned flags, struct regex **out, size_t *column,
		struct err *err);

struct regex_run;
struct regex_run *regex_run_new(const struct regex *re); /* a matcher: the lazily built states */
void regex_run_free(struct regex_run *run);
bool regex_match(struct regex_run *run, struct str s);

/* The same without the table of states: slow, needs no run. */
bool regex_match_plainly(const struct regex *re, struct str s);
#endif

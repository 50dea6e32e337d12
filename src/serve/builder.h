/* serve/builder.h -- the rule studio's fields and the rule's text: two views of one rule.
 *
 * built_read takes a rule in canonical form apart: what the fields can show
 * goes into them, other clauses go into `more` as they are, so that nothing is
 * lost on the way through the fields.  A rule with "or" at its top has no
 * fields.  built_write is the way back.  Pure; one pass.
 */
#ifndef WINNOW_SERVE_BUILDER_H
#define WINNOW_SERVE_BUILDER_H
#include "base/arena.h"
#include "base/buf.h"

struct built_choice {
	const char *value, *label, *clause; /* as a form sends it, as a person reads it, as a rule has it */
};
extern const struct built_choice built_measures[], built_places[]; /* end with value == NULL */

struct built {
	unsigned measure, place; /* of the tables */
	unsigned percent;	 /* hundredths of a percent: 7000 is 70 % */
	bool main_text, not_older, same_lang;
	struct str more; /* further clauses, joined by " and " */
};

/* False: the fields cannot show this rule. */
bool built_read(struct arena *a, struct str canonical, struct built *out);
void built_write(const struct built *b, struct buf *out);
/* "70", "70.5": false when it is no percentage above 0. */
bool built_percent(struct str text, unsigned *out);
struct str built_percent_text(struct arena *a, unsigned percent);
#endif

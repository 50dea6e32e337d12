/* rule/rule.h -- a rule or a selection: parsed, its types checked, in canonical form.
 *
 * A rule speaks of two documents, a (may be dropped) and b (would stay); a
 * selection of one.  The language is described in winnow-rules(7).
 *
 *	struct rule_env env = { .kind = RULE_PAIR, ... };
 *	rule_parse(&arena, text, &env, &rule, err)
 *
 * An error's text has several lines: what is wrong, the line of the rule with
 * a caret under the place, what was expected, and a suggestion.  Everything
 * lives in the arena; a rule is never changed after parsing.
 */
#ifndef WINNOW_RULE_RULE_H
#define WINNOW_RULE_RULE_H
#include "base/arena.h"
#include "base/err.h"
#include "rule/columns.h"

enum text_kind { TEXT_BODY, TEXT_MAIN, TEXT_KINDS };
enum rule_kind { RULE_PAIR, RULE_SELECTION, RULE_NUMERIC /* a numeric expression of one document */ };

struct rule_attr {
	struct str name; /* of an imported attribute; compared with '-' and '_' alike, in any case */
	enum value_type type;
};

/* What the parser has to know of the collection.  Zero is "no collection":
 * all built-in attributes, default settings not checked. */
struct rule_env {
	enum rule_kind kind;
	const struct rule_attr *user;
	size_t n_user;
	uint64_t uncomputed; /* bit 1<<ATTR_RANK etc. set: not computed yet, using it is an error */
	bool has_settings;   /* the following are known and `k`, `unit` in a rule are checked */
	unsigned k;
	bool unit_char, bag;
	enum text_kind default_text;
};

struct node; /* rule/ast.h */
struct rule {
	struct rule_env env;
	struct node *root;
	struct str source;	/* as given: nodes and messages name places in it */
	struct str canonical;	/* a b, full names, ASCII operators, single spaces */
	char sha256[65];	/* the rule's name: hex of the canonical form's SHA-256 */
	unsigned texts;		/* bit 1<<TEXT_BODY, 1<<TEXT_MAIN: which sets its measures use */
	bool needs[ATTR_LIMIT]; /* attributes to fill in the columns (`year` asks for ATTR_TIME) */
	struct str *queries;	/* selection: the words of each `text ~ "..."`, for the full-text index */
	size_t n_queries;
};

int rule_parse(struct arena *arena, struct str text, const struct rule_env *env, struct rule **out, struct err *err);

/* Built-in attribute by name or alias ('-' '_' and case alike); -1 when unknown. */
int attr_find(struct str name);
const char *attr_name(unsigned attr); /* of a built-in attribute */
enum value_type attr_type(unsigned attr);
const char *type_name(enum value_type type);

/* `--per host,lang`: attribute numbers, at most max of them. */
int attrs_parse(struct str list, const struct rule_env *env, unsigned *out, size_t max, size_t *n, struct err *err);

/* `--prefer`: newest, oldest, longest, an attribute or a numeric expression of
 * one document; a rule of kind RULE_NUMERIC for prefer_values (rule/eval.h). */
int prefer_parse(struct arena *arena, struct str text, const struct rule_env *env, struct rule **out, struct err *err);

struct preset {
	const char *name, *rule, *summary;
};
extern const struct preset presets[]; /* ends with name == NULL */
#define PRESET_NAMES \
	"exact, newest-per-url, journalist, appended, near-duplicate, syndicated" /* for help and messages */
/* The preset of that name, or WN_USAGE with the nearest one. */
int preset_find(struct str name, const struct preset **out, struct err *err);
#endif

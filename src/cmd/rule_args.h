/* cmd/rule_args.h -- how a rule is given on the command line: --rule, --rule-file or --preset. */
#ifndef WINNOW_CMD_RULE_ARGS_H
#define WINNOW_CMD_RULE_ARGS_H
#include "cmd/cmd.h"
#include "rule/rule.h"

struct rule_args {
	const char *rule, *file, *preset;
};

/* The rows of a command's option table that fill its struct rule_args `member`. */
/* clang-format off */
#define RULE_OPTS(type, member)                                                                                              \
	{ "rule", 'r', OPT_TEXT, "RULE", "what counts as redundant: a may be dropped as long as b is kept",                  \
	  offsetof(type, member) + offsetof(struct rule_args, rule) },                                                                                     \
	{ "rule-file", 0, OPT_TEXT, "FILE", "read the rule from a file", offsetof(type, member) + offsetof(struct rule_args, file) },                      \
	{ "preset", 'p', OPT_TEXT, "NAME", "a named rule: " PRESET_NAMES, offsetof(type, member) + offsetof(struct rule_args, preset) }
/* clang-format on */

/* The rule's text; WN_USAGE unless exactly one was given. */
int rule_args_text(struct cmd_run *run, const struct rule_args *a, struct str *out);
#endif

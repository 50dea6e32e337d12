/* cmd/rule_args.c -- see rule_args.h. */
#include "cmd/rule_args.h"

#include "base/limits.h"
#include "base/os.h"
#include "rule/rule.h"

int rule_args_text(struct cmd_run *run, const struct rule_args *a, struct str *out)
{
	const struct preset *preset;
	int rc;

	if (!!a->rule + !!a->file + !!a->preset != 1)
		return err_set(
		    &run->err, WN_USAGE,
		    "needs one of --rule, --rule-file and --preset: what counts as redundant; 'winnow help rules' says how");
	if (a->rule) {
		*out = str(a->rule);
		return WN_OK;
	}
	if (a->file) {
		if ((rc = os_named_file(a->file, &run->err)) == WN_OK &&
		    (rc = os_slurp(&run->arena, a->file, LIMIT_RULE, out, &run->err)) == WN_OK)
			*out = str_trim(*out);
		return rc == WN_LIMIT ? err_set(&run->err, WN_USAGE, "%s is longer than a rule may be (64 KB)", a->file)
				      : rc;
	}
	if ((rc = preset_find(str(a->preset), &preset, &run->err)) == WN_OK)
		*out = str(preset->rule);
	return rc;
}

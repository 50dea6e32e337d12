/* rule/prefer.c -- the small languages of options: --prefer and --per. */
#include "rule/ast.h"

int prefer_parse(struct arena *arena, struct str text, const struct rule_env *env, struct rule **out, struct err *err)
{
	static const struct {
		const char *name, *expression;
	} words[] = {
		{ "newest", "time - 1970-01-01" },
		{ "oldest", "1970-01-01 - time" },
		{ "longest", "words" },
	};
	struct rule_env one = *env;

	one.kind = RULE_NUMERIC;
	for (size_t i = 0; i < COUNT(words); i++)
		if (str_ieq(str_trim(text), str(words[i].name)))
			text = str(words[i].expression);
	return rule_parse(arena, text, &one, out, err);
}

static int attr_of(struct str name, const struct rule_env *env, unsigned *out, struct err *err)
{
	struct nearest near = { .word = name };
	int attr = attr_find(name);

	for (size_t i = 0; attr < 0 && i < env->n_user; i++)
		if (name_eq(name, env->user[i].name))
			attr = ATTR_USER + (int)i;
	if (attr >= 0 && attr != ATTR_TEXT) {
		if (attr < 64 && env->uncomputed >> attr & 1)
			return err_set(err, WN_USAGE, "%s is not computed yet for this collection",
				       attr_name((unsigned)attr));
		*out = (unsigned)attr;
		return WN_OK;
	}
	for (unsigned i = 0; i < ATTR_USER; i++)
		if (i != ATTR_TEXT)
			nearest_try(&near, str(attr_name(i)));
	for (size_t i = 0; i < env->n_user; i++)
		nearest_try(&near, env->user[i].name);
	if (near.best.p)
		return err_set(err, WN_USAGE, "unknown attribute \"%.*s\"; did you mean \"%.*s\"?",
			       (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return err_set(err, WN_USAGE, "unknown attribute \"%.*s\"; expected one such as host, lang, year",
		       (int)(name.n < 60 ? name.n : 60), name.p);
}

int attrs_parse(struct str list, const struct rule_env *env, unsigned *out, size_t max, size_t *n, struct err *err)
{
	int rc;

	*n = 0;
	while (list.p) {
		struct str name = str_trim(str_cut(&list, ','));

		if (*n == max)
			return err_set(err, WN_USAGE, "at most %zu attributes", max);
		if ((rc = attr_of(name, env, &out[*n], err)) < 0)
			return rc;
		++*n;
	}
	return WN_OK;
}

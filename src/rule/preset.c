/* rule/preset.c -- rules that have a name. */
#include "rule/ast.h"

const struct preset presets[] = {
	{ "exact", "a.content = b.content and a.time <= b.time",
	  "the same text again: the newest of equal texts stays" },
	{ "newest-per-url", "a.urlkey = b.urlkey and a.time <= b.time",
	  "the newest capture of each URL stays, whatever it says" },
	{ "journalist", "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host",
	  "the gist is in a page of the same source that is not older" },
	{ "appended", "a.urlkey = b.urlkey and containment(a,b) >= 0.95 and a.time <= b.time",
	  "a page that only grew: the longer, later version stays" },
	{ "near-duplicate", "jaccard(a,b) >= 0.9", "nearly the same text anywhere" },
	{ "syndicated", "containment(a.main, b.main) >= 0.8 and a.host != b.host",
	  "the article is also on another host" },
	{ NULL, NULL, NULL },
};

int preset_find(struct str name, const struct preset **out, struct err *err)
{
	struct nearest near = { .word = name };
	int shown = (int)(name.n < 60 ? name.n : 60);

	for (const struct preset *p = presets; p->name; p++) {
		if (name_eq(name, str(p->name))) {
			*out = p;
			return WN_OK;
		}
		nearest_try(&near, str(p->name));
	}
	if (near.best.p)
		return err_set(err, WN_USAGE, "unknown preset \"%.*s\"; did you mean \"%.*s\"?", shown, name.p,
			       STR_FMT(near.best));
	return err_set(err, WN_USAGE, "unknown preset \"%.*s\"; expected one of " PRESET_NAMES, shown, name.p);
}

/* flow/rules.h -- rules that people saved under a name, in the collection. */
#ifndef WINNOW_FLOW_RULES_H
#define WINNOW_FLOW_RULES_H
#include "flow/collection.h"

struct saved_rule {
	struct str name, text, selection; /* selection empty: the default */
};

/* In place of the one of that name.  A name has 1 to 100 bytes and no slash or control byte. */
int rules_save(const char *dir, const struct saved_rule *rule, struct err *err);
int rules_remove(const char *dir, struct str name, struct err *err); /* WN_NONE */
/* In the arena; WN_NONE. */
int rules_find(struct collection *coll, struct arena *a, struct str name, struct saved_rule *out, struct err *err);
/* By name. */
int rules_each(struct collection *coll, int (*each)(void *context, const struct saved_rule *rule), void *context,
	       struct err *err);
#endif

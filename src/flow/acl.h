/* flow/acl.h -- who may see which captures: .aclj files.
 *
 * A line is `KEY - {"access": ..., ...}`; KEY is the beginning of a urlkey,
 * `com,example,` a domain with its hosts, `com,example)/a###` that key alone, `*` everything.
 * access: allow, block (451), exclude (404), allow_ignore_embargo.  `user`: only
 * for that user.  `before`, `after` (a time), `newer`, `older` (an age): only
 * captures of that time; a line that blocks or excludes by time is an embargo.
 *
 * The longest key that fits decides, there a line with the user's name before
 * one without; a line whose time does not fit is passed over.  Where that says
 * allow, every embargo with a shorter key holds still; allow_ignore_embargo
 * lifts them.  No line fits: allowed.
 * A file with a line that cannot be read is refused whole: a typing error must
 * not open what was meant to be closed.
 * docs/format/aclj.md has the fields.  Cost of a check: a binary search per key
 * that fits, and the last answer is kept.
 */
#ifndef WINNOW_FLOW_ACL_H
#define WINNOW_FLOW_ACL_H
#include "base/arena.h"
#include "base/err.h"

enum acl_access { ACL_ALLOW, ACL_BLOCK, ACL_EXCLUDE, ACL_ALLOW_IGNORE_EMBARGO /* in lines only */ };

struct acl;

int acl_parse(struct acl **out, struct str text, struct err *err);
int acl_load(struct acl **out, const char *path, struct err *err);
/* DIR/access.aclj; *out is NULL when there is none. */
int acl_of(struct acl **out, const char *dir, struct err *err);
/* A number for what DIR/access.aclj hides: another one when its text changed or, with ages in it, on another day; 0: no rules. */
int acl_state_of(const char *dir, uint64_t *out, struct err *err);
void acl_free(struct acl *acl); /* NULL is fine */

/* What a user (empty: nobody in particular) may do with a capture now.  acl NULL: everything. */
enum acl_access acl_check(const struct acl *acl, struct str urlkey, int64_t time, struct str user);
static inline bool acl_allows(const struct acl *acl, struct str urlkey, int64_t time, struct str user)
{
	return !acl || acl_check(acl, urlkey, time, user) == ACL_ALLOW;
}
/* The same at another time than now: seconds. */
enum acl_access acl_check_at(const struct acl *acl, struct str urlkey, int64_t time, struct str user, int64_t now);
#endif

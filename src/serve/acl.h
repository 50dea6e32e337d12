/* serve/acl.h -- access control as handlers see it: request_acl (server.h) gives the rules, acl_check asks them.
 * flow/acl.h has the rules themselves, since export and sql hold to them too. */
#ifndef WINNOW_SERVE_ACL_H
#define WINNOW_SERVE_ACL_H
#include "flow/acl.h"

struct server;
struct served;
/* The rules of a collection: its own and those of --acl.  *out NULL: none.  At the start, so that bad rules end it. */
int acl_served(struct acl **out, const struct server *s, const struct served *which, struct err *err);

/* Whether a table may name the host: its start page, of the oldest time or of now, is open to the one who asks. */
struct request;
struct collection;
bool acl_shows_host(struct request *q, const struct served *which, struct collection *coll, struct str host);
#endif

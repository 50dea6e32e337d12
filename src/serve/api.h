/* serve/api.h -- what the files of /api/v1 share. */
#ifndef WINNOW_SERVE_API_H
#define WINNOW_SERVE_API_H
#include "base/json.h"
#include "catalog/catalog.h"
#include "serve/server.h"

struct job_view;

/* One answer on its way: api_begin, data into j, api_end. */
struct api {
	struct request *q;
	struct response *r;
	struct collection *coll;
	const struct acl *acl;
	struct json j;
	struct err err;
};

/* Opens the collection and the envelope; false: the error is in r. */
bool api_begin(struct api *a, struct request *q, struct response *r);
void api_end(struct api *a, uint64_t next); /* next: the cursor of the next page, 0: none */
void api_fail(struct api *a);		    /* answers with a->err */
/* Whether access rules let the one who asks see it. */
bool api_visible(const struct api *a, const struct capture *c);
/* page[cursor] and page[size]; false: the error is in r. */
/* filter: the one or two names that filter[...] has here; what would be passed over is refused. */
bool api_page(struct api *a, const char *const filter[2], uint64_t *cursor, uint64_t *size);

/* Closes {"data": ... with meta and links, and answers with it: ETag, or 304 when the client has it. */
void api_envelope(struct request *q, struct response *r, struct json *j);
void api_job_send(struct request *q, struct response *r, const struct job_view *v);
#endif

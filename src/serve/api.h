/* serve/api.h -- what the files of /api/v1 share. */
#ifndef WINNOW_SERVE_API_H
#define WINNOW_SERVE_API_H
#include "base/json.h"
#include "serve/server.h"

struct job_view;

/* Closes {"data": ... with meta and links, and answers with it: ETag, or 304 when the client has it. */
void api_envelope(struct request *q, struct response *r, struct json *j);
void api_job_send(struct request *q, struct response *r, const struct job_view *v);
#endif

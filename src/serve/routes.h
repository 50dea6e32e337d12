/* serve/routes.h -- what is served: one row per route; routes.c has the table.
 *
 * A pattern is matched segment by segment, the first row that fits wins:
 * `{coll}` is a served collection by its slug, `{c}` by its name (404 when it is
 * none), any other `{name}` one segment, percent-decoded, `{name*}` all that is
 * left of the path, raw.  The same table makes 405 with Allow, OPTIONS, the
 * OpenAPI document and the test that asks every route.
 */
#ifndef WINNOW_SERVE_ROUTES_H
#define WINNOW_SERVE_ROUTES_H
#include "serve/server.h"

enum route_flag {
	ROUTE_CHANGES =
	    1, /* changes state, starts a job or names a server path: token, same origin; gone with --read-only */
	ROUTE_FORMS = 2,     /* its last segment may end in .json: q->format */
	ROUTE_LIST = 256,    /* with ROUTE_FORMS: in .csv and .jsonl too */
	ROUTE_CDX_WRITE = 4, /* only with --allow-cdx-write */
	ROUTE_SQL = 8,	     /* only with --allow-sql */
	ROUTE_HIDDEN = 16,   /* not in the OpenAPI document */
	ROUTE_PUBLIC = 32,   /* without the token even with --private */
	ROUTE_QUICK = 128,   /* never takes long: answered by the loop itself, not by a helper */
	ROUTE_OPTIONAL = 64, /* its {c} or {coll} may be missing: then the row does not fit and the next is tried */
};

typedef void route_handler(struct request *q, struct response *r);
/* A piece of a body that is not kept in memory; false: the refusal is in r. */
typedef bool route_sink(struct request *q, struct response *r, struct str data);

struct route {
	unsigned methods; /* enum method, or'ed; GET brings HEAD */
	const char *pattern;
	route_handler *handler;
	enum policy policy;
	unsigned flags;
	const char *summary; /* one line, for OpenAPI */
	route_sink *sink;    /* takes the body; NULL: it comes whole in q->body */
};

extern const struct route routes[];
extern const size_t n_routes;

/* Whether the path fits the pattern; fills q->args, q->served, q->format. */
bool route_fits(const struct route *route, struct request *q);

/* Handlers, by file. */
route_handler own_metrics, own_healthz, own_favicon, own_robots, own_login; /* own.c */
route_handler replay_any, replay_options, replay_script;		    /* replay.c */
route_handler timemap_any;						    /* timemap.c */
route_handler cdx_pywb, cdx_ia;						    /* cdx_api.c */
route_handler api_collections, api_collection, api_captures, api_calendar, api_capture, api_search, api_rules_check,
    api_rules_preview, api_covers, api_cover, api_members, api_cover_add, api_sql;		/* api.c */
route_handler api_jobs, api_job, api_job_events, api_job_cancel, api_job_pause, api_job_resume; /* job_api.c */
route_handler upload_new, upload_add, upload_sample;						/* upload.c */
route_sink upload_sink;
route_handler api_openapi;	    /* openapi.c */
route_handler cdx_post, cdx_delete; /* cdx_write.c */
#endif

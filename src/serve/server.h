/* serve/server.h -- HTTP requests in, responses out: all that a handler sees.
 *
 *	void handler(struct request *q, struct response *r)
 *	{
 *		struct collection *coll = request_collection(q, r);
 *		if (!coll)
 *			return;				// the error is in r
 *		...
 *		response_html(r, buf_view(&page));	// lasts as long as q->arena
 *	}
 *
 * Handlers are rows of one table (routes.c).  They run on a few worker threads;
 * each worker has its own handle of each collection, because SQLite's handles
 * are not shared.  Everything a handler allocates in q->arena lasts until the
 * response was sent.  Who may call, which headers isolate the answer, 404, 405
 * and the limits are decided before and after the handler, in one place each
 * (dispatch.c, guard.c, policy.c).
 */
#ifndef WINNOW_SERVE_SERVER_H
#define WINNOW_SERVE_SERVER_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "flow/collection.h"

struct acl;
struct history;
struct worker;

enum method {
	METHOD_GET = 1,
	METHOD_HEAD = 2,
	METHOD_POST = 4,
	METHOD_PUT = 8,
	METHOD_DELETE = 16,
	METHOD_PATCH = 32,
	METHOD_OPTIONS = 64,
	METHOD_OTHER = 128
};

/* A collection that is served. */
struct served {
	const char *name; /* in /c/NAME and /api */
	const char *slug; /* in /SLUG/...: the name, with --private and an unguessable part behind it */
	const char *dir;
	unsigned index;
};

struct server_options {
	const char *const *collections; /* DIR or NAME=DIR */
	size_t n_collections;
	const char *listen; /* ADDR:PORT, port 0: any free one */
	const char *public_url, *replay_host, *token_file, *trust_proxy, *warc_dir, *acl, *access_log, *assets,
	    *uploads;
	bool private_paths, read_only, allow_sql, allow_cdx_write, no_fuzzy;
	unsigned threads;   /* 0: by the number of cores */
	uint64_t memory;    /* for jobs */
	uint64_t job_lease; /* seconds after which a job of a process that is gone is taken over */
};

struct server {
	struct server_options options;
	struct served *served; /* room for max_served; those that are there stay where they are */
	_Atomic size_t n_served;
	size_t max_served;
	const char *uploads; /* folder of collections that were uploaded */
	char token[44];	     /* base64url, no padding */
	struct str prefix;   /* path of --public-url without a slash at its end; may be empty */
	struct str origin;   /* scheme://host[:port] of --public-url; empty: as the Host header says */
	struct str public_host;
	struct str listen_host; /* as browsers of this machine name it */
	struct str
	    replay_host; /* --replay-host without its port; empty: archived pages share our origin, in a sandbox */
	struct str replay_port; /* ":PORT" that was given with it; empty: that of the address asked */
	int port;
	struct arena arena;	     /* lives as long as the server */
	_Atomic unsigned generation; /* grows at SIGHUP: workers open their handles anew */
	int64_t started;	     /* seconds */
};

struct param {
	struct str name, value; /* decoded; values may hold any byte */
};

struct request {
	struct server *server;
	struct worker *worker;
	const struct route *route;
	enum method method;
	const char *method_name;
	struct str target;    /* as sent: path, '?', query */
	struct str authority; /* host and port of a target in the absolute form; p NULL: it is in no such form */
	struct str path;      /* raw, prefix of --public-url taken off */
	struct str query;     /* raw, without '?'; p NULL when there is no '?' */
	const struct param *params;
	size_t n_params;
	struct str body;	     /* whole, at most LIMIT_BODY */
	const struct served *served; /* that the route's {coll} or {c} names; else NULL */
	struct {
		const char *name;
		struct str value;
	} args[8]; /* of the pattern: one segment: decoded; rest: raw */
	unsigned n_args;
	struct str format;   /* "json", "csv", "jsonl" of a ROUTE_FORMS route, else empty */
	struct str peer;     /* address */
	struct str acl_user; /* X-Pywb-ACL-User, from a trusted proxy only */
	bool authorised;     /* came with the token, by cookie or Bearer */
	bool bearer;
	bool trusted_proxy;
	struct str origin;	  /* scheme://host[:port] of our pages, as the browser sees it */
	struct str replay_origin; /* of archived pages: the same, but with --replay-host */
	bool at_replay;		  /* asked at the host of --replay-host */
	struct arena arena;
	uint64_t id;			 /* for error pages and the log */
	const struct field_pair *fields; /* headers */
	size_t n_fields;
	unsigned minor; /* HTTP/1.minor */
	void *upload;	/* of a route with a sink, until upload_end was called */
	void (*upload_end)(struct request *q);
};

/* The first parameter of that name; STR_NONE when there is none (an empty value has p != NULL). */
struct str request_param(const struct request *q, const char *name);
/* A parameter as a number: fallback when absent; false when it is no number in [low, high] (answer 400). */
bool request_u64(const struct request *q, const char *name, uint64_t low, uint64_t high, uint64_t fallback,
		 uint64_t *out);
struct str request_header(const struct request *q, const char *name); /* any case; STR_NONE */
struct str request_arg(const struct request *q, const char *name);    /* of the pattern; STR_NONE */

/* This worker's handle of q->served (or of `which`); NULL with the error in r. */
struct response;
struct collection *request_collection(struct request *q, struct response *r);
struct collection *request_open(struct request *q, const struct served *which, struct response *r);
struct history *request_history(struct request *q, struct response *r); /* serve/history.h */
struct acl *request_acl(struct request *q, const struct served *which); /* serve/acl.h; NULL: none */
const struct served *server_find(const struct server *s, struct str name, bool slug);

/* origin + prefix + "/rest", for absolute links; prefix + "/rest" for hrefs within the site. */
struct str request_absolute(struct request *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str request_at(struct request *q, struct str origin, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct str request_href(struct request *q, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What stands before /{coll}/{stamp}mp_/ in our pages: origin of archived pages + prefix, or the prefix alone. */
struct str request_replay_base(struct request *q);

enum policy {
	POLICY_UI,	   /* a page of ours: no script but /a/, never framed */
	POLICY_REPLAY,	   /* archived bytes: sandboxed, CORS */
	POLICY_REPLAY_OWN, /* ours at a replay path: no script, framed by ourselves */
	POLICY_DATA,	   /* JSON, CSV of the API: nosniff, same origin */
	POLICY_OPEN,	   /* CDX, TimeMaps: nosniff, CORS */
	POLICY_ASSET,	   /* /a/: nosniff, immutable */
};

struct header {
	struct str name, value;
};

/* Bytes for a streamed body: returns how many were put into p (at most n), 0: end, -1: failed, RESPONSE_WAIT: none yet,
 * ask again in RESPONSE_WAIT_MS.  Called on any thread, one at a time. */
#define RESPONSE_WAIT (-2)
#define RESPONSE_WAIT_MS 250
typedef ptrdiff_t response_more(void *context, char *p, size_t n);

struct response {
	int status;	    /* 200 at first */
	enum policy policy; /* of the route at first */
	VEC(struct header) headers;
	struct str body;
	response_more *more;	     /* instead of body */
	void (*done)(void *context); /* called once, sent or not */
	void *context;
	uint64_t length;   /* of a streamed body; UINT64_MAX: not known */
	bool plain;	   /* never in gzip */
	bool still;	   /* archived, and runs no scripts and goes nowhere by itself */
	struct str reason; /* beside the status reason_of, as it was archived; empty: the usual one */
	int reason_of;
	struct request *request;
};

/* The name must last as long as the request; the value is copied, and refused with control bytes in it. */
void response_header(struct response *r, const char *name, struct str value);
void response_headerf(struct response *r, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void response_vary(struct response *r, const char *name); /* one more name in Vary */
void response_weaken(struct response *r);		  /* its tag names what it says, not its bytes */
struct str response_get(const struct response *r, const char *name);
/* No folder of a collection in it, and in what we failed at no folder at all: where things lie is not for strangers. */
struct str response_unpathed(struct request *q, int status, struct str text);
struct str response_tag(struct arena *a, struct str body);		   /* an ETag: equal for equal bodies */
void response_body(struct response *r, const char *type, struct str body); /* 200 unless status was set */
void response_html(struct response *r, struct str body);
void response_json(struct response *r, struct str body);
void response_stream(struct response *r, const char *type, response_more *more, void (*done)(void *), void *context);
void response_redirect(struct response *r, int status, struct str location);
/* problem+json under /api, a small HTML page else; one lower-case sentence. */
void response_error(struct response *r, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void response_err(struct response *r, const struct err *err); /* the status that err's code means */
const char *status_reason(int status);

/* A buffer whose memory goes with the request. */
struct buf *request_buf(struct request *q, size_t max);

/* Adds s escaped for HTML text and attributes. */
void html_escape(struct buf *out, struct str s);

/* Runs until SIGTERM or SIGINT; `ready` is called once with the URL to open. */
int server_run(const struct server_options *o, void (*ready)(void *context, const struct server *s, struct str url),
	       void *context, struct err *err);
#endif

/* serve/cdx_api.c -- the CDX servers: /{coll}/cdx as pywb speaks it, /cdx/search/cdx as the Internet Archive does.
 *
 * An answer that fits into the first piece is sent whole; a longer one is
 * streamed, each piece read by a handle of its own, so that the worker serves
 * others meanwhile and a client that reads slowly keeps nothing but its buffer.
 */
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "flow/covers.h"
#include "serve/acl.h"
#include "serve/cdx_api.h"
#include "serve/cdx_scan.h"
#include "serve/routes.h"

#define PIECE (64 * KIB)
#define FIRST (4 * KIB) /* most answers need no more */

struct answer {
	struct cdx_scan *scan;
	struct catalog *catalog; /* opened for the second piece */
	const char *dir;
	struct buf piece;
	size_t sent;
	bool done;
};

void cdx_message(struct response *r, int status, const char *text)
{
	struct buf *b = request_buf(r->request, 64 * KIB);
	struct json j = { .out = b, .spaced = true };

	json_open(&j, '{');
	json_put_str(&j, "message", response_unpathed(r->request, status, str(text)));
	json_close(&j, '}');
	buf_byte(b, '\n');
	r->status = status;
	response_body(r, "application/json", buf_view(b));
}

static void answer_free(void *context)
{
	struct answer *x = context;

	cdx_scan_free(x->scan);
	catalog_close(x->catalog);
	buf_release(&x->piece);
	mem_free(x);
}

static ptrdiff_t answer_more(void *context, char *p, size_t n)
{
	struct answer *x = context;
	struct err err = { 0 };

	while (x->sent == x->piece.n) {
		if (x->done)
			return 0;
		buf_reset(&x->piece);
		x->sent = 0;
		if (!x->catalog && catalog_open(&x->catalog, x->dir, CATALOG_READ, NULL, &err) < 0)
			return -1;
		if (cdx_scan_fill(x->scan, x->catalog, &x->piece, PIECE, &x->done, &err) < 0)
			return -1;
	}
	if (n > x->piece.n - x->sent)
		n = x->piece.n - x->sent;
	memcpy(p, x->piece.p + x->sent, n);
	x->sent += n;
	return (ptrdiff_t)n;
}

static void serve_query(struct request *q, struct response *r, const struct served *which, enum cdx_dialect dialect)
{
	struct collection *coll = request_open(q, which, r);
	struct cdx_query *query = ARENA_NEW(&q->arena, struct cdx_query);
	struct cdx_setting setting;
	struct answer *x;
	struct err err = { 0 };
	struct str asked = q->query;

	if (!coll)
		return;
	if (q->method == METHOD_POST && q->body.n) /* a form asks what an address would be too long for */
		asked = arena_printf(&q->arena, "%.*s&%.*s", STR_FMT(asked), STR_FMT(q->body));
	if (cdx_query_parse(&q->arena, dialect, surt_profile(catalog_settings(coll->catalog)->profile), asked, query,
			    &err) < 0) {
		cdx_message(r, 400, err.text);
		return;
	}
	if (query->cover) {
		struct cover_row row;

		if (covers_find(coll, &q->arena, arena_printf(&q->arena, "%llu", (unsigned long long)query->cover).p,
				&row, &err) < 0) {
			cdx_message(r, err.code == WN_NONE ? 400 : 503, err.text);
			return;
		}
	}
	setting = (struct cdx_setting){ .acl = request_acl(q, which), .user = q->acl_user, .source = str(which->name) };
	if (query->output == CDX_OUT_LINK)
		setting.memento = request_at(q, q->replay_origin, "/%s/", which->slug);
	x = mem_zalloc(sizeof *x);
	x->scan = cdx_scan_new(query, &setting);
	x->dir = which->dir;
	x->piece = BUF(PIECE + 2 * LIMIT_CDX_LINE);
	buf_room(&x->piece, FIRST);
	if (cdx_scan_fill(x->scan, coll->catalog, &x->piece, PIECE, &x->done, &err) < 0) {
		answer_free(x);
		cdx_message(r, 503, err.text);
		return;
	}
	response_stream(r,
			query->show_pages && dialect == CDX_PYWB ? "application/json" : cdx_output_type(query->output),
			answer_more, answer_free, x);
	r->plain = query->no_gzip;
	if (x->done) {
		r->more = NULL;
		r->body = buf_view(&x->piece);
	}
	if (query->exact)
		response_header(r, "outbackcdx-urlkey", query->key);
}

void cdx_pywb(struct request *q, struct response *r) { serve_query(q, r, q->served, CDX_PYWB); }

/* ?coll= names the collection; without it the only one. */
void cdx_ia(struct request *q, struct response *r)
{
	struct str name = request_param(q, "coll");
	const struct served *which = NULL;

	if (name.n) {
		which = server_find(q->server, name, q->server->options.private_paths);
		if (!which) {
			cdx_message(r, 404, "there is no such collection");
			return;
		}
	} else if (q->server->n_served == 1 && !q->server->options.private_paths) {
		which = &q->server->served[0];
	} else {
		cdx_message(r, 400, "coll= must name the collection");
		return;
	}
	serve_query(q, r, which, CDX_IA);
}

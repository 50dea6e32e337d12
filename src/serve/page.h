/* serve/page.h -- pages for people: the frame that all share, and their handlers.
 *
 *	struct buf *b = page_begin(q, TAB_SEARCH, title);
 *	html(b, ...);
 *	page_end(q, r, b);
 *
 * Pages are whole without scripts; /a/.../app.js adds to them.  Nothing is
 * inline: the content policy forbids it.
 */
#ifndef WINNOW_SERVE_PAGE_H
#define WINNOW_SERVE_PAGE_H
#include "archive/stamp.h"
#include "flow/covers.h"
#include "serve/html.h"
#include "serve/sheet.h"
#include "serve/routes.h"

enum page_tab { TAB_NONE, TAB_OVERVIEW, TAB_SEARCH, TAB_RULES, TAB_COVERS, TAB_JOBS };

struct page_look {
	enum page_tab tab;
	struct str title;
	unsigned refresh;	/* seconds after which the page loads itself again; 0: never */
	const char *body_class; /* NULL: none */
	const char *script;	/* an asset beside app.js; NULL: none */
};

/* The page up to and with <main>. */
struct buf *page_begin(struct request *q, enum page_tab tab, struct str title);
struct buf *page_begin_as(struct request *q, const struct page_look *look);
void page_end(struct request *q, struct response *r, struct buf *b);
/* Links to the other forms of this page: "json csv jsonl". */
void page_forms(struct request *q, struct buf *b, const char *forms);
/* The start of every address on this server: the prefix of --public-url. */
struct str page_base(const struct request *q);

/* A page that is one list, in the form that was asked for:
 *	if (page_sheet_begin(...)) {		// for people
 *		html(p.b, ...);
 *		page_sheet_table(&p, caption);
 *	}
 *	rows into the sheet
 *	page_sheet_end(&p, r, next);		// next: the query of the next page
 */
struct page_sheet {
	struct request *q;
	struct sheet *sheet;
	const struct sheet_column *columns;
	struct buf *b;
	struct json *j;
	uint64_t revision;
};
bool page_sheet_begin(struct page_sheet *p, struct request *q, struct collection *coll, struct sheet *sheet,
		      const struct sheet_column *columns, const struct page_look *look);
void page_sheet_table(struct page_sheet *p, const char *caption);
void page_sheet_end(struct page_sheet *p, struct response *r, struct str next);
/* to NULL: a new collection. */
void page_upload_form(struct request *q, struct buf *b, const struct served *to);
void page_duration(struct buf *b, double seconds);

/* A collection read at one revision: opens, begins; page_done ends. */
struct collection *page_collection(struct request *q, struct response *r);
void page_done(struct collection *coll);
/* Whether the access rules let this reader see a capture of that URL and time. */
bool page_allowed(struct request *q, struct str urlkey, int64_t time);

/* The URL that stands for a capture in addresses (replay_url_of). */
struct str page_url(struct request *q, const struct capture *c);
/* The address of a capture's page and how it is called. */
void page_capture_link(struct request *q, struct buf *b, const struct capture *c);
void page_bar(struct buf *b, uint64_t part, uint64_t whole); /* an SVG bar; the number stands beside it */
/* Covers of the collection, newest first, in q->arena. */
int page_covers(struct request *q, struct collection *coll, struct cover_row **out, size_t *n, struct err *err);
/* A field of the form in the request's body; STR_NONE when it is not there. */
struct str page_form(struct request *q, const char *name);
const char *page_z(struct request *q, struct str s); /* NUL-terminated; NULL when empty */

/* For replay's addresses: the captures of a URL (period NULL: its newest year), one capture in its frame. */
void page_calendar_of(struct request *q, struct response *r, struct str url, const struct stamp *period);
void page_frame_of(struct request *q, struct response *r, const struct capture *c);

route_handler asset_serve;
route_handler page_home, page_overview, page_search, page_diff, page_studio, page_cover_list, page_cover, page_dropped,
    page_why, page_cover_csv, page_methods, page_compute, page_job_list, page_job, page_job_cancel, page_job_pause,
    page_job_resume, page_collection_redirect, page_go, page_rule_check, page_saved_rule, page_rule_list,
    page_rule_save, page_rule_remove, page_compare, page_compare_go, page_urls, page_export, page_exported, page_help,
    page_api;
#endif

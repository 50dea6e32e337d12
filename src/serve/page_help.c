/* serve/page_help.c -- /help: what can be done here, in one page; /api: every address, from the table of routes. */
#include "serve/page.h"
#include "serve/routes.h"

static const struct {
	const char *head, *text;
} topics[] = {
	{ "An archive",
	  "A dropped or chosen WARC, ARC or WACZ becomes a collection on the start page; winnow ingest does the same in a terminal. Originals are never changed." },
	{ "A page as it was",
	  "A URL's calendar shows its captures; a dot tells how much changed since the one before. A capture opens in a frame whose banner tells its time, its neighbours and the times of its parts. Archived pages cannot reach the live web from there." },
	{ "Search",
	  "Words, \"phrases\", pre*, -not, title:, or. With a cover, what it hides is collapsed under what it keeps, and counted." },
	{ "A rule",
	  "Says when a document is redundant: hide a when some kept b contains enough of it, is not older, is of the same host. Fields and text are two views of one rule; the preview tells what it would hide, exactly or as an estimate with its interval." },
	{ "A cover",
	  "The smallest set of documents that stands for all others under the rule, with the proof. Each hidden document names the one that covers it; \"keep this one\" overrules it. Covers are exported as WARC, WACZ, CDXJ, CSV and JSON lines, with a methods note." },
	{ "Jobs",
	  "Ingests, covers, updates and large exports go on while the page is closed, and survive the server." },
	{ "Other tools",
	  "Replay and Memento at /COLLECTION/STAMP/URL and /COLLECTION/URL, CDX at /COLLECTION/cdx and /cdx/search/cdx, JSON at /api/v1. Every page has a form for programs: .json, lists also .csv and .jsonl." },
};

void page_help(struct request *q, struct response *r)
{
	struct buf *b = page_begin(q, TAB_NONE, STR("Help"));

	html(
	    b,
	    "<h1>Help</h1>\n<p>Press <kbd>?</kbd> on any page for its keys. <a href=\"%s/api\">Every address</a> is listed for programs.</p>\n<dl>",
	    page_base(q));
	for (size_t i = 0; i < COUNT(topics); i++)
		html(b, "<dt><b>%z</b></dt><dd><p>%z</p></dd>\n", topics[i].head, topics[i].text);
	html(b, "</dl>\n");
	page_end(q, r, b);
}

static const char *method_names(unsigned methods)
{
	return methods & METHOD_GET ? methods & METHOD_POST ? "GET, POST" : "GET" : "POST";
}

static const struct sheet_column route_columns[] = {
	{ "method", "Method", COLUMN_TEXT },
	{ "address", "Address", COLUMN_CODE },
	{ "what", "What it is", COLUMN_TEXT },
	{ NULL, NULL, COLUMN_TEXT },
};

void page_api(struct request *q, struct response *r)
{
	struct buf *b = page_begin(q, TAB_NONE, STR("For programs"));
	struct sheet l;

	html(
	    b,
	    "<h1>For programs</h1>\n<p>As <a href=\"%s/api/v1/openapi.json\">OpenAPI 3.1</a>. What changes something needs the token: "
	    "<code>Authorization: Bearer</code>.</p>\n",
	    page_base(q));
	sheet_begin(&l, SHEET_TABLE, b, route_columns, NULL);
	for (size_t i = 0; i < n_routes; i++) {
		if (routes[i].flags & ROUTE_HIDDEN)
			continue;
		sheet_row(&l);
		sheet_text(&l, str(method_names(routes[i].methods)));
		sheet_text(&l, str(routes[i].pattern));
		sheet_text(&l, routes[i].flags & ROUTE_CHANGES
				   ? arena_printf(&q->arena, "%s; with the token", routes[i].summary)
				   : str(routes[i].summary));
	}
	sheet_end(&l);
	page_end(q, r, b);
}

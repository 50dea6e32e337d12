/* serve/routes.c -- everything that is served, in the order in which it is tried. */
#include "serve/page.h"

const struct route routes[] = {
	/* small addresses */
	{ METHOD_GET, "/healthz", own_healthz, POLICY_DATA, ROUTE_PUBLIC, "whether the server answers" },
	{ METHOD_GET, "/metrics", own_metrics, POLICY_DATA, 0, "counters, as Prometheus reads them" },
	{ METHOD_GET, "/favicon.ico", own_favicon, POLICY_ASSET, ROUTE_PUBLIC | ROUTE_HIDDEN, "icon" },
	{ METHOD_GET, "/robots.txt", own_robots, POLICY_ASSET, ROUTE_PUBLIC | ROUTE_HIDDEN, "robots" },
	{ METHOD_GET, "/login", own_login, POLICY_UI, ROUTE_PUBLIC | ROUTE_HIDDEN, "the link that was printed: gives the cookie" },
	/* pages for people */
	{ METHOD_GET, "/", page_home, POLICY_UI, ROUTE_HIDDEN, "collections" },
	{ METHOD_GET, "/a/{hash}/{name}", asset_serve, POLICY_ASSET, ROUTE_PUBLIC | ROUTE_HIDDEN, "styles and scripts" },
	{ METHOD_GET, "/jobs", page_job_list, POLICY_UI, ROUTE_HIDDEN, "jobs" },
	{ METHOD_GET, "/jobs/{id}", page_job, POLICY_UI, ROUTE_FORMS, "a job: state, phases, time left" },
	{ METHOD_POST, "/jobs/{id}/cancel", page_job_cancel, POLICY_UI, ROUTE_CHANGES, "cancels a job" },
	{ METHOD_GET, "/api/v1/collections/{c}/rules/check", page_rule_check, POLICY_DATA, 0, "whether a rule is understood, and what it would hide" },
	{ METHOD_GET, "/c/{c}", page_overview, POLICY_UI, ROUTE_FORMS, "a collection at a glance" },
	{ METHOD_GET, "/c/{c}/go", page_go, POLICY_UI, ROUTE_HIDDEN, "to the captures of a URL" },
	{ METHOD_GET, "/c/{c}/search", page_search, POLICY_UI, ROUTE_HIDDEN, "full text" },
	{ METHOD_GET, "/c/{c}/diff/{pair}", page_diff, POLICY_UI, ROUTE_HIDDEN, "how two captures differ" },
	{ METHOD_GET, "/c/{c}/rules/new", page_studio, POLICY_UI, ROUTE_HIDDEN, "the rule studio" },
	{ METHOD_GET, "/c/{c}/covers", page_cover_list, POLICY_UI, ROUTE_HIDDEN, "covers" },
	{ METHOD_POST, "/c/{c}/covers", page_compute, POLICY_UI, ROUTE_CHANGES, "computes a cover, as a job" },
	{ METHOD_GET, "/c/{c}/covers/{cover}", page_cover, POLICY_UI, ROUTE_HIDDEN, "a cover and what it keeps" },
	{ METHOD_GET, "/c/{c}/covers/{cover}/dropped", page_dropped, POLICY_UI, ROUTE_HIDDEN, "what a cover hides" },
	{ METHOD_GET, "/c/{c}/covers/{cover}/cover.csv", page_cover_csv, POLICY_DATA, 0, "every document of a cover, with its coverer and score" },
	{ METHOD_GET, "/c/{c}/covers/{cover}/methods.txt", page_methods, POLICY_DATA, 0, "the methods note of a cover" },
	{ METHOD_GET, "/c/{c}/covers/{cover}/doc/{doc}", page_why, POLICY_UI, ROUTE_HIDDEN, "why a document is kept or hidden" },
	{ METHOD_GET, "/{coll}", page_collection_redirect, POLICY_UI, ROUTE_HIDDEN | ROUTE_OPTIONAL, "to the collection's page" },
	{ METHOD_GET, "/{coll}/", page_collection_redirect, POLICY_UI, ROUTE_HIDDEN | ROUTE_OPTIONAL, "to the collection's page" },
	/* CDX */
	{ METHOD_GET | METHOD_POST, "/cdx/search/cdx", cdx_ia, POLICY_OPEN, 0, "CDX server, dialect of the Internet Archive; coll names the collection" },
	{ METHOD_GET | METHOD_POST, "/{coll}/cdx", cdx_pywb, POLICY_OPEN, 0, "CDX server, dialect of pywb" },
	{ METHOD_POST, "/{coll}", cdx_post, POLICY_OPEN, ROUTE_CHANGES | ROUTE_CDX_WRITE, "adds captures from lines of CDX" },
	{ METHOD_POST, "/{coll}/delete", cdx_delete, POLICY_OPEN, ROUTE_CHANGES | ROUTE_CDX_WRITE, "takes captures out by lines of CDX" },
	/* JSON for programs */
	{ METHOD_GET, "/api/v1/openapi.json", api_openapi, POLICY_DATA, 0, "this document" },
	{ METHOD_GET, "/api/v1/collections", api_collections, POLICY_DATA, 0, "the collections" },
	{ METHOD_GET, "/api/v1/collections/{c}", api_collection, POLICY_DATA, 0, "a collection: counts, first and last capture, revision" },
	{ METHOD_GET, "/api/v1/collections/{c}/captures", api_captures, POLICY_DATA, 0, "captures by id; filter[url], filter[host], page[cursor], page[size]" },
	{ METHOD_GET, "/api/v1/collections/{c}/calendar", api_calendar, POLICY_DATA, 0, "captures of url= per day" },
	{ METHOD_GET, "/api/v1/collections/{c}/capture", api_capture, POLICY_DATA, 0, "the capture of url= nearest to stamp=" },
	{ METHOD_GET, "/api/v1/collections/{c}/search", api_search, POLICY_DATA, 0, "documents with the words of q=; where=, cover=, page[size]" },
	{ METHOD_POST, "/api/v1/collections/{c}/rules/check", api_rules_check, POLICY_DATA, 0, "a rule in canonical form, or what is wrong with it" },
	{ METHOD_POST, "/api/v1/collections/{c}/rules/preview", api_rules_preview, POLICY_DATA, 0, "what a rule would drop: estimate, curve, examples" },
	{ METHOD_GET, "/api/v1/collections/{c}/covers", api_covers, POLICY_DATA, 0, "the covers of a collection" },
	{ METHOD_POST, "/api/v1/collections/{c}/covers", api_cover_add, POLICY_DATA, ROUTE_CHANGES, "compute a cover: 202 and its job" },
	{ METHOD_GET, "/api/v1/collections/{c}/covers/{id}", api_cover, POLICY_DATA, 0, "a cover" },
	{ METHOD_GET, "/api/v1/collections/{c}/covers/{id}/members", api_members, POLICY_DATA, 0, "its documents; filter[state]=kept|dropped, page[cursor], page[size]" },
	{ METHOD_GET, "/api/v1/collections/{c}/sql", api_sql, POLICY_DATA, ROUTE_SQL, "rows of the SELECT in q=, read-only" },
	/* Memento and replay: last, since {coll} comes first in them */
	{ METHOD_GET, "/{coll}/timemap/{type}/{url*}", timemap_any, POLICY_OPEN, 0, "TimeMap of a URL: link, json or cdxj" },
	{ METHOD_GET, "/{coll}/_/replay.js", replay_script, POLICY_REPLAY, ROUTE_HIDDEN, "the script that archived pages get" },
	{ METHOD_GET | METHOD_POST, "/{coll}/{replay*}", replay_any, POLICY_REPLAY, 0, "replay, TimeGate: {stamp}{modifier}/{url} or {url}" },
};
const size_t n_routes = COUNT(routes);

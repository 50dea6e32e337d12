/* serve/routes.c -- everything that is served, in the order in which it is tried. */
#include "serve/routes.h"

const struct route routes[] = {
	/* small addresses */
	{ METHOD_GET, "/healthz", own_healthz, POLICY_DATA, ROUTE_PUBLIC, "whether the server answers" },
	{ METHOD_GET, "/metrics", own_metrics, POLICY_DATA, 0, "counters, as Prometheus reads them" },
	{ METHOD_GET, "/favicon.ico", own_favicon, POLICY_ASSET, ROUTE_PUBLIC | ROUTE_HIDDEN, "icon" },
	{ METHOD_GET, "/robots.txt", own_robots, POLICY_ASSET, ROUTE_PUBLIC | ROUTE_HIDDEN, "robots" },
	{ METHOD_GET, "/login", own_login, POLICY_UI, ROUTE_PUBLIC | ROUTE_HIDDEN, "the link that was printed: gives the cookie" },
	/* CDX */
	{ METHOD_GET | METHOD_POST, "/cdx/search/cdx", cdx_ia, POLICY_OPEN, 0, "CDX server, dialect of the Internet Archive; coll names the collection" },
	{ METHOD_GET | METHOD_POST, "/{coll}/cdx", cdx_pywb, POLICY_OPEN, 0, "CDX server, dialect of pywb" },
	{ METHOD_POST, "/{coll}", cdx_post, POLICY_OPEN, ROUTE_CHANGES | ROUTE_CDX_WRITE, "adds captures from lines of CDX" },
	{ METHOD_POST, "/{coll}/delete", cdx_delete, POLICY_OPEN, ROUTE_CHANGES | ROUTE_CDX_WRITE, "takes captures out by lines of CDX" },
	/* Memento and replay: last, since {coll} comes first in them */
	{ METHOD_GET, "/{coll}/timemap/{type}/{url*}", timemap_any, POLICY_OPEN, 0, "TimeMap of a URL: link, json or cdxj" },
	{ METHOD_GET, "/{coll}/_/replay.js", replay_script, POLICY_REPLAY, ROUTE_HIDDEN, "the script that archived pages get" },
	{ METHOD_GET | METHOD_POST, "/{coll}/{replay*}", replay_any, POLICY_REPLAY, 0, "replay, TimeGate: {stamp}{modifier}/{url} or {url}" },
};
const size_t n_routes = COUNT(routes);

/* archive/url_parts.c -- the parts of a parsed URL; see url.h. */
#include "archive/url.h"

static struct str range(const struct url *u, uint32_t from, uint32_t to)
{
	return str_n(u->p ? u->p + from : "", to - from);
}

struct str url_href(const struct url *u) { return range(u, 0, u->n); }
struct str url_href_no_hash(const struct url *u) { return range(u, 0, u->hash); }
struct str url_protocol(const struct url *u) { return range(u, 0, u->scheme_end); }

struct str url_username(const struct url *u)
{
	return u->has_host ? range(u, u->scheme_end + 2, u->user_end) : STR("");
}

struct str url_password(const struct url *u)
{
	return u->user_end < u->host ? range(u, u->user_end + 1, u->host) : STR("");
}

static uint32_t host_start(const struct url *u)
{
	return u->host < u->host_end && u->p[u->host] == '@' ? u->host + 1 : u->host;
}

static uint32_t port_end(const struct url *u) { return u->has_host ? u->path : u->host_end; }

struct str url_hostname(const struct url *u) { return range(u, host_start(u), u->host_end); }
struct str url_host_port(const struct url *u) { return range(u, host_start(u), port_end(u)); }
struct str url_port(const struct url *u) { return u->port >= 0 ? range(u, u->host_end + 1, port_end(u)) : STR(""); }
struct str url_pathname(const struct url *u) { return range(u, u->path, u->search); }
struct str url_search(const struct url *u) { return u->hash - u->search > 1 ? range(u, u->search, u->hash) : STR(""); }
struct str url_hash(const struct url *u) { return u->n - u->hash > 1 ? range(u, u->hash, u->n) : STR(""); }

bool url_origin(const struct url *u, struct buf *out)
{
	struct url inner = { 0 };
	bool ok;

	if (url_is_special(u) && u->scheme != URL_FILE) {
		buf_str(out, url_protocol(u));
		buf_str(out, STR("//"));
		return buf_str(out, url_host_port(u));
	}
	if (str_eq(url_protocol(u), STR("blob:")) && url_parse(&inner, url_pathname(u), NULL) && url_is_http(&inner)) {
		ok = url_origin(&inner, out);
		url_release(&inner);
		return ok;
	}
	url_release(&inner);
	buf_str(out, STR("null"));
	return false;
}

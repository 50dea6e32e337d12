/* serve/memento.c -- see memento.h. */
#include "serve/memento.h"

#include "serve/replay.h"

#include "base/limits.h"

struct str memento_address(struct request *q, int64_t time, enum modifier mod, struct str url)
{
	char stamp[15];

	stamp_14(time, stamp);
	return request_at(q, mod == MOD_NONE ? q->origin : q->replay_origin, "/%s/%s%s/%.*s", q->served->slug, stamp,
			  modifier_names[mod], STR_FMT(url));
}

void memento_target(struct buf *out, struct str url)
{
	size_t from = 0;

	for (size_t i = 0; i < url.n; i++) {
		unsigned char c = (unsigned char)url.p[i];

		if (c > 0x20 && c < 0x7f && c != '<' && c != '>' && c != '"')
			continue;
		buf_add(out, url.p + from, i - from);
		buf_printf(out, "%%%02X", c);
		from = i + 1;
	}
	if (from < url.n)
		buf_add(out, url.p + from, url.n - from);
}

/* One address: origin, prefix and slug are the same for all of them. */
static void add_memento(struct buf *out, struct request *q, struct str key, struct moment m, struct str url,
			const char *rel)
{
	char text[30];

	if (!replay_allows(q, key, m.time))
		return;
	buf_str(out, STR(", <"));
	memento_target(out, q->replay_origin);
	memento_target(out, q->server->prefix);
	buf_byte(out, '/');
	buf_str(out, str(q->served->slug));
	buf_byte(out, '/');
	buf_str(out, stamp_14(m.time, text));
	buf_str(out, STR("mp_/"));
	memento_target(out, url);
	buf_str(out, STR(">; rel=\""));
	buf_str(out, str(rel));
	buf_str(out, STR("\"; datetime=\""));
	buf_str(out, stamp_http(m.time, text));
	buf_byte(out, '"');
}

static bool same(struct moment a, struct moment b) { return a.time == b.time; }

int memento_links(struct request *q, struct response *r, struct history *h, struct str key, struct str url,
		  const struct moment *m, struct err *err)
{
	struct buf *out = request_buf(q, 64 * LIMIT_URL);
	struct moment first, prev, next, last;
	int has_prev, has_next, rc;

	buf_byte(out, '<');
	memento_target(out, url);
	buf_str(out, STR(">; rel=\"original\", <"));
	memento_target(out, request_absolute(q, "/%s/%.*s", q->served->slug, STR_FMT(url)));
	buf_str(out, STR(">; rel=\"timegate\", <"));
	memento_target(out, request_absolute(q, "/%s/timemap/link/%.*s", q->served->slug, STR_FMT(url)));
	buf_str(out, STR(">; rel=\"timemap\"; type=\"application/link-format\""));
	if (m) {
		if ((rc = history_first(h, key, &first, err)) < 0 || (rc = history_last(h, key, &last, err)) < 0)
			return rc;
		has_prev = history_before(h, key, *m, &prev, err);
		has_next = history_after(h, key, *m, &next, err);
		if ((has_prev < 0 && has_prev != WN_NONE) || (has_next < 0 && has_next != WN_NONE))
			return has_prev < 0 && has_prev != WN_NONE ? has_prev : has_next;
		if (!same(first, *m))
			add_memento(out, q, key, first, url,
				    has_prev == WN_OK && same(first, prev) ? "first prev memento" : "first memento");
		if (has_prev == WN_OK && !same(prev, first))
			add_memento(out, q, key, prev, url, "prev memento");
		add_memento(out, q, key, *m, url,
			    same(first, *m)  ? same(last, *m) ? "first last memento" : "first memento"
			    : same(last, *m) ? "last memento"
					     : "memento");
		if (has_next == WN_OK && !same(next, last))
			add_memento(out, q, key, next, url, "next memento");
		if (!same(last, *m))
			add_memento(out, q, key, last, url,
				    has_next == WN_OK && same(last, next) ? "next last memento" : "last memento");
	}
	response_header(r, "Link", buf_view(out));
	return WN_OK;
}

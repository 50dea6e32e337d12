/* serve/replay_kin.c -- a capture of a URL, or of one that differs in nothing that counts.
 *
 * Where a URL has no capture of its own there may be kin under the same path: the
 * answer to a POST of it (its method and body are in its key), or the same but for
 * cache-busters and names of functions to call, which scripts make anew each
 * time.  All of them have keys that begin with the path and '?':
 * one seek a key, KIN_MOST of them at most.
 */
#include "base/limits.h"
#include "serve/jsonp.h"
#include "serve/replay.h"

enum { KIN_MOST = 1000 };

/* Parameters that only keep caches away, when their value is a number. */
static bool is_buster(struct str name)
{
	static const char *const names[] = { "_",    "cb",     "cachebuster", "cachebust", "nocache", "no_cache",
					     "rand", "random", "rnd",	      "r",	   "ts",      "timestamp",
					     "_t",   "_ts",    "bust",	      "ord" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_ieq(name, str(names[i])))
			return true;
	return false;
}

static bool is_number(struct str s)
{
	size_t digits = 0;

	for (size_t i = 0; i < s.n; i++) {
		digits += ascii_digit(s.p[i]);
		if (!ascii_digit(s.p[i]) && s.p[i] != '.')
			return false;
	}
	return digits > 0;
}

struct str replay_plain_url(struct arena *a, struct str url)
{
	ptrdiff_t mark = str_chr(url, '?');
	struct str rest = mark < 0 ? STR_NONE : str_sub(url, (size_t)mark + 1, url.n);
	struct buf out = BUF(4 * LIMIT_URL);
	struct str plain = STR_NONE;
	bool dropped = false, first = true;

	if (mark < 0)
		return STR_NONE;
	buf_str(&out, str_sub(url, 0, (size_t)mark));
	while (rest.n) {
		struct str arg = str_cut(&rest, '&'), value = arg, name = str_cut(&value, '=');

		if (value.p ? (is_buster(name) && is_number(value)) || jsonp_names(name, value)
			    : arg.n >= 6 && is_number(arg)) {
			dropped = true;
			continue;
		}
		buf_byte(&out, first ? '?' : '&');
		buf_str(&out, arg);
		first = false;
	}
	if (dropped)
		plain = arena_str(a, buf_view(&out));
	buf_release(&out);
	return plain;
}

struct search {
	struct history *h;
	struct request *q;
	struct str key, plain; /* of what is asked for; that without cache-busters */
	int64_t from, to;
	bool fuzzy;
	struct capture best;
	uint64_t best_away;
	bool best_fuzzy;
};

static uint64_t away(const struct search *s, int64_t time)
{
	return time < s->from ? (uint64_t)s->from - (uint64_t)time
	       : time > s->to ? (uint64_t)time - (uint64_t)s->to
			      : 0;
}

static bool is_posted(struct str key)
{
	return str_find(key, STR("?__wb_method=")) >= 0 || str_find(key, STR("&__wb_method=")) >= 0;
}

struct str replay_url_of(struct arena *a, struct str url, struct str key)
{
	ptrdiff_t mark = str_chr(url, '?'), query = str_chr(key, '?');

	if (!is_posted(key))
		return url;
	return arena_printf(a, "%.*s%.*s", (int)(mark < 0 ? url.n : (size_t)mark), url.p,
			    STR_FMT(str_sub(key, (size_t)query, key.n)));
}

/* One key of the path: is it kin, and nearer in time than what was found? */
static int consider(struct search *s, struct str key, struct err *err)
{
	bool posted = is_posted(key);
	struct capture c;
	int rc;

	if (!posted) {
		struct str plain = s->fuzzy ? replay_plain_url(&s->q->arena, key) : STR_NONE;

		if (!plain.p || !str_eq(plain, s->plain))
			return WN_OK;
		if (jsonp_callback(key).n && !jsonp_callback(s->key).n)
			return WN_OK; /* who names no function wants no call of one */
	}
	if ((rc = replay_find(s->h, s->q, key, s->from, s->to, &c, err)) != WN_OK)
		return rc == WN_NONE ? WN_OK : rc;
	if (posted && !str_eq(history_key(s->h, &s->q->arena, c.url), s->key))
		return WN_OK;
	/* a capture of the very URL before one that only resembles it */
	if (s->best.id && (posted == s->best_fuzzy ? !posted : away(s, c.time) >= s->best_away))
		return WN_OK;
	s->best = c;
	s->best_away = away(s, c.time);
	s->best_fuzzy = !posted;
	return WN_OK;
}

static int look_around(struct search *s, struct err *err)
{
	ptrdiff_t mark = str_chr(s->key, '?');
	struct str path = mark < 0 ? s->key : str_sub(s->key, 0, (size_t)mark);
	struct str at = arena_printf(&s->q->arena, "%.*s?", STR_FMT(path)),
		   end = arena_printf(&s->q->arena, "%.*s@", STR_FMT(path));
	int rc = WN_OK;

	for (unsigned i = 0; i < KIN_MOST && rc == WN_OK; i++)
		if ((rc = history_next_key(s->h, &s->q->arena, at, end, &at, err)) == WN_OK)
			rc = consider(s, at, err);
	return rc == WN_NONE ? WN_OK : rc;
}

int replay_look(struct history *h, struct request *q, struct str url, int64_t from, int64_t to, struct capture *out,
		bool *fuzzy, struct err *err)
{
	struct search s = { .h = h, .q = q, .from = from, .to = to, .fuzzy = !q->server->options.no_fuzzy };
	int rc;

	*fuzzy = false;
	s.key = history_key(h, &q->arena, url);
	if ((rc = replay_find(h, q, s.key, from, to, out, err)) != WN_NONE)
		return rc;
	s.plain = replay_plain_url(&q->arena, s.key);
	if (s.plain.p && s.fuzzy && (rc = replay_find(h, q, s.plain, from, to, out, err)) != WN_NONE) {
		*fuzzy = rc == WN_OK;
		return rc;
	}
	if (!s.plain.p)
		s.plain = s.key;
	if ((rc = look_around(&s, err)) < 0)
		return rc;
	*out = s.best;
	*fuzzy = s.best_fuzzy;
	return s.best.id ? WN_OK : WN_NONE;
}

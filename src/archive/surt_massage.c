/* archive/surt_massage.c -- the third step of the slow way: www, default ports, case, session ids, order of arguments.
 *
 * Session ids are a table of matchers, tried from the end of the query.
 * Cost: one pass a matcher; arguments are sorted by insertion when they are few.
 */
#include <stdlib.h>

#include "archive/surt_int.h"
#include "base/mem.h"
#include "base/vec.h"

#define ARGS_FAST 32

struct str surt_strip_www(struct str host)
{
	size_t i = 3;

	if (!str_starts(host, STR("www")))
		return host;
	while (i < host.n && ascii_digit(host.p[i]))
		i++;
	return i < host.n && host.p[i] == '.' ? str_sub(host, i + 1, host.n) : host;
}

static bool is_alnum(char c) { return ascii_alpha(c) || ascii_digit(c); }

/* Length of "(24 letters or digits)" or "(x(24)y(24)...)" with the slash behind it; 0 when neither. */
static size_t asp_id(const char *p, const char *end, bool nested)
{
	const char *from = p;

	if (p == end || *p++ != '(')
		return 0;
	for (unsigned groups = 0;; groups++) {
		if (nested) {
			if (groups && p < end && *p == ')')
				break;
			if (end - p < 2 || !ascii_alpha(p[0]) || p[1] != '(')
				return 0;
			p += 2;
		}
		if (end - p < 25)
			return 0;
		for (int i = 0; i < 24; i++)
			if (!is_alnum(*p++))
				return 0;
		if (*p != ')')
			return 0;
		if (!nested)
			break;
		p++;
	}
	p++;
	return p < end && *p == '/' ? (size_t)(p + 1 - from) : 0;
}

/* Takes the last such segment out when a page of ASP.NET follows. */
static void strip_asp(struct str path, bool nested, struct buf *out)
{
	ptrdiff_t page = -1;

	for (size_t i = path.n; i-- > 1;) {
		struct str behind;
		ptrdiff_t question;
		size_t n;

		if (path.p[i - 1] != '/' || path.p[i] != '(' || !(n = asp_id(path.p + i, str_end(path), nested)))
			continue;
		behind = str_sub(path, i + n, path.n);
		question = str_chr(behind, '?');
		page = str_ifind(str_sub(behind, 1, question < 0 ? behind.n : (size_t)question + 5), STR(".aspx"));
		if (page < 0)
			continue;
		buf_str(out, str_sub(path, 0, i));
		buf_str(out, behind);
		return;
	}
	buf_str(out, path);
}

void surt_strip_path(struct str path, struct buf *out)
{
	struct buf once = BUF(KEY_MAX);

	if (path.n == 0 || !memchr(path.p, '(', path.n)) {
		buf_str(out, path);
		return;
	}
	strip_asp(path, true, &once);
	strip_asp(buf_view(&once), false, out);
	buf_release(&once);
}

/* Length of a run of n letters (and digits), or 0 when it is shorter. */
static size_t run(struct str s, size_t n, bool digits_too)
{
	if (s.n < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!ascii_alpha(s.p[i]) && !(digits_too && ascii_digit(s.p[i])))
			return 0;
	return n;
}

static size_t session_32(struct str s, struct str name)
{
	return str_istarts(s, name) ? run(str_sub(s, name.n, s.n), 32, true) + name.n : 0;
}

static size_t match_jsessionid(struct str s) { return session_32(s, STR("jsessionid=")); }
static size_t match_phpsessid(struct str s) { return session_32(s, STR("phpsessid=")); }
static size_t match_sid(struct str s) { return session_32(s, STR("sid=")); }

static size_t match_asp(struct str s)
{
	if (!str_istarts(s, STR("aspsessionid")) || !run(str_sub(s, 12, s.n), 8, false) || s.n <= 20 || s.p[20] != '=')
		return 0;
	return run(str_sub(s, 21, s.n), 24, false) ? 45 : 0;
}

/* The bytes up to the next '&'. */
static size_t argument(struct str s)
{
	ptrdiff_t at = str_chr(s, '&');

	return at < 0 ? s.n : (size_t)at;
}

static size_t match_cf(struct str s)
{
	size_t id, token;

	if (!str_istarts(s, STR("cfid=")) || (id = argument(str_sub(s, 5, s.n))) == 0)
		return 0;
	if (!str_istarts(str_sub(s, 5 + id, s.n), STR("&cftoken=")))
		return 0;
	token = argument(str_sub(s, 14 + id, s.n));
	return token ? 14 + id + token : 0;
}

/* In order; of each the last place is taken that ends where an argument ends. */
static const struct {
	char first;		       /* how it begins, lower case */
	size_t (*match)(struct str s); /* length, or 0 */
	size_t least;		       /* a shorter match is none: the value was too short */
} sessions[] = {
	{ 'j', match_jsessionid, 43 }, { 'p', match_phpsessid, 42 }, { 's', match_sid, 36 },
	{ 'a', match_asp, 45 },	       { 'c', match_cf, 1 },
};

static void strip_sessions(struct buf *query, struct buf *tmp)
{
	for (size_t k = 0; k < COUNT(sessions); k++) {
		struct str s = buf_view(query);

		for (size_t i = s.n; i-- > 0;) {
			size_t n;

			if ((s.p[i] | 32) != sessions[k].first)
				continue;
			n = sessions[k].match(str_sub(s, i, s.n));
			if (n < sessions[k].least || (i + n < s.n && s.p[i + n] != '&'))
				continue;
			buf_str(tmp, str_sub(s, 0, i));
			buf_str(tmp, str_sub(s, i + n + 1, s.n));
			surt_replace(query, tmp);
			break;
		}
	}
}

static int compare_args(const void *a, const void *b)
{
	struct str x = *(const struct str *)a, y = *(const struct str *)b, x_name, y_name;
	int order;

	x_name = str_cut(&x, '=');
	y_name = str_cut(&y, '=');
	order = str_cmp(x_name, y_name);
	if (order)
		return order;
	if (!x.p || !y.p)
		return (x.p != NULL) - (y.p != NULL);
	return str_cmp(x, y);
}

void surt_sort_query(struct str query, struct buf *out)
{
	struct str few[ARGS_FAST], *args = few;
	size_t n = 1, i = 0;

	for (size_t k = 0; k < query.n; k++)
		n += query.p[k] == '&';
	if (n == 1) {
		buf_str(out, query);
		return;
	}
	if (n > ARGS_FAST)
		args = mem_array(n, sizeof *args);
	for (struct str rest = query; rest.p && i < n;)
		args[i++] = str_cut(&rest, '&');
	if (n <= ARGS_FAST) {
		for (size_t k = 1; k < n; k++) { /* few: insertion */
			struct str x = args[k];
			size_t at = k;

			for (; at > 0 && compare_args(&args[at - 1], &x) > 0; at--)
				args[at] = args[at - 1];
			args[at] = x;
		}
	} else {
		sort_array(args, n, sizeof *args, compare_args);
	}
	for (i = 0; i < n; i++) {
		if (i)
			buf_byte(out, '&');
		buf_str(out, args[i]);
	}
	if (args != few)
		mem_free(args);
}

static void ia_query(unsigned flags, struct surt_parts *u, struct buf *tmp)
{
	strip_sessions(&u->query, tmp);
	buf_reset(tmp);
	if (!(flags & SURT_KEEP_QUERY_CASE))
		surt_lower(&u->query);
	surt_sort_query(buf_view(&u->query), tmp);
	surt_replace(&u->query, tmp);
	u->has_query = u->query.n > 0;
}

void surt_massage(unsigned flags, struct surt_parts *u, struct buf *tmp)
{
	int usual = str_ieq(u->scheme, STR("http")) ? 80 : str_ieq(u->scheme, STR("https")) ? 443 : 0;

	surt_lower(&u->host);
	if (!(flags & SURT_KEEP_WWW)) {
		buf_str(tmp, surt_strip_www(buf_view(&u->host)));
		surt_replace(&u->host, tmp);
	}
	if (usual && u->port == usual)
		u->port = -1;
	surt_strip_path(buf_view(&u->path), tmp);
	surt_replace(&u->path, tmp);
	if (u->path.n > 1 && u->path.p[u->path.n - 1] == '/')
		u->path.n--;
	surt_lower(&u->path);
	if (u->has_query)
		ia_query(flags, u, tmp);
}

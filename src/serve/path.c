/* serve/path.c -- see path.h. */
#include "serve/path.h"

#include "serve/server_int.h"

const char *const modifier_names[MODIFIERS] = {
	[MOD_NONE] = "",      [MOD_MP] = "mp_", [MOD_ID] = "id_",   [MOD_IR] = "ir_",	[MOD_BN] = "bn_",
	[MOD_UO] = "uo_",     [MOD_TF] = "tf_", [MOD_JS] = "js_",   [MOD_CS] = "cs_",	[MOD_IM] = "im_",
	[MOD_OE] = "oe_",     [MOD_IF] = "if_", [MOD_FR] = "fr_",   [MOD_WKR] = "wkr_", [MOD_WKRF] = "wkrf_",
	[MOD_WKRM] = "wkrm_", [MOD_SW] = "sw_", [MOD_ESM] = "esm_", [MOD_LN] = "ln_",	[MOD_MT] = "mt_",
	[MOD_DL] = "dl_",     [MOD_FW] = "fw_",
};

enum modifier modifier_of(struct str name)
{
	for (size_t i = 1; i < MODIFIERS; i++)
		if (str_eq(name, str(modifier_names[i])))
			return (enum modifier)i;
	return MOD_MP;
}

static size_t digits(struct str s)
{
	size_t n = 0;

	while (n < s.n && ascii_digit(s.p[n]))
		n++;
	return n;
}

/* A short stamp may have an odd number of digits: 200 means 2000, 20051 means 200510. */
static bool read_stamp(struct str s, struct stamp *out)
{
	char padded[15];
	size_t n = s.n > 14 ? 14 : s.n;

	if (n == 0)
		return true;
	memcpy(padded, s.p, n);
	while (n < 4)
		padded[n++] = '0';
	if (n % 2)
		padded[n] = n == 5 || n == 7 ? (padded[n - 1] == '0' ? '1' : '0') : '0', n++;
	return stamp_parse_digits(str_n(padded, n), out);
}

static bool has_scheme(struct str u)
{
	size_t i = 0;

	while (i < u.n &&
	       (ascii_alpha(u.p[i]) || (i && (ascii_digit(u.p[i]) || u.p[i] == '+' || u.p[i] == '-' || u.p[i] == '.'))))
		i++;
	return i > 1 && i + 1 < u.n && u.p[i] == ':' && u.p[i + 1] == '/';
}

/* What crawlers write down beside pages has no host; a:80 does, so only known schemes count. */
static bool is_hostless(struct str u)
{
	static const char *const schemes[] = { "urn:", "dns:", "whois:", "metadata:", "screenshot:" };

	for (size_t i = 0; i < COUNT(schemes); i++)
		if (str_istarts(u, str(schemes[i])) && u.n > strlen(schemes[i]) &&
		    !ascii_digit(u.p[strlen(schemes[i])]))
			return true;
	return false;
}

/* The URL as it was meant: http:/x, //x, x, http%3A%2F%2Fx. */
static bool read_url(struct arena *a, struct str u, struct str query, bool has_query, struct str *out)
{
	struct str scheme = STR("http"), rest;

	while (u.n && u.p[0] == '/')
		u = str_sub(u, 1, u.n);
	if (str_istarts(u, STR("http%3a")) || str_istarts(u, STR("https%3a")))
		u = percent_decode(a, u, false);
	if (!has_scheme(u) && is_hostless(u)) {
		*out = arena_printf(a, "%.*s%s%.*s", STR_FMT(u), has_query ? "?" : "", STR_FMT(query));
		return true;
	}
	if (has_scheme(u)) {
		rest = u;
		scheme = str_cut(&rest, ':');
	} else {
		rest = u;
	}
	while (rest.n && rest.p[0] == '/')
		rest = str_sub(rest, 1, rest.n);
	if (rest.n == 0)
		return false;
	*out =
	    arena_printf(a, "%.*s://%.*s%s%.*s", STR_FMT(scheme), STR_FMT(rest), has_query ? "?" : "", STR_FMT(query));
	return true;
}

bool replay_path_parse(struct replay_path *out, struct arena *a, struct str rest, struct str query, bool has_query)
{
	size_t n = digits(rest), at = n;
	bool stamped = false;

	*out = (struct replay_path){ 0 };
	if (at < rest.n && rest.p[at] == '-' && n) { /* FROM-TO* */
		size_t m = digits(str_sub(rest, at + 1, rest.n));

		if (at + 1 + m < rest.n && rest.p[at + 1 + m] == '*') {
			out->until = str_sub(rest, at + 1, at + 1 + m);
			at += 1 + m;
		}
	}
	if (at < rest.n && rest.p[at] == '*') {
		out->calendar = true;
		at++;
	} else {
		size_t end = at;

		while (end < rest.n && rest.p[end] >= 'a' && rest.p[end] <= 'z')
			end++;
		if (end > at && end < rest.n && rest.p[end] == '_' && end - at < 8) {
			out->modifier = modifier_of(str_sub(rest, at, end + 1));
			out->has_modifier = true;
			at = end + 1;
		}
	}
	stamped = at > 0 && at < rest.n && rest.p[at] == '/' && n <= 14;
	if (!stamped) {
		out->calendar = out->has_modifier = false;
		out->modifier = MOD_NONE;
		out->until = STR_NONE;
		at = n = 0;
	}
	out->stamp = str_sub(rest, 0, n);
	if (!read_stamp(out->stamp, &out->time))
		return false;
	if (out->calendar && !has_query && rest.n && rest.p[rest.n - 1] == '*') {
		out->prefix = true;
		rest.n--;
	}
	return at <= rest.n && read_url(a, str_sub(rest, at, rest.n), query, has_query, &out->url);
}

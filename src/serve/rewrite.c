/* serve/rewrite.c -- single references, styles, and which way a body is rewritten; see rewrite.h. */
#include "serve/rewrite.h"

#include "base/limits.h"

/* Schemes that are left alone: nothing of theirs is in an archive. */
static bool is_foreign(struct str ref)
{
	static const char *const schemes[] = { "data:", "mailto:", "javascript:", "about:", "blob:", "tel:",
					       "sms:",	"urn:",	   "cid:",	  "news:",  "irc:",  "magnet:" };

	if (ref.n == 0 || ref.p[0] == '#')
		return true;
	for (size_t i = 0; i < COUNT(schemes); i++)
		if (str_istarts(ref, str(schemes[i])))
			return true;
	return false;
}

static bool is_ours(const struct rewriter *w, struct str ref) { return str_starts(ref, w->prefix); }

static void add_address(struct rewriter *w, enum modifier mod, struct buf *out)
{
	struct str href = url_href(&w->scratch);

	buf_str(out, w->prefix);
	buf_add(out, w->stamp, 14);
	buf_str(out, str(modifier_names[mod]));
	buf_byte(out, '/');
	buf_str(out, href);
}

/* A reference in a legacy encoding as browsers send it: the path in UTF-8, the query in the page's own bytes, escaped. */
static struct str legacy(struct rewriter *w, struct str ref)
{
	static const char hex[] = "0123456789ABCDEF";
	ptrdiff_t mark = str_chr(ref, '?');
	struct str path = mark < 0 ? ref : str_sub(ref, 0, (size_t)mark), query = str_sub(ref, path.n, ref.n);
	char *out;
	size_t replaced, n;

	path = charset_decode(w->arena, w->charset, path, &replaced);
	out = arena_alloc(w->arena, path.n + 3 * query.n + 1);
	memcpy(out, path.p, n = path.n);
	for (size_t i = 0; i < query.n; i++) {
		unsigned char c = (unsigned char)query.p[i];

		if (c < 0x80) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = hex[c >> 4];
		out[n++] = hex[c & 15];
	}
	return str_n(out, n);
}

static bool has_high(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] & 0x80)
			return true;
	return false;
}

void rewrite_absolute(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out)
{
	struct str plain = str_trim(ref);

	if (w->charset.encoding && !w->utf8 && has_high(plain))
		plain = legacy(w, plain);
	if (url_parse(&w->scratch, plain, &w->base) && (url_is_http(&w->scratch) || w->scratch.scheme == URL_FTP))
		add_address(w, mod, out);
	else
		buf_str(out, ref);
}

void rewrite_ref(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out)
{
	struct str plain = str_trim(ref);

	if (is_foreign(plain) || is_ours(w, plain))
		buf_str(out, ref);
	else
		rewrite_absolute(w, plain, mod, out);
}

/* How browsers read a part of a path: -1 "..", 0 ".", both also escaped, 1 a name. */
static int step(struct str part)
{
	int dots = 0;

	for (size_t i = 0; i < part.n; dots++)
		if (part.p[i] == '.')
			i++;
		else if (str_istarts(str_sub(part, i, part.n), STR("%2e")))
			i += 3;
		else
			return 1;
	return dots == 1 ? 0 : dots == 2 ? -1 : 1;
}

/* More ".." than the base has folders: by itself it would climb out of the archived site. */
static bool climbs(const struct url *base, struct str ref)
{
	struct str path = url_pathname(base);
	int folders = -1;

	for (size_t i = 0; i < path.n; i++)
		folders += path.p[i] == '/';
	for (size_t i = 0; i < ref.n && folders >= 0 && ref.p[i] != '?' && ref.p[i] != '#';) {
		size_t end = i;

		while (end < ref.n && !strchr("/\\?#", ref.p[end]))
			end++;
		folders += step(str_sub(ref, i, end));
		i = end + (end < ref.n && ref.p[end] != '?' && ref.p[end] != '#');
	}
	return folders < 0;
}

void rewrite_lead(struct rewriter *w, struct str ref, enum modifier mod, struct buf *out)
{
	struct str plain = str_trim(ref);
	bool rooted = plain.n && (plain.p[0] == '/' || plain.p[0] == '\\'), full;

	full = !rooted && url_parse(&w->scratch, plain, NULL);
	if (is_foreign(plain) || is_ours(w, plain) || !(full || rooted || climbs(&w->base, plain)) ||
	    (full && !url_is_http(&w->scratch))) {
		buf_str(out, ref);
	} else if ((full || rooted) && str_chr(plain, '{') >= 0) { /* names stand for parts of it: no byte may change */
		buf_str(out, w->prefix);
		buf_add(out, w->stamp, 14);
		buf_str(out, str(modifier_names[mod]));
		buf_byte(out, '/');
		if (rooted && plain.n > 1 && plain.p[1] == plain.p[0])
			buf_str(out, w->base.scheme == URL_HTTPS ? STR("https:") : STR("http:"));
		else if (rooted)
			url_origin(&w->base, out);
		buf_str(out, plain);
	} else {
		rewrite_absolute(w, plain, mod, out);
	}
}

void rewrite_srcset(struct rewriter *w, struct str value, enum modifier mod, struct buf *out)
{
	size_t i = 0;
	bool first = true;

	while (i < value.n) {
		size_t from, end;
		bool comma = false;

		while (i < value.n && (ascii_space(value.p[i]) || value.p[i] == ','))
			i++;
		from = i;
		while (i < value.n && !ascii_space(value.p[i]))
			i++;
		end = i;
		while (end > from && value.p[end - 1] == ',') {
			end--;
			comma = true;
		}
		if (end == from)
			break;
		if (!first)
			buf_str(out, STR(", "));
		first = false;
		rewrite_ref(w, str_sub(value, from, end), mod, out);
		if (comma)
			continue;
		from = i;
		for (int depth = 0; i < value.n && (value.p[i] != ',' || depth > 0); i++)
			depth += value.p[i] == '(' ? 1 : value.p[i] == ')' ? -1 : 0;
		buf_str(out, str_sub(value, from, i));
	}
}

/* ---- CSS ---- */

static size_t css_string_end(struct str s, size_t at) /* behind the closing quote, or the end of the line */
{
	char quote = s.p[at++];

	while (at < s.n && s.p[at] != quote && s.p[at] != '\n') {
		if (s.p[at] == '\\' && at + 1 < s.n)
			at++;
		at++;
	}
	return at < s.n ? at + 1 : s.n;
}

/* \26 B, \( and the like undone. */
static struct str css_unescape(struct arena *a, struct str s)
{
	char *out;
	size_t n = 0;

	if (str_chr(s, '\\') < 0)
		return s;
	out = arena_alloc(a, s.n + 4);
	for (size_t i = 0; i < s.n; i++) {
		unsigned code = 0, k = 0;

		if (s.p[i] != '\\' || i + 1 >= s.n) {
			out[n++] = s.p[i];
			continue;
		}
		while (k < 6 && i + 1 + k < s.n && hex_digit(s.p[i + 1 + k]) >= 0)
			code = code * 16 + (unsigned)hex_digit(s.p[i + 1 + k++]);
		if (k == 0) {
			if (s.p[++i] != '\n')
				out[n++] = s.p[i];
			continue;
		}
		i += k;
		if (i + 1 < s.n && ascii_space(s.p[i + 1]))
			i++;
		out[n++] = code < 0x80 && code ? (char)code : '?';
	}
	return str_n(out, n);
}

static void css_ref(struct rewriter *w, struct str raw, enum modifier mod, struct buf *out)
{
	struct str ref = str_trim(css_unescape(w->arena, raw));
	size_t at;

	if (is_foreign(ref) || is_ours(w, ref)) {
		buf_str(out, raw);
		return;
	}
	at = out->n;
	rewrite_absolute(w, ref, mod, out);
	for (; at < out->n;
	     at++) /* what would end the token again: never in a URL that was parsed, but in one that was not */
		if (out->p[at] == '"' || out->p[at] == '\'' || out->p[at] == '(' || out->p[at] == ')' ||
		    out->p[at] == '\\' || out->p[at] == '\n') {
			static const char hex[] = "0123456789ABCDEF";
			unsigned char c = (unsigned char)out->p[at];
			size_t tail = out->n - at - 1;

			if (!buf_room(out, 2))
				return;
			memmove(out->p + at + 3, out->p + at + 1, tail);
			out->p[at] = '%';
			out->p[at + 1] = hex[c >> 4];
			out->p[at + 2] = hex[c & 15];
			out->n += 2;
		}
}

/* A style sheet on its way: what lies before `from` is written. */
struct css {
	struct rewriter *w;
	struct str text;
	size_t at, from;
	bool import;	/* behind @import, before its URL */
	unsigned depth; /* of parentheses since image-set(, whose strings at depth 1 are URLs; 0: in none */
	struct buf *out;
};

static void css_replace(struct css *c, size_t start, size_t end)
{
	buf_str(c->out, str_sub(c->text, c->from, start));
	css_ref(c->w, str_sub(c->text, start, end), c->import ? MOD_CS : MOD_IM, c->out);
	c->from = end;
	c->import = false;
}

/* At a quote; [start, end) is what stands inside.  Goes behind the closing one. */
static void css_string(struct css *c, size_t *start, size_t *end)
{
	char quote = c->text.p[c->at];

	*start = c->at + 1;
	c->at = *end = css_string_end(c->text, c->at);
	if (*end > *start && c->text.p[*end - 1] == quote)
		--*end;
}

/* At url(. */
static void css_url(struct css *c)
{
	struct str text = c->text;
	size_t start, end;

	for (c->at += 4; c->at < text.n && ascii_space(text.p[c->at]); c->at++)
		;
	if (c->at < text.n && (text.p[c->at] == '"' || text.p[c->at] == '\'')) {
		css_string(c, &start, &end);
	} else {
		for (start = end = c->at; end < text.n && text.p[end] != ')' && text.p[end] != '\n'; end++)
			if (text.p[end] == '\\' && end + 1 < text.n)
				end++;
		while (end > start && ascii_space(text.p[end - 1]))
			end--;
		c->at = end;
	}
	css_replace(c, start, end);
	while (c->at < text.n && ascii_space(text.p[c->at]))
		c->at++;
	c->at += c->at < text.n && text.p[c->at] == ')';
}

static bool css_word(const struct css *c, struct str word) /* here, and not the end of a longer name */
{
	return str_istarts(str_sub(c->text, c->at, c->text.n), word) &&
	       (c->at == 0 ||
		!(ascii_alpha(c->text.p[c->at - 1]) || c->text.p[c->at - 1] == '-' || c->text.p[c->at - 1] == '_'));
}

void rewrite_css(struct rewriter *w, struct str css, struct buf *out)
{
	struct css c = { .w = w, .text = css, .out = out };
	size_t start, end;

	while (c.at < css.n) {
		switch (css.p[c.at]) {
		case '/':
			if (c.at + 1 < css.n && css.p[c.at + 1] == '*') {
				ptrdiff_t close = str_find(str_sub(css, c.at + 2, css.n), STR("*/"));

				c.at = close < 0 ? css.n : c.at + 2 + (size_t)close + 2;
			} else {
				c.at++;
			}
			break;
		case '@':
			c.import = str_istarts(str_sub(css, c.at, css.n), STR("@import"));
			if (str_istarts(str_sub(css, c.at, css.n), STR("@namespace")))
				while (c.at < css.n && css.p[c.at] != ';') /* a name that looks like an address */
					c.at++;
			else
				c.at += c.import ? 7 : 1;
			break;
		case ';':
		case '{':
		case '}':
			c.import = false;
			c.depth = 0;
			c.at++;
			break;
		case '"':
		case '\'':
			css_string(&c, &start, &end);
			if (c.import || c.depth == 1)
				css_replace(&c, start, end);
			break;
		case '\\': c.at += c.at + 1 < css.n ? 2 : 1; break;
		case '(':
		case ')':
			c.depth += c.depth == 0 ? 0 : css.p[c.at] == '(' ? 1U : -1U;
			c.at++;
			break;
		case 'u':
		case 'U':
			if (css_word(&c, STR("url(")))
				css_url(&c);
			else
				c.at++;
			break;
		case 'i':
		case 'I':
			if (str_istarts(str_sub(css, c.at, css.n), STR("image-set("))) {
				c.depth = 1;
				c.at += 10;
			} else {
				c.at++;
			}
			break;
		default: c.at++;
		}
	}
	buf_str(out, str_sub(css, c.from, css.n));
}

/* ---- which way ---- */

static const struct {
	const char *mime; /* "+xml": every type that ends so */
	enum rewrite_kind kind;
	bool part; /* also where a page asks for it as an image or another part of it */
} types[] = {
	{ "text/html", REWRITE_HTML, false },
	{ "application/xhtml+xml", REWRITE_HTML, false },
	{ "image/svg+xml", REWRITE_HTML, true },
	{ "text/css", REWRITE_CSS, false },
	{ "text/javascript", REWRITE_JS, false },
	{ "application/javascript", REWRITE_JS, false },
	{ "application/x-javascript", REWRITE_JS, false },
	{ "application/ecmascript", REWRITE_JS, false },
	{ "text/ecmascript", REWRITE_JS, false },
	{ "application/vnd.apple.mpegurl", REWRITE_HLS, true },
	{ "application/x-mpegurl", REWRITE_HLS, true },
	{ "audio/mpegurl", REWRITE_HLS, true },
	{ "audio/x-mpegurl", REWRITE_HLS, true },
	{ "application/manifest+json", REWRITE_APP, true },
	{ "application/x-web-app-manifest+json", REWRITE_APP, true },
	{ "video/vnd.mpeg.dash.mpd", REWRITE_XML, true },
	{ "application/xml", REWRITE_XML, true },
	{ "text/xml", REWRITE_XML, true },
	{ "text/xsl", REWRITE_XML, true },
	{ "+xml", REWRITE_XML, true },
};

/* What its first bytes say of a body whose type says little. */
static enum rewrite_kind kind_of_bytes(struct str mime, enum modifier mod, struct str start)
{
	if (mime.n && !str_ieq(mime, STR("text/plain")) && !str_ieq(mime, STR("application/octet-stream")) &&
	    !(mod == MOD_LN && str_ieq(mime, STR("application/json"))))
		return REWRITE_NOT;
	if (str_starts(start, STR("#EXTM3U")))
		return REWRITE_HLS;
	if (str_starts(start, STR("<")) && str_eq(xml_root(start), STR("MPD")))
		return REWRITE_XML;
	return mod == MOD_LN && str_starts(start, STR("{")) ? REWRITE_APP : REWRITE_NOT;
}

enum rewrite_kind rewrite_kind(struct str mime, enum modifier mod, struct str body)
{
	enum rewrite_kind kind = REWRITE_NOT;
	struct str start = body, root;
	bool part = false;

	if (mod == MOD_ID || mod == MOD_IR || mod == MOD_DL || mod == MOD_SW)
		return REWRITE_NOT;
	if (str_starts(start, STR("\xef\xbb\xbf")))
		start = str_sub(start, 3, start.n);
	start = str_trim(start);
	for (size_t i = 0; i < COUNT(types) && kind == REWRITE_NOT; i++)
		if (types[i].mime[0] == '+' ? str_iends(mime, str(types[i].mime)) : str_ieq(mime, str(types[i].mime))) {
			kind = types[i].kind;
			part = types[i].part;
		}
	if (kind == REWRITE_XML && (str_eq(root = xml_root(start), STR("html")) || str_eq(root, STR("svg"))))
		return REWRITE_HTML;
	if (kind == REWRITE_NOT && (kind = kind_of_bytes(mime, mod, start)) != REWRITE_NOT)
		return kind;
	if (mod == MOD_IM || mod == MOD_OE)
		return part ? kind : REWRITE_NOT;
	if (kind == REWRITE_HTML && start.n && start.p[0] != '<' &&
	    (mod == MOD_JS || mod == MOD_CS || mod == MOD_ESM || mod == MOD_WKR))
		return mod == MOD_CS ? REWRITE_CSS : REWRITE_JS; /* scripts that were served as text/html */
	if (kind == REWRITE_HTML && start.n && (start.p[0] == '{' || start.p[0] == '['))
		return REWRITE_NOT; /* JSON served as text/html */
	if (kind == REWRITE_NOT && (mod == MOD_JS || mod == MOD_CS) &&
	    (mime.n == 0 || str_istarts(mime, STR("text/"))) && start.n && start.p[0] != '<')
		return mod == MOD_CS ? REWRITE_CSS : REWRITE_JS;
	return kind;
}

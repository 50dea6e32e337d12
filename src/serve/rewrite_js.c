/* serve/rewrite_js.c -- scripts: URL constants, modules, and location.
 *
 * A scanner of JavaScript's tokens, without a grammar.  What it changes:
 *
 *	"http://a/x"		"/coll/STAMPmp_/http://a/x"	also behind a quote inside a constant, as in markup
 *	import x from "/m.js"	the address in the archive, of static imports and exports
 *	import(x)		__winnow.imp("URL of this script", x)
 *	location		__winnow.loc(location)
 *	window.location		__winnow.of(window).location	self, document, top, parent, frames, globalThis
 *
 * web/replay.js has __winnow.  loc() and of() look at what they are given and hand
 * back whatever is not the page's own, so a local variable that is called location
 * or self means what it meant.  Where a name could be a declaration, a parameter, a
 * key or a class's field, it is left alone: then a script sees the archive's address,
 * but no script becomes wrong.  A constant that is compared is left alone too: it is
 * compared with what other constants were made of.
 * Cost: one pass.
 */
#include "base/limits.h"
#include "serve/rewrite.h"

enum {
	NESTING = 256, /* braces and templates; what lies deeper is copied */
	REGEX = 1000,  /* bytes of a regular expression, so that looking for its end in vain costs no more */
};

enum last { NOTHING, WORD, VALUE, SIGN }; /* VALUE: number, string, template, regular expression */

struct js {
	struct rewriter *w;
	struct str s;
	size_t at, from; /* scanned; copied */
	enum last last;
	char sign, sign2;   /* the last sign, and the one right before it */
	struct str word;    /* the last word */
	bool member;	    /* the last word stands behind a dot */
	bool imports;	    /* in an import or export whose "from" has not come */
	bool class_head;    /* behind class, before its brace */
	bool shadowed;	    /* something else was called location */
	char open[NESTING]; /* b a block's brace, c a class's, o an object's or pattern's, ` a template's ${ */
	unsigned depth;
	struct buf *out;
};

static bool is_word(char c) { return ascii_alpha(c) || ascii_digit(c) || c == '_' || c == '$' || (c & 0x80); }

static bool word_in(struct str w, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(w, str(list[i])))
			return true;
	return false;
}

/* ---- URL constants ---- */

/* Names that are compared, not fetched. */
static bool is_a_name(struct str url)
{
	return str_find(str_sub(url, 0, 24), STR("//www.w3.org/")) >= 0 ||
	       str_find(str_sub(url, 0, 24), STR("//schema.org")) >= 0 ||
	       str_find(str_sub(url, 0, 28), STR("//ogp.me")) >= 0;
}

static bool begins_url(struct str url)
{
	size_t host;

	if (!str_starts(url, STR("http")) || url.n < 9)
		return false;
	host = url.p[4] == 's' ? 5 : 4;
	if (url.p[host++] != ':')
		return false;
	for (unsigned k = 0; k < 2; k++) { /* // or \/\/ */
		host += host < url.n && url.p[host] == '\\';
		if (host >= url.n || url.p[host++] != '/')
			return false;
	}
	return host < url.n && (ascii_alpha(url.p[host]) || ascii_digit(url.p[host])) && !is_a_name(url);
}

static void copy_to(struct js *x, size_t at)
{
	buf_str(x->out, str_sub(x->s, x->from, at));
	x->from = at;
}

static void put_prefix(struct js *x, size_t at)
{
	copy_to(x, at);
	buf_str(x->out, x->w->prefix);
	buf_add(x->out, x->w->stamp, 14);
	buf_str(x->out, STR("mp_/"));
}

/* URLs behind the quotes in [at, end), the opening one among them. */
static void urls_in(struct js *x, size_t at, size_t end)
{
	for (; at < end; at++)
		if ((x->s.p[at] == '"' || x->s.p[at] == '\'' || x->s.p[at] == '`') &&
		    begins_url(str_sub(x->s, at + 1, end)))
			put_prefix(x, at + 1);
}

/* ---- looking ahead ---- */

static size_t past_blanks(struct str s, size_t at) /* and comments */
{
	while (at < s.n) {
		if (ascii_space(s.p[at])) {
			at++;
		} else if (s.p[at] == '/' && at + 1 < s.n && s.p[at + 1] == '*') {
			ptrdiff_t end = str_find(str_sub(s, at + 2, s.n), STR("*/"));

			at = end < 0 ? s.n : at + 2 + (size_t)end + 2;
		} else if (s.p[at] == '/' && at + 1 < s.n && s.p[at + 1] == '/') {
			while (at < s.n && s.p[at] != '\n')
				at++;
		} else {
			break;
		}
	}
	return at;
}

static char char_at(struct str s, size_t at) { return at < s.n ? s.p[at] : 0; }

static struct str word_at(struct str s, size_t at)
{
	size_t end = at;

	while (end < s.n && is_word(s.p[end]))
		end++;
	return str_sub(s, at, end);
}

/* ---- constants ---- */

static size_t string_end(struct str s, size_t at)
{
	char quote = s.p[at++];

	while (at < s.n && s.p[at] != quote && s.p[at] != '\n')
		at += s.p[at] != '\\' ? 1 : char_at(s, at + 1) == '\r' && char_at(s, at + 2) == '\n' ? 3 : 2;
	return at < s.n ? at + 1 : s.n;
}

static bool is_compared(const struct js *x, size_t behind)
{
	size_t next = past_blanks(x->s, behind);

	return (x->last == SIGN && x->sign == '=' && (x->sign2 == '=' || x->sign2 == '!')) ||
	       (x->last == WORD && str_eq(x->word, STR("case"))) ||
	       ((char_at(x->s, next) == '=' || char_at(x->s, next) == '!') && char_at(x->s, next + 1) == '=');
}

/* An origin as the last argument: to whom a message is addressed. */
static bool is_addressee(const struct js *x, struct str url, size_t behind)
{
	ptrdiff_t host = str_find(url, STR("//"));

	return x->last == SIGN && x->sign == ',' && host >= 0 &&
	       str_chr(str_sub(url, (size_t)host + 2, url.n), '/') < 0 &&
	       char_at(x->s, past_blanks(x->s, behind)) == ')';
}

static bool is_specifier(struct str s)
{
	return str_chr(s, '\\') < 0 &&
	       (str_starts(s, STR("/")) || str_starts(s, STR("./")) || str_starts(s, STR("../")) ||
		str_starts(s, STR("http:")) || str_starts(s, STR("https:")));
}

static void string(struct js *x)
{
	size_t start = x->at, end = string_end(x->s, start);
	struct str text = str_sub(x->s, start + 1, end - (end > start + 1 && x->s.p[end - 1] == x->s.p[start]));
	bool module = x->imports && x->last == WORD && !x->member &&
		      (str_eq(x->word, STR("from")) || str_eq(x->word, STR("import")));

	if (module && is_specifier(text)) {
		copy_to(x, start + 1);
		rewrite_ref(x->w, text, MOD_ESM, x->out);
		x->from = start + 1 + text.n;
	} else if (!module && !is_compared(x, end) && !is_addressee(x, text, end)) {
		urls_in(x, start, end);
	}
	if (module)
		x->imports = false;
	x->last = VALUE;
	x->at = end;
}

/* In a template, at its backtick or behind a }: up to its end or the next ${. */
static void template(struct js *x)
{
	size_t start = x->at++;

	while (x->at < x->s.n && x->s.p[x->at] != '`') {
		if (x->s.p[x->at] == '$' && char_at(x->s, x->at + 1) == '{') {
			urls_in(x, start, x->at);
			x->at += 2;
			if (x->depth < NESTING)
				x->open[x->depth] = '`';
			x->depth++;
			x->last = SIGN;
			x->sign = '{';
			return;
		}
		x->at += x->s.p[x->at] == '\\' ? 2 : 1;
	}
	x->at = x->at < x->s.n ? x->at + 1 : x->s.n;
	urls_in(x, start, x->at);
	x->last = VALUE;
}

/* Behind the regular expression that begins here, 0: there is none on this line. */
static size_t regex_end(struct str s, size_t at)
{
	bool class = false;

	s = str_sub(s, 0, at + REGEX);
	for (at++; at < s.n && s.p[at] != '\n'; at++) {
		if (s.p[at] == '\\') {
			at++;
		} else if (s.p[at] == '[') {
			class = true;
		} else if (s.p[at] == ']') {
			class = false;
		} else if (s.p[at] == '/' && !class) {
			for (at++; at < s.n && ascii_alpha(s.p[at]); at++)
				;
			return at;
		}
	}
	return 0;
}

/* Whether a / begins a regular expression here: a value before it makes it a division. */
static bool may_be_regex(const struct js *x)
{
	static const char *const before[] = { "return", "typeof", "case", "in", "of",	 "delete",     "void",
					      "throw",	"new",	  "else", "do", "await", "instanceof", "yield" };

	if (x->last == WORD)
		return !x->member && word_in(x->word, before, COUNT(before));
	if (x->last == SIGN && x->sign == '}') { /* a block's end, or an object's: what stands behind it tells */
		size_t end = regex_end(x->s, x->at);
		char next = char_at(x->s, end);

		return end && (!next || strchr(".),;:]}&|?\n", next));
	}
	return x->last == NOTHING || (x->last == SIGN && x->sign != ')' && x->sign != ']');
}

/* ---- location ---- */

static bool inside(const struct js *x, char what)
{
	return x->depth > 0 && x->depth <= NESTING && x->open[x->depth - 1] == what;
}

static bool behind_sign(const struct js *x, const char *signs)
{
	return x->last == SIGN && strchr(signs, x->sign) != NULL;
}

/* What the bare name `location` is here. */
enum use { USE_OTHER, USE_READ, USE_WRITTEN };
static enum use use_of_location(struct js *x, size_t behind)
{
	static const char *const declare[] = { "var", "let",	"const",  "function", "class",	"get",
					       "set", "static", "import", "as",	      "delete", "async" };
	char next = char_at(x->s, behind), after = char_at(x->s, behind + 1);
	struct str word = word_at(x->s, behind);
	bool listed = next == ',' || next == '}' || next == ')' || next == ']';

	if (inside(x, 'c') || next == '(' || (x->last == SIGN && x->sign == '.'))
		return USE_OTHER;
	if (x->last == WORD && word_in(x->word, declare, COUNT(declare))) {
		x->shadowed = true;
		return USE_OTHER;
	}
	if (next == '=' && after == '>') {
		x->shadowed = true;
		return USE_OTHER;
	}
	if (behind_sign(x, "{,([:") && listed) { /* a parameter, an argument, a name in a pattern */
		x->shadowed |= behind_sign(x, "(,{");
		return USE_OTHER;
	}
	if (next == ':' && !behind_sign(x, "?=&|+(!"))
		return USE_OTHER;
	if (str_eq(word, STR("in")) || str_eq(word, STR("of")) || (next == after && (next == '+' || next == '-')))
		return USE_OTHER;
	if (next == '=' && after != '=')
		return x->shadowed || inside(x, 'o') || !(x->last != SIGN || behind_sign(x, ";{})&|?>=")) ? USE_OTHER
													  : USE_WRITTEN;
	return USE_READ;
}

static bool has_location(struct str s, size_t at) /* ".location" here, and no longer name, and no call of it */
{
	at = past_blanks(s, at);
	if (char_at(s, at) == '?' && char_at(s, at + 1) == '.')
		at++;
	if (char_at(s, at) != '.')
		return false;
	at = past_blanks(s, at + 1);
	return str_eq(word_at(s, at), STR("location")) && char_at(s, past_blanks(s, at + 8)) != '(';
}

/* In quotes, where a URL that was parsed has neither quote nor backslash; & would not be well-formed in XHTML. */
static void put_base(struct js *x)
{
	struct str href = url_href(&x->w->base);

	for (size_t i = 0; i < href.n; i++)
		if (href.p[i] == '&')
			buf_str(x->out, STR("\\u0026"));
		else
			buf_byte(x->out, href.p[i]);
}

static void word(struct js *x)
{
	static const char *const windows[] = { "window", "document", "self", "globalThis", "top", "parent", "frames" };
	struct str w = word_at(x->s, x->at);
	size_t start = x->at, behind = past_blanks(x->s, start + w.n);
	bool member = x->last == SIGN && (x->sign == '#' || (x->sign == '.' && x->sign2 != '.'));
	char next = char_at(x->s, behind);

	x->at += w.n;
	if (!member && str_eq(w, STR("location"))) {
		enum use use = use_of_location(x, behind);

		if (use != USE_OTHER) {
			copy_to(x, start);
			buf_str(x->out,
				use == USE_READ ? STR("__winnow.loc(location)") : STR("__winnow.of(self).location"));
			x->from = x->at;
		}
	} else if (!member && word_in(w, windows, COUNT(windows)) && has_location(x->s, x->at) && !inside(x, 'c')) {
		copy_to(x, start);
		buf_printf(x->out, "__winnow.of(%.*s)", STR_FMT(w));
		x->from = x->at;
	} else if (!member && str_eq(w, STR("import")) && next == '(' && !inside(x, 'c')) {
		copy_to(x, start);
		buf_str(x->out, STR("__winnow.imp(\""));
		put_base(x);
		buf_str(x->out, STR("\","));
		x->from = x->at = behind + 1;
		x->last = SIGN;
		x->sign = '(';
		return;
	} else if (!member && (str_eq(w, STR("import")) || str_eq(w, STR("export")))) {
		x->imports = next != '.';
	} else if (!member && str_eq(w, STR("class"))) {
		x->class_head = true;
	}
	x->last = WORD;
	x->word = w;
	x->member = member;
}

/* What a brace opens, by what stands before it. */
static char brace_kind(const struct js *x)
{
	static const char *const before[] = { "else", "try", "finally", "do" };

	if (x->class_head)
		return 'c';
	if (x->last == WORD ? word_in(x->word, before, COUNT(before)) : x->last == NOTHING || behind_sign(x, ");{}>"))
		return 'b';
	return 'o';
}

static void sign(struct js *x)
{
	char c = x->s.p[x->at++];
	bool joined = x->last == SIGN && x->at >= 2 && x->s.p[x->at - 2] == x->sign;

	if (c == '{') {
		if (x->depth < NESTING)
			x->open[x->depth] = brace_kind(x);
		x->depth++;
		x->class_head = false;
	} else if (c == '}' && x->depth > 0) {
		x->depth--;
		if (x->depth < NESTING && x->open[x->depth] == '`') {
			x->at--;
			template(x);
			return;
		}
	} else if (c == ';') {
		x->imports = false;
	}
	x->sign2 = joined ? x->sign : 0;
	x->sign = c;
	x->last = SIGN;
}

void rewrite_js(struct rewriter *w, struct str js, struct buf *out)
{
	struct js x = { .w = w, .s = js, .out = out };

	while (x.at < js.n) {
		char c = js.p[x.at];
		size_t next = past_blanks(js, x.at), end;

		if (next > x.at)
			x.at = next;
		else if (c == '"' || c == '\'')
			string(&x);
		else if (c == '`')
			template(&x);
		else if (c == '/' && may_be_regex(&x) && (end = regex_end(js, x.at)) != 0)
			x.at = end, x.last = VALUE;
		else if (ascii_digit(c))
			x.at += word_at(js, x.at).n, x.last = VALUE;
		else if (is_word(c))
			word(&x);
		else if (c == '<' && str_starts(str_sub(js, x.at, js.n), STR("<!--")))
			while (x.at < js.n && js.p[x.at] != '\n')
				x.at++;
		else
			sign(&x);
	}
	buf_str(out, str_sub(js, x.from, js.n));
}

void rewrite_import_map(struct rewriter *w, struct str json, struct buf *out)
{
	size_t from = 0;

	for (size_t at = 0; at < json.n; at++) {
		size_t end;
		struct str text;

		if (json.p[at] != '"')
			continue;
		end = string_end(json, at);
		text = str_sub(json, at + 1, end - 1);
		if (end > at + 1 && is_specifier(text)) {
			buf_str(out, str_sub(json, from, at + 1));
			rewrite_ref(w, text, MOD_ESM, out);
			from = end - 1;
		}
		at = end - 1;
	}
	buf_str(out, str_sub(json, from, json.n));
}

/* text/extract.c -- tokens in, body text out; see extract.h.
 *
 * White space is collapsed sixteen bytes at a time: every white byte becomes a
 * blank, and only where two meet is there anything to do.  The text never ends
 * with a separator; what must stand before the next word is in `sep`. */
#include "text/extract_page.h"

#include "base/mem.h"
#include "text/newline.h"
#include "text/scan.h"

#define SLACK 32 /* bytes behind the text that may be written: a separator, and a step of sixteen */

static bool white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct str extract_keep(struct extract *x, struct str s, size_t max)
{
	if (s.n > max) {
		for (s.n = max; s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80; s.n--)
			;
	}
	if (s.p >= x->page.p && s.p < str_end(x->page))
		return s;
	char *p = arena_alloc(&x->arena, s.n + EXTRACT_SLACK);

	if (s.n)
		memcpy(p, s.p, s.n);
	return str_n(p, s.n);
}

/* Room for n more bytes and a separator. */
static void room(struct extract *x, size_t n)
{
	if (x->n + n + SLACK > x->cap) {
		size_t want = x->cap * 2 > x->n + n + SLACK ? x->cap * 2 : x->n + n + SLACK;

		x->cap = want;
		x->text = mem_realloc(x->text, x->cap);
	}
	x->easy = x->cap < x->max ? x->cap : x->max;
}

/* What is left of n bytes at p when the text may have no more; there is room for it. */
static __attribute__((noinline)) size_t fit(struct extract *x, const char *p, size_t n)
{
	if (x->n + n + 1 > x->max) {
		x->cut |= CUT_TEXT;
		if (x->n + 1 >= x->max)
			return 0;
		for (n = x->max - x->n - 1; n && ((unsigned char)p[n] & 0xC0) == 0x80; n--)
			;
		x->max = x->n + 1 + n; /* what comes later does not fit either */
		if (!n)
			return 0;
	}
	room(x, n);
	return n;
}

/* Where text goes on, behind the separator that must stand before it. */
static inline char *separated(struct extract *x)
{
	char *out = x->text + x->n;

	if (x->sep && x->n && out[-1] != '\n') /* the text of a pre may end with one */
		*out++ = x->sep;
	x->sep = 0;
	return out;
}

#if defined(__x86_64__)
/* Sixteen bytes at p to out, white ones as blanks; a bit for each white one. */
static inline unsigned blanked(char *out, const char *p)
{
	const __m128i blank = _mm_set1_epi8(' '), nine = _mm_set1_epi8('\t'), four = _mm_set1_epi8('\r' - '\t');
	__m128i v = _mm_loadu_si128((const __m128i *)p), control = _mm_sub_epi8(v, nine);
	__m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(control, four), control);
	__m128i is_white = _mm_or_si128(is_control, _mm_cmpeq_epi8(v, blank));

	_mm_storeu_si128((__m128i *)out, _mm_or_si128(_mm_andnot_si128(is_white, v), _mm_and_si128(is_white, blank)));
	return (unsigned)_mm_movemask_epi8(is_white);
}
#endif

/* Collapses [p, end), which begins with a byte that is not white, to out; returns the new end of out.  Bytes up to
 * `readable` may be looked at, so that a short run is one load. */
static inline char *collapse(char *out, const char *p, const char *end, const char *readable)
{
	unsigned was_white = 0;

#if defined(__x86_64__)
	while (p < end && readable - p >= 16) {
		size_t left = (size_t)(end - p), n = left < 16 ? left : 16;
		unsigned mask = blanked(out, p) & (0xFFFFu >> (16 - n));
		unsigned twice = mask & (mask << 1 | was_white);

		if (__builtin_expect(!twice, 1)) {
			was_white = mask >> (n - 1);
			p += n;
			out += n;
			continue;
		}
		unsigned k = (unsigned)__builtin_ctz(twice);

		p += k;
		out += k;
		while (p < end && white(*p))
			p++;
		was_white = 0; /* a byte that is not white, or the end */
	}
#endif
	(void)readable;
	for (; p < end; p++) {
		bool w = white(*p);

		if (!w)
			*out++ = *p;
		else if (!was_white)
			*out++ = ' ';
		was_white = w;
	}
	return out;
}

/* Text where white space counts. */
static __attribute__((noinline)) void add_as_is(struct extract *x, const char *p, size_t n)
{
	if (x->skip_newline && n && *p == '\n')
		p++, n--;
	x->skip_newline = false;
	if (n == 0 || (x->n + n + SLACK > x->easy && !(n = fit(x, p, n))))
		return;
	char *out = separated(x);

	memcpy(out, p, n);
	x->n = (size_t)(out + n - x->text);
}

void extract_add(struct extract *x, const char *p, size_t n)
{
	const char *end = p + n, *page_end = str_end(x->page);

	if (x->pre) {
		add_as_is(x, p, n);
		return;
	}
	if (white(*p)) {
		do
			p++;
		while (p < end && white(*p));
		if (!x->sep)
			x->sep = ' ';
		if (p == end)
			return;
	}
	n = (size_t)(end - p);
	if (__builtin_expect(x->n + n + SLACK > x->easy, 0)) {
		if (!(n = fit(x, p, n)))
			return;
		end = p + n;
	}
	char *out = collapse(separated(x), p, end, p >= x->page.p && p < page_end ? page_end : end);

	if (out[-1] == ' ') { /* something stands before it */
		out--;
		x->sep = ' ';
	}
	x->n = (size_t)(out - x->text);
}

/* ---- tokens ---- */

/* Raw text that comes in one piece of the page is not copied. */
static __attribute__((noinline)) void raw_text(struct extract *x, struct str text)
{
	if (!x->raw_text.n && !x->raw_view.n && text.p >= x->page.p && text.p < str_end(x->page)) {
		x->raw_view = text;
		return;
	}
	if (x->raw_view.n) {
		struct str first = x->raw_view;

		x->raw_view = STR_NONE;
		buf_add(&x->raw_text, first.p, first.n < x->raw_text.max ? first.n : x->raw_text.max);
	}
	buf_add(&x->raw_text, text.p,
		text.n <= x->raw_text.max - x->raw_text.n ? text.n : x->raw_text.max - x->raw_text.n);
}

static __attribute__((noinline)) void other_text(struct extract *x, struct str text)
{
	if (x->raw_text_kept)
		raw_text(x, text);
	else if (!x->hide && !x->frameset)
		tree_text(x, text);
}

static void sink(void *context, const struct html_token *t)
{
	struct extract *x = context;

	switch (t->type) {
	case HTML_TEXT:
		/* the body, shown, no SVG about, text that is not NUL: almost always */
		if (!x->hide && x->body && !x->frameset_ok && !x->frameset && !x->count[TAG_SVG] &&
		    !x->count[TAG_MATH] && t->text.p[0])
			extract_add(x, t->text.p, t->text.n);
		else
			other_text(x, t->text);
		break;
	case HTML_START: tree_start(x, t); break;
	case HTML_END: tree_end(x, t); break;
	case HTML_COMMENT:
	case HTML_DOCTYPE: break;
	case HTML_EOF: tree_finish(x); break;
	}
}

struct extract *extract_new(void)
{
	struct extract *x = mem_zalloc(sizeof *x);

	x->html = html_new(sink, x);
	x->raw_text = BUF(256 * KIB);
	return x;
}

void extract_free(struct extract *x)
{
	if (!x)
		return;
	html_free(x->html);
	arena_release(&x->arena);
	outline_release(&x->outline);
	buf_release(&x->raw_text);
	vec_release(&x->links);
	vec_release(&x->anchors);
	url_release(&x->base_url);
	url_release(&x->scratch_url);
	mem_free(x->text);
	mem_free(x);
}

static void reset(struct extract *x)
{
	html_reset(x->html);
	arena_reset(&x->arena);
	outline_reset(&x->outline);
	if (x->cap > 4 * MIB) { /* one huge page must not cost the worker for ever */
		mem_free(x->text);
		x->text = NULL;
		x->cap = 0;
	}
	x->n = x->hide = x->pre = x->depth = x->cut = x->anchor = 0;
	x->sep = 0;
	x->too_deep = 0;
	memset(x->count, 0, sizeof x->count);
	x->frameset = x->body = x->head = x->head_done = x->form = x->raw_text_kept = x->skip_newline = false;
	x->frameset_ok = true;
	x->raw = TAG_OTHER;
	buf_reset(&x->raw_text);
	x->raw_view = STR_NONE;
	x->links.n = x->anchors.n = 0;
	x->base = x->description = x->canonical = x->lang = x->published = x->author = x->site_name = x->title =
	    STR_NONE;
	x->has_title = x->title_late = x->nofollow = x->noindex = false;
	x->published_rank = 0;
}

/* CRLF to LF once for the whole page, so that tags are not cut at CRs. */
static struct str normalise(struct extract *x, struct str s)
{
	const char *cr = memchr(s.p, '\r', s.n);

	if (!cr)
		return s;
	char *out = arena_alloc(&x->arena, s.n + NEWLINE_SLACK);
	size_t head = (size_t)(cr - s.p);

	memcpy(out, s.p, head);
	return str_n(out, head + newline_unix(out + head, str_n(cr, s.n - head)));
}

/* White space at the end goes, and nothing points behind what is left. */
static void trim_end(struct extract *x)
{
	size_t n = x->n;

	while (n && white(x->text[n - 1]))
		n--;
	if (n == x->n)
		return;
	x->n = n;
	for (size_t i = 0; i < x->links.n; i++)
		if (x->links.p[i].at > n)
			x->links.p[i].at = (uint32_t)n;
	for (size_t i = 0; i < x->outline.nodes.n; i++) {
		struct outline_node *node = &x->outline.nodes.p[i];

		node->start = node->start < n ? node->start : (uint32_t)n;
		node->end = node->end < n ? node->end : (uint32_t)n;
	}
}

/* A title that came after text: the text moves to make room for it. */
static void put_title_first(struct extract *x)
{
	size_t add = x->title.n + (x->n > 0);

	room(x, add);
	memmove(x->text + add, x->text, x->n);
	memcpy(x->text, x->title.p, x->title.n);
	if (x->n)
		x->text[x->title.n] = '\n';
	x->n += add;
	for (size_t i = 0; i < x->links.n; i++) {
		x->links.p[i].at += (uint32_t)add;
		x->anchors.p[i].start += (uint32_t)add;
		x->anchors.p[i].end += (uint32_t)add;
	}
	for (size_t i = 0; i < x->outline.nodes.n; i++) {
		x->outline.nodes.p[i].start += (uint32_t)add;
		x->outline.nodes.p[i].end += (uint32_t)add;
	}
}

void extract_page(struct extract *x, struct str html, struct str url, const struct extract_options *options,
		  struct page *out)
{
	static const struct extract_options none;

	reset(x);
	x->options = options ? *options : none;
	x->max = x->options.max_text ? x->options.max_text : LIMIT_TEXT;
	x->url = url;
	x->page = html.n ? normalise(x, html) : STR("");
	x->easy = 0;
	room(x, x->page.n / 4 < x->max ? x->page.n / 4 : x->max);
	html_set_foreign(x->html, x->options.xml); /* CDATA sections count */
	html_feed_clean(x->html, x->page);
	html_end(x->html);
	if (html_cut(x->html))
		x->cut |= CUT_TOKEN;
	trim_end(x);
	if (x->title_late && x->title.n)
		put_title_first(x);
	link_finish(x);
	*out = (struct page){
		.text = { x->text, x->n },
		.title = x->title,
		.body_start = x->title.n ? x->title.n + (x->n > x->title.n) : 0,
		.description = x->description,
		.canonical = x->canonical,
		.lang = x->lang,
		.published = x->published,
		.author = x->author,
		.site_name = x->site_name,
		.base = url_href(&x->base_url),
		.nofollow = x->nofollow,
		.noindex = x->noindex,
		.links = x->links.p,
		.nlinks = x->links.n,
		.outline = x->options.no_outline ? NULL : &x->outline,
		.cut = x->cut,
	};
}

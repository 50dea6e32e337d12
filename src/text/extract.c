/* text/extract.c -- tokens in, body text out; see extract.h.
 *
 * White space is collapsed many bytes at a time: every white byte becomes a
 * blank, and only where two meet is there anything to do (extract_text.h).  The
 * text never ends with a separator; what must stand before the next word is in `sep`. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "text/extract_page.h"

#include "base/mem.h"
#include "text/newline.h"
#include "text/scan.h"

#define SLACK 80 /* bytes behind the text that may be written: a separator, and a step */

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

	if (x->sep && x->n && !x->newline)
		*out++ = x->sep;
	x->sep = 0;
	return out;
}

/* Thirty-two bytes at p to out, white ones as blanks; a bit for each white one. */
static inline uint64_t blanked_plain(char *out, const char *p)
{
	uint64_t mask = 0;

#if defined(__x86_64__)
	const __m128i blank = _mm_set1_epi8(' '), nine = _mm_set1_epi8('\t'), four = _mm_set1_epi8('\r' - '\t');

	for (unsigned i = 0; i < 32; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(p + i)), control = _mm_sub_epi8(v, nine);
		__m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(control, four), control);
		__m128i is_white = _mm_or_si128(is_control, _mm_cmpeq_epi8(v, blank));

		_mm_storeu_si128((__m128i *)(out + i),
				 _mm_or_si128(_mm_andnot_si128(is_white, v), _mm_and_si128(is_white, blank)));
		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(is_white) << i;
	}
#else
	for (unsigned i = 0; i < 32; i++) {
		out[i] = white(p[i]) ? ' ' : p[i];
		mask |= (uint64_t)white(p[i]) << i;
	}
#endif
	return mask;
}

#define TEXT_NAME add_plain
#define TEXT_TARGET
#define TEXT_STEP 32
#define TEXT_BLANKED blanked_plain
#include "text/extract_text.h"

#if defined(__x86_64__)
/* The same of sixty-four. */
SCAN_TARGET_AVX2 static inline uint64_t blanked_avx2(char *out, const char *p)
{
	const __m256i blank = _mm256_set1_epi8(' '), nine = _mm256_set1_epi8('\t'),
		      four = _mm256_set1_epi8('\r' - '\t');
	uint32_t mask[2];

	for (unsigned i = 0; i < 2; i++) {
		__m256i v = _mm256_loadu_si256((const __m256i *)(p + 32 * i)), control = _mm256_sub_epi8(v, nine);
		__m256i is_control = _mm256_cmpeq_epi8(_mm256_min_epu8(control, four), control);

		_mm256_storeu_si256((__m256i *)(out + 32 * i), _mm256_blendv_epi8(v, blank, is_control));
		mask[i] = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(is_control, _mm256_cmpeq_epi8(v, blank)));
	}
	return mask[0] | (uint64_t)mask[1] << 32;
}

#define TEXT_NAME add_avx2
#define TEXT_TARGET SCAN_TARGET_AVX2
#define TEXT_STEP 64
#define TEXT_BLANKED blanked_avx2
#include "text/extract_text.h"

/* The same where the kept bytes of 64 can be put together: nothing depends on where white bytes meet, and no byte behind
 * the text is read. */
SCAN_TARGET_AVX512 static void add_avx512(struct extract *x, const char *p, size_t n)
{
	const __m512i blank = _mm512_set1_epi8(' '), nine = _mm512_set1_epi8('\t'), five = _mm512_set1_epi8(5);
	uint64_t was_white = 1; /* what comes first and is white is left out */
	char *out = NULL;

	if (x->n + n + SLACK > x->easy) {
		add_avx2(x, p, n);
		return;
	}
	for (size_t k; n; p += k, n -= k) {
		k = n < 64 ? n : 64;
		__mmask64 all = ~(uint64_t)0 >> (64 - k);
		__m512i v = _mm512_maskz_loadu_epi8(all, p);
		__mmask64 control = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, nine), five);
		uint64_t is_white = control | _mm512_cmpeq_epi8_mask(v, blank);
		uint64_t keep = all & ~(is_white & (is_white << 1 | was_white));

		if (!out) {
			if ((is_white & 1) && !x->sep)
				x->sep = ' ';
			if (!keep)
				continue;
			out = separated(x);
		}
		_mm512_storeu_si512(out, _mm512_maskz_compress_epi8(keep, _mm512_mask_mov_epi8(v, control, blank)));
		out += __builtin_popcountll(keep);
		was_white = is_white >> (k - 1);
	}
	if (!out)
		return;
	if (was_white) {
		out--;
		x->sep = ' ';
	}
	x->newline = false;
	x->n = (size_t)(out - x->text);
}
#endif

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
	x->newline = p[n - 1] == '\n';
	x->n = (size_t)(out + n - x->text);
}

void extract_add(struct extract *x, const char *p, size_t n)
{
	if (x->pre)
		add_as_is(x, p, n);
#if defined(__x86_64__)
	else if (x->kernel == SCAN_AVX512)
		add_avx512(x, p, n);
	else if (x->kernel == SCAN_AVX2)
		add_avx2(x, p, n);
#endif
	else
		add_plain(x, p, n);
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

static void text_sink(void *context, const char *p, size_t n)
{
	struct extract *x = context;

	/* the body, shown, no SVG about, text that is not NUL: almost always */
	if (!x->hide && x->body && !x->frameset_ok && !x->frameset && !x->count[TAG_SVG] && !x->count[TAG_MATH] && p[0])
		extract_add(x, p, n);
	else
		other_text(x, str_n(p, n));
}

static void sink(void *context, const struct html_token *t)
{
	struct extract *x = context;

	switch (t->type) {
	case HTML_START: tree_start(x, t); break;
	case HTML_END: tree_end(x, t); break;
	case HTML_TEXT: /* goes to text_sink */
	case HTML_COMMENT:
	case HTML_DOCTYPE: break;
	case HTML_EOF: tree_finish(x); break;
	}
}

struct extract *extract_new(void)
{
	struct extract *x = mem_zalloc(sizeof *x);

	x->html = html_new(sink, x);
	html_text_to(x->html, text_sink);
	x->raw_text = BUF(256 * KIB);
	x->kernel = scan_kernel();
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
	x->newline = false;
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
	const char *cr = x->options.no_cr ? NULL : memchr(s.p, '\r', s.n);

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

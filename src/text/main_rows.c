/* text/main_rows.c -- rows of the outline, the text between them, and how much of it is prose. */
#include "text/main_rows.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "text/scan.h"

/* ---- rows and segments ---- */

static bool blank(char c) { return ascii_space(c); }

static inline void add_segment(struct page_rows *p, uint32_t start, uint32_t end, uint32_t row)
{
	while (start < end && blank(p->body.p[start]))
		start++;
	while (start < end && blank(p->body.p[end - 1]))
		end--;
	if (start < end) {
		p->segments[p->n_segments++] = (struct segment){ .start = start, .end = end, .row = row };
		p->rows[row].own += end - start;
	}
}

static void cut_segments(struct page_rows *p)
{
	uint32_t at = 0, cur = 0;

	for (uint32_t i = 1; i <= p->n; i++) {
		while (i == p->n ? cur != 0 : i >= p->rows[cur].last) {
			add_segment(p, at, p->rows[cur].end, cur);
			at = at < p->rows[cur].end ? p->rows[cur].end : at;
			cur = p->rows[cur].parent;
		}
		if (i == p->n)
			break;
		add_segment(p, at, p->rows[i].start, cur);
		at = at < p->rows[i].start ? p->rows[i].start : at;
		cur = i;
	}
	add_segment(p, at, p->rows[0].end, 0);
}

/* Rows of the outline behind a row for the whole text; offsets are made to
 * ascend and to lie in the body, and rows to nest, whatever the outline says. */
void rows_fill(struct arena *a, struct page_rows *p, const struct outline *o)
{
	uint32_t high = 0;

	p->tags = o->tags;
	p->hints = o->hints;
	p->n = o->nodes.n + 1;
	p->rows = ARENA_ARRAY(a, struct row, p->n);
	p->segments = ARENA_ARRAY(a, struct segment, 2 * p->n + 1);
	p->rows[0] = (struct row){ .end = (uint32_t)p->body.n, .last = (uint32_t)p->n };
	for (size_t i = 1; i < p->n; i++) {
		const struct outline_node *node = &o->nodes.p[i - 1];
		uint32_t parent = node->parent + 1, start, end, last, most; /* UINT32_MAX becomes row 0 */

		while (parent >= i || p->rows[parent].last <= i)
			parent = parent >= i ? 0 : p->rows[parent].parent;
		most = p->rows[parent].end;
		start = node->start < high ? high : node->start;
		start = start > most ? most : start;
		end = node->end > most ? most : node->end;
		end = end < start ? start : end;
		high = start;
		last = node->last + 1;
		if (last <= i || last > p->rows[parent].last)
			last = p->rows[parent].last;
		p->rows[i] = (struct row){
			.start = start,
			.end = end,
			.last = last,
			.parent = parent,
			.link = node->link,
			.own_link = node->link,
			.name = node->name,
			.hints = node->hints,
			.tag = node->tag,
		};
	}
	for (size_t i = p->n; i-- > 1;)
		if (p->rows[i].parent) {
			struct row *up = &p->rows[p->rows[i].parent];

			up->own_link -= p->rows[i].link < up->own_link ? p->rows[i].link : up->own_link;
		}
	cut_segments(p);
}

/* ---- prose ---- */

/* Bytes that are marks, and those that begin one: a full stop, comma, colon or the like of another script. */
enum { MARK = 1, MARK_LEAD };
static const uint8_t mark_class[256] = {
	['.'] = MARK,	    [','] = MARK,	[';'] = MARK,	    [':'] = MARK,	['!'] = MARK,
	['?'] = MARK,	    [0xd5] = MARK_LEAD, [0xd6] = MARK_LEAD, [0xd8] = MARK_LEAD, [0xdb] = MARK_LEAD,
	[0xe0] = MARK_LEAD, [0xe1] = MARK_LEAD, [0xe3] = MARK_LEAD, [0xef] = MARK_LEAD,
};

static bool is_wide_mark(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t n = (size_t)(end - p);
	uint32_t c;

	if (n < 2)
		return false;
	c = (uint32_t)u[0] << 8 | u[1];
	switch (c) {
	case 0xd59d: /* Armenian comma, full stop */
	case 0xd689:
	case 0xd88c: /* Arabic comma, semicolon, question mark, full stop */
	case 0xd89b:
	case 0xd89f:
	case 0xdb94: return true;
	}
	if (n < 3)
		return false;
	switch (c << 8 | u[2]) {
	case 0xe0a5a4: /* danda, double danda */
	case 0xe0a5a5:
	case 0xe0bc8d: /* Tibetan shad */
	case 0xe1818a: /* Myanmar little section, section */
	case 0xe1818b:
	case 0xe18da2: /* Ethiopic full stop, comma, semicolon, colon */
	case 0xe18da3:
	case 0xe18da4:
	case 0xe18da5:
	case 0xe19f94: /* Khmer khan, bariyoosan, colon */
	case 0xe19f95:
	case 0xe19f96:
	case 0xe38081: /* ideographic comma, full stop */
	case 0xe38082:
	case 0xefbc81: /* full-width ! , . : ; ? */
	case 0xefbc8c:
	case 0xefbc8e:
	case 0xefbc9a:
	case 0xefbc9b:
	case 0xefbc9f: return true;
	}
	return false;
}

bool main_has_mark_slow(struct str text)
{
	for (const char *p = text.p, *end = str_end(text); p < end; p++) {
		uint8_t class = mark_class[(unsigned char)*p];

		if (class == MARK || (class && is_wide_mark(p, end)))
			return true;
	}
	return false;
}

#if defined(__x86_64__)
/* The low four bits of the marks are all different, and so are those of the leads: one look in a table says which of
 * them a byte must be. */
SCAN_TARGET_AVX512 static bool has_mark_avx512(struct str text)
{
	const __m512i marks =
	    _mm512_broadcast_i32x4(_mm_setr_epi8(-1, '!', -1, -1, -1, -1, -1, -1, -1, -1, ':', ';', ',', -1, '.', '?'));
	const __m512i leads =
	    _mm512_broadcast_i32x4(_mm_setr_epi8((char)0xe0, (char)0xe1, 0, (char)0xe3, 0, (char)0xd5, (char)0xd6, 0,
						 (char)0xd8, 0, 0, (char)0xdb, 0, 0, 0, (char)0xef));
	const __m512i low = _mm512_set1_epi8(15);
	const char *end = str_end(text);

	for (const char *p = text.p; p < end; p += 64) {
		size_t left = (size_t)(end - p);
		__mmask64 all = left < 64 ? ~(uint64_t)0 >> (64 - left) : ~(uint64_t)0;
		__m512i v = _mm512_maskz_loadu_epi8(all, p);

		if (_mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(marks, v), v))
			return true;
		if (!_mm512_movepi8_mask(v)) /* all ASCII */
			continue;
		__m512i lead = _mm512_shuffle_epi8(leads, _mm512_and_si512(v, low));

		for (uint64_t hit = _mm512_mask_cmpeq_epi8_mask(all, lead, v); hit; hit &= hit - 1)
			if (is_wide_mark(p + __builtin_ctzll(hit), end))
				return true;
	}
	return false;
}
#endif

bool main_has_mark(struct str text)
{
#if defined(__x86_64__)
	if (scan_kernel() == SCAN_AVX512)
		return has_mark_avx512(text);
#endif
	return main_has_mark_narrow(text);
}

bool main_has_mark_narrow(struct str text)
{
	const char *p = text.p, *end = str_end(text);

#if defined(__x86_64__)
#define EQUAL(c) _mm_cmpeq_epi8(v, _mm_set1_epi8((char)(c)))
	for (; end - p >= 16; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i stops =
		    _mm_or_si128(_mm_or_si128(EQUAL('.'), EQUAL(',')), _mm_or_si128(EQUAL(';'), EQUAL(':')));
		__m128i marks = _mm_or_si128(stops, _mm_or_si128(EQUAL('!'), EQUAL('?')));

		if (_mm_movemask_epi8(marks))
			return true;
		if (!_mm_movemask_epi8(v)) /* all ASCII */
			continue;
		__m128i leads =
		    _mm_or_si128(_mm_or_si128(EQUAL(0xe3), EQUAL(0xef)), _mm_or_si128(EQUAL(0xe0), EQUAL(0xe1)));
		__m128i pairs =
		    _mm_or_si128(_mm_or_si128(EQUAL(0xd8), EQUAL(0xdb)), _mm_or_si128(EQUAL(0xd5), EQUAL(0xd6)));

		for (unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(leads, pairs)); hit; hit &= hit - 1)
			if (is_wide_mark(p + __builtin_ctz(hit), end))
				return true;
	}
#undef EQUAL
#endif
	return main_has_mark_slow(str_n(p, (size_t)(end - p)));
}

static bool has_mark(struct str body, uint32_t start, uint32_t end)
{
	return main_has_mark(str_n(body.p + start, end - start));
}

/* A row whose own text may be prose. */
static inline bool weighs(const struct row *row)
{
	const uint64_t never = SET(OUTLINE_HEADING) | SET(OUTLINE_CONTROL) | SET(OUTLINE_CAPTION) | SET(OUTLINE_TIME) |
			       SET(OUTLINE_ADDRESS) | SET(OUTLINE_DT);

	return row->own >= UNIT_BYTES && !IN(row->tag, never) && row->own > 2 * (uint64_t)row->own_link;
}

void rows_weigh(struct page_rows *p)
{
	size_t linked_to = 0;

	for (size_t i = 0; i < p->n_segments; i++) {
		const struct segment *s = &p->segments[i];
		struct row *row = &p->rows[s->row];

		if (!row->mark && weighs(row) && s->row != 0)
			row->mark = has_mark(p->body, s->start, s->end);
	}
	for (size_t i = 1; i < p->n; i++) {
		struct row *row = &p->rows[i];
		uint32_t bytes = row->end - row->start;

		if (i >= linked_to && bytes && row->link * (uint64_t)10 >= bytes * (uint64_t)9 &&
		    !share(bytes, p->body.n, CARD_SHARE))
			linked_to = row->last; /* an anchor around blocks: no prose in any of them */
		if (i < linked_to)
			continue;
		if (!weighs(row))
			continue;
		row->prose = row->own - 2 * row->own_link;
		if (!row->mark)
			row->prose /= 5;
		if (row->tag == OUTLINE_P)
			row->prose += row->prose * 3 / 10;
		row->weight = row->prose;
	}
	for (size_t i = p->n; i-- > 1;)
		p->rows[p->rows[i].parent].weight += p->rows[i].weight;
	p->total = p->rows[0].weight;
}

/* text/html_bulk.c -- the data state, and whole ordinary tags and comments at once.
 *
 * Reads the markup at '<' when all of it lies in the piece.  Names and values
 * are slices of the piece; only upper-case names and values with references
 * are written to scratch.  Whatever is unusual (NUL, a name that begins with
 * '=', more than BULK_ATTRS attributes, an unfinished tag) is left to the
 * states by answering NULL, with nothing emitted. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "text/html_states.h"
#include "text/scan.h"
#include "text/tag_find.h"

#define BULK_ATTRS 48

enum { C_SPACE = 1, C_NAME_END = 2, C_UPPER = 4, C_NUL = 8, C_EQ = 16 };
static const uint8_t class_of[256] = {
	[0] = C_NUL,
	['\t'] = C_SPACE | C_NAME_END,
	['\n'] = C_SPACE | C_NAME_END,
	['\f'] = C_SPACE | C_NAME_END,
	[' '] = C_SPACE | C_NAME_END,
	['/'] = C_NAME_END,
	['>'] = C_NAME_END,
	['='] = C_EQ,
	['A' ... 'Z'] = C_UPPER,
};
#define CLASS(c) class_of[(unsigned char)(c)]

/* Slices of scratch must not move: it does not grow, what does not fit is for the states. */
static char *scratch_room(struct html *h, size_t n)
{
	return n <= HTML_SCRATCH - h->scratch_n ? h->scratch + h->scratch_n : NULL;
}

/* A name from p to a byte of class `stop`; folded into scratch when it must be.  NULL: not ordinary. */
static inline const char *name_at(struct html *h, const char *p, const char *end, unsigned stop, struct str *name)
{
	const char *q = p;
	unsigned seen = 0, c = 0;

	while (q < end && !((c = CLASS(*q)) & stop)) {
		seen |= c;
		q++;
	}
	if (q == end || (seen & C_NUL))
		return NULL;
	*name = str_n(p, (size_t)(q - p));
	if (seen & C_UPPER) {
		char *room = scratch_room(h, name->n);

		if (!room)
			return NULL;
		for (size_t i = 0; i < name->n; i++)
			room[i] = ascii_lower(p[i]);
		name->p = room;
		h->scratch_n += name->n;
	}
	return q;
}

#if defined(__x86_64__)
/* Where the name at p ends, of sixteen readable bytes: at a blank or control, '/', '>' and, for attributes, '='; 16: not there. */
static inline unsigned name_end(const char *p, bool attribute, __m128i *bytes)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p), blank = _mm_set1_epi8(' ');
	__m128i stop = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('>')), _mm_cmpeq_epi8(v, _mm_set1_epi8('/')));

	stop = _mm_or_si128(stop, _mm_cmpeq_epi8(_mm_min_epu8(v, blank), v));
	if (attribute)
		stop = _mm_or_si128(stop, _mm_cmpeq_epi8(v, _mm_set1_epi8('=')));
	*bytes = v;
	return (unsigned)__builtin_ctz((unsigned)_mm_movemask_epi8(stop) | 0x10000);
}
#endif

#if defined(__x86_64__)
/* The known tag of at most eight letters that begins at p, of which sixteen bytes are readable: its length, 0 for none. */
static inline unsigned known_tag(const char *p, enum tag *tag)
{
	__m128i bytes;
	unsigned n = name_end(p, false, &bytes);

	if (n - 1 >= 8 || !(CLASS(p[n]) & C_NAME_END))
		return 0;
	/* folding makes a letter of nothing but a letter, and names have only letters and digits */
	uint64_t kept = ~(uint64_t)0 >> (8 * (8 - n));

	*tag = tag_of_word(((uint64_t)_mm_cvtsi128_si64(bytes) | 0x2020202020202020u) & kept, n);
	return *tag != TAG_OTHER ? n : 0;
}
#endif

static inline const char *attr_name_at(struct html *h, const char *p, const char *end, struct str *name)
{
#if defined(__x86_64__)
	if (end - p > 16) {
		__m128i bytes;
		unsigned n = name_end(p, true, &bytes);
		__m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('A'));
		unsigned upper =
		    (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(25)), above));

		if (n < 16 && !(upper & ((1u << n) - 1)) && (CLASS(p[n]) & (C_NAME_END | C_EQ))) {
			*name = str_n(p, n);
			return p + n;
		}
	}
#endif
	return name_at(h, p, end, C_NAME_END | C_EQ, name);
}

/* Value with references: decoded into scratch. */
static bool decode(struct html *h, struct str raw, struct str *value)
{
	char *room = scratch_room(h, raw.n + 8);
	const char *p = raw.p, *end = str_end(raw);
	size_t n = 0;

	if (!room)
		return false;
	while (p < end) {
		const char *q = scan_two(p, end, '&', '&');
		char out[8];
		size_t out_n, used;

		memcpy(room + n, p, (size_t)(q - p));
		n += (size_t)(q - p);
		p = q;
		if (p == end)
			break;
		/* the byte behind raw (its quote, or what ended it) is readable and ends any name */
		used = html_bulk_reference(p, end + 1, true, out, &out_n);
		if (!used || used > (size_t)(end - p))
			return false;
		if (out_n > used) /* cannot grow: every name is longer than its text, but be sure */
			return false;
		memcpy(room + n, out, out_n);
		n += out_n;
		p += used;
	}
	*value = str_n(room, n);
	h->scratch_n += n;
	return true;
}

static inline const char *value_at(struct html *h, const char *p, const char *end, struct str *value)
{
	const char *q = p, *after;
	bool references = false;

	if (*p == '"' || *p == '\'') {
		char quote = *p++;

		q = scan_three(p, end, quote, '&', 0);
		if (q < end && *q == '&') {
			references = true;
			q = scan_two(q, end, quote, 0);
		}
		if (q == end || *q != quote)
			return NULL;
		after = q + 1;
	} else {
		while (q < end && !(CLASS(*q) & (C_SPACE | C_NUL)) && *q != '>') {
			references |= *q == '&';
			q++;
		}
		if (q == end || *q == 0)
			return NULL;
		after = q;
	}
	*value = str_n(p, (size_t)(q - p));
	if (references && !decode(h, *value, value))
		return NULL;
	return after;
}

static inline bool same_name(struct str a, struct str b)
{
	return a.n == b.n && a.p[0] == b.p[0] && memcmp(a.p, b.p, a.n) == 0;
}

static const char *attributes(struct html *h, const char *p, const char *end, struct html_token *t)
{
	size_t n = 0;

	for (;;) {
		while (p < end && (CLASS(*p) & C_SPACE))
			p++;
		if (p == end)
			return NULL;
		if (*p == '>')
			break;
		if (*p == '/') {
			if (++p == end)
				return NULL;
			if (*p == '>') {
				t->self_closing = true;
				break;
			}
			continue;
		}
		if (*p == '=' || n == BULK_ATTRS)
			return NULL;
		struct html_attr *a = &h->attrs[n];

		p = attr_name_at(h, p, end, &a->name);
		if (!p)
			return NULL;
		a->value = str_n(p, 0);
		while (p < end && (CLASS(*p) & C_SPACE))
			p++;
		if (p == end)
			return NULL;
		if (*p == '=') {
			p++;
			while (p < end && (CLASS(*p) & C_SPACE))
				p++;
			if (p == end)
				return NULL;
			if (*p != '>' && !(p = value_at(h, p, end, &a->value)))
				return NULL;
		}
		bool twice = false;
		for (size_t i = 0; i < n; i++)
			twice |= same_name(h->attrs[i].name, a->name);
		n += !twice;
	}
	t->attrs = h->attrs;
	t->nattrs = n;
	return p + 1;
}

static __attribute__((noinline)) const char *comment(struct html *h, const char *p, const char *end)
{
	const char *q = p;

	if (end - p < 3 || *p == '>' || (p[0] == '-' && p[1] == '>'))
		return NULL;
	for (;; q++) {
		q = scan_two(q, end, '-', 0);
		if (end - q < 3 || *q == 0 || q - p > (ptrdiff_t)LIMIT_HTML_TOKEN)
			return NULL;
		if (q[1] == '-' && q[2] == '>')
			break;
		if (q[1] == '-' && q[2] == '!')
			return NULL;
	}
	struct html_token t = { .type = HTML_COMMENT, .text = { p, (size_t)(q - p) } };

	h->sink(h->context, &t);
	return q + 3;
}

static inline const char *emit(struct html *h, struct html_token *t, bool end_tag, const char *after)
{
	t->type = end_tag ? HTML_END : HTML_START;
	if (!end_tag) {
		html_last_start(h, t->tag, t->text);
	} else {
		t->nattrs = 0;
		t->self_closing = false;
	}
	h->sink(h->context, t);
	return after;
}

/* A tag whose name is known and ends at p, with what may be attributes. */
static __attribute__((noinline)) const char *tag_with_attributes(struct html *h, const char *p, const char *end,
								 bool end_tag)
{
	struct html_token *t = &h->token;

	/* a tag longer than the states would keep is theirs to cut; its name is short */
	if ((size_t)(end - p) > LIMIT_HTML_TOKEN - 16)
		end = p + LIMIT_HTML_TOKEN - 16;
	h->scratch_n = 0;
	t->self_closing = false;
	p = attributes(h, p, end, t);
	return p ? emit(h, t, end_tag, p) : NULL;
}

/* Any tag or comment. */
static __attribute__((noinline)) const char *other_markup(struct html *h, const char *p, const char *end)
{
	struct html_token *t = &h->token;
	const char *q = p + 1;

	if (end - p < 3)
		return NULL;
	if (*q == '!')
		return end - p > 4 && q[1] == '-' && q[2] == '-' ? comment(h, q + 3, end) : NULL;
	bool end_tag = *q == '/';

	q += end_tag;
	if (!ascii_alpha(*q))
		return NULL;
	if ((size_t)(end - p) > LIMIT_HTML_TOKEN)
		end = p + LIMIT_HTML_TOKEN;
	h->scratch_n = 0;
	t->self_closing = false;
	t->nattrs = 0;
	if (!(q = name_at(h, q, end, C_NAME_END, &t->text)))
		return NULL;
	t->tag = tag_of(t->text.p, t->text.n);
	q = *q == '>' ? q + 1 : attributes(h, q, end, t);
	return q ? emit(h, t, end_tag, q) : NULL;
}

/* The tag or comment at p ('<'), or NULL when the states must do it.  Most tags are known and have no attributes. */
static inline const char *markup(struct html *h, const char *p, const char *end)
{
#if defined(__x86_64__)
	if (end - p > 18) {
		struct html_token *t = &h->token;
		bool end_tag = p[1] == '/';
		const char *q = p + 1 + end_tag;
		unsigned n = known_tag(q, &t->tag);

		if (n) {
			t->text = tag_info[t->tag].name;
			if (q[n] != '>')
				return tag_with_attributes(h, q + n, end, end_tag);
			t->nattrs = 0;
			t->self_closing = false;
			return emit(h, t, end_tag, q + n + 1);
		}
	}
#endif
	return other_markup(h, p, end);
}

static __attribute__((noinline)) const char *reference(struct html *h, const char *p, const char *end)
{
	char out[8];
	size_t out_n, n = h->bulk ? html_bulk_reference(p, end, false, out, &out_n) : 0;

	if (!n)
		return html_reference(h, state_data, p);
	html_text(h, out, out_n);
	return p + n;
}

/* What the data state looks for in 64 bytes: what ends text ('<', '&', NUL), a bit each. */
static inline uint64_t hits_plain(const char *p)
{
#if defined(__x86_64__)
	const __m128i a = _mm_set1_epi8('<'), b = _mm_set1_epi8('&'), c = _mm_setzero_si128();
	uint64_t low = scan_mask(p, a, b, c) | scan_mask(p + 16, a, b, c) << 16;
	uint64_t high = scan_mask(p + 32, a, b, c) | scan_mask(p + 48, a, b, c) << 16;

	return low | high << 32;
#else
	uint64_t hits = 0;

	for (unsigned i = 0; i < 64; i++)
		hits |= (uint64_t)(p[i] == '<' || p[i] == '&' || p[i] == 0) << i;
	return hits;
#endif
}

#define DATA_NAME data_plain
#define DATA_TARGET
#define DATA_HITS hits_plain
#include "text/html_data.h"

#if defined(__x86_64__)
/* The low four bits of the three are all different: one look in a table says which of them a byte must be. */
SCAN_TARGET_AVX2 static inline uint64_t hits_avx2(const char *p)
{
	const __m128i sixteen =
	    _mm_setr_epi8(0, -128, -128, -128, -128, -128, '&', -128, -128, -128, -128, -128, '<', -128, -128, -128);
	const __m256i table = _mm256_broadcastsi128_si256(sixteen); /* -128 is where no byte has these low bits */
	__m256i v = _mm256_loadu_si256((const __m256i *)p), w = _mm256_loadu_si256((const __m256i *)(p + 32));
	uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, v), v));
	uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, w), w));

	return low | (uint64_t)high << 32;
}

#define DATA_NAME data_avx2
#define DATA_TARGET SCAN_TARGET_AVX2
#define DATA_HITS hits_avx2
#include "text/html_data.h"

/* The same, of all of them at once. */
SCAN_TARGET_AVX512 static inline uint64_t hits_avx512(const char *p)
{
	const __m128i sixteen =
	    _mm_setr_epi8(0, -128, -128, -128, -128, -128, '&', -128, -128, -128, -128, -128, '<', -128, -128, -128);
	__m512i v = _mm512_loadu_si512(p);

	return _mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(sixteen), v), v);
}

#define DATA_NAME data_avx512
#define DATA_TARGET SCAN_TARGET_AVX512
#define DATA_HITS hits_avx512
#include "text/html_data.h"
#endif

STATE(state_data)
{
#if defined(__x86_64__)
	if (h->kernel == SCAN_AVX512)
		return data_avx512(h, p, end);
	if (h->kernel == SCAN_AVX2)
		return data_avx2(h, p, end);
#endif
	return data_plain(h, p, end);
}

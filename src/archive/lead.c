/* archive/lead.c -- see lead.h.  RFC 1951 and 1952.
 *
 * A code of up to some bits is looked up in a table; a longer one, which is
 * rare, is counted out bit by bit.  Tables are small, since making them costs as
 * much as decoding the half kilobyte that heads have: some hundred code lengths
 * and two thousand entries, then a look-up for each literal or match.
 */
#include "archive/lead.h"

#include <endian.h>

#include "base/mem.h"

#define FAST_LITERAL 10 /* bits of a code that are looked up */
#define FAST_DISTANCE 8
#define FAST_LENGTH 7
#define LONGEST 15 /* bits of a code */
#define LITERALS 288
#define DISTANCES 32
#define LENGTH_CODES 19

struct code {
	uint16_t fast[1 << FAST_LITERAL]; /* symbol << 4 | bits; 0: longer */
	uint16_t count[LONGEST + 1];
	uint16_t symbol[LITERALS]; /* in the order of their codes */
};

struct lead_tables {
	struct code literal, distance, length;
};

struct bits {
	const unsigned char *p, *end;
	uint64_t have;
	int n; /* bits in `have`; negative: more were taken than there are */
};

struct lead_tables *lead_tables_new(void) { return mem_zalloc(sizeof(struct lead_tables)); }
void lead_tables_free(struct lead_tables *t) { mem_free(t); }

/* At least 48 bits, unless the input ends: what is behind it reads as zeros. */
static inline void fill(struct bits *b)
{
	if (b->n >= 48)
		return;
	if (b->end - b->p >= 8) {
		uint64_t next;

		memcpy(&next, b->p, 8);
		b->have |= le64toh(next) << b->n;
		b->p += (63 - b->n) >> 3;
		b->n |= 56;
		return;
	}
	for (; b->n < 56 && b->p < b->end; b->n += 8)
		b->have |= (uint64_t)*b->p++ << b->n;
}

static inline unsigned take(struct bits *b, int n)
{
	unsigned v = (unsigned)(b->have & ((1u << n) - 1));

	b->have >>= n;
	b->n -= n;
	return v;
}

/* The code after that of `bits` bits, as it stands in the stream: with its first bit lowest. */
static inline unsigned next_code(unsigned code, int bits)
{
	unsigned bit = 1u << (bits - 1);

	while (code & bit)
		bit >>= 1;
	return bit ? (code & (bit - 1)) | bit : 0;
}

/* False when the lengths are no code.  One distance alone may leave half of its code unused. */
static bool make_code(struct code *c, const unsigned char *lengths, unsigned n, int fast)
{
	uint16_t offset[LONGEST + 2], odd[LONGEST + 1] = { 0 };
	unsigned code = 0, i = 0;
	int left = 1;

	memset(c->count, 0, sizeof c->count);
	for (; i + 2 <= n; i += 2) { /* in two rows, so that equal neighbours need not wait for each other */
		c->count[lengths[i]]++;
		odd[lengths[i + 1]]++;
	}
	if (i < n)
		odd[lengths[i]]++;
	for (int k = 0; k <= LONGEST; k++)
		c->count[k] = (uint16_t)(c->count[k] + odd[k]);
	unsigned used = n - c->count[0];

	c->count[0] = 0;
	offset[1] = 0;
	for (int k = 1; k <= LONGEST; k++) {
		left = left * 2 - c->count[k];
		if (left < 0)
			return false;
		offset[k + 1] = (uint16_t)(offset[k] + c->count[k]);
	}
	if (left > 0 && !(used == 0 || (used == 1 && c->count[1])))
		return false;
	for (i = 0; i < n; i++)
		if (lengths[i])
			c->symbol[offset[lengths[i]]++] = (uint16_t)i;
	if (left > 0 || offset[fast] < used)
		memset(c->fast, 0, sizeof(uint16_t) << fast);
	const uint16_t *symbol = c->symbol;

	for (int k = 1; k <= fast; k++)
		for (i = 0; i < c->count[k]; i++, code = next_code(code, k)) {
			uint16_t entry = (uint16_t)(*symbol++ << 4 | k);

			for (unsigned at = code; at < 1u << fast; at += 1u << k)
				c->fast[at] = entry;
		}
	return true;
}

/* The next symbol; -1: no such code. */
static int slow_symbol(struct bits *b, const struct code *c)
{
	int code = 0, first = 0, index = 0;

	for (int k = 1; k <= LONGEST; k++) {
		code |= (int)take(b, 1);
		int count = c->count[k];

		if (code - count < first)
			return c->symbol[index + (code - first)];
		index += count;
		first = (first + count) << 1;
		code <<= 1;
	}
	return -1;
}

static inline int next_symbol(struct bits *b, const struct code *c, int fast)
{
	unsigned e = c->fast[b->have & ((1u << fast) - 1)];

	if (!e)
		return slow_symbol(b, c);
	b->have >>= e & 15;
	b->n -= (int)(e & 15);
	return (int)(e >> 4);
}

static bool fixed_codes(struct lead_tables *t)
{
	unsigned char lengths[LITERALS];

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	bool made = make_code(&t->literal, lengths, LITERALS, FAST_LITERAL);

	memset(lengths, 5, DISTANCES);
	return made && make_code(&t->distance, lengths, DISTANCES, FAST_DISTANCE);
}

static bool dynamic_codes(struct lead_tables *t, struct bits *b)
{
	static const unsigned char order[LENGTH_CODES] = { 16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
							   11, 4,  12, 3, 13, 2, 14, 1, 15 };
	unsigned char lengths[LITERALS + DISTANCES] = { 0 };

	fill(b);
	unsigned nliteral = take(b, 5) + 257, ndistance = take(b, 5) + 1, nlength = take(b, 4) + 4;

	for (unsigned i = 0; i < nlength; i++) {
		fill(b);
		lengths[order[i]] = (unsigned char)take(b, 3);
	}
	if (nliteral > 286 || ndistance > 30 || !make_code(&t->length, lengths, LENGTH_CODES, FAST_LENGTH))
		return false;
	memset(lengths, 0, LENGTH_CODES);
	for (unsigned i = 0; i < nliteral + ndistance;) {
		fill(b);
		int symbol = next_symbol(b, &t->length, FAST_LENGTH);
		unsigned char value = 0;
		unsigned times;

		if (symbol < 0 || b->n < 0)
			return false;
		if (symbol < 16) {
			lengths[i++] = (unsigned char)symbol;
			continue;
		}
		if (symbol == 16) {
			if (i == 0)
				return false;
			value = lengths[i - 1];
			times = 3 + take(b, 2);
		} else {
			times = symbol == 17 ? 3 + take(b, 3) : 11 + take(b, 7);
		}
		if (i + times > nliteral + ndistance)
			return false;
		memset(lengths + i, value, times);
		i += times;
	}
	return lengths[256] && make_code(&t->literal, lengths, nliteral, FAST_LITERAL) &&
	       make_code(&t->distance, lengths + nliteral, ndistance, FAST_DISTANCE);
}

/* A block of codes.  LEAD_WHOLE: its end. */
static enum lead_state coded_block(const struct lead_tables *t, struct bits *in, char *room, size_t cap, size_t *n)
{
	static const uint16_t length_base[] = { 3,  4,	5,  6,	7,  8,	9,  10, 11,  13,  15,  17,  19,	 23, 27,
						31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
	static const unsigned char length_more[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
						     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
	static const uint16_t distance_base[] = { 1,	2,    3,    4,	  5,	7,    9,    13,	   17,	  25,
						  33,	49,   65,   97,	  129,	193,  257,  385,   513,	  769,
						  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
	static const unsigned char distance_more[] = { 0, 0, 0, 0, 1, 1, 2, 2,	3,  3,	4,  4,	5,  5,	6,
						       6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13 };

	enum lead_state state = LEAD_CUT;
	struct bits b = *in; /* of its own, so that no byte written may seem to change it */
	size_t at = *n;

	while (at < cap) {
		fill(&b);
		int symbol = next_symbol(&b, &t->literal, FAST_LITERAL);

		for (int k = 0; k < 2 && (unsigned)symbol < 256 && b.n >= 0 && at + 1 < cap; k++) {
			room[at++] = (char)symbol; /* literals come in rows, and three have their bits at once */
			symbol = next_symbol(&b, &t->literal, FAST_LITERAL);
		}
		if ((unsigned)symbol < 256 && b.n >= 0) {
			room[at++] = (char)symbol;
			continue;
		}
		if (symbol < 0 || b.n < 0 || symbol == 256 || symbol > 285) {
			state = b.n < 0 ? LEAD_SHORT : symbol == 256 ? LEAD_WHOLE : LEAD_BAD;
			break;
		}
		fill(&b);
		unsigned length = length_base[symbol - 257] + take(&b, length_more[symbol - 257]);

		symbol = next_symbol(&b, &t->distance, FAST_DISTANCE);
		unsigned distance =
		    symbol < 0 || symbol > 29 ? 0 : distance_base[symbol] + take(&b, distance_more[symbol]);

		if (b.n < 0 || distance == 0 || distance > at) {
			state = b.n < 0 ? LEAD_SHORT : LEAD_BAD;
			break;
		}
		size_t end = at + length < cap ? at + length : cap;

		for (; at < end; at++)
			room[at] = room[at - distance];
	}
	*in = b;
	*n = at;
	return state;
}

static enum lead_state stored_block(struct bits *b, char *room, size_t cap, size_t *n)
{
	take(b, b->n & 7);
	for (; b->n >= 8; b->n -= 8) /* whole bytes that were not needed are given back */
		b->p--;
	b->have = 0;
	b->n = 0;
	if (b->end - b->p < 4)
		return LEAD_SHORT;
	size_t length = b->p[0] | (size_t)b->p[1] << 8, other = b->p[2] | (size_t)b->p[3] << 8;

	if ((length ^ other) != 0xffff)
		return LEAD_BAD;
	b->p += 4;
	size_t have = (size_t)(b->end - b->p), copy = length < have ? length : have;

	if (copy > cap - *n)
		copy = cap - *n;
	memcpy(room + *n, b->p, copy);
	b->p += copy;
	*n += copy;
	return copy == length ? LEAD_WHOLE : *n == cap ? LEAD_CUT : LEAD_SHORT;
}

static enum lead_state inflate(struct lead_tables *t, struct bits *b, char *room, size_t cap, size_t *n)
{
	enum lead_state state;

	for (bool last = false; !last;) {
		fill(b);
		last = take(b, 1);
		unsigned kind = take(b, 2);

		if (b->n < 0)
			return LEAD_SHORT;
		if (kind == 0)
			state = stored_block(b, room, cap, n);
		else if (kind == 3 || !(kind == 1 ? fixed_codes(t) : dynamic_codes(t, b)))
			return b->n < 0 ? LEAD_SHORT : LEAD_BAD;
		else
			state = coded_block(t, b, room, cap, n);
		if (state != LEAD_WHOLE)
			return state;
	}
	return LEAD_WHOLE;
}

/* Bytes of the member's own head; 0: none, or not all of it there. */
static size_t gzip_head(struct str raw)
{
	const unsigned char *u = (const unsigned char *)raw.p;
	size_t at = 10;

	if (raw.n < 18 || u[0] != 0x1f || u[1] != 0x8b || u[2] != 8 || (u[3] & 0xe0))
		return 0;
	if (u[3] & 4)
		at += 2 + (u[at] | (size_t)u[at + 1] << 8);
	for (unsigned flag = 8; flag <= 16; flag *= 2) { /* a name, a remark */
		if (!(u[3] & flag))
			continue;
		const char *zero = at < raw.n ? memchr(raw.p + at, 0, raw.n - at) : NULL;

		if (!zero)
			return 0;
		at = (size_t)(zero - raw.p) + 1;
	}
	if (u[3] & 2)
		at += 2;
	return at < raw.n ? at : 0;
}

enum lead_state lead_decode(struct lead_tables *t, struct str raw, char *room, size_t cap, size_t *n, size_t *used)
{
	size_t head = gzip_head(raw);
	const unsigned char *from = (const unsigned char *)raw.p;
	struct bits b = { from + head, from + raw.n, 0, 0 };

	*n = *used = 0;
	if (!head)
		return LEAD_BAD;
	enum lead_state state = inflate(t, &b, room, cap, n);

	*used = (size_t)(b.p - from) - (b.n > 0 ? (size_t)b.n / 8 : 0);
	return state;
}

/* catalog/linkpack.c -- see linkpack.h. */
#include "catalog/linkpack.h"

#include "base/limits.h"

enum { VERSION = 1, ELSEWHERE = 2, KIND_BITS = 0x1fU, NOFOLLOW = 0x20U, HAS_ANCHOR = 0x40U, VARINT_MOST = 10 };

static size_t varint_put(unsigned char *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (unsigned char)(v | 0x80);
	p[n++] = (unsigned char)v;
	return n;
}

static bool varint_get(struct str *s, uint64_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < s->n && i < VARINT_MOST; i++) {
		unsigned char c = (unsigned char)s->p[i];

		v |= (uint64_t)(c & 0x7f) << (7 * i);
		if (c < 0x80) {
			*s = str_sub(*s, i + 1, s->n);
			*out = v;
			return true;
		}
	}
	return false;
}

void linkpack_reset(struct linkpack *p)
{
	buf_reset(&p->out);
	buf_reset(&p->last);
	p->n = 0;
}

void linkpack_release(struct linkpack *p)
{
	buf_release(&p->out);
	buf_release(&p->last);
}

static size_t shared(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n, i = 0;

	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

bool linkpack_add(struct linkpack *p, const struct catalog_link *l)
{
	size_t same = shared(buf_view(&p->last), l->url), rest = l->url.n - same, n = 0;
	unsigned char *at, *start;

	if (p->out.full || l->url.n > p->last.max)
		return false;
	at = start = (unsigned char *)buf_room(&p->out, 2 + 3 * VARINT_MOST + rest + l->anchor.n);
	if (!at)
		return false;
	if (p->out.n == 0)
		*at++ = VERSION;
	*at++ = (unsigned char)((l->kind & KIND_BITS) | (l->nofollow ? NOFOLLOW : 0) | (l->anchor.n ? HAS_ANCHOR : 0));
	at += varint_put(at, same);
	at += varint_put(at, rest);
	if (rest)
		memcpy(at, l->url.p + same, rest);
	at += rest;
	if (l->anchor.n) {
		at += varint_put(at, l->anchor.n);
		memcpy(at, l->anchor.p, l->anchor.n);
		at += l->anchor.n;
	}
	n = (size_t)(at - start);
	p->out.n += n;
	p->last.n = same;
	buf_str(&p->last, str_sub(l->url, same, l->url.n));
	p->n++;
	return true;
}

struct str linkpack_view(const struct linkpack *p) { return buf_view(&p->out); }

size_t linkpack_put_page(unsigned char out[LINKPACK_PAGE], uint64_t page)
{
	out[0] = ELSEWHERE;
	return 1 + varint_put(out + 1, page);
}

bool linkpack_page(struct str packed, uint64_t *page)
{
	struct str rest = str_sub(packed, 1, packed.n);

	return packed.n > 1 && packed.p[0] == ELSEWHERE && varint_get(&rest, page) && rest.n == 0;
}

void linkpack_open(struct linkpack_reader *r, struct str packed)
{
	*r = (struct linkpack_reader){ .url = BUF(4 * LIMIT_URL) };
	if (packed.n == 0)
		return;
	r->damaged = packed.p[0] != VERSION;
	if (!r->damaged)
		r->rest = str_sub(packed, 1, packed.n);
}

static bool read_one(struct linkpack_reader *r, struct catalog_link *out)
{
	unsigned flags = (unsigned char)r->rest.p[0];
	uint64_t same, rest, anchor = 0;

	r->rest = str_sub(r->rest, 1, r->rest.n);
	if ((flags & ~(KIND_BITS | NOFOLLOW | HAS_ANCHOR)) || (flags & KIND_BITS) >= LINKPACK_KINDS)
		return false;
	if (!varint_get(&r->rest, &same) || !varint_get(&r->rest, &rest) || same > r->url.n || rest > r->rest.n)
		return false;
	r->url.n = same;
	if (!buf_str(&r->url, str_sub(r->rest, 0, rest)))
		return false;
	r->rest = str_sub(r->rest, rest, r->rest.n);
	if ((flags & HAS_ANCHOR) && (!varint_get(&r->rest, &anchor) || anchor > r->rest.n))
		return false;
	*out = (struct catalog_link){ flags & KIND_BITS, (flags & NOFOLLOW) != 0, buf_view(&r->url),
				      str_sub(r->rest, 0, anchor) };
	r->rest = str_sub(r->rest, anchor, r->rest.n);
	return true;
}

bool linkpack_next(struct linkpack_reader *r, struct catalog_link *out)
{
	if (r->damaged || r->rest.n == 0)
		return false;
	r->damaged = !read_one(r, out);
	return !r->damaged;
}

void linkpack_close(struct linkpack_reader *r) { buf_release(&r->url); }

bool linkpack_sound(struct str packed)
{
	struct linkpack_reader r;
	struct catalog_link l;
	bool damaged;

	linkpack_open(&r, packed);
	while (linkpack_next(&r, &l))
		;
	damaged = r.damaged;
	linkpack_close(&r);
	return !damaged;
}

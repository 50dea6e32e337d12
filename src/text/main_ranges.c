/* text/main_ranges.c -- see main_ranges.h. */
#include "text/main_ranges.h"

static char *put(char *p, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

size_t main_ranges_pack(const struct main_range *ranges, size_t n, char *out)
{
	uint32_t at = 0;
	char *p = out;

	for (size_t i = 0; i < n; i++) {
		p = put(p, ranges[i].start - at);
		p = put(p, ranges[i].end - ranges[i].start);
		at = ranges[i].end;
	}
	return (size_t)(p - out);
}

static bool get(struct main_ranges *r, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; r->p < r->end && shift < 35; shift += 7) {
		unsigned char c = (unsigned char)*r->p++;

		*v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

bool main_ranges_next(struct main_ranges *r, struct main_range *out)
{
	uint64_t gap, n, left = r->body_n - r->at;

	if (r->p == r->end)
		return false;
	if (!get(r, &gap) || !get(r, &n) || gap > left || !n || n > left - gap || r->body_n > UINT32_MAX) {
		r->wrong = true;
		r->p = r->end;
		return false;
	}
	out->start = (uint32_t)(r->at + gap);
	r->at += gap + n;
	out->end = (uint32_t)r->at;
	return true;
}

bool main_ranges_join(struct str body, struct str packed, char *out, size_t n)
{
	struct main_ranges r = main_ranges_of(packed, body.n);
	struct main_range next;
	size_t at = 0;

	for (bool first = true; main_ranges_next(&r, &next); first = false) {
		size_t bytes = next.end - next.start;

		if (bytes + !first > n - at)
			return false;
		if (!first)
			out[at++] = '\n';
		memcpy(out + at, body.p + next.start, bytes);
		at += bytes;
	}
	return !r.wrong && at == n;
}

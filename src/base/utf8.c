/* base/utf8.c -- see utf8.h. */
#include "base/utf8.h"

size_t utf8_decode(const char *p, const char *end, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;
	size_t have = (size_t)(end - p), need, i;
	unsigned char low = 0x80, high = 0xbf;
	uint32_t c = s[0];

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		need = 1;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		low = c == 0xe0 ? 0xa0 : 0x80;
		high = c == 0xed ? 0x9f : 0xbf;
		need = 2;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		low = c == 0xf0 ? 0x90 : 0x80;
		high = c == 0xf4 ? 0x8f : 0xbf;
		need = 3;
		c &= 0x07;
	} else {
		*cp = 0xfffd;
		return 1;
	}
	for (i = 1; i <= need; i++) {
		if (i >= have || s[i] < low || s[i] > high) {
			*cp = 0xfffd;
			return i;
		}
		c = c << 6 | (s[i] & 0x3f);
		low = 0x80;
		high = 0xbf;
	}
	*cp = c;
	return need + 1;
}

size_t utf8_encode(uint32_t cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

size_t utf8_valid(struct str s)
{
	const char *p = s.p, *end;

	if (s.n == 0) /* perhaps of a NULL */
		return 0;
	end = s.p + s.n;
	while (p < end) {
		uint64_t eight;
		uint32_t cp;
		size_t n;

		if (end - p >= 8) {
			memcpy(&eight, p, 8);
			if (!(eight & 0x8080808080808080u)) {
				p += 8;
				continue;
			}
		}
		n = utf8_decode(p, end, &cp);
		if (cp == 0xfffd && !(n == 3 && memcmp(p, "\xef\xbf\xbd", 3) == 0))
			break;
		p += n;
	}
	return (size_t)(p - s.p);
}

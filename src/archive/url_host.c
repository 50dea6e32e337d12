/* archive/url_host.c -- host names, IPv4 and IPv6 addresses of URLs.
 *
 * Nearly every host is plain ASCII and is lower-cased by a table in one pass
 * (url_plain_host).  Only the rest is percent-decoded and taken to ICU, whose
 * one UTS #46 object is opened once and is safe to share between threads.
 * Cost: O(length); the slow way allocates one short buffer.
 */
#include "archive/url_host.h"

#include <pthread.h>
#include <unicode/uidna.h>

#include "archive/url.h"
#include "base/limits.h"
#include "base/utf8.h"

#define HOST_MAX (4 * LIMIT_URL)

static UIDNA *idna, *idna_old;
static pthread_once_t idna_once = PTHREAD_ONCE_INIT;

static void idna_open(void)
{
	UErrorCode status = U_ZERO_ERROR;

	idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
				   UIDNA_NONTRANSITIONAL_TO_UNICODE,
			       &status);
	if (U_FAILURE(status))
		idna = NULL;
	status = U_ZERO_ERROR;
	idna_old = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ, &status);
	if (U_FAILURE(status))
		idna_old = NULL;
}

/* Adds what ICU makes of the name; false on any error not among `ignored`. */
static bool to_ascii(const UIDNA *how, struct str domain, uint32_t ignored, struct buf *out)
{
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UErrorCode status = U_ZERO_ERROR;
	size_t room = domain.n * 2 + 64;
	int32_t n;
	char *to;

	if (!how || domain.n > LIMIT_URL || !(to = buf_room(out, room)))
		return false;
	n = uidna_nameToASCII_UTF8(how, domain.p, (int32_t)domain.n, to, (int32_t)room, &info, &status);
	if (status == U_BUFFER_OVERFLOW_ERROR && n > 0) {
		room = (size_t)n + 1;
		if (!(to = buf_room(out, room)))
			return false;
		status = U_ZERO_ERROR;
		info = (UIDNAInfo)UIDNA_INFO_INITIALIZER;
		n = uidna_nameToASCII_UTF8(how, domain.p, (int32_t)domain.n, to, (int32_t)room, &info, &status);
	}
	if (U_FAILURE(status) || (info.errors & ~ignored) || n <= 0)
		return false;
	out->n += (size_t)n;
	return true;
}

bool url_idna_old(struct str domain, struct buf *out)
{
	pthread_once(&idna_once, idna_open);
	return to_ascii(idna_old, domain,
			UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4, out);
}

bool url_idna(struct str domain, struct buf *out)
{
	/* what the URL Standard does not ask ICU to check */
	const uint32_t ignored = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
				 UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
				 UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
	size_t from = out->n, ascii = 0;

	while (ascii < domain.n && (unsigned char)domain.p[ascii] < 128)
		ascii++;
	if (ascii == domain.n) { /* the standard takes ASCII as it is, wrong xn-- labels too */
		buf_str(out, domain);
		for (size_t i = from; i < out->n; i++)
			out->p[i] = ascii_lower(out->p[i]);
		return true;
	}
	pthread_once(&idna_once, idna_open);
	return to_ascii(idna, domain, ignored, out);
}

/* Lower-case form of the bytes of a plain host name, 0 for all others. */
static const unsigned char plain[256] = {
	['-'] = '-', ['.'] = '.', ['_'] = '_', ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',
	['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c',
	['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k',
	['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's',
	['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z', ['A'] = 'a',
	['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i',
	['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q',
	['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
	['Z'] = 'z',
};

bool url_plain_host(struct str host, char *out)
{
	size_t label = 0, last = 0, i; /* beginnings of this label and of the last that is not empty */

	for (i = 0; i < host.n; i++) {
		unsigned char c = plain[(unsigned char)host.p[i]];

		if (!c)
			return false;
		out[i] = (char)c;
		if (c == '.')
			label = i + 1;
		else if (i == label)
			last = i;
	}
	/* a last label that begins with a digit may be a number; "0x" is one too */
	return host.n > 0 && !ascii_digit(out[last]);
}

bool url_looks_like_ip(struct str s)
{
	unsigned dots = 0, colons = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.')
			dots++;
		else if (s.p[i] == ':')
			colons++;
		else if (hex_digit(s.p[i]) < 0)
			return false;
	}
	return (dots == 3 && s.n <= 15) || (colons >= 2 && s.n <= 45);
}

void url_ipv4_add(uint32_t a, struct buf *out)
{
	buf_printf(out, "%u.%u.%u.%u", a >> 24, (a >> 16) & 255, (a >> 8) & 255, a & 255);
}

/* One number of an IPv4 address: 10, 0x1F, 017.  False when it is none. */
static bool ipv4_number(struct str s, uint64_t *out)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s.n == 0)
		return false;
	if (s.n >= 2 && s.p[0] == '0' && (s.p[1] | 32) == 'x') {
		base = 16;
		s = str_sub(s, 2, s.n);
	} else if (s.n >= 2 && s.p[0] == '0') {
		base = 8;
		s = str_sub(s, 1, s.n);
	}
	for (size_t i = 0; i < s.n; i++) {
		int d = hex_digit(s.p[i]);

		if (d < 0 || (unsigned)d >= base)
			return false;
		if (v <= UINT32_MAX)
			v = v * base + (unsigned)d;
	}
	*out = v;
	return true;
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]))
			return false;
	return s.n > 0;
}

static bool ends_in_number(struct str host)
{
	uint64_t v;
	ptrdiff_t dot;

	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	dot = str_rchr(host, '.');
	host = str_sub(host, (size_t)(dot + 1), host.n);
	return all_digits(host) || ipv4_number(host, &v);
}

static bool ipv4(struct str host, struct buf *out)
{
	uint64_t part[4], address;
	unsigned n = 0;

	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	for (struct str rest = host; rest.p;) {
		struct str s = str_cut(&rest, '.');

		if (n == 4 || !ipv4_number(s, &part[n]))
			return false;
		n++;
	}
	for (unsigned i = 0; i + 1 < n; i++)
		if (part[i] > 255)
			return false;
	if (n == 0 || part[n - 1] >= UINT64_C(1) << (8 * (5 - n)))
		return false;
	address = part[n - 1];
	for (unsigned i = 0; i + 1 < n; i++)
		address += part[i] << (8 * (3 - i));
	url_ipv4_add((uint32_t)address, out);
	return true;
}

/* Dotted quad at the end of an IPv6 address. */
static bool ipv6_quad(struct str s, uint16_t piece[2])
{
	unsigned n = 0, value[4];

	for (struct str rest = s; rest.p;) {
		struct str part = str_cut(&rest, '.');
		uint64_t v;

		if (n == 4 || part.n == 0 || part.n > 3 || (part.n > 1 && part.p[0] == '0') || !str_u64(part, &v) ||
		    v > 255)
			return false;
		value[n++] = (unsigned)v;
	}
	if (n != 4)
		return false;
	piece[0] = (uint16_t)(value[0] << 8 | value[1]);
	piece[1] = (uint16_t)(value[2] << 8 | value[3]);
	return true;
}

static bool ipv6_pieces(struct str s, uint16_t piece[8])
{
	int n = 0, gap = -1;
	size_t i = 0;

	memset(piece, 0, 8 * sizeof *piece);
	if (s.n && s.p[0] == ':') {
		if (s.n < 2 || s.p[1] != ':')
			return false;
		i = 2;
		gap = n = 1;
	}
	while (i < s.n) {
		unsigned value = 0, length = 0;
		size_t from = i;

		if (n == 8)
			return false;
		if (s.p[i] == ':') {
			if (gap >= 0)
				return false;
			i++;
			gap = ++n;
			continue;
		}
		for (; length < 4 && i < s.n && hex_digit(s.p[i]) >= 0; i++, length++)
			value = value * 16 + (unsigned)hex_digit(s.p[i]);
		if (i < s.n && s.p[i] == '.') {
			if (length == 0 || n > 6 || !ipv6_quad(str_sub(s, from, s.n), piece + n))
				return false;
			n += 2;
			i = s.n;
			break;
		}
		if (i < s.n && (s.p[i] != ':' || ++i == s.n))
			return false;
		piece[n++] = (uint16_t)value;
	}
	if (gap < 0)
		return n == 8;
	/* what follows the gap moves to the end */
	for (int moved = n - gap, at = 7; at != 0 && moved > 0; at--, moved--) {
		uint16_t swap = piece[gap + moved - 1];

		piece[gap + moved - 1] = piece[at];
		piece[at] = swap;
	}
	return true;
}

static bool ipv6(struct str s, struct buf *out)
{
	uint16_t piece[8];
	int best = -1, best_n = 1;

	if (!ipv6_pieces(s, piece))
		return false;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && piece[i + n] == 0)
			n++;
		if (n > best_n) {
			best = i;
			best_n = n;
		}
		i += n;
	}
	buf_byte(out, '[');
	for (int i = 0; i < 8; i++) {
		if (i == best) {
			buf_str(out, i == 0 ? STR("::") : STR(":"));
			i += best_n - 1;
			continue;
		}
		buf_printf(out, "%x", piece[i]);
		if (i < 7)
			buf_byte(out, ':');
	}
	return buf_byte(out, ']');
}

/* Forbidden host code points, and those forbidden in domains besides. */
static bool forbidden_host(unsigned char c)
{
	return c == 0 || c == '\t' || c == '\n' || c == '\r' || (c < 128 && strchr(" #/:<>?@[\\]^|", c));
}

static bool forbidden_domain(unsigned char c) { return forbidden_host(c) || c < 0x20 || c == '%' || c == 0x7f; }

static bool opaque_host(struct str host, struct buf *out)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < host.n; i++) {
		unsigned char c = (unsigned char)host.p[i];

		if (forbidden_host(c))
			return false;
		if (c < 0x20 || c > 0x7e) {
			buf_byte(out, '%');
			buf_byte(out, hex[c >> 4]);
			buf_byte(out, hex[c & 15]);
		} else {
			buf_byte(out, (char)c);
		}
	}
	return true;
}

void url_percent_decode(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' && i + 2 < s.n && hex_digit(s.p[i + 1]) >= 0 && hex_digit(s.p[i + 2]) >= 0) {
			buf_byte(out, (char)(hex_digit(s.p[i + 1]) << 4 | hex_digit(s.p[i + 2])));
			i += 2;
		} else {
			buf_byte(out, s.p[i]);
		}
	}
}

static bool domain(struct str host, struct buf *out)
{
	struct buf decoded = BUF(HOST_MAX);
	size_t from = out->n;
	bool ok;

	url_percent_decode(host, &decoded);
	ok = decoded.n > 0 && url_idna(buf_view(&decoded), out);
	buf_release(&decoded);
	for (size_t i = from; ok && i < out->n; i++)
		ok = !forbidden_domain((unsigned char)out->p[i]);
	if (ok && ends_in_number(str_n(out->p + from, out->n - from))) {
		struct buf quad = BUF(64);

		ok = ipv4(str_n(out->p + from, out->n - from), &quad);
		out->n = from;
		if (ok)
			buf_str(out, buf_view(&quad));
		buf_release(&quad);
	}
	return ok && out->n > from;
}

bool url_host_parse(struct str host, bool special, struct buf *out)
{
	size_t from = out->n;
	char *to;
	bool ok;

	if (host.n && host.p[0] == '[')
		ok = host.p[host.n - 1] == ']' && ipv6(str_sub(host, 1, host.n - 1), out);
	else if (!special)
		ok = opaque_host(host, out);
	else if ((to = buf_room(out, host.n + 1)) && url_plain_host(host, to)) {
		out->n += host.n;
		ok = true;
	} else
		ok = domain(host, out);
	if (!ok || out->full)
		out->n = from;
	return ok && !out->full;
}

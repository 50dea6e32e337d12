/* serve/wire.c -- see wire.h. */
#include "serve/wire.h"

#include "base/limits.h"

size_t wire_blank(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == '\n' || (p[i] == '\r' && i + 1 < n && p[i + 1] == '\n')))
		i += p[i] == '\r' ? 2 : 1;
	return i;
}

size_t wire_head_end(const char *p, size_t n, size_t *seen)
{
	size_t i = *seen;

	while (i < n) {
		const char *lf = memchr(p + i, '\n', n - i);

		if (!lf)
			break;
		i = (size_t)(lf - p);
		if (i + 1 < n && p[i + 1] == '\n')
			return i + 2;
		if (i + 2 < n && p[i + 1] == '\r' && p[i + 2] == '\n')
			return i + 3;
		if (i + 2 >= n) { /* what ends it may be on its way */
			*seen = i;
			return 0;
		}
		i++;
	}
	*seen = n;
	return 0;
}

static bool is_token(char c)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	return ascii_alpha(c) || ascii_digit(c) || (c && memchr(others, c, sizeof others - 1));
}

static bool all_token(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_token(s.p[i]))
			return false;
	return s.n > 0;
}

/* The next line without its end; false: none is left. */
static bool next_line(struct str *rest, struct str *line)
{
	if (!rest->n)
		return false;
	*line = str_cut(rest, '\n');
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static int read_request_line(struct wire_head *h, struct str line)
{
	struct str rest = line, version;

	if (line.n > LIMIT_URL + 64)
		return 414;
	h->method = str_cut(&rest, ' ');
	h->target = str_cut(&rest, ' ');
	version = rest;
	if (!all_token(h->method) || h->method.n > 32 || !h->target.n)
		return 400;
	for (size_t i = 0; i < h->target.n; i++)
		if ((unsigned char)h->target.p[i] <= ' ' || h->target.p[i] == 0x7f)
			return 400;
	if (version.n != 8 || !str_starts(version, STR("HTTP/")) || !ascii_digit(version.p[5]) || version.p[6] != '.' ||
	    !ascii_digit(version.p[7]))
		return 400;
	if (version.p[5] != '1')
		return 505;
	h->minor = version.p[7] > '0';
	h->keep_alive = h->minor > 0;
	return 0;
}

static int read_field(struct str line, struct field_pair *out)
{
	ptrdiff_t colon = str_chr(line, ':');

	if (colon < 0)
		return 400;
	out->name = str_sub(line, 0, (size_t)colon);
	out->value = str_trim(str_sub(line, (size_t)colon + 1, line.n));
	if (!all_token(out->name))
		return 400; /* a blank before the colon, a folded line, a control byte */
	for (size_t i = 0; i < out->value.n; i++)
		if (((unsigned char)out->value.p[i] < ' ' && out->value.p[i] != '\t') || out->value.p[i] == 0x7f)
			return 400;
	return 0;
}

/* What says where the message ends. */
static int read_framing(struct wire_head *h, bool *sized, const struct field_pair *f)
{
	uint64_t n;

	if (str_ieq(f->name, STR("Content-Length"))) {
		if (!str_u64(f->value, &n) || (*sized && n != h->length))
			return 400;
		*sized = true;
		h->length = n;
	} else if (str_ieq(f->name, STR("Transfer-Encoding"))) {
		if (h->chunked)
			return 400;
		if (!str_ieq(f->value, STR("chunked")))
			return 501;
		h->chunked = true;
	} else if (str_ieq(f->name, STR("Connection"))) {
		struct str rest = f->value;

		while (rest.n) {
			struct str word = str_trim(str_cut(&rest, ','));

			if (str_ieq(word, STR("close")))
				h->keep_alive = false;
			else if (str_ieq(word, STR("keep-alive")) && !h->minor)
				h->keep_alive = true;
		}
	} else if (str_ieq(f->name, STR("Expect"))) {
		if (!str_ieq(f->value, STR("100-continue")))
			return 417;
		h->expects = true;
	}
	return 0;
}

int wire_head_read(struct wire_head *h, const char *p, size_t n, struct field_pair *fields, size_t max_fields)
{
	struct str rest = str_n(p, n), line;
	bool sized = false;
	int bad;

	*h = (struct wire_head){ .fields = fields };
	if (!next_line(&rest, &line))
		return 400;
	if ((bad = read_request_line(h, line)))
		return bad;
	while (next_line(&rest, &line) && line.n) {
		if (h->n_fields == max_fields)
			return 431;
		if ((bad = read_field(line, &fields[h->n_fields])) ||
		    (bad = read_framing(h, &sized, &fields[h->n_fields])))
			return bad;
		h->n_fields++;
	}
	if (h->chunked && (sized || !h->minor))
		return 400;
	return 0;
}

/* ---- chunks ---- */

enum { SIZE, EXTENSION, DATA, DATA_CR, DATA_LF, TRAILER, END };
#define LINE_MAX_BYTES 4096 /* a chunk's size with its extensions, a trailer */

/* A line that ends in CR LF: 1 at its end, 0 within, -1 when either stands alone, which others may read as no end. */
static int line_byte(struct wire_chunks *c, char b)
{
	bool cr = c->cr;

	c->cr = b == '\r';
	return cr != (b == '\n') ? -1 : cr;
}

/* One byte of anything but data.  False: no chunks. */
static bool chunk_byte(struct wire_chunks *c, char b)
{
	int digit = hex_digit(b), end;

	switch (c->state) {
	case SIZE:
		if (digit >= 0 && c->left < UINT64_C(1) << 56) {
			c->left = c->left * 16 + (uint64_t)digit;
			return ++c->line <= 16;
		}
		if (!c->line || (b != ';' && b != '\r' && b != ' ' && b != '\t'))
			return false;
		c->state = EXTENSION;
		/* fall through */
	case EXTENSION:
		if ((end = line_byte(c, b)) <= 0)
			return !end && ++c->line <= LINE_MAX_BYTES;
		c->state = c->left ? DATA : TRAILER;
		c->line = 0;
		return true;
	case DATA_CR: c->state = DATA_LF; return b == '\r';
	case DATA_LF:
		c->state = SIZE;
		c->line = 0;
		return b == '\n';
	default: /* TRAILER: lines up to an empty one, of no interest */
		if ((end = line_byte(c, b)) <= 0)
			return !end && (c->line += b != '\r') <= LINE_MAX_BYTES;
		if (!c->line)
			c->state = END;
		c->line = 0;
		return true;
	}
}

int wire_chunks_next(struct wire_chunks *c, const char *p, size_t n, size_t *used, struct str *data)
{
	size_t i = 0;

	*data = STR_NONE;
	*used = 0;
	while (i < n && c->state != END) {
		if (c->state == DATA) {
			size_t take = n - i < c->left ? n - i : (size_t)c->left;

			*data = str_n(p + i, take);
			c->left -= take;
			if (!c->left)
				c->state = DATA_CR;
			*used = i + take;
			return 0;
		}
		if (!chunk_byte(c, p[i++]))
			return -1;
	}
	*used = i;
	return c->state == END;
}

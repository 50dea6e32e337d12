/* archive/cdx.c -- index lines: one table of fields serves writing, reading and names.
 *
 * Lines are written straight into the caller's buffer.  A CDXJ line is read by
 * the JSON reader into the arena; a CDX-N line is cut at its delimiter and the
 * letters of the header say what each field is.  Cost: one pass per line.
 */
#include "archive/cdx.h"

#include <libdeflate.h>
#include <string.h>

#include "archive/digest.h"
#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"

#define BLOCK_LINES 300

/* The fields of an index line: its name in CDXJ, its letter in CDX-N, other names in use. */
static const struct {
	const char *name;
	char letter;
	const char *aliases[4];
} fields[] = {
	{ "urlkey", 'N', { "k", "surt" } },
	{ "timestamp", 'b', { "t", "date" } },
	{ "url", 'a', { "original", "u" } },
	{ "mime", 'm', { "mimetype", "m" } },
	{ "status", 's', { "statuscode", "s" } },
	{ "digest", 'k', { "d", "sha1", "checksum" } },
	{ "redirect", 'r', { "r" } },
	{ "robotflags", 'M', { "meta", "metatags" } },
	{ "length", 'S', { "l", "size" } },
	{ "offset", 'V', { "o" } },
	{ "filename", 'g', { "f", "file" } },
	{ "method", 0, { NULL } },
	{ "requestBody", 0, { "request_body" } },
	{ "recordDigest", 0, { NULL } },
	{ "source", 0, { NULL } },
	{ "source-coll", 0, { NULL } },
};

static const struct {
	const char *name, *letters;
} formats[CDX_FORMATS] = {
	[CDX_J] = { "cdxj", "" },
	[CDX_11] = { "cdx11", "NbamskrMSVg" },
	[CDX_9] = { "cdx9", "NbamskrVg" },
};

bool cdx_format(const char *name, enum cdx_format *out)
{
	for (unsigned i = 0; i < CDX_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0) {
			*out = (enum cdx_format)i;
			return true;
		}
	return false;
}

const char *cdx_field(struct str name)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if (str_eq(name, str(fields[i].name)))
			return fields[i].name;
		for (size_t k = 0; k < COUNT(fields[i].aliases) && fields[i].aliases[k]; k++)
			if (str_eq(name, str(fields[i].aliases[k])))
				return fields[i].name;
	}
	return NULL;
}

struct str cdx_header(enum cdx_format f)
{
	return f == CDX_11  ? STR(" CDX N b a m s k r M S V g\n")
	       : f == CDX_9 ? STR(" CDX N b a m s k r V g\n")
			    : STR("");
}

/* ---- writing ---- */

enum { QUOTED_MOST = 6, WORD_MOST = 3 }; /* bytes that one byte of a value may become */

static char *put(char *to, struct str s)
{
	if (s.n)
		memcpy(to, s.p, s.n);
	return to + s.n;
}

/* One byte or more that do not stand for themselves; *p moves behind them. */
static char *put_escaped(char *to, const char **p, const char *end)
{
	static const char hex[] = "0123456789abcdef", two[] = "btn.fr"; /* two: of 8, 9, 10, 12, 13 */
	unsigned char c = (unsigned char)**p;
	uint32_t cp = c;

	*to++ = '\\';
	if (c >= 0x80)
		*p += utf8_decode(*p, end, &cp);
	else
		++*p;
	if (c == '"' || c == '\\') {
		*to++ = (char)c;
		return to;
	}
	if (c >= 8 && c <= 13 && c != 11) {
		*to++ = two[c - 8];
		return to;
	}
	for (uint32_t unit = cp >= 0x10000 ? 0xd800 + ((cp - 0x10000) >> 10) : cp;;
	     unit = 0xdc00 + ((cp - 0x10000) & 0x3ff)) {
		*to++ = 'u';
		for (int shift = 12; shift >= 0; shift -= 4)
			*to++ = hex[(unit >> shift) & 15];
		if (cp < 0x10000 || unit >= 0xdc00)
			return to;
		*to++ = '\\';
	}
}

/* A JSON string in ASCII, as Python's json.dumps writes it: at most QUOTED_MOST * s.n + 2 bytes. */
static char *put_quoted(char *to, struct str s)
{
	const char *p = s.n ? s.p : "", *end = p + s.n;

	*to++ = '"';
	while (p < end) {
		const char *from = p;

		while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
			p++;
		to = put(to, str_n(from, (size_t)(p - from)));
		if (p < end)
			to = put_escaped(to, &p, end);
	}
	*to++ = '"';
	return to;
}

/* A field of CDX-N is one word: blanks and line ends are escaped, nothing is '-'.  At most WORD_MOST * s.n + 1 bytes. */
static char *put_word(char *to, struct str s)
{
	static const char hex[] = "0123456789ABCDEF";

	if (s.n == 0)
		*to++ = '-';
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c == 0x7f) {
			*to++ = '%';
			*to++ = hex[c >> 4];
			*to++ = hex[c & 15];
		} else {
			*to++ = (char)c;
		}
	}
	return to;
}

static void add_quoted(struct str s, struct buf *out)
{
	char *to = buf_room(out, QUOTED_MOST * s.n + 2);

	if (to)
		out->n += (size_t)(put_quoted(to, s) - to);
}

static void add_word(struct str s, struct buf *out)
{
	char *to = buf_room(out, WORD_MOST * s.n + 1);

	if (to)
		out->n += (size_t)(put_word(to, s) - to);
}

/* v in decimal at the end of text; its slice. */
static struct str decimal(uint64_t v, char text[24])
{
	char *p = text + 24;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	return str_n(p, (size_t)(text + 24 - p));
}

/* ", "name": and a value, quoted. */
#define PUT_MEMBER(to, name, value) put_quoted(put((to), STR(", \"" name "\": ")), (value))

static char *put_number(char *to, struct str name, uint64_t v)
{
	char text[24];

	to = put(put(to, name), decimal(v, text));
	*to++ = '"';
	return to;
}

/* The line is made in one piece: room for the longest that it can become is asked for once. */
static void add_cdxj(const struct cdx *c, struct buf *out)
{
	enum { FRAME = 320 }; /* names, numbers, stamp, punctuation */
	size_t most =
	    WORD_MOST * c->urlkey.n + FRAME +
	    QUOTED_MOST * (c->url.n + c->mime.n + c->digest.n + c->filename.n + c->request_body.n + c->method.n);
	char stamp[18], *start = buf_room(out, most), *to = start;

	if (!start)
		return;
	to = put_word(to, c->urlkey);
	*to++ = ' ';
	to = put(to, stamp_14(c->time, stamp));
	to = put_quoted(put(to, STR(" {\"url\": ")), c->url);
	if (c->mime.n)
		to = PUT_MEMBER(to, "mime", c->mime);
	if (c->status >= 0)
		to = put_number(to, STR(", \"status\": \""), (uint64_t)c->status);
	if (c->digest.n)
		to = PUT_MEMBER(to, "digest", c->digest);
	if (c->length != CDX_NONE)
		to = put_number(to, STR(", \"length\": \""), c->length);
	if (c->offset != CDX_NONE)
		to = put_number(to, STR(", \"offset\": \""), c->offset);
	if (c->filename.n)
		to = PUT_MEMBER(to, "filename", c->filename);
	if (c->request_body.n)
		to = PUT_MEMBER(to, "requestBody", c->request_body);
	if (c->method.n)
		to = PUT_MEMBER(to, "method", c->method);
	*to++ = '}';
	*to++ = '\n';
	out->n += (size_t)(to - start);
}

static struct str bare_digest(struct str digest)
{
	ptrdiff_t colon = str_chr(digest, ':');

	return colon < 0 ? digest : str_sub(digest, (size_t)colon + 1, digest.n);
}

static void add_field(char letter, const struct cdx *c, struct buf *out)
{
	char number[24];

	switch (letter) {
	case 'a': add_word(c->url, out); break;
	case 'm': add_word(c->mime, out); break;
	case 's': add_word(c->status >= 0 ? decimal((uint64_t)c->status, number) : STR(""), out); break;
	case 'k': add_word(bare_digest(c->digest), out); break;
	case 'r': add_word(c->redirect, out); break;
	case 'M': add_word(c->meta, out); break;
	case 'S': add_word(c->length != CDX_NONE ? decimal(c->length, number) : STR(""), out); break;
	case 'V': add_word(c->offset != CDX_NONE ? decimal(c->offset, number) : STR(""), out); break;
	default: add_word(c->filename, out); break;
	}
}

void cdx_add(enum cdx_format f, const struct cdx *c, struct buf *out)
{
	char stamp[18];

	if (f == CDX_J) {
		add_cdxj(c, out);
		return;
	}
	add_word(c->urlkey, out);
	buf_byte(out, ' ');
	buf_str(out, stamp_14(c->time, stamp));
	for (const char *letter = formats[f].letters + 2; *letter; letter++) {
		buf_byte(out, ' ');
		add_field(*letter, c, out);
	}
	buf_byte(out, '\n');
}

/* ---- reading ---- */

static bool read_time(struct str s, struct cdx *c)
{
	struct stamp t;

	if (s.n < 4 || s.n > 18 || !stamp_parse_digits(s, &t))
		return false;
	c->time = t.time;
	c->nsec = t.nsec;
	return true;
}

static uint64_t read_number(struct str s)
{
	uint64_t v;

	return str_u64(s, &v) ? v : CDX_NONE;
}

/* Sets the field named as in CDXJ; unknown ones are passed over. */
static bool set_field(struct cdx *c, const char *name, struct str v)
{
	uint64_t n;

	if (strcmp(name, "urlkey") == 0)
		c->urlkey = v;
	else if (strcmp(name, "timestamp") == 0)
		return read_time(v, c);
	else if (strcmp(name, "url") == 0)
		c->url = v;
	else if (strcmp(name, "mime") == 0)
		c->mime = v;
	else if (strcmp(name, "status") == 0)
		c->status = (n = read_number(v)) <= 999 ? (int)n : -1;
	else if (strcmp(name, "digest") == 0)
		c->digest = v;
	else if (strcmp(name, "redirect") == 0)
		c->redirect = v;
	else if (strcmp(name, "robotflags") == 0)
		c->meta = v;
	else if (strcmp(name, "length") == 0)
		c->length = read_number(v);
	else if (strcmp(name, "offset") == 0)
		c->offset = read_number(v);
	else if (strcmp(name, "filename") == 0)
		c->filename = v;
	else if (strcmp(name, "method") == 0)
		c->method = v;
	else if (strcmp(name, "requestBody") == 0)
		c->request_body = v;
	return true;
}

static int read_cdxj(struct arena *a, struct str json, struct cdx *out, struct err *err)
{
	struct json_value *object;
	int rc = json_parse(a, json, &object, err);

	if (rc < 0)
		return rc;
	if (object->type != JSON_OBJECT)
		return err_set(err, WN_DATA, "the third part of the line is not a JSON object");
	for (const struct json_value *v = object->first; v; v = v->next) {
		const char *name = cdx_field(v->key);

		if (name && (v->type == JSON_STRING || v->type == JSON_NUMBER) && strcmp(name, "urlkey") != 0 &&
		    strcmp(name, "timestamp") != 0)
			set_field(out, name, v->text);
	}
	return WN_OK;
}

/* " CDX N b a": the first byte is the delimiter. */
static void read_header(struct cdx_reader *r, struct str line)
{
	struct str rest = str_sub(line, 1, line.n);

	r->delimiter = line.p[0];
	r->nfields = 0;
	str_cut(&rest, r->delimiter); /* CDX */
	while (rest.p) {
		struct str s = str_trim(str_cut(&rest, r->delimiter));

		if (s.n == 1 && r->nfields < sizeof r->fields)
			r->fields[r->nfields++] = s.p[0];
	}
}

/* Which letters a line without a header has, by the number of its fields. */
static const char *letters_by_count(unsigned n)
{
	switch (n) {
	case 7: return "NbamskS";
	case 9: return "NbamskrVg";
	case 10: return "NbamskrMVg";
	case 11:
	case 14: return "NbamskrMSVg";
	default: return NULL;
	}
}

static const char *name_of_letter(char letter)
{
	if (letter == 'A')
		return "urlkey";
	if (letter == 'v')
		return "offset";
	for (size_t i = 0; i < COUNT(fields); i++)
		if (fields[i].letter == letter)
			return fields[i].name;
	return NULL;
}

static int read_columns(const struct cdx_reader *r, struct str line, struct cdx *out, struct err *err)
{
	char delimiter = r->delimiter ? r->delimiter : ' ';
	struct str column[32], rest = line;
	const char *letters = r->fields;
	unsigned n = 0, nletters = r->nfields;
	bool has_time = false;

	while (rest.p && n < COUNT(column))
		column[n++] = str_cut(&rest, delimiter);
	if (nletters == 0) {
		letters = letters_by_count(n);
		if (!letters)
			return err_set(err, WN_DATA, "a line of %u fields, and no header that names them", n);
		nletters = (unsigned)strlen(letters);
	}
	if (n < nletters)
		return err_set(err, WN_DATA, "a line of %u fields instead of %u", n, nletters);
	for (unsigned i = 0; i < nletters; i++) {
		const char *name = name_of_letter(letters[i]);

		if (!name || str_eq(column[i], STR("-")))
			continue;
		if (!set_field(out, name, column[i]))
			return err_set(err, WN_DATA, "\"%.*s\" is not a timestamp", STR_FMT(str_sub(column[i], 0, 40)));
		has_time |= letters[i] == 'b';
	}
	if (!has_time || out->urlkey.n == 0)
		return err_set(err, WN_DATA, "a line without urlkey or timestamp");
	return WN_OK;
}

int cdx_parse(struct cdx_reader *r, struct arena *a, struct str line, struct cdx *out, struct err *err)
{
	struct str rest, key, stamp;

	*out = (struct cdx){ .status = -1, .length = CDX_NONE, .offset = CDX_NONE };
	while (line.n && (line.p[line.n - 1] == '\n' || line.p[line.n - 1] == '\r'))
		line.n--;
	if (line.n == 0 || line.p[0] == '#' || line.p[0] == '!' || line.p[0] == '@')
		return WN_NONE;
	if (line.n > LIMIT_LINE)
		return err_set(err, WN_LIMIT, "a line of more than %zu bytes", LIMIT_LINE);
	if (line.n > 4 && memcmp(line.p + 1, "CDX", 3) == 0 && line.p[4] == line.p[0]) {
		read_header(r, line);
		return WN_NONE;
	}
	rest = line;
	key = str_cut(&rest, ' ');
	if (rest.p) {
		stamp = str_cut(&rest, ' ');
		if (rest.p && str_starts(str_trim(rest), STR("{"))) {
			out->urlkey = key;
			if (!read_time(stamp, out))
				return err_set(err, WN_DATA, "\"%.*s\" is not a timestamp",
					       STR_FMT(str_sub(stamp, 0, 40)));
			return read_cdxj(a, rest, out, err);
		}
	}
	return read_columns(r, line, out, err);
}

/* ---- compressed blocks ---- */

void cdx_blocks_init(struct cdx_blocks *b, struct str filename, unsigned per_block)
{
	*b = (struct cdx_blocks){ .gz = BUF(SIZE_MAX / 2),
				  .idx = BUF(SIZE_MAX / 2),
				  .lines = BUF(SIZE_MAX / 2),
				  .per_block = per_block ? per_block : BLOCK_LINES,
				  .filename = filename };
	buf_str(&b->idx, STR("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": "));
	add_quoted(filename, &b->idx);
	buf_str(&b->idx, STR("}\n"));
}

static void flush_block(struct cdx_blocks *b)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	struct str line = buf_view(&b->lines), rest = line;
	size_t room = libdeflate_gzip_compress_bound(c, b->lines.n), n, at = b->gz.n;
	char *to = buf_room(&b->gz, room);
	char digest[DIGEST_TEXT];
	struct digest d;

	n = libdeflate_gzip_compress(c, b->lines.p, b->lines.n, to, room);
	b->gz.n += n;
	libdeflate_free_compressor(c);
	digest_of(DIGEST_SHA256, str_n(b->gz.p + at, n), &d);
	digest_write(&d, digest);
	str_cut(&rest, ' ');
	str_cut(&rest, ' ');
	buf_add(&b->idx, line.p, rest.p ? (size_t)(rest.p - line.p) : 0);
	buf_printf(&b->idx, "{\"offset\": %zu, \"length\": %zu, \"digest\": \"%s\"}\n", at, n, digest);
	buf_reset(&b->lines);
	b->count = 0;
}

void cdx_blocks_add(struct cdx_blocks *b, struct str line)
{
	buf_str(&b->lines, line);
	if (++b->count == b->per_block)
		flush_block(b);
}

void cdx_blocks_end(struct cdx_blocks *b)
{
	if (b->count)
		flush_block(b);
}

void cdx_blocks_release(struct cdx_blocks *b)
{
	buf_release(&b->gz);
	buf_release(&b->idx);
	buf_release(&b->lines);
}

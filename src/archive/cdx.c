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

const char *cdx_format_name(enum cdx_format f) { return formats[f].name; }

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

/* A JSON string in ASCII, as Python's json.dumps writes it. */
static void add_quoted(struct str s, struct buf *out)
{
	static const char hex[] = "0123456789abcdef";
	const char *p = s.n ? s.p : "", *end = p + s.n;
	char *to = buf_room(out, 6 * s.n + 2), *start = to;

	if (!to)
		return;
	*to++ = '"';
	while (p < end) {
		unsigned char c = (unsigned char)*p;
		uint32_t cp;

		if (c >= 0x20 && c < 0x80) {
			if (c == '"' || c == '\\')
				*to++ = '\\';
			*to++ = (char)c;
			p++;
			continue;
		}
		if (c < 0x20) {
			static const char two[] = "btn.fr"; /* of 8, 9, 10, 12, 13 */

			p++;
			if (c >= 8 && c <= 13 && c != 11) {
				*to++ = '\\';
				*to++ = two[c - 8];
				continue;
			}
			cp = c;
		} else {
			p += utf8_decode(p, end, &cp);
		}
		for (uint32_t unit = cp >= 0x10000 ? 0xd800 + ((cp - 0x10000) >> 10) : cp;;
		     unit = 0xdc00 + ((cp - 0x10000) & 0x3ff)) {
			*to++ = '\\';
			*to++ = 'u';
			for (int shift = 12; shift >= 0; shift -= 4)
				*to++ = hex[(unit >> shift) & 15];
			if (cp < 0x10000 || unit >= 0xdc00)
				break;
		}
	}
	*to++ = '"';
	out->n += (size_t)(to - start);
}

static void add_member(struct str key, struct str value, bool *first, struct buf *out)
{
	buf_str(out, *first ? STR("\"") : STR(", \""));
	*first = false;
	buf_str(out, key);
	buf_str(out, STR("\": "));
	add_quoted(value, out);
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

static void add_cdxj(const struct cdx *c, struct buf *out)
{
	char number[24];
	bool first = true;

	buf_byte(out, '{');
	add_member(STR("url"), c->url, &first, out);
	if (c->mime.n)
		add_member(STR("mime"), c->mime, &first, out);
	if (c->status >= 0)
		add_member(STR("status"), decimal((uint64_t)c->status, number), &first, out);
	if (c->digest.n)
		add_member(STR("digest"), c->digest, &first, out);
	if (c->length != CDX_NONE)
		add_member(STR("length"), decimal(c->length, number), &first, out);
	if (c->offset != CDX_NONE)
		add_member(STR("offset"), decimal(c->offset, number), &first, out);
	if (c->filename.n)
		add_member(STR("filename"), c->filename, &first, out);
	if (c->request_body.n)
		add_member(STR("requestBody"), c->request_body, &first, out);
	if (c->method.n)
		add_member(STR("method"), c->method, &first, out);
	buf_byte(out, '}');
}

/* A field of CDX-N is one word: blanks and line ends are escaped, nothing is '-'. */
static void add_word(struct str s, struct buf *out)
{
	if (s.n == 0)
		buf_byte(out, '-');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c <= ' ' || c == 0x7f)
			buf_printf(out, "%%%02X", c);
		else
			buf_byte(out, (char)c);
	}
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

	add_word(c->urlkey, out);
	buf_byte(out, ' ');
	buf_str(out, stamp_14(c->time, stamp));
	if (f == CDX_J) {
		buf_byte(out, ' ');
		add_cdxj(c, out);
	} else {
		for (const char *letter = formats[f].letters + 2; *letter; letter++) {
			buf_byte(out, ' ');
			add_field(*letter, c, out);
		}
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

/* archive/warc.c -- see warc.h.
 *
 * One pass over the lines of a head.  Known fields are found by length and a
 * comparison, in one table that says where each goes and whether it may stand
 * more than once.
 */
#include "archive/warc.h"

#include <stddef.h>

#include "base/mem.h"

void head_scratch_release(struct head_scratch *s)
{
	mem_free(s->fields);
	arena_release(&s->arena);
	*s = (struct head_scratch){ 0 };
}

struct field *head_field(struct head_scratch *s, unsigned n)
{
	if (n >= LIMIT_FIELDS)
		return NULL;
	if (n >= s->cap) {
		s->cap = s->cap ? s->cap * 2 : 32;
		s->fields = mem_rearray(s->fields, s->cap, sizeof *s->fields);
	}
	return &s->fields[n];
}

/* Fields */

enum field_use { USE_TEXT, USE_URI, USE_ID, USE_TYPE, USE_LENGTH, USE_NUMBER };

static const struct known {
	const char *name;
	unsigned char n, use;
	bool repeats;
	size_t at; /* of the str or uint64_t in struct record */
} known[] = {
#define KNOWN(name, use, repeats, member)                                             \
	{                                                                             \
		name, sizeof(name) - 1, use, repeats, offsetof(struct record, member) \
	}
	KNOWN("WARC-Type", USE_TYPE, false, type_text),
	KNOWN("WARC-Date", USE_TEXT, false, date),
	KNOWN("WARC-Record-ID", USE_ID, false, id),
	KNOWN("Content-Type", USE_TEXT, false, content_type),
	KNOWN("Content-Length", USE_LENGTH, false, length),
	KNOWN("WARC-Target-URI", USE_URI, false, target_uri),
	KNOWN("WARC-IP-Address", USE_TEXT, false, ip),
	KNOWN("WARC-Block-Digest", USE_TEXT, false, block_digest),
	KNOWN("WARC-Payload-Digest", USE_TEXT, false, payload_digest),
	KNOWN("WARC-Concurrent-To", USE_ID, true, concurrent_to),
	KNOWN("WARC-Warcinfo-ID", USE_ID, false, warcinfo_id),
	KNOWN("WARC-Truncated", USE_TEXT, false, truncated),
	KNOWN("WARC-Profile", USE_URI, false, profile),
	KNOWN("WARC-Refers-To", USE_ID, false, refers_to),
	KNOWN("WARC-Refers-To-Target-URI", USE_URI, false, refers_to_uri),
	KNOWN("WARC-Refers-To-Date", USE_TEXT, false, refers_to_date),
	KNOWN("WARC-Segment-Origin-ID", USE_ID, false, segment_origin),
	KNOWN("WARC-Segment-Number", USE_NUMBER, false, segment_number),
	KNOWN("WARC-Segment-Total-Length", USE_NUMBER, false, segment_total),
#undef KNOWN
};

static const struct known *find_known(struct str name)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].n == name.n && ascii_lower(known[i].name[name.n - 1]) == ascii_lower(name.p[name.n - 1]) &&
		    (memcmp(name.p, known[i].name, name.n) == 0 || str_ieq(name, str_n(known[i].name, name.n))))
			return &known[i];
	return NULL;
}

static bool uri_clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || s.p[i] == 0x7f)
			return false;
	return true;
}

struct str warc_clean_uri(struct arena *a, struct str uri, struct flaws *flaws, uint64_t at)
{
	static const char hex[] = "0123456789ABCDEF";

	uri = str_trim(uri); /* a value that begins on a folded line */
	if (uri.n >= 2 && uri.p[0] == '<' && uri.p[uri.n - 1] == '>') {
		uri = str_trim(str_sub(uri, 1, uri.n - 1));
		if (flaws)
			flaw_add(flaws, FLAW_URI_BRACKETS, at, "%.*s", (int)(uri.n < 90 ? uri.n : 90), uri.p);
	}
	if (uri.n > LIMIT_URL) {
		if (flaws)
			flaw_add(flaws, FLAW_BAD_URI, at, "a URI of %zu bytes, cut", uri.n);
		uri.n = LIMIT_URL;
	}
	if (uri_clean(uri))
		return uri;
	if (flaws)
		flaw_add(flaws, FLAW_URI_SPACE, at, "%.*s", (int)(uri.n < 90 ? uri.n : 90), uri.p);
	char *out = arena_alloc(a, 3 * uri.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < uri.n; i++) {
		unsigned char c = (unsigned char)uri.p[i];

		if (c == '\t' || c == '\r' || c == '\n') /* no part of a URL, wherever they stand in it */
			continue;
		if (c > 0x20 && c != 0x7f) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = hex[c >> 4];
		out[n++] = hex[c & 15];
	}
	out[n] = 0;
	return str_n(out, n);
}

static struct str clean_id(struct record *rec, struct str value, uint64_t at, const char *name)
{
	if (value.n >= 2 && value.p[0] == '<' && value.p[value.n - 1] == '>')
		return str_sub(value, 1, value.n - 1);
	flaw_add(&rec->flaws, FLAW_BAD_ID, at, "%s: %.*s", name, (int)(value.n < 80 ? value.n : 80), value.p);
	return value;
}

static enum record_type type_of(struct str text)
{
	if (str_eq(text, STR("response"))) /* almost always */
		return RECORD_RESPONSE;
	for (int t = RECORD_WARCINFO; t < RECORD_TYPES; t++)
		if (str_ieq(text, str(record_type_name((enum record_type)t))))
			return (enum record_type)t;
	return RECORD_UNKNOWN;
}

static void use_field(struct record *rec, const struct known *k, struct str value, struct arena *a, uint64_t at)
{
	struct str *text = (struct str *)(void *)((char *)rec + k->at);
	uint64_t *number = (uint64_t *)(void *)((char *)rec + k->at);

	switch ((enum field_use)k->use) {
	case USE_TEXT: *text = value; break;
	case USE_URI: *text = warc_clean_uri(a, value, &rec->flaws, at); break;
	case USE_ID: *text = clean_id(rec, value, at, k->name); break;
	case USE_TYPE:
		*text = value;
		rec->type = type_of(value);
		break;
	case USE_LENGTH:
		if (str_u64(value, number))
			rec->has_length = true;
		else
			flaw_add(&rec->flaws, FLAW_BAD_LENGTH, at, "Content-Length: %.*s",
				 (int)(value.n < 60 ? value.n : 60), value.p);
		break;
	case USE_NUMBER:
		if (!str_u64(value, number)) {
			*number = 0;
			flaw_add(&rec->flaws, FLAW_BAD_VALUE, at, "%s: %.*s", k->name,
				 (int)(value.n < 60 ? value.n : 60), value.p);
		}
		break;
	}
}

/* Heads */

static bool is_version(struct str line)
{
	size_t i = 5;

	if (!str_istarts(line, STR("WARC/")))
		return false;
	while (i < line.n && ascii_digit(line.p[i]))
		i++;
	if (i == 5 || i == line.n || line.p[i] != '.')
		return false;
	size_t dot = i++;

	while (i < line.n && ascii_digit(line.p[i]))
		i++;
	return i > dot + 1 && str_trim(str_sub(line, i, line.n)).n == 0;
}

enum head_sight warc_sight(struct str s, bool all)
{
	static const char mark[] = "WARC/";

	for (size_t i = 0; i < 5; i++) {
		if (i == s.n)
			return all ? HEAD_NO : HEAD_SHORT;
		if (s.p[i] != mark[i] && s.p[i] != ascii_lower(mark[i]))
			return HEAD_NO;
	}
	struct str near = str_sub(s, 0, 64);
	ptrdiff_t nl = str_chr(near, '\n');

	if (nl < 0)
		return s.n < 64 && !all ? HEAD_SHORT : HEAD_NO;
	if (!is_version(str_sub(s, 0, (size_t)nl)))
		return HEAD_NO;
	struct str field = str_sub(s, (size_t)nl + 1, s.n);

	if (field.n < 8)
		return all ? HEAD_NO : HEAD_SHORT;
	return str_istarts(field, STR("WARC-")) || str_istarts(field, STR("Content-")) ? HEAD_YES : HEAD_NO;
}

size_t warc_head_size(struct str s, bool all, bool *cut)
{
	size_t line = 0;

	*cut = false;
	while (line < s.n) {
		const char *nl = memchr(s.p + line, '\n', s.n - line);

		if (!nl)
			break;
		size_t next = (size_t)(nl - s.p) + 1, n = next - 1 - line;

		size_t text = n;

		while (text && s.p[line + text - 1] == '\r') /* some wrote CR CR LF */
			text--;
		if (text == 0)
			return next;
		if (line && (s.p[line] == 'W' || s.p[line] == 'w') && n >= 6 && is_version(str_n(s.p + line, n))) {
			*cut = true;
			return line;
		}
		line = next;
	}
	if (!all)
		return 0;
	*cut = true;
	return s.n;
}

/* The digits s begins with, below 1000. */
static unsigned small_number(struct str s)
{
	unsigned v = 0;

	for (size_t i = 0; i < s.n && ascii_digit(s.p[i]); i++)
		v = (v * 10 + (unsigned)(s.p[i] - '0')) % 1000;
	return v;
}

static void parse_version(struct record *rec, struct str line, uint64_t at)
{
	if (is_version(line)) {
		rec->version_major = small_number(str_sub(line, 5, line.n));
		rec->version_minor = small_number(str_sub(line, (size_t)str_chr(line, '.') + 1, line.n));
		unsigned v = rec->version_major * 1000 + rec->version_minor;

		if ((v == 1000 || v == 1001 || v == 17 || v == 18) && line.p[0] == 'W')
			return;
	}
	flaw_add(&rec->flaws, FLAW_VERSION, at, "%.*s", (int)(line.n < 60 ? line.n : 60), line.p);
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= 0x20 || s.p[i] == 0x7f)
			return false;
	return s.n > 0;
}

/* What is wrong with the lines of a head, told once for all of them. */
struct lines {
	bool lf, folded, full;
};

/* The line at the start of *rest, its line end taken off. */
static struct str next_line(struct str *rest, struct lines *wrong)
{
	const char *nl = memchr(rest->p, '\n', rest->n);
	struct str line = str_n(rest->p, nl ? (size_t)(nl - rest->p) : rest->n);

	*rest = str_sub(*rest, line.n + 1, rest->n);
	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	else if (nl)
		wrong->lf = true;
	return line;
}

/* "Name: value" as the next field, if it is one and there is room. */
static void add_field(struct record *rec, struct str line, struct head_scratch *scratch, struct lines *wrong,
		      uint64_t at)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct str name = colon ? str_n(line.p, (size_t)(colon - line.p)) : STR_NONE;
	struct field *f;

	while (name.n && (name.p[name.n - 1] == ' ' || name.p[name.n - 1] == '\t'))
		name.n--;
	if (!colon || !is_name(name)) {
		flaw_add(&rec->flaws, FLAW_BAD_FIELD, at, "%.*s", (int)(line.n < 60 ? line.n : 60), line.p);
		if (!colon || !name.n)
			return;
	}
	if (!(f = head_field(scratch, rec->nfields))) {
		wrong->full = true;
		return;
	}
	*f = (struct field){ name, str_trim(str_n(colon + 1, (size_t)(line.p + line.n - colon - 1))) };
	rec->nfields++;
}

static void read_fields(struct record *rec, struct str rest, struct head_scratch *scratch, struct lines *wrong,
			uint64_t at)
{
	struct unfolding unfolding = { 0 };

	while (rest.n) {
		struct str line = next_line(&rest, wrong);

		while (line.n && line.p[line.n - 1] == '\r') {
			line.n--;
			wrong->lf = true;
		}
		if (line.n == 0)
			continue;
		if ((line.p[0] == ' ' || line.p[0] == '\t') && rec->nfields) {
			struct field *f = &scratch->fields[rec->nfields - 1];

			wrong->folded = true;
			f->value = field_unfold(&scratch->arena, &unfolding, f->value, str_trim(line));
			continue;
		}
		add_field(rec, line, scratch, wrong, at);
	}
	rec->fields = scratch->fields;
}

static void use_fields(struct record *rec, struct head_scratch *scratch, uint64_t at)
{
	uint32_t seen = 0;
	bool length = false;

	for (unsigned i = 0; i < rec->nfields; i++) {
		const struct known *k = find_known(rec->fields[i].name);

		if (!k)
			continue;
		uint32_t bit = UINT32_C(1) << (k - known);

		if (!(seen & bit))
			use_field(rec, k, rec->fields[i].value, &scratch->arena, at);
		else if (!k->repeats)
			flaw_add(&rec->flaws, FLAW_DUPLICATE_FIELD, at, "%s", k->name);
		seen |= bit;
		length = length || k->use == USE_LENGTH;
	}
	if (!length)
		flaw_add(&rec->flaws, FLAW_MISSING_LENGTH, at, "no Content-Length");
}

void warc_parse(struct record *rec, struct str head, struct head_scratch *scratch, uint64_t at)
{
	struct lines wrong = { 0 };
	struct str rest = head;

	rec->format = RECORD_WARC;
	parse_version(rec, next_line(&rest, &wrong), at);
	read_fields(rec, rest, scratch, &wrong, at);
	use_fields(rec, scratch, at);
	if (wrong.lf)
		flaw_add(&rec->flaws, FLAW_LINE_END, at, "in the record's head");
	if (wrong.folded)
		flaw_add(&rec->flaws, FLAW_FOLDED_FIELD, at, "in the record's head");
	if (wrong.full)
		flaw_add(&rec->flaws, FLAW_TOO_MANY_FIELDS, at, "more than %d", LIMIT_FIELDS);
}

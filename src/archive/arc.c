/* archive/arc.c -- see arc.h. */
#include "archive/arc.h"

#include "archive/url_host.h"

#define ARC_LINE_MAX (LIMIT_URL + 4 * KIB)
#define ARC_TOKENS 64 /* looked at, from the right */

struct arc_line {
	struct str url, ip, date, mime, length;
	struct str result, checksum, location, offset, filename; /* version 2 */
	bool odd;						 /* parts are missing, additional or transposed */
};

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_digit(s.p[i]))
			return false;
	return s.n > 0;
}

/* Of this age or the one before; zeros stand for no date. */
static bool is_date(struct str s)
{
	return s.n >= 8 && s.n <= 18 && all_digits(s) &&
	       (s.p[0] == '1' || s.p[0] == '2' || (s.n >= 14 && str_eq(str_sub(s, 0, 14), STR("00000000000000"))));
}

static bool is_ip(struct str s) { return str_eq(s, STR("-")) || url_looks_like_ip(s); }

static bool has_scheme(struct str s)
{
	size_t i = 0;

	while (i < s.n &&
	       (ascii_alpha(s.p[i]) || (i && (ascii_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))))
		i++;
	return i > 1 && i < s.n && s.p[i] == ':';
}

/* The slice that begins with token a and ends before token b. */
static struct str between(const struct str *token, size_t a, size_t b)
{
	if (a >= b)
		return STR_NONE;
	return str_n(token[a].p, (size_t)(token[b - 1].p + token[b - 1].n - token[a].p));
}

/* A line without a good date beside an address: the parts by their places.  A
 * version block may say "- - - 76", others "None 20160211000000jpg". */
static bool split_by_place(struct str line, const struct str *t, size_t n, struct arc_line *out)
{
	if (n < 5)
		return false;
	if (!str_starts(line, STR("filedesc:"))) {
		struct str date = t[n - 3];

		if (!is_date(str_sub(date, 0, 8)) || date.n > 24 || !all_digits(t[n - 1]))
			return false;
	}
	out->url = between(t, 0, n - 4);
	out->ip = t[n - 4];
	out->date = t[n - 3];
	out->mime = t[n - 2];
	out->length = t[n - 1];
	out->odd = true;
	return true;
}

/* Splits the line; false when it is no ARC line.  tokens: the last ARC_TOKENS
 * of them; a URL before them stays in one piece. */
static bool split(struct str line, unsigned version, struct arc_line *out)
{
	struct str token[ARC_TOKENS + 1];
	size_t n = 0, end = line.n, first = ARC_TOKENS + 1;

	*out = (struct arc_line){ 0 };
	if (!has_scheme(line))
		return false;
	while (end && n < ARC_TOKENS) { /* from the right; single spaces, so that empty parts show */
		size_t from = end;

		while (from && line.p[from - 1] != ' ')
			from--;
		token[--first] = str_n(line.p + from, end - from);
		n++;
		if (from == 0)
			goto cut;
		end = from - 1;
	}
	if (end)
		token[--first] = str_n(line.p, end), n++;
cut:
	if (n < 3)
		return false;
	struct str *t = token + first;
	size_t date = 0;

	for (size_t i = n - 1; i-- > 1 && !date;)
		if (is_date(t[i]) && (is_ip(t[i - 1]) || is_ip(t[i + 1])))
			date = i;
	if (!date)
		return split_by_place(line, t, n, out);
	size_t after = date + 1;

	out->date = t[date];
	if (date >= 1 && is_ip(t[date - 1])) {
		out->ip = t[date - 1];
		out->url = between(t, 0, date - 1);
	} else {
		out->ip = t[date + 1];
		out->url = between(t, 0, date);
		after++;
		out->odd = true;
	}
	if (after > n - 1 || out->url.n == 0)
		return false;
	out->length = t[n - 1];
	if (out->length.n > 10 && !all_digits(out->length))
		return false; /* a line of some CDX */
	if (version == 2 && n - 1 >= after + 6) {
		out->filename = t[n - 2];
		out->offset = t[n - 3];
		out->location = t[n - 4];
		out->checksum = t[n - 5];
		out->result = t[n - 6];
		out->mime = between(t, after, n - 6);
	} else {
		out->mime = between(t, after, n - 1);
	}
	if (out->mime.n == 0 || memchr(out->url.p, ' ', out->url.n))
		out->odd = true;
	return true;
}

/* "type length file.arc offset": what some CDX files have behind the date. */
static bool is_cdx_tail(struct str mime)
{
	struct str rest = mime;

	str_cut(&rest, ' ');
	struct str length = str_cut(&rest, ' ');

	return all_digits(length) && rest.n && str_chr(rest, ' ') < 0;
}

enum head_sight arc_sight(struct str s, bool all, bool strict, size_t *size)
{
	struct arc_line line;

	if (s.n == 0)
		return all ? HEAD_NO : HEAD_SHORT;
	if (!ascii_alpha(s.p[0]))
		return HEAD_NO;
	if (!has_scheme(str_sub(s, 0, 32)) && s.n >= 32)
		return HEAD_NO;
	struct str near = str_sub(s, 0, ARC_LINE_MAX);
	ptrdiff_t nl = str_chr(near, '\n');

	if (nl < 0) {
		if (s.n < ARC_LINE_MAX && !all)
			return HEAD_SHORT;
		if (s.n >= ARC_LINE_MAX || strict)
			return HEAD_NO;
		nl = (ptrdiff_t)s.n;
	}
	struct str text = str_sub(s, 0, (size_t)nl);

	if (text.n && text.p[text.n - 1] == '\r')
		text.n--;
	if (!split(text, 1, &line) ||
	    (strict && (!all_digits(line.length) || !is_date(line.date) || !is_ip(line.ip) || is_cdx_tail(line.mime))))
		return HEAD_NO;
	*size = (size_t)nl < s.n ? (size_t)nl + 1 : s.n;
	return HEAD_YES;
}

static void put(struct record *rec, struct head_scratch *scratch, const char *name, struct str value)
{
	struct field *f = value.n ? head_field(scratch, rec->nfields) : NULL;

	if (f) {
		*f = (struct field){ str(name), value };
		rec->nfields++;
	}
}

void arc_parse(struct record *rec, struct str text, unsigned version, struct head_scratch *scratch, uint64_t at)
{
	struct arc_line line;
	struct str shown;

	rec->format = RECORD_ARC;
	rec->version_major = version;
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	shown = str_sub(text, 0, 90);
	split(text, version, &line);
	rec->type = str_starts(line.url, STR("filedesc:")) ? RECORD_WARCINFO : RECORD_RESPONSE;
	rec->type_text = str(record_type_name(rec->type));
	if (rec->type == RECORD_WARCINFO)
		rec->target_uri = line.url;
	else
		rec->target_uri = warc_clean_uri(&scratch->arena, line.url, &rec->flaws, at);
	rec->date = line.date;
	rec->content_type = line.mime;
	rec->ip = str_eq(line.ip, STR("-")) ? STR_NONE : line.ip;
	if (line.odd)
		flaw_add(&rec->flaws, FLAW_ARC_LINE, at, "%.*s", STR_FMT(shown));
	if (str_u64(line.length, &rec->length))
		rec->has_length = true;
	else
		flaw_add(&rec->flaws, FLAW_BAD_LENGTH, at, "Archive-length: %.*s",
			 (int)(line.length.n < 60 ? line.length.n : 60), line.length.p);
	put(rec, scratch, "WARC-Target-URI", rec->target_uri);
	put(rec, scratch, "WARC-IP-Address", rec->ip);
	put(rec, scratch, "WARC-Date", rec->date);
	put(rec, scratch, "Content-Type", rec->content_type);
	put(rec, scratch, "Content-Length", line.length);
	put(rec, scratch, "ARC-Result-Code", line.result);
	put(rec, scratch, "ARC-Checksum", line.checksum);
	put(rec, scratch, "Location", line.location);
	put(rec, scratch, "ARC-Offset", line.offset);
	put(rec, scratch, "ARC-Filename", line.filename);
	rec->fields = scratch->fields;
}

void arc_type(struct record *rec, struct str block_start)
{
	if (rec->type == RECORD_WARCINFO) {
		/* "1 1 InternetArchive": the version of the lines that follow */
		if (block_start.n > 2 && ascii_digit(block_start.p[0]) && block_start.p[1] == ' ') {
			rec->version_major = (unsigned)(block_start.p[0] - '0');
			rec->version_minor = ascii_digit(block_start.p[2]) ? (unsigned)(block_start.p[2] - '0') : 0;
		}
		return;
	}
	if (!str_istarts(block_start, STR("HTTP"))) {
		rec->type = RECORD_RESOURCE;
		rec->type_text = str(record_type_name(RECORD_RESOURCE));
	}
}

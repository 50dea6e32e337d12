/* archive/http.c -- see http.h. */
#include "archive/http.h"

#include "base/mem.h"

void http_scratch_release(struct http_scratch *s)
{
	mem_free(s->fields);
	arena_release(&s->arena);
	*s = (struct http_scratch){ 0 };
}

/* The line at the start of s without its end; *next gets where the following begins. */
static struct str line_at(struct str s, size_t from, size_t *next, bool *lf)
{
	const char *nl = memchr(s.p + from, '\n', s.n - from);
	size_t end = nl ? (size_t)(nl - s.p) : s.n;

	*next = nl ? end + 1 : s.n;
	*lf = nl && (end == from || s.p[end - 1] != '\r');
	while (end > from && s.p[end - 1] == '\r')
		end--;
	return str_n(s.p + from, end - from);
}

size_t http_head_size(struct str data, bool all)
{
	size_t at = 0;

	while (at < data.n && (data.p[at] == '\r' || data.p[at] == '\n'))
		at++; /* line ends before the head are no head */
	while (at < data.n) {
		const char *nl = memchr(data.p + at, '\n', data.n - at);

		if (!nl)
			break;
		size_t end = (size_t)(nl - data.p), bare = end;

		while (bare > at && data.p[bare - 1] == '\r')
			bare--;
		if (bare == at)
			return end + 1;
		at = end + 1;
	}
	return all ? data.n : 0;
}

/* "1.1", "2": how far it was read. */
static size_t parse_version(struct str s, struct http_head *head)
{
	size_t i = 0;

	while (i < s.n && ascii_digit(s.p[i]) && i < 3)
		head->major = head->major * 10 + (unsigned)(s.p[i++] - '0');
	if (i && i < s.n && s.p[i] == '.') {
		i++;
		for (size_t from = i; i < s.n && ascii_digit(s.p[i]) && i - from < 3;)
			head->minor = head->minor * 10 + (unsigned)(s.p[i++] - '0');
	}
	return i;
}

static bool parse_status_line(struct http_head *head, struct str line, struct flaws *flaws, uint64_t at)
{
	bool http = str_istarts(line, STR("HTTP"));
	struct str rest = str_sub(line, http ? 4 : 3, line.n); /* ICY: servers of audio streams */

	if ((!http && !str_starts(line, STR("ICY "))) ||
	    (rest.n && rest.p[0] != '/' && rest.p[0] != ' ' && rest.p[0] != '\t'))
		return false;
	if (rest.n && rest.p[0] == '/') {
		size_t used = parse_version(str_sub(rest, 1, rest.n), head);

		rest = str_sub(rest, 1 + used, rest.n);
	}
	rest = str_trim(rest);
	size_t n = 0;

	while (n < rest.n && ascii_digit(rest.p[n]))
		n++;
	uint64_t status;

	if (n && n <= 4 && str_u64(str_sub(rest, 0, n), &status))
		head->status = (int)status;
	head->reason = str_trim(str_sub(rest, n, rest.n));
	if (flaws && (n != 3 || head->status < 100))
		flaw_add(flaws, FLAW_HTTP_STATUS, at, "%.*s", (int)(line.n < 80 ? line.n : 80), line.p);
	return true;
}

static bool parse_request_line(struct http_head *head, struct str line)
{
	struct str rest = line, method = str_cut(&rest, ' ');

	if (method.n == 0 || method.n > 32 || rest.n == 0)
		return false;
	for (size_t i = 0; i < method.n; i++)
		if (!ascii_alpha(method.p[i]) && method.p[i] != '-' && method.p[i] != '_')
			return false;
	ptrdiff_t space = str_rchr(rest, ' ');

	head->request = true;
	head->method = method;
	head->target = str_trim(rest);
	if (space >= 0 && str_istarts(str_sub(rest, (size_t)space + 1, rest.n), STR("HTTP/"))) {
		head->target = str_trim(str_sub(rest, 0, (size_t)space));
		parse_version(str_sub(rest, (size_t)space + 6, rest.n), head);
	}
	return true;
}

static struct field *new_field(struct http_scratch *s, unsigned n)
{
	if (n >= LIMIT_FIELDS)
		return NULL;
	if (n >= s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->fields = mem_rearray(s->fields, s->cap, sizeof *s->fields);
	}
	return &s->fields[n];
}

/* The fields everyone asks for. */
static void note_field(struct http_head *head, const struct field *f)
{
	static const struct {
		const char *name;
		size_t n, at;
	} wanted[] = {
		{ "Content-Type", 12, offsetof(struct http_head, content_type) },
		{ "Content-Encoding", 16, offsetof(struct http_head, content_encoding) },
		{ "Transfer-Encoding", 17, offsetof(struct http_head, transfer_encoding) },
		{ "Location", 8, offsetof(struct http_head, location) },
		{ "Content-Length", 14, offsetof(struct http_head, content_length) },
	};

	for (size_t i = 0; i < COUNT(wanted); i++) {
		if (f->name.n != wanted[i].n || (memcmp(f->name.p, wanted[i].name, wanted[i].n) != 0 &&
						 !str_ieq(f->name, str_n(wanted[i].name, wanted[i].n))))
			continue;
		struct str *to = (struct str *)(void *)((char *)head + wanted[i].at);

		if (!to->p)
			*to = f->value;
	}
}

static void parse_fields(struct http_head *head, struct str data, size_t at, struct http_scratch *scratch,
			 struct flaws *flaws, uint64_t offset)
{
	bool lf = false, folded = false, odd = false, full = false, one;
	struct unfolding unfolding = { 0 };
	size_t next;

	while (at < head->size) {
		struct str line = line_at(str_n(data.p, head->size), at, &next, &one);

		lf |= one;
		at = next;
		if (line.n == 0)
			continue;
		if ((line.p[0] == ' ' || line.p[0] == '\t') && head->nfields) {
			struct field *last = &scratch->fields[head->nfields - 1];

			last->value = field_unfold(&scratch->arena, &unfolding, last->value, str_trim(line));
			folded = true;
			continue;
		}
		const char *colon = memchr(line.p, ':', line.n);
		struct str name = str_trim(str_n(line.p, colon ? (size_t)(colon - line.p) : line.n));

		odd |= !colon || !name.n;
		struct field *f = new_field(scratch, head->nfields);

		if (!f) {
			full = true;
			break;
		}
		*f = (struct field){ name, colon ? str_trim(str_n(colon + 1, (size_t)(line.p + line.n - colon - 1)))
						 : STR("") };
		head->nfields++;
	}
	head->fields = scratch->fields;
	for (unsigned i = 0; i < head->nfields; i++)
		note_field(head, &head->fields[i]);
	if (!flaws)
		return;
	if (lf)
		flaw_add(flaws, FLAW_HTTP_LINE_END, offset, "in the HTTP head");
	if (folded)
		flaw_add(flaws, FLAW_HTTP_FOLDED, offset, "in the HTTP head");
	if (odd)
		flaw_add(flaws, FLAW_HTTP_FIELD, offset, "a line without a name or a colon");
	if (full)
		flaw_add(flaws, FLAW_TOO_MANY_FIELDS, offset, "more than %d in the HTTP head", LIMIT_FIELDS);
}

enum http_kind http_kind_of(enum record_type type)
{
	switch (type) {
	case RECORD_RESPONSE:
	case RECORD_REVISIT: return HTTP_RESPONSE;
	case RECORD_REQUEST: return HTTP_REQUEST;
	default: return HTTP_EITHER;
	}
}

bool http_parse(struct http_head *head, enum http_kind kind, struct str data, struct http_scratch *scratch,
		struct flaws *flaws, uint64_t at)
{
	size_t start = 0, next;
	bool lf; /* of the first line; that of the fields is what counts */

	*head = (struct http_head){ 0 };
	arena_reset(&scratch->arena);
	while (start < data.n && start < 8 && (data.p[start] == '\r' || data.p[start] == '\n'))
		start++;
	if (start == data.n)
		return false;
	struct str line = line_at(data, start, &next, &lf);

	if ((kind == HTTP_REQUEST || !parse_status_line(head, line, flaws, at)) &&
	    (kind == HTTP_RESPONSE || !parse_request_line(head, line))) {
		*head = (struct http_head){ 0 };
		return false;
	}
	head->size = http_head_size(data, false);
	if (!head->size) {
		head->size = data.n;
		if (flaws)
			flaw_add(flaws, FLAW_HTTP_TRUNCATED, at, "after %zu bytes", data.n);
	}
	parse_fields(head, data, next < head->size ? next : head->size, scratch, flaws, at);
	return true;
}

struct str http_mime(struct str content_type)
{
	struct str s = str_trim(content_type);

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ';' || ascii_space(s.p[i]))
			return str_sub(s, 0, i);
	return s;
}

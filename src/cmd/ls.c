/* cmd/ls.c -- winnow ls: the captures of a collection, as rows. */
#include <stdio.h>
#include <stdlib.h>

#include "archive/stamp.h"
#include "base/limits.h"
#include "base/map.h"
#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/covers.h"

struct args {
	const char *where, *sort, *cover;
	uint64_t limit;
};

static const struct opt opts[] = {
	{ "where", 'w', OPT_TEXT, "EXPR", "only captures for which EXPR is true", offsetof(struct args, where) },
	{ "cover", 0, OPT_TEXT, "ID", "only what this cover keeps", offsetof(struct args, cover) },
	{ "sort", 0, OPT_TEXT, "FIELD", "by this field (a minus in front: backward); default urlkey, then time",
	  offsetof(struct args, sort) },
	{ "limit", 'n', OPT_COUNT, "N", "at most N rows", offsetof(struct args, limit) },
	{ 0 },
};

enum { FIELDS_MOST = 64 };

struct field {
	const char *name;
	void (*put)(struct listing *l, const struct capture *c);
};

static void hex(struct listing *l, struct str bytes)
{
	char text[64];
	size_t n = bytes.n < 32 ? bytes.n : 32;

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = "0123456789abcdef"[(unsigned char)bytes.p[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[(unsigned char)bytes.p[i] & 15];
	}
	listing_text(l, str_n(text, 2 * n));
}

static void time_text(struct listing *l, int64_t t)
{
	char text[21];

	if (t == CAPTURE_NO_TIME)
		listing_none(l);
	else
		listing_text(l, stamp_rfc3339(t, text));
}

static void number_or_none(struct listing *l, uint64_t v) { v ? listing_u64(l, v) : listing_none(l); }

#define TEXT(field) \
	static void put_##field(struct listing *l, const struct capture *c) { listing_text(l, c->field); }
/* clang-format off */
TEXT(url) TEXT(urlkey) TEXT(host) TEXT(domain) TEXT(mime) TEXT(title) TEXT(lang) TEXT(charset) TEXT(payload_digest) TEXT(via)

static void put_id(struct listing *l, const struct capture *c) { listing_u64(l, c->id); }
/* clang-format on */
static void put_time(struct listing *l, const struct capture *c) { time_text(l, c->time); }
static void put_stamp(struct listing *l, const struct capture *c)
{
	char text[15];

	listing_text(l, stamp_14(c->time, text));
}
static void put_status(struct listing *l, const struct capture *c)
{
	c->status == CAPTURE_NO_STATUS ? listing_none(l) : listing_i64(l, c->status);
}
static void put_bytes(struct listing *l, const struct capture *c) { listing_u64(l, c->bytes); }
static void put_words(struct listing *l, const struct capture *c)
{
	c->content ? listing_u64(l, c->words) : listing_none(l);
}
static void put_shingles(struct listing *l, const struct capture *c)
{
	c->content ? listing_u64(l, c->shingles) : listing_none(l);
}
static void put_digest(struct listing *l, const struct capture *c) { hex(l, c->digest); }
static void put_content(struct listing *l, const struct capture *c) { number_or_none(l, c->content); }
static void put_published(struct listing *l, const struct capture *c) { time_text(l, c->published); }
static void put_file(struct listing *l, const struct capture *c) { listing_text(l, c->file_name); }
static void put_offset(struct listing *l, const struct capture *c) { listing_u64(l, c->at); }
static void put_length(struct listing *l, const struct capture *c) { listing_u64(l, c->length); }
static void put_crawl(struct listing *l, const struct capture *c) { listing_text(l, c->crawl_name); }
static void put_kind(struct listing *l, const struct capture *c) { listing_text(l, str(capture_kind_name(c->kind))); }
static void put_original(struct listing *l, const struct capture *c) { number_or_none(l, c->original); }
static void put_type(struct listing *l, const struct capture *c) { listing_text(l, c->declared); }
static void put_redirect(struct listing *l, const struct capture *c) { listing_text(l, c->redirect); }

/* clang-format off */
static const struct field fields[] = {
	{ "id", put_id }, { "url", put_url }, { "urlkey", put_urlkey }, { "time", put_time }, { "stamp", put_stamp }, { "host", put_host },
	{ "domain", put_domain }, { "mime", put_mime }, { "status", put_status }, { "title", put_title }, { "lang", put_lang },
	{ "charset", put_charset }, { "bytes", put_bytes }, { "words", put_words }, { "shingles", put_shingles }, { "digest", put_digest },
	{ "payload_digest", put_payload_digest }, { "content", put_content }, { "published", put_published }, { "file", put_file },
	{ "offset", put_offset }, { "length", put_length }, { "via", put_via }, { "crawl", put_crawl }, { "kind", put_kind },
	{ "original", put_original }, { "type", put_type }, { "redirect", put_redirect },
};
/* clang-format on */

/* A column of the listing: a field of the capture, or an imported attribute. */
struct column_of {
	const struct field *field;
	unsigned attr;
	const char *name;
};

static int find_column(struct cmd_run *run, const struct rule_env *env, struct str name, struct column_of *out)
{
	const char *names[COUNT(fields)], *near;

	for (size_t i = 0; i < COUNT(fields); i++) {
		names[i] = fields[i].name;
		if (str_eq(str(fields[i].name), name)) {
			*out = (struct column_of){ &fields[i], 0, fields[i].name };
			return WN_OK;
		}
	}
	for (size_t i = 0; i < env->n_user; i++)
		if (str_eq(env->user[i].name, name)) {
			*out = (struct column_of){ NULL, (unsigned)(ATTR_USER + i), arena_strz(&run->arena, name) };
			return WN_OK;
		}
	near = opt_nearest(arena_strz(&run->arena, name), names, COUNT(names));
	return err_set(&run->err, WN_USAGE, "there is no field '%.*s'%s%s%s", STR_FMT(name),
		       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int columns_wanted(struct cmd_run *run, const struct rule_env *env, const char *list, struct column_of *out,
			  size_t *n)
{
	struct str rest = str(list);
	int rc;

	*n = 0;
	while (rest.p) {
		struct str name = str_trim(str_cut(&rest, ','));

		if (name.n == 0)
			continue;
		if (*n == FIELDS_MOST)
			return err_set(&run->err, WN_USAGE, "more than %d fields", FIELDS_MOST);
		if ((rc = find_column(run, env, name, &out[*n])) < 0)
			return rc;
		++*n;
	}
	return *n ? WN_OK : err_set(&run->err, WN_USAGE, "--fields names no field");
}

static void put_attribute(struct listing *l, const struct columns *cols, unsigned attr, size_t doc)
{
	const struct column *col = cols->col[attr];
	char text[32];

	if (col->type == TYPE_TEXT) {
		struct str s = columns_str(cols, col, doc);

		s.p ? listing_text(l, s) : listing_none(l);
	} else if (col->num[doc] != col->num[doc]) {
		listing_none(l);
	} else if (col->type == TYPE_TIME) {
		time_text(l, (int64_t)col->num[doc]);
	} else {
		snprintf(text, sizeof text, "%.15g", col->num[doc]);
		listing_number(l, str(text));
	}
}

enum { SORT_BY_ID = -1, SORT_BY_PLACE = -2 }; /* beside attributes; by place: as they come */

struct order {
	const uint64_t *id; /* NULL: by col */
	const struct column *col;
	bool backward;
};

static int by_column(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int d;

	if (o->id)
		d = (o->id[x] > o->id[y]) - (o->id[x] < o->id[y]);
	else if (o->col->type == TYPE_TEXT)
		d = (o->col->id[x] > o->col->id[y]) - (o->col->id[x] < o->col->id[y]);
	else /* missing values last */
		d = o->col->num[x] != o->col->num[x]
			? (o->col->num[y] == o->col->num[y])
			: (o->col->num[x] > o->col->num[y]) - (o->col->num[x] < o->col->num[y]);
	if (d)
		return o->backward ? -d : d;
	return x < y ? -1 : x > y;
}

static int sort_rows(struct cmd_run *run, const struct selection *s, int by, bool backward, uint32_t *rows)
{
	struct order o = { .backward = backward };

	if (by == SORT_BY_ID)
		o.id = s->id;
	else if (!(o.col = s->columns.col[by]))
		return err_set(&run->err, WN_USAGE, "rows cannot be sorted by this field");
	qsort_r(rows, s->n, sizeof *rows, by_column, &o);
	return WN_OK;
}

static int sort_attribute(struct cmd_run *run, const struct rule_env *env, const char *sort, int *by, bool *backward)
{
	struct str name = str(sort);
	unsigned attr = 0;
	size_t n;
	int rc;

	*backward = name.n && name.p[0] == '-';
	if (*backward)
		name = str_sub(name, 1, name.n);
	if (str_eq(name, STR("stamp")))
		name = STR("time");
	if (str_eq(name, STR("id"))) {
		*by = SORT_BY_ID;
		return WN_OK;
	}
	if ((rc = attrs_parse(name, env, &attr, 1, &n, &run->err)) >= 0)
		*by = (int)attr;
	return rc;
}

static int list(struct cmd_run *run, struct collection *coll, const struct selection *s, const uint32_t *rows,
		const struct column_of *columns, size_t n, const uint8_t *kept)
{
	struct args *a = run->args;
	const char *names[FIELDS_MOST];
	struct cmd_run plain = *run;
	struct listing l;
	uint64_t shown = 0;
	int rc = WN_OK;

	for (size_t i = 0; i < n; i++)
		names[i] = columns[i].name;
	plain.common.fields = NULL; /* the columns are chosen already */
	listing_open(&l, &plain, names, n);
	for (size_t i = 0; i < s->n && rc == WN_OK && !(a->limit && shown == a->limit); i++) {
		struct arena arena = { 0 };
		struct capture c;

		if (kept && !kept[rows[i]])
			continue;
		shown++;
		if ((rc = catalog_capture(coll->catalog, &arena, s->id[rows[i]], &c, &run->err)) == WN_OK) {
			for (size_t k = 0; k < n; k++)
				columns[k].field ? columns[k].field->put(&l, &c)
						 : put_attribute(&l, &s->columns, columns[k].attr, rows[i]);
			listing_row(&l);
		}
		arena_release(&arena);
	}
	listing_close(&l);
	return rc == WN_OK && shown == 0 && (a->where || a->cover) ? EXIT_FINDINGS : rc;
}

/* Which of the selected captures the cover keeps. */
static int kept_by(struct cmd_run *run, struct collection *coll, const struct selection *s, uint8_t **out)
{
	struct args *a = run->args;
	struct cover_row row;
	struct cover_member *m;
	struct map kept = { 0 };
	size_t n;
	int rc;

	if ((rc = cmd_read_cover(run, coll, a->cover, &row)) < 0 ||
	    (rc = covers_members(coll, &run->arena, row.id, &m, &n, &run->err)) < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (m[i].kept)
			map_put(&kept, m[i].id, 1);
	*out = mem_zarray(s->n + 1, 1);
	for (size_t d = 0; d < s->n; d++)
		(*out)[d] = map_get(&kept, s->id[d]) != NULL;
	map_release(&kept);
	return WN_OK;
}

static int run(struct cmd_run *run, struct collection *coll)
{
	struct args *a = run->args;
	struct selection_request q = { .captures = true };
	struct selection s = { 0 };
	struct column_of columns[FIELDS_MOST];
	struct rule_env env;
	struct rule *where = NULL;
	int sort_by = SORT_BY_PLACE;
	uint32_t *rows = NULL;
	uint8_t *kept = NULL;
	bool backward = false;
	size_t n;
	int rc;

	if ((rc = selection_env(coll, &run->arena, RULE_SELECTION, &env, &run->err)) < 0 ||
	    (rc = columns_wanted(run, &env,
				 run->common.fields ? run->common.fields : "id,time,status,mime,lang,words,url,title",
				 columns, &n)) < 0)
		return rc;
	if (a->where && (rc = rule_parse(&run->arena, str(a->where), &env, &where, &run->err)) < 0)
		return rc;
	if (a->sort && (rc = sort_attribute(run, &env, a->sort, &sort_by, &backward)) < 0)
		return rc;
	q.where = where;
	if (sort_by >= 0)
		q.needs[sort_by] = true;
	for (size_t i = 0; i < n; i++)
		if (!columns[i].field)
			q.needs[columns[i].attr] = true;
	if ((rc = selection_load(&s, coll, &q, &run->err)) < 0)
		return rc;
	rows = mem_array(s.n + 1, sizeof *rows);
	for (size_t i = 0; i < s.n; i++)
		rows[i] = (uint32_t)i;
	if (a->cover)
		rc = kept_by(run, coll, &s, &kept);
	if (rc == WN_OK && sort_by != SORT_BY_PLACE)
		rc = sort_rows(run, &s, sort_by, backward, rows);
	if (rc == WN_OK)
		rc = list(run, coll, &s, rows, columns, n, kept);
	mem_free(kept);
	mem_free(rows);
	selection_release(&s);
	return rc;
}

static const struct cmd_example examples[] = {
	{ "winnow ls sample --limit 5", "the first captures by URL and time" },
	{ "winnow ls sample --where \"lang = 'de' and words > 20\" --fields time,url,title",
	  "German pages with some text" },
	{ "winnow ls sample --sort -words --limit 3 --fields words,url", "the longest documents" },
	{ 0 },
};

const struct cmd cmd_ls = {
	.name = "ls",
	.args = "COLL",
	.summary = "list captures",
	.group = GROUP_LOOK,
	.coll_first = true,
	.listing = true,
	.min_args = 1,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.read = run,
	.examples = examples,
	.prose =
	    "Lists captures, by URL and time unless --sort says otherwise.\n\n"
	    "Fields: id url urlkey time stamp host domain mime status title lang charset bytes words shingles digest payload_digest content published file "
	    "offset length via crawl kind original type redirect, and imported attributes. digest is of the decoded payload, payload_digest the WARC's. EXPR is "
	    "described by 'winnow help rules'.",
};

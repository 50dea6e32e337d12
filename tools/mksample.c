/* tools/mksample.c -- mksample PAGES OUTDIR: writes the bundled sample as WARC files.
 *
 * PAGES says what it holds; its first lines explain the form.  The same input
 * gives the same bytes: record ids come from a counter, times from the file.
 */
#include <iconv.h>
#include <stdio.h>

#include "archive/digest.h"
#include "archive/stamp.h"
#include "archive/writer.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"

struct made { /* the last capture of a URL */
	struct str block, digest, id;
	int64_t time;
};

struct maker {
	struct arena arena;
	struct writer *w;
	const char *outdir;
	struct str site;
	struct intern urls;
	VEC(struct made) last; /* by url */
	struct err err;
	unsigned files;
};

static void must(struct maker *m, int rc)
{
	if (rc < 0)
		die("mksample: %s", m->err.text);
}

static struct str option(struct str line, const char *key)
{
	size_t n = strlen(key);

	while (line.p) {
		struct str word = str_cut(&line, ' ');

		if (word.n > n && word.p[n] == '=' && memcmp(word.p, key, n) == 0)
			return str_sub(word, n + 1, word.n);
	}
	return STR_NONE;
}

static int64_t time_of(struct str stamp)
{
	struct stamp t;

	if (!stamp_parse_digits(stamp, &t))
		die("mksample: '%.*s' is no stamp", STR_FMT(stamp));
	return t.time;
}

static void begin_crawl(struct maker *m, struct str name)
{
	const char *path = arena_printf(&m->arena, "%s/sample-%.*s.warc.gz", m->outdir, STR_FMT(name)).p;
	struct str fields = arena_printf(
	    &m->arena,
	    "software: mksample\r\nformat: WARC File Format 1.1\r\nisPartOf: %.*s\r\noperator: the winnow project\r\n",
	    STR_FMT(name));
	struct writer_options o = { .coding = WRITER_GZIP, .whole_or_nothing = true, .id_seed = ++m->files };

	if (m->w)
		must(m, writer_close(m->w, &m->err));
	must(m, writer_open(&m->w, path, &o, &m->err));
	must(m, writer_info(m->w, strrchr(path, '/') + 1, time_of(STR("20100101000000")), fields, &m->err));
}

/* Text in another charset. */
static struct str encode(struct maker *m, struct str text, struct str charset)
{
	iconv_t cd = iconv_open(arena_strz(&m->arena, charset), "UTF-8");
	char *in = arena_strz(&m->arena, text), *out = arena_alloc(&m->arena, text.n * 4 + 16), *to = out;
	size_t left = text.n, room = text.n * 4 + 16;

	if (cd == (iconv_t)-1 || iconv(cd, &in, &left, &to, &room) == (size_t)-1)
		die("mksample: a page cannot be written in %.*s", STR_FMT(charset));
	iconv_close(cd);
	return str_n(out, (size_t)(to - out));
}

static struct str framed(struct maker *m, struct str body, struct str title, struct str lang, struct str charset)
{
	char *shown = arena_strz(&m->arena, title);

	for (char *p = shown; *p; p++)
		if (*p == '_')
			*p = ' ';
	return arena_printf(
	    &m->arena,
	    "<!doctype html>\n<html lang=\"%.*s\"><head><meta charset=\"%.*s\"><title>%s</title></head>\n<body>\n"
	    "<nav><a href=\"/\">Home</a> <a href=\"/ferry.html\">Ferry</a> <a href=\"http://gazette.example/\">Gazette</a></nav>\n<main>\n%.*s</main>\n"
	    "<footer><p>%.*s, by its readers. <a href=\"/imprint\" rel=\"nofollow\">Imprint</a></p></footer>\n</body></html>\n",
	    STR_FMT(lang), STR_FMT(charset), shown, STR_FMT(body), STR_FMT(m->site));
}

static struct str http_response(struct maker *m, struct str args, struct str body, struct str charset, int64_t time)
{
	struct str status = option(args, "status"), type = option(args, "type"), location = option(args, "location");
	struct buf b = BUF(1 * MIB);
	struct str out;
	char date[30];

	buf_printf(&b, "HTTP/1.1 %.*s\r\nDate: %s\r\nContent-Type: ", STR_FMT(status.n ? status : STR("200 OK")),
		   stamp_http(time, date).p);
	if (type.n)
		buf_str(&b, type);
	else
		buf_printf(&b, "text/html; charset=%.*s", STR_FMT(charset));
	if (location.n)
		buf_printf(&b, "\r\nLocation: %.*s", STR_FMT(location));
	buf_printf(&b, "\r\nContent-Length: %zu\r\n\r\n", body.n);
	buf_str(&b, body);
	out = arena_str(&m->arena, buf_view(&b));
	buf_release(&b);
	return out;
}

static struct made *remembered(struct maker *m, struct str url)
{
	uint32_t id = intern_id(&m->urls, url);

	while (m->last.n <= id)
		vec_push(&m->last, ((struct made){ .digest = STR_NONE }));
	return &m->last.p[id];
}

static void write_page(struct maker *m, struct str url, int64_t time, struct str args, struct str text)
{
	struct str charset = option(args, "charset"), title = option(args, "title"), lang = option(args, "lang"), body;
	struct made *last = remembered(m, url);
	struct digest digest;
	char digest_text[DIGEST_TEXT];

	if (!charset.n)
		charset = STR("utf-8");
	body =
	    option(args, "file").n ? text : framed(m, text, title.n ? title : url, lang.n ? lang : STR("en"), charset);
	if (!str_eq(charset, STR("utf-8")))
		body = encode(m, body, charset);
	digest_of(DIGEST_SHA1, body, &digest);
	digest_write(&digest, digest_text);
	last->time = time;
	last->digest = arena_str(&m->arena, str(digest_text));
	last->block = http_response(m, args, body, charset, time);
	must(m, writer_record(m->w,
			      &(struct writer_head){ .type = RECORD_RESPONSE,
						     .target_uri = url,
						     .time = time,
						     .payload_digest = last->digest,
						     .content_type = STR("application/http; msgtype=response") },
			      last->block, NULL, &m->err));
	last->id = arena_str(&m->arena, writer_last_id(m->w));
}

static void write_revisit(struct maker *m, struct str url, int64_t time)
{
	struct made *last = remembered(m, url);
	ptrdiff_t head = str_find(last->block, STR("\r\n\r\n"));
	char date[21];

	if (head < 0)
		die("mksample: @same before any @page of %.*s", STR_FMT(url));
	must(m, writer_record(m->w,
			      &(struct writer_head){ .type = RECORD_REVISIT,
						     .target_uri = url,
						     .time = time,
						     .payload_digest = last->digest,
						     .content_type = STR("application/http; msgtype=response"),
						     .profile = STR(WARC_REVISIT_IDENTICAL),
						     .refers_to = last->id,
						     .refers_to_uri = url,
						     .refers_to_date = stamp_rfc3339(last->time, date) },
			      str_sub(last->block, 0, (size_t)head + 4), NULL, &m->err));
}

static void directive(struct maker *m, struct str line, struct str text)
{
	struct str verb = str_cut(&line, ' '), first = str_cut(&line, ' '), stamp;

	if (str_eq(verb, STR("@crawl"))) {
		begin_crawl(m, first);
	} else if (str_eq(verb, STR("@site"))) {
		m->site = first;
	} else {
		stamp = str_cut(&line, ' ');
		if (str_eq(verb, STR("@page")))
			write_page(m, first, time_of(stamp), line, text);
		else if (str_eq(verb, STR("@same")))
			write_revisit(m, first, time_of(stamp));
		else
			die("mksample: what is %.*s?", STR_FMT(verb));
	}
}

int main(int argc, char **argv)
{
	struct maker m = { 0 };
	struct str all, line, pending = STR_NONE;
	const char *from = NULL, *at;

	if (argc != 3)
		die("usage: mksample PAGES OUTDIR");
	m.outdir = argv[2];
	must(&m, os_slurp(&m.arena, argv[1], 16 * MIB, &all, &m.err));
	at = all.p;
	while (all.p) {
		at = all.p;
		line = str_cut(&all, '\n');
		if (line.n == 0 || (line.p[0] == '#' && !pending.n) || line.p[0] != '@')
			continue;
		if (pending.n)
			directive(&m, pending, str_n(from, (size_t)(at - from)));
		pending = line;
		from = all.p ? all.p : line.p + line.n;
	}
	if (pending.n)
		directive(&m, pending, str_n(from, (size_t)(line.p + line.n - from)));
	must(&m, writer_close(m.w, &m.err));
	intern_release(&m.urls);
	vec_release(&m.last);
	arena_release(&m.arena);
	return 0;
}

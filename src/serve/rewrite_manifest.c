/* serve/rewrite_manifest.c -- lists of what belongs together: HLS playlists, manifests of web applications. */
#include "base/json.h"
#include "serve/rewrite.h"

static void hls_tag(struct rewriter *w, struct str line, struct buf *out)
{
	static const struct str name = STR("URI=\"");

	for (ptrdiff_t at; (at = str_find(line, name)) >= 0;) {
		struct str value = str_sub(line, (size_t)at + name.n, line.n);
		ptrdiff_t end = str_chr(value, '"');

		buf_str(out, str_sub(line, 0, (size_t)at + name.n));
		line = end < 0 ? STR_NONE : str_sub(value, (size_t)end, value.n);
		rewrite_lead(w, end < 0 ? value : str_sub(value, 0, (size_t)end), MOD_OE, out);
	}
	buf_str(out, line);
}

void rewrite_hls(struct rewriter *w, struct str lines, struct buf *out)
{
	while (lines.n) {
		ptrdiff_t nl = str_chr(lines, '\n');
		struct str line = nl < 0 ? lines : str_sub(lines, 0, (size_t)nl), bare = str_trim(line);

		if (bare.n && bare.p[0] != '#')
			rewrite_lead(w, line, MOD_OE, out);
		else
			hls_tag(w, line, out);
		if (nl >= 0)
			buf_byte(out, '\n');
		lines = nl < 0 ? STR_NONE : str_sub(lines, (size_t)nl + 1, lines.n);
	}
}

/* ---- web applications ---- */

static const struct {
	const char *key;
	enum modifier mod;
} members[] = {
	{ "src", MOD_IM }, { "start_url", MOD_MP }, { "scope", MOD_MP },
	{ "url", MOD_MP }, { "action", MOD_MP },    { "new_note_url", MOD_MP },
};

static size_t string_end(struct str s, size_t at) /* behind the closing quote */
{
	for (at++; at < s.n && s.p[at] != '"'; at++)
		at += s.p[at] == '\\';
	return at < s.n ? at + 1 : s.n;
}

/* The string at `text`, with its quotes, as the value of key; false: it is none that leads anywhere. */
static bool app_member(struct rewriter *w, struct str key, struct str text, struct buf *out)
{
	struct json_value *v;
	struct buf to = BUF(out->max);
	bool changed = false;

	for (size_t i = 0; i < COUNT(members); i++) {
		if (!str_eq(key, str(members[i].key)) || json_parse(w->arena, text, &v, NULL) < 0)
			continue;
		rewrite_lead(w, v->text, members[i].mod, &to);
		changed = !str_eq(buf_view(&to), v->text);
		if (changed)
			json_quote(out, buf_view(&to));
	}
	buf_release(&to);
	return changed;
}

/* No tree: whatever is no reference keeps its bytes, and what is no JSON is copied. */
void rewrite_app(struct rewriter *w, struct str json, struct buf *out)
{
	struct str key = STR_NONE;
	size_t from = 0;

	for (size_t at = 0; at < json.n; at++) {
		size_t end, next;

		if (strchr(",{}[]", json.p[at]))
			key = STR_NONE;
		if (json.p[at] != '"')
			continue;
		next = end = string_end(json, at);
		while (next < json.n && ascii_space(json.p[next]))
			next++;
		if (next < json.n && json.p[next] == ':') {
			key = str_sub(json, at + 1, end - 1); /* escapes stay: no name below has any */
		} else if (key.n) {
			buf_str(out, str_sub(json, from, at));
			from = app_member(w, key, str_sub(json, at, end), out) ? end : at;
		}
		at = end - 1;
	}
	buf_str(out, str_sub(json, from, json.n));
}

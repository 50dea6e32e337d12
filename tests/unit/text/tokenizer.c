/* The tokenizer against html5lib's suite, in every initial state, whole and in
 * pieces, with and without errors, with and without the bulk path; and against
 * itself on random markup. */
#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/utf8.h"
#include "test.h"
#include "text/entity.h"
#include "text/html.h"
#include "text/scan.h"

struct seen {
	struct buf tokens, errors, text;
};

static void add_str(struct buf *b, struct str s)
{
	buf_printf(b, "%zu:", s.n);
	buf_str(b, s);
	buf_byte(b, ' ');
}

static void flush_text(struct seen *s)
{
	if (s->text.n) {
		buf_str(&s->tokens, STR("C "));
		add_str(&s->tokens, buf_view(&s->text));
		buf_byte(&s->tokens, '\n');
		buf_reset(&s->text);
	}
}

static void sink(void *context, const struct html_token *t)
{
	struct seen *s = context;

	if (t->type == HTML_TEXT) {
		buf_str(&s->text, t->text);
		return;
	}
	flush_text(s);
	if (t->type == HTML_EOF)
		return;
	buf_byte(&s->tokens, "CSEMD"[t->type]);
	add_str(&s->tokens, t->text);
	if (t->type == HTML_DOCTYPE) {
		if (t->has_public)
			add_str(&s->tokens, t->public_id);
		buf_byte(&s->tokens, '|');
		if (t->has_system)
			add_str(&s->tokens, t->system_id);
		buf_printf(&s->tokens, "|%d", !t->force_quirks);
	}
	for (size_t i = 0; i < t->nattrs; i++) {
		add_str(&s->tokens, t->attrs[i].name);
		add_str(&s->tokens, t->attrs[i].value);
	}
	if (t->self_closing)
		buf_byte(&s->tokens, '/');
	buf_byte(&s->tokens, '\n');
}

static void error_sink(void *context, const char *code)
{
	struct seen *s = context;

	buf_printf(&s->errors, "%s\n", code);
}

enum chunking { WHOLE, BYTES, RANDOM, CHUNKINGS };

static void tokenize(struct test *t, struct str input, enum html_model model, struct str last, bool errors, bool bulk,
		     enum chunking how, struct seen *out)
{
	struct html *h = html_new(sink, out);

	buf_reset(&out->tokens);
	buf_reset(&out->errors);
	buf_reset(&out->text);
	if (errors)
		html_errors(h, error_sink);
	html_bulk(h, bulk);
	html_set_model(h, model);
	if (last.n)
		html_set_last_start(h, last);
	while (input.n) {
		size_t n = how == WHOLE ? input.n : how == BYTES ? 1 : 1 + test_below(t, 7);

		if (n > input.n)
			n = input.n;
		/* a piece of its own, so that a read past it is seen */
		char *piece = mem_alloc(n);

		memcpy(piece, input.p, n);
		html_feed(h, str_n(piece, n));
		mem_free(piece);
		input = str_n(input.p + n, input.n - n);
	}
	html_end(h);
	html_free(h);
}

/* \uHHHH in doubly escaped tests; surrogate pairs join, lone ones stay, as generalised UTF-8. */
static struct str unescape(struct arena *a, struct str s, bool twice)
{
	struct buf b = BUF(1 << 20);

	if (!twice)
		return s;
	for (size_t i = 0; i < s.n;) {
		if (i + 6 <= s.n && s.p[i] == '\\' && s.p[i + 1] == 'u') {
			uint32_t cp = 0;

			for (int k = 2; k < 6; k++)
				cp = cp * 16 + (uint32_t)hex_digit(s.p[i + k]);
			i += 6;
			if (cp >= 0xD800 && cp < 0xDC00 && i + 6 <= s.n && s.p[i] == '\\') {
				uint32_t low = 0;

				for (int k = 2; k < 6; k++)
					low = low * 16 + (uint32_t)hex_digit(s.p[i + k]);
				if (low >= 0xDC00 && low < 0xE000) {
					cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
					i += 6;
				}
			}
			if (cp >= 0xD800 && cp < 0xE000) {
				char out[3] = { (char)0xED, (char)(0x80 | (cp >> 6 & 0x3F)),
						(char)(0x80 | (cp & 0x3F)) };

				buf_add(&b, out, 3);
			} else {
				char out[4];

				buf_add(&b, out, utf8_encode(cp, out));
			}
		} else {
			buf_byte(&b, s.p[i++]);
		}
	}
	struct str out = arena_str(a, buf_view(&b));

	buf_release(&b);
	return out;
}

static struct str expected_tokens(struct arena *a, const struct json_value *output, bool twice)
{
	struct buf b = BUF(1 << 20);
	struct buf text = BUF(1 << 20);

	for (const struct json_value *tok = output->first;; tok = tok->next) {
		const struct json_value *v = tok ? tok->first : NULL;

		if (v && str_eq(v->text, STR("Character"))) {
			buf_str(&text, unescape(a, v->next->text, twice));
			continue;
		}
		if (text.n) {
			buf_str(&b, STR("C "));
			add_str(&b, buf_view(&text));
			buf_byte(&b, '\n');
			buf_reset(&text);
		}
		if (!tok)
			break;
		const struct json_value *name = v->next;

		if (str_eq(v->text, STR("Comment"))) {
			buf_byte(&b, 'M');
			add_str(&b, unescape(a, name->text, twice));
		} else if (str_eq(v->text, STR("EndTag"))) {
			buf_byte(&b, 'E');
			add_str(&b, unescape(a, name->text, twice));
		} else if (str_eq(v->text, STR("StartTag"))) {
			buf_byte(&b, 'S');
			add_str(&b, unescape(a, name->text, twice));
			for (const struct json_value *m = name->next->first; m; m = m->next) {
				add_str(&b, unescape(a, m->key, twice));
				add_str(&b, unescape(a, m->text, twice));
			}
			if (name->next->next && name->next->next->type == JSON_TRUE)
				buf_byte(&b, '/');
		} else if (str_eq(v->text, STR("DOCTYPE"))) {
			const struct json_value *public_id = name->next, *system_id = public_id->next;

			buf_byte(&b, 'D');
			add_str(&b, unescape(a, name->text, twice));
			if (public_id->type == JSON_STRING)
				add_str(&b, unescape(a, public_id->text, twice));
			buf_byte(&b, '|');
			if (system_id->type == JSON_STRING)
				add_str(&b, unescape(a, system_id->text, twice));
			buf_printf(&b, "|%d", system_id->next->type == JSON_TRUE);
		}
		buf_byte(&b, '\n');
	}
	struct str out = arena_str(a, buf_view(&b));

	buf_release(&b);
	buf_release(&text);
	return out;
}

static const struct {
	const char *name;
	enum html_model model;
} models[] = { { "Data state", HTML_DATA },	     { "PLAINTEXT state", HTML_PLAINTEXT },
	       { "RCDATA state", HTML_RCDATA },	     { "RAWTEXT state", HTML_RAWTEXT },
	       { "Script data state", HTML_SCRIPT }, { "CDATA section state", HTML_CDATA } };

/* One test in one state: every chunking, with errors (states), without (bulk), and without either. */
static bool run_case(struct test *t, const struct json_value *c, enum html_model model, struct seen *seen)
{
	bool twice = json_get(c, "doubleEscaped") && json_get(c, "doubleEscaped")->type == JSON_TRUE;
	struct str input = unescape(t->arena, json_text(c, "input"), twice), last = json_text(c, "lastStartTag");
	struct str want = expected_tokens(t->arena, json_get(c, "output"), twice);
	struct buf errors = BUF(1 << 20);
	bool ok = true;

	if (json_get(c, "errors"))
		for (const struct json_value *e = json_get(c, "errors")->first; e; e = e->next)
			buf_printf(&errors, "%.*s\n", STR_FMT(json_text(e, "code")));
	for (int mode = 0; mode < 3; mode++) {
		for (enum chunking how = 0; how < CHUNKINGS; how++) {
			tokenize(t, input, model, last, mode == 0, mode == 1, how, seen);
			ok &= CHECK_STR(buf_view(&seen->tokens), want, "%.*s: \"%.*s\" (mode %d, pieces %d)",
					STR_FMT(json_text(c, "description")), STR_FMT(input), mode, how);
			if (mode == 0)
				ok &= CHECK_STR(buf_view(&seen->errors), buf_view(&errors),
						"errors of %.*s: \"%.*s\" (pieces %d)",
						STR_FMT(json_text(c, "description")), STR_FMT(input), how);
		}
	}
	buf_release(&errors);
	return ok;
}

TEST_SUITE(tokenizer, agrees_with_html5lib)
{
	static const char *const files[] = {
		"contentModelFlags",	  "domjs", "entities", "escapeFlag", "namedEntities", "numericEntities",
		"pendingSpecChanges",	  "test1", "test2",    "test3",	     "test4",	      "unicodeChars",
		"unicodeCharsProblematic"
	};
	struct seen seen = { BUF(1 << 20), BUF(1 << 20), BUF(1 << 20) };
	unsigned runs = 0, good = 0;

	for (size_t f = 0; f < COUNT(files); f++) {
		char name[100];
		struct str text;
		struct json_value *v;
		struct err err = { 0 };

		snprintf(name, sizeof name, "suites/html5lib-tests/tokenizer/%s.test", files[f]);
		REQUIRE(os_slurp(t->arena, suite_path(t, name), 64 << 20, &text, &err) == WN_OK, "%s", err.text);
		REQUIRE(json_parse(t->arena, text, &v, &err) == WN_OK, "%s: %s", name, err.text);
		for (const struct json_value *c = json_get(v, "tests")->first; c; c = c->next) {
			const struct json_value *states = json_get(c, "initialStates");

			if (!states) {
				runs++;
				good += run_case(t, c, HTML_DATA, &seen);
				continue;
			}
			for (const struct json_value *s = states->first; s; s = s->next)
				for (size_t m = 0; m < COUNT(models); m++)
					if (str_eq(s->text, str(models[m].name))) {
						runs++;
						good += run_case(t, c, models[m].model, &seen);
					}
		}
	}
	printf("html5lib tokenizer: %u of %u runs\n", good, runs);
	CHECK_EQ(runs, 7032);
	buf_release(&seen.tokens);
	buf_release(&seen.errors);
	buf_release(&seen.text);
}

static struct str random_markup(struct test *t, size_t pieces)
{
	static const char *const bits[] = { "<",
					    ">",
					    "</",
					    "/>",
					    "<a ",
					    "<B",
					    " x=",
					    "=",
					    "\"",
					    "'",
					    "&",
					    "&amp;",
					    "&am",
					    "&notit;",
					    "&#x41",
					    "&#65;",
					    "&#",
					    ";",
					    "\r",
					    "\n",
					    "\r\n",
					    " ",
					    "/",
					    "!",
					    "<!--",
					    "-->",
					    "--!>",
					    "-",
					    "<!doctype ",
					    "html",
					    "PUBLIC",
					    "<script>",
					    "</script>",
					    "<title>",
					    "</title >",
					    "<![CDATA[",
					    "]]>",
					    "\xC3\xA9",
					    "\xE2\x82\xAC",
					    "text",
					    "HREF",
					    "href",
					    "<p class=\"a b\" id='c' hidden>",
					    "?",
					    "<?php ",
					    "`",
					    "\t" };
	struct buf b = BUF(1 << 20);

	for (size_t i = 0; i < pieces; i++) {
		uint64_t k = test_below(t, COUNT(bits) + 1);

		if (k == COUNT(bits))
			buf_byte(&b, 0);
		else
			buf_str(&b, str(bits[k]));
	}
	struct str out = arena_str(t->arena, buf_view(&b));

	buf_release(&b);
	return out;
}

TEST(tokenizer, bulk_path_and_pieces_change_nothing)
{
	struct seen a = { BUF(1 << 20), BUF(1 << 20), BUF(1 << 20) }, b = { BUF(1 << 20), BUF(1 << 20), BUF(1 << 20) };

	for (int i = 0; i < 20000; i++) {
		struct str input = random_markup(t, 1 + test_below(t, 30));
		enum html_model model = test_below(t, 4) ? HTML_DATA : (enum html_model)test_below(t, 6);

		tokenize(t, input, model, STR("title"), false, false, WHOLE, &a);
		tokenize(t, input, model, STR("title"), false, true, WHOLE, &b);
		if (!CHECK_STR(buf_view(&b.tokens), buf_view(&a.tokens), "bulk path on \"%.*s\"", STR_FMT(input)))
			break;
		tokenize(t, input, model, STR("title"), false, true, RANDOM, &b);
		if (!CHECK_STR(buf_view(&b.tokens), buf_view(&a.tokens), "pieces of \"%.*s\"", STR_FMT(input)))
			break;
		tokenize(t, input, model, STR("title"), true, true, BYTES, &b);
		if (!CHECK_STR(buf_view(&b.tokens), buf_view(&a.tokens), "checked bytes of \"%.*s\"", STR_FMT(input)))
			break;
	}
	buf_release(&a.tokens), buf_release(&a.errors), buf_release(&a.text);
	buf_release(&b.tokens), buf_release(&b.errors), buf_release(&b.text);
}

TEST(tokenizer, scan_agrees_with_its_slow_twin)
{
	char text[200];

	for (int i = 0; i < 20000; i++) {
		size_t n = test_below(t, sizeof text + 1);

		for (size_t k = 0; k < n; k++)
			text[k] = test_below(t, 30) ? (char)('a' + test_below(t, 26)) : "<&\0-"[test_below(t, 4)];
		CHECK(scan_data(text, text + n) == scan_three_slow(text, text + n, '<', '&', 0));
	}
}

TEST(tokenizer, keeps_a_bounded_part_of_a_huge_tag)
{
	struct seen s = { BUF(8 << 20), BUF(1 << 20), BUF(1 << 20) };
	struct html *h = html_new(sink, &s);
	static char block[1 << 16];

	memset(block, 'x', sizeof block);
	html_feed(h, STR("<a href=\""));
	for (int i = 0; i < 64; i++)
		html_feed(h, str_n(block, sizeof block));
	html_feed(h, STR("\" "));
	for (int i = 0; i < 5000; i++) {
		char name[20];

		html_feed(h, str_n(name, (size_t)snprintf(name, sizeof name, " a%d=1", i)));
	}
	html_feed(h, STR(">after"));
	html_end(h);
	CHECK(html_cut(h) > 0, "what was dropped is counted");
	CHECK(s.tokens.n < 3 << 20);
	CHECK(str_ends(buf_view(&s.tokens), STR("C 5:after \n")), "the text behind the tag is there");
	html_free(h);
	buf_release(&s.tokens), buf_release(&s.errors), buf_release(&s.text);
}

TEST(tokenizer, knows_every_tag_of_its_table)
{
	for (int i = 1; i < TAG_COUNT; i++)
		CHECK_EQ(tag_of(tag_info[i].name.p, tag_info[i].name.n), i, "%s", tag_info[i].name.p);
	CHECK_EQ(tag_of("blah", 4), TAG_OTHER);
	CHECK_EQ(tag_of("", 0), TAG_OTHER);
	CHECK_EQ(tag_of("aa", 2), TAG_OTHER);
}

/* What begins like no name is none; what is found at once is what the steps find. */
TEST(tokenizer, short_references_agree_with_the_steps)
{
	static const char *const starts[] = { "amp",  "lt",   "GT;",   "not", "notin;", "form",
					      "sekt", "copy", "eacut", "Pi;", "x",	"" };

	for (int round = 0; round < 200000; round++) {
		char text[17] = "";
		size_t n = strlen(strcpy(text, starts[test_below(t, COUNT(starts))])), length, i = 0;
		struct entity_match m;

		while (n < 16)
			text[n++] = "abcdefghijklmnopqrstuvwxyzABCDEFGHI0123;;;;=& "[test_below(t, 46)];
		uint16_t best = entity_short(text, &length);

		entity_start(&m);
		while (i < 16 && entity_step(&m, text[i]))
			i++;
		if (best)
			CHECK(best == m.best && length == m.best_n, "%s", text);
		else if (!length)
			CHECK(!m.best, "%s", text);
	}
}

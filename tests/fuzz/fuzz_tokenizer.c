/* Tokenizer: any bytes, any model; whole with the bulk path and in pieces without must give the same tokens. */
#include <stdlib.h>

#include "base/hash.h"
#include "text/html.h"

static void mix(uint64_t *h, const void *p, size_t n) { *h = mix64(*h * 31 + hash64(n ? p : "", n) + n); }

struct seen {
	uint64_t hash, text_hash;
	size_t text_n;
};

static void sink(void *context, const struct html_token *t)
{
	struct seen *s = context;

	if (t->type == HTML_TEXT) { /* pieces of text must not matter: a rolling hash of bytes */
		for (size_t i = 0; i < t->text.n; i++)
			s->text_hash = s->text_hash * 1099511628211u + (unsigned char)t->text.p[i] + 1;
		s->text_n += t->text.n;
		return;
	}
	mix(&s->hash, &s->text_hash, sizeof s->text_hash);
	mix(&s->hash, &t->type, sizeof t->type);
	mix(&s->hash, t->text.p, t->text.n);
	if (t->type == HTML_START)
		for (size_t i = 0; i < t->nattrs; i++) {
			mix(&s->hash, t->attrs[i].name.p, t->attrs[i].name.n);
			mix(&s->hash, t->attrs[i].value.p, t->attrs[i].value.n);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct seen a = { 0 }, b = { 0 };
	struct html *h;

	if (n < 2)
		return 0;
	enum html_model model = (enum html_model)(data[0] % 6);
	size_t piece = 1 + data[1] % 16;
	struct str s = { (const char *)data + 2, n - 2 };

	h = html_new(sink, &a);
	html_set_model(h, model);
	html_set_last_start(h, STR("script"));
	html_feed(h, s);
	html_end(h);
	html_free(h);
	h = html_new(sink, &b);
	html_bulk(h, false);
	html_set_model(h, model);
	html_set_last_start(h, STR("script"));
	for (size_t i = 0; i < s.n; i += piece)
		html_feed(h, str_sub(s, i, i + piece));
	html_end(h);
	html_free(h);
	if (a.hash != b.hash || a.text_n != b.text_n)
		abort();
	return 0;
}

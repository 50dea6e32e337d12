/* fuzz/fuzz_rewrite.c -- any bytes as a replay address, a page, a style sheet, a script, XML and a manifest. */
#include "base/limits.h"
#include "serve/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct buf out = BUF(4 * LIMIT_REWRITE);
	struct rewriter w = { .prefix = STR("/c/"),
			      .stamp = "20100102030405",
			      .out = &out,
			      .arena = &a,
			      .head = STR("<script></script>") };
	struct str s = { (const char *)data, size };
	struct replay_path p;

	url_parse(&w.base, STR("http://a.example/d/p.html"), NULL);
	replay_path_parse(&p, &a, s, STR_NONE, false);
	w.utf8 = size & 1;
	w.top = size & 2;
	w.xml = size & 4;
	rewrite_html(&w, s);
	rewrite_css(&w, s, &out);
	rewrite_js(&w, s, &out);
	rewrite_import_map(&w, s, &out);
	rewrite_srcset(&w, s, MOD_IM, &out);
	rewrite_hls(&w, s, &out);
	rewrite_app(&w, s, &out);
	rewrite_xml(&w, s);
	rewrite_lead(&w, s, MOD_OE, &out);
	rewrite_kind(STR("application/xml"), MOD_MP, s);
	url_release(&w.base);
	url_release(&w.scratch);
	buf_release(&out);
	arena_release(&a);
	return 0;
}

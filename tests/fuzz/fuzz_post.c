/* A request's body in an urlkey: the first line is method and Content-Type, the rest the body.  What is added holds
 * nothing that a URL may not hold, and is twice the same. */
#include <stdlib.h>

#include "archive/cdx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = str_n((const char *)data, size), type = str_cut(&body, '\n'), method = str_cut(&type, ' ');
	struct buf a = BUF((size_t)1 << 24), b = BUF((size_t)1 << 24), url = BUF((size_t)1 << 24);
	bool added = cdx_post_query(method, type, body, &a);

	if (added != cdx_post_query(method, type, body, &b) || !str_eq(buf_view(&a), buf_view(&b)) || (!added && a.n))
		abort();
	cdx_post_url(STR("http://example.test/?a"), buf_view(&a), &url);
	if (added && (!str_starts(buf_view(&a), STR("__wb_method=")) || url.n <= a.n))
		abort();
	buf_release(&a);
	buf_release(&b);
	buf_release(&url);
	return 0;
}

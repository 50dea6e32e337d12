/* The first line is a base, the rest a reference: what parses, parses again to
 * itself, and the offsets ascend. */
#include <stdlib.h>

#include "archive/url.h"

static struct url base, u, again;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size }, first = str_cut(&text, '\n');
	bool has_base = url_parse(&base, first, NULL);

	if (!url_parse(&u, text.p ? text : first, has_base ? &base : NULL))
		return 0;
	if (u.scheme_end > u.user_end || u.user_end > u.host || u.host > u.host_end || u.host_end > u.path ||
	    u.path > u.search || u.search > u.hash || u.hash > u.n)
		abort();
	if (url_href(&u).n <= 65536 &&
	    (!url_parse(&again, url_href(&u), NULL) || !str_eq(url_href(&u), url_href(&again))))
		abort();
	return 0;
}

/* A query string of a CDX server, in both dialects: read or refused, and a range that is a range. */
#include <stdlib.h>

#include "serve/cdx_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int dialect = 0; dialect < 2; dialect++) {
		struct arena a = { 0 };
		struct cdx_query q;
		struct err err = { 0 };
		int rc =
		    cdx_query_parse(&a, (enum cdx_dialect)dialect, NULL, str_n((const char *)data, size), &q, &err);

		if ((rc < 0 && !err.text[0]) || (rc == WN_OK && q.end.n && str_cmp(q.key, q.end) > 0))
			abort();
		arena_release(&a);
	}
	return 0;
}

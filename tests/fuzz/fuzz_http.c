/* fuzz/fuzz_http.c -- any bytes as an HTTP head. */
#include <stdlib.h>

#include "archive/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct http_scratch scratch;
	struct http_head head;
	struct flaws flaws = { 0 };
	struct str text = { (const char *)data, size };

	if (http_parse(&head, HTTP_EITHER, text, &scratch, &flaws, 0)) {
		if (head.size == 0 || head.size > size)
			abort();
		for (unsigned i = 0; i < head.nfields; i++)
			if (head.fields[i].value.n > size)
				abort();
	} else if (head.size) {
		abort();
	}
	http_mime(head.content_type);
	return 0;
}

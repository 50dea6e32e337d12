/* A URL: every profile gives one printable word, and the fast way of ia-surt
 * agrees with the slow one (which a scheme in front asks for). */
#include <stdlib.h>

#include "archive/surt.h"
#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf key = { .max = 8 * MIB }, slow = { .max = 8 * MIB };
	struct str url = { (const char *)data, size };
	ptrdiff_t at;

	for (const struct surt_profile *p = surt_profiles; p->name; p++) {
		buf_reset(&key);
		surt_add(p, url, &key);
		for (size_t i = 0; i < key.n; i++)
			if ((unsigned char)key.p[i] <= ' ' || (unsigned char)key.p[i] > 126)
				abort();
	}
	buf_reset(&key);
	buf_reset(&slow);
	surt_add(NULL, url, &key);
	surt_add_flags(SURT_WITH_SCHEME, url, &slow);
	at = str_find(buf_view(&slow), STR("://("));
	/* a key that begins with its scheme has no host, and its path may look like one */
	if ((at == 4 || at == 5) && str_starts(buf_view(&slow), STR("http")) &&
	    !str_starts(buf_view(&key), STR("http")))
		if (!str_eq(buf_view(&key), str_sub(buf_view(&slow), (size_t)at + 4, slow.n)))
			abort();
	buf_reset(&slow);
	surt_canonical(0, url, &slow);
	return 0;
}

/* Any bytes as a feed: text and links that are no longer than what was given, twice the same. */
#include <stdlib.h>

#include "text/feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct arena a = { 0 };
	struct feed f, again;
	struct str payload = str_n((const char *)p, n);

	feed_is(payload);
	feed_read(&a, payload, &f);
	feed_read(&a, payload, &again);
	if (!str_eq(f.text, again.text) || f.n_links != again.n_links)
		abort();
	arena_release(&a);
	return 0;
}

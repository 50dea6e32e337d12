/* Any bytes as an office file: a text within its limit or a reason, twice the same. */
#include <stdlib.h>

#include "base/limits.h"
#include "text/office.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct str payload = str_n((const char *)data, size), text, title, again, same;
	const char *why, *other;
	struct err err = { 0 };

	if (office_text(&a, payload, &text, &title, &why, &err) < 0 ||
	    office_text(&a, payload, &again, &same, &other, &err) < 0)
		abort();
	if ((!text.n && !why) || text.n > LIMIT_TEXT || !str_eq(text, again) || !str_eq(title, same))
		abort();
	arena_release(&a);
	return 0;
}

/* The first line is a regular expression, the rest a text: the table of states
 * and the plain machine agree. */
#include <stdlib.h>

#include "rule/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct str text = { (const char *)data, size }, pattern = str_cut(&text, '\n');
	size_t column;

	if (size > 2048)
		return 0;
	for (unsigned flags = 0; flags < 8; flags += 3) {
		struct regex *re;
		struct err err = { 0 };
		struct regex_run *run;

		if (regex_parse(&arena, pattern, flags, &re, &column, &err) < 0) {
			if (!err.text[0] || column > pattern.n + 1)
				abort();
			break;
		}
		run = regex_run_new(re);
		if (regex_match(run, text) != regex_match_plainly(re, text) ||
		    regex_match(run, text) != regex_match_plainly(re, text))
			abort();
		regex_run_free(run);
	}
	arena_release(&arena);
	return 0;
}

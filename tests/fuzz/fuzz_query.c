/* The first line is a search, the rest a text: an error in words with a column, or an answer that the index gives too. */
#include <stdlib.h>
#include <string.h>

#include "fulltext/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct str body = { (const char *)data, size }, text = str_cut(&body, '\n');
	struct ftquery *q;
	struct err err = { 0 };

	if (size > 4096)
		return 0;
	if (ftquery_parse(&a, text, &q, &err) < 0) {
		if (!strstr(err.text, "column") && !strstr(err.text, "at most"))
			abort();
	} else {
		struct ftsnippet s = ftquery_snippet(&a, q, body, 60);

		ftquery_matches(q, text, body);
		for (size_t i = 0; i < s.n_marks; i++)
			if ((size_t)s.marks[i].at + s.marks[i].n > s.text.n ||
			    (i && s.marks[i].at < s.marks[i - 1].at + s.marks[i - 1].n))
				abort();
	}
	arena_release(&a);
	return 0;
}

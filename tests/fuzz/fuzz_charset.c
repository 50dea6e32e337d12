/* Charset: any bytes with any label; the result is valid UTF-8, and as the query of a link it is ASCII. */
#include <stdlib.h>

#include "base/utf8.h"
#include "text/charset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const labels[] = { "",	"utf-8",	"utf-16",     "utf-16be",	"gb18030",
					      "big5",	"euc-kr",	"euc-jp",     "shift_jis",	"iso-2022-jp",
					      "koi8-r", "windows-1252", "iso-8859-2", "x-user-defined", "iso-2022-kr" };
	struct arena a = { 0 };
	size_t replaced;

	if (n < 1)
		return 0;
	struct str s = { (const char *)data + 1, n - 1 };
	struct charset c = charset_find(s, str(labels[data[0] % COUNT(labels)]), true);
	struct str text = charset_decode(&a, c, s, &replaced);
	struct str query = charset_query(&a, c.encoding, text);

	if (text.n && utf8_valid(text) != text.n)
		abort();
	if (query.p != text.p && utf8_ascii(query) != query.n)
		abort();
	arena_release(&a);
	return 0;
}

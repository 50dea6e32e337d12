/* Lines of an index: what is read is written, and read again the same; the
 * first byte also picks a request body's type. */
#include <stdlib.h>

#include "archive/cdx.h"
#include "base/limits.h"

static void check_line(struct cdx_reader *r, struct str line)
{
	struct arena arena = { 0 };
	struct buf out = BUF(64 * MIB);
	struct cdx c, again;
	struct err err = { 0 };
	struct cdx_reader plain = { 0 };

	if (cdx_parse(r, &arena, line, &c, &err) == WN_OK) {
		for (unsigned f = 0; f < CDX_FORMATS; f++) {
			buf_reset(&out);
			cdx_add((enum cdx_format)f, &c, &out);
			if (cdx_parse(&plain, &arena, buf_view(&out), &again, &err) == WN_OK &&
			    (again.time != c.time || again.status != c.status))
				abort();
		}
	} else if (!err.text[0] && line.n > LIMIT_LINE) {
		abort();
	}
	buf_release(&out);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const types[] = { "application/json", "application/x-www-form-urlencoded", "text/plain",
					     "multipart/form-data; boundary=X", "a/b" };
	struct str text = { (const char *)data, size }, rest = text;
	struct cdx_reader r = { 0 };
	struct buf query = BUF(MIB);

	while (rest.p)
		check_line(&r, str_cut(&rest, '\n'));
	if (size)
		cdx_post_query(STR("POST"), str(types[data[0] % COUNT(types)]), str_sub(text, 1, text.n), &query);
	buf_release(&query);
	return 0;
}

/* fuzz/fuzz_wire.c -- a request as bytes: its head ends at the same place however it arrives, what is read lies inside it,
 * and a body in chunks is the same whole and byte by byte. */
#include <stdlib.h>

#include "base/buf.h"
#include "serve/wire.h"

static int chunks(const char *p, size_t n, size_t step, struct buf *out)
{
	struct wire_chunks c = { 0 };
	size_t at = 0;
	int rc = 0;

	while (at < n && rc == 0) {
		size_t have = n - at < step ? n - at : step, used;
		struct str data;

		rc = wire_chunks_next(&c, p + at, have, &used, &data);
		if (rc < 0)
			break;
		if (used > have || data.n > used || (rc == 0 && !used))
			abort();
		buf_str(out, data);
		at += used;
	}
	return rc;
}

static size_t head_end(const char *p, size_t n, size_t step)
{
	size_t seen = 0, end = 0;

	for (size_t have = 0; have < n && !end;) {
		have = n - have < step ? n : have + step;
		end = wire_head_end(p, have, &seen);
	}
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data;
	struct buf whole = BUF(1 << 24), bytes = BUF(1 << 24);
	size_t end = head_end(p, size, size ? size : 1);
	struct field_pair fields[16];
	struct wire_head h;

	if (end != head_end(p, size, 1) || end > size)
		abort();
	if (end && wire_head_read(&h, p, end, fields, 16) == 0)
		for (size_t i = 0; i < h.n_fields; i++)
			if (fields[i].name.p < p || fields[i].name.p + fields[i].name.n > p + end ||
			    memchr(fields[i].value.p, '\n', fields[i].value.n))
				abort();
	if (chunks(p + end, size - end, size + 1, &whole) != chunks(p + end, size - end, 1, &bytes) ||
	    !str_eq(buf_view(&whole), buf_view(&bytes)))
		abort();
	buf_release(&whole);
	buf_release(&bytes);
	return 0;
}

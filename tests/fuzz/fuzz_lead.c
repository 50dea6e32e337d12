/* fuzz/fuzz_lead.c -- the beginning of a gzip member: what is decoded must be what the other decoder gives. */
#include <stdlib.h>

#include "archive/coding.h"
#include "archive/lead.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lead_tables *tables;
	static struct decoder *other;
	static char text[4096], want[sizeof text];
	char *raw = malloc(size ? size : 1); /* so that a byte read behind it is seen */
	size_t room = size > 2 ? (data[1] << 8 | data[2]) % sizeof text : 0, n, used, m = 0;
	struct str in;

	if (!tables) {
		tables = lead_tables_new();
		other = decoder_new(CODING_GZIP);
	}
	memcpy(raw, data, size);
	if (size > 2) { /* the room is taken from what must be the magic number */
		raw[1] = (char)0x8b;
		raw[2] = 8;
	}
	enum lead_state state = lead_decode(tables, str_n(raw, size), text, room, &n, &used);

	if (n > room || used > size)
		abort();
	in = str_n(raw, size);
	decoder_reset(other);
	for (size_t before = SIZE_MAX; m < n && in.n != before;) {
		before = in.n;
		if (decoder_step(other, &in, want + m, sizeof want - m, &m) != DECODE_MORE)
			break;
	}
	if (state != LEAD_BAD && m >= n && memcmp(text, want, n) != 0)
		abort();
	free(raw);
	return 0;
}

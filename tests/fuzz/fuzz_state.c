/* The state of a run: its checksum is put right first, or nothing would get past it; what is read is written again as
 * the same bytes, and points only to what is there. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = mem_alloc(size + 1);
	struct buf out = BUF((size_t)1 << 24);
	struct run_state s = { 0 };
	struct err err = { 0 };

	memcpy(bytes, data, size);
	if (size >= 8) {
		uint64_t sum = hash64(bytes, size - 8);

		for (int i = 0; i < 8; i++)
			bytes[size - 8 + (size_t)i] = (char)(sum >> (8 * i));
	}
	if (state_read(&s, str_n(bytes, size), &err) == WN_OK) {
		if (!state_write(&s, &out) || !str_eq(buf_view(&out), str_n(bytes, size)))
			abort();
		for (uint32_t d = 0; d < s.n; d++)
			if (s.of[d] >= s.n || s.kind[d] >= STATE_KINDS)
				abort();
	} else if (!err.text[0]) {
		abort();
	}
	state_release(&s);
	buf_release(&out);
	mem_free(bytes);
	return 0;
}

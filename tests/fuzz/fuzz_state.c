/* The state of a run: its checksum is put right first, or nothing would get past it; what is read points only to what
 * is there, and lies inside the file. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "flow/state.h"
#include "memory_file.h"

enum { CHECK_AT = 104, HEAD_SIZE = 112 }; /* docs/format/run-state.md */

static void read_state(const char *path)
{
	struct run_state s = { 0 };
	struct err err = { 0 };
	uint64_t sum = 0;

	if (state_read(&s, path, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	for (uint32_t d = 0; d < s.n; d++) {
		sum += s.signature[d] + s.id[d] + s.shared[d] + s.part[s.of[d]] + s.parts[s.part[d]].kept + s.kind[d];
		for (uint32_t i = s.start[d]; i < s.start[d + 1]; i++)
			sum += s.signature[s.by[i]];
	}
	if (sum == 1)
		s.n = 0; /* so that the sum is needed */
	state_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = mem_alloc(size + 1);
	struct memory_file f;

	memcpy(bytes, data, size);
	if (size >= HEAD_SIZE) {
		uint64_t check = mix64(hash64(bytes + HEAD_SIZE, size - HEAD_SIZE)) ^ hash64(bytes, CHECK_AT);

		memcpy(bytes + CHECK_AT, &check, sizeof check);
	}
	f = memory_file_open(bytes, size);
	read_state(f.path);
	memory_file_close(&f);
	mem_free(bytes);
	return 0;
}

/* fuzz/fuzz_record.c -- any bytes as an archive file. */
#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file f = memory_file_open(data, size);

	read_all(f.path);
	memory_file_close(&f);
	return 0;
}

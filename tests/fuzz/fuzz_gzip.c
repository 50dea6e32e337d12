/* fuzz/fuzz_gzip.c -- any bytes between two good gzip members: what follows damage must be found. */
#include <libdeflate.h>

#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char record[] = "WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
	static unsigned char good[256];
	static size_t ngood;
	struct libdeflate_compressor *c;

	if (!ngood) {
		c = libdeflate_alloc_compressor(6);
		ngood = libdeflate_gzip_compress(c, record, sizeof record - 1, good, sizeof good);
		libdeflate_free_compressor(c);
	}
	unsigned char *all = malloc(2 * ngood + size);

	memcpy(all, good, ngood);
	memcpy(all + ngood, data, size);
	memcpy(all + ngood + size, good, ngood);
	struct memory_file f = memory_file_open(all, 2 * ngood + size);

	read_all(f.path);
	memory_file_close(&f);
	free(all);
	return 0;
}

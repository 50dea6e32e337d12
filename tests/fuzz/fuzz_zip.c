/* fuzz/fuzz_zip.c -- any bytes as a ZIP; its entries lie inside the file. */
#include "archive/zip.h"
#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory_file f = memory_file_open(data, size);
	struct arena a = { 0 };
	struct flaws flaws = { 0 };
	struct err err = { 0 };
	struct zip_entry *entries;
	size_t n;

	if (zip_list(&a, f.fd, f.path, size, &entries, &n, &flaws, &err) == WN_OK)
		for (size_t i = 0; i < n; i++)
			if (entries[i].offset > size || entries[i].packed > size - entries[i].offset)
				abort();
	arena_release(&a);
	read_all(f.path);
	memory_file_close(&f);
	return 0;
}

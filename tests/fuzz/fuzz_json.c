/* fuzz/fuzz_json.c -- JSON as it comes in jsonl files, requests and stored reports: read or refused with a reason. */
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct json_value *v = NULL;
	struct err err = { 0 };
	int rc = json_parse(&a, str_n((const char *)data, size), &v, &err);

	if (rc < 0 ? !err.text[0] : !v)
		abort();
	arena_release(&a);
	return 0;
}

/* Certificates: what is read is written again as the same bytes.  The checksum
 * is put right first, or nothing would get past it; the answer's sums are then
 * checked against a world of few documents, which must not trust them. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "cover/check.h"

static int covers(void *context, uint32_t a, uint32_t b, struct err *err)
{
	(void)context, (void)err;
	return a / 2 == b / 2;
}

static int coverers(void *context, uint32_t a, int (*each)(void *arg, uint32_t b), void *arg, struct err *err)
{
	(void)context, (void)err;
	each(arg, a ^ 1);
	return WN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct buf out = BUF((size_t)1 << 24);
	struct certificate c;
	struct err err;
	char *bytes = mem_alloc(size + 1);
	uint32_t group[8] = { 0, 0, 1, 1, 2, 2, 3, 3 }, demand[4] = { 1, 2, 0, 9 };
	uint32_t kept[] = { 0, 2, 3, 4, 6, 7 }, dropped[] = { 1, 5 }, witness[] = { 0, 4 };
	struct cover_world w = {
		.n = 8, .group = group, .groups = 4, .demand = demand, .covers = covers, .coverers = coverers
	};
	struct cover_claim claim = { kept, dropped, witness, 6, 2, &c };
	struct cover_verdict v;

	memcpy(bytes, data, size);
	if (size >= 8) {
		uint64_t sum = hash64(bytes, size - 8);

		for (int i = 0; i < 8; i++)
			bytes[size - 8 + (size_t)i] = (char)(sum >> (8 * i));
	}
	if (certificate_read(&a, str_n(bytes, size), &c, &err) == WN_OK) {
		if (!certificate_write(&c, &out) || !str_eq(buf_view(&out), str_n(bytes, size)))
			abort();
		if (cover_check(&claim, &w, &v, &err) != WN_OK)
			abort();
		if (v.ok && v.bound > 6)
			abort(); /* a proof of more than a valid cover has */
	}
	buf_release(&out);
	arena_release(&a);
	mem_free(bytes);
	return 0;
}

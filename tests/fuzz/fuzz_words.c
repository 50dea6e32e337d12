/* Any bytes as a text: the fast, the scalar and the obvious reader of terms agree, and sets keep their invariants. */
#include <stdlib.h>

#include "base/buf.h"
#include "sketch/minhash.h"

static void compare(struct str text, int force)
{
	struct word_reader r = { .force = force };
	struct buf folded = BUF(1 << 26);
	struct str rest = text, source;

	word_open(&r, text);
	while (word_batch(&r))
		for (size_t i = 0; i < r.n; i++)
			if (!word_next(&rest, &folded, &source) || !str_eq(buf_view(&folded), word_bytes(&r, i)) ||
			    r.terms[i].hash != word_hash(buf_view(&folded)))
				abort();
	if (word_next(&rest, &folded, &source))
		abort();
	word_release(&r);
	buf_release(&folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shingler s = { .spec = { .k = size ? 1 + data[0] % 9u : 5,
					.unit = size && data[0] & 64 ? SHINGLE_CHAR : SHINGLE_WORD,
					.bag = size && data[0] & 128 } };
	struct str text = { (const char *)data, size };
	struct set set;
	struct minhash m;
	const char *reason;

	compare(text, 0);
	compare(text, 1);
	set = shingle_text(&s, text);
	if (!set_check(set, &reason))
		abort();
	minhash_make(&m, set);
	simhash_make(set);
	shingler_release(&s);
	return 0;
}

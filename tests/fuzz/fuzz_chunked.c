/* fuzz/fuzz_chunked.c -- a chunked body gives the same bytes in one piece and byte by byte. */
#include <stdlib.h>

#include "archive/chunk.h"
#include "base/buf.h"

struct pieces {
	struct source source;
	struct str left;
	size_t step;
};

static int pull(struct source *s, struct str *piece, struct err *err)
{
	struct pieces *p = (struct pieces *)(void *)s;

	(void)err;
	if (!p->left.n)
		return WN_END;
	*piece = str_sub(p->left, 0, p->step);
	p->left = str_sub(p->left, piece->n, p->left.n);
	return WN_OK;
}

static void run(struct str text, size_t step, struct buf *out)
{
	struct pieces p = { { pull, false }, text, step };
	struct flaws flaws = { 0 };
	struct dechunk d;
	struct str piece;
	struct err err;

	dechunk_init(&d, &p.source, &flaws, 0);
	while (source_pull(&d.source, &piece, &err) == WN_OK)
		buf_str(out, piece);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf a = BUF(1 << 24), b = BUF(1 << 24);
	struct str text = { (const char *)data, size };

	run(text, size ? size : 1, &a);
	run(text, 1, &b);
	if (!str_eq(buf_view(&a), buf_view(&b)))
		abort();
	buf_release(&a);
	buf_release(&b);
	return 0;
}

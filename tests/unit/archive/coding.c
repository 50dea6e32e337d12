/* tests/unit/archive/coding.c -- decoders on streams that no encoder makes. */
#include "archive/coding.h"

#include "test.h"

struct bits {
	unsigned char byte[4096];
	size_t n;
};

/* Huffman codes of deflate have their highest bit first. */
static void put(struct bits *b, unsigned code, unsigned length)
{
	while (length--) {
		b->byte[b->n / 8] |= (unsigned char)((code >> length & 1) << b->n % 8);
		b->n++;
	}
}

static void put_letters(struct bits *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(b, 0x30 + 'a' + i % 26, 8);
}

TEST(coding, claims_no_byte_that_it_did_not_write)
{
	struct bits b = { 0 };
	char out[8192];
	size_t used = 0;
	struct decoder *d = decoder_new(CODING_DEFLATE);
	struct str in;

	put(&b, 6, 3); /* one block with fixed codes */
	put_letters(&b, 1000);
	put(&b, 0xc5, 8); /* length 258, */
	put(&b, 29, 5);	  /* from 24,577 bytes back: before the beginning */
	put(&b, 0, 13);
	put_letters(&b, 1000);
	memset(out, 0x7f, sizeof out);
	in = str_n((const char *)b.byte, sizeof b.byte);
	CHECK(decoder_step(d, &in, out, sizeof out, &used) == DECODE_BAD);
	CHECK(used <= 1000 && memchr(out, 0x7f, used) == NULL, "%zu bytes", used);
	decoder_free(d);
}

/* tests/unit/archive/coding.c -- decoders on streams that no encoder makes. */
#include "archive/coding.h"

#include "make.h"

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
	CHECK(used == 1000 && memchr(out, 0x7f, used) == NULL, "%zu bytes", used);
	decoder_free(d);
}

/* What a damaged stream opens to, in steps of so many bytes of input and output. */
static struct str opened(struct test *t, struct decoder *d, struct str in, size_t step, size_t room, size_t max,
			 enum decode_state *end)
{
	char *out = memset(arena_alloc(t->arena, max), (int)(step & 0xff), max); /* stale bytes must not come out */
	size_t n = 0;
	enum decode_state state = DECODE_MORE;

	decoder_reset(d);
	while (state == DECODE_MORE && n < max) {
		struct str piece = str_sub(in, 0, step);
		size_t before = piece.n, was = n;

		state = decoder_step(d, &piece, out + n, max - n < room ? max - n : room, &n);
		in = str_sub(in, before - piece.n, in.n);
		if (n == was && piece.n == before)
			break;
	}
	*end = state;
	return str_n(out, n);
}

TEST(coding, opens_damaged_gzip_to_the_same_bytes_in_any_steps)
{
	static const size_t steps[] = { 11, 1000, 4096, 70000, 1 << 20 }, rooms[] = { 1000, 65536, 262144 };
	struct decoder *d = decoder_new(CODING_GZIP);

	for (int round = 0; round < 20; round++) {
		struct str text = make_noise(t, 1000 + test_below(t, 150000)),
			   gz = make_member(t->arena, text, MAKE_GZIP), want;
		char *byte = (char *)(uintptr_t)gz.p;
		enum decode_state end;
		size_t max = 4 * text.n + 100000;

		for (unsigned n = 1 + test_below(t, 3); n; n--)
			byte[20 + test_below(t, gz.n - 30)] ^= (char)(1 << test_below(t, 8));
		for (size_t i = test_below(t, 2) ? gz.n - test_below(t, gz.n / 2) : gz.n; i < gz.n; i++)
			byte[i] = (char)test_below(t, 256);
		want = opened(t, d, gz, 1, max, max, &end);
		if (end == DECODE_MORE)
			continue; /* no error: it only ends early, which is the next test's */
		for (size_t i = 0; i < COUNT(steps) * COUNT(rooms); i++) {
			enum decode_state got_end;
			size_t step = steps[i % COUNT(steps)], room = rooms[i / COUNT(steps)];
			struct str got = opened(t, d, gz, step, room, max, &got_end);

			CHECK(got_end == end && str_eq(got, want),
			      "steps of %zu and %zu, round %d: %zu bytes instead of %zu", step, room, round, got.n,
			      want.n);
		}
	}
	decoder_free(d);
}

/* The same of data that is cut off, where the steps of input are those that readers make: an inflater looks ahead. */
TEST(coding, opens_cut_data_to_the_same_bytes_in_any_steps)
{
	static const size_t most[] = { 0, 100, 70000, 1 << 20 }, rooms[] = { 999, 65536, 262144 };
	static const struct {
		enum make_coding made;
		enum coding coding;
	} forms[] = { { MAKE_GZIP, CODING_GZIP },
		      { MAKE_ZSTD, CODING_ZSTD },
		      { MAKE_LZ4, CODING_LZ4 },
		      { MAKE_BZIP2, CODING_BZIP2 } };

	for (int round = 0; round < 100; round++) {
		size_t f = test_below(t, 2) ? 0 : test_below(t, COUNT(forms));
		struct decoder *d = decoder_new(forms[f].coding);
		struct arena *own = t->arena, here = { 0 };
		enum decode_state end, got_end;

		t->arena = &here;
		struct str text = make_noise(t, 1000 + test_below(t, 250000)),
			   cut = make_member(t->arena, text, forms[f].made);
		size_t max = text.n + 1000;

		cut.n = 20 + test_below(t, cut.n - 20);
		struct str want = opened(t, d, cut, cut.n, max, max, &end);

		for (size_t i = 0; i < COUNT(most) * COUNT(rooms); i++) {
			size_t more = most[i % COUNT(most)], room = rooms[i / COUNT(most)];
			struct str got = opened(t, d, cut, DECODER_PIECE + more, room, max, &got_end);

			CHECK(got_end == end && str_eq(got, want),
			      "coding %d in steps of %zu more and %zu: %zu bytes instead of %zu", (int)forms[f].coding,
			      more, room, got.n, want.n);
		}
		decoder_free(d);
		arena_release(&here);
		t->arena = own;
	}
}

/* Packed blocks: what went in comes out, and a cut or changed block never reads past its end. */
#include "test.h"

#include "fulltext/pack.h"
#include "fulltext/segment.h"

static size_t random_block(struct test *t, uint32_t *v)
{
	size_t n = test_below(t, 3) ? PACK_N : (size_t)test_below(t, PACK_N + 1);
	unsigned width = (unsigned)test_below(t, 33), rare = (unsigned)test_below(t, 33);

	for (size_t i = 0; i < n; i++) {
		uint64_t r = test_random(t);
		unsigned w = test_below(t, 20) ? width : rare;

		v[i] = w ? (uint32_t)(r >> 32) >> (32 - w) : 0;
	}
	return n;
}

TEST(pack, gives_back_every_number)
{
	struct buf out = BUF(1 << 20);

	for (unsigned round = 0; round < 3000; round++) {
		uint32_t v[PACK_N], got[PACK_N];
		size_t n = random_block(t, v);
		const unsigned char *p, *end;

		buf_reset(&out);
		pack_block(&out, v, n);
		p = (const unsigned char *)out.p;
		end = out.n ? p + out.n : p;
		CHECK(unpack_block(p, end, got, n) == end && (n == 0 || memcmp(v, got, n * 4) == 0),
		      "round %u, %zu numbers", round, n);
		CHECK(skip_block(p, end, n) == end);
	}
	buf_release(&out);
}

/* A block's first two bytes are its width and how many numbers are longer; each of those counts 20 bits. */
TEST(pack, no_other_width_costs_less)
{
	struct buf out = BUF(1 << 20);

	for (unsigned round = 0; round < 3000; round++) {
		uint32_t v[PACK_N];
		size_t n = random_block(t, v), longer[33] = { 0 }, least = 32 * n;
		unsigned width;

		if (n < 8)
			continue;
		for (unsigned b = 0; b < 32; b++) {
			for (size_t i = 0; i < n; i++)
				longer[b] += v[i] >> b != 0;
			least = n * b + longer[b] * 20 < least ? n * b + longer[b] * 20 : least;
		}
		buf_reset(&out);
		pack_block(&out, v, n);
		width = (unsigned char)out.p[0];
		CHECK(width <= 32 && n * width + longer[width] * 20 == least, "round %u: width %u", round, width);
		CHECK_EQ((unsigned char)out.p[1], longer[width]);
	}
	buf_release(&out);
}

TEST(pack, wide_vectors_make_the_same_bytes)
{
	struct buf out = BUF(1 << 20), narrow = BUF(1 << 20);

	for (unsigned round = 0; round < 3000; round++) {
		uint32_t v[PACK_N];
		size_t n = random_block(t, v);

		buf_reset(&out);
		buf_reset(&narrow);
		pack_block(&out, v, n);
		pack_block_narrow(&narrow, v, n);
		CHECK(str_eq(buf_view(&out), buf_view(&narrow)), "round %u, %zu numbers", round, n);
	}
	buf_release(&out);
	buf_release(&narrow);
}

TEST(pack, a_cut_block_is_refused)
{
	struct buf out = BUF(1 << 20);

	for (unsigned round = 0; round < 500; round++) {
		uint32_t v[PACK_N], got[PACK_N];
		size_t n = random_block(t, v), keep;
		char *copy;

		buf_reset(&out);
		pack_block(&out, v, n);
		if (!out.n)
			continue;
		keep = (size_t)test_below(t, out.n);
		copy = arena_alloc(t->arena, keep + 1);
		memcpy(copy, out.p, keep);
		CHECK(unpack_block((unsigned char *)copy, (unsigned char *)copy + keep, got, n) == NULL);
	}
	buf_release(&out);
}

TEST(norm, never_more_than_the_length_and_monotone)
{
	uint8_t last = 0;

	for (uint64_t n = 0; n < 100000; n += n < 1000 ? 1 : 37) {
		uint8_t norm = ft_norm(n);

		CHECK(norm >= last && ft_norm_length(norm) <= n && ft_norm_length(norm) >= n - n / 8, "length %" PRIu64,
		      n);
		last = norm;
	}
}

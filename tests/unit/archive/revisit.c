/* tests/unit/archive/revisit.c -- revisits find their originals. */
#include "archive/revisit.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

#define NO INT64_MIN
#define ORIGINAL(id_, key, dig, at)                                                                                  \
	{                                                                                                            \
		.id = { id_, sizeof id_ - 1 }, .urlkey = { key, sizeof key - 1 }, .digest = { dig, sizeof dig - 1 }, \
		.time = at                                                                                           \
	}
#define REVISIT(id_, key, dig, at, ref, refkey, refat)                                                               \
	{                                                                                                            \
		.id = { id_, sizeof id_ - 1 }, .urlkey = { key, sizeof key - 1 }, .digest = { dig, sizeof dig - 1 }, \
		.time = at, .is_revisit = true, .refers_to = { ref, sizeof ref - 1 },                                \
		.refers_to_key = { refkey, sizeof refkey - 1 }, .refers_to_time = refat                              \
	}

static void run(struct test *t, const struct revisit_capture *c, size_t n, const uint32_t *want,
		const unsigned char *how)
{
	uint32_t *got = arena_alloc(t->arena, n * sizeof *got);
	unsigned char *by = arena_alloc(t->arena, n);
	struct revisit_table table = { .captures = c, .n = n, .original = got, .how = by };

	revisit_resolve(&table);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(got[i], want[i], "original of %zu", i);
		if (c[i].is_revisit)
			CHECK_EQ(by[i], how[i], "how of %zu", i);
	}
}

TEST(revisit, tries_its_steps_in_order)
{
	static const struct revisit_capture c[] = {
		ORIGINAL("o0", "com,a)/", "D1", 100),
		ORIGINAL("o1", "com,a)/", "D1", 200),
		ORIGINAL("o2", "com,b)/", "D2", 300),
		REVISIT("r3", "com,x)/", "D2", 400, "o0", "com,b)/", 300), /* the id wins */
		REVISIT("r4", "com,x)/", "D1", 400, "gone", "com,b)/",
			300), /* exact URI and date, though the digest differs */
		REVISIT("r5", "com,x)/", "D1", 400, "", "com,a)/",
			160),					 /* no capture at 160: nearest with the digest */
		REVISIT("r6", "com,a)/", "D1", 120, "", "", NO), /* same URL and digest */
		REVISIT("r7", "com,x)/", "D2", 1, "", "", NO),	 /* digest across URLs */
		REVISIT("r8", "com,x)/", "D9", 1, "", "", NO),
		REVISIT("r9", "com,x)/", "", 1, "", "", NO),
	};
	static const uint32_t want[] = { 0, 1, 2, 0, 2, 1, 0, 2, REVISIT_NONE, REVISIT_NONE };
	static const unsigned char how[] = { 0,
					     0,
					     0,
					     REVISIT_BY_ID,
					     REVISIT_BY_URI_DATE,
					     REVISIT_BY_URI_DATE,
					     REVISIT_BY_URL_DIGEST,
					     REVISIT_BY_DIGEST,
					     REVISIT_UNRESOLVED,
					     REVISIT_UNRESOLVED };

	run(t, c, COUNT(c), want, how);
}

TEST(revisit, sees_cycles_and_goes_on)
{
	static const struct revisit_capture c[] = {
		REVISIT("r0", "com,a)/", "", 1, "r1", "", NO),	REVISIT("r1", "com,a)/", "", 2, "r0", "", NO),
		REVISIT("r2", "com,a)/", "", 3, "r2", "", NO),	/* itself */
		REVISIT("r3", "com,a)/", "D", 4, "r4", "", NO), /* a cycle with a way out */
		REVISIT("r4", "com,a)/", "D", 5, "r3", "", NO), ORIGINAL("o5", "com,b)/", "D", 9),
	};
	static const uint32_t want[] = { REVISIT_NONE, REVISIT_NONE, REVISIT_NONE, 5, 5, 5 };
	static const unsigned char how[] = { 0, 0, 0, REVISIT_BY_ID, REVISIT_BY_DIGEST, 0 };

	run(t, c, COUNT(c), want, how);
}

TEST(revisit, empty_payloads_are_not_one_document)
{
	static const struct revisit_capture c[] = {
		ORIGINAL("o0", "com,a)/", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", 1),
		REVISIT("r1", "com,b)/", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", 2, "", "", NO),
		REVISIT("r2", "com,a)/", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", 2, "", "", NO),
	};
	static const uint32_t want[] = { 0, REVISIT_NONE, 0 };
	static const unsigned char how[] = { 0, REVISIT_UNRESOLVED, REVISIT_BY_URL_DIGEST };

	run(t, c, COUNT(c), want, how);
	CHECK(revisit_digest_is_empty(STR("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")));
	CHECK(revisit_digest_is_empty(STR("md5:d41d8cd98f00b204e9800998ecf8427e")));
	CHECK(!revisit_digest_is_empty(STR("sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A")));
	CHECK(!revisit_digest_is_empty(STR("")));
}

TEST(revisit, follows_long_chains)
{
	size_t n = 200000;
	struct revisit_capture *c = mem_zarray(n, sizeof *c);
	uint32_t *original = mem_array(n, sizeof *original);
	struct revisit_table table = { .captures = c, .n = n, .original = original };

	for (size_t i = 0; i < n; i++) {
		c[i].id = arena_printf(t->arena, "id%07zu", i);
		c[i].is_revisit = i + 1 < n;
		c[i].refers_to = i + 1 < n ? arena_printf(t->arena, "id%07zu", i + 1) : STR_NONE;
		c[i].refers_to_time = NO;
	}
	revisit_resolve(&table);
	for (size_t i = 0; i < n; i += 1000)
		CHECK_EQ(original[i], n - 1);
	CHECK_EQ(table.counts[REVISIT_BY_ID], n - 1);
	mem_free(c);
	mem_free(original);
}

/* ---- twin: the steps as the header says them, tried by looking at all captures ---- */

static uint32_t slow_nearest(const struct revisit_capture *c, size_t n, uint32_t self, struct str key, bool by_key,
			     struct str digest, int64_t time)
{
	uint32_t best = REVISIT_NONE;

	for (uint32_t i = 0; i < n; i++) {
		if (i == self || c[i].is_revisit || (by_key && !str_eq(c[i].urlkey, key)) ||
		    !str_eq(c[i].digest, digest))
			continue;
		if (best == REVISIT_NONE) {
			best = i;
			continue;
		}
		int64_t d = llabs(c[i].time - time), e = llabs(c[best].time - time);
		if (d < e || (d == e && (c[i].time < c[best].time || (c[i].time == c[best].time && i < best))))
			best = i;
	}
	return best;
}

static uint32_t slow(const struct revisit_capture *c, size_t n, uint32_t i)
{
	const struct revisit_capture *r = &c[i];
	uint32_t found;

	if (!r->is_revisit)
		return i;
	for (uint32_t k = 0; r->refers_to.n && k < n; k++)
		if (k != i && str_eq(c[k].id, r->refers_to)) {
			if (!c[k].is_revisit)
				return k;
			break;
		}
	if (r->refers_to_key.n && r->refers_to_time != NO) {
		for (uint32_t k = 0; k < n; k++)
			if (k != i && !c[k].is_revisit && str_eq(c[k].urlkey, r->refers_to_key) &&
			    c[k].time == r->refers_to_time)
				return k;
		if (r->digest.n && (found = slow_nearest(c, n, i, r->refers_to_key, true, r->digest,
							 r->refers_to_time)) != REVISIT_NONE)
			return found;
	}
	if (r->digest.n && (found = slow_nearest(c, n, i, r->urlkey, true, r->digest, r->time)) != REVISIT_NONE)
		return found;
	return r->digest.n ? slow_nearest(c, n, i, STR(""), false, r->digest, r->time) : REVISIT_NONE;
}

/* Revisits here refer to originals only, where the order of steps is all there is. */
TEST(revisit, agrees_with_looking_at_everything)
{
	for (int round = 0; round < 200; round++) {
		size_t n = 1 + test_below(t, 40);
		struct revisit_capture *c = arena_zalloc(t->arena, n * sizeof *c);
		uint32_t *got = arena_alloc(t->arena, n * sizeof *got);
		struct revisit_table table = { .captures = c, .n = n, .original = got };
		size_t originals = 1 + test_below(t, n);

		for (size_t i = 0; i < n; i++) {
			c[i].id = arena_printf(t->arena, "id%zu", i);
			c[i].urlkey = arena_printf(t->arena, "k%d", (int)test_below(t, 4));
			c[i].digest =
			    test_below(t, 8) ? arena_printf(t->arena, "d%d", (int)test_below(t, 4)) : STR_NONE;
			c[i].time = (int64_t)test_below(t, 20);
			c[i].is_revisit = i >= originals;
			c[i].refers_to_time = NO;
			if (i >= originals && test_below(t, 4) == 0)
				c[i].refers_to = arena_printf(t->arena, "id%d", (int)test_below(t, originals + 2));
			if (i >= originals && test_below(t, 2) == 0) {
				c[i].refers_to_key = arena_printf(t->arena, "k%d", (int)test_below(t, 5));
				c[i].refers_to_time = (int64_t)test_below(t, 20);
			}
			if (c[i].refers_to.n && str_eq(c[i].refers_to, c[i].id))
				c[i].refers_to = STR_NONE;
		}
		for (size_t i = 0; i < n; i++) /* no references to revisits */
			for (size_t k = originals; k < n; k++) {
				if (str_eq(c[i].refers_to, c[k].id))
					c[i].refers_to = STR_NONE;
				if (c[i].is_revisit && str_eq(c[i].refers_to_key, c[k].urlkey) &&
				    c[i].refers_to_time == c[k].time)
					c[i].refers_to_key = STR_NONE;
			}
		revisit_resolve(&table);
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(got[i], slow(c, n, (uint32_t)i), "capture %zu of %zu", i, n);
	}
}

/* Intervals of the preview hold the truth as often as they say. */
#include "cover/preview.h"

#include "test.h"

enum { BLOCKS = 3000 };

static const struct {
	const char *what;
	unsigned keep_low, keep_high, budget;
} populations[] = {
	{ "most are redundant", 1, 20, 2000 }, { "half are redundant", 20, 80, 2000 },
	{ "hardly any are", 90, 100, 2000 },   { "anything goes", 0, 100, 4000 },
	{ "a small budget", 10, 90, 300 },
};

/* What the sample says of all documents, when nothing but their number is known of a block. */
static struct preview_interval estimate(struct arena *a, const struct preview_sample *s, const uint32_t *size,
					uint32_t blocks, const uint32_t *kept)
{
	double *x = ARENA_ARRAY(a, double, blocks), *y = ARENA_ARRAY(a, double, s->n + 1);

	for (uint32_t b = 0; b < blocks; b++)
		x[b] = size[b];
	for (uint32_t i = 0; i < s->n; i++)
		y[i] = kept[s->block[i]];
	return preview_total(s, size, blocks, &(struct preview_amounts){ x, x, 1, y });
}

TEST(preview, interval_holds_the_truth_nineteen_times_in_twenty)
{
	static uint32_t size[BLOCKS], kept[BLOCKS];

	for (size_t p = 0; p < COUNT(populations); p++) {
		uint64_t truth = 0, documents = 0;
		unsigned held = 0;

		for (uint32_t b = 0; b < BLOCKS; b++) { /* sizes fall off slowly, as versions of pages do */
			double u = (double)(test_below(t, 1000000) + 1) / 1000000;
			unsigned percent =
			    populations[p].keep_low +
			    (unsigned)test_below(t, populations[p].keep_high - populations[p].keep_low + 1);

			size[b] = (uint32_t)(1 / (u + 0.0005));
			size[b] = size[b] ? size[b] : 1;
			kept[b] = (uint32_t)((uint64_t)size[b] * percent / 100);
			kept[b] = kept[b] ? kept[b] : 1;
			truth += kept[b];
			documents += size[b];
		}
		for (uint64_t seed = 0; seed < 200; seed++) {
			struct preview_sample s;
			struct preview_interval i;

			preview_draw(t->arena, &s, size, BLOCKS, populations[p].budget, seed);
			i = estimate(t->arena, &s, size, BLOCKS, kept);
			CHECK(i.low <= i.estimate + 1e-6 && i.estimate <= i.high + 1e-6);
			held += i.low <= (double)truth + 1e-6 && (double)truth <= i.high + 1e-6;
			arena_reset(t->arena);
		}
		CHECK(held >= 180, "%s: the interval held the truth %u times of 200 (%llu of %llu kept)",
		      populations[p].what, held, (unsigned long long)truth, (unsigned long long)documents);
	}
}

TEST(preview, is_exact_when_the_budget_covers_everything)
{
	uint32_t size[] = { 3, 1, 7, 2 }, kept[] = { 2, 1, 4, 1 };
	struct preview_sample s;
	struct preview_interval i;

	preview_draw(t->arena, &s, size, 4, 1000, 1);
	REQUIRE(s.whole && s.n == 4);
	i = estimate(t->arena, &s, size, 4, kept);
	CHECK(i.exact && i.low == i.high && i.estimate == 8);
}

TEST(preview, same_seed_same_sample)
{
	uint32_t size[100];
	struct preview_sample x, y;

	for (int i = 0; i < 100; i++)
		size[i] = 1 + (uint32_t)test_below(t, 20);
	preview_draw(t->arena, &x, size, 100, 200, 5);
	preview_draw(t->arena, &y, size, 100, 200, 5);
	CHECK(x.n == y.n && memcmp(x.block, y.block, sizeof(*x.block) * x.n) == 0);
}

/* Shingle sets: counts, test vectors, sorting against its twin, the Python twin, and the estimators. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/os.h"
#include "base/utf8.h"
#include "sketch/minhash.h"
#include "text/document.h"

static const struct {
	const char *text;
	unsigned k;
	enum shingle_unit unit;
	size_t set, bag;
	const char *because;
} counts[] = {
	{ "", 3, SHINGLE_WORD, 0, 0, "no words, no shingles" },
	{ "a b", 3, SHINGLE_WORD, 1, 1, "a text shorter than the window is one shingle" },
	{ "a b c d", 3, SHINGLE_WORD, 2, 2, "the window slides by one word" },
	{ "a b a b a", 2, SHINGLE_WORD, 2, 4, "a shingle seen twice is one shingle, in a bag two" },
	{ "abc", 5, SHINGLE_CHAR, 1, 1, "fewer than k characters" },
	{ "Ab,  cd", 3, SHINGLE_CHAR, 3, 3, "terms are joined by one blank" },
	{ "a a a a", 1, SHINGLE_WORD, 1, 4, "k = 1 is the vocabulary" },
};

TEST(shingle, counts_distinct_windows)
{
	for (size_t i = 0; i < COUNT(counts); i++)
		for (int bag = 0; bag < 2; bag++) {
			struct shingler s = { .spec = { counts[i].k, counts[i].unit, bag } };

			CHECK_EQ(shingle_text(&s, str(counts[i].text)).n, bag ? counts[i].bag : counts[i].set, "%s",
				 counts[i].because);
			shingler_release(&s);
		}
}

/* The vectors of docs/format/shingles.md. */
static const struct {
	const char *text;
	unsigned k;
	enum shingle_unit unit;
	bool bag;
	size_t n;
	uint64_t value[4];
} vectors[] = {
#include "vectors.h"
};

TEST(shingle, hashes_are_those_of_the_documented_vectors)
{
	for (size_t i = 0; i < COUNT(vectors); i++) {
		struct shingler s = { .spec = { vectors[i].k, vectors[i].unit, vectors[i].bag } };
		struct set got = shingle_text(&s, str(vectors[i].text));

		CHECK_EQ(got.n, vectors[i].n, "vector %zu", i);
		for (size_t j = 0; j < got.n && j < vectors[i].n; j++)
			CHECK_EQ(got.p[j], vectors[i].value[j], "vector %zu value %zu", i, j);
		shingler_release(&s);
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

TEST(shingle, sort_unique_agrees_with_qsort)
{
	for (unsigned round = 0; round < 300; round++) {
		size_t n = (size_t)test_below(t, round % 10 == 0 ? 60000 : 700), m = 0, got;
		uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, n + 1), *w = ARENA_ARRAY(t->arena, uint64_t, n + 1);
		uint64_t *scratch = ARENA_ARRAY(t->arena, uint64_t, n + 1);
		uint64_t distinct = 1 + test_below(t, n + 1);
		unsigned shape = round % 4;

		for (size_t i = 0; i < n; i++)
			v[i] = shape == 0   ? test_random(t)
			       : shape == 1 ? mix64(test_below(t, distinct)) /* repeated values */
			       : shape == 2 ? test_below(t, distinct)	     /* all leading bits equal */
					    : test_random(t) >> 40 | (uint64_t)(i % 3) << 63;
		memcpy(w, v, n * sizeof *v);
		qsort(w, n, sizeof *w, by_value);
		for (size_t i = 0; i < n; i++)
			if (!i || w[i] != w[i - 1])
				w[m++] = w[i];
		got = shingle_sort_unique(v, n, scratch);
		CHECK_EQ(got, m, "round %u", round);
		CHECK(got == m && memcmp(v, w, m * sizeof *v) == 0, "round %u, shape %u", round, shape);
	}
}

struct text_list {
	struct str *p;
	size_t n;
};

/* Asks tests/oracle/shingles.py for the sets of texts and compares. */
static void compare_with_python(struct test *t, struct text_list texts, struct shingle_spec spec)
{
	const char *dir = test_dir(t);
	const char *in = arena_printf(t->arena, "%s/texts", dir).p;
	FILE *f = fopen(in, "wb"), *answer;
	struct shingler s = { .spec = spec };
	char *line = NULL;
	size_t cap = 0, compared = 0;

	REQUIRE(f != NULL);
	for (size_t i = 0; i < texts.n; i++) {
		fprintf(f, "%zu\n", texts.p[i].n);
		fwrite(texts.p[i].p, 1, texts.p[i].n, f);
	}
	fclose(f);
	answer = popen(arena_printf(t->arena, "python3 -B '%s/../oracle/shingles.py' %u %s %s < '%s'", TEST_DATA,
				    spec.k, spec.unit == SHINGLE_CHAR ? "char" : "word", spec.bag ? "bag" : "set", in)
			   .p,
		       "r");
	REQUIRE(answer != NULL);
	while (compared < texts.n && getline(&line, &cap, answer) > 0) {
		struct set got = shingle_text(&s, texts.p[compared]);
		char *at = line;
		bool same = strtoull(at, &at, 10) == s.terms;

		for (size_t i = 0; i < got.n && same; i++)
			same = *at == ' ' && strtoull(at, &at, 16) == got.p[i];
		CHECK(same && *at == '\n', "text %zu of %zu bytes, k %u", compared, texts.p[compared].n, spec.k);
		compared++;
	}
	CHECK_EQ(compared, texts.n, "every text was answered");
	CHECK_EQ(pclose(answer), 0);
	free(line);
	shingler_release(&s);
}

static struct str random_text(struct test *t)
{
	size_t words = (size_t)test_below(t, 60), at = 0;
	char *p = arena_alloc(t->arena, words * 64 + 1);

	for (size_t i = 0; i < words; i++) {
		uint32_t base = test_below(t, 3) ? 'A' : (uint32_t)test_below(t, 0x3200);
		size_t letters = 1 + (size_t)test_below(t, 12);

		for (size_t j = 0; j < letters; j++) {
			uint32_t cp = base + (uint32_t)test_below(t, test_below(t, 2) ? 3 : 60);

			at += utf8_encode(cp, p + at);
		}
		p[at++] = ' ';
	}
	return (struct str){ p, at };
}

TEST(shingle, python_twin_agrees_on_random_texts)
{
	static const struct shingle_spec specs[] = {
		{ 5, SHINGLE_WORD, false }, { 3, SHINGLE_WORD, true }, { 1, SHINGLE_WORD, false },
		{ 8, SHINGLE_CHAR, false }, { 2, SHINGLE_CHAR, true },
	};

	for (size_t i = 0; i < COUNT(specs); i++) {
		struct text_list texts = { ARENA_ARRAY(t->arena, struct str, 300), 300 };

		for (size_t j = 0; j < texts.n; j++)
			texts.p[j] = random_text(t);
		compare_with_python(t, texts, specs[i]);
	}
}

/* Body and main text of 2,000 pages drawn from the three corpora. */
TEST_SUITE(shingle, python_twin_agrees_on_pages_of_the_corpora)
{
	static const char *const corpora[] = { "openbsd-www", "git-htmldocs", "llvm-releases" };
	enum { PAGES = 2000 };
	struct text_list texts = { ARENA_ARRAY(t->arena, struct str, 2 * PAGES), 0 };
	struct documents *scratch = documents_new();
	struct err err = { 0 };
	struct str list[3];
	unsigned missing = 0;

	for (unsigned c = 0; c < 3; c++) {
		const char *dir = suite_path(t, corpora[c]);
		struct str *names;
		size_t n;

		REQUIRE(os_list(t->arena, dir, ".tsv", &names, &n, &err) == WN_OK && n == 1, "%s: its list of captures",
			dir);
		REQUIRE(os_slurp(t->arena, arena_printf(t->arena, "%s/%.*s", dir, STR_FMT(names[0])).p, (size_t)1 << 28,
				 &list[c], &err) == WN_OK,
			"%s", err.text);
	}
	while (texts.n < 2 * PAGES && missing < PAGES) {
		unsigned c = (unsigned)test_below(t, 3);
		struct str rest = str_sub(list[c], (size_t)test_below(t, list[c].n), list[c].n), line;
		struct arena page = { 0 };
		struct document d;
		struct document_in in = { .mime = STR("text/html"), .no_links = true, .no_lang = true, .no_pdf = true };

		str_cut(&rest, '\n');
		line = str_cut(&rest, '\n');
		line = str_cut(&line, '\t');
		if (line.n == 0 ||
		    os_slurp(&page, suite_path(t, arena_printf(&page, "%s/%.*s", corpora[c], STR_FMT(line)).p),
			     (size_t)1 << 26, &in.payload, &err) < 0) {
			missing++;
		} else if (CHECK_EQ(document_extract(&d, &page, scratch, &in, &err), WN_OK, "%s", err.text)) {
			texts.p[texts.n++] = arena_str(t->arena, d.page.text);
			texts.p[texts.n++] = arena_str(t->arena, d.main);
		}
		arena_release(&page);
	}
	CHECK_EQ(texts.n, 2 * PAGES, "pages that could be read; %u could not", missing);
	documents_free(scratch);
	compare_with_python(t, texts, SHINGLE_DEFAULT);
}

static uint64_t *random_set(struct test *t, size_t n)
{
	uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, n), *scratch = ARENA_ARRAY(t->arena, uint64_t, n);

	do
		for (size_t i = 0; i < n; i++)
			v[i] = test_random(t);
	while (shingle_sort_unique(v, n, scratch) != n);
	return v;
}

TEST(minhash, estimates_jaccard_within_its_error)
{
	static const size_t sizes[] = { 40, 300, 3000 };

	for (size_t z = 0; z < COUNT(sizes); z++) {
		double squares = 0, bias = 0;
		unsigned rounds = 200;

		for (unsigned round = 0; round < rounds; round++) {
			size_t n = sizes[z], shared = (size_t)test_below(t, n + 1);
			uint64_t *v = random_set(t, 2 * n), *scratch = ARENA_ARRAY(t->arena, uint64_t, 2 * n);
			uint64_t *a = ARENA_ARRAY(t->arena, uint64_t, n), *b = ARENA_ARRAY(t->arena, uint64_t, n);
			struct set sa, sb;
			struct minhash ma, mb;
			double exact, error;

			for (size_t i = 0; i < 2 * n; i++) { /* shuffle */
				size_t j = i + (size_t)test_below(t, 2 * n - i);
				uint64_t x = v[i];

				v[i] = v[j];
				v[j] = x;
			}
			memcpy(a, v, n * sizeof *a);
			memcpy(b, v + n - shared, n * sizeof *b);
			sa = (struct set){ a, shingle_sort_unique(a, n, scratch) };
			sb = (struct set){ b, shingle_sort_unique(b, n, scratch) };
			CHECK_EQ(set_shared(sa, sb), shared);
			minhash_make(&ma, sa);
			minhash_make(&mb, sb);
			exact = (double)shared / (double)(2 * n - shared);
			error = minhash_jaccard(&ma, &mb) - exact;
			squares += error * error;
			bias += error;
		}
		CHECK(sqrt(squares / rounds) < (sizes[z] < 128 ? 0.06 : 0.045), "size %zu: root mean square error %.4f",
		      sizes[z], sqrt(squares / rounds));
		CHECK(fabs(bias / rounds) < 0.015, "size %zu: bias %.4f", sizes[z], bias / rounds);
	}
}

TEST(minhash, takes_the_least_of_each_range)
{
	for (unsigned round = 0; round < 50; round++) {
		size_t n = 1 + (size_t)test_below(t, 2000);
		struct set s = { random_set(t, n), n };
		struct minhash m;

		minhash_make(&m, s);
		for (size_t i = 0; i < n; i++)
			if (i == 0 || s.p[i] >> 57 != s.p[i - 1] >> 57)
				CHECK_EQ(m.v[s.p[i] >> 57], (uint8_t)mix64(s.p[i]));
	}
}

TEST(simhash, is_the_majority_of_each_bit)
{
	for (unsigned round = 0; round < 100; round++) {
		size_t n = (size_t)test_below(t, 200);
		struct set s = { random_set(t, n), n };
		uint64_t want = 0;

		for (unsigned b = 0; b < 64; b++) {
			size_t ones = 0;

			for (size_t i = 0; i < n; i++)
				ones += s.p[i] >> b & 1;
			want |= (uint64_t)(2 * ones > n) << b;
		}
		CHECK_EQ(simhash_make(s), want, "of %zu values", n);
	}
}

/* Shingle sets: counts, test vectors, sorting against its twin, the Python twin, and the estimators. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/os.h"
#include "base/utf8.h"
#include "sketch/hashsort.h"
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
		got = hashsort(v, n, scratch, false);
		CHECK_EQ(got, m, "round %u", round);
		CHECK(got == m && memcmp(v, w, m * sizeof *v) == 0, "round %u, shape %u", round, shape);
	}
}

TEST(shingle, sort_keeps_repeated_values_when_asked)
{
	for (unsigned round = 0; round < 100; round++) {
		size_t n = (size_t)test_below(t, round % 10 == 0 ? 60000 : 700);
		uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, n + 1), *w = ARENA_ARRAY(t->arena, uint64_t, n + 1);
		uint64_t *scratch = ARENA_ARRAY(t->arena, uint64_t, n + 1), distinct = 1 + test_below(t, n + 1);

		for (size_t i = 0; i < n; i++)
			w[i] = v[i] = round % 3 ? mix64(test_below(t, distinct)) : test_below(t, distinct);
		qsort(w, n, sizeof *w, by_value);
		CHECK_EQ(hashsort(v, n, scratch, true), n, "round %u", round);
		CHECK(n == 0 || memcmp(v, w, n * sizeof *v) == 0, "round %u", round);
	}
}

/* Values that part late: buckets are full of values that are not equal. */
TEST(shingle, sort_is_right_where_leading_bits_are_equal)
{
	for (unsigned shift = 0; shift < 60; shift += 3) {
		size_t n = 20000, m;
		uint64_t *v = ARENA_ARRAY(t->arena, uint64_t, n), *scratch = ARENA_ARRAY(t->arena, uint64_t, n);
		const char *reason = "";

		for (size_t i = 0; i < n; i++)
			v[i] = test_random(t) >> shift | (test_below(t, 2) << 63);
		m = hashsort(v, n, scratch, false);
		CHECK(set_check((struct set){ v, m }, &reason), "shift %u: %s", shift, reason);
	}
}

TEST(shingle, union_is_that_of_a_sort)
{
	for (unsigned round = 0; round < 300; round++) {
		size_t na = (size_t)test_below(t, 400), nb = (size_t)test_below(t, round % 2 ? 400 : 12), n = na + nb,
		       m;
		uint64_t *a = ARENA_ARRAY(t->arena, uint64_t, n + 1), *b = ARENA_ARRAY(t->arena, uint64_t, n + 1);
		uint64_t *all = ARENA_ARRAY(t->arena, uint64_t, n + 1), *out = ARENA_ARRAY(t->arena, uint64_t, n + 1);
		uint64_t below = 1 + test_below(t, 1000);

		for (size_t i = 0; i < na; i++)
			all[i] = a[i] = test_below(t, below);
		for (size_t i = 0; i < nb; i++)
			all[na + i] = b[i] = test_below(t, below);
		na = hashsort(a, na, out, false);
		nb = hashsort(b, nb, out, false);
		n = hashsort(all, n, out, false);
		m = hashsort_unite(out, a, na, b, nb);
		CHECK_EQ(m, n, "round %u", round);
		CHECK(m == n && (n == 0 || memcmp(out, all, n * sizeof *all) == 0), "round %u", round);
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

/* Ranges of the text joined by line feeds, as a text of its own. */
static struct str part_of(struct test *t, struct str text, const struct main_range *ranges, size_t n)
{
	char *p = arena_alloc(t->arena, text.n + n + 1), *at = p;

	for (size_t i = 0; i < n; i++) {
		if (i)
			*at++ = '\n';
		memcpy(at, text.p + ranges[i].start, ranges[i].end - ranges[i].start);
		at += ranges[i].end - ranges[i].start;
	}
	return str_n(p, (size_t)(at - p));
}

static bool same_set(struct set a, struct set b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n * sizeof *a.p) == 0);
}

TEST(shingle, a_text_and_its_part_are_as_each_alone)
{
	unsigned together = 0;

	for (unsigned round = 0; round < 2000; round++) {
		struct shingle_spec spec = { 1 + (unsigned)test_below(t, 7), SHINGLE_WORD, false };
		struct shingler s = { .spec = spec }, whole = { .spec = spec }, part = { .spec = spec };
		struct str text = random_text(t);
		struct main_range ranges[8];
		struct set got_whole, got_part;
		size_t n = 0;
		bool blanks = test_below(t, 4) != 0; /* ranges begin and end between words */

		for (size_t at = 0; n < COUNT(ranges) && at < text.n; n++) {
			size_t from = at + (size_t)test_below(t, 1 + test_below(t, 60));
			size_t end = from + 1 + (size_t)test_below(t, 1 + test_below(t, 200));

			while (blanks && from > 0 && from < text.n && text.p[from - 1] != ' ')
				from++;
			while (blanks && end < text.n && text.p[end] != ' ')
				end++;
			if (from >= text.n || end > text.n || from >= end)
				break;
			ranges[n] = (struct main_range){ (uint32_t)from, (uint32_t)end };
			at = end;
		}
		if (shingle_with_part(&s, text, ranges, n, &got_whole, &got_part)) {
			together++;
			CHECK(same_set(got_whole, shingle_text(&whole, text)), "round %u, k %u", round, spec.k);
			CHECK_EQ(s.terms, whole.terms, "round %u", round);
			CHECK(same_set(got_part, shingle_text(&part, part_of(t, text, ranges, n))),
			      "round %u, k %u, %zu", round, spec.k, n);
		}
		shingler_release(&s);
		shingler_release(&whole);
		shingler_release(&part);
	}
	CHECK(together > 500, "%u of 2000 were made together", together);
}

TEST(shingle, wide_and_narrow_multiplications_agree)
{
	for (unsigned round = 0; round < 200; round++) {
		struct shingler a = { .spec = SHINGLE_DEFAULT }, b = { .spec = SHINGLE_DEFAULT, .force_narrow = true };
		struct str text = random_text(t);

		CHECK(same_set(shingle_text(&a, text), shingle_text(&b, text)), "round %u", round);
		shingler_release(&a);
		shingler_release(&b);
	}
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
	while (hashsort(v, n, scratch, false) != n);
	return v;
}

/* Both as minhash.h defines them, value by value. */
static void slow_sketches(struct set s, struct minhash *m, uint64_t *simhash)
{
	bool has[MINHASH_N] = { false };
	uint64_t least[MINHASH_N];

	memset(m, 0, sizeof *m);
	*simhash = 0;
	for (size_t i = 0; i < s.n; i++) {
		unsigned range = (unsigned)(s.p[i] >> 57);

		if (!has[range] || s.p[i] < least[range])
			least[range] = s.p[i];
		has[range] = true;
	}
	for (unsigned i = 0; i < MINHASH_N && s.n; i++) {
		unsigned from = i;

		for (uint64_t x = i; !has[from]; from = (unsigned)(mix64(x) >> 57))
			x += 0x9e3779b97f4a7c15u;
		m->v[i] = (uint8_t)mix64(least[from]);
	}
	for (unsigned b = 0; b < 64; b++) {
		size_t count = 0;

		for (size_t i = 0; i < s.n; i++)
			count += s.p[i] >> b & 1;
		*simhash |= (uint64_t)(count > s.n - count) << b;
	}
}

TEST(minhash, sketches_are_those_of_the_definition)
{
	for (unsigned round = 0; round < 120; round++) {
		size_t n = round < 70 ? round : (size_t)test_below(t, 9000);
		struct set s = { random_set(t, n), n };
		struct minhash got, want;
		uint64_t simhash;

		slow_sketches(s, &want, &simhash);
		minhash_make(&got, s);
		CHECK(memcmp(&got, &want, sizeof got) == 0, "%zu values", n);
		CHECK_EQ(simhash_make(s), simhash, "%zu values", n);
	}
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
			sa = (struct set){ a, hashsort(a, n, scratch, false) };
			sb = (struct set){ b, hashsort(b, n, scratch, false) };
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

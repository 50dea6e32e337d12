/* Terms of a text: the fast reader, the scalar one and the obvious one agree. */
#include "test.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "text/word.h"

static const struct {
	const char *text, *terms, *because;
} cases[] = {
	{ "", "", "no text, no terms" },
	{ " .,;-_\t\n", "", "punctuation and the underscore separate" },
	{ "Hello, World", "hello|world", "simple case folding" },
	{ "don't x2y 3.14", "don|t|x2y|3|14", "digits are letters here, the apostrophe is not" },
	{ "Stra\xc3\x9f"
	  "e \xe1\xba\x9e",
	  "stra\xc3\x9f"
	  "e|\xc3\x9f",
	  "simple folding: capital sharp s to sharp s, none to ss" },
	{ "\xc4\xb0stanbul", "\xc4\xb0stanbul", "I with dot has no simple folding" },
	{ "e\xcc\x81t\xc3\xa9", "e\xcc\x81t\xc3\xa9", "no normalisation; a mark continues a run" },
	{ "\xcc\x81x", "\xcc\x81x", "a mark may begin a run" },
	{ "\xe6\x97\xa5\xe6\x9c\xac"
	  "abc\xe8\xaa\x9e",
	  "\xe6\x97\xa5|\xe6\x9c\xac|abc|\xe8\xaa\x9e", "Han characters stand alone" },
	{ "\xe3\x82\xab\xe3\x83\xbc", "\xe3\x82\xab|\xe3\x83\xbc", "the long vowel mark is Common: a run of its own" },
	{ "\xe3\x81\x8b\xe3\x82\x99\xe3\x81\x8b", "\xe3\x81\x8b\xe3\x82\x99|\xe3\x81\x8b",
	  "a base takes its marks along" },
	{ "\xe0\xb8\x81\xe0\xb8\xb4\xe0\xb8\x99", "\xe0\xb8\x81\xe0\xb8\xb4|\xe0\xb8\x99",
	  "Thai: consonant with its vowel mark" },
	{ "\xe2\x84\xaa\xc7\x84", "k\xc7\x86", "the Kelvin sign folds to one byte, DZ with caron to its small letter" },
	{ "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4", "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4", "Hangul runs" },
	{ "a\xff"
	  "b\xc3(c\xe2\x82",
	  "a|b|c", "ill-formed bytes separate" },
	{ "\xc2\xb2\xe2\x85\xa7", "\xc2\xb2\xe2\x85\xb7", "numbers of any kind; the Roman numeral folds" },
	{ "a\xe2\x80\x8d"
	  "b",
	  "a|b", "the zero width joiner is a format character: it separates" },
};

static struct str join_slow(struct test *t, struct str text)
{
	struct buf out = BUF(1 << 26), folded = BUF(1 << 26);
	struct str source, result;

	for (bool more = false; word_next(&text, &folded, &source); more = true) {
		if (more)
			buf_byte(&out, '|');
		buf_str(&out, buf_view(&folded));
	}
	result = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	buf_release(&folded);
	return result;
}

static struct str join_fast(struct test *t, struct str text, int force)
{
	struct word_reader r = { .force = force };
	struct buf out = BUF(1 << 26);
	struct str result;

	word_open(&r, text);
	while (word_batch(&r))
		for (size_t i = 0; i < r.n; i++) {
			if (out.n)
				buf_byte(&out, '|');
			buf_str(&out, word_bytes(&r, i));
			CHECK_EQ(r.terms[i].hash, word_hash(word_bytes(&r, i)), "hash of term %zu", i);
		}
	word_release(&r);
	result = arena_str(t->arena, buf_view(&out));
	buf_release(&out);
	return result;
}

TEST(word, cuts_as_the_profile_says)
{
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str text = str(cases[i].text), want = str(cases[i].terms);

		CHECK_STR(join_slow(t, text), want, "%s", cases[i].because);
		CHECK_STR(join_fast(t, text, 1), want, "scalar: %s", cases[i].because);
		CHECK_STR(join_fast(t, text, 0), want, "fast: %s", cases[i].because);
	}
}

/* Text of a given mixture: ASCII words, Latin, Cyrillic, CJK, Thai, marks, noise bytes. */
static struct str random_text(struct test *t, size_t n)
{
	char *p = arena_alloc(t->arena, n + 8);
	size_t at = 0;
	unsigned mixture = (unsigned)test_below(t, 6);

	while (at < n) {
		uint64_t r = test_random(t);
		unsigned kind = mixture == 0 ? 0 : (unsigned)(r % 16);
		uint32_t cp;

		r >>= 8;
		if (kind < 8 + mixture)
			cp = r % 7 == 0 ? ' ' : (uint32_t)(r >> 8) % 128;
		else if (kind < 12)
			cp = 0xc0 + (uint32_t)r % 0x400;
		else if (kind == 12)
			cp = 0x0e00 + (uint32_t)r % 0x80;
		else if (kind == 13)
			cp = 0x3040 + (uint32_t)r % 0x100;
		else if (kind == 14)
			cp = 0x300 + (uint32_t)r % 0x70;
		else
			cp = (uint32_t)r % 0x110000;
		if (cp >= 0xd800 && cp < 0xe000)
			p[at++] = (char)(0x80 + cp % 0x80); /* noise */
		else
			at += utf8_encode(cp, p + at);
	}
	return (struct str){ p, n }; /* may cut the last character */
}

TEST(word, fast_and_scalar_readers_agree_with_the_obvious_one)
{
	for (unsigned round = 0; round < 400; round++) {
		struct str text = random_text(t, test_below(t, round < 300 ? 300 : 30000));
		struct str want = join_slow(t, text);

		CHECK_STR(join_fast(t, text, 1), want, "scalar, round %u", round);
		CHECK_STR(join_fast(t, text, 0), want, "fast, round %u", round);
	}
}

static uint64_t count_terms(struct str text)
{
	struct word_reader r = { 0 };
	uint64_t n = 0;

	word_open(&r, text);
	while (word_batch(&r))
		n += r.n;
	word_release(&r);
	return n;
}

TEST(word, a_long_term_crosses_every_batch)
{
	size_t n = 300000;
	char *p = arena_alloc(t->arena, n);

	memset(p, 'A', n);
	CHECK_EQ(count_terms(str_n(p, n)), 1);
	for (size_t i = 0; i < n; i += 2)
		p[i] = ' ';
	CHECK_EQ(count_terms(str_n(p, n)), n / 2);
}

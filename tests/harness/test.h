/* harness/test.h -- tests are claims: TEST(join, agrees_with_brute_force).
 *
 * One binary per layer.  A failed CHECK prints file, line, what was claimed
 * and the message, is counted, and the test goes on; REQUIRE ends the test.
 *
 *	unit-base [-v] [FILTER]     runs tests whose "suite__name" contains FILTER
 *
 * Random tests draw from t->rng; the seed is printed on failure, and SEED=n in
 * the environment repeats it.  The last line is "N passed, N failed".
 * TEST_DATA is tests/data in the source tree; SHARED_DATA (environment
 * WINNOW_DATA), when set, is a folder of unpacked suites: tests that need it
 * are registered with TEST_SUITE and run only by `make suites`.
 */
#ifndef WINNOW_TEST_H
#define WINNOW_TEST_H
#include <inttypes.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"

struct test {
	struct arena *arena; /* released after the test */
	uint64_t seed, rng;
	unsigned checks, failures;
};

struct test_entry {
	const char *name;
	void (*run)(struct test *t);
	bool needs_suites;
	struct test_entry *next;
};

void test_register(struct test_entry *e);
bool test_check(struct test *t, bool ok, const char *file, int line, const char *claim, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
bool test_check_str(struct test *t, struct str got, struct str want, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
uint64_t test_random(struct test *t);		     /* 64 random bits */
uint64_t test_below(struct test *t, uint64_t bound); /* uniform in [0, bound) */
/* Path of a file of the suites, in the test's arena: suite_path(t, "suites/surt/x.json"). */
const char *suite_path(struct test *t, const char *relative);
/* A fresh directory for this test, removed afterwards. */
const char *test_dir(struct test *t);

#define TEST_(suite, name, suites)                                                                 \
	static void suite##__##name(struct test *t);                                               \
	__attribute__((constructor)) static void suite##__##name##_register(void)                  \
	{                                                                                          \
		static struct test_entry e = { #suite "__" #name, suite##__##name, suites, NULL }; \
		test_register(&e);                                                                 \
	}                                                                                          \
	static void suite##__##name(struct test *t)
#define TEST(suite, name) TEST_(suite, name, false)
#define TEST_SUITE(suite, name) TEST_(suite, name, true)

#define CHECK(claim, ...) test_check(t, (claim), __FILE__, __LINE__, #claim, "" __VA_ARGS__)
#define REQUIRE(claim, ...)                     \
	do {                                    \
		if (!CHECK(claim, __VA_ARGS__)) \
			return;                 \
	} while (0)
#define CHECK_EQ(got, want, ...) \
	test_check_eq(t, (uint64_t)(got), (uint64_t)(want), __FILE__, __LINE__, #got " == " #want, "" __VA_ARGS__)
#define CHECK_STR(got, want, ...) test_check_str(t, (got), (want), __FILE__, __LINE__, "" __VA_ARGS__)
bool test_check_eq(struct test *t, uint64_t got, uint64_t want, const char *file, int line, const char *claim,
		   const char *fmt, ...) __attribute__((format(printf, 7, 8)));
#endif

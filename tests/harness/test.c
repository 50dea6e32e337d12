/* harness/test.c -- see test.h. */
#include "test.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

static struct test_entry *first, **last = &first;
static const char *running;
static char scratch[64];

void test_register(struct test_entry *e)
{
	*last = e;
	last = &e->next;
}

static void report(struct test *t, const char *file, int line, const char *claim)
{
	t->failures++;
	fprintf(stderr, "FAILED %s at %s:%d: %s", running, file, line, claim);
}

__attribute__((format(printf, 2, 0))) static bool ending(struct test *t, const char *fmt, va_list ap)
{
	if (fmt[0]) {
		fputs(": ", stderr);
		vfprintf(stderr, fmt, ap);
	}
	fprintf(stderr, "  (SEED=%" PRIu64 ")\n", t->seed);
	return false;
}

bool test_check(struct test *t, bool ok, const char *file, int line, const char *claim, const char *fmt, ...)
{
	va_list ap;

	t->checks++;
	if (ok)
		return true;
	report(t, file, line, claim);
	va_start(ap, fmt);
	ending(t, fmt, ap);
	va_end(ap);
	return false;
}

bool test_check_eq(struct test *t, uint64_t got, uint64_t want, const char *file, int line, const char *claim,
		   const char *fmt, ...)
{
	va_list ap;

	t->checks++;
	if (got == want)
		return true;
	report(t, file, line, claim);
	fprintf(stderr, " (%" PRId64 " against %" PRId64 ")", (int64_t)got, (int64_t)want);
	va_start(ap, fmt);
	ending(t, fmt, ap);
	va_end(ap);
	return false;
}

bool test_check_str(struct test *t, struct str got, struct str want, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	t->checks++;
	if (str_eq(got, want))
		return true;
	report(t, file, line, "texts differ");
	fprintf(stderr, "\n\tgot  [%.*s]\n\twant [%.*s]\n\t", STR_FMT(got), STR_FMT(want));
	va_start(ap, fmt);
	ending(t, fmt, ap);
	va_end(ap);
	return false;
}

uint64_t test_random(struct test *t)
{
	t->rng += 0x9e3779b97f4a7c15u;
	return mix64(t->rng);
}

uint64_t test_below(struct test *t, uint64_t bound) { return bound ? test_random(t) % bound : 0; }

const char *suite_path(struct test *t, const char *relative)
{
	return arena_printf(t->arena, "%s/%s", getenv("WINNOW_DATA"), relative).p;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

const char *test_dir(struct test *t)
{
	if (!scratch[0]) {
		strcpy(scratch, "/tmp/winnow-test-XXXXXX");
		if (!mkdtemp(scratch)) {
			perror("mkdtemp");
			exit(3);
		}
	}
	return arena_str(t->arena, str(scratch)).p;
}

int main(int argc, char **argv)
{
	const char *filter = NULL, *seed_text = getenv("SEED");
	bool verbose = false, suites = getenv("WINNOW_DATA") != NULL;
	unsigned passed = 0, failed = 0;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-v") == 0)
			verbose = true;
		else
			filter = argv[i];
	}
	for (struct test_entry *e = first; e; e = e->next) {
		struct arena arena = { 0 };
		struct test t = { .arena = &arena };

		if ((filter && !strstr(e->name, filter)) || e->needs_suites != suites)
			continue;
		t.seed = seed_text ? strtoull(seed_text, NULL, 10) : (uint64_t)time(NULL) * 1000 + (uint64_t)getpid();
		t.rng = t.seed;
		running = e->name;
		if (verbose)
			printf("%s\n", e->name);
		fflush(stdout);
		e->run(&t);
		if (t.checks == 0) {
			fprintf(stderr, "FAILED %s: it checked nothing\n", e->name);
			t.failures++;
		}
		t.failures ? failed++ : passed++;
		if (scratch[0]) {
			nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
			scratch[0] = 0;
		}
		arena_release(&arena);
	}
	printf("%u passed, %u failed\n", passed, failed);
	if (filter && passed + failed == 0) {
		fprintf(stderr, "no test %s has '%s' in its name\n",
			suites ? "of a suite" : "but of suites (WINNOW_DATA)", filter);
		return 2;
	}
	return failed != 0;
}

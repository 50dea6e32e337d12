/* base/fault.c -- see fault.h. */
#include "base/fault.h"

#ifdef WINNOW_FAULTS
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FAULT_KINDS] = { "alloc", "write", "fsync", "rename", "mmap", "open", "read" };
static atomic_long counts[FAULT_KINDS];
static long fail_at[FAULT_KINDS]; /* 0: never */
static bool and_after[FAULT_KINDS];

static void print_counts(void)
{
	for (int i = 0; i < FAULT_KINDS; i++)
		fprintf(stderr, "fault-count %s %ld\n", names[i], atomic_load(&counts[i]));
}

__attribute__((constructor)) static void read_environment(void)
{
	const char *wish = getenv("WINNOW_FAULT");

	if (!wish)
		return;
	if (strcmp(wish, "count") == 0) {
		atexit(print_counts);
		return;
	}
	for (int i = 0; i < FAULT_KINDS; i++) {
		size_t n = strlen(names[i]);
		char *end;

		if (strncmp(wish, names[i], n) != 0 || wish[n] != ':')
			continue;
		fail_at[i] = strtol(wish + n + 1, &end, 10);
		and_after[i] = *end == '+';
	}
}

bool fault_now(enum fault_kind kind)
{
	long n = atomic_fetch_add(&counts[kind], 1) + 1;

	return fail_at[kind] && (n == fail_at[kind] || (and_after[kind] && n > fail_at[kind]));
}
#else
typedef int fault_is_not_built; /* a translation unit may not be empty */
#endif

/* base/mem.c -- see mem.h. */
#include "base/mem.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/log.h"

#define HUGE_PAGE ((size_t)2 << 20)
#define HEAP_MOST (32 << 20)  /* glibc takes no larger threshold */
#define HEAP_STEP (128 << 10) /* glibc's own M_TOP_PAD */

_Noreturn static void out_of_memory(size_t n)
{
	die("no memory for %zu more bytes; what was committed is safe. Try a smaller --memory or fewer --threads", n);
}

static size_t product(size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		out_of_memory(SIZE_MAX);
	return n;
}

void *mem_alloc(size_t n)
{
	void *p = fault_now(FAULT_ALLOC) ? NULL : malloc(n ? n : 1);

	if (!p)
		out_of_memory(n);
	return p;
}

void *mem_zalloc(size_t n)
{
	void *p = fault_now(FAULT_ALLOC) ? NULL : calloc(1, n ? n : 1);

	if (!p)
		out_of_memory(n);
	return p;
}

void *mem_realloc(void *p, size_t n)
{
	void *q = fault_now(FAULT_ALLOC) ? NULL : realloc(p, n ? n : 1);

	if (!q)
		out_of_memory(n);
	return q;
}

void *mem_array(size_t count, size_t size) { return mem_alloc(product(count, size)); }

void *mem_zarray(size_t count, size_t size) { return mem_zalloc(product(count, size)); }

void *mem_rearray(void *p, size_t count, size_t size) { return mem_realloc(p, product(count, size)); }

char *mem_strdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(mem_alloc(n), s, n);
}

void mem_free(void *p) { free(p); }

void *mem_map(size_t n)
{
	void *p = fault_now(FAULT_ALLOC)
		      ? MAP_FAILED
		      : mmap(NULL, n ? n : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		out_of_memory(n);
	madvise(p, n, MADV_HUGEPAGE); /* a wish; refusal is harmless */
	return p;
}

void mem_unmap(void *p, size_t n)
{
	if (p)
		munmap(p, n ? n : 1);
}

void mem_expect(size_t n)
{
#ifdef __GLIBC__ /* whose heap grows by what is asked for and M_TOP_PAD */
	char *p, *end;
	uintptr_t from;

	if (n < HUGE_PAGE)
		return;
	mallopt(M_MMAP_THRESHOLD, HEAP_MOST); /* arrays come from the heap, */
	mallopt(M_TRIM_THRESHOLD, INT_MAX);   /* and stay there when they are freed */
	mallopt(M_TOP_PAD, n > INT_MAX / 2 ? INT_MAX / 2 : (int)n);
	p = malloc(HUGE_PAGE / 2);
	end = sbrk(0);
	from = ((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	if (p && p < end && from < (uintptr_t)end) /* a wish; refusal is harmless */
		madvise((void *)from, ((uintptr_t)end - from) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	free(p);
	mallopt(M_TOP_PAD, HEAP_STEP);
#else
	(void)n;
#endif
}

static bool thrifty;

void mem_thrifty(void)
{
	thrifty = true;
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 64 << 10);
	mallopt(M_TRIM_THRESHOLD, 1 << 20);
	mallopt(M_ARENA_MAX, 1);
#endif
}

void mem_give_back(void)
{
#ifdef __GLIBC__
	if (thrifty)
		malloc_trim(0);
#endif
}

/* What the kernel tells in a file, ended by a zero; empty when there is none. */
static void kernel_says(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
}

size_t mem_machine(void)
{
	size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE), most;
	char text[64];

	kernel_says("/sys/fs/cgroup/memory.max", text, sizeof text); /* as a container sees its own */
	most = (size_t)strtoull(text, NULL, 10);		     /* "max" is no number */
	return most && most < all ? most : all;
}

static _Atomic size_t peak;

size_t mem_now(void)
{
	char text[4096], *at;

	kernel_says("/proc/self/status", text, sizeof text);
	at = strstr(text, "RssAnon:");
	return at ? (size_t)strtoull(at + 8, NULL, 10) * 1024 : 0;
}

void mem_watch(void)
{
	size_t now = mem_now(), seen = atomic_load(&peak);

	while (now > seen && !atomic_compare_exchange_weak(&peak, &seen, now))
		;
}

size_t mem_left(size_t most)
{
	size_t now = mem_now(), least = most / 8;

	return now < most && most - now > least ? most - now : least;
}

size_t mem_peak(void)
{
	mem_watch();
	return atomic_load(&peak);
}

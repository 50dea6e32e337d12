/* fuzz/memory_file.h -- bytes as a file that can be opened by path and is never on a disk. */
#ifndef WINNOW_FUZZ_MEMORY_FILE_H
#define WINNOW_FUZZ_MEMORY_FILE_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
	int fd;
	char path[64];
};

static inline struct memory_file memory_file_open(const void *p, size_t n)
{
	struct memory_file f = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };

	if (f.fd < 0 || write(f.fd, p, n) != (ssize_t)n)
		abort();
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

static inline void memory_file_close(struct memory_file *f) { close(f->fd); }
#endif

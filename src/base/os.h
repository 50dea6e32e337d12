/* base/os.h -- files, behind calls that can be made to fail (base/fault.h).
 *
 * All of winnow's own file I/O passes here; each returns WN_OK or WN_IO with
 * path and reason in err.  Short reads and writes and EINTR are handled.
 */
#ifndef WINNOW_BASE_OS_H
#define WINNOW_BASE_OS_H
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"

struct os_map { /* a file mapped read-only */
	const unsigned char *p;
	size_t n;
};

int os_open(int *fd, const char *path, int flags, struct err *err); /* O_CLOEXEC added; mode 0666 */
/* A file or directory that a person named, before it is read: WN_USAGE when nothing has that name, WN_IO when it may
 * not be read.  All commands ask here, so that a mistaken name and a locked file are told alike by each. */
int os_named(const char *path, bool *is_directory, struct err *err);
int os_named_file(const char *path, struct err *err); /* the same, and WN_USAGE for a directory */
/* Reads up to n bytes at `at`; *got < n only at the end of the file. */
int os_pread(int fd, void *p, size_t n, uint64_t at, size_t *got, const char *path, struct err *err);
int os_read(int fd, void *p, size_t n, size_t *got, const char *path, struct err *err);
int os_write(int fd, const void *p, size_t n, const char *path, struct err *err);
int os_pwrite(int fd, const void *p, size_t n, uint64_t at, const char *path, struct err *err);
int os_fsync(int fd, const char *path, struct err *err);
int os_truncate(int fd, uint64_t size, const char *path, struct err *err);
int os_size(int fd, uint64_t *size, const char *path, struct err *err);
int os_fsync_dir(const char *path, struct err *err); /* of the directory itself */
int os_rename(const char *from, const char *to, struct err *err);
int os_temporary(int *fd, struct err *err);			/* a file without a name in $TMPDIR, else /tmp */
int os_link(const char *from, const char *to, struct err *err); /* a second name; one that is there is replaced */
int os_unlink(const char *path, struct err *err);		/* absent is fine */
/* There, and no regular file (a device, a pipe, a link): nothing to rename over. */
bool os_is_special(const char *path);
int os_mkdir(const char *path, struct err *err); /* existing directory is fine */
int os_map(struct os_map *m, const char *path, struct err *err);
void os_unmap(struct os_map *m); /* zero is fine */
/* n bytes of a file as memory; what is written there stays private.  mem_unmap gives it back. */
int os_map_private(void **p, int fd, size_t n, const char *path, struct err *err);
void os_close(int *fd); /* sets *fd to -1; -1 is fine */

/* A file that appears whole or not at all: written under path.tmp, synced,
 * renamed, its directory synced. */
struct os_atomic {
	int fd;
	char *path, *tmp;
	bool
	    unsynced; /* nothing is waited for: after the power failed it may be damaged, and whoever reads it will see that */
};
int os_atomic_open(struct os_atomic *f, const char *path, struct err *err);
/* The same under a name of this call's own (os_own_name), where several processes may write one file at once. */
int os_atomic_open_own(struct os_atomic *f, const char *path, struct err *err);
int os_atomic_commit(struct os_atomic *f, struct err *err); /* closes it either way */
void os_atomic_abort(struct os_atomic *f);		    /* zero or finished is fine */

int os_store(const char *path, struct str bytes, struct err *err); /* such a file of these bytes */

/* path.PID-N.tmp, which nobody else gets; mem_free it. */
char *os_own_name(const char *path);
/* Is it the temporary name of a process that is gone, or of none?  Whoever looks after a directory removes those. */
bool os_is_abandoned(struct str name);

/* Names in a directory that end with suffix ("": all), sorted by bytes, "." and
 * ".." left out; a directory that is not there has none. */
int os_list(struct arena *a, const char *dir, const char *suffix, struct str **names, size_t *n, struct err *err);

/* Whole small file into the arena; WN_LIMIT beyond max. */
int os_slurp(struct arena *a, const char *path, size_t max, struct str *out, struct err *err);
#endif

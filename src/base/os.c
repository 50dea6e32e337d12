/* base/os.c -- see os.h. */
#include "base/os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/vec.h"

int os_open(int *fd, const char *path, int flags, struct err *err)
{
	int f = -1;

	if (fault_now(FAULT_OPEN))
		errno = EACCES;
	else
		f = open(path, flags | O_CLOEXEC, 0666);
	if (f < 0)
		return err_sys(err, errno, "cannot open %s", path);
	*fd = f;
	return WN_OK;
}

int os_named(const char *path, bool *is_directory, struct err *err)
{
	struct stat st;
	bool directory;

	if (stat(path, &st))
		return errno == ENOENT || errno == ENOTDIR
			   ? err_set(err, WN_USAGE, "%s is not there; is the name right?", path)
			   : err_sys(err, errno, "cannot look at %s", path);
	directory = S_ISDIR(st.st_mode);
	if (is_directory)
		*is_directory = directory;
	if (access(path, directory ? R_OK | X_OK : R_OK))
		return err_set(err, WN_IO,
			       "%s may not be read by this user: %s; its owner can allow it with 'chmod a+r%s %s'",
			       path, strerror(errno), directory ? "x" : "", path);
	return WN_OK;
}

int os_named_file(const char *path, struct err *err)
{
	bool directory = false;
	int rc = os_named(path, &directory, err);

	return rc == WN_OK && directory ? err_set(err, WN_USAGE, "%s is a directory, and a file is wanted", path) : rc;
}

int os_pread(int fd, void *p, size_t n, uint64_t at, size_t *got, const char *path, struct err *err)
{
	size_t have = 0;

	while (have < n) {
		ssize_t m = -1;

		if (fault_now(FAULT_READ))
			errno = EIO;
		else
			m = pread(fd, (char *)p + have, n - have, (off_t)(at + have));
		if (m < 0 && errno == EINTR)
			continue;
		if (m < 0)
			return err_sys(err, errno, "cannot read %s at %llu", path, (unsigned long long)at + have);
		if (m == 0)
			break;
		have += (size_t)m;
	}
	*got = have;
	return WN_OK;
}

int os_read(int fd, void *p, size_t n, size_t *got, const char *path, struct err *err)
{
	size_t have = 0;

	while (have < n) {
		ssize_t m = -1;

		if (fault_now(FAULT_READ))
			errno = EIO;
		else
			m = read(fd, (char *)p + have, n - have);
		if (m < 0 && errno == EINTR)
			continue;
		if (m < 0)
			return err_sys(err, errno, "cannot read %s", path);
		if (m == 0)
			break;
		have += (size_t)m;
	}
	*got = have;
	return WN_OK;
}

static int write_all(int fd, const void *p, size_t n, bool positioned, uint64_t at, const char *path, struct err *err)
{
	size_t done = 0;

	while (done < n) {
		ssize_t m = -1;

		if (fault_now(FAULT_WRITE))
			errno = ENOSPC;
		else if (positioned)
			m = pwrite(fd, (const char *)p + done, n - done, (off_t)(at + done));
		else
			m = write(fd, (const char *)p + done, n - done);
		if (m < 0 && errno == EINTR)
			continue;
		if (m < 0)
			return err_sys(err, errno, "cannot write %s", path);
		done += (size_t)m;
	}
	return WN_OK;
}

int os_write(int fd, const void *p, size_t n, const char *path, struct err *err)
{
	return write_all(fd, p, n, false, 0, path, err);
}

int os_pwrite(int fd, const void *p, size_t n, uint64_t at, const char *path, struct err *err)
{
	return write_all(fd, p, n, true, at, path, err);
}

int os_fsync(int fd, const char *path, struct err *err)
{
	int rc = -1;

	if (fault_now(FAULT_FSYNC))
		errno = EIO;
	else
		rc = fsync(fd);
	return rc ? err_sys(err, errno, "cannot sync %s to disk", path) : WN_OK;
}

int os_truncate(int fd, uint64_t size, const char *path, struct err *err)
{
	int rc = -1;

	if (fault_now(FAULT_WRITE))
		errno = EIO;
	else
		rc = ftruncate(fd, (off_t)size);
	return rc ? err_sys(err, errno, "cannot cut %s to its whole records", path) : WN_OK;
}

int os_size(int fd, uint64_t *size, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_sys(err, errno, "cannot stat %s", path);
	*size = (uint64_t)st.st_size;
	return WN_OK;
}

int os_fsync_dir(const char *path, struct err *err)
{
	int fd = -1, rc;

	if ((rc = os_open(&fd, path, O_RDONLY | O_DIRECTORY, err)) < 0)
		return rc;
	rc = os_fsync(fd, path, err);
	os_close(&fd);
	return rc;
}

int os_rename(const char *from, const char *to, struct err *err)
{
	int rc = -1;

	if (fault_now(FAULT_RENAME))
		errno = EIO;
	else
		rc = rename(from, to);
	return rc ? err_sys(err, errno, "cannot rename %s to %s", from, to) : WN_OK;
}

int os_temporary(int *fd, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/winnow-XXXXXX", dir && *dir ? dir : "/tmp");
	*fd = fault_now(FAULT_OPEN) ? (errno = EACCES, -1) : mkostemp(path, O_CLOEXEC);
	if (*fd < 0)
		return err_sys(err, errno, "cannot make a temporary file in %s", dir && *dir ? dir : "/tmp");
	unlink(path);
	return WN_OK;
}

int os_link(const char *from, const char *to, struct err *err)
{
	int rc = -1;

	if (fault_now(FAULT_RENAME))
		errno = EIO;
	else if (unlink(to) == 0 || errno == ENOENT)
		rc = link(from, to);
	return rc ? err_sys(err, errno, "cannot link %s to %s", from, to) : WN_OK;
}

int os_unlink(const char *path, struct err *err)
{
	return unlink(path) && errno != ENOENT ? err_sys(err, errno, "cannot remove %s", path) : WN_OK;
}

int os_mkdir(const char *path, struct err *err)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return WN_OK;
	if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return WN_OK;
	return err_sys(err, errno, "cannot make the directory %s", path);
}

int os_map(struct os_map *m, const char *path, struct err *err)
{
	struct stat st;
	int fd = -1, rc;
	void *p = NULL;

	if ((rc = os_open(&fd, path, O_RDONLY, err)) < 0)
		return rc;
	if (fstat(fd, &st)) {
		rc = err_sys(err, errno, "cannot stat %s", path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = err_set(err, WN_IO, "%s is no regular file", path);
	} else if (st.st_size) {
		if (fault_now(FAULT_MMAP)) {
			p = MAP_FAILED;
			errno = ENOMEM;
		} else {
			p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		}
		if (p == MAP_FAILED)
			rc = err_sys(err, errno, "cannot map %s", path);
	}
	os_close(&fd);
	if (rc == WN_OK)
		*m = (struct os_map){ p, (size_t)st.st_size };
	return rc;
}

int os_map_private(void **p, int fd, size_t n, const char *path, struct err *err)
{
	if (fault_now(FAULT_MMAP)) {
		*p = MAP_FAILED;
		errno = ENOMEM;
	} else {
		*p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	}
	return *p == MAP_FAILED ? err_sys(err, errno, "cannot map %s", path) : WN_OK;
}

void os_unmap(struct os_map *m)
{
	if (m->n)
		munmap((void *)m->p, m->n);
	*m = (struct os_map){ 0 };
}

void os_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool os_is_special(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

char *os_own_name(const char *path)
{
	static _Atomic unsigned count;
	size_t n = strlen(path) + 48;
	char *name = mem_alloc(n);

	snprintf(name, n, "%s.%ld-%u.tmp", path, (long)getpid(), ++count);
	return name;
}

bool os_is_abandoned(struct str name)
{
	ptrdiff_t dot = str_ends(name, STR(".tmp")) ? str_rchr(str_sub(name, 0, name.n - 4), '.') : -1, dash;
	struct str own = dot < 0 ? STR_NONE : str_sub(name, (size_t)dot + 1, name.n - 4);
	uint64_t pid;

	if (!str_ends(name, STR(".tmp")))
		return false;
	dash = str_rchr(own, '-');
	if (dash <= 0 || !str_u64(str_sub(own, 0, (size_t)dash), &pid) || pid > INT32_MAX)
		return true; /* as an earlier winnow named them */
	return pid == 0 || (kill((pid_t)pid, 0) && errno == ESRCH);
}

static int atomic_open(struct os_atomic *f, const char *path, char *tmp, struct err *err)
{
	int rc;

	f->fd = -1;
	f->unsynced = false;
	f->path = mem_strdup(path);
	f->tmp = tmp;
	if ((rc = os_open(&f->fd, f->tmp, O_RDWR | O_CREAT | O_TRUNC, err)) < 0)
		os_atomic_abort(f);
	return rc;
}

int os_atomic_open(struct os_atomic *f, const char *path, struct err *err)
{
	size_t n = strlen(path) + 5;
	char *tmp = mem_alloc(n);

	snprintf(tmp, n, "%s.tmp", path);
	return atomic_open(f, path, tmp, err);
}

int os_atomic_open_own(struct os_atomic *f, const char *path, struct err *err)
{
	return atomic_open(f, path, os_own_name(path), err);
}

int os_atomic_commit(struct os_atomic *f, struct err *err)
{
	char *copy = mem_strdup(f->path);
	int rc;

	if ((rc = f->unsynced ? WN_OK : os_fsync(f->fd, f->tmp, err)) == WN_OK &&
	    (rc = os_rename(f->tmp, f->path, err)) == WN_OK) {
		os_close(&f->fd);
		mem_free(f->tmp);
		f->tmp = NULL; /* nothing to remove any more */
		rc = f->unsynced ? WN_OK : os_fsync_dir(dirname(copy), err);
	}
	mem_free(copy);
	os_atomic_abort(f);
	return rc;
}

void os_atomic_abort(struct os_atomic *f)
{
	if (f->path)
		os_close(&f->fd);
	if (f->tmp)
		unlink(f->tmp);
	mem_free(f->path);
	mem_free(f->tmp);
	*f = (struct os_atomic){ .fd = -1 };
}

int os_store(const char *path, struct str bytes, struct err *err)
{
	struct os_atomic f;
	int rc;

	if ((rc = os_atomic_open(&f, path, err)) < 0)
		return rc;
	if ((rc = os_write(f.fd, bytes.p, bytes.n, f.tmp, err)) == WN_OK)
		return os_atomic_commit(&f, err);
	os_atomic_abort(&f);
	return rc;
}

int os_slurp(struct arena *a, const char *path, size_t max, struct str *out, struct err *err)
{
	struct stat st;
	int fd = -1, rc;
	size_t got;
	char *p;

	if ((rc = os_open(&fd, path, O_RDONLY, err)) < 0)
		return rc;
	if (fstat(fd, &st)) {
		rc = err_sys(err, errno, "cannot stat %s", path);
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = err_set(err, WN_IO, "%s is not a regular file", path);
		goto out;
	}
	if ((uint64_t)st.st_size > max) {
		rc = err_set(err, WN_LIMIT, "%s has %lld bytes, more than the %zu allowed here", path,
			     (long long)st.st_size, max);
		goto out;
	}
	p = arena_alloc(a, (size_t)st.st_size + 1);
	if ((rc = os_pread(fd, p, (size_t)st.st_size, 0, &got, path, err)) == WN_OK) {
		p[got] = 0;
		*out = str_n(p, got);
	}
out:
	os_close(&fd);
	return rc;
}

static int by_bytes(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

int os_list(struct arena *a, const char *dir, const char *suffix, struct str **names, size_t *n, struct err *err)
{
	VEC(struct str) found = { 0 };
	DIR *d = opendir(dir);
	struct dirent *entry;
	int failed;

	*names = NULL;
	*n = 0;
	if (!d)
		return errno == ENOENT ? WN_OK : err_sys(err, errno, "cannot list %s", dir);
	while (errno = 0, (entry = readdir(d)) != NULL) {
		struct str name = str(entry->d_name);

		if (!str_eq(name, STR(".")) && !str_eq(name, STR("..")) && str_ends(name, str(suffix)))
			vec_push(&found, arena_str(a, name));
	}
	failed = errno;
	closedir(d);
	if (failed == 0 && found.n) {
		sort_array(found.p, found.n, sizeof *found.p, by_bytes);
		*names = ARENA_ARRAY(a, struct str, found.n);
		memcpy(*names, found.p, found.n * sizeof *found.p);
		*n = found.n;
	}
	vec_release(&found);
	return failed ? err_sys(err, failed, "cannot list %s", dir) : WN_OK;
}

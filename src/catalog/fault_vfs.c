/* catalog/fault_vfs.c -- see fault_vfs.h.
 *
 * A file system for SQLite that hands every call to the usual one, after
 * asking fault_now(): write and truncate fail as on a full disk, sync and read
 * with an I/O error, open with "cannot open".  SQLite's allocator is wrapped in
 * the same way.  A file is a struct fault_file with the real file behind it in
 * the same memory, as SQLite's shims do it.
 */
#include "catalog/fault_vfs.h"

#ifdef WINNOW_FAULTS
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct fault_file {
	sqlite3_file base;
	sqlite3_file *real; /* right behind this struct */
};

static sqlite3_vfs *usual;
static sqlite3_mem_methods memory;

static sqlite3_file *real(sqlite3_file *f) { return ((struct fault_file *)(void *)f)->real; }

static int f_close(sqlite3_file *f) { return real(f)->pMethods->xClose(real(f)); }

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return fault_now(FAULT_READ) ? SQLITE_IOERR_READ : real(f)->pMethods->xRead(real(f), p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	return fault_now(FAULT_WRITE) ? SQLITE_FULL : real(f)->pMethods->xWrite(real(f), p, n, at);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return fault_now(FAULT_WRITE) ? SQLITE_IOERR_TRUNCATE : real(f)->pMethods->xTruncate(real(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
	return fault_now(FAULT_FSYNC) ? SQLITE_IOERR_FSYNC : real(f)->pMethods->xSync(real(f), flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size) { return real(f)->pMethods->xFileSize(real(f), size); }
static int f_lock(sqlite3_file *f, int level) { return real(f)->pMethods->xLock(real(f), level); }
static int f_unlock(sqlite3_file *f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
static int f_check_lock(sqlite3_file *f, int *out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
static int f_control(sqlite3_file *f, int op, void *arg) { return real(f)->pMethods->xFileControl(real(f), op, arg); }
static int f_sector(sqlite3_file *f) { return real(f)->pMethods->xSectorSize(real(f)); }
static int f_device(sqlite3_file *f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }

static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **p)
{
	return fault_now(FAULT_MMAP) ? SQLITE_IOERR_SHMMAP : real(f)->pMethods->xShmMap(real(f), page, size, extend, p);
}

static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
static void f_shm_barrier(sqlite3_file *f) { real(f)->pMethods->xShmBarrier(real(f)); }
static int f_shm_unmap(sqlite3_file *f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }
static int f_fetch(sqlite3_file *f, sqlite3_int64 at, int n, void **p)
{
	return real(f)->pMethods->xFetch(real(f), at, n, p);
}
static int f_unfetch(sqlite3_file *f, sqlite3_int64 at, void *p) { return real(f)->pMethods->xUnfetch(real(f), at, p); }

/* clang-format off */
static const sqlite3_io_methods methods = {
	.iVersion = 3, .xClose = f_close, .xRead = f_read, .xWrite = f_write, .xTruncate = f_truncate, .xSync = f_sync,
	.xFileSize = f_size, .xLock = f_lock, .xUnlock = f_unlock, .xCheckReservedLock = f_check_lock, .xFileControl = f_control,
	.xSectorSize = f_sector, .xDeviceCharacteristics = f_device, .xShmMap = f_shm_map, .xShmLock = f_shm_lock,
	.xShmBarrier = f_shm_barrier, .xShmUnmap = f_shm_unmap, .xFetch = f_fetch, .xUnfetch = f_unfetch,
};
/* clang-format on */

static int v_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
	struct fault_file *f = (struct fault_file *)(void *)file;
	int rc;

	(void)vfs;
	f->base.pMethods = NULL;
	f->real = (sqlite3_file *)(void *)(f + 1);
	if (fault_now(FAULT_OPEN))
		return SQLITE_CANTOPEN;
	rc = usual->xOpen(usual, name, f->real, flags, out_flags);
	if (f->real->pMethods)
		f->base.pMethods = &methods;
	return rc;
}

static void *m_alloc(int n) { return fault_now(FAULT_ALLOC) ? NULL : memory.xMalloc(n); }
static void *m_realloc(void *p, int n) { return fault_now(FAULT_ALLOC) ? NULL : memory.xRealloc(p, n); }

void fault_vfs_install(void)
{
	static bool done;
	static sqlite3_vfs shim;
	static sqlite3_mem_methods failing;

	if (done)
		return;
	done = true;
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) == SQLITE_OK) {
		failing = memory;
		failing.xMalloc = m_alloc;
		failing.xRealloc = m_realloc;
		sqlite3_config(SQLITE_CONFIG_MALLOC, &failing);
	}
	if (!(usual = sqlite3_vfs_find(NULL)))
		return;
	shim = *usual;
	shim.pNext = NULL;
	shim.zName = "winnow-faults";
	shim.szOsFile = (int)sizeof(struct fault_file) + usual->szOsFile;
	shim.xOpen = v_open;
	sqlite3_vfs_register(&shim, 1);
}
#else
typedef int fault_vfs_is_not_built; /* a translation unit may not be empty */
#endif

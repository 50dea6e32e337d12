/* catalog/fault_vfs.h -- SQLite's own allocations, writes and syncs, made to fail by base/fault.h in test builds. */
#ifndef WINNOW_CATALOG_FAULT_VFS_H
#define WINNOW_CATALOG_FAULT_VFS_H

#ifdef WINNOW_FAULTS
void fault_vfs_install(void); /* before SQLite is first used; again is harmless */
#else
static inline void fault_vfs_install(void) {}
#endif
#endif

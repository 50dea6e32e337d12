/* base/fault.h -- making the n-th allocation or system call fail, in test builds.
 *
 * Built with -Dfaults=true, the environment says what fails:
 *
 *	WINNOW_FAULT=write:3   the third write fails with ENOSPC
 *	WINNOW_FAULT=alloc:7+  the seventh allocation and all after it fail
 *	WINNOW_FAULT=count     nothing fails; the counts go to standard error at exit
 *
 * Kinds: alloc write fsync rename mmap open read.  In other builds
 * fault_now() is a constant false and costs nothing.
 */
#ifndef WINNOW_BASE_FAULT_H
#define WINNOW_BASE_FAULT_H
#include <stdbool.h>

enum fault_kind {
	FAULT_ALLOC,
	FAULT_WRITE,
	FAULT_FSYNC,
	FAULT_RENAME,
	FAULT_MMAP,
	FAULT_OPEN,
	FAULT_READ,
	FAULT_KINDS
};

#ifdef WINNOW_FAULTS
bool fault_now(enum fault_kind kind);
#else
static inline bool fault_now(enum fault_kind kind) { return (void)kind, false; }
#endif
#endif

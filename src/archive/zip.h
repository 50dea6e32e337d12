/* archive/zip.h -- the directory of a ZIP or ZIP64 file, as far as WACZ needs it.
 *
 * Read from the end (central directory); when that is damaged, from the local
 * headers, front to back.  Nothing is decompressed here.
 */
#ifndef WINNOW_ARCHIVE_ZIP_H
#define WINNOW_ARCHIVE_ZIP_H
#include "archive/flaw.h"
#include "base/arena.h"
#include "base/err.h"

struct zip_entry {
	struct str name;
	uint64_t offset;       /* of the data in the file */
	uint64_t packed, size; /* bytes in the file; bytes when unpacked */
	unsigned method;       /* 0 stored, 8 deflated */
	uint32_t crc;
};

/* True when s (the first bytes of a file) begins a ZIP. */
bool zip_sniff(struct str s);

/* Entries in the order of the directory; in the arena.  Damage is a flaw. */
int zip_list(struct arena *a, int fd, const char *path, uint64_t file_size, struct zip_entry **out, size_t *n,
	     struct flaws *flaws, struct err *err);
#endif

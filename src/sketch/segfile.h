/* sketch/segfile.h -- what segments of sets, texts and postings have in common.
 *
 * A head of 80 bytes, data, an index at the end; head and index carry XXH3-64
 * checksums, data carries its own where it is read in parts.  Written through a
 * buffer to a file that appears whole or not at all.
 *
 *	 0  magic     8 bytes      40  index_n      u64, bytes of the index
 *	 8  version   u32          48  file_n       u64, bytes of the file
 *	12  settings  u32          56  index_check  u64, XXH3-64 of the index
 *	16  first     u64          64  extra        u64, of the kind of segment
 *	24  n         u64          72  head_check   u64, XXH3-64 of bytes 0..71
 *	32  index_at  u64
 *
 * All numbers are little-endian.
 */
#ifndef WINNOW_SKETCH_SEGFILE_H
#define WINNOW_SKETCH_SEGFILE_H
#include "base/os.h"

#define SEGFILE_HEAD 80
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "segments are mapped as they are: little-endian machines only"
#endif

struct segfile_head {
	char magic[8];
	uint32_t version, settings;
	uint64_t first, n, index_at, index_n, file_n, index_check, extra, head_check;
};
_Static_assert(sizeof(struct segfile_head) == SEGFILE_HEAD, "the head is 80 bytes");

struct segfile_writer {
	struct os_atomic file;
	char *buf;
	size_t used;
	uint64_t at; /* bytes so far, the head's included */
};
int segfile_create(struct segfile_writer *w, const char *path, struct err *err);
int segfile_write(struct segfile_writer *w, const void *p, size_t n, struct err *err);
/* Writes index and head and makes the file appear; w is over either way.  The
 * caller fills magic, version, settings, first, n and extra. */
int segfile_commit(struct segfile_writer *w, struct segfile_head *head, const void *index, size_t index_n,
		   struct err *err);
void segfile_abort(struct segfile_writer *w); /* zero is fine */

/* Maps path and tests magic, version (1 to the one given), sizes, checksums of head and index. */
int segfile_open(struct os_map *map, struct segfile_head *head, const char *path, const char magic[8], uint32_t version,
		 struct err *err);

/* The error of a damaged segment: it names the file and says what helps. */
int segfile_damaged(struct err *err, const char *path, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static inline uint32_t get_u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}
static inline uint64_t get_u64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}
#endif

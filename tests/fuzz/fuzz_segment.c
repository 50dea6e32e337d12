/* Any bytes as a segment: head and checksums are set right, so that what lies
 * behind them is read too.  Errors are fine; crashes and reads outside are not. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "fulltext/segment.h"
#include "sketch/segment.h"
#include "sketch/textstore.h"

static void repair_sketch(unsigned char *p, struct segfile_head *h)
{
	for (uint64_t i = 0; i < h->n && (i + 2) * 8 <= h->index_n; i++) {
		uint64_t at = get_u64(p + h->index_at + 8 * i), flags, check;
		size_t heads;

		if (at < SEGFILE_HEAD || at > h->index_at || h->index_at - at < 328)
			continue;
		flags = get_u64(p + at + 16);
		heads = flags & 1 ? 176 : 328;
		check = hash64(p + at + 8, heads - 8);
		memcpy(p + at, &check, 8);
	}
}

static void repair_words(unsigned char *p, const struct segfile_head *h)
{
	uint64_t data = h->index_at - SEGFILE_HEAD, chunks = (data + FT_CHUNK - 1) / FT_CHUNK;

	if (h->index_n < sizeof(struct ftseg_index) + 8 * chunks)
		return;
	for (uint64_t c = 0; c < chunks; c++) {
		uint64_t left = data - c * FT_CHUNK,
			 check = hash64(p + SEGFILE_HEAD + c * FT_CHUNK, left < FT_CHUNK ? left : FT_CHUNK);

		memcpy(p + h->index_at + sizeof(struct ftseg_index) + 8 * c, &check, 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *p;
	struct segfile_head h;
	char path[64];
	struct err err = { 0 };
	int fd, kind;

	if (size < SEGFILE_HEAD)
		return 0;
	p = malloc(size);
	memcpy(p, data, size);
	memcpy(&h, p, sizeof h);
	kind = h.magic[2] == 'S' ? 0 : h.magic[2] == 'T' ? 1 : 2;
	h.version = kind == 1 ? 2 - h.version % 2 : 1;
	h.file_n = size;
	h.n %= 4096;
	h.index_at = SEGFILE_HEAD + (h.index_at - SEGFILE_HEAD) % (size - SEGFILE_HEAD + 1);
	h.index_n = size - h.index_at;
	memcpy(h.magic, kind == 0 ? "WNSKETCH" : kind == 1 ? "WNTEXTS\0" : "WNWORDS\0", 8);
	if (kind == 0)
		repair_sketch(p, &h);
	else if (kind == 2)
		repair_words(p, &h);
	h.index_check = hash64(p + h.index_at, h.index_n);
	h.head_check = hash64(&h, offsetof(struct segfile_head, head_check));
	memcpy(p, &h, sizeof h);
	fd = memfd_create("segment", 0);
	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (kind == 0)
		segment_check(path, &err);
	else if (kind == 1)
		textstore_check(path, &err);
	else
		ftseg_check(path, &err);
	close(fd);
	free(p);
	return 0;
}

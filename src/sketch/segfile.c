/* sketch/segfile.c -- see segfile.h. */
#include "sketch/segfile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"

#define BUFFER (1 * MIB)

int segfile_damaged(struct err *err, const char *path, const char *fmt, ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	return err_set(err, WN_DATA,
		       "segment %s is damaged: %s; `winnow ingest --reprocess` makes it again from the archive files",
		       path, what);
}

int segfile_create(struct segfile_writer *w, const char *path, struct err *err)
{
	struct segfile_head blank = { 0 };
	int rc;

	*w = (struct segfile_writer){ 0 };
	if ((rc = os_atomic_open(&w->file, path, err)) < 0)
		return rc;
	w->buf = mem_alloc(BUFFER);
	return segfile_write(w, &blank, sizeof blank, err);
}

static int flush(struct segfile_writer *w, struct err *err)
{
	int rc = w->used ? os_write(w->file.fd, w->buf, w->used, w->file.tmp, err) : WN_OK;

	w->used = 0;
	return rc;
}

int segfile_write(struct segfile_writer *w, const void *p, size_t n, struct err *err)
{
	int rc;

	w->at += n;
	if (n > BUFFER - w->used) {
		if ((rc = flush(w, err)) < 0)
			return rc;
		if (n >= BUFFER)
			return os_write(w->file.fd, p, n, w->file.tmp, err);
	}
	if (n)
		memcpy(w->buf + w->used, p, n);
	w->used += n;
	return WN_OK;
}

int segfile_commit(struct segfile_writer *w, struct segfile_head *head, const void *index, size_t index_n,
		   struct err *err)
{
	int rc;

	head->index_at = w->at;
	head->index_n = index_n;
	head->file_n = w->at + index_n;
	head->index_check = hash64(index, index_n);
	head->head_check = hash64(head, offsetof(struct segfile_head, head_check));
	if ((rc = segfile_write(w, index, index_n, err)) < 0 || (rc = flush(w, err)) < 0 ||
	    (rc = os_pwrite(w->file.fd, head, sizeof *head, 0, w->file.tmp, err)) < 0) {
		segfile_abort(w);
		return rc;
	}
	rc = os_atomic_commit(&w->file, err);
	mem_free(w->buf);
	*w = (struct segfile_writer){ 0 };
	return rc;
}

void segfile_abort(struct segfile_writer *w)
{
	if (w->file.path)
		os_atomic_abort(&w->file);
	mem_free(w->buf);
	*w = (struct segfile_writer){ 0 };
}

static int check_head(const struct os_map *map, const struct segfile_head *h, const char *path, const char magic[8],
		      uint32_t version, struct err *err)
{
	if (memcmp(h->magic, magic, 8) != 0)
		return segfile_damaged(err, path, "it does not begin with %.8s", magic);
	if (h->version < 1 || h->version > version)
		return err_set(err, WN_DATA,
			       "segment %s is of version %" PRIu32 ", this winnow reads versions up to %" PRIu32, path,
			       h->version, version);
	if (h->head_check != hash64(h, offsetof(struct segfile_head, head_check)))
		return segfile_damaged(err, path, "the checksum of its head is wrong");
	if (h->file_n != map->n)
		return segfile_damaged(err, path, "it has %zu bytes and should have %" PRIu64, map->n, h->file_n);
	if (h->index_at < SEGFILE_HEAD || h->index_at > h->file_n || h->index_n != h->file_n - h->index_at)
		return segfile_damaged(err, path, "its index lies outside of it");
	if (h->index_check != hash64(map->p + h->index_at, h->index_n))
		return segfile_damaged(err, path, "the checksum of its index is wrong");
	if (h->n > LIMIT_SEGMENT_CONTENTS || h->first > UINT64_MAX - h->n)
		return segfile_damaged(err, path, "its number of contents is out of range");
	return WN_OK;
}

int segfile_open(struct os_map *map, struct segfile_head *head, const char *path, const char magic[8], uint32_t version,
		 struct err *err)
{
	struct stat st;
	int rc;

	if ((rc = os_map(map, path, err)) < 0)
		return stat(path, &st) == 0 && !S_ISREG(st.st_mode)
			   ? segfile_damaged(err, path, "it is no regular file")
			   : rc;
	if (map->n < SEGFILE_HEAD)
		rc = segfile_damaged(err, path, "it is cut off after %zu bytes", map->n);
	else {
		memcpy(head, map->p, sizeof *head);
		rc = check_head(map, head, path, magic, version, err);
	}
	if (rc < 0)
		os_unmap(map);
	return rc;
}

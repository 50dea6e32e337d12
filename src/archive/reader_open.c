/* archive/reader_open.c -- opening files for the reader: pipes, the WARCs of a WACZ, ranges, single records. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/reader_int.h"
#include "archive/zip.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/task.h"

#define COPY_STEP (1 * MIB)

static int block_pull(struct source *s, struct str *piece, struct err *err)
{
	struct reader *r = (struct reader *)(void *)((char *)s - offsetof(struct reader, source));

	return reader_block(r, piece, err);
}

/* Opens the part that r->part names. */
static int open_part(struct reader *r, struct err *err)
{
	struct part *p = &r->parts[r->part];
	struct text_source from = {
		r->fd, r->path, r->seekable, p->deflated, p->base, p->limit, { r->lead, r->nlead }
	};
	int rc = text_init(&r->text, &from, &r->pending, err);

	r->open = true;
	if (r->skim)
		skim_forget(r->skim);
	r->seen_warc = r->seen_arc = false;
	r->arc_version = 1;
	r->last_member = UINT64_MAX;
	return rc;
}

static bool is_archive_name(struct str name) { return str_starts(name, STR("archive/")) && !str_ends(name, STR("/")); }

/* The WARCs of a WACZ as parts; `only` picks one. */
static int open_zip(struct reader *r, uint64_t size, struct str only, struct err *err)
{
	struct zip_entry *e;
	size_t n;
	int rc = zip_list(&r->names, r->fd, r->path, size, &e, &n, &r->pending, err);

	if (rc < 0)
		return rc;
	r->parts = ARENA_ARRAY(&r->names, struct part, n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		if (!is_archive_name(e[i].name) || (only.n && !str_eq(only, e[i].name)))
			continue;
		if (e[i].method != 0 && e[i].method != 8) {
			flaw_add(&r->pending, FLAW_BAD_CONTAINER, e[i].offset, "entry %.*s is packed by method %u",
				 (int)(e[i].name.n < 50 ? e[i].name.n : 50), e[i].name.p, e[i].method);
			continue;
		}
		r->parts[r->nparts++] = (struct part){ e[i].name, e[i].offset, e[i].packed, e[i].method == 8 };
	}
	if (only.n && !r->nparts)
		return err_set(err, WN_NONE, "%s holds no %.*s", r->path, STR_FMT(only));
	return WN_OK;
}

static int open_fd(struct reader *r, const char *path, struct str *only, struct err *err)
{
	struct stat st;

	*only = STR_NONE;
	if (strcmp(path, "-") == 0) {
		r->fd = STDIN_FILENO;
		return WN_OK;
	}
	const char *hash = strrchr(path, '#');

	if (hash && stat(path, &st) < 0 && errno == ENOENT) { /* x.wacz#archive/y */
		r->path[hash - path] = 0;
		*only = arena_str(&r->names, str(hash + 1));
	}
	int rc = os_open(&r->fd, r->path, O_RDONLY | O_NOCTTY, err);

	r->own_fd = rc == WN_OK;
	return rc;
}

/* A ZIP is read from its end: one that comes through a pipe is copied to a file without a name first. */
static int keep_pipe(struct reader *r, struct err *err)
{
	char *piece = mem_alloc(COPY_STEP);
	size_t got = r->nlead;
	int fd = -1, rc = os_temporary(&fd, err);

	memcpy(piece, r->lead, got);
	while (rc == WN_OK && got) {
		r->size += got;
		if (task_interrupted())
			rc = err_set(err, WN_INTERRUPTED, "interrupted");
		else if ((rc = os_write(fd, piece, got, "a temporary copy of standard input", err)) == WN_OK)
			rc = os_read(r->fd, piece, COPY_STEP, &got, r->path, err);
	}
	mem_free(piece);
	if (rc < 0) {
		os_close(&fd);
		return rc;
	}
	if (r->own_fd)
		os_close(&r->fd);
	r->fd = fd;
	r->own_fd = r->seekable = r->kept = true;
	r->nlead = 0;
	return WN_OK;
}

static int open_file(struct reader *r, const char *path, struct err *err)
{
	struct str only;
	struct stat st;
	int rc = open_fd(r, path, &only, err);

	if (rc < 0)
		return rc;
	if (fstat(r->fd, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", r->path);
	if (S_ISDIR(st.st_mode))
		return err_set(err, WN_IO, "%s is a directory, not an archive file", r->path);
	r->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	r->seekable = S_ISREG(st.st_mode) && lseek(r->fd, 0, SEEK_CUR) == 0;
	rc = r->seekable ? os_pread(r->fd, r->lead, sizeof r->lead, 0, &r->nlead, r->path, err)
			 : os_read(r->fd, r->lead, sizeof r->lead, &r->nlead, r->path, err);
	if (rc < 0)
		return rc;
	bool zip = zip_sniff(str_n(r->lead, r->nlead));

	if (r->seekable)
		r->nlead = 0;
	else if (zip && (rc = keep_pipe(r, err)) < 0)
		return rc;
	if (zip)
		return open_zip(r, r->size, only, err);
	if (only.n)
		return err_set(err, WN_NONE, "%s is no WACZ, so it holds no %.*s", r->path, STR_FMT(only));
	r->parts = ARENA_NEW(&r->names, struct part);
	r->parts[0] = (struct part){ .limit = UINT64_MAX };
	r->nparts = 1;
	return WN_OK;
}

int reader_open(struct reader **out, const char *path, struct err *err)
{
	struct reader *r = mem_zalloc(sizeof *r);

	*out = NULL;
	r->fd = -1;
	r->to = UINT64_MAX;
	r->path = mem_strdup(path);
	r->source.pull = block_pull;
	int rc = open_file(r, path, err);

	if (rc == WN_OK && r->nparts)
		rc = open_part(r, err);
	if (rc < 0) {
		reader_close(r);
		return rc;
	}
	*out = r;
	return WN_OK;
}

int reader_open_range(struct reader **out, const char *path, uint64_t from, uint64_t to, bool exact, struct err *err)
{
	struct reader *r;
	int rc = reader_open(&r, path, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	if (r->nparts != 1) {
		reader_close(r);
		return err_set(err, WN_USAGE, "%s has several parts and cannot be read from the middle", path);
	}
	if (from) {
		struct record first; /* tells WARC from ARC, and which ARC */

		rc = reader_next(r, &first, err);
		r->in_record = r->done = r->shared_told = false;
		r->last_member = UINT64_MAX;
		r->pending.n = r->pending.more = 0;
		r->text.flaws = &r->pending;
		r->first_record = r->records = 1; /* the file as a whole is not judged here */
		if (rc == WN_END && !r->open && exact)
			rc = err_set(err, WN_IO, "%s has no record at offset %llu any more: it was replaced or cut",
				     path, (unsigned long long)from);
		else if (rc >= 0 && r->open)
			rc = exact ? text_seek(&r->text, from, err) : text_sync(&r->text, from, to, err);
		r->closed = r->ended = exact;
		if (rc == WN_END)
			r->done = true; /* nothing begins here */
		r->loose = rc == WN_OK && !exact && r->text.coding == CODING_NONE;
	}
	r->to = to;
	if (rc < 0) {
		reader_close(r);
		return rc;
	}
	*out = r;
	return WN_OK;
}

int reader_open_to(struct reader **out, const char *path, uint64_t to, struct err *err)
{
	int rc = reader_open(out, path, err);

	if (rc == WN_OK)
		(*out)->to = to;
	return rc;
}

/* Text in front of a record that is not the first of its member. */
static int pass_in_member(struct reader *r, uint64_t at, uint64_t skip, struct err *err)
{
	bool turned = r->text.coding != CODING_NONE;
	int rc = WN_OK;

	if (skip && !turned)
		rc = text_turn(&r->text, &turned, err);
	if (rc < 0 || !turned || !skip)
		return rc;
	if ((rc = text_next(&r->text, err)) == WN_OK)
		rc = text_pass(&r->text, skip, err);
	r->last_member = at;
	r->shared_told = true;
	return rc;
}

int reader_resume(struct reader **out, const char *path, uint64_t at, uint64_t skip, uint64_t to, struct err *err)
{
	struct reader *r;
	int rc = reader_open_range(&r, path, at, to, true, err);

	*out = NULL;
	if (rc < 0)
		return rc;
	if ((rc = pass_in_member(r, at, skip, err)) < 0) {
		reader_close(r);
		return rc;
	}
	*out = r;
	return WN_OK;
}

int reader_open_span(struct reader **out, const char *path, struct span span, struct err *err)
{
	int rc = reader_resume(out, path, span.at, span.skip, UINT64_MAX, err);

	if (rc == WN_OK)
		(*out)->single = true;
	return rc;
}

bool reader_can_move(const struct reader *r)
{
	return r->single && r->seekable && r->nparts == 1 && r->open && !r->text.raw.inflate;
}

int reader_move(struct reader *r, struct span span, struct err *err)
{
	uint64_t end = r->parts[0].limit;
	int rc;

	if (span.length && !span.skip && span.at + span.length < end)
		end = span.at + span.length;
	r->in_record = r->done = r->shared_told = r->loose = false;
	r->last_member = UINT64_MAX;
	r->pending.n = r->pending.more = r->late.n = r->late.more = 0;
	r->text.flaws = &r->pending;
	r->records = r->first_record = 1;
	if ((rc = text_seek(&r->text, span.at, err)) < 0)
		return rc;
	stream_restart(&r->text.raw, span.at, end);
	return pass_in_member(r, span.at, span.skip, err);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	if (r->open)
		text_release(&r->text);
	if (r->own_fd)
		os_close(&r->fd);
	skim_free(r->skim);
	head_scratch_release(&r->scratch);
	arena_release(&r->names);
	mem_free(r->head);
	mem_free(r->path);
	mem_free(r);
}

int reader_next_part(struct reader *r, struct err *err)
{
	if (r->open) {
		r->consumed += r->text.raw.offset + r->text.raw.at;
		text_release(&r->text);
		r->open = false;
	}
	if (r->part < r->nparts)
		r->part++;
	if (r->part >= r->nparts)
		return WN_END;
	return open_part(r, err);
}

bool reader_can_split(const struct reader *r)
{
	return r->seekable && r->nparts == 1 && r->open && !r->text.raw.inflate;
}

const char *reader_path(const struct reader *r) { return r->path; }
bool reader_seekable(const struct reader *r) { return r->seekable && !r->kept; }

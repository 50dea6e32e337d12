/* archive/stream.c -- see stream.h.
 *
 * buf[at..end) is unread.  The window is refilled in steps of READ_STEP, so
 * that what is read is still in the cache when it is decoded; it slides only
 * when its end is reached.
 */
#include "archive/stream.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"

#define READ_STEP (256 * KIB)
#define PACKED_STEP (64 * KIB)

void stream_init(struct stream *s, int fd, const char *path, bool seekable, uint64_t base, uint64_t limit, size_t cap)
{
	*s = (struct stream){ .fd = fd, .path = path, .seekable = seekable, .base = base, .limit = limit, .cap = cap };
	s->buf = mem_alloc(cap);
}

void stream_lead(struct stream *s, struct str lead)
{
	if (lead.n)
		memcpy(s->buf, lead.p, lead.n);
	s->end = lead.n;
}

void stream_inflate(struct stream *s)
{
	s->inflate = decoder_new(CODING_DEFLATE);
	s->packed = mem_alloc(PACKED_STEP);
	s->packed_left = s->limit;
	s->limit = UINT64_MAX;
	s->seekable = false;
}

void stream_grow(struct stream *s, size_t cap)
{
	if (cap <= s->cap)
		return;
	s->buf = mem_realloc(s->buf, cap);
	s->cap = cap;
}

void stream_release(struct stream *s)
{
	mem_free(s->buf);
	mem_free(s->packed);
	decoder_free(s->inflate);
	*s = (struct stream){ .fd = -1 };
}

/* Inflates into [to, to + n); *got 0 at the end or where the data is damaged. */
static int read_packed(struct stream *s, char *to, size_t n, size_t *got, struct err *err)
{
	*got = 0;
	while (*got == 0) {
		if (s->packed_at == s->packed_end && s->packed_left) {
			size_t want = s->packed_left < PACKED_STEP ? (size_t)s->packed_left : PACKED_STEP, have;
			int rc = os_pread(s->fd, s->packed, want, s->base + s->packed_offset, &have, s->path, err);

			if (rc < 0)
				return rc;
			s->packed_at = 0;
			s->packed_end = have;
			s->packed_offset += have;
			s->packed_left = have < want ? 0 : s->packed_left - have;
		}
		struct str in = { s->packed + s->packed_at, s->packed_end - s->packed_at };
		size_t before = in.n;
		enum decode_state state = decoder_step(s->inflate, &in, to, n, got);

		s->packed_at = s->packed_end - in.n;
		if (state != DECODE_MORE) {
			s->packed_left = 0;
			s->packed_at = s->packed_end;
			s->eof = true;
			return WN_OK;
		}
		if (in.n == before && *got == 0 && s->packed_left == 0) {
			s->eof = true;
			return WN_OK;
		}
	}
	return WN_OK;
}

static int refill(struct stream *s, size_t least, struct err *err)
{
	size_t room = s->cap - s->end, step = least > READ_STEP ? least : READ_STEP, got = 0;
	uint64_t at = s->offset + s->end;
	int rc;

	if (step > room)
		step = room;
	if (step > s->limit - at)
		step = (size_t)(s->limit - at);
	if (step == 0) {
		s->eof = true;
		return WN_OK;
	}
	if (s->inflate)
		rc = read_packed(s, s->buf + s->end, step, &got, err);
	else if (s->seekable)
		rc = os_pread(s->fd, s->buf + s->end, step, s->base + at, &got, s->path, err);
	else
		rc = os_read(s->fd, s->buf + s->end, step, &got, s->path, err);
	if (rc < 0)
		return rc;
	if (got < step && !s->inflate)
		s->eof = true;
	s->end += got;
	return WN_OK;
}

int stream_view(struct stream *s, size_t want, struct str *view, struct err *err)
{
	while (s->end - s->at < want && !s->eof) {
		if (s->cap - s->at < want || s->end == s->cap || s->at == s->end) {
			memmove(s->buf, s->buf + s->at, s->end - s->at);
			s->offset += s->at;
			s->end -= s->at;
			s->at = 0;
		}
		int rc = refill(s, want - (s->end - s->at), err);

		if (rc < 0)
			return rc;
	}
	*view = str_n(s->buf + s->at, s->end - s->at);
	return WN_OK;
}

void stream_skip(struct stream *s, size_t n) { s->at += n; }

void stream_restart(struct stream *s, uint64_t at, uint64_t end)
{
	s->limit = end;
	s->offset = at;
	s->at = s->end = 0;
	s->eof = at >= end;
}

bool stream_can_seek(const struct stream *s, uint64_t at)
{
	return s->seekable || (at >= s->offset && at <= s->offset + s->end);
}

int stream_seek(struct stream *s, uint64_t at, struct err *err)
{
	if (at >= s->offset && at <= s->offset + s->end) {
		s->at = (size_t)(at - s->offset);
		return WN_OK; /* what is known about the end stays true */
	}
	if (!s->seekable)
		return err_set(err, WN_IO, "%s cannot be read from offset %llu: it is not a regular file", s->path,
			       (unsigned long long)at);
	s->offset = at;
	s->at = s->end = 0;
	s->eof = at >= s->limit;
	return WN_OK;
}

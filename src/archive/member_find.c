/* archive/member_find.c -- where members begin, and what they are; see member_int.h.
 *
 * A member is true when it opens to a record's head: bytes that only look like
 * the beginning of one are common in blocks.
 */
#include "archive/member_int.h"

#include "archive/arc.h"
#include "base/mem.h"

bool text_opens(struct text *t, struct str raw)
{
	char start[1024];
	size_t n = 0, size;
	struct str in = raw;

	if (t->coding == CODING_GZIP && raw.n > 3 && (raw.p[3] & 0xe0))
		return false;
	decoder_reset(t->decoder);
	while (n < sizeof start) {
		size_t before = n, left = in.n;
		enum decode_state state = decoder_step(t->decoder, &in, start + n, sizeof start - n, &n);

		if (state == DECODE_BAD && n == 0)
			return false;
		if (state != DECODE_MORE || (n == before && in.n == left) || !in.n)
			break;
	}
	struct str text = { start, n };

	if (t->coding == CODING_BZIP2 && n == 0 && in.n == 0)
		return raw.n >=
		       TEXT_OPENS; /* a block of it may be longer than what is in view, and opens only as a whole */
	while (text.n && (text.p[0] == '\r' || text.p[0] == '\n'))
		text = str_sub(text, 1, text.n);
	return warc_sight(text, false) == HEAD_YES || arc_sight(text, true, true, &size) == HEAD_YES;
}

bool text_begins(struct text *t, struct str raw)
{
	enum coding was = t->coding, now = coding_sniff(raw);

	if (now == CODING_NONE)
		return false;
	text_use(t, now);
	if (text_opens(t, raw))
		return true;
	text_use(t, was);
	return false;
}

enum { MAGIC = 4 }; /* bytes of the longest; a member has more than that */

static const unsigned char leads[CODINGS] = {
	[CODING_GZIP] = 0x1f, [CODING_ZSTD] = 0x28, [CODING_LZ4] = 0x04, [CODING_BZIP2] = 'B'
};

/* The next byte that what is searched may begin with, from i; v.n: none. */
static size_t next_lead(const struct text *t, struct str v, size_t i, enum text_goal goal)
{
	static const bool is_lead[256] = { [0x1f] = true, [0x28] = true, [0x04] = true, ['B'] = true, ['W'] = true };

	if (goal == FIND_OWN) {
		const char *hit = memchr(v.p + i, leads[t->coding], v.n - i);

		return hit ? (size_t)(hit - v.p) : v.n;
	}
	while (i < v.n && !is_lead[(unsigned char)v.p[i]])
		i++;
	return i;
}

static bool reached(struct text *t, struct str v, enum text_goal goal)
{
	if (goal == FIND_OWN && coding_sniff(v) != t->coding)
		return false;
	return text_begins(t, v) || (goal == FIND_RECORD && warc_sight(v, false) == HEAD_YES);
}

size_t text_find_member(struct text *t, struct str v, size_t most)
{
	struct str before = str_sub(v, 0, most);

	for (size_t i = 0; (i = next_lead(t, before, i, FIND_MEMBER)) < before.n; i++)
		if (text_begins(t, str_sub(v, i, v.n)))
			return i;
	return most;
}

int text_search(struct text *t, uint64_t most, enum text_goal goal, struct err *err)
{
	while (stream_at(&t->raw) < most) {
		struct str v;
		int rc = stream_view(&t->raw, 64 * KIB, &v, err);

		if (rc < 0)
			return rc;
		if (v.n < MAGIC) {
			stream_skip(&t->raw, v.n);
			return WN_END;
		}
		bool end = t->raw.eof;
		size_t i = 0;

		while (i + MAGIC <= v.n && (end || v.n - i >= TEXT_OPENS)) {
			if ((i = next_lead(t, v, i, goal)) == v.n)
				break;
			if (reached(t, str_sub(v, i, v.n), goal)) {
				stream_skip(&t->raw, i);
				return WN_OK;
			}
			i++;
		}
		if (i > v.n)
			i = v.n;
		stream_skip(&t->raw, i ? i : v.n);
	}
	return WN_END;
}

/* Where the row of members that begins at the start of v ends: at the end of
 * v, or at the first bytes that are no member. */
static size_t end_of_row(struct text *t, struct str v)
{
	struct str in = v;
	char out[4096];

	while (coding_sniff(in) == t->coding) {
		enum decode_state state = DECODE_MORE;

		decoder_reset(t->decoder);
		while (state == DECODE_MORE && in.n) {
			size_t used = 0, before = in.n;

			state = decoder_step(t->decoder, &in, out, sizeof out, &used);
			if (state == DECODE_MORE && !used && in.n == before)
				return v.n;
		}
		if (state != DECODE_DONE)
			return v.n; /* damaged here, or not all in view */
	}
	return v.n - in.n;
}

/* The coding of a file whose very first bytes are damaged: the first true
 * member near its beginning tells.  A file that begins with a head is plain, and
 * so is one where a head follows the members: they are part of a block. */
void text_hidden_coding(struct text *t, struct str v)
{
	size_t line, start = 0;

	while (start < v.n && (v.p[start] == '\r' || v.p[start] == '\n'))
		start++;
	if (warc_sight(str_sub(v, start, v.n), false) != HEAD_NO ||
	    arc_sight(str_sub(v, start, v.n), true, false, &line) == HEAD_YES ||
	    (v.n > 4 && le32(v.p) == 0xec30a437u)) /* a dictionary alone */
		return;
	for (size_t i = 1; i + 4 <= v.n; i++) {
		enum coding c = coding_sniff(str_sub(v, i, v.n));

		if (c == CODING_NONE)
			continue;
		text_use(t, c);
		if (text_opens(t, str_sub(v, i, v.n))) {
			size_t end = i + end_of_row(t, str_sub(v, i, v.n));

			while (end < v.n && (v.p[end] == '\r' || v.p[end] == '\n'))
				end++;
			if (warc_sight(str_sub(v, end, v.n), true) == HEAD_NO &&
			    arc_sight(str_sub(v, end, v.n), true, true, &line) == HEAD_NO)
				return;
		}
		text_use(t, CODING_NONE);
	}
}

/* zstd and lz4 share the skippable frames: what follows them tells which it is. */
enum coding text_behind_skippable(struct str v)
{
	if (le32(v.p) == DICTIONARY_FRAME)
		return CODING_ZSTD;
	while (text_skippable(v))
		v = str_sub(v, 8 + (size_t)le32(v.p + 4), v.n);
	return coding_sniff(v) == CODING_LZ4 ? CODING_LZ4 : CODING_ZSTD;
}

/* ---- records that are not compressed ---- */

static size_t line_ends(struct str v, size_t most)
{
	size_t n = 0;

	while (n < v.n && n < most && (v.p[n] == '\r' || v.p[n] == '\n'))
		n++;
	return n;
}

bool text_plain_head(struct str v)
{
	size_t line;

	v = str_sub(v, line_ends(v, 8), v.n);
	return warc_sight(v, false) == HEAD_YES || arc_sight(v, true, true, &line) == HEAD_YES;
}

/* The end of the WARC record that begins v, by its own length, without the line ends behind it; 0 when it does not say. */
static uint64_t end_by_length(struct str v)
{
	struct record *rec;
	struct head_scratch scratch = { 0 };
	size_t skip = line_ends(v, 8), head;
	bool cut = false;
	uint64_t end = 0;

	v = str_sub(v, skip, v.n);
	if (warc_sight(v, false) != HEAD_YES || !(head = warc_head_size(v, false, &cut)) || cut)
		return 0;
	rec = mem_zalloc(sizeof *rec);
	warc_parse(rec, str_sub(v, 0, head), &scratch, 0);
	if (rec->has_length && rec->length < UINT64_MAX / 2)
		end = skip + head + rec->length;
	head_scratch_release(&scratch);
	mem_free(rec);
	return end;
}

/* What stands behind a stored member fits: the line ends that close a record, or nothing, a member or a record.
 * *ends: line ends that belong to it. */
static bool closes_stored(struct str v, size_t *ends)
{
	*ends = line_ends(v, 8);
	struct str behind = str_sub(v, *ends, v.n);

	if (behind.n == 0 || coding_sniff(behind) != CODING_NONE || text_plain_head(behind))
		return true;
	*ends = 4;
	return str_starts(v, STR("\r\n\r\n"));
}

/* The same as below of a pipe, of which only v can be looked at; UINT64_MAX: at the next member, wherever that is. */
static uint64_t find_end_in_view(const struct text *t, struct str v, uint64_t length, uint64_t at)
{
	size_t ends = 4; /* CR LF CR LF */
	bool out_of_view = length + 16 > v.n && !t->raw.eof;

	if (length && (out_of_view || (length <= v.n && closes_stored(str_sub(v, (size_t)length, v.n), &ends))))
		return at + length + ends;
	return UINT64_MAX;
}

/* Where the stored member that begins v at *end ends: where its length says, if it is closed there or a member, a record
 * or the end of the file follows; else at the next member. */
int text_stored_end(struct text *t, struct str v, uint64_t *end, struct err *err)
{
	uint64_t at = *end, length = end_by_length(v);
	int rc;

	if (!t->raw.seekable) {
		*end = find_end_in_view(t, v, length, at);
		return WN_OK;
	}
	if (length) {
		size_t ends;
		bool fits;

		if ((rc = stream_seek(&t->raw, at + length - 1, err)) < 0 ||
		    (rc = stream_view(&t->raw, 4 * KIB, &v, err)) < 0)
			return rc;
		fits = v.n > 0 && closes_stored(str_sub(v, 1, v.n), &ends); /* its last byte is there */
		*end = at + length + (fits ? ends : 0);
		if ((rc = stream_seek(&t->raw, at, err)) < 0 || fits)
			return rc;
	}
	rc = text_search(t, UINT64_MAX, FIND_MEMBER, err);
	*end = rc == WN_OK ? stream_at(&t->raw) : UINT64_MAX;
	return rc < 0 ? rc : stream_seek(&t->raw, at, err);
}

/* archive/reader_length.c -- where a block really ends.
 *
 * A length is right when the line ends that close a record follow the block,
 * and then a head or the end of the member or file.  That is one comparison.
 * When it is not so, these decide, in this order:
 *
 *	- the digest the record declares: it fits the block of the declared
 *	  length, or the one that ends before the next head;
 *	- line ends, then a head: the length is right, its trailer is not;
 *	  but a block that took part of its trailer gives it back;
 *	- the next true head, or the end of the compressed member: the block
 *	  ends before the line ends in front of it.
 *
 * A block longer than the view is judged by a look at the place where it
 * should end: at once in a plain file; in a compressed one only when a head
 * was seen inside it, since that costs decoding twice (PROBE_MOST a reader).
 * A pipe cannot be looked at twice: there a length beyond the view counts.
 */
#include "archive/digest.h"
#include "archive/http.h"
#include "archive/reader_int.h"
#include "base/mem.h"

#define PROBE_MOST (1 * GIB) /* text decoded twice; then a head inside a block ends it */
#define DEFLATE_MOST 1032    /* bytes of text one compressed byte can make */

size_t reader_trailer(enum record_format format, struct str text)
{
	if (format == RECORD_ARC)
		return text.n && text.p[text.n - 1] == '\n' ? 1 : 0;
	if (text.n >= 4 && memcmp(text.p + text.n - 4, "\r\n\r\n", 4) == 0)
		return 4;
	return text.n >= 2 && memcmp(text.p + text.n - 2, "\n\n", 2) == 0 ? 2 : 0;
}

/* An ARC line that begins before `end` and goes on behind it: the block took the start of the next head. */
static bool splits_arc_line(const struct reader *r, struct str text, size_t end, bool all)
{
	size_t from = end;
	struct sighting s;

	for (size_t n = 1; n <= strlen("https:") && n <= end; n++) /* without a line end before it, too */
		if (str_starts(str_sub(text, end - n, text.n), STR("http")) &&
		    reader_sight(r, str_sub(text, end - n, text.n), all, true, &s) == HEAD_YES)
			return true;
	while (from && end - from < BEYOND && text.p[from - 1] != '\n')
		from--;
	return from < end && reader_sight(r, str_sub(text, from, text.n), all, true, &s) == HEAD_YES;
}

enum closing reader_closing(const struct reader *r, enum record_format format, struct str text, size_t end, bool all,
			    size_t *run)
{
	size_t n = 0, ends = 0, exact = format == RECORD_WARC ? 4 : 1;
	struct str after = str_sub(text, end, text.n);
	struct sighting s;

	while (n < after.n && (after.p[n] == '\r' || after.p[n] == '\n'))
		ends += after.p[n++] == '\n';
	*run = n;
	bool closed = n == after.n ? all : reader_sight(r, str_sub(after, n, after.n), all, false, &s) != HEAD_NO;

	if (closed && n == exact && (n == 1 || memcmp(after.p, "\r\n\r\n", 4) == 0))
		return CLOSE_EXACT;
	if (closed && n == 0 && format == RECORD_ARC && splits_arc_line(r, text, end, all))
		return CLOSE_NOT;
	if (closed || n == after.n)
		return CLOSE_LOOSE;
	return ends >= (format == RECORD_WARC ? 2 : 1) ? CLOSE_GAP : CLOSE_NOT;
}

size_t reader_give_back(enum record_format format, struct str text, size_t length, size_t run)
{
	size_t stop = length + run, ends = 0, other = stop - reader_trailer(format, str_sub(text, 0, stop));
	bool split = run && length && text.p[length] == '\n' && text.p[length - 1] == '\r';

	for (size_t i = length; i < stop; i++)
		ends += text.p[i] == '\n';
	if (format == RECORD_ARC || other >= length || (ends >= 2 && !split))
		return length;
	return other;
}

/* 1: a digest that the record declares is that of the block; 0: it is not; -1: there is none to tell. */
static int digest_says(const struct record *rec, struct str block)
{
	struct digest want, got;

	if (rec->block_digest.n && digest_parse(rec->block_digest, &want)) {
		digest_of(want.kind, block, &got);
		return digest_eq(&want, &got);
	}
	if (!rec->payload_digest.n || rec->type == RECORD_REVISIT || rec->segment_number ||
	    !digest_parse(rec->payload_digest, &want))
		return -1;
	if (record_is_http(rec, block))
		block = str_sub(block, http_head_size(block, true), block.n);
	digest_of(want.kind, block, &got);
	return digest_eq(&want, &got) ? 1 : -1; /* it may be of the body without chunks */
}

/* Would the shorter block lose the empty line that ends its HTTP head? */
static bool cuts_http(const struct record *rec, struct str block, uint64_t shorter)
{
	return record_is_http(rec, block) && !http_head_size(str_sub(block, 0, (size_t)shorter), false);
}

static enum verdict correct(struct record *rec, uint64_t length)
{
	flaw_add(&rec->flaws, FLAW_WRONG_LENGTH, rec->span.at, "length %llu, found %llu before the next record",
		 (unsigned long long)rec->length, (unsigned long long)length);
	rec->length = length;
	return LENGTH_RIGHT;
}

static size_t before_head(enum record_format format, struct str block)
{
	return block.n - reader_trailer(format, block);
}

/* Line ends and then a head follow the block of the declared length: part of them may have been counted in. */
static enum verdict judge_loose(const struct reader *r, struct record *rec, struct str block, size_t run)
{
	struct sighting s;
	size_t length = (size_t)rec->length, stop = length + run,
	       other = stop - reader_trailer(rec->format, str_sub(block, 0, stop));

	if (other == length || rec->format == RECORD_ARC || digest_says(rec, str_sub(block, 0, length)) == 1)
		return LENGTH_RIGHT;
	if (digest_says(rec, str_sub(block, 0, other)) == 1)
		return correct(rec, other);
	if (reader_find_head(r, str_sub(block, 0, length), true, true, &s) == HEAD_YES) /* it swallowed a record */
		return correct(rec, before_head(rec->format, str_sub(block, 0, s.at)));
	other = reader_give_back(rec->format, block, length, run);
	return other == length || cuts_http(rec, block, other) ? LENGTH_RIGHT : correct(rec, other);
}

/* The block closes, but what follows is no head.  In a member of its own a record goes to the member's end. */
static enum verdict judge_gap(const struct reader *r, struct record *rec, struct str block, bool all)
{
	struct sighting s;
	size_t length = (size_t)rec->length;

	if (digest_says(rec, str_sub(block, 0, length)) == 1)
		return LENGTH_RIGHT;
	if (reader_find_head(r, str_sub(block, 0, length), true, true, &s) == HEAD_YES) /* it swallowed a record */
		return correct(rec, before_head(rec->format, str_sub(block, 0, s.at)));
	bool next = reader_find_head(r, str_sub(block, length, block.n), false, all, &s) == HEAD_YES;
	size_t stop = next ? length + s.at : block.n,
	       other = stop - reader_trailer(rec->format, str_sub(block, 0, stop));

	if (!next && !all)
		return LENGTH_RIGHT;
	if (digest_says(rec, str_sub(block, 0, other)) == 1)
		return correct(rec, other);
	bool alone = r->text.coding != CODING_NONE && !r->text.damaged && !next && r->span.skip == 0 && other < stop;

	return alone ? correct(rec, other) : LENGTH_RIGHT;
}

/* The text ends before the block does, and no head is in it.  A member says
 * itself where it ends; a file may only be cut, or not be complete yet. */
static enum verdict judge_end(const struct reader *r, struct record *rec, struct str block)
{
	size_t trailer = r->text.damaged ? 0 : reader_trailer(rec->format, block), length = block.n - trailer;

	if (trailer && ((rec->plain && rec->format == RECORD_ARC) || cuts_http(rec, block, length)))
		trailer = 0, length = block.n;
	if (trailer && (r->text.coding != CODING_NONE || digest_says(rec, str_sub(block, 0, length)) == 1))
		return correct(rec, length);
	flaw_add(&rec->flaws, FLAW_BLOCK_TRUNCATED, rec->span.at, "%zu of %llu bytes", length,
		 (unsigned long long)rec->length);
	rec->length = length;
	return LENGTH_CUT;
}

enum verdict reader_judge(struct reader *r, struct record *rec, struct str block, bool all, bool *wrong)
{
	struct sighting s;
	bool fits = rec->length <= block.n;

	*wrong = false;
	if (fits) {
		size_t run;

		switch (reader_closing(r, rec->format, block, (size_t)rec->length, all, &run)) {
		case CLOSE_EXACT: return LENGTH_RIGHT;
		case CLOSE_LOOSE: return judge_loose(r, rec, block, run);
		case CLOSE_GAP: return judge_gap(r, rec, block, all);
		case CLOSE_NOT: break;
		}
	}
	enum head_sight seen = reader_find_head(r, block, true, all, &s);

	if (seen == HEAD_YES) {
		enum probe probe = fits || all ? PROBE_NO : reader_probe(r, rec->head, rec->length);

		if (probe == PROBE_YES || probe == PROBE_CANNOT)
			return LENGTH_OPEN; /* an archive in the archive: the block is closed where it should be */
		return correct(rec, before_head(rec->format, str_sub(block, 0, s.at)));
	}
	if (!all) {
		*wrong = fits;
		return LENGTH_OPEN;
	}
	if (!fits)
		return judge_end(r, rec, block);
	if (r->text.coding != CODING_NONE || reader_trailer(rec->format, block))
		return correct(rec, before_head(rec->format, block));
	return LENGTH_RIGHT; /* garbage behind the last record */
}

/* Looking twice */

/* Moves t, which is at the start of the file, behind the block. */
static int pass_block(const struct reader *r, struct text *t, size_t head, uint64_t length, struct err *err)
{
	int rc;

	if (t->coding == CODING_NONE)
		return text_seek(t, r->span.at + head + length, err);
	if ((rc = text_seek(t, r->span.at, err)) == WN_OK && (rc = text_next(t, err)) == WN_OK)
		rc = text_pass(t, r->span.skip + head + length, err);
	return rc;
}

enum probe reader_probe(struct reader *r, size_t head, uint64_t length)
{
	const struct part *p = &r->parts[r->part];
	uint64_t size = r->text.raw.limit < r->size ? r->text.raw.limit : r->size;
	bool plain = r->text.coding == CODING_NONE;

	if (!r->text.raw.seekable)
		return PROBE_CANNOT;
	if (length / (plain ? 1 : DEFLATE_MOST) > size && (plain || r->text.coding == CODING_GZIP))
		return PROBE_NO; /* more than the file can hold */
	if (plain && r->span.at + head + length > size)
		return PROBE_NO;
	if (!plain && (r->probed += length) > PROBE_MOST)
		return PROBE_NO;
	struct flaws *unheard = mem_zalloc(sizeof *unheard);
	struct err err = { 0 };
	struct text t;
	struct str after;
	bool all;
	enum closing closing = CLOSE_NOT;
	size_t run;
	struct text_source from = {
		.fd = r->fd, .path = r->path, .seekable = true, .base = p->base, .limit = p->limit
	};
	int rc = text_init(&t, &from, unheard, &err);

	if (rc == WN_OK)
		rc = pass_block(r, &t, head, length, &err);
	if (rc == WN_OK && (rc = text_view(&t, BEYOND, &after, &all, &err)) == WN_OK)
		closing = reader_closing(r, r->format, after, 0, all, &run);
	text_release(&t);
	mem_free(unheard);
	if (rc < 0)
		return PROBE_CANNOT; /* a file that fails here will fail for the reader */
	return closing == CLOSE_NOT ? PROBE_NO : closing == CLOSE_GAP ? PROBE_GAP : PROBE_YES;
}

/* archive/reader_block.c -- the pieces of a block; see reader.h.
 *
 * A block that was seen whole is one piece.  A longer one streams through the
 * window, as long as its length says or up to the next head; the last TRAILER
 * bytes in view are held back, since they may close the record.
 */
#include "archive/reader_int.h"

/* The block ended at another place than its length says. */
static void tell_wrong(struct reader *r)
{
	if (r->wrong)
		flaw_add(&r->late, FLAW_WRONG_LENGTH, r->span.at, "length %llu, found %llu before the next record",
			 (unsigned long long)r->declared, (unsigned long long)r->found);
	r->until = r->wrong = false;
	r->left = 0;
}

static void hand_out(struct reader *r, struct str v, size_t n, struct str *piece)
{
	r->piece = n;
	r->line = v.p[n - 1] == '\n';
	r->found += n;
	*piece = str_sub(v, 0, n);
}

/* The next piece of a block that goes up to the next head, or to the end of the text. */
static int block_until(struct reader *r, struct str *piece, struct err *err)
{
	size_t want = 64 * KIB;

	for (;;) {
		struct sighting s;
		struct str v;
		bool all;
		int rc = text_view(&r->text, want, &v, &all, err);

		if (rc < 0)
			return rc;
		enum head_sight seen = reader_find_head(r, v, r->line, all, &s);
		bool ends = seen == HEAD_YES || all;
		size_t n = ends		    ? s.at - reader_trailer(r->format, str_sub(v, 0, s.at))
			   : s.at > TRAILER ? s.at - TRAILER
					    : 0;

		if (ends && n == 0) {
			tell_wrong(r);
			return WN_END;
		}
		if (n == 0 && v.n < WHOLE_MAX / 2) {
			want = v.n * 2;
			continue;
		}
		hand_out(r, v, n ? n : v.n / 2, piece);
		return WN_OK;
	}
}

/* Does the view of a block whose length is not sure show that it is wrong?  Then the block goes to the next head. */
static void look_inside(struct reader *r, struct str v, size_t *n, bool all)
{
	struct sighting s;
	bool last = *n == r->left || (all && *n == v.n);
	enum head_sight seen = reader_find_head(r, str_sub(v, 0, *n), r->line, last, &s);

	if (seen == HEAD_YES) {
		r->watch = false;
		enum probe probe = reader_probe(r, r->head_size, r->declared);

		r->until = r->wrong = probe == PROBE_NO || probe == PROBE_GAP;
	} else if (seen == HEAD_SHORT && s.at) {
		*n = s.at;
	}
}

/* The member or file ended before the block did, and nothing follows that belongs to it. */
static int end_early(struct reader *r, struct str v, struct str *piece)
{
	bool plain = r->text.coding == CODING_NONE;
	size_t trailer = r->text.damaged || (plain && r->format == RECORD_ARC) ? 0 : reader_trailer(r->format, v);
	bool member = !plain && trailer; /* it says itself where it ends */

	v.n -= trailer;
	r->left = 0;
	r->source.last = true;
	if (v.n)
		hand_out(r, v, v.n, piece);
	if (member) {
		r->wrong = true;
		tell_wrong(r);
	} else {
		flaw_add(&r->late, FLAW_BLOCK_TRUNCATED, r->span.at, "%llu of %llu bytes", (unsigned long long)r->found,
			 (unsigned long long)r->declared);
		r->cut = true;
	}
	return v.n ? WN_OK : WN_END;
}

/* How a long block closes, when its last n bytes are in view: its wrong length is seen now. */
static void close_long(struct reader *r, struct str v, size_t *n, bool all)
{
	struct sighting s;
	size_t run;

	switch (reader_closing(r, r->format, v, *n, all, &run)) {
	case CLOSE_NOT: r->until = r->wrong = true; break;
	case CLOSE_GAP: /* a record in a member of its own goes to the member's end */
		r->until = r->wrong = all && r->text.coding != CODING_NONE && r->span.skip == 0 &&
				      reader_trailer(r->format, v) &&
				      reader_find_head(r, str_sub(v, *n, v.n), false, true, &s) != HEAD_YES;
		break;
	case CLOSE_LOOSE:
		r->left = *n = reader_give_back(r->format, v, *n, run);
		r->wrong = r->found + r->left < r->declared;
		break;
	default: break;
	}
}

/* The next piece of a long block whose length is known. */
static int block_counted(struct reader *r, struct str *piece, struct err *err)
{
	while (r->left) {
		struct sighting s;
		struct str v;
		bool all;
		size_t want = r->left < MIB ? (size_t)r->left + BEYOND : 64 * KIB;
		int rc = text_view(&r->text, want, &v, &all, err);

		if (rc < 0)
			return rc;
		if (all && v.n < r->left) {
			if ((rc = reader_run_on(r, r->left - v.n, &r->late, err)) < 0)
				return rc;
			if (rc == WN_OK)
				continue;
			if (reader_find_head(r, v, r->line, true, &s) != HEAD_YES)
				return end_early(r, v, piece);
			r->until = r->wrong = true;
		}
		size_t n = v.n < r->left ? v.n : (size_t)r->left;

		if (n == r->left && !all && v.n < n + BEYOND)
			n /= 2; /* how it closes is not in view yet */
		if (r->watch && !r->until)
			look_inside(r, v, &n, all);
		if (n == r->left && !r->until)
			close_long(r, v, &n, all);
		if (r->until)
			return block_until(r, piece, err);
		if (n < r->left && n > TRAILER)
			n -= TRAILER; /* should the member end here, these may close the record */
		r->left -= n;
		if (n == 0)
			break;
		hand_out(r, v, n, piece);
		r->source.last = r->left == 0;
		if (r->left == 0)
			tell_wrong(r);
		return WN_OK;
	}
	tell_wrong(r);
	return WN_END;
}

int reader_block(struct reader *r, struct str *piece, struct err *err)
{
	r->source.last = false;
	if (!r->in_record)
		return WN_END;
	if (r->passed) {
		int rc = skim_open(r, err);

		if (rc < 0)
			return rc;
	}
	if (r->whole.p) {
		if (r->given || r->whole.n == 0)
			return WN_END;
		r->given = r->source.last = true;
		*piece = r->whole;
		return WN_OK;
	}
	text_skip(&r->text, r->piece);
	r->piece = 0;
	return r->until ? block_until(r, piece, err) : block_counted(r, piece, err);
}

struct source *reader_source(struct reader *r) { return &r->source; }

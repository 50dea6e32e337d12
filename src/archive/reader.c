/* archive/reader.c -- see reader.h.
 *
 * The reader stands before a head, or in a block.  A record whose head and
 * block fit into the window is seen whole: its slices point into the window
 * and nothing is copied.  For a longer one the head is copied and the block
 * streams through the window.
 *
 * Between records: line ends are passed; anything else that is no head is
 * garbage up to the next place that surely is one.  Whether a block ends where
 * its length says is judged in reader_length.c; one whose length is missing or
 * wrong goes to the next head or to the end of its member, without the line
 * ends in front of that (the last TRAILER bytes in view are held back for it).
 */
#include <stddef.h>

#include "archive/reader_int.h"
#include "base/mem.h"

#define FIRST_LOOK (4 * KIB) /* text viewed to see a head */

static int end_of_file(struct reader *r)
{
	if (r->records == 0 && r->pending.n + r->pending.more == 0 && r->nparts == 1 && r->consumed == 0)
		flaw_add(&r->pending, FLAW_EMPTY_FILE, 0, "no bytes");
	if (r->records == 0) { /* then all of it is garbage: that need not be said twice */
		unsigned kept = 0;

		for (unsigned i = 0; i < r->pending.n; i++)
			if (r->pending.v[i].kind != FLAW_GARBAGE)
				r->pending.v[kept++] = r->pending.v[i];
		r->pending.n = kept;
		flaw_add(&r->pending, FLAW_NOT_AN_ARCHIVE, 0, "no WARC or ARC record found");
	}
	return WN_END;
}

/* Passes garbage up to the next sure head in this member, or behind a record of a plain text (turn) to compressed
 * members. WN_OK: standing before it. WN_END: the member has none that begins before `most`; *skipped grows. */
static int pass_garbage(struct reader *r, uint64_t most, uint64_t *skipped, bool line, bool turn, struct err *err)
{
	size_t want = 64 * KIB;

	for (;;) {
		struct str v;
		struct sighting s;
		bool all;
		int rc = text_view(&r->text, want, &v, &all, err);

		if (rc < 0)
			return rc;
		enum head_sight seen = reader_find_head(r, v, line, all, &s);

		if (turn) {
			if (seen == HEAD_SHORT && s.at + TEXT_OPENS > v.n)
				s.at = v.n > TEXT_OPENS ? v.n - TEXT_OPENS : 0;
			size_t member = text_turn_in(&r->text, v, s.at);

			if (member < s.at) {
				*skipped += member;
				return WN_OK;
			}
		}
		text_skip(&r->text, s.at);
		*skipped += s.at;
		if (seen == HEAD_YES)
			return WN_OK;
		if (all || text_at(&r->text) >= most)
			return WN_END;
		line = s.at ? v.p[s.at - 1] == '\n' : line;
		want = s.at ? 64 * KIB : want < WHOLE_MAX / 2 ? want * 2 : want;
		if (!s.at && v.n >= want) { /* a line longer than any head */
			text_skip(&r->text, v.n / 2);
			*skipped += v.n / 2;
			line = false;
		}
	}
}

/* Joins the next member to the present one, of which all is in view, unless a head begins there.  WN_OK: joined.
 * `lacking` is what the block still needs: line ends in front of a head may be its last bytes and the trailer. */
static int join_next(struct reader *r, uint64_t lacking, struct err *err)
{
	uint64_t ends = 0, trailer = r->format == RECORD_ARC ? 1 : 4;
	struct str next;
	struct sighting s;

	if (r->text.damaged)
		return WN_END;
	int rc = text_peek(&r->text, &next, err);

	if (rc != WN_OK)
		return rc;
	for (; next.n && (next.p[0] == '\r' || next.p[0] == '\n'); ends++)
		next = str_sub(next, 1, next.n);
	bool ours = lacking && (next.n ? ends == lacking + trailer : ends <= lacking);

	if (!ours && (next.n == 0 || reader_sight(r, next, true, true, &s) == HEAD_YES))
		return WN_END;
	text_join(&r->text);
	return WN_OK;
}

static void tell_split(struct reader *r, struct flaws *flaws, uint64_t at)
{
	if (!flaw_has(&r->pending, FLAW_SPLIT_RECORD) && !flaw_has(&r->late, FLAW_SPLIT_RECORD))
		flaw_add(flaws, FLAW_SPLIT_RECORD, at, "over several members");
}

/* Is there a head at the start of the text?  One that goes on in the next member is joined. */
static int see_head(struct reader *r, bool strict, enum head_sight *seen, struct sighting *out, struct err *err)
{
	size_t want = FIRST_LOOK;
	bool joined = false;

	for (;;) {
		struct str v;
		bool all;
		int rc = text_view(&r->text, want, &v, &all, err);

		if (rc < 0)
			return rc;
		*seen = reader_sight(r, v, all, strict, out);
		if (*seen == HEAD_YES && joined) {
			uint64_t raw, skip;

			text_place(&r->text, &raw, &skip);
			tell_split(r, &r->pending, raw);
		}
		if (*seen == HEAD_SHORT && want < LIMIT_RECORD_HEAD) {
			want *= 4;
			continue;
		}
		if (*seen == HEAD_YES || !all || v.n >= LIMIT_RECORD_HEAD || r->text.coding == CODING_NONE ||
		    reader_sight(r, v, false, strict, out) != HEAD_SHORT)
			return WN_OK;
		if ((rc = join_next(r, 0, err)) != WN_OK)
			return rc < 0 ? rc : WN_OK;
		joined = true;
	}
}

/* Moves to the next head.  *out says which kind it is. */
static int seek_head(struct reader *r, struct sighting *out, struct err *err)
{
	bool strict = false;

	if (r->part >= r->nparts)
		return end_of_file(r);
	if (r->loose) {
		uint64_t skipped = 0;
		int rc;

		r->loose = false;
		if ((rc = pass_garbage(r, r->to, &skipped, false, false, err)) != WN_OK)
			return rc;
	}
	for (;;) {
		struct str v;
		bool all;
		size_t newlines = 0;
		int rc = text_view(&r->text, FIRST_LOOK, &v, &all, err);

		if (rc < 0)
			return rc;
		while (newlines < v.n && (v.p[newlines] == '\r' || v.p[newlines] == '\n'))
			newlines++;
		if (newlines) {
			text_skip(&r->text, newlines);
			continue;
		}
		if (v.n == 0) {
			if ((rc = text_next(&r->text, err)) == WN_END)
				rc = reader_next_part(r, err);
			if (rc < 0)
				return rc;
			if (rc == WN_END)
				return end_of_file(r);
			strict = false;
			continue;
		}
		enum head_sight seen;

		if ((rc = see_head(r, strict, &seen, out, err)) < 0)
			return rc;
		if (seen == HEAD_YES)
			return WN_OK;
		bool between = r->text.coding == CODING_NONE && r->ended, turned = false;

		if (between && !strict && (rc = text_turn(&r->text, &turned, err)) < 0)
			return rc;
		if (turned)
			continue;
		uint64_t skipped = 0, raw, skip;

		text_place(&r->text, &raw, &skip);
		rc = pass_garbage(r, UINT64_MAX, &skipped, true, between, err);
		if (rc < 0)
			return rc;
		flaw_add(&r->pending, FLAW_GARBAGE, raw,
			 skip ? "%llu bytes, %llu behind the start of the member" : "%llu bytes",
			 (unsigned long long)skipped, (unsigned long long)skip);
		strict = rc == WN_OK;
	}
}

/* Blocks */

int reader_run_on(struct reader *r, uint64_t lacking, struct flaws *flaws, struct err *err)
{
	int rc = join_next(r, lacking, err);

	if (rc == WN_OK)
		tell_split(r, flaws, r->span.at);
	return rc;
}

/* View of the whole head of the record at hand. */
static int view_head(struct reader *r, const struct sighting *s, struct str *v, bool *all, size_t *size, bool *cut,
		     struct err *err)
{
	size_t want = FIRST_LOOK;

	*cut = false;
	for (;;) {
		int rc = text_view(&r->text, want, v, all, err);

		if (rc < 0)
			return rc;
		struct str most = str_sub(*v, 0, LIMIT_RECORD_HEAD);

		*size = s->format == RECORD_ARC ? (s->size <= v->n ? s->size : 0)
						: warc_head_size(most, *all && most.n == v->n, cut);
		if (*size == v->n && *cut && *all && v->n < LIMIT_RECORD_HEAD) {
			if ((rc = reader_run_on(r, 0, &r->pending, err)) < 0)
				return rc;
			if (rc == WN_OK)
				continue;
			if ((rc = text_view(&r->text, want, v, all, err)) < 0)
				return rc;
		}
		if (*size)
			return WN_OK;
		if (v->n >= LIMIT_RECORD_HEAD) {
			*size = LIMIT_RECORD_HEAD;
			return WN_OK;
		}
		want = v->n < want ? want * 2 : v->n * 2;
		if (want > LIMIT_RECORD_HEAD)
			want = LIMIT_RECORD_HEAD;
	}
}

void reader_parse_head(struct reader *r, struct record *rec, enum record_format format, struct str head, bool cut)
{
	memset(rec, 0, offsetof(struct record, flaws));
	rec->flaws.n = rec->flaws.more = 0;
	rec->span = r->span;
	rec->part = r->parts[r->part].name;
	if (r->pending.n + r->pending.more)
		flaw_all(&rec->flaws, &r->pending);
	arena_reset(&r->scratch.arena);
	if (format == RECORD_ARC) {
		arc_parse(rec, head, r->arc_version, &r->scratch, rec->span.at);
		return;
	}
	warc_parse(rec, head, &r->scratch, rec->span.at);
	if (cut)
		flaw_add(&rec->flaws, FLAW_HEAD_TRUNCATED, rec->span.at, "after %zu bytes", head.n);
	else if (head.n == LIMIT_RECORD_HEAD)
		flaw_add(&rec->flaws, FLAW_HEAD_TOO_LONG, rec->span.at, "more than %zu bytes", LIMIT_RECORD_HEAD);
}

static struct str copy_head(struct reader *r, struct str head)
{
	if (head.n > r->head_cap) {
		r->head_cap = head.n * 2;
		r->head = mem_realloc(r->head, r->head_cap);
	}
	memcpy(r->head, head.p, head.n);
	return str_n(r->head, head.n);
}

/* Brings the block into view when it is short; joins members that it runs over. */
static int view_block(struct reader *r, size_t want, struct str *v, bool *all, struct err *err)
{
	for (;;) {
		int rc = text_view(&r->text, want + BEYOND, v, all, err);

		if (rc < 0 || v->n >= want || !*all)
			return rc;
		if ((rc = reader_run_on(r, want - v->n, &r->late, err)) != WN_OK)
			return rc < 0 ? rc : text_view(&r->text, 0, v, all, err);
	}
}

/* No usable length: up to the next head when that is in view. */
static enum verdict measure_block(struct reader *r, struct record *rec, struct str block, bool all)
{
	struct sighting s;
	enum head_sight seen = reader_find_head(r, block, true, all, &s);
	struct str found = str_sub(block, 0, seen == HEAD_SHORT ? 0 : s.at);

	rec->length = found.n - reader_trailer(rec->format, found);
	return seen == HEAD_SHORT ? LENGTH_OPEN : LENGTH_RIGHT;
}

/* The block is longer than the view: how it will be read. */
static void begin_long(struct reader *r, const struct record *rec, bool wrong)
{
	r->until = wrong || !rec->has_length;
	r->wrong = wrong;
	if (!r->until && r->text.coding == CODING_NONE) {
		enum probe probe = reader_probe(r, rec->head, rec->length);

		r->until = r->wrong = probe == PROBE_NO;
		r->watch = probe == PROBE_GAP;
	} else if (!r->until) {
		r->watch = r->text.raw.seekable;
	}
	r->left = rec->length;
}

static void begin_whole(struct reader *r, struct record *rec, struct str block)
{
	r->whole = str_sub(block, 0, (size_t)rec->length);
	if (!r->whole.p)
		r->whole.p = "";
	rec->whole = r->whole;
	r->ahead = rec->head + r->whole.n;
	r->found = r->whole.n;
	r->left = 0;
}

void reader_complete_head(struct reader *r, struct record *rec, struct str block)
{
	rec->head = r->head_size;
	rec->plain = text_plain(&r->text);
	rec->length = r->declared;
	if (rec->format == RECORD_ARC) {
		arc_type(rec, str_sub(block, 0, 16));
		if (rec->type == RECORD_WARCINFO && rec->version_major)
			r->arc_version = rec->version_major;
	}
}

/* Head and block: sets up the record at hand. */
static int begin_record(struct reader *r, struct record *rec, const struct sighting *s, struct err *err)
{
	struct str v, before;
	bool all, cut, wrong = false;
	size_t head;

	r->late.n = r->late.more = 0;
	int rc = view_head(r, s, &v, &all, &head, &cut, err);

	if (rc < 0)
		return rc;
	before = v;
	r->whole = STR_NONE;
	r->until = r->cut = r->given = r->watch = r->wrong = false;
	r->piece = r->ahead = 0;
	r->found = 0;
	r->format = s->format;
	reader_parse_head(r, rec, s->format, str_sub(v, 0, head), cut);
	bool headless = cut || (s->format == RECORD_WARC && head == LIMIT_RECORD_HEAD);
	uint64_t length = headless ? 0 : rec->length;
	size_t most = WHOLE_MAX - head, want = rec->has_length && length < most ? (size_t)length : most;

	r->cut = headless;
	if (headless) /* how it ends is looked at later: the view must not move then */
		rc = text_view(&r->text, head + BEYOND, &v, &all, err);
	else if (rec->has_length)
		rc = view_block(r, head + want, &v, &all, err);
	else
		rc = text_view(&r->text, WHOLE_MAX, &v, &all, err);
	if (rc < 0)
		return rc;
	if (v.p != before.p)
		reader_parse_head(r, rec, s->format, str_sub(v, 0, head), cut);
	struct str block = str_sub(v, head, v.n);

	r->head_size = head;
	r->declared = length;
	reader_complete_head(r, rec, block);
	enum verdict verdict = headless		 ? LENGTH_RIGHT
			       : rec->has_length ? reader_judge(r, rec, block, all, &wrong)
						 : measure_block(r, rec, block, all);

	r->cut |= verdict == LENGTH_CUT;
	if (verdict != LENGTH_OPEN) {
		begin_whole(r, rec, block);
		return WN_OK;
	}
	reader_parse_head(r, rec, s->format, copy_head(r, str_sub(v, 0, head)), cut); /* the view will move on */
	reader_complete_head(r, rec, block);
	begin_long(r, rec, wrong);
	text_skip(&r->text, head);
	return WN_OK;
}

/* The line ends that close a record. */
static int pass_trailer(struct reader *r, struct err *err)
{
	struct str v;
	struct sighting s;
	bool all, warc = r->format == RECORD_WARC;
	size_t n = 0;
	int rc = text_view(&r->text, 64, &v, &all, err);

	if (rc < 0)
		return rc;
	if (warc && v.n >= 4 && memcmp(v.p, "\r\n\r\n", 4) == 0)
		n = 4;
	else if (!warc && v.n >= 1 && v.p[0] == '\n')
		n = 1;
	r->ended = n > 0;
	r->closed = n && (n == v.n || (v.p[n] != '\r' && v.p[n] != '\n'));
	if (r->closed) {
		text_skip(&r->text, n);
		return WN_OK;
	}
	n = 0;
	while (n < v.n && n < 64 && (v.p[n] == '\r' || v.p[n] == '\n'))
		n++;
	text_skip(&r->text, n);
	if (r->cut || (!warc && v.n == 0))
		return WN_OK;
	if (n || v.n == 0 || reader_sight(r, v, all, false, &s) == HEAD_YES)
		flaw_add(
		    &r->late, FLAW_RECORD_TRAILER, r->span.at,
		    warc ? "%zu bytes of line ends instead of CR LF CR LF" : "%zu bytes of line ends instead of LF", n);
	else
		flaw_add(&r->late, FLAW_WRONG_LENGTH, r->span.at, "more follows the block of %llu bytes",
			 (unsigned long long)r->found);
	return WN_OK;
}

/* Leaves the record at hand: its late flaws and its length are known then. */
static int finish(struct reader *r, struct err *err)
{
	uint64_t raw;
	int rc;

	if (r->passed) {
		r->stop_raw = r->span.at + r->span.length;
		r->stop_skip = 0;
		r->passed = r->in_record = false;
		return WN_OK;
	}
	if (r->whole.p) {
		text_skip(&r->text, r->ahead);
	} else {
		struct str piece;

		while ((rc = reader_block(r, &piece, err)) == WN_OK)
			;
		if (rc < 0)
			return rc;
	}
	if ((rc = pass_trailer(r, err)) < 0 || (rc = text_settle(&r->text, &raw, err)) < 0)
		return rc;
	r->span.length = raw - r->span.at;
	text_place(&r->text, &r->stop_raw, &r->stop_skip);
	struct str v;
	bool all;

	if ((rc = text_view(&r->text, 0, &v, &all, err)) < 0)
		return rc;
	if (r->text.coding != CODING_NONE && v.n == 0) {
		r->stop_raw = raw;
		r->stop_skip = 0;
	}
	r->in_record = false;
	r->text.flaws = &r->pending;
	return WN_OK;
}

int reader_end(struct reader *r, struct record *rec, struct err *err)
{
	if (!r->in_record)
		return WN_OK;
	int rc = finish(r, err);

	if (rc < 0)
		return rc;
	flaw_all(&rec->flaws, &r->late);
	r->late.n = r->late.more = 0;
	rec->span = r->span;
	rec->length = r->found;
	return WN_OK;
}

int reader_begin(struct reader *r, struct record *rec, struct err *err)
{
	struct sighting s;
	enum head_sight seen;
	int rc = see_head(r, false, &seen, &s, err);

	if (rc < 0 || seen != HEAD_YES)
		return rc < 0 ? rc : WN_END;
	return begin_record(r, rec, &s, err);
}

void reader_enter(struct reader *r, enum record_format format, uint64_t raw, uint64_t skip)
{
	if (raw != r->last_member)
		r->shared_told = false;
	r->last_member = raw;
	r->span = (struct span){ raw, 0, skip };
	if (format == RECORD_WARC)
		r->seen_warc = true;
	else
		r->seen_arc = true;
}

static void entered(struct reader *r)
{
	r->pending.n = r->pending.more = 0;
	r->in_record = true;
	r->line = true;
	r->records++;
}

int reader_next(struct reader *r, struct record *rec, struct err *err)
{
	struct sighting s = { 0 };
	int rc;

	if (r->in_record && (rc = finish(r, err)) < 0)
		return rc;
	if (r->done || (r->single && r->records > r->first_record))
		return WN_END;
	if (r->skim && (rc = skim_next(r, rec, err)) != WN_END) {
		if (rc == WN_OK)
			entered(r);
		return rc;
	}
	if ((rc = seek_head(r, &s, err)) != WN_OK) {
		r->done = rc == WN_END;
		return rc;
	}
	uint64_t raw, skip;

	text_place(&r->text, &raw, &skip);
	if (raw >= r->to) {
		r->done = true;
		r->pending.n = r->pending.more = 0;
		return WN_END;
	}
	if (r->text.coding != CODING_NONE && skip && raw == r->last_member && !r->shared_told) {
		flaw_add(&r->pending, FLAW_SHARED_MEMBER, raw, "from %llu bytes behind its start",
			 (unsigned long long)skip);
		r->shared_told = true;
	}
	reader_enter(r, s.format, raw, skip);
	r->text.flaws = &r->late;
	if ((rc = begin_record(r, rec, &s, err)) < 0)
		return rc;
	entered(r);
	return WN_OK;
}

void reader_stop(const struct reader *r, uint64_t *at, uint64_t *skip)
{
	*at = r->stop_raw;
	*skip = r->stop_skip;
}

bool reader_whole(const struct reader *r, const struct record *rec)
{
	return r->closed && rec->has_length && rec->length == r->declared &&
	       !flaw_has(&rec->flaws, FLAW_TRUNCATED_FILE);
}

bool reader_tentative(const struct reader *r, const struct record *rec)
{
	bool beyond = rec->plain && rec->has_length && rec->length != r->declared &&
		      r->span.at + r->head_size + r->declared + BEYOND > r->size;

	return beyond || flaw_has(&rec->flaws, FLAW_TRUNCATED_FILE);
}

const struct flaws *reader_tail(const struct reader *r) { return &r->pending; }

uint64_t reader_ahead(const struct reader *r)
{
	uint64_t raw = r->consumed, skip;

	if (r->open)
		text_place(&r->text, &raw, &skip);
	return raw;
}

uint64_t reader_at(const struct reader *r) { return r->consumed + (r->open ? stream_at(&r->text.raw) : 0); }

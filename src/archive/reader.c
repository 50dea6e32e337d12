/* archive/reader.c -- see reader.h.
 *
 * The reader stands before a head, or in a block.  A record whose head and
 * block fit into the window is seen whole: its slices point into the window
 * and nothing is copied.  For a longer one the head is copied and the block
 * streams through the window.
 *
 * Between records: line ends are passed; anything else that is no head is
 * garbage up to the next place that surely is one.  A block that runs past the
 * end of its member or file, or is followed by neither line end nor head, is
 * searched for the head of the record it swallowed.
 */
#include <stddef.h>

#include "archive/reader_int.h"
#include "base/mem.h"

#define FIRST_LOOK (4 * KIB)		     /* text viewed to see a head */
#define BEYOND (2 * KIB)		     /* text viewed behind a block, to see how it ends */
#define WHOLE_MAX (TEXT_WINDOW / 2 - BEYOND) /* head and block of a record seen whole */

/* Finding heads */

struct sighting {
	enum record_format format;
	size_t at, size; /* where; length of an ARC line */
};

static enum head_sight sight(const struct reader *r, struct str s, bool all, bool strict, struct sighting *out)
{
	enum head_sight warc, arc;

	out->at = 0;
	out->format = RECORD_WARC;
	warc = warc_sight(s, all);
	if (warc == HEAD_NO && !strict && s.n >= 5 && memcmp(s.p, "WARC/", 5) == 0)
		warc = HEAD_YES;
	if (warc != HEAD_NO || r->seen_warc)
		return warc;
	if (!r->seen_arc && !str_starts(s, STR("filedesc:")))
		strict = true; /* a file that does not begin as an ARC must make it plain */
	arc = arc_sight(s, all, strict, &out->size);
	out->format = RECORD_ARC;
	return arc;
}

/* The first sure head in s, which begins at the start of a line when `line`
 * says so.  HEAD_SHORT: none before out->at, from where more text is needed. */
static enum head_sight find_head(const struct reader *r, struct str s, bool line, bool all, struct sighting *out)
{
	size_t i = 0;

	for (;;) {
		if (line || r->seen_warc || !r->seen_arc) {
			enum head_sight seen = HEAD_NO;

			if (line || (i < s.n && s.p[i] == 'W')) /* a WARC head may stand inside a line */
				seen = sight(r, str_sub(s, i, s.n), all, true, out);
			if (seen == HEAD_YES && !line && out->format == RECORD_ARC)
				seen = HEAD_NO;
			if (seen != HEAD_NO) {
				out->at = i;
				return seen;
			}
		}
		/* the next line, or the next "WARC/" inside this one */
		const char *nl = i < s.n ? memchr(s.p + i, '\n', s.n - i) : NULL;
		size_t end = nl ? (size_t)(nl - s.p) : s.n;

		line = false;
		if (!r->seen_arc && i + 1 < end) {
			const char *w = memmem(s.p + i + 1, end - i - 1, "WARC/", 5);

			if (w) {
				i = (size_t)(w - s.p);
				continue;
			}
		}
		if (!nl) {
			out->at = all ? s.n : s.n > 8 && s.n - 8 > i ? s.n - 8 : i;
			return all ? HEAD_NO : HEAD_SHORT;
		}
		i = end + 1;
		line = true;
		if (i >= s.n && all) {
			out->at = s.n;
			return HEAD_NO;
		}
	}
}

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

/* Passes garbage up to the next sure head in this member. WN_OK: standing
 * before one. WN_END: the member has none; *skipped grows. */
static int pass_garbage(struct reader *r, uint64_t *skipped, bool line, struct err *err)
{
	size_t want = 64 * KIB;

	for (;;) {
		struct str v;
		struct sighting s;
		bool all;
		int rc = text_view(&r->text, want, &v, &all, err);

		if (rc < 0)
			return rc;
		enum head_sight seen = find_head(r, v, line, all, &s);

		text_skip(&r->text, s.at);
		*skipped += s.at;
		if (seen == HEAD_YES)
			return WN_OK;
		if (all)
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
		if ((rc = pass_garbage(r, &skipped, false, err)) != WN_OK)
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
		size_t want = FIRST_LOOK;
		enum head_sight seen;

		while ((seen = sight(r, v, all, strict, out)) == HEAD_SHORT && want < LIMIT_RECORD_HEAD) {
			want *= 4;
			if ((rc = text_view(&r->text, want, &v, &all, err)) < 0)
				return rc;
		}
		if (seen == HEAD_YES)
			return WN_OK;
		uint64_t skipped = 0, raw, skip;

		text_place(&r->text, &raw, &skip);
		rc = pass_garbage(r, &skipped, true, err);
		if (rc < 0)
			return rc;
		flaw_add(&r->pending, FLAW_GARBAGE, raw,
			 skip ? "%llu bytes, %llu behind the start of the member" : "%llu bytes",
			 (unsigned long long)skipped, (unsigned long long)skip);
		strict = rc == WN_OK;
	}
}

/* Blocks */

/* Trailing line ends of a block that was taken up to the next head. */
static size_t without_trailer(struct str block)
{
	for (int ends = 0; ends < 2 && block.n && block.p[block.n - 1] == '\n'; ends++) {
		block.n--;
		if (block.n && block.p[block.n - 1] == '\r')
			block.n--;
	}
	return block.n;
}

static bool closes_record(const struct reader *r, struct str after, bool all)
{
	struct sighting s;

	if (after.n == 0)
		return all;
	return after.p[0] == '\n' || after.p[0] == '\r' || sight(r, after, all, false, &s) == HEAD_YES;
}

/* A block of known length that is all in view: does it swallow the next head? */
static void check_length(struct reader *r, struct record *rec, struct str v, size_t head, bool all)
{
	struct sighting s;
	size_t end = head + (size_t)rec->length;
	bool fits = end <= v.n;

	if (fits && closes_record(r, str_sub(v, end, v.n), all))
		return;
	struct str block = str_sub(v, head, v.n);

	if (find_head(r, block, true, true, &s) == HEAD_YES && s.at && s.at < rec->length) {
		uint64_t length = without_trailer(str_sub(block, 0, s.at));

		flaw_add(&rec->flaws, FLAW_WRONG_LENGTH, rec->span.at, "length %llu, found %llu before the next record",
			 (unsigned long long)rec->length, (unsigned long long)length);
		rec->length = length;
	} else if (!fits) {
		flaw_add(&rec->flaws, FLAW_BLOCK_TRUNCATED, rec->span.at, "%zu of %llu bytes", v.n - head,
			 (unsigned long long)rec->length);
		rec->length = v.n - head;
		r->cut = true;
	}
}

/* The member ends inside the block: does the record run on into the next one?
 * WN_OK: yes, and it is joined; WN_END: no. */
static int run_on(struct reader *r, struct flaws *flaws, struct err *err)
{
	struct str next;
	struct sighting s;

	if (r->text.damaged)
		return WN_END;
	int rc = text_peek(&r->text, &next, err);

	if (rc != WN_OK)
		return rc;
	while (next.n && (next.p[0] == '\r' || next.p[0] == '\n'))
		next = str_sub(next, 1, next.n);
	if (next.n == 0 || sight(r, next, true, true, &s) == HEAD_YES)
		return WN_END;
	if (!flaw_has(flaws, FLAW_SPLIT_RECORD))
		flaw_add(flaws, FLAW_SPLIT_RECORD, r->span.at, "over several members");
	text_join(&r->text);
	return WN_OK;
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
		*size = s->format == RECORD_ARC ? (s->size <= v->n ? s->size : 0) : warc_head_size(*v, *all, cut);
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

/* Reads the head into a fresh record.  What stays: span, part, pending flaws. */
static void parse_head(struct reader *r, struct record *rec, enum record_format format, struct str head, bool cut)
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

/* No usable length: up to the next head when that is in view, else as it comes. */
static int measure_block(struct reader *r, size_t head, uint64_t *length, struct err *err)
{
	struct sighting s;
	struct str v;
	bool all;
	int rc = text_view(&r->text, WHOLE_MAX, &v, &all, err);

	if (rc < 0)
		return rc;
	struct str block = str_sub(v, head, v.n);
	enum head_sight seen = find_head(r, block, true, all, &s);

	if (seen == HEAD_SHORT)
		r->until = true;
	else
		*length = without_trailer(str_sub(block, 0, s.at));
	return WN_OK;
}

/* Brings the block into view when it is short; joins members that it runs over. */
static int view_block(struct reader *r, size_t want, struct str *v, bool *all, struct err *err)
{
	for (;;) {
		int rc = text_view(&r->text, want + BEYOND, v, all, err);

		if (rc < 0 || v->n >= want || !*all)
			return rc;
		if ((rc = run_on(r, &r->late, err)) != WN_OK)
			return rc < 0 ? rc : text_view(&r->text, 0, v, all, err);
	}
}

/* Head and block: sets up the record at hand. */
static int begin_record(struct reader *r, struct record *rec, const struct sighting *s, struct err *err)
{
	struct str v, before;
	bool all, cut;
	size_t head;
	int rc = view_head(r, s, &v, &all, &head, &cut, err);

	if (rc < 0)
		return rc;
	before = v;
	r->whole = STR_NONE;
	r->until = r->cut = r->given = false;
	r->piece = r->ahead = 0;
	r->found = 0;
	r->late.n = r->late.more = 0;
	parse_head(r, rec, s->format, str_sub(v, 0, head), cut);
	rec->head = head;
	rec->plain = r->text.coding == CODING_NONE;
	uint64_t length = rec->length;
	bool headless = cut || (s->format == RECORD_WARC && head == LIMIT_RECORD_HEAD), measured = false;

	if (headless) {
		length = 0;
		r->cut = true;
	} else if (!rec->has_length) {
		measured = true;
		if ((rc = measure_block(r, head, &length, err)) < 0)
			return rc;
	}
	bool fits = !r->until && length <= WHOLE_MAX - head;

	if ((rc = view_block(r, head + (fits ? (size_t)length : 64), &v, &all, err)) < 0)
		return rc;
	if (!fits || v.p != before.p)
		parse_head(r, rec, s->format, fits ? str_sub(v, 0, head) : copy_head(r, str_sub(v, 0, head)), cut);
	rec->length = length;
	if (rec->format == RECORD_ARC) {
		arc_type(rec, str_sub(v, head, head + 16));
		if (rec->type == RECORD_WARCINFO && rec->version_major)
			r->arc_version = rec->version_major;
	}
	r->format = rec->format;
	r->declared = length;
	if (fits) {
		if (!headless && !measured)
			check_length(r, rec, v, head, all);
		r->whole = str_sub(v, head, head + (size_t)rec->length);
		if (!r->whole.p)
			r->whole.p = "";
		rec->whole = r->whole;
		r->ahead = head + r->whole.n;
		r->found = r->whole.n;
		r->left = 0;
		return WN_OK;
	}
	text_skip(&r->text, head);
	r->left = length;
	return WN_OK;
}

/* The next piece of a block that goes up to the next head. */
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
		enum head_sight seen = find_head(r, v, r->line, all, &s);

		if (s.at == 0 && (seen == HEAD_YES || all))
			return WN_END;
		if (s.at == 0 && v.n < WHOLE_MAX / 2) {
			want = v.n * 2;
			continue;
		}
		r->piece = s.at ? s.at : v.n / 2;
		r->line = v.p[r->piece - 1] == '\n';
		*piece = str_sub(v, 0, r->piece);
		r->found += r->piece;
		return WN_OK;
	}
}

int reader_block(struct reader *r, struct str *piece, struct err *err)
{
	r->source.last = false;
	if (!r->in_record)
		return WN_END;
	if (r->whole.p) {
		if (r->given || r->whole.n == 0)
			return WN_END;
		r->given = r->source.last = true;
		*piece = r->whole;
		return WN_OK;
	}
	text_skip(&r->text, r->piece);
	r->piece = 0;
	if (r->until)
		return block_until(r, piece, err);
	while (r->left) {
		struct str v;
		bool all;
		int rc = text_view(&r->text, 1, &v, &all, err);

		if (rc < 0)
			return rc;
		if (v.n) {
			r->piece = v.n < r->left ? v.n : (size_t)r->left;
			r->left -= r->piece;
			r->found += r->piece;
			r->source.last = r->left == 0;
			*piece = str_sub(v, 0, r->piece);
			return WN_OK;
		}
		if ((rc = run_on(r, &r->late, err)) < 0)
			return rc;
		if (rc == WN_END) {
			flaw_add(&r->late, FLAW_BLOCK_TRUNCATED, r->span.at, "%llu of %llu bytes",
				 (unsigned long long)r->found, (unsigned long long)r->declared);
			r->cut = true;
			r->left = 0;
		}
	}
	return WN_END;
}

struct source *reader_source(struct reader *r) { return &r->source; }

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
	if (n && (n == v.n || (v.p[n] != '\r' && v.p[n] != '\n'))) {
		text_skip(&r->text, n);
		return WN_OK;
	}
	n = 0;
	while (n < v.n && n < 64 && (v.p[n] == '\r' || v.p[n] == '\n'))
		n++;
	text_skip(&r->text, n);
	if (r->cut || (!warc && v.n == 0))
		return WN_OK;
	if (n || v.n == 0 || sight(r, v, all, false, &s) == HEAD_YES)
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
	if (!rec->has_length)
		rec->length = r->found;
	return WN_OK;
}

int reader_next(struct reader *r, struct record *rec, struct err *err)
{
	struct sighting s = { 0 };
	int rc;

	if (r->in_record && (rc = finish(r, err)) < 0)
		return rc;
	if (r->done || (r->single && r->records > r->first_record))
		return WN_END;
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
	if (raw != r->last_member)
		r->shared_told = false;
	r->last_member = raw;
	r->span = (struct span){ raw, 0, skip };
	r->text.flaws = &r->late;
	if (s.format == RECORD_WARC)
		r->seen_warc = true;
	else
		r->seen_arc = true;
	if ((rc = begin_record(r, rec, &s, err)) < 0)
		return rc;
	r->pending.n = r->pending.more = 0;
	r->in_record = true;
	r->line = true;
	r->records++;
	return WN_OK;
}

struct span reader_span(const struct reader *r) { return r->span; }

void reader_stop(const struct reader *r, uint64_t *at, uint64_t *skip)
{
	*at = r->stop_raw;
	*skip = r->stop_skip;
}

const struct flaws *reader_tail(const struct reader *r) { return &r->pending; }

uint64_t reader_at(const struct reader *r) { return r->consumed + (r->open ? stream_at(&r->text.raw) : 0); }

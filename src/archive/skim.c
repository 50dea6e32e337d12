/* archive/skim.c -- records of which only the heads are read; see reader_quick.
 *
 * In a plain file the block is passed over when it closes exactly where its
 * length says.  In a gzip file, of a member that holds one record, only the
 * beginning is inflated (lead.h): the heads.  The length in the head gives the
 * size T of the member's text, and a member ends with that number, where the
 * next one or the end of the file follows.  Such a place is taken for the end
 * when all of this holds:
 *
 *	1. It is the first place behind what was inflated where a member begins
 *	   that opens to a sure head, or the end of the file.
 *	2. The four bytes before it are T.
 *	3. The same four bytes stand nowhere between the lead and that place: there
 *	   the member might end and something damaged follow.
 *	4. No other member begins behind them before REACH, nor does the file end:
 *	   where that is so, the first place may lie in a member inside the block.
 *
 * REACH is how many bytes T bytes of text may take at most: what does not
 * compress is stored, with five bytes for each block.  So where the true end is
 * at a place that a member or the end of the file follows, it is among those that
 * were looked at, and it is the only one.  Wherever something is
 * otherwise (damage, several records in a member, a record over several, a wrong
 * or missing length, segments, a neighbour of equal size, a pipe) the record is
 * read as usual.  What stands in the block is not seen: neither damage there nor
 * the line ends behind it.  So it can be deceived: of a stored member with two
 * records, the first block may hold the four bytes of T and a member behind them.
 *
 * The places where members may begin are searched once for all records.
 * Cost: a few kilobytes inflated a record, the compressed bytes looked at twice.
 */
#include "archive/http.h"
#include "archive/lead.h"
#include "archive/member_int.h"
#include "archive/reader_int.h"
#include "base/mem.h"
#include "base/vec.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define RAW_LEAD (32 * KIB) /* compressed bytes that a lead is decoded from */
#define FIRST_LEAD 1024	    /* text decoded first; then a little more than the heads of the record before */
#define LEAST_LEAD 256
#define KIND_BYTES 16	      /* of a block, by which is told whether it is HTTP */
#define PLAIN_LEAD (64 * KIB) /* of a plain record */
#define REACH(text) ((text) + (text) / 32 + 128)
#define WINDOW (REACH(LIMIT_SKIM_TEXT) + 2 * RAW_LEAD + LIMIT_SKIM_LEAD)

/* Where a member may begin, and the four bytes before. */
struct place {
	uint64_t at;
	uint32_t size;
};

struct lead {
	char *text;
	size_t n, used;
	enum lead_state state;
	uint64_t at; /* of the member; UINT64_MAX: none */
};

struct skim {
	struct lead_tables *tables;
	struct lead lead, next; /* of the record, of the member behind it */
	size_t usual;		/* text decoded first */
	VEC(struct place) places;
	uint64_t from, to;    /* where they were searched */
	unsigned flaws, more; /* of the record's head: kept, only counted */
};

void reader_quick(struct reader *r)
{
	struct skim *s = mem_zalloc(sizeof *s);

	s->tables = lead_tables_new();
	s->lead.text = mem_alloc(LIMIT_SKIM_LEAD);
	s->next.text = mem_alloc(LIMIT_SKIM_LEAD);
	s->usual = FIRST_LEAD;
	r->skim = s;
	skim_forget(s);
}

void skim_free(struct skim *s)
{
	if (!s)
		return;
	lead_tables_free(s->tables);
	mem_free(s->lead.text);
	mem_free(s->next.text);
	vec_release(&s->places);
	mem_free(s);
}

void skim_forget(struct skim *s)
{
	s->lead.at = s->next.at = UINT64_MAX;
	s->places.n = 0;
	s->from = s->to = 0;
}

/* Heads */

/* What is seen of the heads in a text. */
enum heads {
	HEADS_NOT,  /* no sure head at its start, or one to be read as usual */
	HEADS_SOME, /* more text is needed */
	HEADS_ALL,
};

/* Reads the heads at the start of text; *size is where the block begins, *lead how much of it is needed. */
static enum heads read_heads(struct reader *r, struct record *rec, struct str text, size_t *size, size_t *lead)
{
	struct sighting s;
	bool cut = false;
	enum head_sight seen = reader_sight(r, text, false, true, &s);

	if (seen != HEAD_YES)
		return seen == HEAD_SHORT ? HEADS_SOME : HEADS_NOT;
	*size = s.format == RECORD_ARC ? s.size : warc_head_size(text, false, &cut);
	if (*size == 0 || *size > text.n)
		return HEADS_SOME;
	reader_parse_head(r, rec, s.format, str_sub(text, 0, *size), cut);
	if (cut || *size >= LIMIT_RECORD_HEAD || !rec->has_length || rec->segment_number ||
	    rec->type == RECORD_CONTINUATION)
		return HEADS_NOT;
	struct str block = str_sub(text, *size, text.n);

	*lead = rec->length < block.n ? (size_t)rec->length : block.n;
	if (*lead < rec->length && *lead < KIND_BYTES)
		return HEADS_SOME;
	r->format = s.format;
	r->head_size = *size;
	r->declared = rec->length;
	reader_complete_head(r, rec, block);
	block = str_sub(block, 0, *lead);
	if (!record_is_http(rec, block)) {
		*lead = *lead < KIND_BYTES ? *lead : KIND_BYTES;
		return HEADS_ALL;
	}
	size_t http = http_head_size(block, false);

	if (!http && *lead < rec->length)
		return HEADS_SOME;
	*lead = http ? http : *lead;
	return HEADS_ALL;
}

static size_t trailer(const struct record *rec) { return rec->format == RECORD_ARC ? 1 : 4; }

/* The record at hand is passed over: it ends at `end`, where the stream is moved. */
static int pass_over(struct reader *r, struct record *rec, uint64_t at, uint64_t end, struct str block, struct err *err)
{
	int rc = text_leap(&r->text, end, err);

	if (rc < 0)
		return rc;
	r->skim->flaws = rec->flaws.n;
	r->skim->more = rec->flaws.more;
	reader_enter(r, rec->format, at, 0);
	r->span.length = end - at;
	rec->span = r->span;
	rec->passed = true;
	rec->plain = r->text.coding == CODING_NONE;
	rec->lead = block;
	r->whole = STR_NONE;
	r->until = r->cut = r->given = r->watch = r->wrong = false;
	r->piece = r->ahead = 0;
	r->found = rec->length;
	r->left = 0;
	r->closed = r->passed = true;
	r->late.n = r->late.more = 0;
	return WN_OK;
}

/* Plain files */

static int skim_plain(struct reader *r, struct record *rec, struct err *err)
{
	struct stream *raw = &r->text.raw;
	struct skim *s = r->skim;
	uint64_t at = stream_at(raw), end;
	size_t head, lead, run;
	struct str v;
	int rc = stream_view(raw, PLAIN_LEAD, &v, err);

	if (rc < 0)
		return rc;
	r->span = (struct span){ at, 0, 0 };
	if (read_heads(r, rec, v, &head, &lead) != HEADS_ALL || head + lead > LIMIT_SKIM_LEAD ||
	    rec->length > INT64_MAX / 2 || head + rec->length + BEYOND <= v.n)
		return WN_END; /* one that is in view costs nothing */
	memcpy(s->lead.text, v.p, head + lead);
	read_heads(r, rec, str_n(s->lead.text, head + lead), &head, &lead);
	end = at + head + rec->length;
	if ((rc = stream_seek(raw, end, err)) < 0 || (rc = stream_view(raw, BEYOND, &v, err)) < 0)
		return rc;
	if (reader_closing(r, rec->format, v, 0, raw->eof, &run) != CLOSE_EXACT) {
		rc = stream_seek(raw, at, err);
		return rc < 0 ? rc : WN_END;
	}
	return pass_over(r, rec, at, end + run, str_n(s->lead.text + head, lead), err);
}

/* Members */

/* The first place where the two bytes stand next to each other; n: nowhere. */
static size_t find_two(const char *p, size_t n, unsigned char a, unsigned char b)
{
	size_t i = 0;

#ifdef __SSE2__
	const __m128i first = _mm_set1_epi8((char)a), second = _mm_set1_epi8((char)b);

	for (; i + 65 <= n; i += 64) {
		__m128i hit[4];

		for (int k = 0; k < 4; k++) {
			__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 16 * k));
			__m128i y = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 16 * k + 1));

			hit[k] = _mm_and_si128(_mm_cmpeq_epi8(x, first), _mm_cmpeq_epi8(y, second));
		}
		if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(hit[0], hit[1]), _mm_or_si128(hit[2], hit[3]))))
			break;
	}
#endif
	for (; i + 2 <= n; i++)
		if ((unsigned char)p[i] == a && (unsigned char)p[i + 1] == b)
			return i;
	return n;
}

/* Searches v, which begins at `at`, for places where members may begin, as far as that was not done before. */
static void find_places(struct skim *s, struct str v, uint64_t at)
{
	if (at < s->from || at > s->to) {
		s->places.n = 0;
		s->from = s->to = at;
	}
	size_t i = s->to > at + 4 ? (size_t)(s->to - at) : 4, old = 0;

	while (old < s->places.n && s->places.p[old].at <= at)
		old++;
	s->places.n -= old;
	if (s->places.n && old)
		memmove(s->places.p, s->places.p + old, s->places.n * sizeof *s->places.p);
	s->from = at;
	for (; i + 4 <= v.n; i++) {
		i += find_two(v.p + i, v.n - i, 0x1f, 0x8b);
		if (i + 4 <= v.n && v.p[i + 2] == 8 && !((unsigned char)v.p[i + 3] & 0xe0))
			vec_push(&s->places, ((struct place){ at + i, le32(v.p + i - 4) }));
	}
	if (v.n > 3 && s->to < at + v.n - 3)
		s->to = at + v.n - 3;
}

static void decode_lead(struct skim *s, struct lead *l, struct str raw, uint64_t at, size_t room)
{
	l->state = lead_decode(s->tables, str_sub(raw, 0, 2 * room + RAW_LEAD), l->text, room, &l->n, &l->used);
	l->at = at;
}

/* Does a member begin there that opens to a sure head?  Its lead is kept. */
static bool opens(struct reader *r, struct str raw, uint64_t at)
{
	struct skim *s = r->skim;
	struct sighting seen;

	if (s->next.at != at)
		decode_lead(s, &s->next, raw, at, s->usual);
	return s->next.state != LEAD_BAD &&
	       reader_sight(r, str_n(s->next.text, s->next.n), s->next.state == LEAD_WHOLE, true, &seen) == HEAD_YES;
}

/* Whether the four bytes of `size` stand in v. */
static bool holds(struct str v, uint32_t size)
{
	for (size_t i = 0; i + 4 <= v.n; i++) {
		i += find_two(v.p + i, v.n - i, size & 255, size >> 8 & 255);
		if (i + 4 <= v.n && le32(v.p + i) == size)
			return true;
	}
	return false;
}

/* The first place that opens, or the end of the file; 0: none, or too many that do not. */
static size_t first_end(struct reader *r, struct str v, uint64_t at, size_t from, size_t reach, size_t *next)
{
	struct skim *s = r->skim;
	size_t tried = 0, i = 0;

	for (; i < s->places.n && s->places.p[i].at <= at + reach; i++) {
		size_t place = (size_t)(s->places.p[i].at - at);

		if (place < from)
			continue;
		if (++tried > LIMIT_SKIM_PLACES)
			return 0;
		*next = i + 1;
		if (opens(r, str_sub(v, place, v.n), at + place))
			return place;
	}
	*next = i;
	return r->text.raw.eof && v.n >= from && v.n <= reach ? v.n : 0;
}

/* Where the member that begins v ends, of whose text T bytes s->lead has some; 0: not to be told without reading it. */
static size_t find_end(struct reader *r, struct str v, uint64_t text)
{
	struct skim *s = r->skim;
	const struct lead *l = &s->lead;
	size_t from = l->used + 8, next = 0, reach = l->used + 8 + (size_t)REACH(text - l->n);
	uint32_t size = (uint32_t)text;

	if (v.n < reach && !r->text.raw.eof)
		return 0;
	find_places(s, str_sub(v, 0, reach + 4), l->at);
	size_t end = first_end(r, v, l->at, from, reach, &next);

	if (!end || le32(v.p + end - 4) != size || holds(str_sub(v, l->used, end - 4), size))
		return 0;
	for (; next < s->places.n && s->places.p[next].at <= l->at + reach; next++)
		if (s->places.p[next].size == size)
			return 0;
	if (end < v.n && r->text.raw.eof && v.n <= reach && le32(v.p + v.n - 4) == size)
		return 0;
	return end;
}

/* The heads of the member at the start of v, in s->lead; false: it is to be read as usual. */
static bool heads_of_member(struct reader *r, struct record *rec, struct str v, uint64_t at, size_t *head, size_t *lead)
{
	struct skim *s = r->skim;
	size_t room = s->usual;

	if (s->next.at == at) {
		struct lead known = s->next;

		s->next = s->lead;
		s->lead = known;
		s->next.at = UINT64_MAX;
	} else {
		decode_lead(s, &s->lead, v, at, room);
	}
	for (;;) {
		if (s->lead.state != LEAD_CUT)
			return false; /* damaged, or so short that it is read whole at once */
		enum heads heads = read_heads(r, rec, str_n(s->lead.text, s->lead.n), head, lead);

		if (heads == HEADS_ALL) {
			size_t need = *head + *lead;

			s->usual = need + need / 8 > LEAST_LEAD ? need + need / 8 : LEAST_LEAD;
			if (s->usual > LIMIT_SKIM_LEAD)
				s->usual = LIMIT_SKIM_LEAD;
			return true;
		}
		if (heads == HEADS_NOT || s->lead.n * 4 > LIMIT_SKIM_LEAD)
			return false;
		decode_lead(s, &s->lead, v, at, s->lead.n * 4);
	}
}

static int skim_member(struct reader *r, struct record *rec, struct err *err)
{
	struct stream *raw = &r->text.raw;
	struct skim *s = r->skim;
	uint64_t at = stream_at(raw), text;
	size_t head, lead, end;
	struct str v;
	int rc;

	stream_grow(raw, WINDOW);
	if ((rc = stream_view(raw, RAW_LEAD + LIMIT_SKIM_LEAD, &v, err)) < 0)
		return rc;
	r->span = (struct span){ at, 0, 0 };
	if (!heads_of_member(r, rec, v, at, &head, &lead) || rec->length > LIMIT_SKIM_TEXT)
		return WN_END;
	text = head + rec->length + trailer(rec);
	if (text <= s->lead.n || text > LIMIT_SKIM_TEXT)
		return WN_END; /* more in it than the record, or too much */
	if ((rc = stream_view(raw, s->lead.used + (size_t)REACH(text) + RAW_LEAD, &v, err)) < 0)
		return rc;
	if (!(end = find_end(r, v, text)))
		return WN_END;
	return pass_over(r, rec, at, at + end, str_n(s->lead.text + head, lead), err);
}

int skim_next(struct reader *r, struct record *rec, struct err *err)
{
	const struct text *t = &r->text;

	if (!r->open || r->single || r->loose || !t->raw.seekable || stream_at(&t->raw) >= r->to ||
	    r->pending.n + r->pending.more)
		return WN_END;
	if (t->coding == CODING_NONE)
		return skim_plain(r, rec, err);
	if (t->coding != CODING_GZIP || t->at != t->end || t->inside || t->damaged || t->trouble)
		return WN_END;
	return skim_member(r, rec, err);
}

int skim_open(struct reader *r, struct err *err)
{
	struct record *again = mem_alloc(sizeof *again);
	struct flaws *more = &again->flaws;
	struct span span = r->span;
	int rc = text_seek(&r->text, span.at, err);

	r->passed = false;
	r->text.flaws = &r->late;
	if (rc == WN_OK && r->text.coding != CODING_NONE)
		rc = text_next(&r->text, err);
	if (rc == WN_OK)
		rc = reader_begin(r, again, err);
	if (rc == WN_OK && r->skim->flaws <= more->n) { /* those of its head are known */
		for (unsigned i = r->skim->flaws; i < more->n; i++)
			flaw_add(&r->late, more->v[i].kind, more->v[i].at, "%s", more->v[i].detail);
		r->late.more += more->more - r->skim->more;
	}
	mem_free(again);
	return rc == WN_END ? err_set(err, WN_IO, "%s changed while it was read", r->path) : rc;
}

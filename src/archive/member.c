/* archive/member.c -- see member.h.
 *
 * Invariants: at <= cut <= end <= cap; nmarks >= 1 once a member was entered;
 * marks[i].text increase.  `inside` concerns the last member in the window.
 */
#include "archive/member_int.h"

#include <libdeflate.h>
#include <zstd.h>

#include "base/log.h"
#include "base/mem.h"

#define RAW_WINDOW (1 * MIB)	/* compressed bytes kept */
#define RAW_AHEAD (192 * KIB)	/* a member is tried whole when this much is there */
#define DECODE_STEP (256 * KIB) /* text decoded at a time when a member is not taken whole */
#define BACK_OFF (32 * KIB)	/* how far before the place of an error the next member is searched, */
#define REREAD (256 * MIB)	/* when so much of the file was searched again from where a damaged member began */
#define PEEK_MEMBERS 4096	/* members joined into one window */
#define DICTIONARY_MAX (8 * MIB)

static void make_window(struct text *t)
{
	t->cap = TEXT_WINDOW;
	t->buf = mem_alloc(t->cap);
}

void text_use(struct text *t, enum coding coding)
{
	t->coding = coding;
	if (coding != CODING_NONE && !t->decoders[coding])
		t->decoders[coding] = decoder_new(coding);
	if (coding == CODING_GZIP && !t->whole && !(t->whole = libdeflate_alloc_decompressor()))
		die("no memory for a gzip decoder");
	t->decoder = t->decoders[coding];
}

int text_init(struct text *t, const struct text_source *from, struct flaws *flaws, struct err *err)
{
	struct str v;

	*t = (struct text){ .flaws = flaws, .first = true };
	stream_init(&t->raw, from->fd, from->path, from->seekable, from->base, from->limit, RAW_WINDOW);
	if (from->deflated)
		stream_inflate(&t->raw);
	else
		stream_lead(&t->raw, from->lead);
	int rc = stream_view(&t->raw, 8, &v, err);

	if (rc == WN_OK && text_skippable(v))
		rc = stream_view(&t->raw, RAW_WINDOW, &v, err);
	if (rc < 0)
		return rc;
	text_use(t, text_skippable(v) ? text_behind_skippable(v) : coding_sniff(v));
	if (t->coding == CODING_NONE) {
		if ((rc = stream_view(&t->raw, 64 * KIB, &v, err)) < 0)
			return rc;
		text_hidden_coding(t, v);
	}
	if (t->coding == CODING_NONE) {
		stream_grow(&t->raw, TEXT_WINDOW);
		return WN_OK;
	}
	make_window(t);
	return WN_OK;
}

int text_turn(struct text *t, bool *turned, struct err *err)
{
	struct str v;
	int rc = stream_view(&t->raw, 64 * KIB, &v, err);

	*turned = rc == WN_OK && text_begins(t, v);
	if (*turned)
		make_window(t);
	return rc;
}

size_t text_turn_in(struct text *t, struct str v, size_t most)
{
	size_t at = text_find_member(t, v, most);

	if (at < most) {
		stream_skip(&t->raw, at);
		make_window(t);
	}
	return at;
}

void text_release(struct text *t)
{
	stream_release(&t->raw);
	for (size_t i = 0; i < CODINGS; i++)
		decoder_free(t->decoders[i]);
	if (t->whole)
		libdeflate_free_decompressor(t->whole);
	mem_free(t->buf);
	mem_free(t->marks);
	*t = (struct text){ .raw.fd = -1 };
}

static void add_mark(struct text *t, uint64_t raw)
{
	if (t->nmarks == t->marks_cap) {
		t->marks_cap = t->marks_cap ? t->marks_cap * 2 : 8;
		t->marks = mem_rearray(t->marks, t->marks_cap, sizeof *t->marks);
	}
	t->marks[t->nmarks++] = (struct text_mark){ t->base + t->end, raw, false };
}

static void forget(struct text *t)
{
	t->base += t->end;
	t->at = t->end = t->cut = 0;
	t->nmarks = 0;
}

static void slide(struct text *t)
{
	memmove(t->buf, t->buf + t->at, t->end - t->at);
	t->base += t->at;
	t->end -= t->at;
	t->cut -= t->at;
	t->at = 0;
}

static bool use_dictionary(struct text *t, struct str dictionary)
{
	t->dictionary = ZSTD_getDictID_fromDict(dictionary.p, dictionary.n);
	return decoder_dictionary(t->decoder, dictionary);
}

static bool take_dictionary(struct text *t, struct str frame)
{
	if (coding_sniff(frame) != CODING_ZSTD)
		return use_dictionary(t, frame);
	char *out = mem_alloc(DICTIONARY_MAX);
	size_t n = ZSTD_decompress(out, DICTIONARY_MAX, frame.p, frame.n);
	bool ok = !ZSTD_isError(n) && use_dictionary(t, str_n(out, n));

	mem_free(out);
	return ok;
}

/* Passes skippable frames; the first of a zstd file may carry the dictionary. */
static int pass_skippable(struct text *t, struct err *err)
{
	for (;;) {
		struct str v;
		int rc = stream_view(&t->raw, 8, &v, err);

		if (rc < 0 || !text_skippable(v))
			return rc;
		uint64_t at = stream_at(&t->raw);
		uint64_t left = le32(v.p + 4);
		bool dictionary = t->first && t->coding == CODING_ZSTD && le32(v.p) == DICTIONARY_FRAME;

		stream_skip(&t->raw, 8);
		if (dictionary && left <= DICTIONARY_MAX) {
			stream_grow(&t->raw, (size_t)left + RAW_WINDOW);
			if ((rc = stream_view(&t->raw, (size_t)left, &v, err)) < 0)
				return rc;
			if (v.n < left || !take_dictionary(t, str_sub(v, 0, (size_t)left)))
				flaw_add(t->flaws, FLAW_BAD_DICTIONARY, at, "%llu bytes", (unsigned long long)left);
		} else if (dictionary) {
			flaw_add(t->flaws, FLAW_BAD_DICTIONARY, at, "%llu bytes, more than the limit",
				 (unsigned long long)left);
		}
		while (left) {
			if ((rc = stream_view(&t->raw, 1, &v, err)) < 0)
				return rc;
			if (v.n == 0) {
				flaw_add(t->flaws, FLAW_TRUNCATED_FILE, at, "in a skippable frame");
				return WN_OK;
			}
			size_t n = v.n < left ? v.n : (size_t)left;

			stream_skip(&t->raw, n);
			left -= n;
		}
	}
}

/* Decodes the member at the start of raw whole into the window.  False: it is
 * too large, damaged or not all there; nothing has changed then. */
static bool decode_whole(struct text *t, struct str raw)
{
	size_t in = 0, out = 0, room = t->cap - t->end;
	char *to = t->buf + t->end;

	if (t->coding == CODING_GZIP) {
		if (libdeflate_gzip_decompress_ex(t->whole, raw.p, raw.n, to, room, &in, &out) != LIBDEFLATE_SUCCESS)
			return false;
	} else if (t->coding == CODING_ZSTD) {
		in = ZSTD_findFrameCompressedSize(raw.p, raw.n);
		if (ZSTD_isError(in))
			return false;
		unsigned long long size = ZSTD_getFrameContentSize(raw.p, raw.n);

		if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR || size > room)
			return false;
		struct str left = { raw.p, in };

		decoder_reset(t->decoder);
		/* one call decodes the frame straight into the window, with the dictionary */
		if (decoder_step(t->decoder, &left, to, room, &out) != DECODE_DONE || left.n)
			return false;
	} else {
		return false;
	}
	stream_skip(&t->raw, in);
	t->end += out;
	t->raw_end = stream_at(&t->raw);
	return true;
}

static void note_empty(struct text *t, uint64_t at, uint64_t text_from)
{
	if (t->base + t->end == text_from)
		flaw_add(t->flaws, FLAW_EMPTY_MEMBER, at, "%llu bytes", (unsigned long long)(t->raw_end - at));
	else
		t->any = true;
}

static void note_trouble(struct text *t, enum flaw_kind kind, uint64_t raw, uint64_t decoded)
{
	t->trouble = true;
	t->trouble_kind = kind;
	t->trouble_raw = raw;
	t->trouble_text = decoded;
}

static void tell_trouble(struct text *t)
{
	if (t->trouble && t->trouble_kind == FLAW_MISSING_DICTIONARY)
		flaw_add(t->flaws, t->trouble_kind, t->trouble_raw, "it asks for dictionary %u, and the file has %s",
			 t->asks, t->dictionary ? "another" : "none");
	else if (t->trouble)
		flaw_add(t->flaws, t->trouble_kind, t->trouble_raw, "after %llu decoded bytes",
			 (unsigned long long)t->trouble_text);
	t->trouble = false;
}

/* A gzip member whose size is right has ended where it should, whatever its
 * checksum says; a damaged one may have run over its end into the next. */
static bool size_fits(struct text *t, uint64_t decoded, struct err *err)
{
	uint64_t here = stream_at(&t->raw);
	struct str v;

	if (here < 4 || !stream_can_seek(&t->raw, here - 4) || stream_seek(&t->raw, here - 4, err) < 0 ||
	    stream_view(&t->raw, 4, &v, err) < 0)
		return false;
	bool fits = v.n >= 4 && le32(v.p) == (uint32_t)decoded;

	stream_skip(&t->raw, v.n < 4 ? v.n : 4);
	return fits;
}

/* In a pipe the end of a stored member may come with what is read: how much of v is before it. */
static struct str find_stored_end(struct text *t, struct str v)
{
	size_t most = t->raw.eof ? v.n : v.n - TEXT_OPENS, at = text_find_member(t, v, most);

	if (at < most)
		t->stored_end = stream_at(&t->raw) + at;
	return str_sub(v, 0, at);
}

static int stored_step(struct text *t, struct err *err)
{
	size_t room = t->cap - t->end < DECODE_STEP ? t->cap - t->end : DECODE_STEP;
	bool open = t->stored_end == UINT64_MAX && !t->raw.seekable;
	struct str v;
	int rc = stream_view(&t->raw, open ? 64 * KIB : 1, &v, err);

	if (rc < 0)
		return rc;
	if (open)
		v = find_stored_end(t, v);
	uint64_t left = t->stored_end - stream_at(&t->raw);

	v = str_sub(v, 0, left < room ? (size_t)left : room);
	memcpy(t->buf + t->end, v.p ? v.p : "", v.n);
	stream_skip(&t->raw, v.n);
	t->end += v.n;
	t->any |= v.n > 0;
	if (v.n == 0 || v.n == left) {
		t->inside = false;
		t->stored_end = 0;
		t->raw_end = stream_at(&t->raw);
	}
	return WN_OK;
}

static int enter_stored(struct text *t, uint64_t at, uint64_t end, struct err *err)
{
	add_mark(t, at);
	t->marks[t->nmarks - 1].stored = true;
	t->first = false;
	t->inside = true;
	t->stored_end = end;
	return stored_step(t, err);
}

/* The same where v, which begins at `at`, begins with a record that is not compressed; else WN_END. */
static int try_stored(struct text *t, struct str v, uint64_t at, struct err *err)
{
	uint64_t end = at;
	int rc = text_plain_head(v) ? text_stored_end(t, v, &end, err) : WN_END;

	return rc == WN_OK ? enter_stored(t, at, end, err) : rc;
}

/* One step of the streaming decoder into the window. */
static int decode_step(struct text *t, struct err *err)
{
	struct text_mark *mark = &t->marks[t->nmarks - 1];

	if (t->stored_end)
		return stored_step(t, err);
	for (;;) {
		struct str v, in;
		int rc = stream_view(&t->raw, DECODER_PIECE, &v, err);

		if (rc < 0)
			return rc;
		size_t room = t->cap - t->end < DECODE_STEP ? t->cap - t->end : DECODE_STEP, used = 0;
		in = v;
		enum decode_state state = decoder_step(t->decoder, &in, t->buf + t->end, room, &used);

		stream_skip(&t->raw, v.n - in.n);
		t->end += used;
		uint64_t decoded = t->base + t->end - mark->text;

		switch (state) {
		case DECODE_MORE:
			if (used) {
				t->any = true;
				return WN_OK;
			}
			if (in.n == v.n && t->raw.eof) {
				t->inside = false;
				t->damaged = true; /* or it swallowed what followed: that is searched */
				t->raw_end = stream_at(&t->raw);
				note_trouble(t, FLAW_TRUNCATED_FILE, mark->raw, decoded);
				return WN_OK;
			}
			if (in.n == v.n && v.n) { /* no progress with input: treat as damage */
				state = DECODE_BAD;
				break;
			}
			continue;
		case DECODE_DONE:
			t->inside = false;
			t->raw_end = stream_at(&t->raw);
			note_empty(t, mark->raw, mark->text);
			return WN_OK;
		case DECODE_BAD:
		case DECODE_BAD_CHECKSUM: break;
		}
		t->inside = false;
		t->damaged = true;
		t->raw_end = stream_at(&t->raw);
		t->any |= used > 0;
		t->trouble_end = state == DECODE_BAD_CHECKSUM && t->coding == CODING_GZIP && size_fits(t, decoded, err);
		note_trouble(t,
			     state != DECODE_BAD			       ? FLAW_BAD_CHECKSUM
			     : t->asks && t->asks != t->dictionary && !decoded ? FLAW_MISSING_DICTIONARY
									       : FLAW_BAD_MEMBER,
			     mark->raw, decoded);
		return WN_OK;
	}
}

/* After damage: back a little, then to the next true member. */
static int recover(struct text *t, struct err *err)
{
	uint64_t here = stream_at(&t->raw), start = t->nmarks ? t->marks[t->nmarks - 1].raw + 2 : 0;
	uint64_t from = here > BACK_OFF ? here - BACK_OFF : 0;
	int rc;

	t->damaged = false;
	if (t->trouble_end) { /* only its checksum is wrong: the next one follows */
		struct str v;

		t->trouble_end = false;
		if ((rc = stream_view(&t->raw, 64 * KIB, &v, err)) < 0)
			return rc;
		if (v.n == 0 || text_begins(t, v))
			return v.n ? WN_OK : WN_END;
	}
	if (from < start || (t->reread < REREAD && stream_can_seek(&t->raw, start)))
		from = start;
	if (here > from)
		t->reread += here - from;
	if (stream_can_seek(&t->raw, from) && (rc = stream_seek(&t->raw, from, err)) < 0)
		return rc;
	/* what only looked like a member may stand before a plain record; in one that gave text, a head is part of it */
	bool blank = t->trouble_text == 0 && t->trouble_kind != FLAW_MISSING_DICTIONARY;

	return text_search(t, UINT64_MAX, blank ? FIND_RECORD : FIND_MEMBER, err);
}

/* Appends the next member (or its beginning) to the window.  WN_END: no more. */
static int enter(struct text *t, struct err *err)
{
	struct str v;
	int rc;

	if (t->damaged && (rc = recover(t, err)) != WN_OK)
		return rc;
	if ((t->coding == CODING_ZSTD || t->coding == CODING_LZ4) && (rc = pass_skippable(t, err)) < 0)
		return rc;
	if ((rc = stream_view(&t->raw, RAW_AHEAD, &v, err)) < 0)
		return rc;
	if (v.n == 0)
		return WN_END;
	uint64_t at = stream_at(&t->raw);

	if (coding_sniff(v) != t->coding && !text_begins(t, v)) {
		if ((rc = try_stored(t, v, at, err)) != WN_END)
			return rc;
		rc = text_search(t, UINT64_MAX, FIND_RECORD, err);
		if (rc < 0)
			return rc;
		flaw_add(t->flaws, FLAW_GARBAGE, at, "%llu bytes", (unsigned long long)(stream_at(&t->raw) - at));
		if (rc == WN_END)
			return WN_END;
		if ((rc = stream_view(&t->raw, RAW_AHEAD, &v, err)) < 0)
			return rc;
		at = stream_at(&t->raw);
		if (coding_sniff(v) != t->coding)
			return try_stored(t, v, at, err);
	}
	add_mark(t, at);
	t->first = false;
	uint64_t from = t->base + t->end;

	if (decode_whole(t, v)) {
		note_empty(t, at, from);
		return WN_OK;
	}
	if (!t->raw.eof && v.n < RAW_WINDOW - 4 * KIB) { /* perhaps only because not all of it was there */
		size_t before = v.n;

		if ((rc = stream_view(&t->raw, RAW_WINDOW, &v, err)) < 0)
			return rc;
		if (v.n > before && t->coding == CODING_GZIP && decode_whole(t, v)) {
			note_empty(t, at, from);
			return WN_OK;
		}
	}
	decoder_reset(t->decoder);
	t->asks = t->coding == CODING_ZSTD ? ZSTD_getDictID_fromFrame(v.p, v.n) : 0;
	t->inside = true;
	return decode_step(t, err);
}

int text_seek(struct text *t, uint64_t at, struct err *err)
{
	int rc;

	if (t->coding != CODING_NONE) {
		if (t->coding == CODING_ZSTD && t->first && at && (rc = pass_skippable(t, err)) < 0)
			return rc; /* the dictionary is at the start of the file */
		forget(t);
		t->inside = t->damaged = t->trouble = false;
		t->stored_end = 0;
		t->first = t->first && at == 0;
	}
	return stream_seek(&t->raw, at, err);
}

int text_leap(struct text *t, uint64_t at, struct err *err)
{
	if (t->coding != CODING_NONE)
		forget(t);
	t->first = false;
	t->any = true;
	t->raw_end = at;
	return stream_seek(&t->raw, at, err);
}

int text_sync(struct text *t, uint64_t at, uint64_t most, struct err *err)
{
	int rc = text_seek(t, at, err);

	if (rc < 0 || t->coding == CODING_NONE)
		return rc;
	return text_search(t, most, FIND_OWN, err);
}

int text_view(struct text *t, size_t want, struct str *view, bool *all, struct err *err)
{
	if (t->coding == CODING_NONE) {
		int rc = stream_view(&t->raw, want, view, err);

		*all = rc == WN_OK && t->raw.eof;
		t->any |= rc == WN_OK && view->n > 0;
		return rc;
	}
	while (t->cut - t->at < want && t->cut == t->end && t->inside) {
		if (t->cap - t->at < want || t->cap - t->end < DECODE_STEP / 4)
			slide(t);
		int rc = decode_step(t, err);

		if (rc < 0)
			return rc;
		t->cut = t->end;
	}
	*view = str_n(t->buf + t->at, t->cut - t->at);
	*all = t->cut < t->end || !t->inside;
	return WN_OK;
}

void text_skip(struct text *t, size_t n)
{
	if (t->coding == CODING_NONE)
		stream_skip(&t->raw, n);
	else
		t->at += n;
}

int text_pass(struct text *t, uint64_t n, struct err *err)
{
	while (n) {
		struct str v;
		bool all;
		int rc = text_view(t, 1, &v, &all, err);

		if (rc < 0)
			return rc;
		if (!v.n && (rc = text_next(t, err)) != WN_OK)
			return rc;
		size_t m = v.n < n ? v.n : (size_t)n;

		text_skip(t, m);
		n -= m;
	}
	return WN_OK;
}

static void drop_marks(struct text *t)
{
	size_t keep = 0;

	while (keep + 1 < t->nmarks && t->marks[keep + 1].text <= t->base + t->at)
		keep++;
	memmove(t->marks, t->marks + keep, (t->nmarks - keep) * sizeof *t->marks);
	t->nmarks -= keep;
}

/* Where the member that holds `at` ends in the window. */
static size_t find_cut(const struct text *t)
{
	for (size_t i = 0; i < t->nmarks; i++)
		if (t->marks[i].text > t->base + t->at)
			return (size_t)(t->marks[i].text - t->base);
	return t->end;
}

int text_next(struct text *t, struct err *err)
{
	if (t->coding == CODING_NONE)
		return WN_END;
	while (t->inside && t->cut == t->end) { /* what is left of the member is passed */
		struct str v;
		bool all;

		t->at = t->cut;
		int rc = text_view(t, 1, &v, &all, err);

		if (rc < 0)
			return rc;
	}
	t->at = t->cut;
	if (t->cut < t->end) {
		drop_marks(t);
		t->cut = find_cut(t);
		return WN_OK;
	}
	tell_trouble(t);
	struct text_mark last = t->nmarks ? t->marks[t->nmarks - 1] : (struct text_mark){ 0 };
	bool had = t->nmarks > 0;

	forget(t);
	if (t->damaged && had) { /* recover() needs to know where the damaged member began */
		t->marks[0] = last;
		t->nmarks = 1;
	}
	int rc = enter(t, err);

	if (rc == WN_OK && t->nmarks > 1) {
		t->marks[0] = t->marks[t->nmarks - 1];
		t->nmarks = 1;
	}
	t->cut = t->end;
	return rc;
}

int text_peek(struct text *t, struct str *view, struct err *err)
{
	*view = STR_NONE;
	if (t->coding == CODING_NONE)
		return WN_END;
	if (t->cut == t->end) {
		drop_marks(t); /* a record may run over any number of members */
		if (t->nmarks > PEEK_MEMBERS)
			return WN_END;
		if (t->cap - t->end < t->cap / 2)
			slide(t);
		if (t->end == t->cap)
			return WN_END;
		int rc;

		do
			rc = enter(t, err);
		while (rc == WN_OK && t->end == t->cut && !t->inside && t->nmarks <= PEEK_MEMBERS);
		if (rc != WN_OK)
			return rc;
	}
	*view = str_n(t->buf + t->cut, t->end - t->cut);
	return WN_OK;
}

void text_join(struct text *t) { t->cut = t->end; }

void text_place(const struct text *t, uint64_t *raw, uint64_t *skip)
{
	uint64_t here = text_at(t);

	if (t->coding == CODING_NONE || t->nmarks == 0) {
		*raw = stream_at(&t->raw);
		*skip = 0;
		return;
	}
	size_t i = 0;

	while (i + 1 < t->nmarks && t->marks[i + 1].text <= here)
		i++;
	*raw = t->marks[i].raw;
	*skip = here - t->marks[i].text;
	if (t->marks[i].stored) { /* each byte of it can be reached */
		*raw += *skip;
		*skip = 0;
	}
}

int text_settle(struct text *t, uint64_t *raw, struct err *err)
{
	if (t->coding == CODING_NONE) {
		*raw = stream_at(&t->raw);
		return WN_OK;
	}
	while (t->at == t->end && t->inside) {
		struct str v;
		bool all;
		int rc = text_view(t, 1, &v, &all, err);

		if (rc < 0)
			return rc;
	}
	if (t->at == t->end && !t->inside)
		tell_trouble(t);
	if (t->at == t->end && !t->inside && t->damaged) { /* where the next member begins is where this one ends */
		int rc = recover(t, err);

		if (rc < 0)
			return rc;
		t->raw_end = stream_at(&t->raw);
	}
	*raw = t->at == t->end && !t->inside ? t->raw_end : stream_at(&t->raw);
	if (t->at < t->cut && text_plain(t)) {
		uint64_t none;

		text_place(t, raw, &none);
	}
	if (t->at == t->cut && t->cut < t->end)
		for (size_t i = 0; i < t->nmarks; i++)
			if (t->marks[i].text == t->base + t->cut) {
				*raw = t->marks[i].raw;
				break;
			}
	return WN_OK;
}

/* archive/decode.c -- see decode.h. */
#include "archive/decode.h"

#include <libdeflate.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"

#define DECODE_OUT (128 * KIB)
#define DECODE_WHOLE (4 * MIB)	/* the largest result made in one call */
#define DECODE_HELD (256 * KIB) /* input kept until there is output */

bool decode_label(struct str label, enum coding *out)
{
	static const struct {
		const char *name;
		enum coding coding;
	} labels[] = {
		{ "gzip", CODING_GZIP },     { "x-gzip", CODING_GZIP }, { "deflate", CODING_ZLIB },
		{ "br", CODING_BR },	     { "brotli", CODING_BR },	{ "zstd", CODING_ZSTD },
		{ "identity", CODING_NONE }, { "none", CODING_NONE },	{ "x-deflate", CODING_ZLIB },
		{ "", CODING_NONE },
	};

	for (size_t i = 0; i < COUNT(labels); i++)
		if (str_ieq(label, str(labels[i].name))) {
			*out = labels[i].coding;
			return true;
		}
	return false;
}

static void reserve(struct decode *d, size_t cap)
{
	if (d->cap >= cap)
		return;
	mem_free(d->out);
	d->out = mem_alloc(cap);
	d->cap = cap;
}

static void wrong(struct decode *d)
{
	flaw_add(d->flaws, FLAW_CODING_WRONG, d->at, "the body is not %.*s", (int)(d->label.n < 30 ? d->label.n : 30),
		 d->label.p);
	d->as_is = true;
}

static void damaged(struct decode *d, const char *what)
{
	if (!d->damaged)
		flaw_add(d->flaws, FLAW_CODING_DAMAGED, d->at, "%.*s: %s after %llu bytes",
			 (int)(d->label.n < 30 ? d->label.n : 30), d->label.p, what, (unsigned long long)d->total);
	d->damaged = true;
}

static bool is_zlib(struct str s)
{
	unsigned a = s.n > 0 ? (unsigned char)s.p[0] : 0, b = s.n > 1 ? (unsigned char)s.p[1] : 0;

	return s.n >= 2 && (a & 15) == 8 && (a >> 4) <= 7 && (a << 8 | b) % 31 == 0 && !(b & 0x20);
}

static void use_decoder(struct decode *d, enum coding coding)
{
	if (d->decoder && d->made == coding) {
		decoder_reset(d->decoder);
		return;
	}
	decoder_free(d->decoder);
	d->decoder = decoder_new(coding);
	d->made = coding;
}

/* All of a gzip body at once: true when that was possible. */
static bool decode_at_once(struct decode *d, struct str *piece)
{
	size_t in = 0, out = 0;

	if (d->coding != CODING_GZIP || !d->final || d->rest.n < 18)
		return false;
	const unsigned char *end = (const unsigned char *)str_end(d->rest);
	size_t size = end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;

	if (size == 0 || size > DECODE_WHOLE || size / 1100 > d->rest.n)
		return false;
	if (!d->whole && !(d->whole = libdeflate_alloc_decompressor()))
		die("no memory for a gzip decoder");
	reserve(d, size > DECODE_OUT ? size : DECODE_OUT);
	if (libdeflate_gzip_decompress_ex(d->whole, d->rest.p, d->rest.n, d->out, d->cap, &in, &out) !=
		LIBDEFLATE_SUCCESS ||
	    in != d->rest.n)
		return false;
	d->rest.n = 0;
	d->over = true;
	d->total = out;
	d->source.last = true;
	*piece = str_n(d->out, out);
	return out > 0;
}

/* The first input decides what the body really is. */
static void start(struct decode *d)
{
	d->started = true;
	enum coding coding = d->coding;

	if ((coding == CODING_GZIP || coding == CODING_ZSTD) && coding_sniff(d->in) != coding && d->in.n >= 4) {
		/* gzip called deflate and the like are seen: believe the bytes */
		wrong(d);
		return;
	}
	if (coding == CODING_ZLIB && coding_sniff(d->in) == CODING_GZIP)
		coding = CODING_GZIP;
	else if (coding == CODING_ZLIB && !is_zlib(d->in))
		coding = CODING_DEFLATE;
	use_decoder(d, coding);
	reserve(d, DECODE_OUT);
}

/* Input behind the end of the coded data: another member, or nothing that belongs there. */
static void after_end(struct decode *d)
{
	unsigned char lead = d->made == CODING_GZIP ? 0x1f : d->made == CODING_ZSTD ? 0x28 : 0;

	d->between = false;
	if (lead && (unsigned char)d->in.p[0] == lead) {
		decoder_reset(d->decoder);
		return;
	}
	damaged(d, "more bytes follow");
	d->over = true;
	d->in.n = 0;
}

/* The decoder failed.  True: *piece holds what should come out. */
static bool fail(struct decode *d, size_t used, bool checksum, struct str *piece)
{
	bool told_by_magic = d->made == CODING_GZIP || d->made == CODING_ZSTD;

	if (d->total == 0 && !checksum && (used == 0 || !told_by_magic) && !d->held.full) {
		wrong(d);
		d->in = d->piece;
		*piece = buf_view(&d->held);
		return piece->n > 0;
	}
	d->over = true;
	d->in.n = 0;
	d->total += used;
	damaged(d, checksum ? "the checksum is wrong" : "it cannot be decoded");
	*piece = str_n(d->out, used);
	return used > 0;
}

/* Decodes input at hand.  True: *piece is to be given out. */
static bool step(struct decode *d, struct str *piece)
{
	size_t used = 0;
	struct str before = d->in;
	enum decode_state state = decoder_step(d->decoder, &d->in, d->out, d->cap, &used);

	if (state == DECODE_BAD || state == DECODE_BAD_CHECKSUM)
		return fail(d, used, state == DECODE_BAD_CHECKSUM, piece);
	if (d->total + used > LIMIT_DECODED) {
		flaw_add(d->flaws, FLAW_CODING_LIMIT, d->at, "%.*s: more than %llu bytes",
			 (int)(d->label.n < 30 ? d->label.n : 30), d->label.p, (unsigned long long)LIMIT_DECODED);
		d->over = true;
		d->in.n = 0;
		return false;
	}
	if (state == DECODE_DONE)
		d->between = true;
	else if (!used && d->in.n == before.n)
		d->in.n = 0; /* no progress is possible: wait for more */
	d->total += used;
	*piece = str_n(d->out, used);
	return used > 0;
}

/* The next of what is to be decoded.  WN_END: no more, and so says d->final with the last of it. */
static int pull_up(struct decode *d, struct err *err)
{
	int rc = source_pull(d->up, &d->rest, err);

	if (rc == WN_END)
		d->rest = STR_NONE;
	d->final = rc == WN_END || (rc == WN_OK && d->up->last);
	return rc;
}

/* The next piece of input.  Deflate gets pieces that are cut at the same places however they come. */
static int fill(struct decode *d, struct err *err)
{
	bool as_it_comes = d->as_is || (d->coding != CODING_GZIP && d->coding != CODING_ZLIB);
	size_t most = as_it_comes ? SIZE_MAX : DECODER_PIECE;

	buf_reset(&d->gathered);
	for (;;) {
		if (!d->gathered.n && d->rest.n && (as_it_comes || d->final || d->rest.n >= most)) {
			d->in = str_sub(d->rest, 0, most); /* no need to gather */
			d->rest = str_sub(d->rest, d->in.n, d->rest.n);
			return WN_OK;
		}
		struct str next = str_sub(d->rest, 0, most - d->gathered.n);

		buf_str(&d->gathered, next);
		d->rest = str_sub(d->rest, next.n, d->rest.n);
		d->in = buf_view(&d->gathered);
		if (d->in.n && (d->final || d->in.n == most))
			return WN_OK;
		if (d->final)
			return WN_END;
		int rc = pull_up(d, err);

		if (rc < 0)
			return rc;
	}
}

static int pull(struct source *s, struct str *piece, struct err *err)
{
	struct decode *d = (struct decode *)(void *)s; /* source is the first member */

	s->last = false;
	for (;;) {
		if (d->as_is && d->in.n) {
			*piece = d->in;
			d->in.n = 0;
			return WN_OK;
		}
		if (d->between && d->in.n)
			after_end(d);
		if (d->started && !d->as_is && !d->over && !d->between && step(d, piece))
			return WN_OK;
		if (d->over && d->in.n)
			d->in.n = 0;
		if (d->in.n)
			continue;
		if (d->total == 0 && !d->as_is && !d->over)
			buf_str(&d->held, d->piece);
		int rc = d->started || d->final ? WN_OK : pull_up(d, err);

		if (rc == WN_OK && !d->started && decode_at_once(d, piece)) {
			d->started = true;
			return WN_OK;
		}
		if (rc >= 0)
			rc = fill(d, err);
		if (rc < 0)
			return rc;
		d->piece = d->in;
		if (rc == WN_END) {
			d->in = d->piece = STR_NONE;
			if (d->started && !d->as_is && !d->over && !d->between)
				damaged(d, "it ends");
			d->over = true;
			return WN_END;
		}
		if (!d->started)
			start(d);
	}
}

void decode_init(struct decode *d, struct source *up, enum coding coding, struct str label, struct flaws *flaws,
		 uint64_t at)
{
	d->source = (struct source){ .pull = pull };
	d->up = up;
	d->coding = coding;
	d->label = label;
	d->flaws = flaws;
	d->at = at;
	d->in = d->piece = d->rest = STR_NONE;
	d->final = false;
	d->gathered.max = DECODER_PIECE;
	d->held.max = DECODE_HELD;
	buf_reset(&d->held);
	d->held.full = false;
	d->started = d->as_is = d->over = d->damaged = d->between = false;
	d->total = 0;
}

void decode_release(struct decode *d)
{
	decoder_free(d->decoder);
	if (d->whole)
		libdeflate_free_decompressor(d->whole);
	mem_free(d->out);
	buf_release(&d->held);
	buf_release(&d->gathered);
	*d = (struct decode){ 0 };
}

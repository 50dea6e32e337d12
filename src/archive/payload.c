/* archive/payload.c -- see payload.h.
 *
 * A row of sources, each pulling from the one before:
 *
 *	block (reader, then continuations) -> body -> dechunk -> decode ... -> caller
 *
 * Digests are taken where the bytes pass: the block's at the block, the
 * payload's at the body and behind dechunk, that of the document at the end.
 * Where two of them see the same bytes, one is computed and copied.
 */
#include "archive/payload.h"

#include <stddef.h>

#include "archive/chunk.h"
#include "archive/decode.h"
#include "archive/member.h"
#include "archive/continuation.h"
#include "base/limits.h"
#include "base/mem.h"

/* The block, and after it the blocks of its continuations. */
struct block_source {
	struct source source;
	struct payload_state *state;
};

/* What follows the HTTP head. */
struct body_source {
	struct source source;
	struct payload_state *state;
	struct str first; /* came together with the head */
	bool first_last;  /* nothing follows it */
};

struct payload_state {
	struct reader *reader;
	struct record *rec;
	unsigned wants;
	struct flaws flaws;
	struct http_scratch scratch;
	struct buf head; /* a head that came in several pieces */
	struct block_source block;
	struct body_source body;
	struct dechunk dechunk;
	int (*dechunk_pull)(struct source *s, struct str *piece, struct err *err);
	struct decode decode[LIMIT_CODINGS];
	unsigned ndecode;
	bool chunked, over;
	uint64_t raw_size;
	struct source *last; /* what the caller reads */
	struct buf all;	     /* payload_all */
	struct str passed;   /* the piece in which payload_all stopped, from there on */
	struct digest want_block, want_payload;
	struct hasher block_hash, raw_hash, sha1_hash, dechunk_hash, out_hash;
	bool hash_block, hash_raw, hash_sha1, hash_dechunk, hash_out;
	/* continuations */
	struct continuations segments;
	const char *const *others; /* files that may hold some */
	size_t nothers;
	VEC(struct continuation) rest;
	size_t irest;
	struct reader *next;
	bool segmented;
	uint64_t logical; /* bytes of the logical record so far */
};

/* Block */

static int open_rest(struct payload_state *s, struct err *err)
{
	const struct continuation *g = &s->rest.p[s->irest];
	struct arena a = { 0 };
	const char *path = g->path;
	struct record *rec = mem_alloc(sizeof *rec);

	if (g->part.n)
		path = arena_printf(&a, "%s#%.*s", path, STR_FMT(g->part)).p;
	int rc = reader_open_span(&s->next, path, g->span, err);

	if (rc == WN_OK)
		rc = reader_next(s->next, rec, err);
	mem_free(rec);
	arena_release(&a);
	return rc;
}

static int pull_rest(struct payload_state *s, struct str *piece, struct err *err)
{
	while (s->irest < s->rest.n) {
		int rc = s->next ? WN_OK : open_rest(s, err);

		if (rc == WN_OK)
			rc = reader_block(s->next, piece, err);
		if (rc != WN_END) {
			s->logical += rc == WN_OK ? piece->n : 0;
			return rc;
		}
		reader_close(s->next);
		s->next = NULL;
		s->irest++;
	}
	return WN_END;
}

static int pull_block(struct source *src, struct str *piece, struct err *err)
{
	struct payload_state *s = ((struct block_source *)(void *)src)->state;
	int rc = reader_block(s->reader, piece, err);

	src->last = rc == WN_OK && reader_source(s->reader)->last && !s->segmented;
	if (rc == WN_OK) {
		if (s->hash_block)
			hasher_add(&s->block_hash, *piece);
		s->logical += piece->n;
		return rc;
	}
	if (rc == WN_END && s->segmented)
		rc = pull_rest(s, piece, err);
	return rc;
}

/* Takes the continuations of id from number 2 on as far as they follow each other, those of its own file first where one
 * stands twice.  True: the last of them is the last segment. */
static bool choose_rest(struct payload_state *s, struct str id, const char *own, bool *twice, bool *gap)
{
	size_t n;
	const struct continuation *g = continuations_find(&s->segments, id, &n);

	*twice = *gap = false;
	s->rest.n = 0;
	for (size_t i = 0; i < n;) {
		size_t pick = i, end = i;
		unsigned here = 0;

		for (; end < n && g[end].number == g[i].number; end++)
			if (strcmp(g[end].path, own) == 0 && !here++)
				pick = end;
		*twice |= here > 1;
		*gap = g[i].number != s->rest.n + 2;
		if (*gap)
			break;
		vec_push(&s->rest, g[pick]);
		i = end;
	}
	return s->rest.n && !*gap && vec_last(&s->rest).total;
}

/* Looks for the continuations of a first segment: in its own file, then in the others. */
static int find_rest(struct payload_state *s, struct err *err)
{
	struct record *rec = s->rec;
	const char *own = reader_path(s->reader);
	bool twice, gap;

	s->segmented = false;
	s->rest.n = s->irest = 0;
	s->logical = 0;
	if (rec->segment_number != 1 || rec->type == RECORD_CONTINUATION)
		return WN_OK;
	if (!reader_seekable(s->reader) || !rec->id.n) {
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at,
			 "the continuations cannot be searched for in this input");
		return WN_OK;
	}
	int rc = continuations_read(&s->segments, own, err);

	if (rc < 0)
		return rc;
	bool complete = choose_rest(s, rec->id, own, &twice, &gap);
	struct err unheard = { 0 }; /* a file that cannot be read is told of when its turn comes */

	for (size_t i = 0; !complete && i < s->nothers; i++)
		if (strcmp(s->others[i], "-") != 0 && continuations_read(&s->segments, s->others[i], &unheard) == WN_OK)
			complete = choose_rest(s, rec->id, own, &twice, &gap);
	s->segmented = s->rest.n > 0;
	if (twice)
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at, "a segment stands twice; the first one counts");
	if (gap)
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at, "segment %zu is missing", s->rest.n + 2);
	else if (!s->rest.n)
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at, "no continuation was found");
	else if (!complete)
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at, "the last of %zu segments has no total length",
			 s->rest.n + 1);
	return WN_OK;
}

/* Body */

static int pull_body(struct source *src, struct str *piece, struct err *err)
{
	struct body_source *b = (struct body_source *)(void *)src;
	struct payload_state *s = b->state;
	int rc = WN_OK;

	if (b->first.n) {
		*piece = b->first;
		b->first = STR_NONE;
		src->last = b->first_last;
	} else if (b->first_last) {
		return WN_END;
	} else {
		rc = source_pull(&s->block.source, piece, err);
		src->last = s->block.source.last;
	}
	if (rc == WN_OK) {
		s->raw_size += piece->n;
		if (s->hash_raw)
			hasher_add(&s->raw_hash, *piece);
		if (s->hash_sha1)
			hasher_add(&s->sha1_hash, *piece);
	}
	return rc;
}

/* Pulls until the HTTP head is complete; *start is its text and what came with it. */
static int gather_head(struct payload_state *s, struct str *start, bool *last, struct err *err)
{
	struct str piece;
	int rc = source_pull(&s->block.source, &piece, err);

	*start = STR_NONE;
	*last = true;
	if (rc != WN_OK)
		return rc < 0 ? rc : WN_OK;
	*last = s->block.source.last;
	if (*last || !record_is_http(s->rec, piece) || http_head_size(piece, false)) {
		*start = piece;
		return WN_OK;
	}
	buf_reset(&s->head);
	for (;;) {
		buf_str(&s->head, piece); /* a piece is at most TEXT_WINDOW, so there is always room */
		*start = buf_view(&s->head);
		if (http_head_size(*start, false) || start->n > LIMIT_HTTP_HEAD)
			return WN_OK;
		if ((rc = source_pull(&s->block.source, &piece, err)) != WN_OK) {
			*last = true;
			return rc < 0 ? rc : WN_OK;
		}
		*last = s->block.source.last;
	}
}

/* Codings */

static void add_coding(struct payload_state *s, struct str label)
{
	enum coding coding;

	label = str_trim(label);
	if (!decode_label(label, &coding)) {
		flaw_add(&s->flaws, FLAW_CODING_UNKNOWN, s->rec->span.at, "%.*s", (int)(label.n < 60 ? label.n : 60),
			 label.p);
		return;
	}
	if (coding == CODING_NONE)
		return;
	if (s->ndecode == LIMIT_CODINGS) {
		flaw_add(&s->flaws, FLAW_CODING_LIMIT, s->rec->span.at, "more than %d codings", LIMIT_CODINGS);
		return;
	}
	struct decode *d = &s->decode[s->ndecode++];

	decode_init(d, s->last, coding, label, &s->flaws, s->rec->span.at);
	s->last = &d->source;
}

/* A list "a, b": b was applied last and comes off first.  The list is read from its end. */
static void add_codings(struct payload_state *s, struct str list, bool transfer)
{
	while (list.n) {
		ptrdiff_t comma = str_rchr(list, ',');
		struct str one = str_trim(str_sub(list, (size_t)(comma + 1), list.n));

		list = comma < 0 ? STR_NONE : str_sub(list, 0, (size_t)comma);
		if (transfer && str_ieq(one, STR("chunked")))
			continue; /* comes off before, wherever it is named */
		if (one.n)
			add_coding(s, one);
	}
}

static bool names_chunked(struct str list)
{
	while (list.n)
		if (str_ieq(str_trim(str_cut(&list, ',')), STR("chunked")))
			return true;
	return false;
}

static void build_row(struct payload_state *s, struct payload *p, enum payload_form form)
{
	s->last = &s->body.source;
	s->ndecode = 0;
	s->chunked = p->has_http && names_chunked(p->http.transfer_encoding);
	if (form == PAYLOAD_RAW)
		return;
	if (s->chunked) {
		dechunk_init(&s->dechunk, s->last, &s->flaws, s->rec->span.at);
		s->last = &s->dechunk.source;
	}
	if (form == PAYLOAD_DECHUNKED || !p->has_http)
		return;
	add_codings(s, p->http.transfer_encoding, true);
	for (unsigned i = p->http.nfields; i-- > 0;) /* repeated fields make one list */
		if (str_ieq(p->http.fields[i].name, STR("Content-Encoding")))
			add_codings(s, p->http.fields[i].value, false);
}

/* Digests */

static void plan_digests(struct payload_state *s, struct record *rec, unsigned wants)
{
	s->want_block.kind = s->want_payload.kind = DIGEST_NONE;
	if ((wants & PAYLOAD_BLOCK) && rec->block_digest.n && !digest_parse(rec->block_digest, &s->want_block))
		flaw_add(&s->flaws, FLAW_BAD_DIGEST, rec->span.at, "block digest %.*s",
			 (int)(rec->block_digest.n < 70 ? rec->block_digest.n : 70), rec->block_digest.p);
	/* a revisit's payload digest is that of the payload it leaves out */
	if ((wants & PAYLOAD_CHECK) && rec->payload_digest.n && !digest_parse(rec->payload_digest, &s->want_payload))
		flaw_add(&s->flaws, FLAW_BAD_DIGEST, rec->span.at, "payload digest %.*s",
			 (int)(rec->payload_digest.n < 70 ? rec->payload_digest.n : 70), rec->payload_digest.p);
	if (rec->type == RECORD_REVISIT || rec->type == RECORD_CONTINUATION)
		s->want_payload.kind = DIGEST_NONE;
	if ((s->hash_block = s->want_block.kind != DIGEST_NONE))
		hasher_begin(&s->block_hash, s->want_block.kind);
}

static void plan_body_digests(struct payload_state *s, enum payload_form form)
{
	enum digest_kind kind = s->want_payload.kind;
	bool digest = s->wants & PAYLOAD_DIGEST;

	s->hash_raw = kind != DIGEST_NONE;
	s->hash_sha1 = digest && kind != DIGEST_SHA1;
	s->hash_out = digest && s->last != &s->body.source;
	s->hash_dechunk = s->hash_raw && s->chunked && form != PAYLOAD_RAW;
	if (s->hash_raw)
		hasher_begin(&s->raw_hash, kind);
	if (s->hash_sha1)
		hasher_begin(&s->sha1_hash, DIGEST_SHA1);
	if (s->hash_out)
		hasher_begin(&s->out_hash, DIGEST_SHA1);
	if (s->hash_dechunk)
		hasher_begin(&s->dechunk_hash, kind);
}

/* dechunk's output on its way to a decoder or the caller, hashed in passing. */
static int pull_dechunk_hashed(struct source *src, struct str *piece, struct err *err)
{
	struct dechunk *d = (struct dechunk *)(void *)src;
	struct payload_state *s = (struct payload_state *)(void *)((char *)d - offsetof(struct payload_state, dechunk));
	int rc = s->dechunk_pull(src, piece, err);

	if (rc == WN_OK)
		hasher_add(&s->dechunk_hash, *piece);
	return rc;
}

/* Calls */

static struct payload_state *state_of(struct payload *p)
{
	if (!p->state) {
		p->state = mem_zalloc(sizeof *p->state);
		p->state->head.max = LIMIT_HTTP_HEAD + 2 * TEXT_WINDOW;
	}
	return p->state;
}

void payload_others(struct payload *p, const char *const *paths, size_t n)
{
	struct payload_state *s = state_of(p);

	s->others = paths;
	s->nothers = n;
}

int payload_begin(struct payload *p, struct reader *r, struct record *rec, enum payload_form form, unsigned wants,
		  struct err *err)
{
	struct payload_state *s = state_of(p);
	struct str start;
	bool last;
	int rc;

	*p = (struct payload){ .state = s };
	s->reader = r;
	s->rec = rec;
	s->wants = wants;
	s->over = false;
	s->raw_size = 0;
	s->flaws.n = s->flaws.more = 0;
	s->block = (struct block_source){ { pull_block, false }, s };
	s->body = (struct body_source){ .source = { pull_body, false }, .state = s };
	plan_digests(s, rec, wants);
	p->head_only = rec->passed && (wants & PAYLOAD_HEAD);
	if (p->head_only) { /* a segmented record is never passed over */
		start = rec->lead;
		last = true;
		s->wants = 0;
		s->hash_block = false;
		s->want_payload.kind = DIGEST_NONE;
	} else if ((rc = find_rest(s, err)) < 0 || (rc = gather_head(s, &start, &last, err)) < 0) {
		return rc;
	}
	if (record_is_http(rec, start)) {
		p->has_http =
		    http_parse(&p->http, http_kind_of(rec->type), start, &s->scratch, &s->flaws, rec->span.at);
		if (!p->has_http && start.n)
			flaw_add(&s->flaws, FLAW_HTTP_HEAD, rec->span.at, "the block begins otherwise");
	}
	if (p->head_only) {
		s->raw_size = rec->length - p->http.size;
		start.n = p->http.size;
		s->over = true;
	}
	s->body.first = str_sub(start, p->http.size, start.n);
	s->body.first_last = last;
	build_row(s, p, form);
	plan_body_digests(s, form);
	if (s->hash_dechunk) {
		s->dechunk_pull = s->dechunk.source.pull;
		s->dechunk.source.pull = pull_dechunk_hashed;
	}
	return WN_OK;
}

int payload_read(struct payload *p, struct str *piece, struct err *err)
{
	struct payload_state *s = p->state;

	if (s->over)
		return WN_END;
	int rc = source_pull(s->last, piece, err);

	if (rc == WN_OK) {
		p->size += piece->n;
		if (s->hash_out)
			hasher_add(&s->out_hash, *piece);
	} else {
		s->over = true;
	}
	return rc;
}

int payload_all(struct payload *p, size_t max, struct str *out, bool *cut, struct err *err)
{
	struct payload_state *s = p->state;
	struct str piece;
	int rc = payload_read(p, &piece, err);

	*out = STR("");
	*cut = false;
	if (rc != WN_OK)
		return rc < 0 ? rc : WN_OK;
	buf_reset(&s->all);
	if (s->last->last || piece.n >= max) { /* in one piece already */
		*cut = piece.n > max || (piece.n == max && !s->last->last);
		*out = str_sub(piece, 0, max);
		s->passed = piece;
		return WN_OK;
	}
	s->passed = piece;
	return payload_more(p, max, out, cut, err);
}

int payload_more(struct payload *p, size_t max, struct str *out, bool *cut, struct err *err)
{
	struct payload_state *s = p->state;
	int rc = WN_OK;

	s->all.max = max;
	*cut = false;
	do {
		size_t room = max - s->all.n;

		buf_str(&s->all, str_sub(s->passed, 0, room));
		if (s->passed.n > room) {
			s->passed = str_sub(s->passed, room, s->passed.n);
			*cut = true;
			break;
		}
	} while ((rc = payload_read(p, &s->passed, err)) == WN_OK);
	*out = buf_view(&s->all);
	return rc < 0 ? rc : WN_OK;
}

/* Everything passes, so that the digests are complete. */
static int drain(struct payload *p, struct err *err)
{
	struct payload_state *s = p->state;
	struct str piece;
	int rc;

	if (s->hash_out || s->hash_dechunk)
		while ((rc = payload_read(p, &piece, err)) == WN_OK)
			;
	else
		s->over = true;
	while ((rc = pull_body(&s->body.source, &piece, err)) == WN_OK)
		;
	return rc < 0 ? rc : WN_OK;
}

static void compare(struct payload_state *s, struct payload *p, struct record *rec)
{
	struct digest raw, dechunked;
	char want[DIGEST_TEXT], got[DIGEST_TEXT];

	if (s->hash_block) {
		hasher_end(&s->block_hash, &p->block_digest);
		if (!digest_eq(&p->block_digest, &s->want_block)) {
			digest_write(&s->want_block, want);
			digest_write(&p->block_digest, got);
			flaw_add(&s->flaws, FLAW_BLOCK_DIGEST, rec->span.at, "declared %s, is %s", want, got);
		}
	}
	if (s->hash_raw)
		hasher_end(&s->raw_hash, &raw);
	if (s->hash_dechunk)
		hasher_end(&s->dechunk_hash, &dechunked);
	if (s->hash_raw && !digest_eq(&raw, &s->want_payload) &&
	    !(s->hash_dechunk && digest_eq(&dechunked, &s->want_payload))) {
		digest_write(&s->want_payload, want);
		digest_write(&raw, got);
		flaw_add(&s->flaws, FLAW_PAYLOAD_DIGEST, rec->span.at, "declared %s, is %s", want, got);
	}
	if (s->wants & PAYLOAD_DIGEST) {
		if (s->hash_sha1)
			hasher_end(&s->sha1_hash, &p->payload_digest);
		else
			p->payload_digest = raw;
		p->digest = p->payload_digest;
	}
	if (s->hash_out)
		hasher_end(&s->out_hash, &p->digest);
}

int payload_end(struct payload *p, struct record *rec, struct err *err)
{
	struct payload_state *s = p->state;
	int rc = drain(p, err), rc2;

	if (rc < 0)
		return rc;
	compare(s, p, rec);
	if (s->segmented && vec_last(&s->rest).total && vec_last(&s->rest).total != s->logical)
		flaw_add(&s->flaws, FLAW_SEGMENT, rec->span.at, "%llu bytes in all segments, declared %llu",
			 (unsigned long long)s->logical, (unsigned long long)vec_last(&s->rest).total);
	reader_close(s->next);
	s->next = NULL;
	p->raw_size = s->raw_size;
	if (s->last == &s->body.source || p->head_only)
		p->size = s->raw_size; /* nothing is decoded: what was not read counts too */
	p->complete = s->flaws.n == 0 && s->flaws.more == 0 && !p->head_only;
	flaw_all(&rec->flaws, &s->flaws);
	s->flaws.n = s->flaws.more = 0;
	rc2 = reader_end(s->reader, rec, err);
	return rc2 < 0 ? rc2 : WN_OK;
}

struct str payload_type(const struct payload *p, const struct record *rec)
{
	if (p->has_http)
		return p->http.content_type;
	/* a block that should have a head and has none: the record tells of HTTP only */
	return str_ieq(http_mime(rec->content_type), STR("application/http")) ? STR_NONE : rec->content_type;
}

void payload_release(struct payload *p)
{
	struct payload_state *s = p->state;

	if (s) {
		http_scratch_release(&s->scratch);
		buf_release(&s->head);
		buf_release(&s->all);
		for (unsigned i = 0; i < LIMIT_CODINGS; i++)
			decode_release(&s->decode[i]);
		hasher_release(&s->block_hash);
		hasher_release(&s->raw_hash);
		hasher_release(&s->sha1_hash);
		hasher_release(&s->dechunk_hash);
		hasher_release(&s->out_hash);
		continuations_release(&s->segments);
		vec_release(&s->rest);
		reader_close(s->next);
		mem_free(s);
	}
	*p = (struct payload){ 0 };
}

/* sketch/segment.c -- see segment.h; docs/format/sketch-segment.md draws the bytes.
 *
 * How a set becomes bytes is setpack.c's; here are records, their heads and
 * the file.
 */
#include "sketch/segment.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"
#include "sketch/segfile.h"
#include "sketch/setpack.h"

#define MAGIC "WNSKETCH"
#define VERSION 2
#define PACK_MAX (4 * GIB)

enum { FLAG_MAIN_IS_BODY = 1, FLAG_MAIN_OF_BODY = 2 };

struct text_head {
	uint32_t n;
	uint8_t low_bits, zero[3];
	uint64_t simhash, check; /* check: XXH3-64 of the set's bytes */
	uint8_t minhash[MINHASH_N];
};
_Static_assert(sizeof(struct text_head) == 152, "a text's head is 152 bytes");

struct record_head {
	uint64_t check; /* XXH3-64 from `content` to the end of the heads */
	uint64_t content, flags;
	struct text_head body, main; /* main is absent when it equals body */
};

static void fill_head(struct text_head *h, struct set s)
{
	struct minhash m;

	*h = (struct text_head){ .n = (uint32_t)s.n, .low_bits = (uint8_t)low_bits(s.n), .simhash = simhash_make(s) };
	minhash_make(&m, s);
	memcpy(h->minhash, m.v, sizeof m.v);
}

static size_t heads_bytes(uint64_t flags)
{
	return flags & FLAG_MAIN_IS_BODY ? offsetof(struct record_head, main) : sizeof(struct record_head);
}

/* What the record's heads say, at its beginning; the checks of sets are in them. */
static void put_heads(struct buf *out, const struct record_head *h) { memcpy(out->p, h, heads_bytes(h->flags)); }

/* To the byte: an ingest holds thousands of these at a time. */
static unsigned char *room_for(struct buf *out, size_t n)
{
	out->n = 0;
	if (out->cap < n) {
		out->p = mem_realloc(out->p, n);
		out->cap = n;
	}
	return (unsigned char *)out->p;
}

void segment_pack_body(struct buf *out, struct set body)
{
	struct record_head h = { .flags = FLAG_MAIN_IS_BODY };
	size_t heads = heads_bytes(h.flags), n;
	unsigned char *p;

	if (body.n > UINT32_MAX)
		abort(); /* LIMIT_TEXT is far below */
	fill_head(&h.body, body);
	n = set_bytes(body.n, h.body.low_bits);
	p = room_for(out, heads + n) + heads;
	pack_set(p, body, h.body.low_bits);
	h.body.check = hash64(p, n);
	put_heads(out, &h);
	out->n = heads + n;
}

void segment_pack_main(struct buf *out, struct set main)
{
	size_t before = heads_bytes(FLAG_MAIN_IS_BODY), heads = heads_bytes(0), n_body = out->n - before, n, room;
	struct record_head h = { 0 };
	unsigned char *p;

	if (main.n > UINT32_MAX)
		abort();
	memcpy(&h, out->p, before);
	fill_head(&h.main, main);
	room = set_bytes(main.n, h.main.low_bits);
	p = room_for(out, heads + n_body + room);
	memmove(p + heads, p + before, n_body);
	n = pack_part(p + heads + n_body, room, (struct set){ 0 }, (struct set_view){ p + heads, h.body.n }, main);
	if (n == part_bytes(h.body.n, 0) && main.n == h.body.n) { /* the same set */
		memmove(p + before, p + heads, n_body);
		put_heads(out, &h);
		out->n = before + n_body;
	} else {
		h.flags = n ? FLAG_MAIN_OF_BODY : 0;
		if (!n) {
			pack_set(p + heads + n_body, main, h.main.low_bits);
			n = room;
		}
		h.main.check = hash64(p + heads + n_body, n);
		put_heads(out, &h);
		out->n = heads + n_body + n;
	}
	if (out->n < out->cap) {
		out->p = mem_realloc(out->p, out->n);
		out->cap = out->n;
	}
}

/* A part that is small is made first: then the record's size is known, and it is made in its place. */
void segment_pack(struct buf *out, struct set body, struct set main)
{
	struct record_head h = { .flags = FLAG_MAIN_OF_BODY };
	unsigned char part[8 * KIB], *p;
	size_t heads = heads_bytes(h.flags), room, n_part, n_body;

	if (body.n == main.n && (!body.n || memcmp(body.p, main.p, body.n * 8) == 0)) {
		segment_pack_body(out, body);
		return;
	}
	room = set_bytes(main.n, low_bits(main.n));
	n_part =
	    body.n ? pack_part(part, room < sizeof part ? room : sizeof part, body, (struct set_view){ 0 }, main) : 0;
	if (!n_part) {
		segment_pack_body(out, body);
		segment_pack_main(out, main);
		return;
	}
	fill_head(&h.body, body);
	fill_head(&h.main, main);
	n_body = set_bytes(body.n, h.body.low_bits);
	p = room_for(out, heads + n_body + n_part) + heads;
	pack_set(p, body, h.body.low_bits);
	memcpy(p + n_body, part, n_part);
	h.body.check = hash64(p, n_body);
	h.main.check = hash64(part, n_part);
	put_heads(out, &h);
	out->n = heads + n_body + n_part;
}

struct segment_writer {
	struct segfile_writer file;
	struct shingle_spec spec;
	uint64_t first;
	VEC(uint64_t) at; /* where each record begins */
	struct buf packed;
};

int segment_writer_open(struct segment_writer **out, const char *path, struct shingle_spec spec, uint64_t first,
			struct err *err)
{
	struct segment_writer *w;
	int rc;

	if ((rc = shingle_check(spec, err)) < 0)
		return rc;
	w = mem_zalloc(sizeof *w);
	w->spec = spec;
	w->first = first;
	w->packed = BUF(PACK_MAX);
	if ((rc = segfile_create(&w->file, path, err)) < 0) {
		segment_writer_abort(w);
		return rc;
	}
	*out = w;
	return WN_OK;
}

int segment_writer_put(struct segment_writer *w, uint64_t content, struct buf *packed, struct err *err)
{
	uint64_t flags, check;

	if (content != w->first + w->at.n)
		return err_set(err, WN_USAGE,
			       "content %" PRIu64 " cannot follow content %" PRIu64 " in a segment of sets", content,
			       w->first + w->at.n - 1);
	if (w->at.n == LIMIT_SEGMENT_CONTENTS)
		return err_set(err, WN_LIMIT, "a segment of sets has at most %u contents", LIMIT_SEGMENT_CONTENTS);
	vec_push(&w->at, w->file.at);
	memcpy(packed->p + offsetof(struct record_head, content), &content, 8);
	memcpy(&flags, packed->p + offsetof(struct record_head, flags), 8);
	check = hash64(packed->p + 8, heads_bytes(flags) - 8);
	memcpy(packed->p, &check, 8);
	return segfile_write(&w->file, packed->p, packed->n, err);
}

int segment_writer_add(struct segment_writer *w, uint64_t content, struct set body, struct set main, struct err *err)
{
	segment_pack(&w->packed, body, main);
	return segment_writer_put(w, content, &w->packed, err);
}

static void writer_free(struct segment_writer *w)
{
	vec_release(&w->at);
	buf_release(&w->packed);
	mem_free(w);
}

int segment_writer_commit(struct segment_writer *w, struct err *err)
{
	struct segfile_head head = { .magic = MAGIC, .version = VERSION, .first = w->first, .n = w->at.n };
	int rc;

	head.settings = w->spec.k | (uint32_t)w->spec.unit << 8 | (uint32_t)w->spec.bag << 9;
	vec_push(&w->at, w->file.at);
	rc = segfile_commit(&w->file, &head, w->at.p, w->at.n * 8, err);
	writer_free(w);
	return rc;
}

void segment_writer_abort(struct segment_writer *w)
{
	if (!w)
		return;
	segfile_abort(&w->file);
	writer_free(w);
}

struct segment {
	struct os_map map;
	struct segfile_head head;
	char *path;
};

int segment_open(struct segment **out, const char *path, struct err *err)
{
	struct segment *s = mem_zalloc(sizeof *s);
	int rc = segfile_open(&s->map, &s->head, path, MAGIC, VERSION, err);

	s->path = mem_strdup(path);
	if (rc == WN_OK && s->head.index_n != (s->head.n + 1) * 8)
		rc = segfile_damaged(err, path, "its index has the wrong size");
	if (rc == WN_OK && (s->head.settings >> 10 || shingle_check(segment_spec(s), NULL) < 0))
		rc = segfile_damaged(err, path, "its settings are unknown");
	if (rc < 0) {
		segment_close(s);
		return rc;
	}
	*out = s;
	return WN_OK;
}

void segment_close(struct segment *s)
{
	if (!s)
		return;
	os_unmap(&s->map);
	mem_free(s->path);
	mem_free(s);
}

uint64_t segment_first(const struct segment *s) { return s->head.first; }
uint64_t segment_count(const struct segment *s) { return s->head.n; }
struct shingle_spec segment_spec(const struct segment *s)
{
	return (struct shingle_spec){ .k = s->head.settings & 255,
				      .unit = s->head.settings >> 8 & 1 ? SHINGLE_CHAR : SHINGLE_WORD,
				      .bag = s->head.settings >> 9 & 1 };
}

/* The tested heads of a content's record; *data is what lies behind them. */
static int find_record(const struct segment *s, uint64_t content, struct record_head *h, const unsigned char **data,
		       struct err *err)
{
	const unsigned char *index = s->map.p + s->head.index_at;
	uint64_t at, end, need;

	if (content < s->head.first || content - s->head.first >= s->head.n)
		return err_set(err, WN_NONE, "segment %s does not hold content %" PRIu64, s->path, content);
	at = get_u64(index + 8 * (content - s->head.first));
	end = get_u64(index + 8 * (content - s->head.first) + 8);
	if (at < SEGFILE_HEAD || at % 8 || end > s->head.index_at || at > end ||
	    end - at < offsetof(struct record_head, main))
		return segfile_damaged(err, s->path, "the record of content %" PRIu64 " lies outside of it", content);
	memcpy(h, s->map.p + at, offsetof(struct record_head, main));
	if (!(h->flags & FLAG_MAIN_IS_BODY)) {
		if (end - at < sizeof *h)
			return segfile_damaged(err, s->path, "the record of content %" PRIu64 " is too short", content);
		memcpy(h, s->map.p + at, sizeof *h);
	} else {
		h->main = h->body;
	}
	if (h->flags > FLAG_MAIN_OF_BODY || h->content != content ||
	    h->check != hash64(s->map.p + at + 8, heads_bytes(h->flags) - 8))
		return segfile_damaged(err, s->path, "the record of content %" PRIu64 " has a wrong checksum", content);
	if (h->body.low_bits != low_bits(h->body.n) || h->main.low_bits != low_bits(h->main.n))
		return segfile_damaged(err, s->path, "the record of content %" PRIu64 " has sets of an unknown form",
				       content);
	need = heads_bytes(h->flags) + set_bytes(h->body.n, h->body.low_bits);
	if (!h->flags)
		need += set_bytes(h->main.n, h->main.low_bits);
	else if (h->flags == FLAG_MAIN_OF_BODY)
		need +=
		    end - at >= need + PART_HEAD ? part_bytes(h->body.n, get_u32(s->map.p + at + need + 4)) : PART_HEAD;
	if (need != end - at)
		return segfile_damaged(err, s->path, "the record of content %" PRIu64 " has the wrong size", content);
	*data = s->map.p + at + heads_bytes(h->flags);
	return WN_OK;
}

int segment_sketch(const struct segment *s, uint64_t content, enum sketch_text which, struct sketch *out,
		   struct err *err)
{
	struct record_head h;
	const unsigned char *data = NULL;
	const struct text_head *text = which == SKETCH_MAIN ? &h.main : &h.body;
	int rc;

	if ((rc = find_record(s, content, &h, &data, err)) < 0)
		return rc;
	out->n = text->n;
	out->simhash = text->simhash;
	memcpy(out->minhash.v, text->minhash, sizeof out->minhash.v);
	return WN_OK;
}

int segment_size(const struct segment *s, uint64_t content, enum sketch_text which, size_t *n, struct err *err)
{
	struct sketch k;
	int rc = segment_sketch(s, content, which, &k, err);

	if (rc == WN_OK)
		*n = k.n;
	return rc;
}

static int wrong_set(const struct segment *s, uint64_t content, struct err *err)
{
	return segfile_damaged(err, s->path, "the set of content %" PRIu64 " has a wrong checksum", content);
}

static bool set_is_sound(const struct text_head *h, const unsigned char *p, size_t n)
{
	return !h->n || h->check == hash64(p, n);
}

int segment_view(const struct segment *s, uint64_t content, enum sketch_text which, struct set_view *out,
		 struct err *err)
{
	struct record_head h;
	const unsigned char *data = NULL;
	size_t n_body;
	int rc;

	*out = (struct set_view){ 0 };
	if ((rc = find_record(s, content, &h, &data, err)) < 0)
		return rc;
	n_body = set_bytes(h.body.n, h.body.low_bits);
	if (which == SKETCH_MAIN && !h.flags) {
		*out = (struct set_view){ data + n_body, h.main.n };
		return set_is_sound(&h.main, out->p, set_bytes(h.main.n, h.main.low_bits)) ? WN_OK
											   : wrong_set(s, content, err);
	}
	*out = (struct set_view){ data, h.body.n };
	if (!set_is_sound(&h.body, data, n_body))
		return wrong_set(s, content, err);
	if (which == SKETCH_BODY || h.flags == FLAG_MAIN_IS_BODY)
		return WN_OK;
	*out = part_view(data + n_body, h.main.n);
	return get_u32(data + n_body) == h.body.n &&
		       set_is_sound(&h.main, data + n_body, part_bytes(h.body.n, get_u32(data + n_body + 4)))
		   ? WN_OK
		   : wrong_set(s, content, err);
}

int segment_get(const struct segment *s, uint64_t content, enum sketch_text which, uint64_t *out, size_t room,
		size_t *n, struct err *err)
{
	struct set_view v;
	uint32_t i = 0;
	uint64_t at = 0;
	int rc;

	if ((rc = segment_view(s, content, which, &v, err)) < 0)
		return rc;
	*n = v.n;
	if (v.n > room)
		return err_set(err, WN_LIMIT,
			       "the set of content %" PRIu64 " has %" PRIu32 " values, there is room for %zu", content,
			       v.n, room);
	if (is_part(v) ? part_read(v, &i, &at, UINT64_MAX, out, v.n) != v.n
		       : v.n && !unpack_set(out, v.p, v.n, low_bits(v.n)))
		return wrong_set(s, content, err);
	return WN_OK;
}

static int check_text(const struct segment *s, uint64_t content, enum sketch_text which, struct err *err)
{
	VEC(uint64_t) v = { 0 };
	struct sketch k;
	struct minhash m;
	struct set set;
	const char *reason;
	size_t n;
	int rc = segment_sketch(s, content, which, &k, err);

	if (rc < 0)
		return rc;
	vec_reserve(&v, k.n + 1);
	if ((rc = segment_get(s, content, which, v.p, k.n, &n, err)) == WN_OK) {
		set = (struct set){ v.p, n };
		minhash_make(&m, set);
		if (!set_check(set, &reason))
			rc = segfile_damaged(err, s->path, "the set of content %" PRIu64 " has %s", content, reason);
		else if (simhash_make(set) != k.simhash || memcmp(&m, &k.minhash, sizeof m) != 0)
			rc = segfile_damaged(err, s->path,
					     "MinHash or SimHash of content %" PRIu64 " do not fit its set", content);
	}
	vec_release(&v);
	return rc;
}

int segment_check(const char *path, struct err *err)
{
	struct segment *s;
	int rc = segment_open(&s, path, err);

	if (rc < 0)
		return rc;
	if (get_u64(s->map.p + s->head.index_at) != SEGFILE_HEAD ||
	    get_u64(s->map.p + s->head.index_at + 8 * s->head.n) != s->head.index_at)
		rc = segfile_damaged(err, path, "records do not fill it");
	for (uint64_t c = 0; c < s->head.n && rc == WN_OK; c++)
		for (int which = 0; which < SKETCH_TEXTS && rc == WN_OK; which++)
			rc = check_text(s, s->head.first + c, (enum sketch_text)which, err);
	segment_close(s);
	return rc;
}

/* flow/export_archive.c -- a subset as WARC or WACZ.
 *
 * A record that is one gzip member of its own is copied byte for byte; any
 * other is written anew as WARC 1.1, a segmented one whole.  A kept revisit takes its original along,
 * and the warcinfo records of what is kept come first; both are counted apart.
 *
 * Invariant: no byte of a record that was not asked for gets out.  A member may
 * hold several records, or a part of one, and a file may have been replaced
 * since; so each member is decoded once before it is copied, by one reader that
 * moves along its file.  What is written anew has the payload that was ingested:
 * a record that has not is left out, counted and told of.
 *
 * Of a member with many records those wanted are read in one pass, in their
 * order, by a second reader: decoding is linear in the member, not in its
 * square.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "archive/surt.h"
#include "base/log.h"
#include "base/vec.h"
#include "archive/wacz.h"
#include "archive/writer.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/os.h"
#include "flow/export_int.h"
#include "flow/replay.h"

#define DIGEST_SHA1_BYTES 20

struct piece { /* a record to be handed out */
	uint64_t file, at, length, skip;
	uint64_t capture; /* 0: a warcinfo */
	bool extra;	  /* an original that came along */
};

struct archive_writer {
	struct exporter *x;
	struct writer *w;
	VEC(struct piece) pieces;
	VEC(struct str) lines; /* CDXJ of what was written */
	struct map have;       /* captures in pieces: 1, or 0 when there is no record of it to hand out */
	int fd;
	uint64_t fd_file;
	const char *fd_path;
	struct reader *reader; /* of the same file */
	struct replay_run run;
	struct arena arena;
	const char *name; /* of the WARC in lines */
};

static int by_place(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->skip < y->skip ? -1 : x->skip > y->skip;
}

/* Counts c, of which no record is handed out, and tells why of the first few; file: NULL when it has none.  An original
 * that was to come along is no document of the export. */
static void lose(struct archive_writer *aw, const struct capture *c, bool extra, const char *file, const char *why)
{
	enum { TOLD = 5 };
	struct exporter *x = aw->x;
	char place[24] = "", when[21];

	map_put(&aw->have, c->id, 0);
	if (file)
		snprintf(place, sizeof place, " at %" PRIu64, c->at);
	if (x->report->missing++ < TOLD)
		warning("left out: %.*s of %.*s%s, %s%s%s%s", STR_FMT(c->url), STR_FMT(stamp_rfc3339(c->time, when)),
			extra ? " (the original of a revisit)" : "", file ? file : "", place, file ? ": " : "", why);
	if (file && !extra) { /* it was counted when it was gathered */
		x->report->documents--;
		x->report->bytes -= c->bytes;
	}
}

static const char no_file[] = "which came without its archive file (from an index or JSON lines)";

static int gather(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	struct archive_writer *aw = x->archive;
	struct capture original;
	struct arena a = { 0 };
	int rc = WN_OK;

	(void)m, (void)doc;
	if (!c->file) {
		if (!map_get(&aw->have, c->id)) /* else it was told of as an original */
			lose(aw, c, false, NULL, no_file);
		return WN_END;
	}
	if (!map_get(&aw->have, c->id)) {
		map_put(&aw->have, c->id, 1);
		vec_push(&aw->pieces, ((struct piece){ c->file, c->at, c->length, c->skip, c->id, false }));
	}
	if (c->kind == CAPTURE_REVISIT && c->original && !map_get(&aw->have, c->original)) {
		if ((rc = catalog_capture(x->coll->catalog, &a, c->original, &original, x->err)) == WN_OK &&
		    !original.file) {
			lose(aw, &original, true, NULL, no_file);
		} else if (rc == WN_OK) {
			map_put(&aw->have, original.id, 1);
			vec_push(&aw->pieces, ((struct piece){ original.file, original.at, original.length,
							       original.skip, original.id, true }));
		}
		arena_release(&a);
	}
	return rc;
}

static int add_warcinfos(struct archive_writer *aw)
{
	sqlite3 *db = catalog_sqlite(aw->x->coll->catalog);
	sqlite3_stmt *s = NULL;
	struct map files = { 0 };

	for (size_t i = 0; i < aw->pieces.n; i++)
		map_put(&files, aw->pieces.p[i].file, 1);
	if (sqlite3_prepare_v2(db, "select file, at, length from crawl order by id", -1, &s, NULL) != SQLITE_OK)
		return err_set(aw->x->err, WN_CATALOG, "crawls: %s", sqlite3_errmsg(db));
	while (sqlite3_step(s) == SQLITE_ROW) {
		uint64_t file = (uint64_t)sqlite3_column_int64(s, 0);

		if (map_get(&files, file))
			vec_push(&aw->pieces, ((struct piece){ file, (uint64_t)sqlite3_column_int64(s, 1),
							       (uint64_t)sqlite3_column_int64(s, 2), 0, 0, true }));
	}
	sqlite3_finalize(s);
	map_release(&files);
	return WN_OK;
}

static void close_source(struct archive_writer *aw)
{
	os_close(&aw->fd);
	reader_close(aw->reader);
	aw->reader = NULL;
	replay_run_close(&aw->run);
}

static int open_source(struct archive_writer *aw, uint64_t file)
{
	int rc;

	if (aw->fd >= 0 && aw->fd_file == file)
		return WN_OK;
	close_source(aw);
	if ((rc = collection_file(aw->x->coll, &aw->arena, file, &aw->fd_path, aw->x->err)) < 0)
		return rc;
	aw->fd_file = file;
	if (os_open(&aw->fd, aw->fd_path, O_RDONLY, aw->x->err) < 0)
		return collection_unread(aw->x->coll, file, aw->x->err);
	return reader_open_span(&aw->reader, aw->fd_path, (struct span){ 0 }, aw->x->err);
}

static bool is_gzip(struct archive_writer *aw, const struct piece *p)
{
	unsigned char magic[2];
	size_t got;

	return p->length > 18 && os_pread(aw->fd, magic, 2, p->at, &got, aw->fd_path, NULL) == WN_OK && got == 2 &&
	       magic[0] == 0x1f && magic[1] == 0x8b;
}

/* Is the record, which was read to its end, whole, and all that its member holds? */
static bool fills_member(const struct reader *r, const struct record *rec, const struct piece *p)
{
	static const enum flaw_kind torn[] = { FLAW_SPLIT_RECORD, FLAW_BAD_MEMBER, FLAW_BAD_CHECKSUM };
	uint64_t stop, skip;

	reader_stop(r, &stop, &skip);
	if (rec->plain || rec->span.at != p->at || rec->span.skip || rec->span.length != p->length ||
	    stop != p->at + p->length || skip || !reader_whole(r, rec))
		return false;
	for (size_t i = 0; i < COUNT(torn); i++)
		if (flaw_has(&rec->flaws, torn[i]))
			return false;
	return true;
}

/* Can the piece be copied as it is: a gzip member that holds this WARC record, whole, and nothing else?  A segment is
 * but the beginning of its record.  c is NULL for a warcinfo. */
static int is_member(struct archive_writer *aw, const struct piece *p, const struct capture *c, bool *own)
{
	struct record rec = { 0 };
	int rc;

	*own = false;
	if (p->skip || (c && c->part.n) || !reader_can_move(aw->reader) || !is_gzip(aw, p))
		return WN_OK;
	if ((rc = reader_move(aw->reader, (struct span){ p->at, p->length, 0 }, aw->x->err)) < 0 ||
	    (rc = reader_next(aw->reader, &rec, aw->x->err)) != WN_OK)
		return rc < 0 ? rc : WN_OK;
	bool same =
	    rec.format == RECORD_WARC && !rec.part.n && (c ? replay_is_same(&rec, c) : rec.type == RECORD_WARCINFO);

	if ((rc = reader_end(aw->reader, &rec, aw->x->err)) < 0)
		return rc;
	*own = same && !(c && rec.segment_number) && fills_member(aw->reader, &rec, p);
	return WN_OK;
}

static const struct field *other_fields(struct archive_writer *aw, const struct record *r, unsigned *n)
{
	static const char *const known[] = { "WARC-Type",
					     "WARC-Record-ID",
					     "WARC-Date",
					     "Content-Length",
					     "Content-Type",
					     "WARC-Target-URI",
					     "WARC-IP-Address",
					     "WARC-Payload-Digest",
					     "WARC-Block-Digest",
					     "WARC-Profile",
					     "WARC-Refers-To",
					     "WARC-Refers-To-Target-URI",
					     "WARC-Refers-To-Date",
					     "WARC-Concurrent-To",
					     "WARC-Warcinfo-ID",
					     "WARC-Truncated",
					     "WARC-Filename",
					     "WARC-Segment-Number",
					     "WARC-Segment-Origin-ID",
					     "WARC-Segment-Total-Length" };
	struct field *out = ARENA_ARRAY(&aw->arena, struct field, r->nfields + 1);

	*n = 0;
	for (unsigned i = 0; r->format == RECORD_WARC && i < r->nfields; i++) {
		bool mine = false;

		for (size_t k = 0; k < COUNT(known); k++)
			mine |= str_ieq(r->fields[i].name, str(known[k]));
		if (!mine)
			out[(*n)++] = r->fields[i];
	}
	return out;
}

/* The record of c and the reader that stands in it; of a segmented one that of p, which finds its continuations. */
static int open_record(struct archive_writer *aw, const struct capture *c, struct replay *p, struct reader **from,
		       struct err *err)
{
	int rc = replay_run_to(&aw->run, aw->x->coll, c, &p->record, aw->x->err);

	*from = aw->run.reader;
	if (rc < 0 || (rc == WN_OK && !p->record.segment_number))
		return rc;
	rc = replay_open(p, aw->x->coll, c, false, err);
	*from = p->reader;
	return rc;
}

static int add_piece(struct buf *block, struct str piece, struct err *err)
{
	return buf_str(block, piece) ? WN_OK
				     : err_set(err, WN_LIMIT, "a record of more than 2 GiB cannot be rewritten");
}

/* The blocks of all segments: as a resource, which has no head of its own, a record is payload from its first byte. */
static int read_segments(struct replay *p, struct buf *block, struct err *err)
{
	enum record_type type = p->record.type;
	struct str piece;
	int rc;

	p->record.type = RECORD_RESOURCE;
	rc = payload_begin(&p->payload, p->reader, &p->record, PAYLOAD_RAW, 0, err);
	while (rc == WN_OK && (rc = payload_read(&p->payload, &piece, err)) == WN_OK)
		rc = add_piece(block, piece, err);
	rc = rc < 0 ? rc : payload_end(&p->payload, &p->record, err);
	p->record.type = type;
	return rc;
}

static int read_block(struct replay *p, struct reader *from, struct buf *block, struct err *err)
{
	struct str piece;
	int rc = WN_OK;

	if (p->record.segment_number == 1)
		return read_segments(p, block, err);
	while (rc == WN_OK && (rc = reader_block(from, &piece, err)) == WN_OK)
		rc = add_piece(block, piece, err);
	return rc < 0 ? rc : WN_OK;
}

/* Is the decoded payload of c what it was when it was ingested?  Reads the record once more.  A segmented record may have
 * got its continuations since: then it is longer, and complete. */
static int is_as_digested(struct archive_writer *aw, const struct capture *c, bool *same, struct err *err)
{
	struct replay p = { 0 };
	int rc;

	if ((rc = replay_open(&p, aw->x->coll, c, false, err)) == WN_OK &&
	    (rc = payload_begin(&p.payload, p.reader, &p.record, PAYLOAD_DECODED, PAYLOAD_DIGEST, err)) == WN_OK &&
	    (rc = payload_end(&p.payload, &p.record, err)) == WN_OK)
		*same = str_eq(c->digest, str_n((const char *)p.payload.digest.bytes, c->digest.n)) ||
			(p.record.segment_number && p.payload.complete && p.payload.size > c->bytes);
	replay_close(&p);
	return rc;
}

/* Does the type fit the kind of capture that the record was entered as?  An index tells only revisits from others. */
static bool is_of_kind(enum record_type type, enum capture_kind kind)
{
	if (kind == CAPTURE_REVISIT)
		return type == RECORD_REVISIT;
	return type == RECORD_RESPONSE || type == RECORD_RESOURCE || type == RECORD_CONVERSION;
}

/* Is this block what was ingested?  Mostly the digest in the catalogue fits the body as it stands; where it is that of
 * other forms of it, or was wrong from the beginning, the digest that ingest has computed itself decides. */
static int is_as_ingested(struct archive_writer *aw, const struct capture *c, const struct record *r, struct str block,
			  bool *same)
{
	struct digest want, got;
	struct str body = record_is_http(r, block) ? str_sub(block, http_head_size(block, true), block.n) : block;

	if (!(*same = is_of_kind(r->type, c->kind)))
		return WN_OK;
	if (c->kind == CAPTURE_REVISIT || c->digest.n != DIGEST_SHA1_BYTES)
		return WN_OK; /* no payload, or none that was looked at */
	if (digest_parse(c->payload_digest, &want)) {
		digest_of(want.kind, body, &got);
		if (digest_eq(&want, &got))
			return WN_OK;
	}
	*same = false;
	return is_as_digested(aw, c, same, aw->x->err);
}

static struct writer_head head_of(struct archive_writer *aw, const struct capture *c, const struct record *r)
{
	struct writer_head h = { .type = r->type,
				 .id = r->id,
				 .target_uri = r->target_uri,
				 .time = c->time,
				 .content_type = r->format == RECORD_ARC && r->type == RECORD_RESPONSE
						     ? STR("application/http; msgtype=response")
						     : r->content_type,
				 .ip = r->ip,
				 .payload_digest = r->payload_digest,
				 .profile = r->profile,
				 .refers_to = r->refers_to,
				 .refers_to_uri = r->refers_to_uri,
				 .refers_to_date = r->refers_to_date,
				 .concurrent_to = r->concurrent_to,
				 .truncated = r->truncated };

	h.more = other_fields(aw, r, &h.nmore);
	if (flaw_has(&r->flaws, FLAW_SEGMENT)) { /* what there is of it, and no more is said */
		h.payload_digest = STR_NONE;
		h.truncated = h.truncated.n ? h.truncated : STR("unspecified");
	}
	return h;
}

/* The record of c with its block.  WN_END: there is none any more that is what was ingested. */
static int read_record(struct archive_writer *aw, const struct capture *c, struct replay *p, struct buf *block)
{
	struct err *err = aw->x->err;
	struct reader *from;
	bool same = false;
	int rc;

	if ((rc = open_record(aw, c, p, &from, err)) == WN_OK && (rc = read_block(p, from, block, err)) == WN_OK)
		rc = is_as_ingested(aw, c, &p->record, buf_view(block), &same);
	if (rc == WN_IO) /* one record that is damaged costs no other */
		err_reset(err);
	return rc == WN_IO || (rc == WN_OK && !same) ? WN_END : rc;
}

static int rewrite(struct archive_writer *aw, const struct capture *c, struct span *span)
{
	struct replay p = { 0 };
	struct buf block = BUF(2 * GIB);
	int rc;

	if ((rc = read_record(aw, c, &p, &block)) == WN_OK) {
		struct writer_head h = head_of(aw, c, &p.record);

		rc = writer_record(aw->w, &h, buf_view(&block), span, aw->x->err);
		aw->x->report->rewritten += rc == WN_OK;
	}
	buf_release(&block);
	replay_close(&p);
	return rc;
}

static int write_piece(struct archive_writer *aw, const struct piece *p)
{
	struct exporter *x = aw->x;
	struct arena a = { 0 };
	struct capture c = { 0 };
	struct span span = { 0 };
	struct buf line = BUF(4 * MIB);
	bool own;
	int rc;

	if (p->capture && (rc = catalog_capture(x->coll->catalog, &a, p->capture, &c, x->err)) < 0)
		goto out;
	if ((rc = open_source(aw, p->file)) < 0 || (rc = is_member(aw, p, p->capture ? &c : NULL, &own)) < 0)
		goto out;
	if (own) {
		rc = writer_copy(aw->w, aw->fd, aw->fd_path, p->at, p->length, &span, x->err);
		x->report->copied++;
	} else if (p->capture) {
		rc = rewrite(aw, &c, &span);
	} else {
		goto out; /* the warcinfo of a file that is written anew: ours stands in front */
	}
	if (rc == WN_END) {
		lose(aw, &c, p->extra, aw->fd_path, "it is not what was ingested: the file is damaged or was changed");
		rc = WN_OK;
		goto out;
	}
	x->report->originals += p->extra && p->capture;
	x->report->warcinfos += !p->capture;
	if (rc == WN_OK && p->capture) {
		struct cdx cdx = export_cdx(&c);

		cdx.offset = span.at;
		cdx.length = span.length;
		cdx.filename = str(aw->name);
		cdx_add(CDX_J, &cdx, &line);
		vec_push(&aw->lines, arena_str(&aw->arena, buf_view(&line)));
	}
out:
	buf_release(&line);
	arena_release(&a);
	return rc;
}

/* Ids that are the same for the same cover, and those of no other file. */
static uint64_t id_seed(const struct cover_row *cover)
{
	uint64_t seed = hash_str(STR("winnow export"));

	return cover ? mix64(seed ^ hash_str(cover->sha256)) + cover->id : seed;
}

static int write_warc(struct archive_writer *aw, const char *path)
{
	struct exporter *x = aw->x;
	struct writer_options o = { .coding = WRITER_GZIP, .whole_or_nothing = true, .id_seed = id_seed(x->q->cover) };
	struct buf info = BUF(1 * MIB);
	int rc;

	x->archive = aw;
	aw->fd = -1;
	if ((rc = export_each(x, gather, x->err)) < 0 || (rc = add_warcinfos(aw)) < 0)
		return rc;
	sort_array(aw->pieces.p, aw->pieces.n, sizeof *aw->pieces.p, by_place);
	if ((rc = writer_open(&aw->w, path, &o, x->err)) < 0)
		return rc;
	buf_printf(&info, "software: winnow %s\r\nformat: WARC File Format 1.1\r\n", WINNOW_VERSION);
	if (x->q->cover)
		buf_printf(&info, "description: what the rule %.*s keeps\r\n", STR_FMT(x->q->cover->rule));
	rc = writer_info(aw->w, aw->name, x->q->cover ? x->q->cover->created : (int64_t)time(NULL), buf_view(&info),
			 x->err);
	for (size_t i = 0; i < aw->pieces.n && rc == WN_OK; i++)
		rc = write_piece(aw, &aw->pieces.p[i]);
	if (rc == WN_OK && x->report->missing && !aw->lines.n)
		rc = err_set(x->err, WN_NONE,
			     "none of %" PRIu64
			     " records could be read, so %s was not written; 'winnow ingest %s FILE' of their archive "
			     "files, or of good copies, brings them",
			     x->report->missing, x->path, catalog_dir(x->coll->catalog));
	buf_release(&info);
	if (rc < 0) {
		writer_abort(aw->w);
		return rc;
	}
	return writer_close(aw->w, x->err);
}

static void release(struct archive_writer *aw)
{
	vec_release(&aw->pieces);
	vec_release(&aw->lines);
	map_release(&aw->have);
	close_source(aw);
	arena_release(&aw->arena);
	aw->x->archive = NULL;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int export_warc(struct exporter *x)
{
	struct archive_writer aw = { .x = x, .fd = -1, .name = last_part(x->path) };
	int rc = write_warc(&aw, x->path);

	release(&aw);
	return rc;
}

static int by_line(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

static int page(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	const uint64_t *there = map_get(&x->archive->have, c->id);
	char id[24];

	(void)m, (void)doc;
	if (!there || !*there || !c->content || !str_eq(c->mime, STR("text/html")))
		return WN_OK;
	snprintf(id, sizeof id, "%" PRIu64,
		 c->id); /* always there: to validators a page with neither it nor a title is blank */
	return wacz_page(
	    x->wacz, &(struct wacz_page){ .id = str(id), .url = c->url, .title = c->title, .time = c->time }, x->err);
}

int export_wacz(struct exporter *x)
{
	struct archive_writer aw = { .x = x, .fd = -1, .name = "data.warc.gz" };
	struct wacz_options o = { .title =
				      x->q->cover && x->q->cover->name.n ? x->q->cover->name : STR("winnow export"),
				  .software = STR("winnow " WINNOW_VERSION),
				  .description = x->q->cover ? x->q->cover->rule : STR_NONE,
				  .created = x->q->cover ? x->q->cover->created : (int64_t)time(NULL) };
	const char *part = arena_printf(&x->arena, "%s.part.warc.gz", x->path).p;
	struct export_report before = *x->report;
	struct wacz *z = NULL;
	int rc;

	if ((rc = write_warc(&aw, part)) < 0)
		goto out;
	sort_array(aw.lines.p, aw.lines.n, sizeof *aw.lines.p, by_line);
	if ((rc = wacz_open(&z, x->path, &o, x->err)) < 0)
		goto out;
	rc = wacz_archive(z, aw.name, part, x->err);
	for (size_t i = 0; i < aw.lines.n && rc == WN_OK; i++)
		rc = wacz_cdxj(z, aw.lines.p[i], x->err);
	x->wacz = z;
	before = *x->report;
	if (rc == WN_OK)
		rc = export_each(x, page, x->err);
	x->report->documents = before.documents;
	x->report->bytes = before.bytes;
	if (rc == WN_OK)
		rc = wacz_close(z, x->err);
	else
		wacz_abort(z);
out:
	os_unlink(part, NULL);
	release(&aw);
	return rc;
}

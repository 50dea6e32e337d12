/* cmd/repair.c -- winnow repair: a clean copy of what can be saved of an archive file.
 *
 * Every record that can be read is written again as WARC 1.1 with right
 * length, date, id and block digest, one member a record.  A record that was
 * without flaws keeps its bytes of block, fields and id; an ARC record becomes
 * a response or resource.  What could not be saved is reported.
 */
#include <inttypes.h>
#include <sys/stat.h>

#include "archive/chunk.h"
#include "archive/digest.h"
#include "archive/http.h"
#include "archive/payload.h"
#include "archive/reader.h"
#include "archive/stamp.h"
#include "archive/url_host.h"
#include "archive/verify.h"
#include "archive/writer.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/task.h"
#include "cmd/table.h"

struct report {
	uint64_t records, written, changed, lost; /* lost: places without a record that can be saved */
	uint64_t counts[FLAW_KINDS];
	struct buf lines;
	bool json;
};

/* Fields that the writer makes itself. */
static bool is_made(struct str name)
{
	static const char *const made[] = {
		"WARC-Type",	       "WARC-Date",	    "WARC-Record-ID",
		"Content-Type",	       "Content-Length",    "WARC-Target-URI",
		"WARC-IP-Address",     "WARC-Block-Digest", "WARC-Payload-Digest",
		"WARC-Concurrent-To",  "WARC-Warcinfo-ID",  "WARC-Truncated",
		"WARC-Profile",	       "WARC-Refers-To",    "WARC-Refers-To-Target-URI",
		"WARC-Refers-To-Date", "WARC-Filename",
	};

	for (size_t i = 0; i < COUNT(made); i++)
		if (str_ieq(name, str(made[i])))
			return true;
	return false;
}

static void count(struct report *r, const struct flaws *f)
{
	for (unsigned i = 0; i < f->n; i++) {
		r->counts[f->v[i].kind]++;
		if (!r->json)
			buf_printf(&r->lines, "%" PRIu64 " %s %s\n", f->v[i].at, flaw_name(f->v[i].kind),
				   f->v[i].detail);
	}
	if (r->lines.n > 32 * KIB) {
		cmd_out(&r->lines);
		buf_reset(&r->lines);
	}
}

/* What makes a record's content doubtful, beyond its form. */
static bool is_loss(const struct flaws *f)
{
	static const enum flaw_kind losses[] = { FLAW_GARBAGE,	     FLAW_TRUNCATED_FILE,  FLAW_BAD_MEMBER,
						 FLAW_BAD_CHECKSUM,  FLAW_BLOCK_TRUNCATED, FLAW_HEAD_TRUNCATED,
						 FLAW_HEAD_TOO_LONG, FLAW_BAD_CONTAINER,   FLAW_MISSING_DICTIONARY };

	for (size_t i = 0; i < COUNT(losses); i++)
		if (flaw_has(f, losses[i]))
			return true;
	return false;
}

/* A block in memory as a source of one piece. */
struct memory {
	struct source source;
	struct str left;
};

static int pull_memory(struct source *source, struct str *piece, struct err *err)
{
	struct memory *m = (struct memory *)(void *)source;

	(void)err;
	*piece = m->left;
	m->left = STR_NONE;
	return piece->n ? WN_OK : WN_END;
}

/* Does the payload digest fit the body, as archived or without chunks?  A copy must not carry one that does not. */
static bool digest_fits(const struct record *rec)
{
	struct digest want, got;
	struct str body = rec->whole;
	struct memory memory = { { pull_memory, false }, STR_NONE };
	struct dechunk dechunk;
	struct http_head http = { 0 };
	struct http_scratch scratch = { 0 };
	struct flaws flaws = { 0 };
	struct hasher h = { 0 };
	struct str piece;
	struct err err;

	if (!digest_parse(rec->payload_digest, &want))
		return false;
	if (!body.p || rec->type == RECORD_REVISIT || rec->segment_number)
		return true; /* not of this block, or too long to be looked at twice */
	if (record_is_http(rec, body) && http_parse(&http, http_kind_of(rec->type), body, &scratch, &flaws, 0))
		body = str_sub(body, http.size, body.n);
	http_scratch_release(&scratch);
	digest_of(want.kind, body, &got);
	if (digest_eq(&got, &want))
		return true;
	memory.left = body;
	dechunk_init(&dechunk, &memory.source, &flaws, 0);
	hasher_begin(&h, want.kind);
	while (source_pull(&dechunk.source, &piece, &err) == WN_OK)
		hasher_add(&h, piece);
	hasher_end(&h, &got);
	hasher_release(&h);
	return digest_eq(&got, &want);
}

/* A long block was looked at before; a segment's digest is that of all segments, which need not be here. */
static bool known_wrong(const struct record *rec)
{
	return flaw_has(&rec->flaws, FLAW_PAYLOAD_DIGEST) && !rec->segment_number;
}

static bool is_reason(struct str s)
{
	return str_ieq(s, STR("length")) || str_ieq(s, STR("time")) || str_ieq(s, STR("disconnect")) ||
	       str_ieq(s, STR("unspecified"));
}

/* What the writer's own fields take at most, beside values that make_head has cut to LIMIT_URL. */
enum { OWN_FIELDS = 24, OWN_BYTES = 4096 };

/* Values of the head that are longer than any reader believes. */
static bool cut_values(struct writer_head *h, size_t *bytes)
{
	struct str *const all[] = {
		&h->id,		 &h->target_uri,    &h->content_type,	&h->ip,	       &h->profile,
		&h->refers_to,	 &h->refers_to_uri, &h->refers_to_date, &h->truncated, &h->concurrent_to,
		&h->warcinfo_id, &h->filename,	    &h->payload_digest
	};
	bool cut = false;

	for (size_t i = 0; i < COUNT(all); i++) {
		if (all[i]->n > LIMIT_URL) {
			all[i]->n = LIMIT_URL;
			cut = true;
		}
		*bytes += all[i]->n;
	}
	return cut;
}

/* Other fields are kept as they are, but each once, none that a flaw named, and no more than a reader takes. */
static bool keep_fields(struct writer_head *h, struct field *more, const struct record *rec, size_t bytes)
{
	bool left_out = false;

	for (unsigned i = 0; i < rec->nfields; i++) {
		struct field f = rec->fields[i];
		bool twice = is_made(f.name);

		for (unsigned k = 0; k < h->nmore && !twice; k++)
			twice = str_ieq(more[k].name, f.name);
		if (str_istarts(f.name, STR("WARC-Segment-")) && !rec->segment_number)
			continue;
		if (twice || !f.value.n)
			continue;
		if (h->nmore == LIMIT_FIELDS - OWN_FIELDS ||
		    bytes + f.name.n + f.value.n + 4 > LIMIT_RECORD_HEAD - OWN_BYTES) {
			left_out = true;
			continue;
		}
		bytes += f.name.n + f.value.n + 4;
		more[h->nmore++] = f;
	}
	return left_out;
}

static void make_head(struct arena *a, struct record *rec, struct writer_head *h)
{
	size_t bytes = 0;
	bool shorter;
	struct stamp t = { 0 };
	struct field *more = ARENA_ARRAY(a, struct field, rec->nfields ? rec->nfields : 1);

	stamp_parse(rec->date, &t);
	*h = (struct writer_head){ .type = rec->type,
				   .id = rec->id,
				   .target_uri = rec->target_uri,
				   .time = t.time,
				   .nsec = t.nsec,
				   .content_type = rec->content_type,
				   .ip = rec->ip,
				   .payload_digest = rec->payload_digest,
				   .profile = rec->profile,
				   .refers_to = rec->refers_to,
				   .refers_to_uri = rec->refers_to_uri,
				   .refers_to_date = rec->refers_to_date,
				   .concurrent_to = rec->concurrent_to,
				   .warcinfo_id = rec->warcinfo_id,
				   .truncated = rec->truncated,
				   .more = more };
	if (rec->payload_digest.n && (known_wrong(rec) || !digest_fits(rec)))
		h->payload_digest = STR_NONE;
	if (rec->ip.n && !url_looks_like_ip(rec->ip))
		h->ip = STR_NONE;
	if (rec->truncated.n && !is_reason(rec->truncated))
		h->truncated = STR("unspecified");
	if (!stamp_parse(rec->refers_to_date, &t) || t.flaw)
		h->refers_to_date = STR_NONE;
	if (rec->type == RECORD_WARCINFO)
		h->filename = record_field(rec, "WARC-Filename");
	if (rec->format == RECORD_ARC) {
		if (rec->type == RECORD_RESPONSE)
			h->content_type = STR("application/http; msgtype=response");
		if (rec->type == RECORD_WARCINFO)
			h->target_uri = STR_NONE;
	}
	shorter = cut_values(h, &bytes);
	if (rec->format != RECORD_ARC)
		shorter |= keep_fields(h, more, rec, bytes);
	if (shorter)
		flaw_add(&rec->flaws, FLAW_HEAD_TOO_LONG, rec->span.at, "the copy has less of it");
}

static int go_on(struct err *err) { return task_interrupted() ? err_set(err, WN_INTERRUPTED, "interrupted") : WN_OK; }

/* What verify finds in block and payload, added to rec->flaws; the record is read to its end. */
static int check(struct payload *p, struct reader *r, struct record *rec, struct err *err)
{
	struct str piece;
	int rc = payload_begin(p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_BLOCK, err);

	while (rc == WN_OK && (rc = payload_read(p, &piece, err)) == WN_OK)
		rc = go_on(err);
	return rc < 0 ? rc : payload_end(p, rec, err);
}

static int open_again(const char *path, const struct record *rec, struct reader **r, struct record *again,
		      struct err *err)
{
	struct arena a = { 0 };
	int rc;

	if (rec->part.n)
		path = arena_printf(&a, "%s#%.*s", path, STR_FMT(rec->part)).p;
	rc = reader_open_span(r, path, rec->span, err);
	arena_release(&a);
	if (rc == WN_OK && (rc = reader_next(*r, again, err)) < 0)
		reader_close(*r);
	return rc;
}

/* A block that does not lie in memory is read three times: its flaws and its
 * true length must be known before it is written. */
static int look_ahead(const char *path, struct payload *p, struct record *rec, uint64_t *length, struct err *err)
{
	struct reader *r = NULL;
	struct record *again = mem_alloc(sizeof *again);
	struct str piece;
	int rc = open_again(path, rec, &r, again, err);

	*length = 0;
	if (rc >= 0) {
		while (rc == WN_OK && (rc = reader_block(r, &piece, err)) == WN_OK) {
			*length += piece.n;
			rc = go_on(err);
		}
		reader_close(r);
	}
	if (rc >= 0 && (rc = open_again(path, rec, &r, again, err)) >= 0) {
		again->flaws.n = again->flaws.more = 0; /* those of the head are known */
		if (rc == WN_OK)
			rc = check(p, r, again, err);
		reader_close(r);
		for (unsigned i = 0; i < again->flaws.n; i++) /* those of lengths come again at the end */
			if (again->flaws.v[i].kind >= FLAW_BAD_DIGEST)
				flaw_add(&rec->flaws, again->flaws.v[i].kind, again->flaws.v[i].at, "%s",
					 again->flaws.v[i].detail);
	}
	mem_free(again);
	return rc < 0 ? rc : WN_OK;
}

/* Writes the record and completes its flaws. */
static int copy_record(struct writer *w, struct reader *r, const char *path, struct payload *p, struct record *rec,
		       struct arena *a, struct err *err)
{
	struct writer_head head;
	struct str piece;
	uint64_t length;
	int rc;

	if (rec->whole.p) {
		make_head(a, rec, &head);
		rc = writer_record(w, &head, rec->whole, NULL, err);
		return rc < 0 ? rc : check(p, r, rec, err);
	}
	if (strcmp(path, "-") == 0)
		return err_set(err, WN_USAGE,
			       "a record of %" PRIu64
			       " bytes cannot be repaired from standard input: save it to a file first",
			       rec->length);
	if ((rc = look_ahead(path, p, rec, &length, err)) < 0)
		return rc;
	make_head(a, rec, &head);
	if ((rc = writer_begin(w, &head, length, err)) < 0)
		return rc;
	while ((rc = reader_block(r, &piece, err)) == WN_OK)
		if ((rc = go_on(err)) < 0 || (rc = writer_piece(w, piece, err)) < 0)
			return rc;
	return rc < 0 || (rc = writer_end(w, NULL, err)) < 0 ? rc : reader_end(r, rec, err);
}

/* A copy and its original may be told apart by the id alone: a second record of an id gets a new one. */
static void free_id(struct record *rec, struct map *ids)
{
	if (!rec->id.n)
		return;
	uint64_t hash = hash_str(rec->id), *first = map_get(ids, hash);

	if (first) {
		flaw_add(&rec->flaws, FLAW_DUPLICATE_ID, rec->span.at, "the same as that of the record at %" PRIu64,
			 *first);
		rec->id = STR_NONE;
	} else {
		map_put(ids, hash, rec->span.at);
	}
}

static int copy_all(struct reader *r, const char *path, struct writer *w, struct report *rep, struct err *err)
{
	struct record *rec = mem_alloc(sizeof *rec);
	struct arena a = { 0 };
	struct map ids = { 0 };
	struct payload payload = { 0 };
	int rc;

	while ((rc = go_on(err)) == WN_OK && (rc = reader_next(r, rec, err)) == WN_OK) {
		bool empty = rec->flaws.n && flaw_has(&rec->flaws, FLAW_HEAD_TRUNCATED) && rec->length == 0;

		rep->records++;
		arena_reset(&a);
		verify_head(rec);
		if (!empty) {
			free_id(rec, &ids);
			if ((rc = copy_record(w, r, path, &payload, rec, &a, err)) < 0)
				break;
			rep->written++;
		} else if ((rc = check(&payload, r, rec, err)) < 0) {
			break;
		}
		rep->changed += rec->flaws.n > 0;
		rep->lost += empty || is_loss(&rec->flaws);
		count(rep, &rec->flaws);
	}
	if (rc == WN_END) {
		count(rep, reader_tail(r));
		rep->lost += is_loss(reader_tail(r)) || flaw_has(reader_tail(r), FLAW_NOT_AN_ARCHIVE);
		rc = WN_OK;
	}
	payload_release(&payload);
	map_release(&ids);
	arena_release(&a);
	mem_free(rec);
	return rc;
}

static void print_report(struct report *rep)
{
	if (!rep->json) {
		buf_printf(&rep->lines,
			   "%" PRIu64 " records read, %" PRIu64 " written, %" PRIu64 " of them with flaws; %" PRIu64
			   " places where something was lost\n",
			   rep->records, rep->written, rep->changed, rep->lost);
		cmd_out(&rep->lines);
		return;
	}
	struct json j = { .out = &rep->lines, .spaced = true };

	json_open(&j, '{');
	json_put_u64(&j, "records", rep->records);
	json_put_u64(&j, "written", rep->written);
	json_put_u64(&j, "lost", rep->lost);
	json_put_open(&j, "flaws", '{');
	for (int k = 0; k < FLAW_KINDS; k++)
		if (rep->counts[k])
			json_put_u64(&j, flaw_name((enum flaw_kind)k), rep->counts[k]);
	json_close(&j, '}');
	json_close(&j, '}');
	buf_byte(&rep->lines, '\n');
	cmd_out(&rep->lines);
}

static enum writer_coding coding_of(const char *path)
{
	if (str_iends(str(path), STR(".zst")))
		return WRITER_ZSTD;
	return str_iends(str(path), STR(".gz")) ? WRITER_GZIP : WRITER_PLAIN;
}

static int run(struct cmd_run *run)
{
	const char *in = run->rest.p[0], *out = run->rest.p[1];
	struct report rep = { .lines = BUF(4 * MIB), .json = run->common.json };
	struct reader *r = NULL;
	struct writer *w = NULL;
	struct stat a, b;
	int rc;

	if (stat(in, &a) == 0 && stat(out, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return cmd_usage(run, "%s and %s are the same file; name another one for the copy", in, out);
	if (os_is_special(out))
		return cmd_usage(run, "%s is there and is no regular file; give another name", out);
	if ((strcmp(in, "-") != 0 && (rc = os_named_file(in, &run->err)) < 0) ||
	    (rc = reader_open(&r, in, &run->err)) < 0)
		return cmd_fail(run, rc);
	struct writer_options o = { .coding = coding_of(out),
				    .whole_or_nothing = true,
				    .id_seed = hash_str(str(in)) | 1 };

	if ((rc = writer_open(&w, out, &o, &run->err)) == WN_OK) {
		rc = copy_all(r, in, w, &rep, &run->err);
		if (rc < 0 || rep.written == 0)
			writer_abort(w);
		else
			rc = writer_close(w, &run->err);
	}
	reader_close(r);
	if (rc >= 0)
		print_report(&rep);
	buf_release(&rep.lines);
	if (rc < 0)
		return cmd_fail(run, rc);
	if (rep.written == 0) {
		error("repair: %s holds no record that could be saved, so %s was not written", in, out);
		return EXIT_FINDINGS;
	}
	return rep.lost ? EXIT_FINDINGS : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow repair sample.warc.gz clean.warc.gz", "everything that can be read, written again as it should be" },
	{ 0 },
};

const struct cmd cmd_repair = {
	.name = "repair",
	.args = "IN OUT",
	.summary = "write a clean copy of all that can be saved of an archive file",
	.group = GROUP_CARE,
	.min_args = 2,
	.max_args = 2,
	.run = run,
	.examples = examples,
	.prose =
	    "Reads IN (WARC, ARC or WACZ, however damaged) and writes OUT as WARC 1.1, one compressed member a record (gzip or zstd by the name of "
	    "OUT). Blocks stay as they are; lengths, dates, ids and block digests are made right, payload digests that do not fit and addresses that are none are left out, a date that is missing or cannot be read becomes 1970-01-01T00:00:00Z. Each flaw of IN, as 'winnow verify' finds them, is printed as OFFSET, KIND and DETAIL.\n\n"
	    "OUT appears whole or not at all (a regular file only: a device, a pipe or a link of that name is refused); IN is not touched. The exit code is 1 when something could not be saved.",
};

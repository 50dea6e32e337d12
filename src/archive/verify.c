/* archive/verify.c -- see verify.h.
 *
 * On the workers each record becomes its list of flaws; in order, on the
 * calling thread, ids are compared and the flaws handed out.
 */
#include "archive/verify.h"

#include "archive/scan.h"
#include "archive/stamp.h"
#include "archive/url_host.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"

struct found {		 /* of one record */
	uint64_t at, id; /* hash of the id, 0 when there is none */
	struct str part;
	char *name; /* of the part */
	unsigned n, more;
	struct flaw v[];
};

struct run {
	const struct verify *v;
	const char *const *paths;
	struct verify_result *out;
	struct payload *payloads; /* one per worker */
	struct map ids;		  /* of the present file: hash -> offset */
};

/* Heads */

static void missing(struct record *rec, struct str value, const char *name)
{
	if (!value.n)
		flaw_add(&rec->flaws, FLAW_MISSING_FIELD, rec->span.at, "%s", name);
}

static void check_date(struct record *rec, struct str date, const char *name)
{
	struct stamp t;
	bool arc = rec->format == RECORD_ARC;
	int shown = (int)(date.n < 40 ? date.n : 40);

	if (!date.n)
		return;
	if (!(arc ? stamp_parse_digits(date, &t) : stamp_parse_warc(date, &t)))
		flaw_add(&rec->flaws, FLAW_BAD_DATE, rec->span.at, "%s: %.*s", name, shown, date.p);
	else if (arc ? date.n != 14
		     : (rec->version_major < 1 || rec->version_minor == 0) && t.precision != STAMP_SECOND)
		flaw_add(&rec->flaws, FLAW_DATE_PRECISION, rec->span.at, "%s: %.*s", name, shown, date.p);
	else if (t.flaw)
		flaw_add(&rec->flaws, FLAW_BAD_DATE, rec->span.at, "%s: %.*s: %s", name, shown, date.p, t.flaw);
}

static bool has_scheme(struct str s)
{
	size_t i = 0;

	while (i < s.n &&
	       (ascii_alpha(s.p[i]) || ascii_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '.'))
		i++;
	return i && ascii_alpha(s.p[0]) && i < s.n && s.p[i] == ':';
}

static bool one_of(struct str s, const char *const *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_ieq(s, str(values[i])))
			return true;
	return false;
}

/* Cuts a beginning off, in whatever case; false when it is another. */
static bool cut_beginning(struct str *s, struct str beginning)
{
	if (!str_istarts(*s, beginning))
		return false;
	*s = str_sub(*s, beginning.n, s->n);
	return true;
}

static void check_values(struct record *rec)
{
	static const char *const reasons[] = { "length", "time", "disconnect", "unspecified" };
	int shown = (int)(rec->target_uri.n < 80 ? rec->target_uri.n : 80);

	if (rec->target_uri.n && !has_scheme(rec->target_uri))
		flaw_add(&rec->flaws, FLAW_BAD_URI, rec->span.at, "%.*s", shown, rec->target_uri.p);
	if (rec->truncated.n && !one_of(rec->truncated, reasons, COUNT(reasons)))
		flaw_add(&rec->flaws, FLAW_BAD_VALUE, rec->span.at, "WARC-Truncated: %.*s",
			 (int)(rec->truncated.n < 40 ? rec->truncated.n : 40), rec->truncated.p);
	if (rec->ip.n && !url_looks_like_ip(rec->ip))
		flaw_add(&rec->flaws, FLAW_BAD_VALUE, rec->span.at, "WARC-IP-Address: %.*s",
			 (int)(rec->ip.n < 50 ? rec->ip.n : 50), rec->ip.p);
	if (rec->type == RECORD_CONTINUATION && rec->segment_number == 1)
		flaw_add(&rec->flaws, FLAW_SEGMENT, rec->span.at, "a continuation with number 1");
	else if (rec->segment_number > 1 && rec->type != RECORD_CONTINUATION)
		flaw_add(&rec->flaws, FLAW_SEGMENT, rec->span.at, "segment %llu is no continuation",
			 (unsigned long long)rec->segment_number);
}

/* http://netpreserve.org/warc/VERSION/revisit/NAME, as all versions of the standard and its drafts spell it. */
static bool profile_known(struct str profile)
{
	static const char *const names[] = { "identical-payload-digest", "server-not-modified",
					     "uri-agnostic-identical-payload-digest" };
	struct str s = profile;

	if (!cut_beginning(&s, STR("http://")) && !cut_beginning(&s, STR("https://")))
		return false;
	cut_beginning(&s, STR("www."));
	if (!cut_beginning(&s, STR("netpreserve.org/warc/")))
		return false;
	while (s.n && (ascii_digit(*s.p) || *s.p == '.'))
		s = str_sub(s, 1, s.n);
	if (!cut_beginning(&s, STR("/")))
		return false;
	cut_beginning(&s, STR("revisit/"));
	return one_of(s, names, COUNT(names));
}

/* Kept whatever else is wrong with the record, since it decides how the record is taken. */
static void check_profile(struct record *rec)
{
	struct flaws *f = &rec->flaws;

	missing(rec, rec->profile, "WARC-Profile");
	if (!rec->profile.n || profile_known(rec->profile))
		return;
	if (f->n == LIMIT_FLAWS_PER_RECORD) {
		f->n--;
		f->more++;
	}
	flaw_add(f, FLAW_UNKNOWN_PROFILE, rec->span.at, "%.*s", (int)(rec->profile.n < 100 ? rec->profile.n : 100),
		 rec->profile.p);
}

void verify_head(struct record *rec)
{
	if (flaw_has(&rec->flaws, FLAW_HEAD_TRUNCATED))
		return; /* the rest follows from that */
	check_date(rec, rec->date, "WARC-Date");
	check_values(rec);
	if (rec->format == RECORD_ARC)
		return;
	missing(rec, rec->type_text, "WARC-Type");
	missing(rec, rec->id, "WARC-Record-ID");
	missing(rec, rec->date, "WARC-Date");
	check_date(rec, rec->refers_to_date, "WARC-Refers-To-Date");
	switch (rec->type) {
	case RECORD_RESPONSE:
	case RECORD_RESOURCE:
	case RECORD_REQUEST:
	case RECORD_REVISIT:
	case RECORD_CONVERSION:
	case RECORD_CONTINUATION: missing(rec, rec->target_uri, "WARC-Target-URI"); break;
	default: break;
	}
	if (rec->type == RECORD_REVISIT)
		check_profile(rec);
	if (rec->type == RECORD_CONTINUATION) {
		missing(rec, rec->segment_origin, "WARC-Segment-Origin-ID");
		if (!rec->segment_number)
			missing(rec, STR_NONE, "WARC-Segment-Number");
	}
}

/* Records */

static struct found *keep(const struct record *rec)
{
	struct found *f = mem_alloc(sizeof *f + rec->flaws.n * sizeof f->v[0]);

	f->at = rec->span.at;
	f->id = rec->id.n ? hash_str(rec->id) | 1 : 0;
	f->part = STR_NONE;
	f->name = NULL;
	if (rec->part.n && rec->flaws.n) {
		f->name = mem_alloc(rec->part.n);
		memcpy(f->name, rec->part.p, rec->part.n);
		f->part = str_n(f->name, rec->part.n);
	}
	f->n = rec->flaws.n;
	f->more = rec->flaws.more;
	memcpy(f->v, rec->flaws.v, f->n * sizeof f->v[0]);
	return f;
}

static void drop(void *context, void *item)
{
	struct found *f = item;

	(void)context;
	mem_free(f->name);
	mem_free(f);
}

static void *work(void *context, struct reader *r, struct record *rec, size_t file, unsigned worker)
{
	struct run *run = context;
	struct payload *p = &run->payloads[worker];
	struct err err = { 0 };

	(void)file;
	verify_head(rec);
	int rc = payload_begin(p, r, rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_BLOCK, &err);

	if (rc == WN_OK) {
		struct str piece;

		while ((rc = payload_read(p, &piece, &err)) == WN_OK)
			;
		if (rc >= 0)
			rc = payload_end(p, rec, &err);
	}
	/* a file that fails here fails for the reader too, which reports it */
	return keep(rec);
}

static int report(struct run *run, size_t file, struct str part, const struct flaw *v, unsigned n, unsigned more)
{
	run->out->flaws += n + more;
	run->out->unlisted += more;
	for (unsigned i = 0; i < n; i++) {
		run->out->counts[v[i].kind]++;
		int stop = run->v->flaw ? run->v->flaw(run->v->context, run->paths[file], part, &v[i]) : 0;

		if (stop)
			return stop;
	}
	return 0;
}

static int end_file(struct run *run, size_t file, const struct scan_file *f)
{
	int stop = report(run, file, STR_NONE, f->tail->v, f->tail->n, f->tail->more);

	map_release(&run->ids);
	run->out->files++;
	if (f->code < 0) {
		run->out->failed++;
		if (!stop && run->v->failed)
			stop = run->v->failed(run->v->context, f->path, f->err);
	}
	return stop;
}

static int done(void *context, void *item, size_t file, const struct scan_file *summary)
{
	struct run *run = context;
	struct found *f = item;

	if (!f)
		return end_file(run, file, summary);
	run->out->records++;
	int stop = report(run, file, f->part, f->v, f->n, f->more);

	if (!stop && f->id && run->ids.n < LIMIT_IDS) {
		uint64_t *first = map_get(&run->ids, f->id);

		if (!first) {
			map_put(&run->ids, f->id, f->at);
		} else {
			struct flaws twice = { 0 };

			flaw_add(&twice, FLAW_DUPLICATE_ID, f->at, "the same as that of the record at %llu",
				 (unsigned long long)*first);
			stop = report(run, file, f->part, twice.v, 1, 0);
		}
	}
	drop(NULL, f);
	return stop;
}

int verify_paths(const struct verify *v, const char *const *paths, size_t n, struct verify_result *out, struct err *err)
{
	unsigned threads = v->threads ? v->threads : 1;
	struct run run = { .v = v, .paths = paths, .out = out };
	struct scan scan = { .threads = threads, .context = &run, .work = work, .done = done, .drop = drop };

	*out = (struct verify_result){ 0 };
	run.payloads = mem_zarray(threads + 1, sizeof *run.payloads);
	for (unsigned i = 0; i <= threads; i++)
		payload_others(&run.payloads[i], paths, n);
	if (v->progress) {
		scan.progress = v->progress;
		scan.progress_context = v->context;
	}
	int rc = scan_paths(&scan, paths, n, err);

	for (unsigned i = 0; i <= threads; i++)
		payload_release(&run.payloads[i]);
	mem_free(run.payloads);
	map_release(&run.ids);
	return rc;
}

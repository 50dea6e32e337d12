/* flow/export.c -- see export.h.  Text formats here; archives in export_archive.c. */
#include "flow/export.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/cdx.h"
#include "archive/stamp.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"
#include "flow/acl.h"
#include "flow/export_int.h"
#include "text/word.h"

/* ---- rows ---- */

static bool wanted(const struct exporter *x, const struct cover_member *m)
{
	switch (x->what) {
	case EXPORT_KEPT: return !m || m->kept;
	case EXPORT_DROPPED: return m && !m->kept;
	default: return true;
	}
}

static const struct cover_member *member_of(const struct exporter *x, uint64_t id)
{
	size_t low = 0, high = x->n_members;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (x->members[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < x->n_members && x->members[low].id == id ? &x->members[low] : NULL;
}

/* Calls each for every capture to be exported, in canonical order; m is NULL without a cover.  WN_END: there is nothing
 * to write of this one. */
int export_each(struct exporter *x,
		int (*each)(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc),
		struct err *err)
{
	int rc = WN_OK;

	for (size_t d = 0; d < x->docs.n && rc == WN_OK; d++) {
		const struct cover_member *m = x->members ? member_of(x, x->docs.id[d]) : NULL;
		struct arena a = { 0 };
		struct capture c;

		if ((x->members && !m) || !wanted(x, m))
			continue;
		if ((rc = catalog_capture(x->coll->catalog, &a, x->docs.id[d], &c, err)) == WN_OK &&
		    acl_allows(x->acl, c.urlkey, c.time, STR_NONE)) {
			rc = each(x, &c, m, d);
			x->report->documents += rc == WN_OK;
			x->report->bytes += rc == WN_OK ? c.bytes : 0;
			rc = rc == WN_END ? WN_OK : rc;
		}
		arena_release(&a);
	}
	return rc;
}

/* Writes what has gathered. */
static int flush(struct exporter *x)
{
	int rc = x->out.full ? err_set(x->err, WN_LIMIT, "a row is too long")
			     : os_write(x->fd, x->out.p, x->out.n, x->path, x->err);

	buf_reset(&x->out);
	return rc;
}

/* Adds s; rows that buf_* added before are written with it when there are many. */
static int put(struct exporter *x, struct str s)
{
	if (!buf_str(&x->out, s))
		return err_set(x->err, WN_LIMIT, "a row is too long");
	if (x->out.n < 256 * KIB)
		return WN_OK;
	return flush(x);
}

/* ---- csv and jsonl ---- */

static const char *const row_names[] = { "id",	    "url",	"time",	       "host",	  "mime",
					 "bytes",   "shingles", "state",       "by_id",	  "by_url",
					 "by_time", "shared",	"containment", "jaccard", "dice" };
enum { ROW_FIELDS = COUNT(row_names) };

struct cell {
	struct str text;
	bool number;
};

static struct cell number(struct arena *a, uint64_t v) { return (struct cell){ arena_printf(a, "%" PRIu64, v), true }; }

/* Of two empty texts every ratio is 1. */
static struct cell ratio(struct arena *a, uint64_t p, uint64_t q, bool both_empty)
{
	return (struct cell){ both_empty ? STR("1.000000") : arena_printf(a, "%.6f", q ? (double)p / (double)q : 0.0),
			      true };
}

static struct cell time_cell(struct arena *a, int64_t t)
{
	char text[21];

	return (struct cell){ arena_str(a, stamp_rfc3339(t, text)), false };
}

static int fill_row(struct exporter *x, struct arena *a, const struct capture *c, const struct cover_member *m,
		    struct cell *row)
{
	struct capture w;
	bool empty;
	int rc;

	row[0] = number(a, c->id);
	row[1].text = c->url;
	row[2] = time_cell(a, c->time);
	row[3].text = c->host;
	row[4].text = c->mime;
	row[5] = number(a, c->bytes);
	row[6] = number(a, c->shingles);
	if (!m)
		return WN_OK;
	row[7].text = m->kept ? STR("kept") : STR("dropped");
	if (m->kept)
		return WN_OK;
	row[8] = number(a, m->witness);
	rc = catalog_capture(x->coll->catalog, a, m->witness, &w, x->err);
	if (rc == WN_NONE) { /* removed since the cover was made */
		err_reset(x->err);
	} else if (rc < 0) {
		return rc;
	} else {
		row[9].text = w.url;
		row[10] = time_cell(a, w.time);
	}
	row[11] = number(a, m->shared);
	empty = m->size + m->witness_size == 0;
	row[12] = ratio(a, m->shared, m->size, empty);
	row[13] = ratio(a, m->shared, m->size + m->witness_size - m->shared, empty);
	row[14] = ratio(a, 2 * m->shared, m->size + m->witness_size, empty);
	return WN_OK;
}

static void attribute_cell(struct exporter *x, struct arena *a, size_t i, size_t doc, struct cell *out)
{
	const struct column *col = x->docs.columns.col[ATTR_USER + i];

	if (col->type == TYPE_TEXT)
		out->text = columns_str(&x->docs.columns, col, doc);
	else if (isnan(col->num[doc]))
		out->text = STR_NONE;
	else if (col->type == TYPE_TIME)
		*out = time_cell(a, (int64_t)col->num[doc]);
	else
		*out = (struct cell){ arena_printf(a, "%.15g", col->num[doc]), true };
}

static int put_row(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc, bool as_json)
{
	size_t n = ROW_FIELDS + x->env.n_user;
	struct arena a = { 0 };
	struct cell *row = arena_zalloc(&a, (n + 1) * sizeof *row);
	struct json j = { .out = &x->out, .spaced = true };
	int rc = fill_row(x, &a, c, m, row);

	for (size_t i = 0; i < x->env.n_user; i++)
		attribute_cell(x, &a, i, doc, &row[ROW_FIELDS + i]);
	if (as_json)
		json_open(&j, '{');
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		if (!as_json) {
			if (i)
				buf_byte(&x->out, ',');
			csv_cell(&x->out, row[i].text);
			continue;
		}
		json_key_str(&j, i < ROW_FIELDS ? str(row_names[i]) : x->env.user[i - ROW_FIELDS].name);
		if (!row[i].text.p) {
			json_null(&j);
		} else if (row[i].number) {
			buf_str(&x->out, row[i].text);
			j.comma = true;
		} else {
			json_str(&j, row[i].text);
		}
	}
	if (as_json)
		json_close(&j, '}');
	arena_release(&a);
	return rc < 0 ? rc : put(x, STR("\n"));
}

static int csv_row(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	return put_row(x, c, m, doc, false);
}
static int json_row(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	return put_row(x, c, m, doc, true);
}

static int write_csv(struct exporter *x)
{
	for (size_t i = 0; i < ROW_FIELDS + x->env.n_user; i++) {
		if (i)
			buf_byte(&x->out, ',');
		csv_cell(&x->out, i < ROW_FIELDS ? str(row_names[i]) : x->env.user[i - ROW_FIELDS].name);
	}
	buf_byte(&x->out, '\n');
	return export_each(x, csv_row, x->err);
}

static int write_jsonl(struct exporter *x) { return export_each(x, json_row, x->err); }

/* ---- cdxj ---- */

#define SORT_MOST (48 * MIB) /* beyond it lines are sorted on disk */

static int cdxj_row(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	struct cdx line = export_cdx(c);

	(void)m, (void)doc;
	buf_reset(&x->out);
	cdx_add(CDX_J, &line, &x->out);
	return x->out.full ? err_set(x->err, WN_LIMIT, "a row is too long")
			   : linesort_add(&x->lines, buf_view(&x->out), x->err);
}

/* As flow/index.h writes it: a revisit has no status. */
struct cdx export_cdx(const struct capture *c)
{
	return (struct cdx){ .urlkey = c->urlkey,
			     .time = c->time,
			     .url = c->url,
			     .mime = c->kind == CAPTURE_REVISIT ? STR("warc/revisit")
				     : c->declared.n		? c->declared
								: c->mime,
			     .digest = c->payload_digest,
			     .filename = c->file_name,
			     .status = c->kind == CAPTURE_REVISIT || c->status == CAPTURE_NO_STATUS ? -1 : c->status,
			     .length = c->length,
			     .offset = c->at,
			     .redirect = c->redirect,
			     .method = c->method };
}

static int put_lines(void *context, struct str lines, struct err *err)
{
	(void)err;
	return put(context, lines);
}

/* Canonical order is that of key, time and id; a CDXJ is in the order of its bytes. */
static int write_cdxj(struct exporter *x)
{
	uint64_t memory = x->q->memory / 4;
	int rc;

	linesort_init(&x->lines, memory && memory < SORT_MOST ? (size_t)memory : SORT_MOST, x->q->tmp);
	rc = export_each(x, cdxj_row, x->err);
	buf_reset(&x->out);
	if (rc == WN_OK)
		rc = linesort_drain(&x->lines, x, put_lines, x->err);
	linesort_release(&x->lines);
	return rc;
}

/* ---- graph, sets, gexf ---- */

#define GRAPH_PAIRS 1e9 /* beyond which a graph is not written without --yes */

/* The join gives pairs by document number; lines go by id.  The pairs pass
 * through a file, in runs of one a, and the runs are read back in id order, so
 * that memory grows with documents, not with pairs. */
struct graph_pair_row {
	uint64_t b;
	uint32_t shared, size_b;
};

struct graph_run {
	uint64_t a, first, n; /* rows in the file */
	uint32_t size_a;
};

struct graph_sorter {
	struct exporter *x;
	int fd;
	const char *path;
	VEC(struct graph_run) runs;
	VEC(struct graph_pair_row) rows; /* not yet in the file */
	uint64_t written;
};

static int graph_spill(struct graph_sorter *g)
{
	int rc = os_write(g->fd, g->rows.p, g->rows.n * sizeof *g->rows.p, g->path, g->x->err);

	g->written += g->rows.n;
	g->rows.n = 0;
	return rc;
}

static int graph_pair(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct graph_sorter *g = context;
	uint64_t id = g->x->run.docs.id[a];

	if (!g->runs.n || vec_last(&g->runs).a != id)
		vec_push(&g->runs, ((struct graph_run){ .a = id, .first = g->written + g->rows.n, .size_a = size_a }));
	vec_last(&g->runs).n++;
	vec_push(&g->rows, ((struct graph_pair_row){ g->x->run.docs.id[b], shared, size_b }));
	g->x->report->documents++;
	return g->rows.n < 65536 ? WN_OK : graph_spill(g);
}

static int by_a(const void *x, const void *y)
{
	uint64_t a = ((const struct graph_run *)x)->a, b = ((const struct graph_run *)y)->a;

	return a < b ? -1 : a > b;
}

static int by_b(const void *x, const void *y)
{
	uint64_t a = ((const struct graph_pair_row *)x)->b, b = ((const struct graph_pair_row *)y)->b;

	return a < b ? -1 : a > b;
}

static int graph_lines(struct graph_sorter *g)
{
	int rc = graph_spill(g);

	sort_array(g->runs.p, g->runs.n, sizeof *g->runs.p, by_a);
	for (size_t i = 0; i < g->runs.n && rc == WN_OK; i++) {
		const struct graph_run *r = &g->runs.p[i];
		size_t bytes = (size_t)r->n * sizeof *g->rows.p, got;

		vec_reserve(&g->rows, r->n);
		if ((rc = os_pread(g->fd, g->rows.p, bytes, r->first * sizeof *g->rows.p, &got, g->path, g->x->err)) <
		    0)
			break;
		sort_array(g->rows.p, r->n, sizeof *g->rows.p, by_b);
		for (size_t k = 0; k < r->n && rc == WN_OK; k++) {
			buf_printf(&g->x->out, "%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%u\n", r->a, g->rows.p[k].b,
				   g->rows.p[k].shared, r->size_a, g->rows.p[k].size_b);
			rc = put(g->x, STR(""));
		}
	}
	return rc;
}

static int open_run(struct exporter *x)
{
	struct run_request q;

	if (!x->q->cover)
		return err_set(x->err, WN_USAGE, "this format shows the pairs of a rule: it needs --cover ID");
	q = covers_request(&x->arena, x->q->cover);
	q.threads = x->q->threads;
	q.memory = x->q->memory;
	q.tmp = x->q->tmp;
	return run_open(&x->run, x->coll, &q, x->err);
}

/* Pairs of documents that the rule tries one by one, or that have equal texts: about what a dense graph holds. */
static double dense_pairs(const struct run *r, const struct join_query *q)
{
	double tried = plan_quadratic(r->plan), equal = 0;
	const uint32_t *set_of = q->set_of[r->kind];
	uint32_t *count = mem_zarray((size_t)q->sets[r->kind].n + 1, sizeof *count);

	for (uint32_t d = 0; d < q->n; d++)
		if (set_of && set_of[d] != JOIN_NO_SET)
			equal += 2.0 * count[set_of[d]]++;
	mem_free(count);
	return tried > equal ? tried : equal;
}

static int ask_dense(const struct exporter *x, const struct join_query *q)
{
	double pairs = x->q->yes ? 0 : dense_pairs(&x->run, q);

	if (pairs <= GRAPH_PAIRS)
		return WN_OK;
	return err_set(x->err, WN_USAGE,
		       "the graph of this rule may have about %.3g pairs, a line each; say --yes to write them all",
		       pairs);
}

static int write_graph(struct exporter *x)
{
	struct graph_sorter g = { .x = x, .fd = -1 };
	struct coverage_stats stats;
	struct join_query query;
	int rc;

	if ((rc = open_run(x)) < 0 || (rc = run_measured(&x->run, &query, x->err)) < 0 ||
	    (rc = ask_dense(x, &query)) < 0)
		return rc;
	g.path = arena_printf(&x->arena, "%s/graph-%ld.tmp", x->run.tmp, (long)getpid()).p;
	if ((rc = os_open(&g.fd, g.path, O_RDWR | O_CREAT | O_TRUNC, x->err)) < 0)
		return rc;
	os_unlink(g.path, NULL); /* it goes with its descriptor */
	rc = coverage_each(&query, &x->run.join, x->run.kind, graph_pair, &g, &stats, x->err);
	if (rc == WN_OK)
		rc = graph_lines(&g);
	os_close(&g.fd);
	vec_release(&g.runs);
	vec_release(&g.rows);
	return rc;
}

static int sets_row(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	bool main_text = catalog_settings(x->coll->catalog)->main_text;
	struct arena a = { 0 };
	struct set s = { 0 };
	int rc = WN_OK;

	(void)m, (void)doc;
	if (!c->content)
		return WN_END;
	if ((rc = collection_set(x->coll, &a, c->content, main_text ? SKETCH_MAIN : SKETCH_BODY, &s, x->err)) ==
	    WN_OK) {
		buf_printf(&x->out, "%" PRIu64 "\t", c->id);
		for (size_t i = 0; i < s.n; i++)
			buf_printf(&x->out, "%s%016" PRIx64, i ? " " : "", s.p[i]);
		rc = put(x, STR("\n"));
	}
	arena_release(&a);
	return rc;
}

static int write_sets(struct exporter *x) { return export_each(x, sets_row, x->err); }

static void xml(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		switch (s.p[i]) {
		case '&': buf_str(out, STR("&amp;")); break;
		case '<': buf_str(out, STR("&lt;")); break;
		case '"': buf_str(out, STR("&quot;")); break;
		default:
			if ((unsigned char)s.p[i] >= 0x20)
				buf_byte(out, s.p[i]);
		}
	}
}

static int gexf_node(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	char time[21];

	(void)doc;
	buf_printf(&x->out, "<node id=\"%" PRIu64 "\" label=\"", c->id);
	xml(&x->out, c->title.n ? c->title : c->url);
	buf_str(&x->out, STR("\"><attvalues><attvalue for=\"url\" value=\""));
	xml(&x->out, c->url);
	buf_printf(
	    &x->out,
	    "\"/><attvalue for=\"time\" value=\"%s\"/><attvalue for=\"kept\" value=\"%s\"/></attvalues></node>\n",
	    stamp_rfc3339(c->time, time).p, m->kept ? "true" : "false");
	return put(x, STR(""));
}

static int gexf_edge(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc)
{
	(void)c, (void)doc;
	if (m->kept || x->what != EXPORT_ALL) /* both ends must be nodes */
		return WN_OK;
	buf_printf(&x->out,
		   "<edge id=\"%" PRIu64 "\" source=\"%" PRIu64 "\" target=\"%" PRIu64 "\" weight=\"%.6f\"/>\n", m->id,
		   m->id, m->witness, m->size ? (double)m->shared / (double)m->size : 1.0);
	return put(x, STR(""));
}

/* Nodes are documents, edges lead from a dropped one to its witness. */
static int write_gexf(struct exporter *x)
{
	int rc;

	if (!x->q->cover)
		return err_set(x->err, WN_USAGE, "gexf shows a cover: it needs --cover ID");
	buf_str(
	    &x->out,
	    STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://gexf.net/1.3\" version=\"1.3\"><graph defaultedgetype=\"directed\">\n"
		"<attributes class=\"node\"><attribute id=\"url\" title=\"url\" type=\"string\"/><attribute id=\"time\" title=\"time\" type=\"string\"/>"
		"<attribute id=\"kept\" title=\"kept\" type=\"boolean\"/></attributes>\n<nodes>\n"));
	if ((rc = export_each(x, gexf_node, x->err)) < 0)
		return rc;
	buf_str(&x->out, STR("</nodes>\n<edges>\n"));
	x->report->documents = x->report->bytes = 0;
	if ((rc = export_each(x, gexf_edge, x->err)) < 0)
		return rc;
	return put(x, STR("</edges>\n</graph></gexf>\n"));
}

/* ---- the table ---- */

static const struct export_format {
	const char *name;
	int (*write)(struct exporter *x);
	enum export_what what; /* by default */
	bool own_file;	       /* writes its file itself */
	bool documents;	       /* goes over documents, so their columns are loaded */
} formats[] = {
	{ "warc", export_warc, EXPORT_KEPT, true, true },  { "wacz", export_wacz, EXPORT_KEPT, true, true },
	{ "cdxj", write_cdxj, EXPORT_KEPT, false, true },  { "csv", write_csv, EXPORT_ALL, false, true },
	{ "jsonl", write_jsonl, EXPORT_ALL, false, true }, { "graph", write_graph, EXPORT_ALL, false, false },
	{ "sets", write_sets, EXPORT_ALL, false, true },   { "gexf", write_gexf, EXPORT_KEPT, false, true },
};
const char export_formats[] = "warc|wacz|cdxj|csv|jsonl|graph|sets|gexf";

static int load(struct exporter *x)
{
	struct selection_request q = { .captures = true };
	int rc;

	if ((rc = selection_env(x->coll, &x->arena, RULE_SELECTION, &x->env, x->err)) < 0)
		return rc;
	for (size_t i = 0; i < x->env.n_user; i++)
		q.needs[ATTR_USER + i] = true;
	if ((rc = selection_load(&x->docs, x->coll, &q, x->err)) < 0)
		return rc;
	if (x->q->cover)
		rc = covers_members(x->coll, &x->arena, x->q->cover->id, &x->members, &x->n_members, x->err);
	return rc;
}

static void methods_options(const struct cover_options *o, struct buf *out)
{
	if (o->min_versions)
		buf_printf(out, "Only documents of URLs with at least %" PRIu64 " selected captures.\n",
			   o->min_versions);
	if (o->per.n)
		buf_printf(out,
			   "At least %" PRIu64 " documents are kept for each %.*s (or all, where there are fewer).\n",
			   o->keep_at_least, STR_FMT(o->per));
	if (o->n_keep)
		buf_printf(out, "Documents kept by wish: %zu.\n", o->n_keep);
	if (o->prefer.n)
		buf_printf(out, "Among sets of that size the one with the largest sum of: %.*s\n", STR_FMT(o->prefer));
}

void export_methods(const struct cover_row *row, const struct catalog_settings *s, bool report, struct buf *out)
{
	buf_printf(out, "Documents were reduced with winnow %s.\n\n", WINNOW_VERSION);
	buf_printf(out, "Rule: %.*s\nRule SHA-256: %.*s\n", STR_FMT(row->rule), STR_FMT(row->sha256));
	buf_printf(out, "Selection: %.*s\n",
		   STR_FMT(row->selection.n ? row->selection : STR("documents with a text and status 200 or none")));
	buf_printf(out, "Sketch: profile " WORD_PROFILE ", k = %u, unit %s, %s, text %s\n", s->k,
		   s->chars ? "char" : "word", s->bag ? "bag" : "set", s->main_text ? "main" : "body");
	buf_printf(out, "Collection revision: %" PRIu64 ", cover %" PRIu64 "\n", row->revision, row->id);
	buf_printf(out,
		   "Documents: %" PRIu64 ", kept %" PRIu64 ", dropped %" PRIu64
		   "; every dropped document has a kept one that covers it.\n",
		   row->documents, row->kept, row->documents - row->kept);
	methods_options(&row->options, out);
	if (row->options.approx)
		buf_str(
		    out,
		    STR("Candidate pairs were approximate (MinHash): some may have been missed, so the size is not proven.\n"));
	else if (row->lower_bound == row->kept)
		buf_str(out, STR("The kept set is of minimum size (proven).\n"));
	else
		buf_printf(out, "No valid set is smaller than %" PRIu64 " (proven lower bound).\n", row->lower_bound);
	if (report)
		buf_printf(out, "Full report of the run: %.*s\n", STR_FMT(row->report));
}

static int write_methods(struct exporter *x)
{
	const char *path = arena_printf(&x->arena, "%s.methods.txt", x->path).p;
	struct buf text = BUF(256 * MIB);
	int rc;

	export_methods(x->q->cover, catalog_settings(x->coll->catalog), !x->acl, &text);
	if (x->report->missing)
		buf_printf(&text, "Records that could not be read and are missing here: %" PRIu64 ".\n",
			   x->report->missing);
	rc = os_store(path, buf_view(&text), x->err);
	buf_release(&text);
	x->report->methods = rc == WN_OK;
	return rc;
}

struct guarded {
	const struct stat *out;
	const char *source; /* the archive file that it is */
	struct arena *arena;
};

static int same_file(void *context, const struct catalog_file *f)
{
	struct guarded *g = context;
	const char *path = arena_strz(g->arena, f->path);
	struct stat st;

	if (stat(path, &st) == 0 && st.st_dev == g->out->st_dev && st.st_ino == g->out->st_ino)
		g->source = path;
	return WN_OK;
}

/* An export never replaces an archive it reads, a file of the collection, or what is no regular file. */
static int guard(struct exporter *x)
{
	const char *dir = catalog_dir(x->coll->catalog);
	char *real = realpath(x->path, NULL), *home = realpath(dir, NULL);
	struct stat st;
	struct guarded g = { .out = &st, .arena = &x->arena };
	int rc = WN_OK;

	if (strcmp(x->path, "-") != 0 && lstat(x->path, &st) == 0) {
		if (os_is_special(x->path))
			rc = err_set(x->err, WN_USAGE,
				     "%s is there and is no regular file; give another name, or - for standard output",
				     x->path);
		else if (real && home && strncmp(real, home, strlen(home)) == 0 && real[strlen(home)] == '/')
			rc = err_set(x->err, WN_USAGE, "%s belongs to the collection; write elsewhere", x->path);
		else if ((rc = catalog_files(x->coll->catalog, same_file, &g, x->err)) == WN_OK && g.source)
			rc = err_set(x->err, WN_USAGE,
				     "%s is an archive of this collection; originals are never replaced", x->path);
	}
	free(real);
	free(home);
	return rc;
}

static int to_file(struct exporter *x, const struct export_format *f)
{
	struct os_atomic file = { .fd = -1 };
	bool standard = strcmp(x->path, "-") == 0;
	int rc;

	if (f->own_file)
		return standard
			   ? err_set(x->err, WN_USAGE, "an archive cannot be written to standard output; give -o FILE")
			   : f->write(x);
	if (!standard && (rc = os_atomic_open(&file, x->path, x->err)) < 0)
		return rc;
	x->fd = standard ? 1 : file.fd;
	if ((rc = f->write(x)) == WN_OK)
		rc = flush(x);
	if (standard)
		return rc;
	if (rc == WN_OK)
		return os_atomic_commit(&file, x->err);
	os_atomic_abort(&file);
	return rc;
}

int export_run(struct collection *coll, const struct export_request *q, struct export_report *out, struct err *err)
{
	const struct export_format *f = NULL;
	struct exporter x = {
		.coll = coll, .q = q, .report = out, .path = q->path, .err = err, .out = BUF(1 * GIB), .fd = -1
	};
	int rc = WN_OK;

	*out = (struct export_report){ 0 };
	for (size_t i = 0; i < COUNT(formats); i++)
		if (strcmp(formats[i].name, q->format) == 0)
			f = &formats[i];
	if (!f)
		return err_set(err, WN_USAGE, "there is no format %s; choose one of %s", q->format, export_formats);
	x.what = q->what == EXPORT_DEFAULT ? f->what : q->what;
	if (x.what == EXPORT_DROPPED && !q->cover)
		return err_set(err, WN_USAGE, "--what dropped needs --cover ID");
	if (f->own_file && str_iends(str(q->path), STR(".zst")))
		return err_set(err, WN_USAGE, "archives are exported in gzip members; name it .warc.gz or .wacz");
	rc = acl_of(&x.acl, catalog_dir(coll->catalog), err);
	if (rc == WN_OK)
		rc = guard(&x);
	if (rc == WN_OK && f->documents)
		rc = load(&x);
	if (rc == WN_OK)
		rc = to_file(&x, f);
	if (rc == WN_OK && q->cover && strcmp(q->path, "-") != 0)
		rc = write_methods(&x);
	buf_release(&x.out);
	run_close(&x.run);
	acl_free(x.acl);
	selection_release(&x.docs);
	arena_release(&x.arena);
	return rc;
}

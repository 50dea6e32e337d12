/* flow/proof.c -- see proof.h.
 *
 * The bound asks, for each document with a dual value, for all its coverers:
 * coverers.c finds them anew.  Everything else asks for single pairs, whose sets
 * are read and put to the rule, evaluated plainly.
 */
#include "flow/proof.h"

#include "archive/digest.h"
#include "base/json.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/vec.h"
#include "flow/coverers.h"

struct world {
	struct run *run;
	const uint8_t *valued; /* by document */
	struct coverers found; /* of valued documents */
};

static int covers(void *context, uint32_t a, uint32_t b, struct err *err)
{
	struct world *w = context;
	struct overlap ov[TEXT_KINDS];
	int rc;

	if (a == b)
		return 1;
	if ((rc = run_overlaps(w->run, a, b, ov, err)) < 0)
		return rc;
	return rule_holds_plainly(w->run->rule, &w->run->docs.columns, NULL, a, b, ov);
}

static int coverers(void *context, uint32_t a, int (*each)(void *arg, uint32_t b), void *arg, struct err *err)
{
	struct world *w = context;
	size_t low = 0, high = w->found.n;
	int rc = WN_OK;

	if (!w->valued[a])
		return err_set(err, WN_DATA, "coverers of document %u were not looked for", a);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->found.pairs[middle].a < a)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < w->found.n && w->found.pairs[low].a == a && rc == WN_OK; low++)
		rc = each(arg, w->found.pairs[low].b);
	return rc;
}

static void mark_valued(const struct run *r, const struct certificate *proof, uint8_t *valued)
{
	for (uint32_t i = 0; i < proof->value_count; i++)
		if (proof->values[i].id < r->docs.n) /* cover_check will say so of others */
			valued[proof->values[i].id] = 1;
}

/* Stored members as document numbers; one that is not selected gets a number beyond n.  One that is kept
 * and has a witness is in both sets. */
struct claim {
	VEC(uint32_t) kept, dropped, witness;
	VEC(uint64_t) outside; /* captures numbered n, n + 1 ... */
};

struct number {
	uint32_t document, witness;
};

static int by_document(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return x->document < y->document ? -1 : x->document > y->document;
}

static int by_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void claim_make(struct claim *o, const struct run *r, const struct cover_member *m, size_t n)
{
	VEC(struct number) dropped = { 0 };
	struct map doc_of = { 0 };

	for (uint32_t d = 0; d < r->docs.n; d++)
		map_put(&doc_of, r->docs.id[d], d);
	for (size_t i = 0; i < n; i++) {
		const uint64_t *at = map_get(&doc_of, m[i].id), *by = map_get(&doc_of, m[i].witness);
		uint32_t doc = (uint32_t)(r->docs.n + o->outside.n);

		if (at)
			doc = (uint32_t)*at;
		else
			vec_push(&o->outside, m[i].id);
		if (m[i].kept)
			vec_push(&o->kept, doc);
		if (!m[i].kept || m[i].witness) /* a witness outside the selection is none that is kept */
			vec_push(&dropped, ((struct number){ doc, by		 ? (uint32_t)*by
								  : m[i].witness ? (uint32_t)r->docs.n
										 : COVER_NO_WITNESS_ID }));
	}
	sort_array(o->kept.p, o->kept.n, sizeof *o->kept.p, by_u32);
	sort_array(dropped.p, dropped.n, sizeof *dropped.p, by_document);
	for (size_t i = 0; i < dropped.n; i++) {
		vec_push(&o->dropped, dropped.p[i].document);
		vec_push(&o->witness, dropped.p[i].witness);
	}
	vec_release(&dropped);
	map_release(&doc_of);
}

/* The capture that an offence is shown by; quotas are shown by a document of their group. */
static uint64_t example(const struct run *r, const struct claim *c, enum cover_offence o, uint32_t number)
{
	if (o == COVER_WRONG_RUN || o == COVER_WRONG_BOUND)
		return 0;
	if (o == COVER_QUOTA_BROKEN) {
		for (uint32_t d = 0; r->group && d < r->docs.n; d++)
			if (r->group[d] == number)
				return r->docs.id[d];
		return 0;
	}
	if (number < r->docs.n)
		return r->docs.id[number];
	return number - r->docs.n < c->outside.n ? c->outside.p[number - r->docs.n] : 0;
}

/* The stored numbers of each witness pair, counted again. */
static int check_numbers(struct run *r, const struct cover_member *m, size_t n, struct proof_report *out,
			 struct err *err)
{
	struct map doc_of = { 0 };
	int rc = WN_OK;

	for (uint32_t d = 0; d < r->docs.n; d++)
		map_put(&doc_of, r->docs.id[d], d);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		const uint64_t *a = map_get(&doc_of, m[i].id), *b = map_get(&doc_of, m[i].witness);
		struct overlap ov;

		if (m[i].kept || !a || !b || (rc = run_overlap(r, (uint32_t)*a, (uint32_t)*b, r->kind, &ov, err)) < 0)
			continue;
		if (ov.o == m[i].shared && ov.a == m[i].size && ov.b == m[i].witness_size)
			continue;
		if (out->verdict.count[COVER_WITNESS_FALSE]++ == 0)
			out->verdict.example[COVER_WITNESS_FALSE] = (uint32_t)*a;
	}
	map_release(&doc_of);
	return rc;
}

/* Sums of a column, of these documents or of all. */
static uint64_t sum_of(const struct run *r, unsigned attr, const uint32_t *docs, size_t n)
{
	const double *num = r->docs.columns.col[attr]->num;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (!docs || docs[i] < r->docs.n)
			sum += (uint64_t)(int64_t)num[docs ? docs[i] : i];
	return sum;
}

/* The report that is shown for the cover, as far as its numbers are known here. */
static bool check_report(struct run *r, const struct cover_row *row, const struct claim *c,
			 const struct certificate *proof)
{
	uint64_t kept = c->kept.n, urls = 0;
	struct json_value *report;
	struct err ignored = { 0 };
	bool same = true;

	for (size_t d = 0; d < r->docs.n; d++)
		urls += d == 0 || r->docs.url[d] != r->docs.url[d - 1];
	if (json_parse(&r->arena, row->report, &report, &ignored) < 0)
		return false;
	const struct {
		const char *key;
		uint64_t value;
	} numbers[] = {
		{ "cover", row->id },
		{ "documents", kept + c->dropped.n },
		{ "urls", urls },
		{ "shingles", sum_of(r, ATTR_SHINGLES, NULL, r->docs.n) },
		{ "bytes", sum_of(r, ATTR_BYTES, NULL, r->docs.n) },
		{ "bytes_kept", sum_of(r, ATTR_BYTES, c->kept.p, kept) },
		{ "kept", kept },
		{ "dropped", c->dropped.n },
		{ "lower_bound", proof->lower_bound },
		{ "gap", kept - proof->lower_bound },
		{ "revision", row->revision },
	};

	for (size_t i = 0; i < COUNT(numbers); i++) {
		uint64_t stated;

		if (json_get(report, numbers[i].key)) /* an earlier winnow may have told less */
			same =
			    same && str_u64(json_text(report, numbers[i].key), &stated) && stated == numbers[i].value;
	}
	return same && (!json_get(report, "rule_sha256") || str_eq(json_text(report, "rule_sha256"), row->sha256));
}

/* What the cover's row says must be what its rule, members and certificate say. */
static void check_row(struct run *r, const struct cover_row *row, const struct claim *c,
		      const struct certificate *proof, struct proof_report *out)
{
	bool same_run = str_eq(row->sha256, str(r->rule->sha256)) &&
			str_eq(row->selection, r->where ? r->where->canonical : STR_NONE) && !out->stale &&
			proof->run.revision == row->revision;

	if (!same_run && !out->verdict.count[COVER_WRONG_RUN])
		out->verdict.count[COVER_WRONG_RUN] = 1;
	if (row->kept != c->kept.n || row->documents != c->kept.n + c->dropped.n ||
	    row->lower_bound != proof->lower_bound)
		out->verdict.count[COVER_WRONG_BOUND]++;
	/* of a collection that has moved on the numbers are others */
	if (!out->stale && row->report.n && !check_report(r, row, c, proof))
		out->verdict.count[COVER_WRONG_BOUND]++;
}

static void sum_up(const struct run *r, const struct claim *c, const struct certificate *proof,
		   struct proof_report *out)
{
	for (int o = 0; o < COVER_OFFENCES; o++) {
		out->verdict.ok = out->verdict.ok && out->verdict.count[o] == 0;
		if (out->verdict.count[o])
			out->example[o] = example(r, c, (enum cover_offence)o, out->verdict.example[o]);
	}
	out->verdict.proves_minimum = out->verdict.proves_minimum && out->verdict.ok;
	out->kept = c->kept.n;
	out->dropped = c->dropped.n;
	out->bound = out->verdict.bound;
	out->stated_bound = proof->lower_bound;
	out->values = proof->value_count;
}

static int check_run(struct run *r, const struct cover_row *row, unsigned threads, uint64_t memory,
		     struct proof_report *out, struct err *err)
{
	struct world w = { .run = r };
	struct cover_world world = { .n = (uint32_t)r->docs.n,
				     .pinned = r->pinned,
				     .group = r->group,
				     .groups = r->groups,
				     .demand = r->demand,
				     .context = &w,
				     .covers = covers,
				     .coverers = coverers };
	struct cover_member *members;
	struct certificate proof;
	struct claim claim = { 0 };
	uint8_t *valued = mem_zarray(r->docs.n + 1, 1);
	size_t n;
	int rc;

	digest_sha256(r->rule->canonical, world.run.rule);
	if (r->where)
		digest_sha256(r->where->canonical, world.run.selection);
	world.run.revision = r->revision;
	out->stale = row->revision != r->revision;
	if ((rc = covers_members_as_stored(r->coll, &r->arena, row, &members, &n, err)) < 0 ||
	    (rc = covers_certificate(r->coll, &r->arena, row->id, &proof, err)) < 0)
		goto out;
	claim_make(&claim, r, members, n);
	mark_valued(r, &proof, valued);
	w.valued = valued;
	if ((rc = coverers_find(&w.found, r, valued, threads, memory, err)) < 0)
		goto out;
	progress_phase("checking", "documents", r->docs.n);
	rc = cover_check(&(struct cover_claim){ claim.kept.p, claim.dropped.p, claim.witness.p, (uint32_t)claim.kept.n,
						(uint32_t)claim.dropped.n, &proof },
			 &world, &out->verdict, err);
	if (rc == WN_OK)
		rc = check_numbers(r, members, n, out, err);
	check_row(r, row, &claim, &proof, out);
	sum_up(r, &claim, &proof, out);
out:
	vec_release(&claim.kept);
	vec_release(&claim.dropped);
	vec_release(&claim.witness);
	vec_release(&claim.outside);
	coverers_release(&w.found);
	mem_free(valued);
	return rc;
}

int proof_check(struct collection *coll, const struct cover_row *row, unsigned threads, uint64_t memory,
		struct proof_report *out, struct err *err)
{
	double started = progress_clock();
	struct arena a = { 0 };
	struct run_request q = covers_request(&a, row);
	struct run r;
	int rc;

	*out = (struct proof_report){ 0 };
	q.threads = threads;
	q.memory = memory;
	q.with_report = true;
	q.catalogue = true; /* a table that a reduce made, or an update changed, is not to be believed */
	if ((rc = run_open(&r, coll, &q, err)) == WN_OK) {
		rc = check_run(&r, row, threads ? threads : 1, memory, out, err);
		run_close(&r);
	}
	progress_end();
	arena_release(&a);
	out->seconds = progress_clock() - started;
	return rc;
}

/* flow/proof.c -- see proof.h.
 *
 * The bound asks, for each document with a dual value, for all its coverers.
 * Their sets are inverted once (shingle -> those documents' sets); then every
 * set of the collection is read and counted against that index, which gives
 * all overlaps that are not 0.  A pair of sets whose overlap is below what
 * every disjunct needs is passed over; of the others each pair of documents
 * is put to the rule, evaluated plainly.  Where a disjunct needs no shared
 * shingle all pairs are tried.
 */
#include "flow/proof.h"
#include "base/vec.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/map.h"
#include "base/progress.h"
#include "base/task.h"

struct pair {
	uint32_t a, b;
};

struct posting {
	uint64_t shingle;
	uint32_t probe;
};

/* Distinct contents of the run, and the documents of each. */
struct contents {
	uint64_t *id;
	uint32_t n;
	uint32_t *first, *docs; /* docs[first[c]] .. docs[first[c + 1]] */
	uint32_t *of;		/* by document */
	uint32_t *size[TEXT_KINDS];
};

struct world {
	struct run *run;
	struct contents contents;
	uint32_t *probes;	      /* contents of documents with a value */
	uint32_t n_probes, *probe_of; /* by content: probe + 1, or 0 */
	struct posting *postings[TEXT_KINDS];
	size_t n_postings[TEXT_KINDS];
	const uint8_t *valued; /* by document */
	bool share;	       /* every disjunct needs a shared shingle */
	struct worker_pairs {
		VEC(struct pair) found;
		int rc;
		struct err err;
	} * workers;
	struct pair *pairs; /* by a: coverer b of valued a */
	size_t n_pairs;
};

static void contents_make(struct contents *c, const struct run *r)
{
	struct map seen = { 0 };
	size_t n = r->docs.n;

	c->id = mem_array(n + 1, sizeof *c->id);
	c->of = mem_array(n + 1, sizeof *c->of);
	for (size_t d = 0; d < n; d++) {
		uint64_t at = *map_put(&seen, r->docs.content[d], c->n);

		if (at == c->n)
			c->id[c->n++] = r->docs.content[d];
		c->of[d] = (uint32_t)at;
	}
	map_release(&seen);
	c->first = mem_zarray((size_t)c->n + 2, sizeof *c->first);
	c->docs = mem_array(n + 1, sizeof *c->docs);
	for (size_t d = 0; d < n; d++)
		c->first[c->of[d] + 2]++;
	for (uint32_t i = 1; i <= c->n; i++)
		c->first[i + 1] += c->first[i];
	for (size_t d = 0; d < n; d++)
		c->docs[c->first[c->of[d] + 1]++] = (uint32_t)d;
	for (int k = 0; k < TEXT_KINDS; k++)
		c->size[k] = mem_zarray((size_t)c->n + 1, sizeof *c->size[k]);
}

static void contents_release(struct contents *c)
{
	mem_free(c->id);
	mem_free(c->of);
	mem_free(c->first);
	mem_free(c->docs);
	for (int k = 0; k < TEXT_KINDS; k++)
		mem_free(c->size[k]);
}

static int by_posting(const void *a, const void *b)
{
	const struct posting *x = a, *y = b;

	if (x->shingle != y->shingle)
		return x->shingle < y->shingle ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

static int invert(struct world *w, struct err *err)
{
	const struct contents *c = &w->contents;
	int rc = WN_OK;

	for (int k = 0; k < TEXT_KINDS; k++) {
		VEC(struct posting) all = { 0 };

		if (!(w->run->rule->texts >> k & 1))
			continue;
		for (uint32_t p = 0; p < w->n_probes && rc == WN_OK; p++) {
			struct arena a = { 0 };
			struct set s = { 0 };

			if (c->id[w->probes[p]])
				rc =
				    collection_set(w->run->coll, &a, c->id[w->probes[p]], (enum sketch_text)k, &s, err);
			for (size_t i = 0; i < s.n; i++)
				vec_push(&all, ((struct posting){ s.p[i], p }));
			arena_release(&a);
		}
		sort_array(all.p, all.n, sizeof *all.p, by_posting);
		w->postings[k] = all.p;
		w->n_postings[k] = all.n;
	}
	return rc;
}

/* Overlap counts of one set with every probe: a merge, galloping over the longer side. */
static void count(const struct posting *p, size_t n, struct set s, uint32_t *counts, uint32_t *touched,
		  uint32_t *n_touched)
{
	size_t at = 0;

	for (size_t i = 0; i < s.n && at < n; i++) {
		size_t step = 1, low = at, high;

		while (at + step < n && p[at + step].shingle < s.p[i])
			step *= 2;
		low = at;
		high = at + step < n ? at + step : n - 1;
		while (low < high) { /* first posting not below the shingle */
			size_t middle = low + (high - low) / 2;

			if (p[middle].shingle < s.p[i])
				low = middle + 1;
			else
				high = middle;
		}
		at = low;
		for (; at < n && p[at].shingle == s.p[i]; at++)
			if (counts[p[at].probe]++ == 0)
				touched[(*n_touched)++] = p[at].probe;
		if (at < n && p[at].shingle < s.p[i])
			break; /* beyond the last */
	}
}

static bool could(const struct world *w, const struct overlap ov[TEXT_KINDS])
{
	const struct plan *plan = w->run->plan;

	for (size_t i = 0; i < plan->n; i++) {
		const struct disjunct *d = &plan->d[i];
		bool enough = true;

		for (int k = 0; k < TEXT_KINDS; k++)
			if (d->has_lower[k]) {
				uint64_t need = content_need(d, (enum text_kind)k, ov[k].a, ov[k].b);

				enough = enough && need != NEED_NEVER && ov[k].o >= need;
			}
		if (enough)
			return true;
	}
	return false;
}

/* All pairs of documents of two contents, put to the rule. */
static void try_documents(struct world *w, struct worker_pairs *out, uint32_t probe, uint32_t content,
			  const struct overlap ov[TEXT_KINDS])
{
	const struct contents *c = &w->contents;
	uint32_t pc = w->probes[probe];

	if (!could(w, ov))
		return;
	for (uint32_t i = c->first[pc]; i < c->first[pc + 1]; i++) {
		uint32_t a = c->docs[i];

		if (!w->valued[a])
			continue;
		for (uint32_t j = c->first[content]; j < c->first[content + 1]; j++) {
			uint32_t b = c->docs[j];

			if (a != b && rule_holds_plainly(w->run->rule, &w->run->docs.columns, NULL, a, b, ov))
				vec_push(&out->found, ((struct pair){ a, b }));
		}
	}
}

struct scratch {
	uint32_t *counts[TEXT_KINDS], *touched;
	struct segments *sets;
	uint64_t *values;
	size_t cap;
};

static int read_set(struct scratch *s, uint64_t content, int kind, struct set *out, struct err *err)
{
	size_t n;
	int rc;

	*out = (struct set){ 0 };
	if (!content)
		return WN_OK;
	if ((rc = segments_size(s->sets, content, (enum sketch_text)kind, &n, err)) < 0)
		return rc;
	if (n > s->cap) {
		s->cap = n * 2;
		s->values = mem_rearray(s->values, s->cap, sizeof *s->values);
	}
	rc = segments_get(s->sets, content, (enum sketch_text)kind, s->values, s->cap, &n, err);
	*out = (struct set){ s->values, n };
	return rc;
}

static void probe_contents(void *context, size_t from, size_t to, unsigned worker)
{
	struct world *w = context;
	struct worker_pairs *out = &w->workers[worker];
	struct contents *c = &w->contents;
	struct scratch s = { 0 };

	s.touched = mem_array((size_t)w->n_probes * TEXT_KINDS + 1, sizeof *s.touched);
	for (int k = 0; k < TEXT_KINDS; k++)
		s.counts[k] = mem_zarray((size_t)w->n_probes + 1, sizeof *s.counts[k]);
	out->rc = out->rc < 0 ? out->rc : collection_sets(w->run->coll, &s.sets, &out->err);
	for (size_t x = from; x < to && out->rc == WN_OK; x++) {
		struct overlap ov[TEXT_KINDS] = { 0 };
		uint32_t n_touched = 0, sizes[TEXT_KINDS] = { 0 };

		for (int k = 0; k < TEXT_KINDS && out->rc == WN_OK; k++) {
			struct set set;

			if (!(w->run->rule->texts >> k & 1))
				continue;
			out->rc = read_set(&s, c->id[x], k, &set, &out->err);
			sizes[k] = (uint32_t)set.n;
			count(w->postings[k], w->n_postings[k], set, s.counts[k], s.touched, &n_touched);
		}
		for (uint32_t p = 0; p < w->n_probes; p++) {
			bool both_empty = true, any = false;

			for (int k = 0; k < TEXT_KINDS; k++) {
				ov[k] = (struct overlap){ .o = s.counts[k][p],
							  .a = c->size[k][w->probes[p]],
							  .b = sizes[k] };
				any |= ov[k].o != 0;
				if (w->run->rule->texts >> k & 1)
					both_empty &= ov[k].a == 0 && ov[k].b == 0;
				s.counts[k][p] = 0;
			}
			if (any || both_empty || !w->share)
				try_documents(w, out, p, (uint32_t)x, ov);
		}
	}
	for (int k = 0; k < TEXT_KINDS; k++)
		mem_free(s.counts[k]);
	mem_free(s.touched);
	mem_free(s.values);
	progress_add(to - from);
}

static int by_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

static int find_coverers(struct world *w, unsigned threads, struct err *err)
{
	struct contents *c = &w->contents;
	struct segments *sets;
	VEC(struct pair) all = { 0 };
	int rc;

	if ((rc = collection_sets(w->run->coll, &sets, err)) < 0)
		return rc;
	for (uint32_t x = 0; x < c->n; x++)
		for (int k = 0; k < TEXT_KINDS; k++)
			if ((w->run->rule->texts >> k & 1) && c->id[x]) {
				size_t n;

				if ((rc = segments_size(sets, c->id[x], (enum sketch_text)k, &n, err)) < 0)
					return rc;
				c->size[k][x] = (uint32_t)n;
			}
	if ((rc = invert(w, err)) < 0)
		return rc;
	w->workers = mem_zarray(threads, sizeof *w->workers);
	progress_phase("looking for coverers", "texts", c->n);
	task_each(threads, c->n, 256, probe_contents, w);
	for (unsigned t = 0; t < threads; t++) {
		if (w->workers[t].rc < 0 && rc == WN_OK) {
			rc = w->workers[t].rc;
			*err = w->workers[t].err;
		}
		for (size_t i = 0; i < w->workers[t].found.n; i++)
			vec_push(&all, w->workers[t].found.p[i]);
		vec_release(&w->workers[t].found);
	}
	mem_free(w->workers);
	sort_array(all.p, all.n, sizeof *all.p, by_pair);
	w->pairs = all.p;
	w->n_pairs = all.n;
	return rc;
}

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
	size_t low = 0, high = w->n_pairs;
	int rc = WN_OK;

	if (!w->valued[a])
		return err_set(err, WN_DATA, "coverers of document %u were not looked for", a);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (w->pairs[middle].a < a)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < w->n_pairs && w->pairs[low].a == a && rc == WN_OK; low++)
		rc = each(arg, w->pairs[low].b);
	return rc;
}

static void mark_probes(struct world *w, const struct certificate *proof, uint8_t *valued)
{
	struct contents *c = &w->contents;

	w->valued = valued;
	w->probe_of = mem_zarray((size_t)c->n + 1, sizeof *w->probe_of);
	w->probes = mem_array((size_t)c->n + 1, sizeof *w->probes);
	for (uint32_t i = 0; i < proof->value_count; i++) {
		uint32_t d = proof->values[i].id;

		if (d >= w->run->docs.n)
			continue; /* cover_check will say so */
		valued[d] = 1;
		if (!w->probe_of[c->of[d]]) {
			w->probes[w->n_probes++] = c->of[d];
			w->probe_of[c->of[d]] = w->n_probes;
		}
	}
	w->share = true;
	for (size_t i = 0; i < w->run->plan->n; i++) {
		bool lower = false;

		for (int k = 0; k < TEXT_KINDS; k++)
			lower |= w->run->plan->d[i].has_lower[k];
		w->share = w->share && lower;
	}
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

static void sha256(struct str s, unsigned char out[32])
{
	unsigned n = 32;

	EVP_Digest(s.p, s.n, out, &n, EVP_sha256(), NULL);
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

static int check_run(struct run *r, const struct cover_row *row, unsigned threads, struct proof_report *out,
		     struct err *err)
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
	unsigned wrong_run = 0;
	size_t n;
	int rc;

	sha256(r->rule->canonical, world.run.rule);
	if (r->where)
		sha256(r->where->canonical, world.run.selection);
	world.run.revision = r->revision;
	out->stale = row->revision != r->revision;
	if (!str_eq(row->sha256, str(r->rule->sha256)) ||
	    !str_eq(row->selection, r->where ? r->where->canonical : STR_NONE) || out->stale)
		wrong_run++;
	contents_make(&w.contents, r);
	if ((rc = covers_members(r->coll, &r->arena, row->id, &members, &n, err)) < 0 ||
	    (rc = covers_certificate(r->coll, &r->arena, row->id, &proof, err)) < 0)
		goto out;
	claim_make(&claim, r, members, n);
	mark_probes(&w, &proof, valued);
	if ((rc = find_coverers(&w, threads, err)) < 0)
		goto out;
	progress_phase("checking", "documents", r->docs.n);
	rc = cover_check(&(struct cover_claim){ claim.kept.p, claim.dropped.p, claim.witness.p, (uint32_t)claim.kept.n,
						(uint32_t)claim.dropped.n, &proof },
			 &world, &out->verdict, err);
	if (proof.run.revision != row->revision)
		wrong_run++;
	if (row->kept != claim.kept.n || row->documents != claim.kept.n + claim.dropped.n ||
	    row->lower_bound != proof.lower_bound)
		out->verdict.count[COVER_WRONG_BOUND]++;
	if (rc == WN_OK)
		rc = check_numbers(r, members, n, out, err);
	out->verdict.count[COVER_WRONG_RUN] += wrong_run && !out->verdict.count[COVER_WRONG_RUN];
	for (int o = 0; o < COVER_OFFENCES; o++) {
		out->verdict.ok = out->verdict.ok && out->verdict.count[o] == 0;
		if (out->verdict.count[o])
			out->example[o] = example(r, &claim, (enum cover_offence)o, out->verdict.example[o]);
	}
	out->verdict.proves_minimum = out->verdict.proves_minimum && out->verdict.ok;
	out->kept = claim.kept.n;
	out->dropped = claim.dropped.n;
	out->bound = out->verdict.bound;
	out->stated_bound = proof.lower_bound;
	out->values = proof.value_count;
out:
	vec_release(&claim.kept);
	vec_release(&claim.dropped);
	vec_release(&claim.witness);
	vec_release(&claim.outside);
	contents_release(&w.contents);
	mem_free(w.probes);
	mem_free(w.probe_of);
	for (int k = 0; k < TEXT_KINDS; k++)
		mem_free(w.postings[k]);
	mem_free(w.pairs);
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
	if ((rc = run_open(&r, coll, &q, err)) == WN_OK) {
		rc = check_run(&r, row, threads ? threads : 1, out, err);
		run_close(&r);
	}
	progress_end();
	arena_release(&a);
	out->seconds = progress_clock() - started;
	return rc;
}

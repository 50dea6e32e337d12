/* flow/coverers.c -- see coverers.h.
 *
 * The distinct texts of the wanted documents ("probes") are inverted: shingle -> probes.  Then every text of the run
 * is read once and looked up in that index; pairs of documents are met
 *	through the probes that share a shingle with it, or are empty like it, for disjuncts that need that;
 *	through the wanted documents of its own block, for disjuncts with a key;
 *	with all wanted documents, for the rest.
 * Where only the first are there, a probe is listed under few of its shingles: whoever shares m of n shingles shares one
 * of any n - m + 1 of them, and the rarest meet the fewest texts.  Where what a text shares of the listed ones leaves
 * it possible, the two are merged.  Otherwise every shingle is listed, and the index counts for all pairs at once.
 * Probes that do not fit the memory are taken in several passes.  Cost of a pass: the shingles of the run, for each
 * the probes listed under it, and a merge for each pair that is met.
 */
#include "flow/coverers.h"

#include "base/map.h"
#include "base/progress.h"
#include "base/task.h"
#include "base/vec.h"

#define POSTING_BYTES \
	48u	       /* of memory for each shingle of a probe: itself, the posting, its place in the table, sorting */
#define RARITY_BITS 20 /* shingles are told apart by so many bits where only their frequency is asked for */
#define RARITY_MOST 255
#define RARE 8 /* probes: a shingle of no more of them is listed in any case */

struct posting {
	uint64_t shingle;
	uint32_t probe;
};
typedef VEC(struct posting) posting_vec;

/* Distinct texts of the run, and the documents of each. */
struct contents {
	uint64_t *id;
	uint32_t n;
	uint32_t *first, *docs; /* docs[first[t]] .. docs[first[t + 1]] */
	uint32_t *of;		/* by document */
	uint32_t *size[TEXT_KINDS];
};

/* Wanted documents by their block of one disjunct. */
struct keyed {
	const uint32_t *block;
	uint32_t *first, *docs;
};

struct finder {
	struct run *run;
	const uint8_t *wanted;
	struct contents texts;
	uint32_t from, to;  /* texts whose wanted documents this pass is about */
	uint32_t *probe_of; /* by text: probe + 1, or 0 */
	uint32_t *probes;   /* text of each probe */
	uint32_t n_probes;
	struct posting *postings[TEXT_KINDS];
	struct map table[TEXT_KINDS]; /* shingle -> first posting */
	size_t n_postings[TEXT_KINDS];
	VEC(uint32_t) empty[TEXT_KINDS]; /* probes without shingles */
	struct arena arena;		 /* of the pass: sets */
	struct set *sets[TEXT_KINDS];	 /* by probe */
	uint32_t *unlisted[TEXT_KINDS];	 /* shingles of the probe that the index does not hold */
	bool shares, bare;		 /* some disjunct needs a shared shingle; some needs nothing */
	bool counting;			 /* the index holds every shingle, and counts what pairs share */
	struct keyed *keyed;
	size_t n_keyed;
	uint32_t *all; /* wanted documents of the pass */
	uint32_t n_all;
	struct found {
		VEC(struct coverer) pairs;
		int rc;
		struct err err;
	} * workers;
};

/* ---- texts ---- */

static void texts_make(struct contents *c, const struct run *r)
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

static int texts_measure(struct contents *c, const struct run *r, struct err *err)
{
	struct segments *sets;
	int rc = collection_sets(r->coll, &sets, err);

	for (uint32_t t = 0; t < c->n && rc == WN_OK; t++)
		for (int k = 0; k < TEXT_KINDS && rc == WN_OK; k++)
			if ((r->rule->texts >> k & 1) && c->id[t]) {
				size_t n = 0;

				rc = segments_size(sets, c->id[t], (enum sketch_text)k, &n, err);
				c->size[k][t] = (uint32_t)n;
			}
	return rc;
}

static void texts_release(struct contents *c)
{
	mem_free(c->id);
	mem_free(c->of);
	mem_free(c->first);
	mem_free(c->docs);
	for (int k = 0; k < TEXT_KINDS; k++)
		mem_free(c->size[k]);
}

/* ---- the index of a pass ---- */

static int by_posting(const void *a, const void *b)
{
	const struct posting *x = a, *y = b;

	if (x->shingle != y->shingle)
		return x->shingle < y->shingle ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

/* The text that a disjunct's pairs are found by; TEXT_KINDS: none. */
static int found_by(const struct disjunct *d)
{
	return d->has_lower[TEXT_BODY] ? TEXT_BODY : d->has_lower[TEXT_MAIN] ? TEXT_MAIN : TEXT_KINDS;
}

/* The least that any set must share with one of n shingles for the term to hold: it has itself what is shared. */
static uint64_t term_least(const struct content_term *t, uint64_t n)
{
	unsigned __int128 over = (unsigned __int128)t->p * n, under = t->q;

	switch (t->measure) {
	case MEASURE_CONTAINMENT_AB:
	case MEASURE_JACCARD: break;
	case MEASURE_DICE: under = 2 * under - t->p; break;
	case MEASURE_SHARED: over = t->p; break;
	default: return 1; /* of a small set little is much */
	}
	over = (over + under - 1) / under;
	return over < 1 ? 1 : over > UINT32_MAX ? UINT32_MAX : (uint64_t)over;
}

/* The same for the disjuncts that are found by this text, whichever holds; UINT64_MAX: there is none. */
static uint64_t least_shared(const struct plan *plan, int kind, uint64_t n)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < plan->n; i++) {
		const struct disjunct *d = &plan->d[i];
		uint64_t all = 1;

		if (found_by(d) != kind)
			continue;
		for (size_t k = 0; k < d->n_content; k++)
			if (d->content[k].lower && (int)d->content[k].kind == kind) {
				uint64_t one = term_least(&d->content[k], n);

				all = one > all ? one : all;
			}
		least = all < least ? all : least;
	}
	return least;
}

static uint8_t *rarity_of(uint8_t *rarity, uint64_t shingle) { return &rarity[shingle >> (64 - RARITY_BITS)]; }

/* Lists probe p under the `want` rarest of its shingles, and all that are rare. */
static void list_rarest(struct finder *f, int kind, uint32_t p, uint64_t want, uint8_t *rarity, posting_vec *out)
{
	struct set s = f->sets[kind][p];
	uint64_t of[RARITY_MOST + 1] = { 0 }, below = 0;
	unsigned last = 0;

	for (size_t i = 0; i < s.n; i++)
		of[*rarity_of(rarity, s.p[i])]++;
	while (last < RARITY_MOST && (below + of[last] < want || last <= RARE))
		below += of[last++];
	want = below > want ? below : want;
	f->unlisted[kind][p] = (uint32_t)(s.n - want);
	for (size_t i = 0; i < s.n; i++) {
		unsigned here = *rarity_of(rarity, s.p[i]);

		if (here > last || (here == last && below == want))
			continue;
		below += here == last;
		vec_push(out, ((struct posting){ s.p[i], p }));
	}
}

/* Reads the probes' sets, and notes how many hold each shingle, as far as RARITY_BITS tell. */
static int read_probes(struct finder *f, int kind, uint8_t *rarity, struct err *err)
{
	int rc = WN_OK;

	f->sets[kind] = arena_zalloc(&f->arena, sizeof(*f->sets[kind]) * ((size_t)f->n_probes + 1));
	f->unlisted[kind] = arena_zalloc(&f->arena, sizeof(*f->unlisted[kind]) * ((size_t)f->n_probes + 1));
	for (uint32_t p = 0; p < f->n_probes && rc == WN_OK; p++) {
		uint64_t content = f->texts.id[f->probes[p]];
		struct set *s = &f->sets[kind][p];

		if (content)
			rc = collection_set(f->run->coll, &f->arena, content, (enum sketch_text)kind, s, err);
		for (size_t i = 0; i < s->n; i++)
			*rarity_of(rarity, s->p[i]) += *rarity_of(rarity, s->p[i]) < RARITY_MOST;
		if (s->n == 0)
			vec_push(&f->empty[kind], p);
	}
	return rc;
}

static int invert(struct finder *f, int kind, struct err *err)
{
	uint8_t *rarity = mem_zarray((size_t)1 << RARITY_BITS, 1);
	posting_vec all = { 0 };
	int rc = read_probes(f, kind, rarity, err);

	for (uint32_t p = 0; p < f->n_probes && rc == WN_OK; p++) {
		uint64_t n = f->sets[kind][p].n, least = f->counting ? 1 : least_shared(f->run->plan, kind, n);

		list_rarest(f, kind, p, least <= n ? n - least + 1 : 0, rarity, &all);
	}
	mem_free(rarity);
	sort_array(all.p, all.n, sizeof *all.p, by_posting);
	for (size_t i = 0; i < all.n; i++)
		if (i == 0 || all.p[i].shingle != all.p[i - 1].shingle)
			map_put(&f->table[kind], all.p[i].shingle, i);
	f->postings[kind] = all.p;
	f->n_postings[kind] = all.n;
	return rc;
}

static void key_wanted(struct finder *f, struct keyed *k, const struct disjunct *d)
{
	k->block = d->block;
	k->first = mem_zarray(d->n_blocks + 2, sizeof *k->first);
	k->docs = mem_array((size_t)f->n_all + 1, sizeof *k->docs);
	for (uint32_t i = 0; i < f->n_all; i++)
		k->first[d->block[f->all[i]] + 2]++;
	for (size_t b = 1; b <= d->n_blocks; b++)
		k->first[b + 1] += k->first[b];
	for (uint32_t i = 0; i < f->n_all; i++)
		k->docs[k->first[d->block[f->all[i]] + 1]++] = f->all[i];
}

/* Takes texts from f->from on until the memory is full. */
static void choose_probes(struct finder *f, uint64_t memory)
{
	uint64_t most = memory / 2 / POSTING_BYTES, items = 0;

	f->n_probes = f->n_all = 0;
	for (f->to = f->from; f->to < f->texts.n && (items < most || f->to == f->from); f->to++) {
		bool any = false;

		for (uint32_t i = f->texts.first[f->to]; i < f->texts.first[f->to + 1]; i++)
			if (f->wanted[f->texts.docs[i]]) {
				any = true;
				f->all[f->n_all++] = f->texts.docs[i];
			}
		f->probe_of[f->to] = 0;
		if (!any)
			continue;
		f->probes[f->n_probes++] = f->to;
		f->probe_of[f->to] = f->n_probes;
		for (int k = 0; k < TEXT_KINDS; k++)
			items += f->texts.size[k][f->to];
	}
}

static int pass_open(struct finder *f, uint64_t memory, struct err *err)
{
	const struct plan *plan = f->run->plan;
	int rc = WN_OK;

	choose_probes(f, memory);
	f->n_keyed = 0;
	for (size_t i = 0; i < plan->n; i++) {
		const struct disjunct *d = &plan->d[i];

		if (found_by(d) != TEXT_KINDS)
			f->shares = true;
		else if (d->block)
			key_wanted(f, &f->keyed[f->n_keyed++], d);
		else
			f->bare = true;
	}
	f->counting = f->n_keyed || f->bare;
	for (int k = 0; k < TEXT_KINDS && rc == WN_OK; k++)
		if (f->run->rule->texts >> k & 1)
			rc = invert(f, k, err);
	return rc;
}

static void pass_close(struct finder *f)
{
	for (int k = 0; k < TEXT_KINDS; k++) {
		mem_free(f->postings[k]);
		f->postings[k] = NULL;
		map_release(&f->table[k]);
		vec_release(&f->empty[k]);
	}
	for (size_t i = 0; i < f->n_keyed; i++) {
		mem_free(f->keyed[i].first);
		mem_free(f->keyed[i].docs);
	}
	f->n_keyed = 0;
	arena_release(&f->arena);
	for (uint32_t t = f->from; t < f->to; t++)
		f->probe_of[t] = 0;
}

/* ---- one text against it ---- */

struct scratch {
	uint32_t *counts[TEXT_KINDS], *touched, n_touched;
	uint8_t *met; /* by probe: it is in touched */
	struct segments *sets;
	struct set set[TEXT_KINDS]; /* of the text at hand, in values */
	uint64_t *values[TEXT_KINDS];
	size_t cap[TEXT_KINDS];
};

static int read_set(struct scratch *s, uint64_t content, int kind, struct err *err)
{
	size_t n;
	int rc;

	s->set[kind] = (struct set){ 0 };
	if (!content)
		return WN_OK;
	if ((rc = segments_size(s->sets, content, (enum sketch_text)kind, &n, err)) < 0)
		return rc;
	if (n > s->cap[kind]) {
		s->cap[kind] = n * 2;
		s->values[kind] = mem_rearray(s->values[kind], s->cap[kind], sizeof *s->values[kind]);
	}
	rc = segments_get(s->sets, content, (enum sketch_text)kind, s->values[kind], s->cap[kind], &n, err);
	s->set[kind] = (struct set){ s->values[kind], n };
	return rc;
}

static void meet(struct scratch *s, uint32_t probe)
{
	if (!s->met[probe]) {
		s->met[probe] = 1;
		s->touched[s->n_touched++] = probe;
	}
}

/* Meets the probes that are listed under a shingle of the text, and counts under how many. */
static void count(const struct finder *f, int kind, struct scratch *s)
{
	const struct posting *p = f->postings[kind];
	struct set set = s->set[kind];

	for (size_t i = 0; i < set.n; i++) {
		const uint64_t *at = map_get(&f->table[kind], set.p[i]);

		for (size_t k = at ? *at : f->n_postings[kind]; k < f->n_postings[kind] && p[k].shingle == set.p[i];
		     k++) {
			s->counts[kind][p[k].probe]++;
			meet(s, p[k].probe);
		}
	}
}

/* Could the rule hold for these overlaps, whatever the documents? */
static bool could(const struct plan *plan, const struct overlap ov[TEXT_KINDS])
{
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

/* What a probe and a text share; where the index does not hold all shingles, the most that they may share. */
static void overlaps(const struct finder *f, const struct scratch *s, uint32_t probe, uint32_t text,
		     struct overlap ov[TEXT_KINDS])
{
	for (int k = 0; k < TEXT_KINDS; k++) {
		ov[k] = (struct overlap){ .o = s->counts[k][probe],
					  .a = f->texts.size[k][f->probes[probe]],
					  .b = f->texts.size[k][text] };
		if (f->counting || !(f->run->rule->texts >> k & 1))
			continue;
		ov[k].o += f->unlisted[k][probe];
		if (ov[k].o > ov[k].b)
			ov[k].o = ov[k].b;
	}
}

static void try_pair(const struct finder *f, struct found *out, uint32_t a, uint32_t b,
		     const struct overlap ov[TEXT_KINDS])
{
	if (a != b && rule_holds_plainly(f->run->rule, &f->run->docs.columns, NULL, a, b, ov))
		vec_push(&out->pairs, ((struct coverer){ a, b }));
}

/* All wanted documents of a probe with all documents of a text. */
static void try_texts(const struct finder *f, struct found *out, uint32_t probe, uint32_t text,
		      const struct overlap ov[TEXT_KINDS])
{
	const struct contents *c = &f->texts;
	uint32_t of = f->probes[probe];

	if (!could(f->run->plan, ov))
		return;
	for (uint32_t i = c->first[of]; i < c->first[of + 1]; i++)
		for (uint32_t j = c->first[text]; f->wanted[c->docs[i]] && j < c->first[text + 1]; j++)
			try_pair(f, out, c->docs[i], c->docs[j], ov);
}

static void try_list(const struct finder *f, struct found *out, const struct scratch *s, const uint32_t *a, uint32_t n,
		     uint32_t b)
{
	for (uint32_t i = 0; i < n; i++) {
		struct overlap ov[TEXT_KINDS];

		overlaps(f, s, f->probe_of[f->texts.of[a[i]]] - 1, f->texts.of[b], ov);
		try_pair(f, out, a[i], b, ov);
	}
}

static void try_text(struct finder *f, struct found *out, struct scratch *s, uint32_t text)
{
	const struct contents *c = &f->texts;

	for (int k = 0; k < TEXT_KINDS && f->shares; k++)
		if ((f->run->rule->texts >> k & 1) && c->size[k][text] == 0)
			for (size_t i = 0; i < f->empty[k].n; i++)
				meet(s, f->empty[k].p[i]);
	for (uint32_t i = 0; i < s->n_touched && f->shares && !f->bare; i++) {
		struct overlap ov[TEXT_KINDS];

		overlaps(f, s, s->touched[i], text, ov);
		for (int k = 0; k < TEXT_KINDS && !f->counting && could(f->run->plan, ov); k++)
			if (f->run->rule->texts >> k & 1)
				ov[k].o = set_shared(f->sets[k][s->touched[i]], s->set[k]);
		try_texts(f, out, s->touched[i], text, ov);
	}
	for (uint32_t i = c->first[text]; i < c->first[text + 1]; i++) {
		uint32_t b = c->docs[i];

		if (f->bare)
			try_list(f, out, s, f->all, f->n_all, b);
		for (size_t k = 0; k < f->n_keyed && !f->bare; k++) {
			const struct keyed *w = &f->keyed[k];

			try_list(f, out, s, w->docs + w->first[w->block[b]],
				 w->first[w->block[b] + 1] - w->first[w->block[b]], b);
		}
	}
	for (uint32_t i = 0; i < s->n_touched; i++) {
		for (int k = 0; k < TEXT_KINDS; k++)
			s->counts[k][s->touched[i]] = 0;
		s->met[s->touched[i]] = 0;
	}
	s->n_touched = 0;
}

static void try_some(void *context, size_t from, size_t to, unsigned worker)
{
	struct finder *f = context;
	struct found *out = &f->workers[worker];
	struct scratch s = { .touched = mem_array((size_t)f->n_probes + 1, sizeof *s.touched),
			     .met = mem_zarray((size_t)f->n_probes + 1, 1) };

	for (int k = 0; k < TEXT_KINDS; k++)
		s.counts[k] = mem_zarray((size_t)f->n_probes + 1, sizeof *s.counts[k]);
	out->rc = out->rc < 0 ? out->rc : collection_sets(f->run->coll, &s.sets, &out->err);
	for (size_t t = from; t < to && out->rc == WN_OK && !task_interrupted(); t++) {
		for (int k = 0; k < TEXT_KINDS && out->rc == WN_OK; k++) {
			if (!(f->run->rule->texts >> k & 1))
				continue;
			if ((out->rc = read_set(&s, f->texts.id[t], k, &out->err)) == WN_OK)
				count(f, k, &s);
		}
		if (out->rc == WN_OK)
			try_text(f, out, &s, (uint32_t)t);
	}
	for (int k = 0; k < TEXT_KINDS; k++) {
		mem_free(s.counts[k]);
		mem_free(s.values[k]);
	}
	mem_free(s.touched);
	mem_free(s.met);
	progress_add(to - from);
}

/* ---- all of it ---- */

static int by_pair(const void *a, const void *b)
{
	const struct coverer *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return x->b < y->b ? -1 : x->b > y->b;
}

/* The pairs of all workers, each once. */
static int gather(struct finder *f, struct coverers *out, unsigned threads, struct err *err)
{
	VEC(struct coverer) all = { 0 };
	size_t n = 0;
	int rc = WN_OK;

	for (unsigned t = 0; t < threads; t++) {
		if (f->workers[t].rc < 0 && rc == WN_OK) {
			rc = f->workers[t].rc;
			*err = f->workers[t].err;
		}
		for (size_t i = 0; i < f->workers[t].pairs.n; i++)
			vec_push(&all, f->workers[t].pairs.p[i]);
		vec_release(&f->workers[t].pairs);
	}
	sort_array(all.p, all.n, sizeof *all.p, by_pair);
	for (size_t i = 0; i < all.n; i++)
		if (i == 0 || by_pair(&all.p[i - 1], &all.p[i]) != 0)
			all.p[n++] = all.p[i];
	*out = (struct coverers){ all.p, n };
	return rc;
}

int coverers_find(struct coverers *out, struct run *run, const uint8_t *wanted, unsigned threads, uint64_t memory,
		  struct err *err)
{
	struct finder f = { .run = run, .wanted = wanted };
	int rc;

	texts_make(&f.texts, run);
	f.probe_of = mem_zarray((size_t)f.texts.n + 1, sizeof *f.probe_of);
	f.probes = mem_array((size_t)f.texts.n + 1, sizeof *f.probes);
	f.all = mem_array(run->docs.n + 1, sizeof *f.all);
	f.keyed = mem_array(run->plan->n + 1, sizeof *f.keyed);
	f.workers = mem_zarray(threads, sizeof *f.workers);
	rc = texts_measure(&f.texts, run, err);
	for (f.from = 0; f.from < f.texts.n && rc == WN_OK; f.from = f.to) {
		rc = pass_open(&f, !memory ? (uint64_t)4 << 30 : memory < MEM_PLENTY ? mem_left(memory) : memory, err);
		if (rc == WN_OK && f.n_probes) {
			progress_phase("looking for coverers", "texts", f.texts.n);
			task_each(threads, f.texts.n, 256, try_some, &f);
		}
		pass_close(&f);
	}
	if (rc == WN_OK && task_interrupted())
		rc = err_set(err, WN_INTERRUPTED, "interrupted");
	if (rc == WN_OK)
		rc = gather(&f, out, threads, err);
	else
		for (unsigned t = 0; t < threads; t++)
			vec_release(&f.workers[t].pairs);
	texts_release(&f.texts);
	mem_free(f.probe_of);
	mem_free(f.probes);
	mem_free(f.all);
	mem_free(f.keyed);
	mem_free(f.workers);
	return rc;
}

void coverers_release(struct coverers *c)
{
	mem_free(c->pairs);
	*c = (struct coverers){ 0 };
}

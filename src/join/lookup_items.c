/* join/lookup_items.c -- see lookup_int.h.
 *
 * What comes is as a rule much like a neighbour that the index knows (another version of the page): then only the
 * items in which they differ are looked up, and the neighbour's classes tell the rest.  The same with members among
 * each other: two of them share what the one shares with the other's neighbour, and one more or less for each item in
 * which that differs from it; so of the items that a member has in common with its neighbour only those matter in
 * which another member differs from its own.
 * The items that are left are taken range by range, so many at once as stay in the cache, and sorted: so one walk
 * over the index finds them, and items of several members come together by themselves.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/task.h"
#include "join/lookup_int.h"

#define NEIGHBOURS 64u	    /* documents among which a set like one that came is looked for */
#define MEMBERS_AT_ONCE 8u  /* handed to a thread */
#define RANGE_QUERIES 8192u /* items of a range, about */
#define RANGE_BITS_MOST 24u
#define BIN_BITS 11u   /* of a range's items, by which they are put in place */
#define NEAR_PLACE 32u /* so few are sorted by insertion */
#define SPARSE 16u     /* bits of a filter for each item in it, at least */
#define ALIKE 4u       /* with less than a quarter of its items different no other base is tried */

struct difference { /* from a base: items that it has and the member has not */
	uint64_t *items;
	uint32_t n, at;
};

struct reading {
	struct lookup *x;
	struct sets_scratch *scratch;	       /* [threads] */
	uint64_t *items;		       /* of the members, one after another */
	uint8_t *in_base;		       /* by item: the base has it */
	const struct postings_looked **looked; /* [members] it was before, or NULL */
	uint64_t *at, *end;		       /* [members] how far they were taken, and how far those go that matter */
	uint32_t *near[2];	    /* [members] known sets beside it in the order of documents, or JOIN_NO_SET */
	struct difference *missing; /* [members] */
	uint32_t *fresh;	    /* [members] its row among what is fresh (added.h), or ADDED_NONE */
	unsigned bits;		    /* of a range's number */
	VEC(struct postings_query) query, sorted, look; /* of the range */
	VEC(uint32_t) ref;				/* by query sorted: what was found, or UINT32_MAX */
	uint32_t *holder, *holder_in_base;		/* [members] of an item */
	uint64_t *sign;					/* [members] a number drawn for each */
	postings_hits hits, *differ;			/* differ: [threads] */
	struct map runs;				/* by signature */
};

/* Are its items looked up in the index?  Those of unknown ones that do not ask are when a known one does. */
static bool looks_up(const struct lookup *x, uint32_t m)
{
	if (m >= x->n_unknown)
		return x->r->kept->row_of[x->member.p[m]] == UINT32_MAX;
	return m < x->n_asking || x->known.n;
}

static bool looks_up_now(const struct reading *g, uint32_t m) { return looks_up(g->x, m) && !g->looked[m]; }

/* Is it looked up, or compared with others, item by item? */
static bool is_taken(const struct reading *g, uint32_t m)
{
	return looks_up_now(g, m) || (g->x->compares && m < g->x->n_unknown);
}

/* ---- reading, beside a neighbour ---- */

/* A set that the index knows, of one of the next documents before or after one; JOIN_NO_SET: none. */
static uint32_t neighbour(const struct lookup *x, uint32_t doc, int side)
{
	const uint32_t *of = x->r->q->set_of[x->r->lead->kind], n = x->r->q->n;

	for (uint32_t i = 1; i <= NEIGHBOURS && (side ? i < n - doc : i <= doc); i++) {
		uint32_t set = of[side ? doc + i : doc - i];

		if (set != JOIN_NO_SET && x->r->kept->row_of[set] != UINT32_MAX)
			return set;
	}
	return JOIN_NO_SET;
}

/* Known sets before and after each member, as the documents stand: versions of a page are neighbours. */
static void note_neighbours(struct reading *g)
{
	const struct lookup *x = g->x;
	const struct postings *kept = x->r->kept;

	for (int side = 0; side < 2; side++) {
		g->near[side] = mem_array(x->member.n + 1, sizeof *g->near[side]);
		memset(g->near[side], 0xff, (x->member.n + 1) * sizeof *g->near[side]);
		if (x->r->lead->d->key) /* a neighbour's classes are of its own block only */
			continue;
		for (uint32_t m = 0; m < x->member.n; m++) {
			const uint32_t *docs = kept->docs_start + x->member.p[m];

			if (looks_up_now(g, m)) /* beside its last document, or its first */
				g->near[side][m] = neighbour(x, kept->docs[side ? docs[1] - 1 : docs[0]], side);
		}
	}
}

/* How much two sets differ, up to n. */
static uint32_t count_difference(const uint64_t *x, uint32_t n, const uint64_t *y, uint32_t m)
{
	uint32_t differ = 0, i = 0, k = 0;

	while (i < n && k < m && differ < n) {
		uint64_t left = x[i], right = y[k];

		differ += left != right;
		i += left <= right;
		k += right <= left;
	}
	return differ + (n - i) + (m - k);
}

/* How a member differs from a base; returns how much. */
static uint32_t note_difference(struct reading *g, uint32_t m, const uint64_t *base, uint32_t n)
{
	struct difference *d = &g->missing[m];
	const uint64_t *item = g->items + g->x->start[m];
	uint8_t *in_base = g->in_base + g->x->start[m];
	uint32_t i = 0, k = 0, size = (uint32_t)(g->x->start[m + 1] - g->x->start[m]), missing = 0;

	d->items = mem_rearray(d->items, (size_t)n + 1, sizeof *d->items);
	while (i < size && k < n) {
		uint64_t left = item[i], right = base[k];

		in_base[i] = left == right; /* the last time that it is looked at tells */
		d->items[missing] = right;
		missing += left > right;
		i += left <= right;
		k += right <= left;
	}
	memset(in_base + i, 0, size - i);
	if (n > k)
		memcpy(d->items + missing, base + k, (n - k) * sizeof *base);
	d->n = missing + (n - k);
	return size - (n - d->n) + d->n;
}

static void forget_difference(struct reading *g, uint32_t m)
{
	memset(g->in_base + g->x->start[m], 0, g->x->start[m + 1] - g->x->start[m]);
	g->missing[m].n = 0;
}

/* The neighbour that is most like a member, if that spares looking up. */
static void choose_base(struct reading *g, struct sets_scratch *scratch, uint32_t m)
{
	struct lookup *x = g->x;
	uint32_t size = (uint32_t)(x->start[m + 1] - x->start[m]), least = size, tried = JOIN_NO_SET, n;

	for (int side = 0; side < 2 && least >= size / ALIKE; side++) {
		uint32_t set = g->near[side][m], differ;
		const uint64_t *item;

		if (set == JOIN_NO_SET || set == tried)
			continue;
		item = sets_get(scratch, x->r->q, x->r->lead->kind, set, 1, &n);
		if (tried != JOIN_NO_SET && count_difference(g->items + x->start[m], size, item, n) >= least)
			continue;
		tried = set;
		differ = note_difference(g, m, item, n);
		if (differ < least) {
			least = differ;
			x->base[m] = x->r->kept->row_of[set];
		}
	}
	if (x->base[m] == UINT32_MAX)
		forget_difference(g, m);
}

static void read_members(void *context, size_t from, size_t to, unsigned worker)
{
	struct reading *g = context;
	const struct lookup *x = g->x;

	for (uint32_t m = (uint32_t)from; m < to; m++) {
		uint32_t n = 0;
		bool taken = is_taken(g, m), wants_added = lookup_wants_added(x, m);
		const uint64_t *item = NULL;

		if (taken || wants_added)
			item = sets_get(&g->scratch[worker], x->r->q, x->r->lead->kind, x->member.p[m], 0, &n);
		if (taken && n)
			memcpy(g->items + x->start[m], item, n * sizeof *item);
		if (wants_added)
			lookup_added_items(&x->r->kept->added, item, n, m, &g->differ[worker]);
		if (looks_up_now(g, m))
			choose_base(g, &g->scratch[worker], m);
		else if (g->looked[m])
			x->base[m] = g->looked[m]->base;
	}
}

/* What is looked up now of unknown sets is what there will be to add. */
static void note_fresh(struct reading *g)
{
	struct added *a = &g->x->r->kept->added;

	for (uint32_t m = 0; m < g->x->n_unknown; m++) {
		g->fresh[m] = ADDED_NONE;
		if (!looks_up_now(g, m))
			continue;
		g->fresh[m] = (uint32_t)a->fresh.n;
		vec_push(&a->fresh, ((struct added_row){ g->x->member.p[m], g->x->base[m] }));
	}
}

/* ---- what matters ---- */

static void filter_open(struct columns_filter *f, uint64_t items)
{
	unsigned bits = 10;

	while (bits < 32 && (uint64_t)1 << bits < SPARSE * items)
		bits++;
	f->shift = 64 - bits;
	f->bits = mem_zalloc(((size_t)1 << bits) / 8);
}

static void filter_add(struct columns_filter *f, uint64_t item)
{
	f->bits[item >> f->shift >> 6] |= (uint64_t)1 << (item >> f->shift & 63);
}

static bool filter_may_have(const struct columns_filter *f, uint64_t item)
{
	return f->bits[item >> f->shift >> 6] >> (item >> f->shift & 63) & 1;
}

/* The items in which unknown members differ from their bases; with no base all of them. */
static void note_differing(const struct reading *g, struct columns_filter *f)
{
	const struct lookup *x = g->x;
	uint64_t count = 0;

	for (uint32_t m = 0; m < x->n_unknown && g->x->compares; m++) {
		count += g->missing[m].n;
		for (uint64_t i = x->start[m]; i < x->start[m + 1]; i++)
			count += !g->in_base[i];
	}
	filter_open(f, count);
	for (uint32_t m = 0; m < x->n_unknown && g->x->compares; m++) {
		for (uint32_t i = 0; i < g->missing[m].n; i++)
			filter_add(f, g->missing[m].items[i]);
		for (uint64_t i = x->start[m]; i < x->start[m + 1]; i++)
			if (!g->in_base[i])
				filter_add(f, g->items[i]);
	}
}

/* What is kept of the items of members that ask, which are the first, and what their bases have and they have not:
 * whoever has one of those shares it with the base. */
static void note_asked(const struct reading *g, struct columns_filter *f)
{
	uint64_t count = 0;

	for (uint32_t m = 0; m < g->x->n_asking; m++)
		count += g->end[m] - g->x->start[m] + g->missing[m].n;
	filter_open(f, count);
	for (uint32_t m = 0; m < g->x->n_asking; m++) {
		for (uint64_t i = g->x->start[m]; i < g->end[m]; i++)
			filter_add(f, g->items[i]);
		for (uint32_t i = 0; i < g->missing[m].n; i++)
			filter_add(f, g->missing[m].items[i]);
	}
}

/* Drops items that are neither looked up nor can tell two members apart: those of the base in which no member differs
 * from its own, and those of members that do not ask, and are not looked up, which neither one that asks nor its base
 * has. */
static void keep_what_matters(struct reading *g)
{
	const struct lookup *x = g->x;
	struct columns_filter differing, asked = { 0 };

	note_differing(g, &differing);
	for (uint32_t m = 0; m < x->member.n; m++) {
		bool compared = g->x->compares && m < x->n_unknown, whole = m < x->n_asking || looks_up_now(g, m);
		uint64_t kept = x->start[m];

		if (!whole && !asked.bits)
			note_asked(g, &asked);
		for (uint64_t i = x->start[m]; i < x->start[m + 1]; i++) {
			uint64_t item = g->items[i];
			uint8_t in_base = g->in_base[i];

			g->items[kept] = item;
			g->in_base[kept] = in_base;
			if (in_base)
				kept += compared && filter_may_have(&differing, item);
			else
				kept += whole || filter_may_have(&asked, item);
		}
		g->end[m] = kept;
	}
	mem_free(differing.bits);
	mem_free(asked.bits);
}

/* ---- ranges ---- */

static bool in_range(const struct reading *g, uint64_t item, uint64_t range)
{
	return (g->bits ? item >> (64 - g->bits) : 0) == range;
}

/* The items of a range, by member: those that ask come first. */
static void take_range(struct reading *g, uint64_t range)
{
	const struct lookup *x = g->x;

	g->query.n = 0;
	for (uint32_t m = 0; m < x->member.n; m++) {
		struct difference *d = &g->missing[m];
		uint64_t i = g->at[m];
		uint32_t of = m << LOOKUP_KIND_BITS, own = looks_up_now(g, m) ? LOOKUP_OWN : LOOKUP_SEEN;

		for (; i < g->end[m] && in_range(g, g->items[i], range); i++)
			vec_push(&g->query,
				 ((struct postings_query){ g->items[i], of | (g->in_base[i] ? LOOKUP_IN_BASE : own) }));
		g->at[m] = i;
		for (; d->at < d->n && in_range(g, d->items[d->at], range); d->at++)
			vec_push(&g->query, ((struct postings_query){ d->items[d->at], of | LOOKUP_NOT_HERE }));
	}
}

static bool comes_before(const struct postings_query *x, const struct postings_query *y)
{
	return x->item != y->item ? x->item < y->item : x->of < y->of;
}

static int by_item(const void *a, const void *b) { return comes_before(a, b) ? -1 : comes_before(b, a); }

/* Items of equal upper bits: as a rule one, of several members in order. */
static void sort_few(struct postings_query *v, size_t n)
{
	if (n > NEAR_PLACE) {
		size_t i = 1;

		while (i < n && comes_before(&v[i - 1], &v[i]))
			i++;
		if (i < n)
			sort_array(v, n, sizeof *v, by_item);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct postings_query q = v[i];
		size_t k = i;

		for (; k && comes_before(&q, &v[k - 1]); k--)
			v[k] = v[k - 1];
		v[k] = q;
	}
}

static unsigned bin_of(const struct reading *g, uint64_t item) { return item << g->bits >> (64 - BIN_BITS); }

/* Ascending by item, then by member. */
static void sort_range(struct reading *g)
{
	uint32_t count[(1u << BIN_BITS) + 1] = { 0 };
	size_t n = g->query.n;

	vec_reserve(&g->sorted, n + 1);
	g->sorted.n = n;
	for (size_t i = 0; i < n; i++)
		count[bin_of(g, g->query.p[i].item) + 1]++;
	for (size_t i = 0; i < 1u << BIN_BITS; i++)
		count[i + 1] += count[i];
	for (size_t i = 0; i < n; i++)
		g->sorted.p[count[bin_of(g, g->query.p[i].item)]++] = g->query.p[i];
	for (size_t k = 0, from = 0; k < 1u << BIN_BITS; from = count[k++]) /* where a bin ends */
		sort_few(g->sorted.p + from, count[k] - from);
}

static bool find_range(struct reading *g)
{
	struct added *a = &g->x->r->kept->added;
	size_t from = g->hits.n;
	bool ok;

	g->look.n = 0;
	vec_reserve(&g->ref, g->sorted.n + 1);
	memset(g->ref.p, 0xff, g->sorted.n * sizeof *g->ref.p);
	for (size_t i = 0; i < g->sorted.n; i++) {
		uint32_t m = g->sorted.p[i].of >> LOOKUP_KIND_BITS, kind = lookup_kind(g->sorted.p[i].of);
		uint64_t item = g->sorted.p[i].item;

		if (kind == LOOKUP_SEEN || kind == LOOKUP_IN_BASE)
			continue;
		vec_push(&g->look, ((struct postings_query){ item, (uint32_t)i }));
		if (m < g->x->n_unknown)
			vec_push(
			    &a->fresh_items,
			    ((struct added_item){ item, g->fresh[m] | (kind == LOOKUP_NOT_HERE ? ADDED_MISSING : 0) }));
	}
	ok = postings_find(g->x->r->kept, g->look.p, g->look.n, &g->hits);
	for (size_t i = from; i < g->hits.n; i++) { /* who asked instead of where it stands */
		struct postings_found *f = &g->hits.p[i];
		uint32_t of = g->sorted.p[f->of].of;

		g->ref.p[f->of] = f->ref;
		f->of = 2 * (of >> LOOKUP_KIND_BITS) + (lookup_kind(of) == LOOKUP_NOT_HERE);
	}
	return ok;
}

/* Found refs by who asked. */
static void group_found(const postings_hits *found, size_t n, size_t **start, uint32_t **ref)
{
	size_t *at = mem_zarray(n + 2, sizeof *at);

	*ref = mem_array(found->n + 1, sizeof **ref);
	for (size_t i = 0; i < found->n; i++)
		at[found->p[i].of + 2]++;
	for (size_t k = 1; k <= n; k++)
		at[k + 1] += at[k];
	for (size_t i = 0; i < found->n; i++)
		(*ref)[at[found->p[i].of + 1]++] = found->p[i].ref;
	*start = at;
}

/* Keeps what was found, for this question and those that follow. */
static void remember(const struct reading *g)
{
	const struct lookup *x = g->x;
	struct postings *kept = x->r->kept;
	size_t *start;
	uint32_t *ref;

	group_found(&g->hits, 2 * x->member.n, &start, &ref);
	for (uint32_t m = 0; m < x->member.n; m++) {
		size_t from = start[2 * m], mid = start[2 * m + 1], end = start[2 * m + 2];

		if (!looks_up_now(g, m))
			continue;
		*map_put(&kept->looked_of, x->member.p[m], 0) = kept->looked.n;
		vec_push(&kept->looked,
			 ((struct postings_looked){ x->member.p[m], x->base[m], kept->refs.n, mid - from, end - mid }));
		for (size_t i = from; i < end; i++)
			vec_push(&kept->refs, ref[i]);
	}
	mem_free(start);
	mem_free(ref);
}

/* The class that a ref means; UINT32_MAX: several, a row alone, or nothing was found. */
static uint32_t class_of(struct postings *p, uint32_t ref)
{
	const struct postings_name *name;

	return ref & POSTINGS_OWN || postings_classes(p, ref, &name) != 1 ? UINT32_MAX : name->class;
}

/* The run of a class's holders, the last of which have it in their base, by a signature. */
static uint32_t run_of(struct lookup_runs *r, struct map *known, const uint32_t *holder, uint32_t n, uint32_t in_base,
		       uint32_t class, uint64_t sign)
{
	for (;; sign++) { /* lists of one signature may differ */
		uint64_t *run = map_put(known, sign, r->weight.n);

		if (*run == r->weight.n)
			break;
		if (r->start.p[*run + 1] - r->start.p[*run] == n && r->class.p[*run] == class &&
		    memcmp(r->holders.p + r->start.p[*run], holder, n * sizeof *holder) == 0)
			return (uint32_t)*run;
	}
	for (uint32_t k = 0; k < n; k++)
		vec_push(&r->holders, holder[k]);
	vec_push(&r->in_base, (uint32_t)r->holders.n - in_base);
	vec_push(&r->start, (uint32_t)r->holders.n);
	vec_push(&r->weight, 0);
	vec_push(&r->class, class);
	return (uint32_t)r->weight.n - 1;
}

static void note_runs(struct lookup *x, struct reading *g)
{
	struct lookup_runs *r = &x->runs;
	const struct postings_query *q = g->sorted.p;

	for (size_t i = 0, end; i < g->sorted.n; i = end) {
		bool asks = false, has = false, differs = false;
		uint64_t sign = 0;
		uint32_t n = 0, in_base = 0, ref = UINT32_MAX;

		for (end = i; end < g->sorted.n && q[end].item == q[i].item; end++) {
			uint32_t m = q[end].of >> LOOKUP_KIND_BITS, kind = lookup_kind(q[end].of);

			if (m >= x->n_unknown)
				continue;
			ref = g->ref.p[end] < ref ? g->ref.p[end] : ref;
			kind = kind == LOOKUP_SEEN ? LOOKUP_OWN : kind;
			if (kind == LOOKUP_IN_BASE)
				g->holder_in_base[in_base++] = m << LOOKUP_KIND_BITS | kind;
			else
				g->holder[n++] = m << LOOKUP_KIND_BITS | kind;
			sign += g->sign[m] * (2 * kind + 1);
			asks |= m < x->n_asking;
			has |= kind != LOOKUP_NOT_HERE;
			differs |= kind != LOOKUP_IN_BASE;
		}
		if (n + in_base > 1 && asks && has && differs) {
			uint32_t class = class_of(x->r->kept, ref), run;

			memcpy(g->holder + n, g->holder_in_base, in_base * sizeof *g->holder);
			run = run_of(r, &g->runs, g->holder, n + in_base, in_base, class, sign + mix64(class));

			r->weight.p[run]++; /* which may have moved */
		}
	}
}

/* The runs of each member that has their items. */
static void group_runs(struct lookup *x)
{
	struct lookup_runs *r = &x->runs;

	r->of_start = mem_zarray(x->member.n + 2, sizeof *r->of_start);
	for (size_t i = 0; i < r->holders.n; i++)
		if (lookup_kind(r->holders.p[i]) != LOOKUP_NOT_HERE)
			r->of_start[(r->holders.p[i] >> LOOKUP_KIND_BITS) + 2]++;
	for (size_t m = 0; m < x->member.n; m++)
		r->of_start[m + 2] += r->of_start[m + 1];
	r->of = mem_array(r->holders.n + 1, sizeof *r->of);
	for (size_t run = 0; run < r->weight.n; run++)
		for (uint32_t i = r->start.p[run]; i < r->start.p[run + 1]; i++)
			if (lookup_kind(r->holders.p[i]) != LOOKUP_NOT_HERE)
				r->of[r->of_start[(r->holders.p[i] >> LOOKUP_KIND_BITS) + 1]++] = (uint32_t)run;
}

/* Unknown members by the row from which their runs tell the difference. */
static void group_beside(const struct reading *g)
{
	struct lookup *x = g->x;
	uint32_t rows = g->x->compares ? x->r->kept->tail.rows : 0;

	x->beside = mem_array((size_t)x->n_unknown + 1, sizeof *x->beside);
	x->beside_next = mem_array((size_t)x->n_unknown + 1, sizeof *x->beside_next);
	x->beside_first = mem_array((size_t)rows + 1, sizeof *x->beside_first);
	memset(x->beside_first, 0xff, ((size_t)rows + 1) * sizeof *x->beside_first);
	for (uint32_t m = 0; m < x->n_unknown && g->x->compares; m++) {
		uint32_t row = x->beside[m] = looks_up_now(g, m) ? x->base[m] : UINT32_MAX;

		if (row == UINT32_MAX)
			continue;
		x->beside_next[m] = x->beside_first[row];
		x->beside_first[row] = m;
	}
}

static void reading_release(struct reading *g)
{
	for (unsigned t = 0; t < g->x->r->threads; t++) {
		sets_scratch_release(&g->scratch[t]);
		vec_release(&g->differ[t]);
	}
	for (size_t m = 0; m < g->x->member.n; m++)
		mem_free(g->missing[m].items);
	mem_free(g->missing);
	mem_free(g->looked);
	mem_free(g->near[0]);
	mem_free(g->near[1]);
	mem_free(g->in_base);
	mem_free(g->scratch);
	mem_free(g->items);
	mem_free(g->at);
	mem_free(g->end);
	vec_release(&g->query);
	vec_release(&g->sorted);
	vec_release(&g->look);
	vec_release(&g->ref);
	mem_free(g->holder);
	mem_free(g->holder_in_base);
	mem_free(g->sign);
	vec_release(&g->hits);
	mem_free(g->differ);
	mem_free(g->fresh);
	map_release(&g->runs);
}

/* Which members were looked up before, and room for what there is to read. */
static void reading_open(struct reading *g)
{
	struct lookup *x = g->x;
	size_t n = x->member.n;

	x->compares = x->n_asking && x->n_unknown > 1;
	g->looked = mem_zarray(n + 1, sizeof(void *));
	g->sign = mem_array(n + 1, sizeof *g->sign);
	for (size_t m = 0; m < n; m++) {
		const uint64_t *at = map_get(&x->r->kept->looked_of, x->member.p[m]);

		g->sign[m] = mix64(m + 1);
		g->looked[m] = at ? &x->r->kept->looked.p[*at] : NULL;
	}
	x->start = mem_zarray(n + 1, sizeof *x->start);
	for (uint32_t m = 0; m < n; m++)
		x->start[m + 1] = x->start[m] + (is_taken(g, m) ? x->sets->size[x->member.p[m]] : 0);
	g->items = mem_array(x->start[n] + 1, sizeof *g->items);
	g->in_base = mem_zalloc(x->start[n] + 1);
	g->at = mem_array(n + 1, sizeof *g->at);
	g->end = mem_array(n + 1, sizeof *g->end);
	memcpy(g->at, x->start, n * sizeof *g->at);
	g->missing = mem_zarray(n + 1, sizeof *g->missing);
	g->holder = mem_array(n + 1, sizeof *g->holder);
	g->holder_in_base = mem_array(n + 1, sizeof *g->holder_in_base);
	g->fresh = mem_array(n + 1, sizeof *g->fresh);
	g->differ = mem_zarray(x->r->threads, sizeof *g->differ);
	g->scratch = mem_zarray(x->r->threads, sizeof *g->scratch);
	x->base = mem_array(n + 1, sizeof *x->base);
	memset(x->base, 0xff, (n + 1) * sizeof *x->base);
	note_neighbours(g);
}

bool lookup_items(struct lookup *x)
{
	struct reading g = { .x = x };
	uint64_t n = 0;
	bool ok = true;

	reading_open(&g);
	task_each(x->r->threads, x->member.n, MEMBERS_AT_ONCE, read_members, &g);
	note_fresh(&g);
	keep_what_matters(&g);
	for (uint32_t m = 0; m < x->member.n; m++)
		n += g.end[m] - x->start[m] + g.missing[m].n;
	while (g.bits < RANGE_BITS_MOST && n >> g.bits > RANGE_QUERIES)
		g.bits++;
	vec_push(&x->runs.start, 0);
	for (uint64_t range = 0; range < (uint64_t)1 << g.bits && ok; range++) {
		take_range(&g, range);
		sort_range(&g);
		ok = find_range(&g);
		note_runs(x, &g);
	}
	for (unsigned t = 1; t < x->r->threads; t++)
		for (size_t i = 0; i < g.differ[t].n; i++)
			vec_push(&g.differ[0], g.differ[t].p[i]);
	group_found(&g.differ[0], x->member.n, &x->differ_start, &x->differ);
	group_beside(&g); /* before it is known that they were looked up */
	if (ok)
		remember(&g);
	else
		x->r->kept->added.fresh.n = x->r->kept->added.fresh_items.n = 0; /* not all of it is there */
	group_runs(x);
	reading_release(&g);
	return ok;
}

void lookup_items_release(struct lookup *x)
{
	mem_free(x->start);
	mem_free(x->base);
	mem_free(x->differ_start);
	mem_free(x->differ);
	vec_release(&x->runs.start);
	vec_release(&x->runs.in_base);
	vec_release(&x->runs.weight);
	vec_release(&x->runs.class);
	vec_release(&x->runs.holders);
	mem_free(x->runs.of_start);
	mem_free(x->runs.of);
	mem_free(x->beside);
	mem_free(x->beside_next);
	mem_free(x->beside_first);
}

/* bench/generate.c -- synthetic collections of the shape of a web archive, as
 * sets: chains of versions, templates, quotes, stubs.
 *
 *	bench-generate DOCUMENTS FILE [SEED]
 *
 * The shape: sites by a Zipf law; 40 % of the URLs have one version, the others
 * 1 + a geometric number, 9 in the mean; 35 % of the further versions are
 * identical to the one before, the others change up to 30 % of their own
 * shingles in runs of 5; every site has a template with 2 % noise by page and
 * a block that changes by day; shingles shared by all by a Zipf law; 5 % of the
 * pages quote another page of the site; 4 % are stubs of few kinds.  About 483
 * shingles a document.
 *
 * FILE: u64 documents, u64 sets, u64 items; then by document u32 set, u32 site,
 * u32 url, u32 time; by set u32 size; then the items, u64, ascending in each
 * set.  bench-join reads it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

static uint64_t state;

static uint64_t draw(void)
{
	state += 0x9e3779b97f4a7c15u;
	return mix64(state);
}

static uint64_t below(uint64_t n) { return (uint64_t)(((unsigned __int128)draw() * n) >> 64); }
static bool chance(unsigned percent) { return below(100) < percent; }

/* Zipf with exponent 1 over [0, n): the inverse of a log-uniform. */
static uint64_t zipf(uint64_t n)
{
	double u = (double)(draw() >> 11) / 9007199254740992.0;

	return (uint64_t)(exp(u * log((double)n + 1)) - 1);
}

struct doc {
	uint32_t set, site, url, time;
};

static VEC(struct doc) docs;
static VEC(uint32_t) sizes;
static FILE *items_file;
static uint64_t n_items, fresh;

static uint64_t fresh_item(void) { return mix64(0x1234567800000000u + fresh++); }

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

typedef VEC(uint64_t) items;

static void put_set(items *v)
{
	size_t m = 0;

	qsort(v->p, v->n, sizeof *v->p, by_value);
	for (size_t i = 0; i < v->n; i++)
		if (i == 0 || v->p[i] != v->p[i - 1])
			v->p[m++] = v->p[i];
	v->n = m;
	fwrite(v->p, sizeof *v->p, v->n, items_file);
	vec_push(&sizes, (uint32_t)v->n);
	n_items += v->n;
}

static void add_template(items *v, uint32_t site, uint32_t day)
{
	uint64_t n = 40 + mix64(site) % 160;

	for (uint64_t i = 0; i < n; i++)
		vec_push(v, below(50) == 0 ? fresh_item() : mix64((uint64_t)site << 32 | 0x80000000u | i));
	for (uint64_t i = 0; i < 20; i++)
		vec_push(v, mix64((uint64_t)site << 32 | 0xc0000000u | ((uint64_t)day << 8 & 0x3fffff00u) | i));
	for (uint64_t i = 0; i < 12; i++)
		vec_push(v, mix64(0xabcdef0000000000u + zipf(1000000)));
}

static void change_own(items *own)
{
	uint64_t runs = own->n * below(31) / 100 / 5;

	for (uint64_t r = 0; r < runs; r++)
		for (uint64_t i = 0, at = below(own->n); i < 5 && at + i < own->n; i++)
			own->p[at + i] = fresh_item();
}

/* The texts of a site's last pages, to quote from. */
struct quotable {
	uint64_t item[64];
	unsigned n;
};

static void make_url(uint32_t site, uint32_t url, uint64_t limit, struct quotable *quote)
{
	uint64_t versions = chance(40) ? 1 : 1 + (uint64_t)(-log(1 - (double)(draw() >> 11) / 9007199254740992.0) * 8);
	items own = { 0 }, all = { 0 };
	uint32_t day = (uint32_t)below(2000);
	bool stub = chance(4);

	if (stub) {
		uint64_t kind = below(20);

		for (uint64_t i = 0; i < 12; i++)
			vec_push(&own, mix64(0x5555000000000000u + kind * 100 + i));
	} else {
		uint64_t n = 60 + below(520);

		for (uint64_t i = 0; i < n; i++)
			vec_push(&own, fresh_item());
		if (chance(5))
			for (unsigned i = 0; i < quote->n; i++)
				vec_push(&own, quote->item[i]);
		for (unsigned i = 0; i < 64 && i < own.n; i++)
			quote->item[i] = own.p[i];
		quote->n = own.n < 64 ? (unsigned)own.n : 64;
	}
	for (uint64_t v = 0; v < versions && docs.n < limit; v++, day += 1 + (uint32_t)below(60)) {
		if (v == 0 || !chance(35)) {
			if (v && !stub)
				change_own(&own);
			all.n = 0;
			for (size_t i = 0; i < own.n; i++)
				vec_push(&all, own.p[i]);
			if (!stub)
				add_template(&all, site, day);
			put_set(&all);
		}
		vec_push(&docs,
			 ((struct doc){ (uint32_t)sizes.n - 1, site, url, day * 86400 + (uint32_t)below(86400) }));
	}
	vec_release(&own);
	vec_release(&all);
}

static int canonical(const void *pa, const void *pb)
{
	const struct doc *a = pa, *b = pb;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	if (a->url != b->url)
		return a->url < b->url ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

int main(int argc, char **argv)
{
	uint64_t limit = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, sites, head[3];
	struct quotable *quotes;
	static char block[1 << 20];
	size_t got;
	FILE *out;

	if (argc < 3 || limit == 0) {
		fprintf(stderr, "usage: bench-generate DOCUMENTS FILE [SEED]\n");
		return 2;
	}
	state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	sites = limit / 400 + 10;
	quotes = mem_zarray(sites, sizeof *quotes);
	items_file = tmpfile();
	out = fopen(argv[2], "wb");
	if (!items_file || !out) {
		perror(argv[2]);
		return 3;
	}
	for (uint32_t url = 0; docs.n < limit; url++) {
		uint64_t site = zipf(sites);

		make_url((uint32_t)site, url, limit, &quotes[site]);
	}
	qsort(docs.p, docs.n, sizeof *docs.p, canonical);
	if (sizes.n % 2) /* items lie at multiples of eight */
		vec_push(&sizes, 0);
	head[0] = docs.n;
	head[1] = sizes.n;
	head[2] = n_items;
	fwrite(head, 8, 3, out);
	fwrite(docs.p, sizeof *docs.p, docs.n, out);
	fwrite(sizes.p, sizeof *sizes.p, sizes.n, out);
	rewind(items_file);
	while ((got = fread(block, 1, sizeof block, items_file)) > 0)
		fwrite(block, 1, got, out);
	if (fclose(out) != 0) {
		perror(argv[2]);
		return 3;
	}
	printf("%zu documents, %zu sets, %llu items in them, %.1f a set\n", docs.n, sizes.n,
	       (unsigned long long)n_items, (double)n_items / (double)sizes.n);
	return 0;
}

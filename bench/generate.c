/* bench/generate.c -- synthetic collections of the shape of a web archive, as
 * sets: chains of versions, templates, quotes, stubs.
 *
 *	bench-generate DOCUMENTS FILE [SEED]
 *	bench-generate DOCUMENTS --collection DIR [SEED] [HELD-BACK] [more]
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
 *
 * DIR: a collection with a catalogue and stored sets, but no archive files and
 * no texts: what reduce, update, preview and explain read is there.  HELD-BACK
 * is how many of each thousand documents are left out; with `more` a second
 * call with the same numbers adds them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/os.h"
#include "base/vec.h"
#include "flow/collection.h"

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
static FILE *items_file; /* NULL: into a collection */
static uint64_t n_items, fresh;

static uint64_t fresh_item(void) { return mix64(0x1234567800000000u + fresh++); }

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

typedef VEC(uint64_t) items;

/* ---- into a collection ---- */

#define BATCH 50000u

static struct collection coll;
static struct buf packed = BUF(64 * MIB); /* the last set made */
static struct segment_writer *segment;
static uint64_t held_back, next_content = 1, later_content, next_capture = 1, seed;
static bool more; /* only what was held back */
static struct arena strings;
static VEC(struct capture) captures;
static VEC(struct content) contents;
static uint32_t segments_made;

static void must(int rc, const struct err *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "%s\n", err->text);
	exit(3);
}

static void flush_batch(void)
{
	struct catalog_batch b = {
		.captures = captures.p, .n_captures = captures.n, .contents = contents.p, .n_contents = contents.n
	};
	struct err err = { 0 };

	if (segment)
		must(segment_writer_commit(segment, &err), &err);
	segment = NULL;
	if (captures.n)
		must(catalog_add(coll.catalog, &b, &err), &err);
	captures.n = contents.n = 0;
	arena_reset(&strings);
}

/* Writes the set in `packed` as a new content. */
static void put_content(uint64_t id, uint32_t size)
{
	struct err err = { 0 };
	struct content t = { .id = id,
			     .lang = STR("en"),
			     .confidence = 1,
			     .words = size,
			     .shingles = size,
			     .shingles_main = size,
			     .bytes = 8 * (uint64_t)size };

	if (!segment) {
		struct arena a = { 0 };
		struct str name = arena_printf(&a, "sketch/%010u-%llu.seg", ++segments_made + (more ? 900000u : 0),
					       (unsigned long long)id);

		must(
		    segment_writer_open(&segment, collection_path(&coll, &a, name.p), collection_spec(&coll), id, &err),
		    &err);
		arena_release(&a);
	}
	must(segment_writer_put(segment, id, &packed, &err), &err);
	for (int i = 0; i < 4; i++)
		memcpy(t.key + 8 * i, &(uint64_t){ mix64(seed + id * 4 + (uint64_t)i) }, 8);
	vec_push(&contents, t);
}

static bool is_held(uint64_t doc) { return mix64(doc + 77 * seed) % 1000 < held_back; }

static void put_capture(const struct doc *d, uint64_t content)
{
	static char digest[20];
	struct capture c = { .id = next_capture++,
			     .kind = CAPTURE_RESPONSE,
			     .status = 200,
			     .mime = STR("text/html"),
			     .declared = STR("text/html"),
			     .charset = STR("utf-8"),
			     .content = content,
			     .published = CAPTURE_NO_TIME };
	unsigned url = d->url, site = d->site;

	memcpy(digest, &content, 8);
	c.at = c.id * 4096;
	c.length = 4096;
	c.time = 946684800 + (int64_t)d->time;
	c.host = arena_printf(&strings, "www.site%u.example", site);
	c.domain = arena_printf(&strings, "site%u.example", site);
	c.urlkey = arena_printf(&strings, "example,site%u)/page/%u.html", site, url);
	c.url = arena_printf(&strings, "http://www.site%u.example/page/%u.html", site, url);
	c.bytes = 8 * (uint64_t)sizes.p[d->set] + 2000;
	c.digest = arena_str(&strings, str_n(digest, 20));
	vec_push(&captures, c);
	if (captures.n == BATCH)
		flush_batch();
}

/* The documents of the last set, which come in a row: those that are in from the beginning, or those held back. */
static void put_documents(void)
{
	static size_t done;
	uint64_t content;
	bool early = false, late = false;

	for (size_t i = done; i < docs.n; i++) {
		early |= !is_held(i);
		late |= is_held(i);
	}
	if (early)
		content = next_content++;
	else
		content = more ? later_content++ : 0;
	if (more ? !early && late : early)
		put_content(content, sizes.p[docs.p[done].set]);
	for (; done < docs.n; done++)
		if (is_held(done) == more)
			put_capture(&docs.p[done], content);
}

static void put_set(items *v)
{
	size_t m = 0;

	if (!items_file)
		put_documents();
	qsort(v->p, v->n, sizeof *v->p, by_value);
	for (size_t i = 0; i < v->n; i++)
		if (i == 0 || v->p[i] != v->p[i - 1])
			v->p[m++] = v->p[i];
	v->n = m;
	if (items_file)
		fwrite(v->p, sizeof *v->p, v->n, items_file);
	else
		segment_pack(&packed, (struct set){ v->p, v->n }, (struct set){ v->p, v->n });
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

static void open_collection(const char *dir)
{
	struct catalog_settings settings = { .k = 5, .profile = "ia-surt", .extractor = 1 };
	struct catalog_next next;
	struct arena a = { 0 };
	struct err err = { 0 };

	must(collection_open(&coll, dir, more ? CATALOG_WRITE : CATALOG_CREATE, &settings, &err), &err);
	must(os_mkdir(collection_path(&coll, &a, "sketch"), &err), &err);
	must(catalog_next(coll.catalog, &next, &err), &err);
	later_content = next.content;
	next_capture = next.capture;
	arena_release(&a);
}

static int write_file(const char *path)
{
	static char block[1 << 20];
	FILE *out = fopen(path, "wb");
	uint64_t head[3];
	size_t got;

	if (!out) {
		perror(path);
		return 3;
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
		perror(path);
		return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t limit = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, sites;
	bool collection = argc > 3 && strcmp(argv[2], "--collection") == 0;
	struct quotable *quotes;
	int rc = 0;

	if (argc < 3 || limit == 0) {
		fprintf(
		    stderr,
		    "usage: bench-generate DOCUMENTS FILE [SEED]\n       bench-generate DOCUMENTS --collection DIR [SEED [HELD-BACK [more]]]\n");
		return 2;
	}
	argv += collection;
	argc -= collection;
	seed = state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	held_back = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	more = argc > 5 && strcmp(argv[5], "more") == 0;
	sites = limit / 400 + 10;
	quotes = mem_zarray(sites, sizeof *quotes);
	if (collection)
		open_collection(argv[2]);
	else if (!(items_file = tmpfile())) {
		perror("a temporary file");
		return 3;
	}
	for (uint32_t url = 0; docs.n < limit; url++) {
		uint64_t site = zipf(sites);

		make_url((uint32_t)site, url, limit, &quotes[site]);
	}
	if (collection) {
		put_documents();
		flush_batch();
		collection_close(&coll);
	} else {
		rc = write_file(argv[2]);
	}
	printf("%zu documents, %zu sets, %llu items in them, %.1f a set\n", docs.n, sizes.n,
	       (unsigned long long)n_items, (double)n_items / (double)sizes.n);
	mem_free(quotes);
	return rc;
}

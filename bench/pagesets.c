/* bench/pagesets.c -- sets of five-word shingles from a corpus of pages, in the
 * file format of bench-generate, for timing the join beside others.
 *
 *	bench-pagesets CORPUS CAPTURES.TSV FILE [PAGES]
 *
 * CAPTURES.TSV: path, url, timestamp, blob, ...; one document per distinct blob
 * (its first capture), in order of (url, timestamp); with PAGES, whole chains
 * until there are so many.  Tags are cut out, not parsed: this measures joins.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/os.h"
#include "base/vec.h"

struct page {
	char *path, *url, *stamp, *blob;
};
struct doc {
	uint32_t set, site, url, time;
};

static int canonical(const void *pa, const void *pb)
{
	const struct page *a = pa, *b = pb;
	int c = strcmp(a->url, b->url);

	return c ? c : strcmp(a->stamp, b->stamp);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

typedef VEC(uint64_t) items;

static void word_end(items *words, uint64_t *h)
{
	if (*h)
		vec_push(words, *h);
	*h = 0;
}

static void shingle_page(const unsigned char *p, size_t n, items *words, items *out)
{
	uint64_t h = 0;
	bool tag = false;
	size_t m = 0;

	words->n = out->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '<' || tag) {
			word_end(words, &h);
			tag = p[i] != '>';
		} else if (isalnum(p[i]) || p[i] >= 128) {
			h = mix64(h * 31 + (unsigned char)tolower(p[i]) + 1);
		} else {
			word_end(words, &h);
		}
	}
	word_end(words, &h);
	for (size_t i = 0; i + 5 <= words->n; i++) {
		uint64_t s = 0;

		for (int k = 0; k < 5; k++)
			s = mix64(s ^ words->p[i + k]) + 0x9e3779b97f4a7c15u;
		vec_push(out, mix64(s));
	}
	qsort(out->p, out->n, sizeof *out->p, by_value);
	for (size_t i = 0; i < out->n; i++)
		if (i == 0 || out->p[i] != out->p[i - 1])
			out->p[m++] = out->p[i];
	out->n = m;
}

int main(int argc, char **argv)
{
	static char line[1 << 16], path[4096];
	VEC(struct page) pages = { 0 };
	VEC(struct doc) docs = { 0 };
	VEC(uint32_t) sizes = { 0 };
	items words = { 0 }, set = { 0 }, all = { 0 };
	struct map seen = { 0 };
	size_t most = argc > 4 ? strtoul(argv[4], NULL, 10) : SIZE_MAX;
	uint32_t url = 0;
	uint64_t head[3];
	struct err err = { 0 };
	FILE *in, *out;

	if (argc < 4 || !(in = fopen(argv[2], "r")) || !(out = fopen(argv[3], "wb"))) {
		fprintf(stderr, "usage: bench-pagesets CORPUS CAPTURES.TSV FILE [PAGES]\n");
		return 2;
	}
	while (fgets(line, sizeof line, in)) {
		struct page p = { strtok(line, "\t"), strtok(NULL, "\t"), strtok(NULL, "\t"), strtok(NULL, "\t") };

		if (p.blob && strcmp(p.path, "path") != 0)
			vec_push(&pages, ((struct page){ mem_strdup(p.path), mem_strdup(p.url), mem_strdup(p.stamp),
							 mem_strdup(p.blob) }));
	}
	qsort(pages.p, pages.n, sizeof *pages.p, canonical);
	for (size_t i = 0; i < pages.n; i++) {
		uint64_t blob = hash64(pages.p[i].blob, strlen(pages.p[i].blob));
		struct os_map m = { 0 };

		if (i && strcmp(pages.p[i].url, pages.p[i - 1].url) != 0) {
			url++;
			if (docs.n >= most)
				break;
		}
		if (map_get(&seen, blob))
			continue;
		map_put(&seen, blob, 1);
		snprintf(path, sizeof path, "%s/%s", argv[1], pages.p[i].path);
		if (os_map(&m, path, &err) < 0)
			continue;
		shingle_page(m.p, m.n, &words, &set);
		os_unmap(&m);
		for (size_t k = 0; k < set.n; k++)
			vec_push(&all, set.p[k]);
		vec_push(&sizes, (uint32_t)set.n);
		line[0] = 0;
		snprintf(line, 9, "%s", pages.p[i].stamp);
		vec_push(&docs, ((struct doc){ (uint32_t)sizes.n - 1, 0, url, (uint32_t)strtoul(line, NULL, 10) }));
	}
	if (sizes.n % 2) /* items lie at multiples of eight */
		vec_push(&sizes, 0);
	head[0] = docs.n;
	head[1] = sizes.n;
	head[2] = all.n;
	fwrite(head, 8, 3, out);
	fwrite(docs.p, sizeof *docs.p, docs.n, out);
	fwrite(sizes.p, sizeof *sizes.p, sizes.n, out);
	fwrite(all.p, sizeof *all.p, all.n, out);
	if (fclose(out) != 0)
		return 3;
	printf("%zu documents, %zu items, %.1f a set\n", docs.n, all.n, (double)all.n / (double)(docs.n ? docs.n : 1));
	return 0;
}

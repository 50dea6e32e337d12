/* tests/unit/flow/coverers.c -- what the checker looks up, beside all pairs straight from the definition. */
#include "flow/coverers.h"

#include <stdio.h>
#include <string.h>

#include "base/progress.h"
#include "flow/jsonl.h"
#include "rule/eval.h"
#include "test.h"
#include "text/document.h"

/* By the way their coverers are met: a shared shingle, a key, all documents, several of these at once. */
static const char *const rules[] = {
	"containment(a,b) >= 0.5 and a.time <= b.time",
	"jaccard(a,b) > 0.6",
	"dice(b,a) >= 0.4 and a.host != b.host",
	"containment(a.main, b.main) >= 0.7 and containment(a.body, b.body) >= 0.3",
	"shared(a,b) >= 3 and abs(a.time - b.time) <= 2d",
	"a.urlkey = b.urlkey and a.time <= b.time",
	"a.title = b.title and a.host != b.host",
	"a.host = b.host and jaccard(a,b) < 0.4",
	"a.time < b.time",
	"not a.title = b.title and a.words <= b.words",
	"jaccard(a,b) >= 0.8 or a.urlkey = b.urlkey and a.time < b.time",
	"a.host = b.host and a.year = b.year or a.title = b.title and a.words < b.words",
	"containment(a,b) >= 0.9 or a.time > b.time and a.words = b.words",
};

static void write_documents(struct test *t, const char *path)
{
	FILE *f = fopen(path, "w");
	uint32_t n = 1 + (uint32_t)test_below(t, 40), words[64], len = 0;

	REQUIRE(f);
	for (uint32_t i = 0; i < n; i++) {
		if (test_below(t, 5) < 2 ||
		    !len) { /* a new text, sometimes empty; else the last one, changed a little */
			len = (uint32_t)test_below(t, 4) ? (uint32_t)test_below(t, 40) : 0;
			for (uint32_t k = 0; k < len; k++)
				words[k] = (uint32_t)test_below(t, 30);
		} else if (test_below(t, 3)) {
			words[test_below(t, len)] = (uint32_t)test_below(t, 30);
		}
		fprintf(f, "{\"n\": %u, \"url\": \"http://h%u.example/%u\", \"when\": \"2010-01-%02uT00:00:00Z\", ", i,
			(uint32_t)test_below(t, 3), (uint32_t)test_below(t, 4), 1 + (uint32_t)test_below(t, 9));
		if (test_below(t, 2))
			fprintf(f, "\"title\": \"t%u\", ", (uint32_t)test_below(t, 2));
		fprintf(f, "\"body\": \"");
		for (uint32_t k = 0; k < len; k++)
			fprintf(f, "w%u ", words[k]);
		fprintf(f, ".\"}\n");
	}
	CHECK(fclose(f) == 0);
}

/* How many items two sets, or bags, share: every item of one is sought in what is left of the other. */
static uint32_t shared_items(struct test *t, struct set x, struct set y)
{
	uint8_t *used = arena_zalloc(t->arena, y.n + 1);
	uint32_t shared = 0;

	for (size_t i = 0; i < x.n; i++)
		for (size_t k = 0; k < y.n; k++)
			if (x.p[i] == y.p[k] && !used[k]) {
				used[k] = 1;
				shared++;
				break;
			}
	return shared;
}

static bool covers(struct test *t, struct run *run, uint32_t a, uint32_t b)
{
	struct overlap ov[TEXT_KINDS] = { { 0 } };
	struct err err = { 0 };

	for (int k = 0; k < TEXT_KINDS; k++) {
		struct set x = { 0 }, y = { 0 };

		if (run->docs.content[a])
			CHECK(collection_set(run->coll, t->arena, run->docs.content[a], (enum sketch_text)k, &x,
					     &err) == WN_OK);
		if (run->docs.content[b])
			CHECK(collection_set(run->coll, t->arena, run->docs.content[b], (enum sketch_text)k, &y,
					     &err) == WN_OK);
		ov[k] = (struct overlap){ .o = shared_items(t, x, y), .a = (uint32_t)x.n, .b = (uint32_t)y.n };
	}
	return rule_holds_plainly(run->rule, &run->docs.columns, NULL, a, b, ov);
}

static size_t compare(struct test *t, struct collection *coll, const char *rule)
{
	struct run_request q = { .rule = str_n(rule, strlen(rule)), .threads = 1 };
	struct coverers found = { 0 };
	struct err err = { 0 };
	struct run run = { 0 };
	uint8_t *wanted;
	size_t at = 0;

	if (!CHECK(run_open(&run, coll, &q, &err) == WN_OK, "%s: %s", rule, err.text))
		return 0;
	wanted = arena_zalloc(t->arena, run.docs.n + 1);
	for (size_t d = 0; d < run.docs.n; d++)
		wanted[d] = test_below(t, 3) != 0;
	CHECK(coverers_find(&found, &run, wanted, 1 + (unsigned)test_below(t, 3), test_below(t, 2) ? 0 : 4000, &err) ==
		  WN_OK,
	      "%s: %s", rule, err.text); /* 4000 bytes: many passes */
	for (uint32_t a = 0; a < run.docs.n; a++)
		for (uint32_t b = 0; wanted[a] && b < run.docs.n; b++)
			if (a != b && covers(t, &run, a, b)) {
				CHECK(at < found.n && found.pairs[at].a == a && found.pairs[at].b == b,
				      "%s: %u is covered by %u", rule, a, b);
				at++;
			}
	CHECK_EQ(found.n, at, "%s", rule);
	coverers_release(&found);
	run_close(&run);
	return at;
}

TEST(coverers, are_those_of_all_pairs)
{
	size_t pairs[COUNT(rules)] = { 0 };

	progress_setup(PROGRESS_NEVER);
	for (int i = 0; i < 12 && !t->failures; i++) {
		const char *dir = arena_printf(t->arena, "%s/c%d", test_dir(t), i).p,
			   *path = arena_printf(t->arena, "%s/d%d.jsonl", test_dir(t), i).p;
		struct catalog_settings fresh = {
			.k = 2, .profile = "ia-surt", .extractor = DOCUMENT_VERSION, .bag = test_below(t, 3) == 0
		};
		struct ingest_options o = { .threads = 1, .memory = 256u << 20 };
		struct ingest_report r = { 0 };
		struct jsonl_map map;
		struct collection coll;
		struct err err = { 0 };

		write_documents(t, path);
		REQUIRE(jsonl_map_parse(STR("id=n,text=body,time=when,url=url,title=title"), &map, &err) == WN_OK);
		REQUIRE(collection_open(&coll, dir, CATALOG_CREATE, &fresh, &err) == WN_OK, "%s", err.text);
		CHECK(jsonl_ingest(&coll, path, &map, &o, &r, &err) == WN_OK, "%s", err.text);
		for (size_t k = 0; k < COUNT(rules); k++)
			pairs[k] += compare(t, &coll, rules[k]);
		collection_close(&coll);
	}
	for (size_t k = 0; k < COUNT(rules); k++)
		CHECK(pairs[k] > 0, "no pair was drawn for %s", rules[k]);
}

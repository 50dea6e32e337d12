/* bench/rule -- how long a pair takes: compiled against plain, and what
 * matching costs.  Prints processor time; no input needed. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "rule/plan.h"
#include "rule/regex.h"

#define DOCS 100000
#define PAIRS 20000000

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fill(struct columns *c)
{
	struct column *host, *title, *time, *words;
	char text[32];

	columns_init(c, DOCS);
	host = columns_add(c, ATTR_HOST, TYPE_TEXT);
	title = columns_add(c, ATTR_TITLE, TYPE_TEXT);
	time = columns_add(c, ATTR_TIME, TYPE_TIME);
	words = columns_add(c, ATTR_WORDS, TYPE_NUMBER);
	for (uint64_t i = 0; i < DOCS; i++) {
		uint64_t r = mix64(i + 1);

		snprintf(text, sizeof text, "host%d.example", (int)(r % 100));
		columns_text(c, host, i, str(text));
		snprintf(text, sizeof text, "Title %d", (int)(r >> 8) % 50000);
		columns_text(c, title, i, str(text));
		columns_number(time, i, (double)(1262304000 + (r >> 32) % 100000000));
		columns_number(words, i, (double)((r >> 20) % 5000));
	}
	columns_finish(c);
}

static void measure(struct arena *arena, const struct columns *c, const char *text)
{
	struct rule_env env = { .kind = RULE_PAIR };
	struct rule *rule;
	struct bound *bound;
	struct plan *plan;
	struct err err = { 0 };
	struct overlap ov[TEXT_KINDS] = { { 70, 100, 120 }, { 70, 100, 120 } };
	double start, bind, plain, compiled;
	unsigned hits = 0, plain_hits = 0;

	if (rule_parse(arena, str(text), &env, &rule, &err) < 0 ||
	    (start = now(), rule_bind(&bound, rule, c, NULL, &err)) < 0 || plan_make(&plan, bound, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	bind = now() - start;
	start = now();
	for (uint64_t i = 0; i < PAIRS; i++) {
		uint64_t r = mix64(i);

		hits += rule_holds(bound, (uint32_t)(r % DOCS), (uint32_t)((r >> 32) % DOCS), ov);
	}
	compiled = now() - start;
	start = now();
	for (uint64_t i = 0; i < PAIRS / 20; i++) {
		uint64_t r = mix64(i);

		plain_hits += rule_holds_plainly(rule, c, NULL, (uint32_t)(r % DOCS), (uint32_t)((r >> 32) % DOCS), ov);
	}
	plain = now() - start;
	printf("%6.1f ns compiled %8.1f ns plain %7.1f ms to bind %d documents, %5.2f %% hold  %s\n",
	       compiled / PAIRS * 1e9, plain / (PAIRS / 20) * 1e9, bind * 1e3, DOCS, 100.0 * hits / PAIRS, text);
	plan_free(plan);
	bound_free(bound);
	(void)plain_hits;
}

/* A pattern searched in 16 MB of random letters that do not hold it. */
static void search(struct arena *arena, const char *pattern)
{
	size_t n = 16 << 20;
	char *text = arena_alloc(arena, n);
	struct regex *re;
	struct regex_run *run;
	struct err err = { 0 };
	double start;
	bool found;

	for (size_t i = 0; i < n; i++)
		text[i] = "abcdefgh xyz"[mix64(i) % 12];
	if (regex_parse(arena, str(pattern), REGEX_ICASE, &re, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
	run = regex_run_new(re);
	start = now();
	found = regex_match(run, str_n(text, n));
	printf("%6.0f MB/s searching 16 MB for %s (%s)\n", 16.0 / (now() - start), pattern,
	       found ? "found" : "not there");
	regex_run_free(run);
}

int main(void)
{
	struct arena arena = { 0 };
	struct columns c;

	fill(&c);
	measure(&arena, &c, "containment(a,b) >= 0.7 and a.time <= b.time and a.host = b.host");
	measure(&arena, &c, "a.host = b.host and abs(a.time - b.time) <= 7d and jaccard(a,b) >= 0.4");
	measure(&arena, &c, "lower(a.title) = lower(b.title) or a.title ~ \"^title 12\" and b.words > 100");
	measure(&arena, &c, "containment(a,b) >= 0.5 and containment(a,b) >= 0.6 + 0.2 * (b.time - a.time) / 10y");
	search(&arena, "news");
	search(&arena, "\\w+\\s\\d");
	columns_release(&c);
	arena_release(&arena);
	return 0;
}

/* Sets added to a kept index: pages with versions that come in a row of updates, held against the definition. */
#include <math.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "join/coverage.h"
#include "join/postings.h"
#include "test.h"

enum { FIRST = 60, STEPS = 9, STEP = 6, DOCS = FIRST + STEPS * STEP, MOST = 90, ROUNDS = 150, PARTS = 8 };

struct site {
	struct join_query q;
	struct join_disjunct d;
	uint32_t set_of[DOCS], size[DOCS], name[DOCS], pages;
	uint64_t start[DOCS], items[DOCS * MOST];
	double when[DOCS];
	uint8_t asks[DOCS], given[DOCS * DOCS];
	uint64_t wrong;
	struct buf index, part[PARTS];
	unsigned n_parts;
	uint64_t added, merged;
};

/* A version of a page: some of the items that its page can have. */
static void draw_version(struct test *t, struct site *s, uint32_t d)
{
	uint64_t *item = s->items + (size_t)d * MOST, page = test_below(t, s->pages);
	uint32_t less = (uint32_t)test_below(t, 30), n = 0;

	for (uint64_t i = 0; i < MOST; i++)
		if (i < 20 || test_below(t, 100) >= less) /* the first 20 are of all pages */
			item[n++] = mix64(i < 20 ? i : (page + 1) * 1000 + i);
	for (uint32_t i = 1; i < n; i++)
		for (uint32_t k = i; k && item[k - 1] > item[k]; k--) {
			uint64_t swap = item[k];

			item[k] = item[k - 1];
			item[k - 1] = swap;
		}
	s->size[d] = n;
	s->start[d] = (uint64_t)d * MOST;
	s->set_of[d] = s->name[d] = d;
	s->when[d] = (double)test_below(t, 50);
}

static void site_open(struct test *t, struct site *s)
{
	static const enum join_measure measures[] = { JOIN_CONTAINED, JOIN_CONTAINS, JOIN_JACCARD };

	memset(s, 0, sizeof *s);
	s->pages = 2 + (uint32_t)test_below(t, 8);
	s->d = (struct join_disjunct){ .n_orders = (unsigned)test_below(t, 2), .n_bounds = 1 };
	s->d.order[0] = (struct join_order){ s->when, s->when, 0, INFINITY, false, false };
	s->d.bound[0] =
	    (struct join_bound){ .measure = measures[test_below(t, 3)], .num = 6 + test_below(t, 4), .den = 10 };
	s->q = (struct join_query){ .disjunct = &s->d, .n_disjuncts = 1 };
	s->q.set_of[0] = s->set_of;
	s->q.sets[0] = (struct join_sets){ .n = DOCS, .size = s->size, .start = s->start, .items = s->items };
	for (uint32_t d = 0; d < DOCS; d++)
		draw_version(t, s, d);
}

static uint64_t shared_by(const struct site *s, uint32_t a, uint32_t b)
{
	const uint64_t *x = s->items + s->start[a], *y = s->items + s->start[b];
	uint64_t shared = 0;

	for (uint32_t i = 0, k = 0; i < s->size[a] && k < s->size[b];) {
		uint64_t left = x[i], right = y[k];

		shared += left == right;
		i += left <= right;
		k += right <= left;
	}
	return shared;
}

/* By the definition. */
static bool covers(const struct site *s, uint32_t a, uint32_t b)
{
	const struct join_bound *m = &s->d.bound[0];
	uint64_t shared = shared_by(s, a, b), of = m->measure == JOIN_CONTAINED	 ? s->size[a]
						   : m->measure == JOIN_CONTAINS ? s->size[b]
										 : s->size[a] + s->size[b] - shared;

	return a != b && (!s->d.n_orders || s->when[a] <= s->when[b]) && shared * m->den >= of * m->num;
}

static int note(void *context, uint32_t a, uint32_t b, uint32_t shared, uint32_t size_a, uint32_t size_b)
{
	struct site *s = context;

	(void)size_a;
	(void)size_b;
	s->given[(size_t)a * DOCS + b] = 1;
	s->wrong += !covers(s, a, b) || shared != shared_by(s, a, b);
	return 0;
}

static bool keep_bytes(void *context, const void *p, size_t n)
{
	buf_add(context, p, n);
	return true;
}

static void make_index(struct test *t, struct site *s)
{
	struct postings_writer w = {
		.put = keep_bytes, .context = &s->index, .name = s->name, .coarse = test_below(t, 3) ? 0 : 27
	};
	struct join_options o = { .threads = 1, .keep = &w };
	struct kernel kernel;
	struct err err = { 0 };

	s->index = BUF(64 * MIB);
	s->q.n = FIRST;
	REQUIRE(coverage_kernel(&kernel, &s->q, &o, NULL, &err) == WN_OK && w.done, "%s", err.text);
	kernel_release(&kernel);
	vec_release(&w.bucket);
}

/* The index and what was added; gone[set]: is no more. */
static void open_index(struct test *t, struct site *s, struct postings *p, const uint8_t *gone)
{
	uint32_t set_of[DOCS];
	struct err err = { 0 };

	for (uint32_t d = 0; d < DOCS; d++)
		set_of[d] = gone[d] ? JOIN_NO_SET : d;
	REQUIRE(postings_open(p, (const unsigned char *)s->index.p, s->index.n, &err) == WN_OK, "%s", err.text);
	postings_bind(p, set_of, DOCS, DOCS);
	for (unsigned k = 0; k < s->n_parts; k++)
		REQUIRE(added_open(&p->added, (const unsigned char *)s->part[k].p, s->part[k].n, p->tail.check,
				   p->tail.rows, &err) == WN_OK,
			"%s", err.text);
	added_bind(&p->added, set_of, DOCS, DOCS, p->tail.rows);
}

static void close_index(struct test *t, struct site *s, struct postings *p)
{
	unsigned stay = added_stay(&p->added);
	struct buf part = BUF(64 * MIB);

	REQUIRE(stay < PARTS, "%u parts stay", stay);
	if (added_write(&p->added, p->tail.check, s->name, keep_bytes, &part)) {
		s->merged += stay < s->n_parts;
		while (s->n_parts > stay)
			buf_release(&s->part[--s->n_parts]);
		s->part[s->n_parts++] = part;
		s->added++;
	}
	postings_close(p);
}

/* Sets that came ask, and some that were there. */
static void update(struct test *t, struct site *s, uint32_t from, int round)
{
	struct postings kept = { 0 };
	struct join_options o = { .threads = 1 + (unsigned)test_below(t, 2), .kept = &kept };
	uint8_t gone[DOCS] = { 0 };
	struct coverage_asking ask = { .asks = s->asks, .done = gone };
	uint64_t missing = 0;
	struct err err = { 0 };

	for (int calls = 0; calls < 2; calls++) {
		if (calls == 0) {
			for (uint32_t d = 0; d < from; d++)
				gone[d] = test_below(t, 8) == 0;
			open_index(t, s, &kept, gone);
		}
		memset(s->given, 0, sizeof s->given);
		for (uint32_t d = 0; d < s->q.n; d++) {
			bool comes = calls == 0 && d >= from;

			s->asks[d] = gone[d] || (!comes && test_below(t, 20)) ? 0 : (uint8_t)(1 + test_below(t, 3));
		}
		REQUIRE(coverage_changed(&s->q, &o, &ask, 0, note, s, NULL, &err) == WN_OK, "%s", err.text);
		for (uint32_t a = 0; a < s->q.n; a++)
			for (uint32_t b = 0; b < s->q.n; b++)
				missing += !gone[a] && !gone[b] && !s->given[(size_t)a * DOCS + b] &&
					   (s->asks[a] & COVERAGE_AS_A || s->asks[b] & COVERAGE_AS_B) &&
					   covers(s, a, b);
	}
	CHECK_EQ(missing, 0, "round %d, %u documents", round, s->q.n);
	CHECK_EQ(s->wrong, 0, "round %d, %u documents", round, s->q.n);
	close_index(t, s, &kept);
}

TEST(join, sets_added_to_an_index_are_found_as_if_they_were_in_it)
{
	struct site *s = mem_zalloc(sizeof *s);
	uint64_t added = 0, merged = 0;

	for (int round = 0; round < ROUNDS; round++) {
		site_open(t, s);
		make_index(t, s);
		for (uint32_t from = FIRST; from < DOCS; from += STEP) {
			s->q.n = from + STEP;
			update(t, s, from, round);
		}
		added += s->added;
		merged += s->merged;
		buf_release(&s->index);
		while (s->n_parts)
			buf_release(&s->part[--s->n_parts]);
	}
	CHECK(added > ROUNDS * STEPS / 2, "%" PRIu64 " parts were added", added);
	CHECK(merged, "none was merged");
	mem_free(s);
}

/* Items from..to, and one of its own. */
static void set_range(struct site *s, uint32_t d, uint64_t from, uint64_t to)
{
	s->size[d] = 0;
	for (uint64_t i = from; i <= to; i++)
		s->items[s->start[d] + s->size[d]++] = i << 56;
	s->items[s->start[d] + s->size[d]++] = UINT64_MAX - d;
}

/* A set of which less is needed than of its base probes by more classes than that.  The base has 1 to 80, of which it
 * shares 1 to 26 with one row and the rest with two: to share 57 of 81 it probes by the former only.  The set that was added has
 * 18 to 80, needs 45 of 64 and has to probe by the latter as well, where it is met by 27 to 74. */
TEST(join, an_added_set_probes_by_more_than_its_base)
{
	struct site *s = mem_zalloc(sizeof *s);

	site_open(t, s);
	s->d.n_orders = 0;
	s->d.bound[0] = (struct join_bound){ .measure = JOIN_CONTAINED, .num = 7, .den = 10 };
	for (uint32_t d = 0; d < FIRST; d++)
		set_range(s, d, 200, 201);
	set_range(s, 0, 1, 80);
	set_range(s, 1, 27, 85);
	set_range(s, FIRST - 1, 1, 80);
	set_range(s, FIRST, 18, 80);
	set_range(s, FIRST + 1, 27, 74);
	make_index(t, s);
	for (uint32_t d = FIRST; d < FIRST + 2; d++) {
		struct postings kept = { 0 };
		struct join_options o = { .threads = 1, .kept = &kept };
		uint8_t none[DOCS] = { 0 };
		struct coverage_asking ask = { .asks = s->asks };
		struct err err = { 0 };

		memset(s->asks, 0, sizeof s->asks);
		s->asks[d] = COVERAGE_AS_B;
		s->q.n = d + 1;
		open_index(t, s, &kept, none);
		REQUIRE(coverage_changed(&s->q, &o, &ask, 0, note, s, NULL, &err) == WN_OK, "%s", err.text);
		close_index(t, s, &kept);
	}
	CHECK_EQ(s->n_parts, 1, "both were added, as one part");
	CHECK(covers(s, FIRST, FIRST + 1) && s->given[(size_t)FIRST * DOCS + FIRST + 1], "the pair was not found");
	buf_release(&s->index);
	while (s->n_parts)
		buf_release(&s->part[--s->n_parts]);
	mem_free(s);
}

/* A set that was looked up for one question and does not ask in the next finds one that comes then, beside the base of
 * that: what the base has, and that one has not, is not shared by it. */
TEST(join, one_that_was_looked_up_before_knows_what_a_base_has_more)
{
	struct site *s = mem_zalloc(sizeof *s);
	uint8_t done[DOCS] = { 0 };
	struct postings kept = { 0 };
	struct join_options o = { .threads = 1, .kept = &kept };
	struct coverage_asking ask = { .asks = s->asks, .done = done };
	struct err err = { 0 };

	site_open(t, s);
	s->d.n_orders = 0;
	s->d.bound[0] = (struct join_bound){ .measure = JOIN_CONTAINED, .num = 9, .den = 10 };
	for (uint32_t d = 0; d < FIRST; d++)
		set_range(s, d, 200, 201);
	set_range(s, FIRST - 1, 1, 80);
	set_range(s, FIRST, 1, 66);
	set_range(s, FIRST + 1, 15, 80);
	make_index(t, s);
	s->q.n = FIRST + 2;
	open_index(t, s, &kept, done);
	for (int question = 0; question < 2; question++) {
		memset(s->asks, 0, sizeof s->asks);
		memset(s->given, 0, sizeof s->given);
		s->asks[FIRST + question] = COVERAGE_AS_A | COVERAGE_AS_B;
		s->asks[0] = question ? COVERAGE_AS_A | COVERAGE_AS_B : 0; /* which the index knows */
		done[FIRST + 1] = question == 0;
		REQUIRE(coverage_changed(&s->q, &o, &ask, 0, note, s, NULL, &err) == WN_OK, "%s", err.text);
	}
	CHECK_EQ(s->wrong, 0, "they share 52 of 67, not the 66 that the one shares with the base");
	close_index(t, s, &kept);
	buf_release(&s->index);
	while (s->n_parts)
		buf_release(&s->part[--s->n_parts]);
	mem_free(s);
}

/* Whatever it says, with checksums that hold: what is given out is inside of it. */
static void follow(struct test *t, struct postings *p)
{
	postings_hits hits = { 0 };
	struct postings_query q = { test_random(t), 0 };

	for (uint32_t r = 0; r < p->tail.rows; r++) {
		const uint32_t *class = postings_row_classes(p, r);

		for (uint32_t i = 0; class && i < p->rows[r].n; i++)
			CHECK(class[i] < p -> tail.classes, "a row's class");
	}
	for (uint32_t k = 0; k < p->tail.classes; k++) {
		const uint32_t *row = postings_list(p, k);
		const struct postings_name *name;

		for (uint32_t i = 0; row && i < p->classes[k].n; i++)
			CHECK(row[i] < p->tail.rows, "a class's row");
		CHECK(!row || p->classes[k].prefix <= p->classes[k].n, "those in front");
		for (uint32_t n = postings_classes(p, p->names[k].ref & ~POSTINGS_OWN, &name); n; n--)
			CHECK(name[n - 1].class < p->tail.classes, "a name");
	}
	postings_find(p, &q, 1, &hits);
	vec_release(&hits);
}

TEST(join, an_index_that_points_beyond_itself_is_not_followed)
{
	static struct site s;

	for (int round = 0; round < 40 && t->failures < 3; round++) {
		site_open(t, &s);
		make_index(t, &s);
		for (int turn = 0; turn < 20; turn++) {
			struct buf bytes = BUF(64 * MIB);
			struct postings p;
			struct postings_tail tail;
			struct err err = { 0 };
			uint32_t wrong = test_below(t, 2) ? (uint32_t)test_random(t) : (uint32_t)test_below(t, 2000);
			size_t at;

			buf_add(&bytes, s.index.p, s.index.n);
			memcpy(&tail, bytes.p + bytes.n - sizeof tail, sizeof tail);
			at = tail.tables + test_below(t, postings_tables_bytes(&tail) / 4) * 4;
			memcpy(bytes.p + at, &wrong, sizeof wrong);
			tail.check_tables = postings_check_tables(&tail, (unsigned char *)bytes.p + tail.tables);
			tail.check = hash64(&tail, sizeof tail - sizeof tail.check);
			memcpy(bytes.p + bytes.n - sizeof tail, &tail, sizeof tail);
			if (postings_open(&p, (const unsigned char *)bytes.p, bytes.n, &err) == WN_OK)
				follow(t, &p);
			postings_close(&p);
			buf_release(&bytes);
		}
		buf_release(&s.index);
	}
}

TEST(join, what_was_added_to_an_index_is_refused_when_a_bit_is_wrong)
{
	struct site *s = mem_zalloc(sizeof *s);
	struct postings kept = { 0 };
	struct added other = { 0 };
	uint8_t none[DOCS] = { 0 };
	struct err err = { 0 };
	uint64_t check;

	site_open(t, s);
	make_index(t, s);
	s->q.n = FIRST + STEP;
	update(t, s, FIRST, 0);
	REQUIRE(s->n_parts == 1, "%u parts", s->n_parts);
	open_index(t, s, &kept, none);
	check = kept.tail.check;
	CHECK_EQ(added_open(&other, (const unsigned char *)s->part[0].p, s->part[0].n, check + 1, kept.tail.rows, &err),
		 WN_DATA, "of another index");
	for (size_t i = 0; i < s->part[0].n; i++) {
		char bit = (char)(1 << test_below(t, 8));

		s->part[0].p[i] ^= bit;
		CHECK_EQ(
		    added_open(&other, (const unsigned char *)s->part[0].p, s->part[0].n, check, kept.tail.rows, &err),
		    WN_DATA, "byte %zu", i);
		s->part[0].p[i] ^= bit;
	}
	for (size_t n = 0; n < s->part[0].n; n++)
		CHECK_EQ(added_open(&other, (const unsigned char *)s->part[0].p, n, check, kept.tail.rows, &err),
			 WN_DATA, "%zu bytes", n);
	added_release(&other);
	postings_close(&kept);
	buf_release(&s->index);
	buf_release(&s->part[0]);
	mem_free(s);
}

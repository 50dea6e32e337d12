/* archive/revisit.c -- resolving revisits over arrays.
 *
 * Four sorted lists of capture numbers are made: by record id; by urlkey and
 * time (originals and revisits alike, since a chain may pass there); by urlkey,
 * digest and time, and by digest and time (originals alone).  Each revisit takes the first step that
 * gives a candidate which is not itself unresolved; candidates that are
 * revisits are followed with an explicit stack and three colours, so depth
 * costs no C stack and a cycle is seen when it closes.
 *
 * Invariant: original[i] is REVISIT_NONE or a capture that is no revisit.
 */
#include "archive/revisit.h"

#include <stdlib.h>

#include "base/mem.h"

enum colour { WHITE, GREY, BLACK };

struct lists {
	const struct revisit_capture *c;
	uint32_t *by_id, *by_key;	     /* all captures */
	uint32_t *by_key_digest, *by_digest; /* originals with a digest */
	size_t ids, keys, digests;
	unsigned char *colour;
	unsigned char *step; /* which step a grey revisit is waiting in */
};

const char *revisit_how_name(enum revisit_how how)
{
	static const char *const names[REVISIT_HOWS] = { "unresolved", "by-id", "by-uri-date", "by-url-digest",
							 "by-digest" };

	return names[how];
}

bool revisit_digest_is_empty(struct str d)
{
	static const char *const empty[] = {
		"3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		"da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====",
		"d41d8cd98f00b204e9800998ecf8427e",
		"2QOYZWMPACZAJ2MABGMOZ6CCPY======",
	};
	ptrdiff_t colon = str_chr(d, ':');
	struct str value = str_sub(d, (size_t)(colon + 1), d.n);

	while (value.n && value.p[value.n - 1] == '=')
		value.n--;
	for (size_t i = 0; i < COUNT(empty); i++) {
		struct str e = str(empty[i]);

		while (e.p[e.n - 1] == '=')
			e.n--;
		if (str_ieq(value, e))
			return true;
	}
	return false;
}

/* ---- sorting numbers of captures ---- */

static int by_index(uint32_t a, uint32_t b) { return (a > b) - (a < b); }
static int by_time(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_id(const void *x, const void *y, void *arg)
{
	const struct revisit_capture *c = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = str_cmp(c[a].id, c[b].id);

	return order ? order : by_index(a, b);
}

static int compare_key(const void *x, const void *y, void *arg)
{
	const struct revisit_capture *c = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = str_cmp(c[a].urlkey, c[b].urlkey);

	if (!order)
		order = by_time(c[a].time, c[b].time);
	return order ? order : by_index(a, b);
}

/* By urlkey, digest, time; the urlkey counts only in the list that has it. */
static int compare_full(const struct revisit_capture *a, const struct revisit_capture *b, bool keyed)
{
	int order = keyed ? str_cmp(a->urlkey, b->urlkey) : 0;

	if (!order)
		order = str_cmp(a->digest, b->digest);
	return order ? order : by_time(a->time, b->time);
}

static int compare_key_digest(const void *x, const void *y, void *arg)
{
	const struct revisit_capture *c = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = compare_full(&c[a], &c[b], true);

	return order ? order : by_index(a, b);
}

static int compare_digest(const void *x, const void *y, void *arg)
{
	const struct revisit_capture *c = arg;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int order = compare_full(&c[a], &c[b], false);

	return order ? order : by_index(a, b);
}

static void make_lists(struct lists *l, size_t n)
{
	l->by_id = mem_array(n + 1, sizeof(uint32_t));
	l->by_key = mem_array(n + 1, sizeof(uint32_t));
	l->by_key_digest = mem_array(n + 1, sizeof(uint32_t));
	l->by_digest = mem_array(n + 1, sizeof(uint32_t));
	for (size_t i = 0; i < n; i++) {
		if (l->c[i].id.n)
			l->by_id[l->ids++] = (uint32_t)i;
		l->by_key[l->keys++] = (uint32_t)i;
		if (l->c[i].digest.n && !l->c[i].is_revisit) {
			l->by_key_digest[l->digests] = (uint32_t)i;
			l->by_digest[l->digests++] = (uint32_t)i;
		}
	}
	qsort_r(l->by_id, l->ids, sizeof(uint32_t), compare_id, (void *)(uintptr_t)l->c);
	qsort_r(l->by_key, l->keys, sizeof(uint32_t), compare_key, (void *)(uintptr_t)l->c);
	qsort_r(l->by_key_digest, l->digests, sizeof(uint32_t), compare_key_digest, (void *)(uintptr_t)l->c);
	qsort_r(l->by_digest, l->digests, sizeof(uint32_t), compare_digest, (void *)(uintptr_t)l->c);
}

/* The first place in the list that is not below `want`. */
static size_t place(const struct lists *l, const uint32_t *list, const struct revisit_capture *want, bool keyed)
{
	size_t low = 0, high = l->digests;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare_full(&l->c[list[mid]], want, keyed) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint64_t distance(int64_t a, int64_t b) { return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a; }

static bool same(const struct revisit_capture *a, const struct revisit_capture *b, bool keyed)
{
	return (!keyed || str_eq(a->urlkey, b->urlkey)) && str_eq(a->digest, b->digest);
}

/* Of the originals with that digest (and urlkey, when it has one) the one
 * nearest in time; ties to the earlier, then the smaller index. */
static uint32_t nearest(const struct lists *l, struct str key, struct str digest, int64_t time)
{
	bool keyed = key.n > 0;
	const uint32_t *list = keyed ? l->by_key_digest : l->by_digest;
	struct revisit_capture want = { .urlkey = key, .digest = digest, .time = time };
	size_t after = place(l, list, &want, keyed);
	uint32_t found = REVISIT_NONE;

	if (after < l->digests && same(&l->c[list[after]], &want, keyed))
		found = list[after];
	if (after > 0 && same(&l->c[list[after - 1]], &want, keyed)) {
		int64_t before = l->c[list[after - 1]].time;

		if (found == REVISIT_NONE || distance(before, time) <= distance(l->c[found].time, time)) {
			want.time = before;
			found = list[place(l, list, &want, keyed)];
		}
	}
	return found;
}

/* The first place in list whose field is not below `want`. */
static size_t lower_bound(const struct lists *l, const uint32_t *list, size_t n, size_t field, struct str want)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		const struct str *s = (const struct str *)(const void *)((const char *)&l->c[list[mid]] + field);

		if (str_cmp(*s, want) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint32_t find_id(const struct lists *l, struct str id, uint32_t self)
{
	size_t i = lower_bound(l, l->by_id, l->ids, offsetof(struct revisit_capture, id), id);

	while (i < l->ids && str_eq(l->c[l->by_id[i]].id, id) && l->by_id[i] == self)
		i++;
	return i < l->ids && str_eq(l->c[l->by_id[i]].id, id) ? l->by_id[i] : REVISIT_NONE;
}

/* The capture of that key at exactly that time; an original before a revisit. */
static uint32_t find_at(const struct lists *l, struct str key, int64_t time, uint32_t self)
{
	uint32_t found = REVISIT_NONE;
	size_t low = lower_bound(l, l->by_key, l->keys, offsetof(struct revisit_capture, urlkey), key), high = l->keys;

	while (low < high) { /* within the key: first time not below */
		size_t mid = (low + high) / 2;
		const struct revisit_capture *c = &l->c[l->by_key[mid]];

		if (str_eq(c->urlkey, key) && c->time < time)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i < l->keys; i++) {
		const struct revisit_capture *c = &l->c[l->by_key[i]];

		if (!str_eq(c->urlkey, key) || c->time != time)
			break;
		if (l->by_key[i] == self)
			continue;
		if (!c->is_revisit)
			return l->by_key[i];
		if (found == REVISIT_NONE)
			found = l->by_key[i];
	}
	return found;
}

static uint32_t candidate(const struct lists *l, uint32_t i, enum revisit_how step)
{
	const struct revisit_capture *r = &l->c[i];
	uint32_t found;

	switch (step) {
	case REVISIT_BY_ID: return r->refers_to.n ? find_id(l, r->refers_to, i) : REVISIT_NONE;
	case REVISIT_BY_URI_DATE:
		if (!r->refers_to_key.n || r->refers_to_time == INT64_MIN)
			return REVISIT_NONE;
		found = find_at(l, r->refers_to_key, r->refers_to_time, i);
		if (found != REVISIT_NONE || !r->digest.n)
			return found;
		return nearest(l, r->refers_to_key, r->digest, r->refers_to_time);
	case REVISIT_BY_URL_DIGEST:
		if (!r->digest.n || !r->urlkey.n)
			return REVISIT_NONE;
		return nearest(l, r->urlkey, r->digest, r->time);
	default:
		if (!r->digest.n || revisit_digest_is_empty(r->digest))
			return REVISIT_NONE;
		return nearest(l, STR_NONE, r->digest, r->time);
	}
}

/* Resolves i and all it depends on. */
static void resolve(struct revisit_table *t, struct lists *l, uint32_t start, uint32_t *stack)
{
	size_t depth = 0;

	stack[depth++] = start;
	l->colour[start] = GREY;
	l->step[start] = REVISIT_BY_ID;
	while (depth) {
		uint32_t i = stack[depth - 1], found;

		if (l->step[i] == REVISIT_HOWS) { /* nothing left to try */
			l->colour[i] = BLACK;
			t->counts[REVISIT_UNRESOLVED]++;
			depth--;
			continue;
		}
		found = candidate(l, i, (enum revisit_how)l->step[i]);
		if (found != REVISIT_NONE && l->colour[found] == WHITE) {
			stack[depth++] = found;
			l->colour[found] = GREY;
			l->step[found] = REVISIT_BY_ID;
			continue; /* and ask again when it is black */
		}
		if (found == REVISIT_NONE || l->colour[found] == GREY || t->original[found] == REVISIT_NONE) {
			l->step[i]++;
			continue;
		}
		t->original[i] = t->original[found];
		if (t->how)
			t->how[i] = l->step[i];
		t->counts[l->step[i]]++;
		l->colour[i] = BLACK;
		depth--;
	}
}

void revisit_resolve(struct revisit_table *t)
{
	struct lists l = { .c = t->captures };
	uint32_t *stack = mem_array(t->n + 1, sizeof *stack);

	l.colour = mem_zalloc(t->n + 1);
	l.step = mem_zalloc(t->n + 1);
	memset(t->counts, 0, sizeof t->counts);
	if (t->how && t->n)
		memset(t->how, REVISIT_UNRESOLVED, t->n);
	make_lists(&l, t->n);
	for (size_t i = 0; i < t->n; i++) {
		t->original[i] = t->captures[i].is_revisit ? REVISIT_NONE : (uint32_t)i;
		l.colour[i] = t->captures[i].is_revisit ? WHITE : BLACK;
	}
	for (size_t i = 0; i < t->n; i++)
		if (l.colour[i] == WHITE)
			resolve(t, &l, (uint32_t)i, stack);
	mem_free(stack);
	mem_free(l.colour);
	mem_free(l.step);
	mem_free(l.by_id);
	mem_free(l.by_key);
	mem_free(l.by_key_digest);
	mem_free(l.by_digest);
}

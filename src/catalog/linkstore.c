/* catalog/linkstore.c -- see linkstore.h. */
#include "catalog/linkstore.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/vec.h"
#include "catalog/linkpack.h"
#include "sketch/segfile.h"

static const char magic[8] = "WNLINKS";
enum { VERSION = 1 };

struct part {
	uint64_t number, first;
	const char *path;
	struct segfile_head head;
	struct os_map map; /* empty until it is needed */
};

struct linkstore {
	const char *dir;
	VEC(struct part) parts; /* by first, then by number */
	struct arena arena;
};

int linkstore_write(const char *path, const struct catalog_page *pages, size_t n, struct err *err)
{
	struct segfile_head head = { .version = VERSION, .first = pages[0].id, .n = n };
	uint64_t *index = mem_array(2 * n + 1, sizeof *index); /* n + 1 offsets, n checksums */
	struct segfile_writer w;
	int rc = segfile_create(&w, path, err);

	memcpy(head.magic, magic, sizeof magic);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		if (pages[i].id != head.first + i)
			BUG("page %" PRIu64 " is not behind its predecessor", pages[i].id);
		index[i] = w.at;
		index[n + 1 + i] = hash64(pages[i].links.p, pages[i].links.n);
		rc = segfile_write(&w, pages[i].links.p, pages[i].links.n, err);
	}
	if (rc == WN_OK) {
		index[n] = w.at;
		rc = segfile_commit(&w, &head, index, (2 * n + 1) * sizeof *index, err);
	} else {
		segfile_abort(&w);
	}
	mem_free(index);
	return rc;
}

struct linkstore *linkstore_new(const char *dir)
{
	struct linkstore *s = mem_zalloc(sizeof *s);

	s->dir = arena_strz(&s->arena, str(dir));
	return s;
}

void linkstore_free(struct linkstore *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->parts.n; i++)
		os_unmap(&s->parts.p[i].map);
	vec_release(&s->parts);
	arena_release(&s->arena);
	mem_free(s);
}

static int by_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool is_known(const struct linkstore *s, uint64_t number)
{
	for (size_t i = 0; i < s->parts.n; i++)
		if (s->parts.p[i].number == number)
			return true;
	return false;
}

/* Adds the segments that are not known; *news says whether there were any. */
static int look(struct linkstore *s, bool *news, struct err *err)
{
	struct arena a = { 0 };
	struct str *names;
	size_t n, before = s->parts.n;
	int rc = os_list(&a, s->dir, ".seg", &names, &n, err);

	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct str rest = str_sub(names[i], 0, names[i].n - 4);
		struct part p = { 0 };

		if (!str_u64(str_cut(&rest, '-'), &p.number) || !str_u64(rest, &p.first) || is_known(s, p.number))
			continue;
		p.path = arena_printf(&s->arena, "%s/%.*s", s->dir, STR_FMT(names[i])).p;
		vec_push(&s->parts, p);
	}
	*news = s->parts.n > before;
	if (*news)
		sort_array(s->parts.p, s->parts.n, sizeof *s->parts.p, by_first);
	arena_release(&a);
	return rc;
}

static int open_part(struct part *p, struct err *err)
{
	int rc = segfile_open(&p->map, &p->head, p->path, magic, VERSION, err);

	if (rc == WN_OK && p->head.index_n != (2 * p->head.n + 1) * sizeof(uint64_t)) {
		rc = segfile_damaged(err, p->path, "its index has %" PRIu64 " bytes", p->head.index_n);
		os_unmap(&p->map);
	}
	return rc;
}

/* The part that holds the page, open; WN_NONE: none of those known. */
static int find(struct linkstore *s, uint64_t page, struct part **out, struct err *err)
{
	size_t low = 0, high = s->parts.n;
	struct part *p;
	int rc;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->parts.p[middle].first <= page)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return WN_NONE;
	p = &s->parts.p[low - 1];
	if (!p->map.n && (rc = open_part(p, err)) < 0)
		return rc;
	*out = p;
	return page >= p->head.first && page - p->head.first < p->head.n ? WN_OK : WN_NONE;
}

static int find_or_look(struct linkstore *s, uint64_t page, struct part **out, struct err *err)
{
	bool news;
	int rc = find(s, page, out, err);

	if (rc == WN_NONE && (rc = look(s, &news, err)) == WN_OK)
		rc = news ? find(s, page, out, err) : WN_NONE;
	return rc;
}

static int list_at(const struct part *p, uint64_t i, struct str *packed, struct err *err)
{
	const unsigned char *index = p->map.p + p->head.index_at;
	uint64_t from = get_u64(index + 8 * i), to = get_u64(index + 8 * (i + 1)),
		 check = get_u64(index + 8 * (p->head.n + 1 + i));

	if (from < SEGFILE_HEAD || from > to || to > p->head.index_at ||
	    hash64(p->map.p + from, (size_t)(to - from)) != check)
		return segfile_damaged(err, p->path, "the checksum of the links of page %" PRIu64 " is wrong",
				       p->head.first + i);
	*packed = str_n((const char *)p->map.p + from, (size_t)(to - from));
	return WN_OK;
}

int linkstore_get(struct linkstore *s, uint64_t page, struct str *packed, struct err *err)
{
	struct part *p;
	int rc = find_or_look(s, page, &p, err);

	return rc == WN_OK ? list_at(p, page - p->head.first, packed, err) : rc;
}

int linkstore_has(struct linkstore *s, uint64_t page, struct err *err)
{
	struct part *p;

	return find_or_look(s, page, &p, err);
}

static bool is_sound(struct str packed)
{
	struct linkpack_reader r;
	struct catalog_link l;
	bool sound;

	linkpack_open(&r, packed);
	while (linkpack_next(&r, &l))
		;
	sound = !r.damaged;
	linkpack_close(&r);
	return sound;
}

int linkstore_check(const char *path, struct err *err)
{
	struct part p = { .path = path };
	int rc = open_part(&p, err);

	if (rc < 0)
		return rc;
	for (uint64_t i = 0; i < p.head.n && rc == WN_OK; i++) {
		struct str packed;

		if ((rc = list_at(&p, i, &packed, err)) == WN_OK && !is_sound(packed))
			rc = segfile_damaged(err, path, "the links of page %" PRIu64 " end too soon", p.head.first + i);
	}
	os_unmap(&p.map);
	return rc;
}

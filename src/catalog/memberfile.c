/* catalog/memberfile.c -- see memberfile.h. */
#include "catalog/memberfile.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

static const char magic[8] = "WNMEMB\0\1";

#define ARRAYS 4u
#define SPARSE 8u /* ids are sorted by a table when that has at most so many places for each */

struct head {
	char magic[8];
	uint64_t revision;
	uint32_t n, zero;
	uint64_t check; /* of the checksums of the arrays, then of the head before this */
};

static uint64_t checksum(const struct head *h, const struct member_list *m)
{
	size_t bytes = m->n * sizeof *m->id;
	uint64_t each[ARRAYS] = { hash64(m->id, bytes), hash64(m->witness, bytes), hash64(m->shared, bytes),
				  hash64(m->size, bytes) };

	return mix64(hash64(each, sizeof each)) ^ hash64(h, offsetof(struct head, check));
}

int memberfile_write(const struct member_list *m, uint64_t revision, const char *path, struct err *err)
{
	const uint32_t *arrays[ARRAYS] = { m->id, m->witness, m->shared, m->size };
	struct head h = { .revision = revision, .n = m->n };
	struct os_atomic f;
	int rc;

	memcpy(h.magic, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	h.check = checksum(&h, m);
	if ((rc = os_atomic_open(&f, path, err)) < 0)
		return rc;
	rc = os_write(f.fd, &h, sizeof h, path, err);
	for (unsigned i = 0; i < ARRAYS && rc == WN_OK; i++)
		rc = os_write(f.fd, arrays[i], m->n * sizeof *m->id, path, err);
	if (rc == WN_OK)
		return os_atomic_commit(&f, err);
	os_atomic_abort(&f);
	return rc;
}

struct id_place {
	uint32_t id, place;
};

static int by_number(const void *a, const void *b)
{
	const struct id_place *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

bool memberfile_order(struct memberfile *f)
{
	const uint32_t n = f->list.n, *id = f->list.id;
	uint32_t most = 0, at = 0;
	bool distinct = true;

	if (f->by_id)
		return true;
	f->by_id = mem_array((size_t)n + 1, sizeof *f->by_id);
	for (uint32_t i = 0; i < n; i++)
		most = id[i] > most ? id[i] : most;
	if (most / SPARSE <= n) {
		uint32_t *place = mem_array((size_t)most + 1, sizeof *place);

		memset(place, 0xff, ((size_t)most + 1) * sizeof *place);
		for (uint32_t i = 0; i < n; i++) {
			distinct &= place[id[i]] == UINT32_MAX;
			place[id[i]] = i;
		}
		for (size_t k = 0; k <= most; k++)
			if (place[k] != UINT32_MAX)
				f->by_id[at++] = place[k];
		mem_free(place);
	} else {
		struct id_place *all = mem_array((size_t)n + 1, sizeof *all);

		for (uint32_t i = 0; i < n; i++)
			all[i] = (struct id_place){ id[i], i };
		sort_array(all, n, sizeof *all, by_number);
		for (uint32_t i = 0; i < n; i++) {
			distinct &= i == 0 || all[i].id != all[i - 1].id;
			f->by_id[i] = all[i].place;
		}
		mem_free(all);
	}
	return distinct;
}

/* Witnesses are members that are kept. */
static bool sound(const struct member_list *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->witness[i] != MEMBER_KEPT && (m->witness[i] >= m->n || m->witness[m->witness[i]] != MEMBER_KEPT))
			return false;
	return true;
}

int memberfile_read(struct memberfile *f, const char *path, uint64_t revision, struct err *err)
{
	struct head h;
	const uint32_t *p;
	int rc;

	*f = (struct memberfile){ 0 };
	if ((rc = os_map(&f->map, path, err)) < 0)
		return rc;
	if (f->map.n < sizeof h || memcmp(f->map.p, magic, 8) != 0) {
		rc = err_set(err, WN_DATA, "%s: not the members of a cover as this winnow keeps them", path);
		goto bad;
	}
	memcpy(&h, f->map.p, sizeof h);
	p = (const uint32_t *)(const void *)(f->map.p + sizeof h);
	f->list = (struct member_list){ h.n, p, p + h.n, p + (size_t)2 * h.n, p + (size_t)3 * h.n };
	if (f->map.n != sizeof h + ARRAYS * (size_t)h.n * sizeof *p)
		rc = err_set(err, WN_DATA, "%s: the members have the wrong length", path);
	else if (h.check != checksum(&h, &f->list))
		rc = err_set(err, WN_DATA, "%s: the members are damaged: their checksum is wrong", path);
	else if (h.revision != revision)
		rc = err_set(err, WN_DATA, "%s: these are the members of another revision", path);
bad:
	if (rc < 0)
		memberfile_close(f);
	return rc;
}

int memberfile_open(struct memberfile *f, const char *path, uint64_t revision, struct err *err)
{
	int rc = memberfile_read(f, path, revision, err);

	if (rc == WN_OK && !sound(&f->list)) {
		rc = err_set(err, WN_DATA, "%s: the members have a number out of range", path);
		memberfile_close(f);
	}
	return rc;
}

void memberfile_close(struct memberfile *f)
{
	os_unmap(&f->map);
	mem_free(f->by_id);
	mem_free(f->by_witness);
	*f = (struct memberfile){ 0 };
}

void memberfile_order_by_witness(struct memberfile *f)
{
	const struct member_list *m = &f->list;
	uint32_t *end, at = 0;

	if (f->by_witness)
		return;
	f->by_witness = mem_array((size_t)m->n + 1, sizeof *f->by_witness);
	end = mem_zarray((size_t)m->n + 1, sizeof *end);
	for (uint32_t i = 0; i < m->n; i++)
		if (m->witness[i] != MEMBER_KEPT)
			end[m->witness[i]]++;
	for (uint32_t i = 0; i < m->n; i++) { /* where those of a witness begin */
		uint32_t count = end[f->by_id[i]];

		end[f->by_id[i]] = at;
		at += count;
	}
	f->dropped = at;
	for (uint32_t i = 0; i < m->n; i++)
		if (m->witness[f->by_id[i]] != MEMBER_KEPT)
			f->by_witness[end[m->witness[f->by_id[i]]]++] = f->by_id[i];
	mem_free(end);
}

uint32_t memberfile_find(const struct memberfile *f, uint64_t capture)
{
	uint32_t low = 0, n = f->list.n;

	while (n) {
		uint32_t half = n / 2;

		if (f->list.id[f->by_id[low + half]] < capture) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

uint32_t memberfile_find_witness(const struct memberfile *f, uint64_t witness, uint64_t capture)
{
	const struct member_list *m = &f->list;
	uint32_t low = 0, n = f->dropped;

	while (n) {
		uint32_t half = n / 2, at = f->by_witness[low + half], w = m->id[m->witness[at]];

		if (w < witness || (w == witness && m->id[at] < capture)) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low;
}

/* fulltext/manifest.c -- see manifest.h. */
#include "fulltext/manifest.h"

#include <inttypes.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"

#define TRIES 100 /* a reader that meets a file gone reads the newer manifest; a writer cannot outrun it that often */
#define MANIFEST_MAX (1 * MIB)

struct str ftmanifest_name(struct arena *a, const char *dir, uint64_t number, const char *suffix)
{
	return arena_printf(a, "%s/%06" PRIu64 "%s", dir, number, suffix);
}

void ftpart_release(struct ftpart *p)
{
	ftseg_close(p->s);
	mem_free(p->deleted);
	*p = (struct ftpart){ 0 };
}

void ftmanifest_release(struct ftmanifest *m)
{
	for (size_t i = 0; i < m->parts.n; i++)
		ftpart_release(&m->parts.p[i]);
	vec_release(&m->parts);
}

bool ftpart_delete(struct ftpart *p, uint32_t doc)
{
	uint64_t bit = (uint64_t)1 << doc % 64;

	if (!p->deleted)
		p->deleted = mem_zarray(p->s->n / 64 + (size_t)1, sizeof *p->deleted);
	if (p->deleted[doc / 64] & bit)
		return false;
	p->deleted[doc / 64] |= bit;
	p->n_deleted++;
	for (int f = 0; f < FT_FIELDS; f++)
		p->deleted_tokens[f] += ft_norm_length(p->s->norms[f][doc]);
	return true;
}

int ftpart_write_deleted(const struct ftpart *p, const char *path, struct err *err)
{
	struct segfile_head head = {
		.magic = "WNGONE", .version = 1, .first = p->number, .n = p->s->n, .extra = p->n_deleted
	};
	struct segfile_writer w;
	int rc = segfile_create(&w, path, err);

	if (rc < 0) {
		segfile_abort(&w);
		return rc;
	}
	return segfile_commit(&w, &head, p->deleted, (p->s->n / 64 + (size_t)1) * 8, err);
}

static int read_deleted(struct ftpart *p, const char *path, struct err *err)
{
	struct os_map map = { 0 };
	struct segfile_head head;
	int rc = segfile_open(&map, &head, path, "WNGONE\0", 1, err);

	if (rc < 0)
		return rc;
	if (head.n != p->s->n || head.index_n != (p->s->n / 64 + (uint64_t)1) * 8 || head.first != p->number)
		rc = segfile_damaged(err, path, "it is not of segment %" PRIu64, p->number);
	for (uint32_t d = 0; d < p->s->n && rc == WN_OK; d++)
		if (map.p[head.index_at + d / 8] >> d % 8 & 1)
			ftpart_delete(p, d);
	if (rc == WN_OK && p->n_deleted != head.extra)
		rc = segfile_damaged(err, path, "it says %" PRIu64 " are gone, and lists %" PRIu32, head.extra,
				     p->n_deleted);
	os_unmap(&map);
	return rc;
}

/* check: the segment's head_check in hex, so that no other sound segment passes for it; empty in manifests that name none. */
static int open_part(struct ftmanifest *m, struct arena *a, const char *dir, uint64_t number, uint64_t del_number,
		     struct str check, struct err *err)
{
	struct ftpart *p = vec_add(&m->parts);
	int rc;

	*p = (struct ftpart){ .number = number, .del_number = del_number };
	rc = ftseg_open(&p->s, ftmanifest_name(a, dir, number, ".seg").p, err);
	if (rc == WN_OK && check.n && !str_eq(check, arena_printf(a, "%016" PRIx64, p->s->head.head_check)))
		rc = segfile_damaged(err, p->s->path, "it is not the file that was written under this name");
	if (rc == WN_OK && del_number)
		rc = read_deleted(p, ftmanifest_name(a, dir, del_number, ".del").p, err);
	return rc;
}

/* Whether a file that a manifest names is not there. */
static bool is_gone(struct arena *a, const char *dir, uint64_t number, const char *suffix, struct err *err)
{
	const char *path = ftmanifest_name(a, dir, number, suffix).p;

	if (!number || access(path, F_OK) == 0 || errno != ENOENT)
		return false;
	segfile_damaged(err, path, "it is not there");
	return true;
}

static int parse(struct ftmanifest *m, struct arena *a, const char *dir, struct str text, struct err *err)
{
	static const struct str begin = { "winnow-fulltext 1\n", 18 };
	ptrdiff_t check = str_find(text, STR("\ncheck "));
	struct str rest = text, sum = STR_NONE;
	int rc = WN_OK;

	if (check >= 0)
		sum = arena_printf(a, "check %016" PRIx64 "\n", hash64(text.p, (size_t)check + 1));
	if (!str_starts(text, begin) || check < 0 || !str_starts(str_sub(text, (size_t)check + 1, text.n), sum))
		return segfile_damaged(err, arena_printf(a, "%s/manifest", dir).p, "its checksum is wrong");
	rest.n = (size_t)check + 1;
	while (rest.n && rc == WN_OK) {
		struct str line = str_cut(&rest, '\n'), word = str_cut(&line, ' ');
		uint64_t number = 0, del = 0;

		if (str_eq(word, STR("next")) && str_u64(line, &number))
			m->next = number;
		else if (str_eq(word, STR("segment")) && str_u64(str_cut(&line, ' '), &number) &&
			 str_u64(str_cut(&line, ' '), &del))
			rc = m->parts.n < LIMIT_FT_SEGMENTS
				 ? open_part(m, a, dir, number, del, line, err)
				 : err_set(err, WN_LIMIT, "the full-text index %s has more than %u segments", dir,
					   LIMIT_FT_SEGMENTS);
		if (rc == WN_IO && (is_gone(a, dir, number, ".seg", err) || is_gone(a, dir, del, ".del", err)))
			rc = WN_NONE;
	}
	return rc;
}

int ftmanifest_open(struct ftmanifest *m, const char *dir, struct err *err)
{
	struct arena a = { 0 };
	struct str text = STR_NONE, last = STR_NONE;
	const char *path = arena_printf(&a, "%s/manifest", dir).p;
	int rc = WN_OK;

	for (unsigned tries = 0; tries < TRIES; tries++) {
		struct str *names;
		size_t n;

		*m = (struct ftmanifest){ .next = 1 };
		if ((rc = os_list(&a, dir, "manifest", &names, &n, err)) < 0 || n == 0)
			break;
		if ((rc = os_slurp(&a, path, MANIFEST_MAX, &text, err)) < 0)
			break;
		if ((rc = parse(m, &a, dir, text, err)) == WN_OK)
			break;
		ftmanifest_release(m);
		if (rc != WN_NONE)
			break;
		rc = WN_DATA;
		if (str_eq(text, last)) /* the same manifest again: the file is really gone */
			break;
		last = text;
	}
	arena_release(&a);
	return rc;
}

int ftmanifest_write(const struct ftmanifest *m, const char *dir, struct err *err)
{
	struct buf text = BUF(MANIFEST_MAX);
	struct arena a = { 0 };
	struct os_atomic f = { 0 };
	int rc;

	buf_printf(&text, "winnow-fulltext 1\nnext %" PRIu64 "\n", m->next);
	for (size_t i = 0; i < m->parts.n; i++)
		if (!m->parts.p[i].pending)
			buf_printf(&text, "segment %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", m->parts.p[i].number,
				   m->parts.p[i].del_number, m->parts.p[i].s->head.head_check);
	buf_printf(&text, "check %016" PRIx64 "\n", hash64(text.p, text.n));
	rc = os_atomic_open(&f, arena_printf(&a, "%s/manifest", dir).p, err);
	if (rc == WN_OK) {
		if ((rc = os_write(f.fd, text.p, text.n, f.tmp, err)) == WN_OK)
			rc = os_atomic_commit(&f, err);
		else
			os_atomic_abort(&f);
	}
	buf_release(&text);
	arena_release(&a);
	return rc;
}

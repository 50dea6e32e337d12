/* flow/captures_file.c -- the table of captures as files (captures.h; docs/format/capture-table.md).
 *
 * A whole table is written when there is none, or when much has changed.  Else only a delta: the rows
 * that came or changed, and which stretches of the table of an earlier revision the others are.
 * The rows of a delta and its table are put together in memory, at the cost of a copy.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/vec.h"
#include "flow/captures_int.h"

static const char magic[8] = "WNCAPT\0\2", delta_magic[8] = "WNCAPD\0\1";

#define DELTA_HEAD 72u /* magic, revision, last, altered, n, base, stretches, rows, checksum */
#define DELTA_SHARE 8u /* with more than an eighth of the rows in it a whole table is written */

static const char *file_path(const struct collection *coll, struct arena *a, uint64_t revision, const char *ending)
{
	return collection_path(coll, a, arena_printf(a, "runs/captures-r%" PRIu64 ".%s", revision, ending).p);
}

/* Of the rest of a file, and of its head up to the checksum, which stands at the head's end. */
static uint64_t checksum(const char *file, size_t head, size_t n)
{
	return mix64(hash64(file + head, n)) ^ hash64(file, head - 8);
}

/* ---- whole tables ---- */

static bool map_table(struct captures *c, const char *path)
{
	struct err ignored = { 0 };
	uint64_t head[5];

	*c = (struct captures){ .how = CAPTURES_MAPPED };
	if (os_map(&c->map, path, &ignored) < 0)
		return false;
	if (c->map.n >= CAPTURES_HEAD && memcmp(c->map.p, magic, 8) == 0) {
		memcpy(head, c->map.p + 8, sizeof head);
		c->revision = c->base = head[0];
		c->last = head[1];
		c->altered = head[2];
		c->n = (size_t)head[3];
		if (c->n < UINT32_MAX && c->map.n == CAPTURES_HEAD + captures_lay_out(c, NULL) &&
		    checksum((const char *)c->map.p, CAPTURES_HEAD, c->map.n - CAPTURES_HEAD) == head[4]) {
			captures_lay_out(c, (char *)(uintptr_t)c->map.p + CAPTURES_HEAD);
			return true;
		}
	}
	captures_release(c);
	return false;
}

static bool write_whole(const char *path, const void *p, size_t n)
{
	struct os_atomic f;
	struct err ignored = { 0 };

	if (os_atomic_open_own(&f, path, &ignored) < 0)
		return false;
	f.unsynced = true;
	if (os_write(f.fd, p, n, path, &ignored) == WN_OK)
		return os_atomic_commit(&f, &ignored) == WN_OK;
	os_atomic_abort(&f);
	return false;
}

static bool store_table(struct captures *c, const char *path)
{
	size_t n = captures_lay_out(c, c->block + CAPTURES_HEAD);
	uint64_t head[4] = { c->revision, c->last, c->altered, c->n }, check;

	memcpy(c->block, magic, 8);
	memcpy(c->block + 8, head, sizeof head);
	check = checksum(c->block, CAPTURES_HEAD, n);
	memcpy(c->block + CAPTURES_HEAD - 8, &check, 8);
	return write_whole(path, c->block, CAPTURES_HEAD + n);
}

/* ---- deltas ---- */

/* The rows, as stretches; those that are new are counted. */
static struct capture_stretch *list_stretches(const struct captures *c, size_t *n, size_t *fresh)
{
	VEC(struct capture_stretch) all = { 0 };

	*fresh = 0;
	vec_reserve(&all, 1);
	for (size_t i = 0; i < c->n; i++) {
		struct capture_stretch *last = all.n ? &all.p[all.n - 1] : NULL;
		bool new = c->from[i] == CAPTURE_NEW;

		*fresh += new;
		if (last &&
		    (new ? last->from == CAPTURE_NEW : last->from != CAPTURE_NEW && last->from + last->n == c->from[i]))
			last->n++;
		else
			vec_push(&all, ((struct capture_stretch){ c->from[i], 1 }));
	}
	*n = all.n;
	return all.p;
}

static bool store_delta(const struct captures *c, const char *path, const struct capture_stretch *stretches, size_t n,
			size_t fresh)
{
	struct captures rows = { 0 };
	size_t bytes, at = 0;
	uint64_t head[7] = { c->revision, c->last, c->altered, c->n, c->base, n, fresh }, check;
	char *file;
	bool ok;

	rows.n = fresh;
	bytes = n * sizeof *stretches + captures_lay_out(&rows, NULL);
	file = mem_zalloc(DELTA_HEAD + bytes + 8);
	memcpy(file, delta_magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(file + 8, head, sizeof head);
	memcpy(file + DELTA_HEAD, stretches, n * sizeof *stretches);
	captures_lay_out(&rows, file + DELTA_HEAD + n * sizeof *stretches);
	for (size_t k = 0, i = 0; k < n; i += stretches[k++].n)
		if (stretches[k].from == CAPTURE_NEW) {
			captures_copy(&rows, at, c, i, stretches[k].n);
			at += stretches[k].n;
		}
	check = checksum(file, DELTA_HEAD, bytes);
	memcpy(file + DELTA_HEAD - 8, &check, 8);
	ok = write_whole(path, file, DELTA_HEAD + bytes);
	mem_free(file);
	return ok;
}

static bool read_delta(struct captures *c, struct collection *coll, struct arena *a, const struct os_map *map)
{
	struct captures rows = { 0 }, base = { 0 };
	uint64_t head[8];
	bool ok;

	if (map->n < DELTA_HEAD || memcmp(map->p, delta_magic, 8) != 0)
		return false;
	memcpy(head, map->p + 8, sizeof head);
	*c = (struct captures){
		.revision = head[0], .last = head[1], .altered = head[2], .base = head[4], .how = CAPTURES_MAPPED
	};
	rows.n = (size_t)head[6];
	if (head[3] >= UINT32_MAX || head[5] > map->n || head[6] > map->n ||
	    map->n != DELTA_HEAD + head[5] * sizeof(struct capture_stretch) + captures_lay_out(&rows, NULL) ||
	    checksum((const char *)map->p, DELTA_HEAD, map->n - DELTA_HEAD) != head[7] ||
	    !map_table(&base, file_path(coll, a, c->base, "table")))
		return false;
	captures_lay_out(&rows, (char *)(uintptr_t)map->p + DELTA_HEAD + head[5] * sizeof(struct capture_stretch));
	captures_alloc_to_fill(c, (size_t)head[3]);
	c->from = mem_array(c->n + 1, sizeof *c->from);
	ok = captures_put_together(c, &base, &rows, (const struct capture_stretch *)(const void *)(map->p + DELTA_HEAD),
				   (size_t)head[5]);
	captures_release(&base);
	if (!ok)
		captures_release(c);
	return ok;
}

static bool map_delta(struct captures *c, struct collection *coll, struct arena *a, uint64_t revision)
{
	struct os_map map = { 0 };
	struct err ignored = { 0 };
	bool ok;

	if (os_map(&map, file_path(coll, a, revision, "delta"), &ignored) < 0)
		return false;
	if (!(ok = read_delta(c, coll, a, &map)))
		*c = (struct captures){ 0 };
	os_unmap(&map);
	return ok;
}

/* ---- both ---- */

bool captures_map(struct captures *c, struct collection *coll, uint64_t revision)
{
	struct arena a = { 0 };
	bool found = map_table(c, file_path(coll, &a, revision, "table")) || map_delta(c, coll, &a, revision);

	arena_release(&a);
	return found;
}

/* The revision that a file of captures is of; false: it is something else. */
static bool revision_of(struct str name, uint64_t *revision)
{
	struct str ending = str_starts(name, STR("captures-r")) ? str_sub(name, 10, name.n) : (struct str){ 0 };
	ptrdiff_t dot = str_find(ending, STR("."));

	return dot > 0 && str_u64(str_sub(ending, 0, (size_t)dot), revision);
}

bool captures_map_older(struct captures *c, struct collection *coll, uint64_t revision)
{
	struct arena a = { 0 };
	struct err ignored = { 0 };
	struct str *names;
	uint64_t below = revision, best, r;
	size_t n = 0;
	bool found = false, any = true;

	if (os_list(&a, collection_path(coll, &a, "runs"), "", &names, &n, &ignored) != WN_OK)
		n = 0;
	while (!found && any) { /* the newest that is whole */
		any = false;
		best = 0;
		for (size_t i = 0; i < n; i++)
			if (revision_of(names[i], &r) && r < below && r >= best) {
				best = r;
				any = true;
			}
		found = any && captures_map(c, coll, best);
		below = best;
	}
	arena_release(&a);
	return found;
}

/* Files of other revisions, but for the table that a delta needs. */
static void remove_others(struct collection *coll, struct arena *a, uint64_t revision, uint64_t base)
{
	struct str *names;
	struct err ignored = { 0 };
	const char *runs = collection_path(coll, a, "runs");
	uint64_t r;
	size_t n = 0;

	if (os_list(a, runs, "", &names, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (revision_of(names[i], &r) &&
		    (str_ends(names[i], STR(".tmp")) ? os_is_abandoned(names[i]) : r != revision && r != base))
			os_unlink(arena_printf(a, "%s/%.*s", runs, STR_FMT(names[i])).p, &ignored);
}

void captures_store(struct captures *c, struct collection *coll)
{
	struct capture_stretch *stretches = NULL;
	struct err ignored = { 0 };
	struct arena a = { 0 };
	size_t n = 0, fresh = 0;
	bool ok = os_mkdir(collection_path(coll, &a, "runs"), &ignored) == WN_OK, part = false;

	if (c->from) {
		stretches = list_stretches(c, &n, &fresh);
		part = n + fresh < c->n / DELTA_SHARE;
	}
	if (ok)
		ok = part ? store_delta(c, file_path(coll, &a, c->revision, "delta"), stretches, n, fresh)
			  : store_table(c, file_path(coll, &a, c->revision, "table"));
	if (ok)
		remove_others(coll, &a, c->revision, part ? c->base : c->revision);
	mem_free(stretches);
	arena_release(&a);
}

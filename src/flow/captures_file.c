/* flow/captures_file.c -- the table of captures as files (captures.h; docs/format/capture-table.md).
 *
 * A whole table is written when there is none, or when much has changed.  Else only a delta: the rows
 * that came or changed, and which stretches of the table of an earlier revision the others are.
 * The table is used where it is mapped.
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
		c->n_table = (size_t)head[3];
		if (c->n_table < UINT32_MAX && c->map.n == CAPTURES_HEAD + captures_lay_out(c, NULL) &&
		    checksum((const char *)c->map.p, CAPTURES_HEAD, c->map.n - CAPTURES_HEAD) == head[4]) {
			captures_lay_out(c, (char *)(uintptr_t)c->map.p + CAPTURES_HEAD);
			captures_all(c);
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
	struct captures whole = { 0 };
	uint64_t head[4] = { c->revision, c->last, c->altered, c->n }, check;
	size_t n;
	char *block;
	bool ok;

	if (c->rest)
		captures_whole(&whole, c);
	block = c->rest ? whole.block : c->block;
	n = captures_lay_out(c->rest ? &whole : c, block + CAPTURES_HEAD);
	memcpy(block, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(block + 8, head, sizeof head);
	check = checksum(block, CAPTURES_HEAD, n);
	memcpy(block + CAPTURES_HEAD - 8, &check, 8);
	ok = write_whole(path, block, CAPTURES_HEAD + n);
	captures_release(&whole);
	return ok;
}

/* ---- deltas ---- */

static bool store_delta(const struct captures *c, const char *path)
{
	struct captures rows = { .n_table = c->rest->n };
	size_t n = c->n_stretches, bytes = n * sizeof *c->stretches + captures_lay_out(&rows, NULL);
	uint64_t head[7] = { c->revision, c->last, c->altered, c->n, c->base, n, c->rest->n }, check;
	struct capture_stretch *stretches;
	char *file;
	bool ok;

	file = mem_zalloc(DELTA_HEAD + bytes + 8);
	memcpy(file, delta_magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(file + 8, head, sizeof head);
	stretches = (struct capture_stretch *)(void *)(file + DELTA_HEAD);
	for (size_t k = 0; k < n; k++) {
		stretches[k] = c->stretches[k];
		if (stretches[k].from >= c->n_table)
			stretches[k].from = CAPTURE_NEW;
	}
	captures_lay_out(&rows, file + DELTA_HEAD + n * sizeof *stretches);
	captures_copy(&rows, 0, c->rest, 0, c->rest->n);
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
	*c = (struct captures){ .revision = head[0],
				.last = head[1],
				.altered = head[2],
				.n = (size_t)head[3],
				.base = head[4],
				.how = CAPTURES_MAPPED };
	rows.n = rows.n_table = (size_t)head[6];
	if (head[3] >= UINT32_MAX || head[5] > map->n || head[6] > map->n ||
	    map->n != DELTA_HEAD + head[5] * sizeof(struct capture_stretch) + captures_lay_out(&rows, NULL) ||
	    checksum((const char *)map->p, DELTA_HEAD, map->n - DELTA_HEAD) != head[7] ||
	    !map_table(&base, file_path(coll, a, c->base, "table")))
		return false;
	captures_lay_out(&rows, (char *)(uintptr_t)map->p + DELTA_HEAD + head[5] * sizeof(struct capture_stretch));
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
	struct err ignored = { 0 };
	struct arena a = { 0 };
	bool ok = os_mkdir(collection_path(coll, &a, "runs"), &ignored) == WN_OK,
	     part = c->rest && c->n_stretches + c->rest->n < c->n / DELTA_SHARE;

	if (ok)
		ok = part ? store_delta(c, file_path(coll, &a, c->revision, "delta"))
			  : store_table(c, file_path(coll, &a, c->revision, "table"));
	if (ok)
		remove_others(coll, &a, c->revision, part ? c->base : c->revision);
	arena_release(&a);
}

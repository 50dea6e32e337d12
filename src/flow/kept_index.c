/* flow/kept_index.c -- see kept_index.h. */
#include "flow/kept_index.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/limits.h"
#include "base/os.h"

#define ROOM MIB

uint64_t index_number(const unsigned char key[32])
{
	uint64_t n;

	memcpy(&n, key, sizeof n);
	return n ? n : 1;
}

const char *index_pending(struct arena *a, const char *dir, uint64_t number, uint64_t revision, unsigned i)
{
	return arena_printf(a, "%s/runs/pending-%016" PRIx64 "+%u-r%" PRIu64 ".postings", dir, number, i, revision).p;
}

static bool flush(struct index_file *f)
{
	bool ok = f->fd >= 0 && os_write(f->fd, f->room, f->n, f->path, NULL) == WN_OK;

	f->n = 0;
	return ok;
}

static bool put(void *context, const void *p, size_t n)
{
	struct index_file *f = context;

	if (f->n + n > ROOM && !flush(f))
		return false;
	if (n > ROOM)
		return os_write(f->fd, p, n, f->path, NULL) == WN_OK;
	memcpy(f->room + f->n, p, n);
	f->n += n;
	return true;
}

static bool file_open(struct index_file *f, const char *path)
{
	*f = (struct index_file){ .fd = -1, .path = path, .whole = f->whole, .room = mem_alloc(ROOM) };
	return os_open(&f->fd, path, O_WRONLY | O_CREAT | O_TRUNC, NULL) == WN_OK;
}

/* Is the whole of it there?  If not nothing is. */
static bool file_close(struct index_file *f, bool done)
{
	bool whole = done && flush(f);

	os_close(&f->fd);
	if (!whole)
		os_unlink(f->path, NULL);
	return whole;
}

/* The same question may be asked, and an index of this name written, by another process at the same time. */
static const char *own_path(struct arena *a, const char *path)
{
	char *own = os_own_name(path);
	const char *copy = arena_strz(a, str(own));

	mem_free(own);
	return copy;
}

void index_writing_open(struct index_writing *w, struct run *r, const unsigned char key[32])
{
	const char *dir = catalog_dir(r->coll->catalog);

	*w = (struct index_writing){ .n = r->ruled.query.n_disjuncts, .number = index_number(key) };
	w->writer = mem_zarray((size_t)w->n + 1, sizeof *w->writer);
	w->file = mem_zarray((size_t)w->n + 1, sizeof *w->file);
	os_mkdir(arena_printf(&w->arena, "%s/runs", dir).p, NULL);
	for (unsigned i = 0; i < w->n; i++) {
		struct index_file *f = &w->file[i];

		w->writer[i] =
		    (struct postings_writer){ .put = put, .context = f, .name = r->sets.content, .run = w->number };
		f->whole = index_pending(&w->arena, dir, w->number, r->revision, i);
		w->writer[i].given_up = !file_open(f, own_path(&w->arena, f->whole)) || i >= KEPT_INDEX_MOST ||
					r->join.bands || !r->sets.content;
	}
	r->join.keep = w->writer;
}

void index_writing_close(struct index_writing *w, struct run *r)
{
	r->join.keep = NULL;
	for (unsigned i = 0; i < w->n; i++)
		if (file_close(&w->file[i], w->writer[i].done) &&
		    os_rename(w->file[i].path, w->file[i].whole, NULL) < 0)
			os_unlink(w->file[i].path, NULL);
}

void index_writing_release(struct index_writing *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		os_close(&w->file[i].fd);
		mem_free(w->file[i].room);
		vec_release(&w->writer[i].bucket);
	}
	mem_free(w->writer);
	mem_free(w->file);
	arena_release(&w->arena);
	*w = (struct index_writing){ 0 };
}

/* The bytes of a file, which stay until the end; false: it is not there. */
static bool map_file(struct kept_index *k, const char *path, struct os_map *map)
{
	*map = (struct os_map){ 0 };
	if (!path || os_map(map, path, NULL) < 0)
		return false;
	vec_push(&k->maps, *map);
	return true;
}

/* Sets that were added to an index. */
static void open_added(struct kept_index *k, struct run *r, const struct cover_row *row, struct arena *a, unsigned i)
{
	struct postings *p = &k->postings[i];
	struct os_map map;

	for (unsigned n = 1; n <= KEPT_INDEX_ADDED; n++) {
		const char *path = covers_index(r->coll, a, row, i, n);

		if (!map_file(k, path, &map))
			return;
		if (added_open(&p->added, map.p, map.n, p->tail.check, p->tail.rows, NULL) == WN_OK)
			vec_push(&k->files, ((struct cover_index){ path, i, (unsigned)p->added.parts.n }));
	}
}

void kept_index_open(struct kept_index *k, struct run *r, const struct cover_row *row, struct arena *a, uint64_t number)
{
	uint32_t contents = r->sets.n ? r->sets.content[r->sets.n - 1] + 1 : 0;
	uint32_t *set_of = mem_array((size_t)contents + 1, sizeof *set_of);
	struct os_map map;

	memset(set_of, 0xff, ((size_t)contents + 1) * sizeof *set_of);
	for (uint32_t s = 0; s < r->sets.n; s++)
		set_of[r->sets.content[s]] = s;
	*k = (struct kept_index){ .n = r->ruled.query.n_disjuncts, .number = number };
	k->postings = mem_zarray((size_t)k->n + 1, sizeof *k->postings);
	for (unsigned i = 0; i < k->n && i < KEPT_INDEX_MOST; i++) {
		struct postings *p = &k->postings[i];
		const char *path = covers_index(r->coll, a, row, i, 0);

		if (!map_file(k, path, &map))
			continue;
		if (postings_open(p, map.p, map.n, NULL) < 0 || p->tail.run != number) {
			postings_close(p);
			continue;
		}
		vec_push(&k->files, ((struct cover_index){ path, i, 0 }));
		postings_bind(p, set_of, contents, r->sets.n);
		open_added(k, r, row, a, i);
		added_bind(&p->added, set_of, contents, r->sets.n, p->tail.rows);
	}
	mem_free(set_of);
	r->join.kept = k->postings;
}

/* The place of a file among those of an index that gets a new part; false: that takes its place. */
static bool stays(const struct kept_index *k, const struct cover_index *f)
{
	return f->added <= added_stay(&k->postings[f->disjunct].added);
}

void kept_index_add(struct kept_index *k, struct run *r, struct arena *a)
{
	const char *dir = catalog_dir(r->coll->catalog);
	size_t n = 0;

	for (unsigned i = 0; i < k->n; i++) {
		struct added *added = &k->postings[i].added;
		struct cover_index part = { own_path(a, index_pending(a, dir, k->number, r->revision, i)), i,
					    added_stay(added) + 1 };
		struct index_file f = { 0 };

		if (!added->fresh.n || part.added > KEPT_INDEX_ADDED)
			continue;
		if (file_close(&f, file_open(&f, part.path) &&
				       added_write(added, k->postings[i].tail.check, r->sets.content, put, &f)))
			vec_push(&k->written, part);
		mem_free(f.room);
	}
	for (size_t i = 0; i < k->files.n; i++)
		if (!k->postings[k->files.p[i].disjunct].added.fresh.n || stays(k, &k->files.p[i]))
			k->files.p[n++] = k->files.p[i];
	k->files.n = n;
	for (size_t i = 0; i < k->written.n; i++)
		vec_push(&k->files, k->written.p[i]);
}

void kept_index_close(struct kept_index *k, struct run *r)
{
	if (r)
		r->join.kept = NULL;
	for (size_t i = 0; i < k->written.n; i++)
		os_unlink(k->written.p[i].path, NULL);
	for (unsigned i = 0; i < k->n; i++)
		postings_close(&k->postings[i]);
	for (size_t i = 0; i < k->maps.n; i++)
		os_unmap(&k->maps.p[i]);
	mem_free(k->postings);
	vec_release(&k->maps);
	vec_release(&k->files);
	vec_release(&k->written);
	*k = (struct kept_index){ 0 };
}

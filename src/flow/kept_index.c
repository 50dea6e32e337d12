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

const char *index_pending(struct arena *a, const char *dir, const unsigned char key[32], uint64_t revision, unsigned i)
{
	return arena_printf(a, "%s/runs/pending-%016" PRIx64 "+%u-r%" PRIu64 ".postings", dir, index_number(key), i,
			    revision)
	    .p;
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

void index_writing_open(struct index_writing *w, struct run *r, const unsigned char key[32])
{
	const char *dir = catalog_dir(r->coll->catalog);

	*w = (struct index_writing){ .n = r->ruled.query.n_disjuncts, .number = index_number(key) };
	w->writer = mem_zarray((size_t)w->n + 1, sizeof *w->writer);
	w->file = mem_zarray((size_t)w->n + 1, sizeof *w->file);
	os_mkdir(arena_printf(&w->arena, "%s/runs", dir).p, NULL);
	for (unsigned i = 0; i < w->n; i++) {
		struct index_file *f = &w->file[i];

		*f = (struct index_file){ .fd = -1 };
		f->path = index_pending(&w->arena, dir, key, r->revision, i);
		f->room = mem_alloc(ROOM);
		w->writer[i] =
		    (struct postings_writer){ .put = put, .context = f, .name = r->sets.content, .run = w->number };
		w->writer[i].given_up = i >= KEPT_INDEX_MOST || r->join.bands || !r->sets.content ||
					os_open(&f->fd, f->path, O_WRONLY | O_CREAT | O_TRUNC, NULL) < 0;
	}
	r->join.keep = w->writer;
}

void index_writing_close(struct index_writing *w, struct run *r)
{
	r->join.keep = NULL;
	for (unsigned i = 0; i < w->n; i++) {
		struct index_file *f = &w->file[i];
		bool whole = w->writer[i].done && flush(f);

		os_close(&f->fd);
		if (!whole)
			os_unlink(f->path, NULL);
	}
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

void kept_index_open(struct kept_index *k, struct run *r, const char *const *paths, unsigned n_paths, uint64_t number)
{
	uint32_t contents = r->sets.n ? r->sets.content[r->sets.n - 1] + 1 : 0;
	uint32_t *set_of = mem_array((size_t)contents + 1, sizeof *set_of);

	memset(set_of, 0xff, ((size_t)contents + 1) * sizeof *set_of);
	for (uint32_t s = 0; s < r->sets.n; s++)
		set_of[r->sets.content[s]] = s;
	*k = (struct kept_index){ .n = r->ruled.query.n_disjuncts };
	k->map = mem_zarray((size_t)k->n + 1, sizeof *k->map);
	k->postings = mem_zarray((size_t)k->n + 1, sizeof *k->postings);
	for (unsigned i = 0; i < k->n && i < n_paths; i++) {
		if (os_map(&k->map[i], paths[i], NULL) < 0)
			continue;
		if (postings_open(&k->postings[i], k->map[i].p, k->map[i].n, NULL) == WN_OK &&
		    k->postings[i].tail.run == number)
			postings_bind(&k->postings[i], set_of, contents, r->sets.n);
		else
			postings_close(&k->postings[i]);
	}
	mem_free(set_of);
	r->join.kept = k->postings;
}

void kept_index_close(struct kept_index *k, struct run *r)
{
	if (r)
		r->join.kept = NULL;
	for (unsigned i = 0; i < k->n; i++) {
		postings_close(&k->postings[i]);
		os_unmap(&k->map[i]);
	}
	mem_free(k->postings);
	mem_free(k->map);
	*k = (struct kept_index){ 0 };
}

/* flow/batch_found.c -- what was found in one record; see batch.h. */
#include "base/limits.h"
#include "base/os.h"
#include "flow/batch.h"

#define SPOOL_FROM (16 * MIB)

struct found *found_new(void)
{
	struct found *f = mem_zalloc(sizeof *f);

	f->packed = BUF(2 * GIB);
	f->capture = (struct capture){ .status = CAPTURE_NO_STATUS,
				       .published = CAPTURE_NO_TIME,
				       .refers_time = CAPTURE_NO_TIME };
	return f;
}

void found_flaws(struct found *f, const struct flaw *v, unsigned n)
{
	f->n_flaws = n;
	if (n == 0)
		return;
	f->flaws = ARENA_ARRAY(&f->arena, struct flaw, n);
	memcpy(f->flaws, v, n * sizeof *v);
}

size_t found_size(const struct found *f) { return sizeof *f + f->arena.used + (f->spooled ? 0 : f->packed.cap); }

void found_drop_sets(struct found *f)
{
	if (f->spooled)
		mem_unmap(f->packed.p, f->packed.n);
	else
		mem_free(f->packed.p);
	f->packed = BUF(2 * GIB);
	f->spooled = false;
}

void found_free(struct found *f)
{
	if (!f)
		return;
	found_drop_sets(f);
	arena_release(&f->arena);
	mem_free(f);
}

void found_spool(struct found *f)
{
	void *p = NULL;
	int fd = -1;

	if (f->packed.n < SPOOL_FROM || os_temporary(&fd, NULL) < 0)
		return;
	if (os_write(fd, f->packed.p, f->packed.n, "a temporary file", NULL) == WN_OK &&
	    os_map_private(&p, fd, f->packed.n, "a temporary file", NULL) == WN_OK) {
		mem_free(f->packed.p);
		f->packed.p = p;
		f->packed.cap = f->packed.n;
		f->spooled = true;
	}
	os_close(&fd);
}

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

void found_texts(struct found *f, const struct texts_in *in)
{
	/* in one piece: a batch holds thousands, and what an arena leaves free behind each would be a third of it */
	const struct texts *t = &in->texts;
	bool same = !in->ranges.n && str_eq(t->main, t->body);
	const struct str parts[] = { t->title, t->body, same ? STR_NONE : in->ranges.n ? in->ranges : t->main };
	struct texts *kept = &f->texts.texts;
	struct str *to[] = { &kept->title, &kept->body, in->ranges.n ? &f->texts.ranges : &kept->main };
	char *p = arena_alloc(&f->arena, parts[0].n + parts[1].n + parts[2].n + COUNT(parts));

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (parts[i].n)
			memcpy(p, parts[i].p, parts[i].n);
		p[parts[i].n] = 0;
		*to[i] = str_n(p, parts[i].n);
		p += parts[i].n + 1;
	}
	if (same)
		kept->main = kept->body;
	else if (in->ranges.n)
		kept->main = (struct str){ NULL, t->main.n };
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

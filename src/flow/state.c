/* flow/state.c -- see state.h: fixed-width little-endian arrays and a checksum. */
#include "flow/state.h"

#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "WNSTAT\0\1";

#define HEAD 88u	 /* magic, rule, selection, revision, documents, components */
#define PER_DOCUMENT 29u /* id, signature, of, part, group, kind */
#define PER_PART 16u

void state_alloc(struct run_state *s, uint32_t n, uint32_t n_parts)
{
	size_t room = (size_t)n + 1;

	*s = (struct run_state){ .n = n, .n_parts = n_parts };
	s->id = mem_array(room, sizeof *s->id);
	s->signature = mem_array(room, sizeof *s->signature);
	s->of = mem_array(room, sizeof *s->of);
	s->part = mem_array(room, sizeof *s->part);
	s->group = mem_array(room, sizeof *s->group);
	s->kind = mem_array(room, 1);
	s->parts = mem_zarray((size_t)n_parts + 1, sizeof *s->parts);
}

void state_release(struct run_state *s)
{
	mem_free(s->id);
	mem_free(s->signature);
	mem_free(s->of);
	mem_free(s->part);
	mem_free(s->group);
	mem_free(s->kind);
	mem_free(s->parts);
	*s = (struct run_state){ 0 };
}

static uint32_t degree(const struct kernel *k, uint32_t d)
{
	return (uint32_t)(k->graph.start[d + 1] - k->graph.start[d]);
}

enum state_kind state_settled(const struct kernel *k, uint32_t d, uint32_t *of)
{
	*of = k->fold[d];
	if (*of != d)
		return STATE_FOLDED;
	if (degree(k, d) == 0)
		return STATE_FORCED;
	*of = k->graph.by[k->graph.start[d]];
	if (degree(k, d) == 1 && degree(k, *of) == 0)
		return STATE_COVERED;
	*of = d;
	return STATE_CORE;
}

static char *put(char *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*p++ = (char)(v >> (8 * i));
	return p;
}

static uint64_t get(const char **p, int bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < bytes; i++)
		v |= (uint64_t)(unsigned char)*(*p)++ << (8 * i);
	return v;
}

bool state_write(const struct run_state *s, struct buf *out)
{
	size_t n = HEAD + PER_DOCUMENT * (size_t)s->n + PER_PART * (size_t)s->n_parts;
	char *at = buf_room(out, n + 8), *p = at;

	if (!p)
		return false;
	memcpy(p, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(p + 8, s->run.rule, 32);
	memcpy(p + 40, s->run.selection, 32);
	p = put(p + 72, s->run.revision, 8);
	p = put(p, s->n, 4);
	p = put(p, s->n_parts, 4);
	for (uint32_t d = 0; d < s->n; d++) {
		p = put(p, s->id[d], 8);
		p = put(p, s->signature[d], 8);
		p = put(p, s->of[d], 4);
		p = put(p, s->part[d], 4);
		p = put(p, s->group[d], 4);
		p = put(p, s->kind[d], 1);
	}
	for (uint32_t k = 0; k < s->n_parts; k++) {
		p = put(p, s->parts[k].kept, 4);
		p = put(p, s->parts[k].lower, 4);
		p = put(p, s->parts[k].certified, 4);
		p = put(p, s->parts[k].status, 4);
	}
	put(p, hash64(at, n), 8);
	out->n += n + 8;
	return true;
}

static int read_arrays(struct run_state *s, const char *p, struct err *err)
{
	for (uint32_t d = 0; d < s->n; d++) {
		s->id[d] = get(&p, 8);
		s->signature[d] = get(&p, 8);
		s->of[d] = (uint32_t)get(&p, 4);
		s->part[d] = (uint32_t)get(&p, 4);
		s->group[d] = (uint32_t)get(&p, 4);
		s->kind[d] = (uint8_t)get(&p, 1);
		if (s->of[d] >= s->n || s->part[d] >= s->n_parts || s->kind[d] >= STATE_KINDS ||
		    (s->group[d] >= s->n && s->group[d] != COVER_NO_GROUP))
			return err_set(err, WN_DATA, "the run's state has a number out of range at document %u", d);
	}
	for (uint32_t k = 0; k < s->n_parts; k++) {
		struct state_part *q = &s->parts[k];

		q->kept = (uint32_t)get(&p, 4);
		q->lower = (uint32_t)get(&p, 4);
		q->certified = (uint32_t)get(&p, 4);
		q->status = (uint32_t)get(&p, 4);
		if (q->lower > q->kept || q->certified > q->lower || q->status > COVER_BOUNDED)
			return err_set(err, WN_DATA, "the run's state has a component that cannot be");
	}
	return WN_OK;
}

int state_read(struct run_state *s, struct str bytes, struct err *err)
{
	const char *p, *sum;
	struct certificate_run run;
	uint64_t n, n_parts;
	int rc;

	*s = (struct run_state){ 0 };
	if (bytes.n < HEAD + 8 || memcmp(bytes.p, magic, 8) != 0)
		return err_set(err, WN_DATA, "not the state of a run");
	p = bytes.p + 72;
	memcpy(run.rule, bytes.p + 8, 32);
	memcpy(run.selection, bytes.p + 40, 32);
	run.revision = get(&p, 8);
	n = get(&p, 4);
	n_parts = get(&p, 4);
	sum = bytes.p + bytes.n - 8;
	if (n_parts > n || bytes.n != HEAD + PER_DOCUMENT * n + PER_PART * n_parts + 8)
		return err_set(err, WN_DATA, "the run's state has the wrong length");
	if (get(&sum, 8) != hash64(bytes.p, bytes.n - 8))
		return err_set(err, WN_DATA, "the run's state is damaged: its checksum is wrong");
	state_alloc(s, (uint32_t)n, (uint32_t)n_parts);
	s->run = run;
	if ((rc = read_arrays(s, p, err)) < 0)
		state_release(s);
	return rc;
}

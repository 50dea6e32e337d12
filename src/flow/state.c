/* flow/state.c -- see state.h: a head, aligned little-endian arrays and a checksum. */
#include "flow/state.h"

#include "base/hash.h"
#include "base/mem.h"

static const char magic[8] = "WNSTAT\0\3", magic_before[8] = "WNSTAT\0\2";

enum { WITH_GROUPS = 1, WITH_MEMBERS = 2 };

struct head {
	char magic[8];
	unsigned char rule[32], selection[32];
	uint64_t revision, index;
	uint32_t n, n_parts, edges, with;
	uint64_t check; /* of everything behind the head, then of the head before this */
};

/* Of the arrays that are always there, to a multiple of 8. */
static size_t bytes_of(const struct run_state *s)
{
	size_t n = s->n;

	return (n * 8 + (3 * n + 1 + s->edges) * 4 + s->n_parts * sizeof *s->parts + n + 7) / 8 * 8;
}

static size_t more_of(uint32_t with) { return (with & WITH_GROUPS ? 1 : 0) + (with & WITH_MEMBERS ? 3 : 0); }

/* Where the arrays stand. */
static void place(struct run_state *s, char *p)
{
	size_t n = s->n;

	s->signature = (uint64_t *)(void *)p;
	s->of = (uint32_t *)(void *)(p + n * sizeof *s->signature);
	s->part = s->of + n;
	s->start = s->part + n;
	s->by = s->start + n + 1;
	s->parts = (struct state_part *)(void *)(s->by + s->edges);
	s->kind = (uint8_t *)(s->parts + s->n_parts);
}

static void place_more(struct run_state *s, void *p, uint32_t with)
{
	uint32_t *at = p;

	s->group = with & WITH_GROUPS ? at : NULL;
	at += with & WITH_GROUPS ? s->n : 0;
	s->id = with & WITH_MEMBERS ? at : NULL;
	s->witness = s->id ? s->id + s->n : NULL;
	s->shared = s->id ? s->witness + s->n : NULL;
}

/* Version 2 had all of them, in another order. */
static size_t bytes_before(const struct run_state *s)
{
	size_t n = s->n;

	return (n * 8 + (7 * n + 1 + s->edges) * 4 + s->n_parts * sizeof *s->parts + n + 7) / 8 * 8;
}

static void place_before(struct run_state *s, char *p)
{
	size_t n = s->n;

	s->signature = (uint64_t *)(void *)p;
	s->id = (uint32_t *)(void *)(p + n * sizeof *s->signature);
	s->of = s->id + n;
	s->part = s->of + n;
	s->group = s->part + n;
	s->witness = s->group + n;
	s->shared = s->witness + n;
	s->start = s->shared + n;
	s->by = s->start + n + 1;
	s->parts = (struct state_part *)(void *)(s->by + s->edges);
	s->kind = (uint8_t *)(s->parts + s->n_parts);
}

void state_alloc(struct run_state *s, uint32_t n, uint32_t n_parts, uint32_t edges, bool grouped)
{
	uint32_t with = WITH_MEMBERS | (grouped ? WITH_GROUPS : 0);

	*s = (struct run_state){ .n = n, .n_parts = n_parts, .edges = edges };
	s->memory = mem_alloc(bytes_of(s) + 8);
	s->more = mem_array(more_of(with) * n + 1, 4);
	place(s, s->memory);
	place_more(s, s->more, with);
}

void state_release(struct run_state *s)
{
	os_unmap(&s->map);
	memberfile_close(&s->members);
	mem_free(s->memory);
	mem_free(s->more);
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

static uint64_t checksum(const struct head *h, const void *p, size_t n, const void *more, size_t n_more)
{
	uint64_t rest = n_more ? mix64(hash64(more, n_more)) : 0;

	return mix64(hash64(p, n) + rest) ^ hash64(h, offsetof(struct head, check));
}

int state_write(const struct run_state *s, bool with_members, const char *path, struct err *err)
{
	struct run_state laid = *s;
	struct head h = { .revision = s->run.revision,
			  .index = s->index,
			  .n = s->n,
			  .n_parts = s->n_parts,
			  .edges = s->edges,
			  .with = (s->group ? WITH_GROUPS : 0) | (with_members ? WITH_MEMBERS : 0) };
	struct os_atomic f = { .fd = -1 };
	size_t bytes = bytes_of(s), more = more_of(h.with) * s->n * 4;
	int rc;

	memcpy(h.magic, magic, 8); /* NOLINT(bugprone-not-null-terminated-result): eight bytes, no string */
	memcpy(h.rule, s->run.rule, 32);
	memcpy(h.selection, s->run.selection, 32);
	place(&laid, s->memory);
	memmove(laid.kind, s->kind, s->n); /* there may be fewer components than room was made for */
	memset(laid.kind + s->n, 0, (size_t)((char *)s->memory + bytes - (char *)(laid.kind + s->n)));
	h.check = checksum(&h, s->memory, bytes, s->more, more);
	if ((rc = os_atomic_open(&f, path, err)) < 0)
		return rc;
	f.unsynced = true; /* without it an update costs more, and nothing else */
	if ((rc = os_write(f.fd, &h, sizeof h, path, err)) < 0 ||
	    (rc = os_write(f.fd, s->memory, bytes, path, err)) < 0 ||
	    (more && (rc = os_write(f.fd, s->more, more, path, err)) < 0)) {
		os_atomic_abort(&f);
		return rc;
	}
	return os_atomic_commit(&f, err);
}

/* Numbers that point somewhere point to something. */
static bool sound(const struct run_state *s)
{
	const uint32_t n = s->n, n_parts = s->n_parts, *of = s->of, *part = s->part, *group = s->group,
		       *witness = s->witness, *start = s->start;
	unsigned bad = start[0] != 0 || start[n] != s->edges;

	for (uint32_t d = 0; d < n; d++) /* without branches: several at once */
		bad |= (of[d] >= n) | (part[d] >= n_parts) | (start[d] > start[d + 1]);
	for (uint32_t d = 0; d < n && group; d++)
		bad |= (group[d] >= n) & (group[d] != COVER_NO_GROUP);
	for (uint32_t d = 0; d < n && witness; d++)
		bad |= (witness[d] >= n) & (witness[d] != STATE_KEPT);
	for (uint32_t d = 0; d < n; d++)
		bad |= s->kind[d] >= STATE_KINDS;
	for (uint32_t i = 0; i < s->edges; i++)
		bad |= s->by[i] >= n;
	for (uint32_t k = 0; k < s->n_parts; k++)
		bad |= s->parts[k].lower > s->parts[k].kept || s->parts[k].certified > s->parts[k].lower ||
		       s->parts[k].status > COVER_BOUNDED;
	return !bad;
}

int state_read(struct run_state *s, const char *path, struct err *err)
{
	size_t bytes, more = 0;
	bool before;
	struct head h;
	char *p;
	int rc;

	*s = (struct run_state){ 0 };
	if ((rc = os_map(&s->map, path, err)) < 0)
		return rc;
	before = s->map.n >= 8 && memcmp(s->map.p, magic_before, 8) == 0;
	if (s->map.n < sizeof h || (!before && memcmp(s->map.p, magic, 8) != 0)) {
		rc = err_set(err, WN_DATA, "%s: not the state of a run as this winnow keeps it", path);
		goto bad;
	}
	memcpy(&h, s->map.p, sizeof h);
	memcpy(s->run.rule, h.rule, 32);
	memcpy(s->run.selection, h.selection, 32);
	s->run.revision = h.revision;
	s->index = h.index;
	s->n = h.n;
	s->n_parts = h.n_parts;
	s->edges = h.edges;
	bytes = before ? bytes_before(s) : bytes_of(s);
	more = before ? 0 : more_of(h.with) * h.n * 4;
	p = (char *)(uintptr_t)(s->map.p + sizeof h);
	if (h.n_parts > h.n || h.with > (before ? 0 : WITH_GROUPS | WITH_MEMBERS) ||
	    bytes + more + sizeof h != s->map.n) {
		rc = err_set(err, WN_DATA, "%s: the run's state has the wrong length", path);
		goto bad;
	}
	if (h.check != checksum(&h, p, bytes, p + bytes, more)) {
		rc = err_set(err, WN_DATA, "%s: the run's state is damaged: its checksum is wrong", path);
		goto bad;
	}
	if (before) {
		place_before(s, p);
	} else {
		place(s, p);
		place_more(s, p + bytes, h.with);
	}
	if (!sound(s))
		rc = err_set(err, WN_DATA, "%s: the run's state has a number out of range", path);
bad:
	if (rc < 0)
		state_release(s);
	return rc;
}

int state_join(struct run_state *s, const char *members, struct err *err)
{
	int rc = memberfile_open(&s->members, members, s->run.revision, err);

	if (rc < 0)
		return rc;
	if (s->members.list.n != s->n)
		return err_set(err, WN_DATA, "%s: these are the members of another run", members);
	s->id = (uint32_t *)(uintptr_t)s->members.list.id; /* nobody writes to a state that was read */
	s->witness = (uint32_t *)(uintptr_t)s->members.list.witness;
	s->shared = (uint32_t *)(uintptr_t)s->members.list.shared;
	return WN_OK;
}

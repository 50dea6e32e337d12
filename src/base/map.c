/* base/map.c -- see map.h.  Linear probing, at most three quarters full. */
#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

static struct map_slot *find(const struct map *m, uint64_t key)
{
	size_t i = mix64(key) & (m->cap - 1);

	while (m->slots[i].used && m->slots[i].key != key)
		i = (i + 1) & (m->cap - 1);
	return &m->slots[i];
}

uint64_t *map_get(const struct map *m, uint64_t key)
{
	struct map_slot *s;

	if (m->n == 0)
		return NULL;
	s = find(m, key);
	return s->used ? &s->value : NULL;
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.cap ? old.cap * 2 : 16;
	m->slots = mem_zarray(m->cap, sizeof *m->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].used)
			*find(m, old.slots[i].key) = old.slots[i];
	mem_free(old.slots);
}

uint64_t *map_put(struct map *m, uint64_t key, uint64_t value)
{
	struct map_slot *s;

	if ((m->n + 1) * 4 > m->cap * 3)
		map_grow(m);
	s = find(m, key);
	if (!s->used) {
		*s = (struct map_slot){ key, value, true };
		m->n++;
	}
	return &s->value;
}

void map_release(struct map *m)
{
	mem_free(m->slots);
	*m = (struct map){ 0 };
}

static size_t intern_slot(const struct intern *t, struct str s, uint64_t h)
{
	size_t i = h & (t->cap - 1);

	while (t->slots[i] && !(t->hashes[t->slots[i] - 1] == h && str_eq(t->strs[t->slots[i] - 1], s)))
		i = (i + 1) & (t->cap - 1);
	return i;
}

bool intern_find(const struct intern *t, struct str s, uint32_t *id)
{
	size_t i;

	if (t->n == 0)
		return false;
	i = intern_slot(t, s, hash_str(s));
	if (!t->slots[i])
		return false;
	*id = t->slots[i] - 1;
	return true;
}

uint32_t intern_id(struct intern *t, struct str s)
{
	uint64_t h = hash_str(s);
	size_t i;

	if ((t->n + 1) * 4 > t->cap * 3) {
		t->cap = t->cap ? t->cap * 2 : 64;
		mem_free(t->slots);
		t->slots = mem_zarray(t->cap, sizeof *t->slots);
		for (size_t id = 0; id < t->n; id++) {
			i = t->hashes[id] & (t->cap - 1);
			while (t->slots[i])
				i = (i + 1) & (t->cap - 1);
			t->slots[i] = (uint32_t)id + 1;
		}
	}
	i = intern_slot(t, s, h);
	if (!t->slots[i]) {
		if (t->n == t->strs_cap) {
			t->strs_cap = t->strs_cap ? t->strs_cap * 2 : 64;
			t->strs = mem_rearray(t->strs, t->strs_cap, sizeof *t->strs);
			t->hashes = mem_rearray(t->hashes, t->strs_cap, sizeof *t->hashes);
		}
		t->strs[t->n] = arena_str(&t->arena, s);
		t->hashes[t->n] = h;
		t->slots[i] = (uint32_t)++t->n;
	}
	return t->slots[i] - 1;
}

void intern_release(struct intern *t)
{
	arena_release(&t->arena);
	mem_free(t->strs);
	mem_free(t->hashes);
	mem_free(t->slots);
	*t = (struct intern){ 0 };
}

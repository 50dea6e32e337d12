/* flow/seen.c -- see seen.h. */
#include "flow/seen.h"

#include <pthread.h>

#include "base/hash.h"
#include "base/mem.h"

enum { SEEN_SLOTS = 1 << 16 };

struct payload_slot {
	uint64_t hash; /* of decoded digest, declared type and URL; 0 is free */
	unsigned char digest[20];
	struct seen_payload gave;
};

struct seen {
	pthread_mutex_t lock;
	struct payload_slot payloads[SEEN_SLOTS];
	unsigned char contents[SEEN_SLOTS][32];
	uint64_t pages[SEEN_SLOTS];
};

struct seen *seen_new(void)
{
	struct seen *s = mem_zalloc(sizeof *s);

	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void seen_free(struct seen *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	mem_free(s);
}

static uint64_t payload_hash(const struct capture *c, struct str type)
{
	uint64_t parts[3] = { hash_str(c->digest), hash_str(c->url), hash_str(type) };
	uint64_t h = hash64(parts, sizeof parts);

	return h ? h : 1;
}

bool seen_payload(struct seen *s, const struct capture *c, struct str type, struct seen_payload *out)
{
	struct payload_slot slot;
	uint64_t h = payload_hash(c, type);

	if (!s || c->digest.n != sizeof slot.digest)
		return false;
	pthread_mutex_lock(&s->lock);
	slot = s->payloads[h % SEEN_SLOTS];
	pthread_mutex_unlock(&s->lock);
	*out = slot.gave;
	return slot.hash == h && memcmp(slot.digest, c->digest.p, sizeof slot.digest) == 0;
}

void seen_payload_is(struct seen *s, const struct capture *c, struct str type, const struct seen_payload *p)
{
	struct payload_slot slot = { .hash = payload_hash(c, type), .gave = *p };

	if (!s || c->digest.n != sizeof slot.digest)
		return;
	memcpy(slot.digest, c->digest.p, sizeof slot.digest);
	pthread_mutex_lock(&s->lock);
	s->payloads[slot.hash % SEEN_SLOTS] = slot;
	pthread_mutex_unlock(&s->lock);
}

bool seen_content(struct seen *s, const unsigned char key[32])
{
	unsigned char *slot;
	uint32_t at;
	bool before;

	if (!s)
		return false;
	memcpy(&at, key, sizeof at); /* SHA-256 is uniform: its first bits are the slot */
	slot = s->contents[at % SEEN_SLOTS];
	pthread_mutex_lock(&s->lock);
	before = memcmp(slot, key, 32) == 0;
	memcpy(slot, key, 32);
	pthread_mutex_unlock(&s->lock);
	return before;
}

bool seen_page(struct seen *s, uint64_t key)
{
	bool before = false;

	if (s) {
		pthread_mutex_lock(&s->lock);
		before = s->pages[key % SEEN_SLOTS] == key;
		pthread_mutex_unlock(&s->lock);
	}
	return before;
}

void seen_page_is(struct seen *s, uint64_t key)
{
	if (s) {
		pthread_mutex_lock(&s->lock);
		s->pages[key % SEEN_SLOTS] = key;
		pthread_mutex_unlock(&s->lock);
	}
}

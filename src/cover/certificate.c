/* cover/certificate.c -- a certificate's bytes.
 *
 *	  0  8  "WNCERT" 0 1
 *	  8 32  rule		 40 32  selection
 *	 72  8  revision	 80  4  documents	 84  4  kept
 *	 88  8  bound		 96  8  lower bound
 *	104  4  denominator	108  4  values		112  4  group values
 *	116 12  components certified, searched, bounded
 *	128  .  values: document 4, y 4, ascending; then groups: group 4, z 4
 *	  .  8  XXH3-64 of all before
 */
#include "cover/certificate.h"

#include "base/hash.h"
#include "base/mem.h"

#define HEAD 128

static const unsigned char magic[8] = { 'W', 'N', 'C', 'E', 'R', 'T', 0, 1 };

static void put(unsigned char *p, uint64_t x, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(x >> (8 * i));
}

static uint64_t get(const unsigned char *p, int bytes)
{
	uint64_t x = 0;

	for (int i = 0; i < bytes; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

static struct certificate_value *positive(struct arena *a, const uint32_t *y, uint32_t n, uint32_t *count)
{
	struct certificate_value *out;
	uint32_t k = 0;

	for (uint32_t i = 0; y && i < n; i++)
		k += y[i] > 0;
	*count = k;
	out = ARENA_ARRAY(a, struct certificate_value, (size_t)k + 1);
	k = 0;
	for (uint32_t i = 0; y && i < n; i++)
		if (y[i])
			out[k++] = (struct certificate_value){ i, y[i] };
	return out;
}

void certificate_from_result(struct arena *a, const struct cover_problem *p, const struct cover_result *r,
			     const struct certificate_run *run, struct certificate *out)
{
	*out = (struct certificate){ .run = *run,
				     .documents = p->n,
				     .kept = r->kept_count,
				     .bound = r->certified,
				     .lower_bound = r->lower_bound,
				     .denominator = r->denominator };
	out->values = positive(a, r->y, p->n, &out->value_count);
	out->group_values = positive(a, r->group_y, p->groups, &out->group_value_count);
	memcpy(out->by_status, r->by_status, sizeof(out->by_status));
}

bool certificate_write(const struct certificate *c, struct buf *out)
{
	size_t n = HEAD + 8 * ((size_t)c->value_count + c->group_value_count);
	unsigned char *p = (unsigned char *)buf_room(out, n + 8);

	if (!p)
		return false;
	memcpy(p, magic, 8);
	memcpy(p + 8, c->run.rule, 32);
	memcpy(p + 40, c->run.selection, 32);
	put(p + 72, c->run.revision, 8);
	put(p + 80, c->documents, 4);
	put(p + 84, c->kept, 4);
	put(p + 88, c->bound, 8);
	put(p + 96, c->lower_bound, 8);
	put(p + 104, c->denominator, 4);
	put(p + 108, c->value_count, 4);
	put(p + 112, c->group_value_count, 4);
	for (int i = 0; i < 3; i++)
		put(p + 116 + 4 * i, c->by_status[i], 4);
	for (uint32_t i = 0; i < c->value_count + c->group_value_count; i++) {
		const struct certificate_value *v =
		    i < c->value_count ? &c->values[i] : &c->group_values[i - c->value_count];

		put(p + HEAD + 8 * (size_t)i, v->id, 4);
		put(p + HEAD + 8 * (size_t)i + 4, v->y, 4);
	}
	put(p + n, hash64(p, n), 8);
	out->n += n + 8;
	return true;
}

static int read_values(struct arena *a, const unsigned char *p, uint32_t n, uint32_t below,
		       struct certificate_value **out, struct err *err)
{
	*out = ARENA_ARRAY(a, struct certificate_value, (size_t)n + 1);
	for (uint32_t i = 0; i < n; i++) {
		struct certificate_value v = { (uint32_t)get(p + 8 * (size_t)i, 4),
					       (uint32_t)get(p + 8 * (size_t)i + 4, 4) };

		if (v.id >= below || v.y == 0 || (i && v.id <= (*out)[i - 1].id))
			return err_set(err, WN_DATA, "certificate: value %u is zero, out of order or of no document",
				       i);
		(*out)[i] = v;
	}
	return WN_OK;
}

int certificate_read(struct arena *a, struct str bytes, struct certificate *out, struct err *err)
{
	const unsigned char *p = (const unsigned char *)bytes.p;
	uint64_t values, groups;
	int rc;

	*out = (struct certificate){ 0 };
	if (bytes.n < HEAD + 8 || memcmp(p, magic, 8) != 0)
		return err_set(err, WN_DATA, "certificate: not a certificate of this version");
	values = get(p + 108, 4);
	groups = get(p + 112, 4);
	if (bytes.n != HEAD + 8 * (values + groups) + 8)
		return err_set(err, WN_DATA, "certificate: %zu bytes, its head promises %llu", bytes.n,
			       (unsigned long long)(HEAD + 8 * (values + groups) + 8));
	if (get(p + bytes.n - 8, 8) != hash64(p, bytes.n - 8))
		return err_set(err, WN_DATA, "certificate: checksum does not match");
	memcpy(out->run.rule, p + 8, 32);
	memcpy(out->run.selection, p + 40, 32);
	out->run.revision = get(p + 72, 8);
	out->documents = (uint32_t)get(p + 80, 4);
	out->kept = (uint32_t)get(p + 84, 4);
	out->bound = get(p + 88, 8);
	out->lower_bound = get(p + 96, 8);
	out->denominator = (uint32_t)get(p + 104, 4);
	out->value_count = (uint32_t)values;
	out->group_value_count = (uint32_t)groups;
	for (int i = 0; i < 3; i++)
		out->by_status[i] = (uint32_t)get(p + 116 + 4 * i, 4);
	if (out->denominator == 0 || out->kept > out->documents || out->bound > out->kept ||
	    out->lower_bound > out->kept)
		return err_set(err, WN_DATA, "certificate: its numbers contradict each other");
	if ((rc = read_values(a, p + HEAD, out->value_count, out->documents, &out->values, err)) < 0)
		return rc;
	return read_values(a, p + HEAD + 8 * values, out->group_value_count, UINT32_MAX, &out->group_values, err);
}

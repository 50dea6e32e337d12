/* flow/pending.c -- see pending.h. */
#include "flow/pending.h"

#include <inttypes.h>
#include <stdio.h>

#include "archive/digest.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/os.h"
#include "flow/kept_index.h"

static const char magic[8] = "WNKERN\0\2";

/* The captures of the documents that are marked, each behind a sign. */
static void hash_marked(struct hasher *h, const struct run *r, const char *sign, const uint8_t *marked)
{
	for (uint32_t d = 0; marked && d < r->docs.n; d++) {
		char text[32];

		if (marked[d])
			hasher_add(h,
				   str_n(text, (size_t)snprintf(text, sizeof text, "%s%" PRIu64, sign, r->docs.id[d])));
	}
}

void pending_key(const struct run *r, const struct run_request *q, unsigned char key[32])
{
	struct buf text = BUF(1 * MIB);
	struct hasher h = { 0 };
	struct digest d;

	buf_str(&text, r->rule->canonical);
	buf_printf(&text,
		   "\nwhere %s\nper %s\nprefer %s\nversions %" PRIu64 "\nbands %u %u\nrevision %" PRIu64 "\nkeep",
		   q->where ? q->where : "", q->per ? q->per : "", q->prefer ? q->prefer : "", q->min_versions,
		   r->join.bands, r->join.rows, r->revision);
	hasher_begin(&h, DIGEST_SHA256);
	hasher_add(&h, buf_view(&text));
	hash_marked(&h, r, " ", r->pinned);
	hash_marked(&h, r, " +", r->previous);
	hasher_end(&h, &d);
	memcpy(key, d.bytes, 32);
	hasher_release(&h);
	buf_release(&text);
}

static const char *pending_path(struct arena *a, const char *dir, const unsigned char key[32], uint64_t revision)
{
	char hex[33];

	for (int i = 0; i < 16; i++) {
		hex[2 * i] = "0123456789abcdef"[key[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[key[i] & 15];
	}
	hex[32] = 0;
	return arena_printf(a, "%s/runs/pending-%s-r%" PRIu64 ".kernel", dir, hex, revision).p;
}

/* The numbers of a kernel, in the order of the file; native order, as the file does not travel. */
static bool kernel_bytes(struct buf *out, const unsigned char key[32], uint64_t revision, const struct kernel *k,
			 const struct coverage_stats *stats)
{
	uint32_t counts[5] = { k->n_folded, k->n_forced, k->n_covered, k->n_core, k->n_open };
	uint64_t edges = k->graph.start[k->graph.n], n = k->graph.n, sum;

	if (!buf_add(out, magic, 8) || !buf_add(out, key, 32) || !buf_add(out, &revision, 8) || !buf_add(out, &n, 8) ||
	    !buf_add(out, &edges, 8) || !buf_add(out, counts, sizeof counts) || !buf_add(out, &stats->recall, 8) ||
	    !buf_add(out, &stats->pairs, 8) || !buf_add(out, k->fold, n * sizeof *k->fold) ||
	    !buf_add(out, k->graph.start, (n + 1) * sizeof *k->graph.start) ||
	    !buf_add(out, k->graph.by, edges * sizeof *k->graph.by) || (k->n_open && !buf_add(out, k->open, n)))
		return false;
	sum = hash64(out->p, out->n);
	return buf_add(out, &sum, 8);
}

int pending_store(const struct run *r, const unsigned char key[32], const struct kernel *k,
		  const struct coverage_stats *stats, struct err *err)
{
	const char *dir = catalog_dir(r->coll->catalog), *path;
	struct arena a = { 0 };
	struct buf bytes = BUF(16 * GIB);
	struct os_atomic f = { .fd = -1 };
	int rc;

	path = pending_path(&a, dir, key, r->revision);
	if ((rc = os_mkdir(arena_printf(&a, "%s/runs", dir).p, err)) < 0)
		goto out;
	if (!kernel_bytes(&bytes, key, r->revision, k, stats))
		goto out; /* too large to keep: the next run joins again */
	/* another run may ask the same at the same time; whoever is last has the name, with the same bytes */
	if ((rc = os_atomic_open_own(&f, path, err)) == WN_OK &&
	    (rc = os_write(f.fd, bytes.p, bytes.n, path, err)) == WN_OK)
		rc = os_atomic_commit(&f, err);
	os_atomic_abort(&f);
out:
	buf_release(&bytes);
	arena_release(&a);
	return rc;
}

static bool sound(const struct kernel *k)
{
	uint64_t edges = k->graph.start[k->graph.n];

	for (uint32_t d = 0; d < k->graph.n; d++)
		if (k->fold[d] >= k->graph.n || k->graph.start[d] > k->graph.start[d + 1])
			return false;
	for (uint64_t i = 0; i < edges; i++)
		if (k->graph.by[i] >= k->graph.n)
			return false;
	return k->graph.start[0] == 0;
}

static bool kernel_parse(struct kernel *k, struct coverage_stats *stats, struct str s, const unsigned char key[32],
			 const struct run *r)
{
	uint64_t n, edges, revision, sum;
	uint32_t counts[5], open;
	const char *p = s.p + 40;
	size_t head = 8 + 32 + 8 + 8 + 8 + sizeof counts + 8 + 8;

	if (s.n < head + 8 || memcmp(s.p, magic, 8) != 0 || memcmp(s.p + 8, key, 32) != 0)
		return false;
	memcpy(&revision, p, 8);
	memcpy(&n, p + 8, 8);
	memcpy(&edges, p + 16, 8);
	memcpy(counts, p + 24, sizeof counts);
	memcpy(&stats->recall, p + 44, 8);
	memcpy(&stats->pairs, p + 52, 8);
	open = counts[4] ? (uint32_t)n : 0;
	memcpy(&sum, s.p + s.n - 8, 8);
	if (revision != r->revision || n != r->docs.n || edges > s.n ||
	    s.n != head + n * 4 + (n + 1) * 8 + edges * 4 + open + 8 || sum != hash64(s.p, s.n - 8))
		return false;
	*k = (struct kernel){ .n_folded = counts[0],
			      .n_forced = counts[1],
			      .n_covered = counts[2],
			      .n_core = counts[3],
			      .n_open = counts[4] };
	k->fold = mem_array(n + 1, sizeof *k->fold);
	k->graph = (struct coverage){ (uint32_t)n, mem_array(n + 1, sizeof *k->graph.start),
				      mem_array(edges + 1, sizeof *k->graph.by) };
	memcpy(k->fold, s.p + head, n * 4);
	memcpy(k->graph.start, s.p + head + n * 4, (n + 1) * 8);
	memcpy(k->graph.by, s.p + head + n * 4 + (n + 1) * 8, edges * 4);
	if (open) {
		k->open = mem_alloc(n + 1);
		memcpy(k->open, s.p + s.n - 8 - n, n);
	}
	if (k->graph.start[n] == edges && sound(k))
		return true;
	kernel_release(k);
	return false;
}

int pending_load(const struct run *r, const unsigned char key[32], struct kernel *k, struct coverage_stats *stats,
		 struct err *err)
{
	struct arena a = { 0 };
	struct os_map m = { 0 };
	int rc = os_map(&m, pending_path(&a, catalog_dir(r->coll->catalog), key, r->revision), err);

	if (rc == WN_OK && !kernel_parse(k, stats, str_n((const char *)m.p, m.n), key, r))
		rc = WN_NONE;
	os_unmap(&m);
	arena_release(&a);
	return rc == WN_OK ? WN_OK : WN_NONE; /* unreadable is the same as not there */
}

int pending_clear(const char *dir, const unsigned char key[32], uint64_t revision, struct err *err)
{
	struct arena a = { 0 };
	const char *runs = arena_printf(&a, "%s/runs", dir).p;
	struct str now = arena_printf(&a, "-r%" PRIu64 ".", revision), *names,
		   mine = arena_printf(&a, "pending-%016" PRIx64, index_number(key)),
		   kernel = str(strrchr(pending_path(&a, dir, key, revision), '/') + 1);
	size_t n;
	int rc;

	if ((rc = os_list(&a, runs, "", &names, &n, err)) == WN_OK)
		for (size_t i = 0; i < n && rc == WN_OK; i++)
			if (str_starts(names[i], STR("pending-")) &&
			    (str_ends(names[i], STR(".tmp"))
				 ? os_is_abandoned(names[i]) /* others are being written */
				 : str_find(names[i], now) < 0 || str_starts(names[i], mine) ||
				       str_eq(names[i], kernel)))
				rc = os_unlink(arena_printf(&a, "%s/%.*s", runs, STR_FMT(names[i])).p, err);
	arena_release(&a);
	return rc;
}

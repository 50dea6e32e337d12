/* archive/zip.c -- see zip.h.  Numbers in ZIP are little-endian. */
#include "archive/zip.h"

#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"

#define END_SIZE 22u
#define LOCAL_SIZE 30u
#define CENTRAL_SIZE 46u
#define DESCRIPTOR_SIZE 16u /* the shortest with its mark */
#define SEARCH_STEP (1 * MIB)

static uint16_t le16(const unsigned char *p) { return (uint16_t)(p[0] | p[1] << 8); }
static uint32_t le32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static uint64_t le64(const unsigned char *p) { return le32(p) | (uint64_t)le32(p + 4) << 32; }

typedef VEC(struct zip_entry) entry_vec;

struct zip_file {
	int fd;
	const char *path;
	uint64_t size;
	struct arena *arena;
	struct flaws *flaws;
	struct err *err;
};

bool zip_sniff(struct str s) { return s.n >= 4 && (memcmp(s.p, "PK\3\4", 4) == 0 || memcmp(s.p, "PK\5\6", 4) == 0); }

/* Exactly n bytes at `at`; false when they are not there. */
static bool read_at(const struct zip_file *z, uint64_t at, void *p, size_t n)
{
	size_t got = 0;

	if (at > z->size || z->size - at < n)
		return false;
	return os_pread(z->fd, p, n, at, &got, z->path, z->err) == WN_OK && got == n;
}

/* Takes the 64-bit values from the extra field for those that are all ones. */
static void read_zip64(struct str extra, uint64_t *const *values, size_t n)
{
	const unsigned char *p = (const unsigned char *)extra.p;
	size_t left = extra.n;

	while (left >= 4) {
		unsigned id = le16(p);
		size_t size = le16(p + 2);

		if (size > left - 4)
			return;
		if (id == 1) {
			const unsigned char *q = p + 4;

			for (size_t i = 0; i < n; i++)
				if (*values[i] == 0xffffffffu && (size_t)(q - p) + 8 <= size + 4) {
					*values[i] = le64(q);
					q += 8;
				}
			return;
		}
		p += 4 + size;
		left -= 4 + size;
	}
}

/* The data follows the local header, whose name and extra field have lengths of their own. */
static bool data_offset(const struct zip_file *z, uint64_t local, uint64_t *out)
{
	unsigned char h[LOCAL_SIZE];

	if (!read_at(z, local, h, sizeof h) || memcmp(h, "PK\3\4", 4) != 0)
		return false;
	*out = local + LOCAL_SIZE + le16(h + 26) + le16(h + 28);
	return *out <= z->size;
}

static bool read_central(struct zip_file *z, uint64_t at, uint64_t size, uint64_t count, entry_vec *out)
{
	unsigned char *p = mem_alloc(size ? (size_t)size : 1), *q = p;
	bool ok = read_at(z, at, p, (size_t)size);

	for (uint64_t i = 0; ok && i < count; i++) {
		size_t left = (size_t)(p + size - q);

		if (left < CENTRAL_SIZE || memcmp(q, "PK\1\2", 4) != 0) {
			ok = false;
			break;
		}
		size_t nname = le16(q + 28), nextra = le16(q + 30), ncomment = le16(q + 32);

		if (left - CENTRAL_SIZE < nname + nextra + ncomment || out->n >= LIMIT_ZIP_ENTRIES) {
			ok = false;
			break;
		}
		uint64_t local = le32(q + 42);
		struct zip_entry e = {
			.packed = le32(q + 20), .size = le32(q + 24), .method = le16(q + 10), .crc = le32(q + 16)
		};

		read_zip64(str_n((char *)q + CENTRAL_SIZE + nname, nextra),
			   (uint64_t *const[]){ &e.size, &e.packed, &local }, 3);
		e.name = arena_str(z->arena, str_n((char *)q + CENTRAL_SIZE, nname));
		q += CENTRAL_SIZE + nname + nextra + ncomment;
		if (!data_offset(z, local, &e.offset)) {
			flaw_add(z->flaws, FLAW_BAD_CONTAINER, local, "entry %.*s has no local header",
				 (int)(e.name.n < 60 ? e.name.n : 60), e.name.p);
			continue;
		}
		if (e.packed > z->size - e.offset) {
			flaw_add(z->flaws, FLAW_BAD_CONTAINER, local, "entry %.*s is cut",
				 (int)(e.name.n < 60 ? e.name.n : 60), e.name.p);
			e.packed = z->size - e.offset;
		}
		vec_push(out, e);
	}
	mem_free(p);
	return ok;
}

/* Finds the end record and reads the central directory it names. */
static bool from_end(struct zip_file *z, entry_vec *out)
{
	size_t tail = z->size < END_SIZE + 65535 ? (size_t)z->size : END_SIZE + 65535;
	unsigned char *p = mem_alloc(tail ? tail : 1);
	bool ok = false;

	if (tail < END_SIZE || !read_at(z, z->size - tail, p, tail))
		goto out;
	for (size_t i = tail - END_SIZE + 1; i-- > 0 && !ok;) {
		if (memcmp(p + i, "PK\5\6", 4) != 0)
			continue;
		uint64_t count = le16(p + i + 10), size = le32(p + i + 12), at = le32(p + i + 16),
			 end = z->size - tail + i;
		unsigned char locator[20], end64[56];

		if (end >= 20 && read_at(z, end - 20, locator, 20) && memcmp(locator, "PK\6\7", 4) == 0 &&
		    read_at(z, le64(locator + 8), end64, sizeof end64) && memcmp(end64, "PK\6\6", 4) == 0) {
			count = le64(end64 + 32);
			size = le64(end64 + 40);
			at = le64(end64 + 48);
		}
		if (size > LIMIT_ZIP_DIRECTORY || size > z->size || at > z->size - size)
			continue;
		out->n = 0;
		ok = read_central(z, at, size, count, out);
	}
out:
	mem_free(p);
	return ok;
}

/* The size of a member whose header does not know it: its data descriptor, behind the data, says how long that is.
 * Where none fits, the file is cut in this member. */
static uint64_t described_size(const struct zip_file *z, uint64_t from)
{
	unsigned char *p = mem_alloc(SEARCH_STEP);
	uint64_t found = z->size - from;

	for (uint64_t at = from; at + DESCRIPTOR_SIZE <= z->size && found == z->size - from;
	     at += SEARCH_STEP - DESCRIPTOR_SIZE + 1) {
		size_t n = z->size - at < SEARCH_STEP ? (size_t)(z->size - at) : SEARCH_STEP;

		if (!read_at(z, at, p, n))
			break;
		const unsigned char *end = p + n - DESCRIPTOR_SIZE, *q = p;

		for (; q <= end && (q = memchr(q, 'P', (size_t)(end - q) + 1)); q++) {
			uint64_t size = at + (uint64_t)(q - p) - from;

			if (memcmp(q, "PK\7\10", 4) == 0 && (le32(q + 8) == size || le64(q + 8) == size)) {
				found = size;
				break;
			}
		}
	}
	mem_free(p);
	return found;
}

/* Behind a member's data: its descriptor, of 12 to 24 bytes, when it has one. */
static uint64_t pass_descriptor(const struct zip_file *z, uint64_t at)
{
	unsigned char p[24 + 4];
	size_t n = z->size - at < sizeof p ? (size_t)(z->size - at) : sizeof p;

	if (!read_at(z, at, p, n))
		return at;
	for (size_t i = 0; i + 4 <= n; i++)
		if (memcmp(p + i, "PK\3\4", 4) == 0)
			return at + i;
	return at;
}

/* Without a directory: walks the local headers. */
static void from_front(struct zip_file *z, entry_vec *out)
{
	uint64_t at = 0;
	unsigned char h[LOCAL_SIZE];

	out->n = 0;
	while (out->n < LIMIT_ZIP_ENTRIES && read_at(z, at, h, sizeof h) && memcmp(h, "PK\3\4", 4) == 0) {
		size_t nname = le16(h + 26), nextra = le16(h + 28);
		char *names = arena_alloc(z->arena, nname + nextra + 1);
		struct zip_entry e = {
			.packed = le32(h + 18), .size = le32(h + 22), .method = le16(h + 8), .crc = le32(h + 14)
		};

		if (!read_at(z, at + LOCAL_SIZE, names, nname + nextra))
			return;
		e.name = str_n(names, nname);
		read_zip64(str_n(names + nname, nextra), (uint64_t *const[]){ &e.size, &e.packed }, 2);
		e.offset = at + LOCAL_SIZE + nname + nextra;
		bool described = le16(h + 6) & 8;

		if (described && e.packed == 0)
			e.packed = described_size(z, e.offset);
		else if (e.packed > z->size - e.offset)
			e.packed = z->size - e.offset;
		vec_push(out, e);
		at = e.offset + e.packed;
		if (described)
			at = pass_descriptor(z, at);
	}
}

int zip_list(struct arena *a, int fd, const char *path, uint64_t file_size, struct zip_entry **out, size_t *n,
	     struct flaws *flaws, struct err *err)
{
	struct err ignored = { 0 };
	struct zip_file z = { fd, path, file_size, a, flaws, &ignored };
	entry_vec v = { 0 };

	(void)err;
	if (!from_end(&z, &v)) {
		flaw_add(flaws, FLAW_BAD_CONTAINER, 0, "the ZIP directory is missing or damaged");
		from_front(&z, &v);
	}
	*out = ARENA_ARRAY(a, struct zip_entry, v.n ? v.n : 1);
	if (v.n)
		memcpy(*out, v.p, v.n * sizeof *v.p);
	*n = v.n;
	vec_release(&v);
	return ignored.code == WN_IO && *n == 0 ? (err_set(err, WN_IO, "%s", ignored.text), WN_IO) : WN_OK;
}

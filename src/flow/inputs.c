/* flow/inputs.c -- see inputs.h. */
#include "flow/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/limits.h"
#include "base/os.h"
#include "base/vec.h"

/* .warc .arc, with .gz .zst .lz4; .wacz */
static bool is_archive_name(struct str name)
{
	static const char *const packed[] = { ".gz", ".zst", ".lz4" };

	if (str_iends(name, STR(".wacz")))
		return true;
	for (size_t i = 0; i < COUNT(packed); i++)
		if (str_iends(name, str(packed[i])))
			name.n -= strlen(packed[i]);
	return str_iends(name, STR(".warc")) || str_iends(name, STR(".arc"));
}

static int by_bytes(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

enum { DEPTH_MOST = 64 }; /* directories in directories; symbolic links are not followed below the first */

static int walk(struct arena *a, const char *dir, unsigned depth, struct paths *out, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = WN_OK;

	if (!d && depth > 0) { /* whoever opens it says why it cannot be read, and goes on with the others */
		vec_push(&out->list, dir);
		return WN_OK;
	}
	if (!d)
		return err_sys(err, errno, "cannot read the directory %s", dir);
	while (rc == WN_OK && (e = readdir(d))) {
		const char *path;
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		path = arena_printf(a, "%s%s%s", dir, str_ends(str(dir), STR("/")) ? "" : "/", e->d_name).p;
		if (lstat(path, &st))
			continue; /* gone meanwhile */
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MOST)
			rc = walk(a, path, depth + 1, out, err);
		else if (is_archive_name(str(e->d_name)) && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
			vec_push(&out->list, path);
	}
	closedir(d);
	return rc;
}

/* The files that one path names. */
static int expand(struct arena *a, const char *path, struct paths *out, struct err *err)
{
	size_t before = out->list.n;
	bool directory;
	struct stat st;
	int rc;

	if (strcmp(path, "-") == 0) {
		vec_push(&out->list, "-");
		return WN_OK;
	}
	if ((rc = os_named(path, &directory, err)) < 0)
		return rc;
	if (directory) {
		if ((rc = walk(a, path, 0, out, err)) < 0)
			return rc;
		if (out->list.n == before)
			return err_set(err, WN_USAGE,
				       "%s holds no archives (.warc, .arc, with .gz, .zst or .lz4, or .wacz); files of "
				       "other names are given one by one",
				       path);
		sort_array(out->list.p + before, out->list.n - before, sizeof *out->list.p, by_bytes);
		return WN_OK;
	}
	if (stat(path, &st))
		return err_sys(err, errno, "cannot look at %s", path);
	if (S_ISFIFO(st.st_mode))
		return err_set(err, WN_USAGE, "%s is a pipe; give it as standard input: - < %s", path, path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, WN_USAGE, "%s is neither a file nor a directory", path);
	vec_push(&out->list, path);
	return WN_OK;
}

void paths_unread(struct paths *p, struct arena *a, const struct err *why)
{
	vec_push(&p->unread, arena_strz(a, str(why->text)));
}

void paths_release(struct paths *p)
{
	vec_release(&p->list);
	vec_release(&p->unread);
}

int inputs_expand(struct arena *a, const char *const *paths, size_t n, struct paths *out, struct err *err)
{
	size_t before = out->list.n;
	struct err worst = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct err why = { 0 };
		int rc = expand(a, paths[i], out, &why);

		if (rc == WN_OK)
			continue;
		paths_unread(out, a, &why);
		if (worst.code == WN_OK || (worst.code == WN_USAGE && rc != WN_USAGE))
			worst = why;
	}
	if (out->list.n > before || worst.code == WN_OK)
		return WN_OK;
	*err = worst;
	return worst.code;
}

uint64_t inputs_bytes(const struct paths *p)
{
	uint64_t sum = 0;
	struct stat st;

	for (size_t i = 0; i < p->list.n; i++)
		if (stat(p->list.p[i], &st) == 0 && S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
	return sum;
}

/* XXH3-128 of the first n bytes of a file. */
static int fingerprint(const char *path, uint64_t n, unsigned char hash[16], struct err *err)
{
	enum { PIECE = 1 << 20 };
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t canonical;
	unsigned char *piece = mem_alloc(PIECE);
	uint64_t at = 0;
	int fd = -1, rc;

	XXH3_128bits_reset(state);
	rc = os_open(&fd, path, O_RDONLY, err);
	while (rc == WN_OK && at < n) {
		size_t want = n - at < PIECE ? (size_t)(n - at) : PIECE, got = 0;

		if ((rc = os_pread(fd, piece, want, at, &got, path, err)) < 0 || got == 0)
			break;
		XXH3_128bits_update(state, piece, got);
		at += got;
	}
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	memcpy(hash, canonical.digest, 16);
	XXH3_freeState(state);
	mem_free(piece);
	os_close(&fd);
	return rc;
}

int inputs_state(const struct catalog_file *f, enum file_state *out, uint64_t *bytes, struct err *err)
{
	struct arena a = { 0 };
	const char *path = arena_strz(&a, f->path);
	unsigned char hash[16];
	struct stat st;
	int rc = WN_OK;

	*bytes = 0;
	if (stat(path, &st)) {
		*out = FILE_GONE;
		rc = errno == ENOENT || errno == ENOTDIR ? WN_OK : err_sys(err, errno, "cannot look at %s", path);
	} else if ((*bytes = (uint64_t)st.st_size) < f->bytes) {
		*out = FILE_SHRUNK;
	} else if ((rc = fingerprint(path, f->bytes, hash, err)) == WN_OK) {
		bool same = memcmp(hash, f->hash, sizeof hash) == 0;

		*out = !same ? FILE_REPLACED : *bytes > f->bytes ? FILE_GROWN : FILE_SAME;
	}
	arena_release(&a);
	return rc;
}

struct known_file {
	struct catalog_file file;
	bool fresh; /* of this command: it has no row yet */
};

struct known_files {
	VEC(struct known_file) list;
	struct arena arena;
};

static int remember(void *context, const struct catalog_file *f)
{
	struct known_files *k = context;
	struct catalog_file copy = *f;

	copy.path = arena_str(&k->arena, f->path);
	vec_push(&k->list, ((struct known_file){ copy, false }));
	return WN_OK;
}

int known_files_load(struct known_files **out, struct catalog *c, struct err *err)
{
	struct known_files *k = mem_zalloc(sizeof *k);
	int rc = catalog_files(c, remember, k, err);

	if (rc < 0) {
		known_files_free(k);
		return rc;
	}
	*out = k;
	return WN_OK;
}

void known_files_free(struct known_files *k)
{
	if (!k)
		return;
	arena_release(&k->arena);
	vec_release(&k->list);
	mem_free(k);
}

static int64_t mtime_of(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* Whether the bytes of f still lie where they were read; if not, or if nobody can tell, another path with them counts. */
static bool still_there(const struct catalog_file *f)
{
	enum file_state state;
	struct err unheard = { 0 };
	uint64_t bytes;

	return inputs_state(f, &state, &bytes, &unheard) == WN_OK && (state == FILE_SAME || state == FILE_GROWN);
}

/* The known file that this one is, or begins with; NULL for a new one. */
static int match(struct known_files *k, const char *path, const struct stat *st, struct known_file **out,
		 struct err *err)
{
	unsigned char hash[16];
	uint64_t hashed = UINT64_MAX;
	int rc;

	*out = NULL;
	for (size_t i = 0; i < k->list.n; i++) {
		const struct catalog_file *f = &k->list.p[i].file;

		if (f->bytes == (uint64_t)st->st_size && f->mtime == mtime_of(st) && str_eq(f->path, str(path))) {
			*out = &k->list.p[i]; /* untouched: no need to read it */
			return WN_OK;
		}
	}
	for (size_t i = 0; i < k->list.n; i++) {
		const struct catalog_file *f = &k->list.p[i].file;
		bool same_size = f->bytes == (uint64_t)st->st_size, same_path = str_eq(f->path, str(path));

		if (!same_size && !(same_path && f->bytes < (uint64_t)st->st_size))
			continue;
		if (hashed != f->bytes && (rc = fingerprint(path, f->bytes, hash, err)) < 0)
			return rc;
		hashed = f->bytes;
		if (memcmp(hash, f->hash, sizeof hash) == 0) {
			*out = &k->list.p[i];
			return WN_OK;
		}
	}
	return WN_OK;
}

int known_files_look(struct known_files *k, struct arena *a, const char *path, uint64_t *next_id, struct input *out,
		     struct err *err)
{
	struct known_file *f;
	char *real = realpath(path, NULL);
	struct stat st;
	int rc;

	*out = (struct input){ .path = arena_strz(a, str(real ? real : path)) };
	free(real);
	if (stat(path, &st))
		return err_sys(err, errno, "cannot look at %s", path);
	if ((rc = match(k, out->path, &st, &f, err)) < 0)
		return rc;
	if (f && !str_eq(f->file.path, str(out->path)) && still_there(&f->file)) /* a copy: the first one stays */
		out->path = arena_strz(a, f->file.path);
	if (f)
		out->file = f->file;
	else
		out->file.id = (*next_id)++;
	out->known = f && !f->fresh;
	out->moved = out->known && !str_eq(f->file.path, str(out->path));
	out->skip = f && f->file.complete && f->file.bytes == (uint64_t)st.st_size;
	out->start = f ? f->file.done_to : 0;
	out->last_again = f && f->file.complete && f->file.done_to < f->file.bytes;
	out->file.path = str(out->path);
	out->file.mtime = mtime_of(&st);
	if (!f || f->file.bytes != (uint64_t)st.st_size) {
		out->file.bytes = (uint64_t)st.st_size;
		if ((rc = fingerprint(path, out->file.bytes, out->file.hash, err)) < 0)
			return rc;
	}
	/* a second path of this command with the same bytes is then known too, and this path is taken */
	if (!f) {
		vec_push(&k->list, ((struct known_file){ out->file, true }));
		f = &vec_last(&k->list);
		f->file.complete = true;
	}
	f->file.path = arena_str(&k->arena, out->file.path);
	return WN_OK;
}

/* The known file, other than in's own, that was last seen at in's path. */
static uint64_t replaced_by(const struct known_files *k, const struct input *in)
{
	for (size_t i = 0; i < k->list.n; i++) {
		const struct known_file *f = &k->list.p[i];

		if (!f->fresh && f->file.id != in->file.id && str_eq(f->file.path, str(in->path)))
			return f->file.id;
	}
	return 0;
}

int inputs_clear(struct catalog *c, const struct known_files *k, struct input *in, uint64_t *files, uint64_t *captures,
		 struct err *err)
{
	uint64_t replaced = replaced_by(k, in), removed = 0;
	int rc = WN_OK;

	if (replaced && (rc = catalog_remove(c, replaced, 0, &removed, err)) == WN_OK) {
		*files += 1;
		*captures += removed;
	}
	if (rc == WN_OK && in->known) {
		rc = catalog_remove(c, in->file.id, in->start, &removed, err);
		if (in->start == 0)
			in->file.records = 0;
		else if (in->last_again && in->file.records)
			in->file.records--;
	}
	in->go_on = in->start;
	in->before = in->file.records;
	in->file.complete = false;
	in->file.done_to = in->start;
	return rc;
}

/* serve/upload.c -- archive files from a browser: streamed to disk, then a collection, then a job that ingests them.
 *
 * The body, a form with a file or the file itself, goes to UPLOADS/.part-N as it
 * comes; when it is whole it becomes COLL/incoming/NAME, where the collection
 * is new (below UPLOADS) or one that is served.  What is no archive by its first
 * bytes is refused at once, what does not fit on the disk before it fills it.  A
 * body that breaks off leaves nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"
#include "serve/jobs.h"
#include "serve/multipart.h"
#include "serve/routes.h"
#include "serve/server_int.h"
#include "serve/setup.h"

struct upload {
	struct multipart form;
	int fd;
	const char *part; /* path */
	uint64_t bytes;
	char first[8];
	struct err err;
	int status; /* of the refusal */
};

/* ---- taking bytes ---- */

static bool is_archive(const char first[8], uint64_t n)
{
	static const struct {
		const char *bytes;
		unsigned n;
	} all[] = { { "\x1f\x8b", 2 },
		    { "WARC/", 5 },
		    { "PK\3\4", 4 },
		    { "\x28\xb5\x2f\xfd", 4 },
		    { "\x5d\x2a\x4d\x18", 4 },
		    { "\x04\x22\x4d\x18", 4 },
		    { "BZh", 3 },
		    { "filedesc", 8 } };

	for (size_t i = 0; i < COUNT(all); i++)
		if (n >= all[i].n && memcmp(first, all[i].bytes, all[i].n) == 0)
			return true;
	return false;
}

static bool take_bytes(void *context, struct str bytes)
{
	struct upload *u = context;

	if (u->bytes < sizeof u->first) {
		size_t room = sizeof u->first - (size_t)u->bytes, n = bytes.n < room ? bytes.n : room;

		memcpy(u->first + u->bytes, bytes.p, n);
		if (u->bytes + bytes.n >= sizeof u->first && !is_archive(u->first, sizeof u->first)) {
			u->status = 415;
			err_set(&u->err, WN_USAGE,
				"this is no archive: WARC, ARC or WACZ is wanted, plain or compressed");
			return false;
		}
	}
	u->bytes += bytes.n;
	if (os_write(u->fd, bytes.p, bytes.n, u->part, &u->err) == WN_OK)
		return true;
	u->status = strstr(u->err.text, "No space left") ? 507 : 503;
	return false;
}

static void upload_drop(struct request *q)
{
	struct upload *u = q->upload;

	q->upload_end = NULL;
	multipart_release(&u->form);
	os_close(&u->fd);
	os_unlink(u->part, NULL);
}

static bool has_room(struct request *q, const char *dir)
{
	struct statvfs v;
	uint64_t want;

	if (!str_u64(request_header(q, "Content-Length"), &want) || statvfs(dir, &v) < 0)
		return true;
	return want + 64 * MIB < (uint64_t)v.f_bavail * v.f_frsize;
}

static bool upload_begin(struct request *q, struct response *r)
{
	static _Atomic unsigned next;
	struct upload *u = ARENA_NEW(&q->arena, struct upload);
	const char *dir = q->served ? q->served->dir : q->server->uploads;
	struct err err = { 0 };

	u->fd = -1;
	if (!q->served && setup_make_dirs(dir, &err) < 0) {
		response_err(r, &err);
		return false;
	}
	if (!has_room(q, dir)) {
		response_error(r, 507, "the disk has no room for this file");
		return false;
	}
	if (!multipart_init(&u->form, request_header(q, "Content-Type"))) {
		response_error(r, 400, "this form names no boundary");
		return false;
	}
	u->part = arena_printf(&q->arena, "%s/.part-%ld-%u", dir, (long)getpid(), next++).p;
	if (os_open(&u->fd, u->part, O_WRONLY | O_CREAT | O_EXCL, &err) < 0) {
		multipart_release(&u->form);
		response_err(r, &err);
		return false;
	}
	q->upload = u;
	q->upload_end = upload_drop;
	return true;
}

bool upload_sink(struct request *q, struct response *r, struct str data)
{
	struct upload *u;
	bool bad;

	if (!q->upload && !upload_begin(q, r))
		return false;
	u = q->upload;
	if (multipart_add(&u->form, data, take_bytes, u, &bad))
		return true;
	response_error(r, bad ? 400 : u->status, "%s", bad ? "the form cannot be read" : u->err.text);
	return false;
}

/* ---- names ---- */

/* Letters, digits, '.', '_', '-' of the last part of a path; never empty, never hidden. */
static char *plain_name(struct request *q, struct str name, const char *otherwise)
{
	ptrdiff_t slash = str_rchr(name, '/'), back = str_rchr(name, '\\');
	char *out;
	size_t n = 0;

	name = str_sub(name, (size_t)((slash > back ? slash : back) + 1), name.n);
	out = arena_alloc(&q->arena, name.n + strlen(otherwise) + 1);
	for (size_t i = 0; i < name.n && n < 120; i++)
		if (ascii_alpha(name.p[i]) || ascii_digit(name.p[i]) || strchr("_-", name.p[i]) ||
		    (name.p[i] == '.' && n))
			out[n++] = name.p[i];
	out[n] = 0;
	if (!n)
		strcpy(out, otherwise);
	return out;
}

/* "news-2010.warc.gz" is of a collection news-2010. */
static void without_extensions(char *name)
{
	static const char *const ends[] = { ".gz", ".zst", ".lz4", ".bz2", ".warc", ".arc", ".wacz" };
	bool cut = true;

	while (cut) {
		cut = false;
		for (size_t i = 0; i < COUNT(ends); i++)
			if (str_iends(str(name), str(ends[i])) && strlen(name) > strlen(ends[i])) {
				name[strlen(name) - strlen(ends[i])] = 0;
				cut = true;
			}
	}
}

/* ---- what becomes of it ---- */

static void answer(struct request *q, struct response *r, struct str job, const char *coll)
{
	if (!str_starts(q->path, STR("/api/"))) {
		response_redirect(r, 303, request_href(q, "/jobs/%.*s", STR_FMT(job)));
		return;
	}
	r->status = 202;
	response_header(r, "Location", request_href(q, "/api/v1/jobs/%.*s", STR_FMT(job)));
	response_json(
	    r, arena_printf(&q->arena, "{\"data\":{\"job\":\"%.*s\",\"collection\":\"%s\"}}\n", STR_FMT(job), coll));
}

static bool start_ingest(struct request *q, struct response *r, const struct served *to, const char *path)
{
	struct job_request job = { .coll = to->name, .file = path };
	struct err err = { 0 };
	struct str id;

	if (jobs_add(&q->arena, &job, &id, &err) < 0) {
		response_err(r, &err);
		return false;
	}
	answer(q, r, id, to->name);
	return true;
}

/* A free name in the folder: NAME, then 2-NAME, 3-NAME. */
static const char *free_path(struct request *q, const char *dir, const char *name)
{
	const char *path = arena_printf(&q->arena, "%s/%s", dir, name).p;

	for (unsigned i = 2; access(path, F_OK) == 0 && i < 10000; i++)
		path = arena_printf(&q->arena, "%s/%u-%s", dir, i, name).p;
	return path;
}

/* The file that came, into the collection. */
static void keep(struct request *q, struct response *r, const struct served *to, const char *name)
{
	struct upload *u = q->upload;
	const char *dir = arena_printf(&q->arena, "%s/incoming", to->dir).p, *path;
	struct err err = { 0 };

	if (os_mkdir(dir, &err) < 0 || os_fsync(u->fd, u->part, &err) < 0) {
		response_err(r, &err);
		return;
	}
	path = free_path(q, dir, name);
	if (os_rename(u->part, path, &err) < 0 || os_fsync_dir(dir, &err) < 0) {
		response_err(r, &err);
		return;
	}
	start_ingest(q, r, to, path);
}

static bool complete(struct request *q, struct response *r)
{
	struct upload *u = q->upload;

	if (u && u->bytes && is_archive(u->first, u->bytes < 8 ? u->bytes : 8))
		return true;
	response_error(r, 400,
		       u && u->form.plain == false && !u->form.had_file ? "the form has no file"
									: "there is no archive in this request");
	return false;
}

static struct str said(struct request *q, const char *name)
{
	struct upload *u = q->upload;
	struct str v = request_param(q, name);

	return v.n ? v : u ? multipart_field(&u->form, name) : STR_NONE;
}

static char *file_name(struct request *q)
{
	struct upload *u = q->upload;
	struct str given = u->form.file[0] ? str(u->form.file) : request_param(q, "file");

	return plain_name(q, given, "upload.warc.gz");
}

/* POST /api/v1/collections/{c}/archives, /c/{c}/upload: one more file. */
void upload_add(struct request *q, struct response *r)
{
	if (!q->served)
		response_error(r, 404, "there is no such collection here");
	else if (complete(q, r))
		keep(q, r, q->served, file_name(q));
}

/* POST /api/v1/collections?name=&file=, /upload: a new collection. */
void upload_new(struct request *q, struct response *r)
{
	const struct served *to;
	struct str wish = said(q, "name");
	struct err err = { 0 };
	char *name;

	if (!complete(q, r))
		return;
	name = plain_name(q, wish.n ? wish : str(file_name(q)), "upload");
	if (!wish.n)
		without_extensions(name);
	if (setup_add(q->server, name, wish.n > 0, &to, &err) < 0) {
		response_error(r, err.code == WN_USAGE ? 409 : 503, "%s", err.text);
		return;
	}
	keep(q, r, to, file_name(q));
}

/* ---- the sample ---- */

static const char *const sample_files[] = { "sample-spring-2010.warc.gz", "sample-autumn-2010.warc.gz",
					    "sample-spring-2011.warc.gz" };

/* Beside the program, or where it is installed; NULL: not here. */
static const char *sample_dir(struct request *q)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	ptrdiff_t slash;

	if (n <= 0)
		return NULL;
	slash = str_rchr(str_n(self, (size_t)n), '/');
	for (int i = 0; i < 2; i++) {
		const char *dir = arena_printf(&q->arena, "%.*s%s", (int)slash, self, i ? "/../share/winnow" : "").p;

		if (access(arena_printf(&q->arena, "%s/%s", dir, sample_files[0]).p, R_OK) == 0)
			return dir;
	}
	return NULL;
}

/* POST /api/v1/sample, /sample: the collection that comes with winnow; once more it is only shown. */
void upload_sample(struct request *q, struct response *r)
{
	const struct served *to = server_find(q->server, STR("sample"), false);
	const char *from = sample_dir(q), *dir;
	struct err err = { 0 };
	struct str bytes;

	if (to && !str_starts(q->path, STR("/api/"))) {
		response_redirect(r, 303, request_href(q, "/c/sample"));
		return;
	}
	if (to) {
		response_error(r, 409, "the sample is here already");
		return;
	}
	if (!from) {
		response_error(r, 404, "the sample's files are not installed beside this program");
		return;
	}
	if (setup_make_dirs(q->server->uploads, &err) < 0 || setup_add(q->server, "sample", true, &to, &err) < 0 ||
	    os_mkdir(dir = arena_printf(&q->arena, "%s/incoming", to->dir).p, &err) < 0) {
		response_err(r, &err);
		return;
	}
	for (size_t i = 0; i < COUNT(sample_files); i++) {
		const char *source = arena_printf(&q->arena, "%s/%s", from, sample_files[i]).p;
		const char *path = arena_printf(&q->arena, "%s/%s", dir, sample_files[i]).p;
		struct os_atomic f = { 0 };

		if (os_slurp(&q->arena, source, 64 * MIB, &bytes, &err) < 0 || os_atomic_open(&f, path, &err) < 0 ||
		    os_write(f.fd, bytes.p, bytes.n, path, &err) < 0 || os_atomic_commit(&f, &err) < 0) {
			os_atomic_abort(&f);
			response_err(r, &err);
			return;
		}
	}
	start_ingest(q, r, to, dir);
}

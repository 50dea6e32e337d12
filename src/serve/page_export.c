/* serve/page_export.c -- what a cover keeps as an archive file, to take away.
 *
 * A small one is written whole into a folder of its own, opened, and unlinked
 * before the first byte is sent: a client that goes away leaves nothing.  It is
 * made while the client waits, so a cover that keeps more than EXPORT_AT_ONCE
 * documents becomes a job (exports.h), and its file is fetched by GET when that has
 * ended.  With access rules of the server's own (--acl) there is no such
 * download: the exporter knows only those of the collection.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"
#include "serve/cover_ui.h"
#include "serve/exports.h"
#include "serve/jobs.h"

enum { EXPORT_AT_ONCE = 5000 };

struct file {
	int fd;
	struct err err;
};

static ptrdiff_t file_more(void *context, char *p, size_t n)
{
	struct file *f = context;
	size_t got;

	return os_read(f->fd, p, n, &got, "export", &f->err) < 0 ? -1 : (ptrdiff_t)got;
}

static void file_done(void *context)
{
	struct file *f = context;

	os_close(&f->fd);
}

/* The folder and whatever is in it; an export may leave a methods note beside its file. */
static void remove_folder(struct arena *a, const char *dir)
{
	struct str *names;
	size_t n;

	if (os_list(a, dir, "", &names, &n, NULL) == WN_OK)
		for (size_t i = 0; i < n; i++)
			os_unlink(arena_printf(a, "%s/%.*s", dir, STR_FMT(names[i])).p, NULL);
	rmdir(dir);
}

static int write_export(struct request *q, struct collection *coll, const struct cover_row *row,
			const struct export_form *form, struct file *f, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir =
	    arena_strz(&q->arena, arena_printf(&q->arena, "%s/winnow-export-XXXXXX", tmp && tmp[0] ? tmp : "/tmp"));
	struct export_report report;
	const char *path;
	int rc;

	if (!mkdtemp(dir))
		return err_set(err, WN_IO, "there is no room for the export: %s cannot be written",
			       tmp && tmp[0] ? tmp : "/tmp");
	path = arena_printf(&q->arena, "%s/cover-%" PRIu64 ".%s", dir, row->id, form->ending).p;
	rc = export_run(
	    coll,
	    &(struct export_request){
		.format = form->format, .path = path, .cover = row, .threads = 1, .memory = 256 * MIB, .tmp = dir },
	    &report, err);
	if (rc == WN_OK)
		rc = os_open(&f->fd, path, O_RDONLY, err);
	remove_folder(&q->arena, dir);
	return rc;
}

/* The cover and form that the address names; false with the error in r. */
static bool asked_for(struct request *q, struct response *r, const struct export_form **form, struct collection **coll,
		      struct cover_row *row)
{
	if (!(*form = export_form(request_arg(q, "format")))) {
		response_error(r, 404, "an export is warc, wacz or cdxj");
		return false;
	}
	if (!cover_open(q, r, "cover", coll, row))
		return false;
	if (!q->server->options.acl)
		return true;
	page_done(*coll);
	response_error(r, 409, "this is for the command line: winnow export %s --cover %" PRIu64 " --format %s -o FILE",
		       q->served->name, row->id, (*form)->format);
	return false;
}

static void send_file(struct response *r, struct file *f, const struct cover_row *row, const struct export_form *form)
{
	struct stat st;

	r->policy = POLICY_DATA;
	response_headerf(r, "Content-Disposition", "attachment; filename=\"cover-%" PRIu64 ".%s\"", row->id,
			 form->ending);
	response_stream(r, form->type, file_more, file_done, f);
	r->plain = true; /* it is compressed already, and its length is told */
	if (fstat(f->fd, &st) == 0)
		r->length = (uint64_t)st.st_size;
}

static void start_job(struct request *q, struct response *r, const struct cover_row *row,
		      const struct export_form *form)
{
	struct job_request job = { .coll = q->served->name, .export = row->id, .format = form->format };
	struct err err = { 0 };
	struct str id;

	if (jobs_add(&q->arena, &job, &id, &err) < 0)
		response_err(r, &err);
	else
		response_redirect(r, 303, request_href(q, "/jobs/%.*s", STR_FMT(id)));
}

void page_export(struct request *q, struct response *r)
{
	struct file *f = ARENA_NEW(&q->arena, struct file);
	const struct export_form *form;
	struct collection *coll;
	struct cover_row row;
	struct err err = { 0 };
	int rc;

	*f = (struct file){ .fd = -1 };
	if (!asked_for(q, r, &form, &coll, &row))
		return;
	if (row.kept > EXPORT_AT_ONCE || str_eq(request_param(q, "as"), STR("job"))) {
		page_done(coll);
		start_job(q, r, &row, form);
		return;
	}
	rc = write_export(q, coll, &row, form, f, &err);
	page_done(coll);
	if (rc < 0)
		response_err(r, &err);
	else
		send_file(r, f, &row, form);
}

/* GET: the file that a job made of the cover as it is now. */
void page_exported(struct request *q, struct response *r)
{
	struct file *f = ARENA_NEW(&q->arena, struct file);
	const struct export_form *form;
	struct collection *coll;
	struct cover_row row;
	const char *path;

	*f = (struct file){ .fd = -1 };
	if (!asked_for(q, r, &form, &coll, &row))
		return;
	page_done(coll);
	path = exports_path(&q->arena, q->served->dir, &row, form, NULL);
	if (!path || os_open(&f->fd, path, O_RDONLY, NULL) < 0)
		response_error(r, 404,
			       "no such file was made of cover %" PRIu64
			       " yet, or the cover or the access rules have changed since",
			       row.id);
	else
		send_file(r, f, &row, form);
}

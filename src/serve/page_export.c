/* serve/page_export.c -- what a cover keeps as an archive file, to take away.
 *
 * The file is written whole into a folder of its own, opened, and unlinked
 * before the first byte is sent: a client that goes away leaves nothing.  It is
 * made while the client waits, so covers that keep more than EXPORT_AT_ONCE
 * documents are for the command line, which the answer names.  With access rules of
 * the server's own (--acl) there is no such download: the exporter knows only
 * those of the collection.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/os.h"
#include "flow/export.h"
#include "serve/cover_ui.h"

enum { EXPORT_AT_ONCE = 5000 };

static const struct {
	const char *format, *ending, *type;
} formats[] = {
	{ "warc", "warc.gz", "application/warc" },
	{ "wacz", "wacz", "application/wacz" },
	{ "cdxj", "cdxj", "text/x-cdxj" },
};

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

static int write_export(struct request *q, struct collection *coll, const struct cover_row *row, unsigned which,
			struct file *f, struct err *err)
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
	path = arena_printf(&q->arena, "%s/cover-%" PRIu64 ".%s", dir, row->id, formats[which].ending).p;
	rc = export_run(coll,
			&(struct export_request){ .format = formats[which].format,
						  .path = path,
						  .cover = row,
						  .threads = 1,
						  .memory = 256 * MIB,
						  .tmp = dir },
			&report, err);
	if (rc == WN_OK)
		rc = os_open(&f->fd, path, O_RDONLY, err);
	remove_folder(&q->arena, dir);
	return rc;
}

void page_export(struct request *q, struct response *r)
{
	struct str format = request_arg(q, "format");
	struct file *f = ARENA_NEW(&q->arena, struct file);
	struct collection *coll;
	struct cover_row row;
	struct err err = { 0 };
	unsigned which = 0;
	int rc;

	*f = (struct file){ .fd = -1 };
	while (which < COUNT(formats) && !str_eq(format, str(formats[which].format)))
		which++;
	if (which == COUNT(formats)) {
		response_error(r, 404, "an export is warc, wacz or cdxj");
		return;
	}
	if (!cover_open(q, r, "cover", &coll, &row))
		return;
	if (row.kept > EXPORT_AT_ONCE || q->server->options.acl) {
		page_done(coll);
		response_error(r, 409,
			       "this is for the command line: winnow export %s --cover %" PRIu64 " --format %s -o FILE",
			       q->served->name, row.id, formats[which].format);
		return;
	}
	rc = write_export(q, coll, &row, which, f, &err);
	page_done(coll);
	if (rc < 0) {
		response_err(r, &err);
		return;
	}
	r->policy = POLICY_DATA;
	response_headerf(r, "Content-Disposition", "attachment; filename=\"cover-%" PRIu64 ".%s\"", row.id,
			 formats[which].ending);
	response_stream(r, formats[which].type, file_more, file_done, f);
}

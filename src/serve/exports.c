/* serve/exports.c -- see exports.h. */
#include "serve/exports.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "base/os.h"
#include "flow/acl.h"

static const struct export_form forms[] = {
	{ "warc", "warc.gz", "application/warc" },
	{ "wacz", "wacz", "application/wacz" },
	{ "cdxj", "cdxj", "text/x-cdxj" },
};

const struct export_form *export_form(struct str format)
{
	for (size_t i = 0; i < COUNT(forms); i++)
		if (str_eq(format, str(forms[i].format)))
			return &forms[i];
	return NULL;
}

static const char *folder_of(struct arena *a, const char *dir) { return arena_printf(a, "%s/exports", dir).p; }

const char *exports_path(struct arena *a, const char *dir, const struct cover_row *row, const struct export_form *f,
			 struct err *err)
{
	struct str rules = STR("");
	uint64_t state;

	if (acl_state_of(dir, &state, err) < 0)
		return NULL;
	if (state)
		rules = arena_printf(a, "-a%016" PRIx64, state);
	return arena_printf(a, "%s/exports/cover-%" PRIu64 "-r%" PRIu64 "%.*s.%s", dir, row->id, row->revision,
			    STR_FMT(rules), f->ending)
	    .p;
}

/* Takes out what the new file stands for, and the oldest beyond the limit. */
static void make_room(struct arena *a, const char *folder, struct str fresh, const struct cover_row *row,
		      const struct export_form *f)
{
	struct str head = arena_printf(a, "cover-%" PRIu64 "-r", row->id), *names;
	size_t n, left = 0;

	if (os_list(a, folder, "", &names, &n, NULL) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		bool older =
		    str_starts(names[i], head) && str_ends(names[i], str(f->ending)) && !str_eq(names[i], fresh);

		if (older)
			os_unlink(arena_printf(a, "%s/%.*s", folder, STR_FMT(names[i])).p, NULL);
		else
			names[left++] = names[i];
	}
	for (; left > LIMIT_EXPORTS; left--) {
		size_t oldest = 0;
		int64_t time = INT64_MAX;

		for (size_t i = 0; i < left; i++) {
			struct stat st;

			if (stat(arena_printf(a, "%s/%.*s", folder, STR_FMT(names[i])).p, &st) == 0 &&
			    st.st_mtime < time) {
				time = st.st_mtime;
				oldest = i;
			}
		}
		os_unlink(arena_printf(a, "%s/%.*s", folder, STR_FMT(names[oldest])).p, NULL);
		names[oldest] = names[left - 1];
	}
}

int exports_make(struct arena *a, const char *dir, struct collection *coll, const struct cover_row *row,
		 const struct export_form *f, unsigned threads, uint64_t memory, struct err *err)
{
	const char *folder = folder_of(a, dir), *path = exports_path(a, dir, row, f, err);
	struct export_request q = {
		.format = f->format, .path = path, .cover = row, .threads = threads, .memory = memory, .tmp = folder
	};
	struct export_report report;
	int rc;

	if (!path)
		return WN_DATA;
	if ((rc = os_mkdir(folder, err)) < 0 || (rc = export_run(coll, &q, &report, err)) < 0)
		return rc;
	make_room(a, folder, str_sub(str(path), strlen(folder) + 1, strlen(path)), row, f);
	return WN_OK;
}

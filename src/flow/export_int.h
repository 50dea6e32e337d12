/* flow/export_int.h -- what the files of export share. */
#ifndef WINNOW_FLOW_EXPORT_INT_H
#define WINNOW_FLOW_EXPORT_INT_H
#include "archive/cdx.h"
#include "flow/export.h"
#include "flow/linesort.h"

struct exporter {
	struct collection *coll;
	const struct export_request *q;
	struct export_report *report;
	enum export_what what;
	struct acl *acl; /* NULL: none */
	struct arena arena;
	struct rule_env env;
	struct selection docs;
	struct cover_member *members; /* NULL without a cover; by capture id */
	size_t n_members;
	struct run run; /* graph only */
	const char *path;
	struct buf out;
	int fd;
	struct archive_writer *archive; /* warc and wacz */
	struct wacz *wacz;
	struct linesort lines; /* cdxj only */
	struct err *err;
};

int export_each(struct exporter *x,
		int (*each)(struct exporter *x, const struct capture *c, const struct cover_member *m, size_t doc),
		struct err *err);
struct cdx export_cdx(const struct capture *c);

int export_warc(struct exporter *x);
int export_wacz(struct exporter *x);
#endif

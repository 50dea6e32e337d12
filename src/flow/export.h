/* flow/export.h -- handing a collection, or what a cover keeps of it, to others.
 *
 * One table (export.c) lists the formats.  A file appears whole or not at all.
 */
#ifndef WINNOW_FLOW_EXPORT_H
#define WINNOW_FLOW_EXPORT_H
#include "flow/covers.h"

enum export_what { EXPORT_DEFAULT, EXPORT_KEPT, EXPORT_DROPPED, EXPORT_ALL };

struct export_request {
	const char *format, *path; /* path "-": standard output, for the text formats */
	enum export_what what;
	const struct cover_row *cover; /* NULL: the whole collection */
	unsigned threads;
	uint64_t memory;
	const char *tmp;
	bool yes; /* a graph of very many pairs too */
};

struct export_report {
	uint64_t documents, bytes, copied, rewritten, originals, warcinfos;
	uint64_t
	    missing; /* captures asked for whose record could not be handed out (warc, wacz); a warning names the first */
	bool methods; /* a methods note stands beside it */
};

extern const char export_formats[]; /* "warc|wacz|...": what --format takes */
/* WN_NONE with `missing`: an archive was asked for, and no record of it could be read. */
int export_run(struct collection *coll, const struct export_request *q, struct export_report *out, struct err *err);
/* What a paper's appendix says of a cover: selection, rule, hash, revision, version, counts, proof; report: with that of
 * the run, which counts hosts by name and so is not for those from whom access rules hide some. */
void export_methods(const struct cover_row *row, const struct catalog_settings *s, bool report, struct buf *out);
#endif

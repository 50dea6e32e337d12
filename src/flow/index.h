/* flow/index.h -- a sorted index of archive files, with no collection.
 *
 * Records are read and their lines made on all threads (archive/scan.h); the
 * lines are sorted by bytes in a buffer of bounded size and, beyond it, in
 * sorted runs of one temporary file that are merged at the end.  The output
 * does not depend on threads or memory.
 *
 * Indexed: response, revisit, resource and metadata records, the last two
 * unless their type is application/warc-fields; every record of an ARC but
 * its version block.  A payload digest is the record's own where it has one, as
 * other indexers write it (a wrong one is counted as a flaw, but not with `quick`), else computed.
 * With post_append a request other than GET next to its response makes part of
 * the response's urlkey (archive/cdx.h).
 */
#ifndef WINNOW_FLOW_INDEX_H
#define WINNOW_FLOW_INDEX_H
#include "archive/cdx.h"
#include "archive/scan.h"
#include "archive/surt.h"

struct index_options {
	enum cdx_format format;
	bool post_append;
	bool quick; /* payloads are passed over where the record has their digest, which is then not checked */
	unsigned threads;
	uint64_t memory;		    /* of the sort; 0: 48 MiB */
	const char *tmp;		    /* directory for runs; NULL: /tmp */
	const struct surt_profile *profile; /* NULL: ia-surt */
	void *context;
	int (*write)(void *context, struct str lines, struct err *err); /* sorted lines, in pieces */
	/* a file that could not be read or is no archive, with the reason; may be NULL */
	void (*trouble)(void *context, const char *path, const char *why);
	void (*progress)(void *context, uint64_t bytes); /* may be NULL */
};

struct index_report {
	uint64_t files, records, lines, flaws;
	uint64_t not_archives; /* files without one record that can be read */
	uint64_t failed;       /* files that could not be read to their end */
	uint64_t runs;	       /* sorted runs that went to disk */
};

int index_paths(const struct index_options *o, const char *const *paths, size_t n, struct index_report *report,
		struct err *err);
#endif

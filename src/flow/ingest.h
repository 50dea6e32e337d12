/* flow/ingest.h -- archive files into a collection.
 *
 * One pass over each file: records are read and turned into documents by many
 * threads, and entered in the order of the archive by one, so that the rows do
 * not depend on the number of threads.  Killed at any moment, what was
 * committed is there once, and the same call finishes the rest.
 */
#ifndef WINNOW_FLOW_INGEST_H
#define WINNOW_FLOW_INGEST_H
#include "flow/health.h"

struct ingest_options {
	unsigned threads;
	uint64_t memory;
	bool index_only; /* captures without documents */
	bool quick;	 /* with it: payloads whose digest the record names are passed over */
	bool no_fulltext;
	bool parse_all; /* do not skip the work on payloads seen before */
	const char *tmp;
	/* why a file of ingest_paths that inputs_expand found could not be read all the same; may be NULL */
	void (*trouble)(const char *why);
};

struct ingest_report {
	uint64_t files, files_skipped, files_failed, files_replaced, captures_replaced, captures_adopted, records,
	    captures_rejoined, captures, documents, contents, revisits_resolved, revisits_unresolved, flaws;
	uint64_t bytes_read, bytes_payload;
	bool bare; /* a file was skipped, and there are captures of which no documents were made (index_only) */
	double seconds;
	struct health_mended mended; /* of ingest_reprocess */
	char failure[1000];	     /* the first file that could not be read, and why */
};

/* Makes texts, sets and links of all captures anew from their archive files, when the extractor has changed, some were
 * lost or damaged, or `always`; else of those that were entered with index_only; ids of captures stay.  A capture whose file is gone keeps what it has and is counted as failed. */
int ingest_reprocess(struct collection *coll, bool always, const struct ingest_options *o, struct ingest_report *out,
		     struct err *err);

/* paths: files and directories; "-" is standard input, kept as incoming/NAME first. */
int ingest_paths(struct collection *coll, const char *const *paths, size_t n, const struct ingest_options *o,
		 struct ingest_report *out, struct err *err);
#endif

/* flow/import.h -- what others know of our captures: attributes from CSV, captures from CDX. */
#ifndef WINNOW_FLOW_IMPORT_H
#define WINNOW_FLOW_IMPORT_H
#include "flow/collection.h"

struct import_report {
	uint64_t rows, attributes, skipped;
	uint64_t known;		 /* lines of an index that were imported before */
	uint64_t unmatched;	 /* keys of no capture of the collection */
	char first_skipped[256]; /* why */
};

/* The first line names the columns; one of url, urlkey, host or id is the key,
 * the others become attributes.  A column is a number when every value is one,
 * a time when every value is a date, else text; empty cells are missing.
 * Importing a name again replaces its values. */
int import_attributes(struct collection *coll, const char *path, struct import_report *out, struct err *err);

/* Lines of CDXJ, CDX 11 or CDX 9, as they are or in gzip: captures without documents.  A line that is there, or whose record
 * was read from its archive file, is passed over; so an import that was cut short is finished by the same command. */
int import_cdx(struct collection *coll, const char *const *paths, size_t n, uint64_t memory, struct import_report *out,
	       struct err *err);
/* Whether path can be imported: it is there, is no archive, and can be unpacked when it is packed.  coll: a name for the advice. */
int import_cdx_look(const char *path, const char *coll, struct err *err);
#endif

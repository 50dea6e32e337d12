/* archive/arc.h -- ARC record lines, version 1 and 2, under WARC names.
 *
 *	URL IP-address Archive-date Content-type Archive-length
 *	URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length
 *
 * URLs contain spaces and types contain parameters, so a line is read from
 * both ends of its date: the rightmost run of 8 to 18 digits that has an
 * address beside it.
 */
#ifndef WINNOW_ARCHIVE_ARC_H
#define WINNOW_ARCHIVE_ARC_H
#include "archive/warc.h"

/* Is there an ARC line at the start of s?  Strict: only one that no garbage
 * would look like.  *size gets the length of the line with its line end. */
enum head_sight arc_sight(struct str s, bool all, bool strict, size_t *size);

/* Reads the line (arc_sight said yes).  `version` is the file's ARC version. */
void arc_parse(struct record *rec, struct str line, unsigned version, struct head_scratch *scratch, uint64_t at);

/* After the block's start is known: response, resource or warcinfo. */
void arc_type(struct record *rec, struct str block_start);
#endif

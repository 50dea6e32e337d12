/* flow/jsonl.h -- documents without archives: lines of JSON into a collection.
 *
 * Each line is an object; the map says which members are the text and, where
 * there are, id, url, time and title.  A document without a URL gets
 * urn:jsonl:ID.  A line that is no object or has no text is passed over, with a
 * flaw that names it.  The file has its row as archives have: the same bytes are
 * taken once, a file that grew is continued, one that was replaced is read anew.
 */
#ifndef WINNOW_FLOW_JSONL_H
#define WINNOW_FLOW_JSONL_H
#include "flow/ingest.h"

struct jsonl_map {
	char id[64], text[64], url[64], time[64], title[64]; /* names of members; empty: none */
};

/* "id=doc_id,text=body,url=link,time=date"; WN_USAGE for an unknown part. */
int jsonl_map_parse(struct str spec, struct jsonl_map *out, struct err *err);
int jsonl_ingest(struct collection *coll, const char *path, const struct jsonl_map *map, const struct ingest_options *o,
		 struct ingest_report *out, struct err *err);
#endif

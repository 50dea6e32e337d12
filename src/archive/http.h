/* archive/http.h -- HTTP heads as archives hold them.
 *
 * Everything that was ever served parses to something: a missing reason, HTTP/2
 * 200, "HTTP 200", "ICY 200", lines without a colon, folded lines, bare LF, status 0.
 * Cost: one pass over the head; nothing is allocated but unfolded values.
 */
#ifndef WINNOW_ARCHIVE_HTTP_H
#define WINNOW_ARCHIVE_HTTP_H
#include <stddef.h>

#include "archive/record.h"

struct http_head {
	bool request;
	int status;	       /* 0: none that can be read */
	unsigned major, minor; /* HTTP/1.1; 0.0 when unreadable */
	struct str reason;
	struct str method, target;  /* of a request */
	const struct field *fields; /* borrowed from the scratch */
	unsigned nfields;
	size_t size; /* bytes of the head with its empty line: where the body begins */
	/* the fields that everyone asks for, trimmed; STR_NONE when absent */
	struct str content_type, content_encoding, transfer_encoding, location, content_length;
};

/* Memory for the fields, kept from one head to the next.  Zero-initialised is valid. */
struct http_scratch {
	struct field *fields;
	unsigned cap;
	struct arena arena; /* unfolded values; reset by each parse */
};
void http_scratch_release(struct http_scratch *s);

/* Length of the head at the start of data: through the empty line; data.n when
 * there is none and `all` says that nothing follows; 0: more is needed. */
size_t http_head_size(struct str data, bool all);

/* What a head may be: almost any text begins like a request. */
enum http_kind { HTTP_EITHER, HTTP_RESPONSE, HTTP_REQUEST };
enum http_kind http_kind_of(enum record_type type); /* that records of the type hold */

/* Parses data, which begins with a head.  False when it does not begin with
 * anything like one of the kind (then head->size is 0 and all is body).  Slices
 * borrow from data and scratch.  Flaws get offset `at`. */
bool http_parse(struct http_head *head, enum http_kind kind, struct str data, struct http_scratch *scratch,
		struct flaws *flaws, uint64_t at);

/* The media type alone: cut at ';' or white space; borrowed. */
struct str http_mime(struct str content_type);
#endif

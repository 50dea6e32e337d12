/* flow/seen.h -- what ingest met before and need not make again; shared by its workers.
 *
 * Three tables of SEEN_SLOTS, each found by its key's low bits, where a newer one takes the place of an older: payloads
 * with what reading them gave, contents whose sets were made, pages whose links were.  To forget costs time, never an
 * answer.  All functions may be called by several threads; a NULL remembers nothing.
 */
#ifndef WINNOW_FLOW_SEEN_H
#define WINNOW_FLOW_SEEN_H
#include "catalog/catalog.h"

struct seen;
struct seen *seen_new(void);
void seen_free(struct seen *s); /* s may be NULL */

/* What a payload gave. */
struct seen_payload {
	unsigned char key[32]; /* of its content */
	uint64_t texts;	       /* hash of its texts */
	uint64_t page_key;
	int64_t published;
	uint8_t why;
	bool has_document;
	char mime[40], charset[24];
};

/* What an equal payload of the same URL under the same declared type gave before. */
bool seen_payload(struct seen *s, const struct capture *c, struct str type, struct seen_payload *out);
void seen_payload_is(struct seen *s, const struct capture *c, struct str type, const struct seen_payload *p);

/* Whether a content was seen before; from now on it was. */
bool seen_content(struct seen *s, const unsigned char key[32]);

bool seen_page(struct seen *s, uint64_t key);
void seen_page_is(struct seen *s, uint64_t key);
#endif

/* archive/digest.h -- sha1, sha256 and md5: computing, reading and writing them.
 *
 * Labels as found: "sha1:", "SHA-1:", in base16, base32 (any case) or base64
 * (also that of URLs), with or without padding.  Written: sha1 in base32, the others in lower-case hex.
 */
#ifndef WINNOW_ARCHIVE_DIGEST_H
#define WINNOW_ARCHIVE_DIGEST_H
#include "base/str.h"

enum digest_kind { DIGEST_NONE, DIGEST_SHA1, DIGEST_SHA256, DIGEST_MD5, DIGEST_KINDS };
#define DIGEST_MAX 32
#define DIGEST_TEXT 80 /* the longest text with label and NUL */

struct digest {
	enum digest_kind kind;
	unsigned char bytes[DIGEST_MAX];
};

/* False when the label is unknown or the value does not fit it. */
bool digest_parse(struct str text, struct digest *out);
bool digest_eq(const struct digest *a, const struct digest *b);
size_t digest_write(const struct digest *d, char out[DIGEST_TEXT]); /* "sha1:BASE32", NUL behind; its length */
/* The one spelling of a digest, as digest_write has it; of what digest_parse does not know, the text itself. */
struct str digest_spelled(struct str text, char out[DIGEST_TEXT]);
void digest_of(enum digest_kind kind, struct str data, struct digest *out);
void digest_sha256(struct str data, unsigned char out[32]);

/* A running digest; its context is kept between messages.  Zero-initialised is valid. */
struct hasher {
	void *context;
	enum digest_kind kind;
};
void hasher_begin(struct hasher *h, enum digest_kind kind);
void hasher_add(struct hasher *h, struct str data);
void hasher_end(struct hasher *h, struct digest *out);
void hasher_release(struct hasher *h);
#endif

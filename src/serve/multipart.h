/* serve/multipart.h -- the file in a form (multipart/form-data, RFC 7578), found while its bytes go by.
 *
 * A body that is no form is the file itself.  Fields without a file name of at
 * most MULTIPART_VALUE bytes are kept, the first part with one is the file; what comes
 * behind it is passed over.  Memory: one window of a few KiB.
 */
#ifndef WINNOW_SERVE_MULTIPART_H
#define WINNOW_SERVE_MULTIPART_H
#include "base/buf.h"

enum { MULTIPART_VALUE = 200, MULTIPART_FIELDS = 8 };

struct multipart {
	bool plain;	 /* no form */
	struct str mark; /* "\r\n--boundary" */
	struct buf held;
	int state;
	bool in_file, in_field, had_file;
	char file[256]; /* its name, as the browser said */
	struct {
		char name[32], value[MULTIPART_VALUE + 1];
		size_t n; /* bytes of the value, which may hold any */
	} fields[MULTIPART_FIELDS];
	unsigned n_fields;
};

/* content_type lasts as long as m.  False: a form without a boundary. */
bool multipart_init(struct multipart *m, struct str content_type);
void multipart_release(struct multipart *m);
/* Takes bytes; calls out for those of the file.  False: out returned false, or it is no form (then *bad). */
bool multipart_add(struct multipart *m, struct str data, bool (*out)(void *context, struct str bytes), void *context,
		   bool *bad);
struct str multipart_field(const struct multipart *m, const char *name);
#endif

/* base/err.h -- how a function says that the world failed.
 *
 *	int f(..., struct err *err);
 *
 * returns WN_OK, WN_END (nothing more, not a failure) or a negative code.  On
 * failure err holds one complete lower-case sentence: what, where, why, and
 * what to do.  On success err is untouched, so calls chain.  Callers on the
 * way up add context in front:
 *
 *	if ((rc = reader_next(r, &rec, err)) < 0)
 *		return err_in(err, "record at %" PRIu64, at);
 *
 * Damaged web data is never an error: it is a flaw (archive/flaw.h).
 */
#ifndef WINNOW_BASE_ERR_H
#define WINNOW_BASE_ERR_H

enum wn_code {
	WN_OK = 0,
	WN_END = 1,	 /* nothing more */
	WN_IO = -1,	 /* a file, disk or map failed */
	WN_DATA = -2,	 /* our own stored data is damaged */
	WN_CATALOG = -3, /* the catalogue refused */
	WN_NETWORK = -4,
	WN_USAGE = -5, /* the person asked for something impossible */
	WN_LIMIT = -6, /* a named limit was reached */
	WN_BUSY = -7,  /* someone else holds it */
	WN_INTERRUPTED = -8,
	WN_NONE = -9, /* what was asked for is not there */
};

struct err {
	int code;
	char text[1000];
};

/* Sets the sentence and returns code, so that `return err_set(...)` works.
 * err may be NULL: then only the code travels. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with ": strerror(errnum)" behind it. */
int err_sys(struct err *err, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of the sentence; returns err's code. */
int err_in(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void err_reset(struct err *err);
#endif

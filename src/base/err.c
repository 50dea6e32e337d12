/* base/err.c -- see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	return code;
}

int err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	char reason[128];
	va_list ap;
	size_t n;

	if (!err)
		return WN_IO;
	err->code = WN_IO;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, ": %s", strerror_r(errnum, reason, sizeof reason));
	return WN_IO;
}

int err_in(struct err *err, const char *fmt, ...)
{
	char inner[sizeof err->text];
	va_list ap;
	size_t n;

	if (!err)
		return WN_IO;
	memcpy(inner, err->text, sizeof inner);
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof err->text, fmt, ap);
	va_end(ap);
	n = strlen(err->text);
	snprintf(err->text + n, sizeof err->text - n, ": %s", inner);
	return err->code;
}

void err_reset(struct err *err)
{
	err->code = WN_OK;
	err->text[0] = 0;
}

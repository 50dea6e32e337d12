/* base/log.c -- see log.h.  One write per message, so that lines of several threads do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int log_quiet;

__attribute__((format(printf, 2, 0))) static void say(const char *head, const char *fmt, va_list ap)
{
	char line[2048];
	int n = snprintf(line, sizeof line, "%s", head), m;

	m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
	if (m < 0)
		m = 0;
	n += m;
	if (n > (int)sizeof line - 2)
		n = (int)sizeof line - 2;
	line[n++] = '\n';
	if (write(2, line, (size_t)n) < 0)
		return; /* nobody is left to tell */
}

#define SAY(head)                   \
	do {                        \
		va_list ap;         \
		va_start(ap, fmt);  \
		say(head, fmt, ap); \
		va_end(ap);         \
	} while (0)

void note(const char *fmt, ...)
{
	if (!log_quiet)
		SAY("");
}

void warning(const char *fmt, ...) { SAY("winnow: warning: "); }

void error(const char *fmt, ...) { SAY("winnow: "); }

void die(const char *fmt, ...)
{
	SAY("winnow: ");
	_exit(3);
}

void log_bug(const char *file, int line, const char *fmt, ...)
{
	char head[256];

	snprintf(head, sizeof head, "winnow: BUG at %s:%d: ", file, line);
	SAY(head);
	abort();
}

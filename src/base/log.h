/* base/log.h -- what the program says to a person on standard error.
 *
 * Libraries below cmd/ do not speak; they return err.  These are for cmd/,
 * flow/ progress, and for ends that cannot be returned from.
 */
#ifndef WINNOW_BASE_LOG_H
#define WINNOW_BASE_LOG_H

extern int log_quiet; /* 1: notes are not printed; warnings and errors are */

void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The world failed and nothing above can help: message, exit 3. */
_Noreturn void die(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Our mistake: message with place, abort. */
#define BUG(...) log_bug(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void log_bug(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#endif

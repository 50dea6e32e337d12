/* serve/html.h -- writing HTML: what is put in is escaped unless the format says otherwise.
 *
 *	html(b, "<a href=\"/c/%p\">%b</a> %n captures", name, title, count);
 *
 *	%s  struct str		text or attribute value, escaped
 *	%z  const char *	the same
 *	%b  struct str		the same in <bdi>: archived text, whose direction must not leak
 *	%n  uint64_t		1,234,567
 *	%u  uint64_t		1234567
 *	%f  double		one decimal
 *	%t  int64_t		<time>: day and minute, UTC
 *	%d  int64_t		<time>: day
 *	%i  int64_t		14 digits
 *	%p  struct str		percent-encoded: one segment of a path, or a value of a query
 *	%r  struct str		an archived URL at the end of a path: as it is, but for what would end or break it
 *	%m  const char *	markup of ours, as it is: literals only
 *	%%			%
 *
 * Markup stands in formats only.  The formats are literals of ours; html() is
 * the one place where archived bytes meet markup.  Bytes that are not UTF-8,
 * and control bytes but tab and newline, become U+FFFD.
 */
#ifndef WINNOW_SERVE_HTML_H
#define WINNOW_SERVE_HTML_H
#include "base/buf.h"

void html(struct buf *b, const char *fmt, ...);
void html_number(struct buf *b, uint64_t n);
void html_percent(struct buf *b, struct str s);	  /* %p */
void html_url(struct buf *b, struct str url);	  /* %r, escaped for an attribute too */
void location_url(struct buf *b, struct str url); /* the same for a Location header, where nothing is HTML */
void html_safe(struct buf *b, struct str s);	  /* %s */
#endif

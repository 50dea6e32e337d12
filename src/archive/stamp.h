/* archive/stamp.h -- points in time as archives write them, without libc's time zones.
 *
 * One reader takes every date found in archives: W3CDTF of any granularity
 * ("2004", "2004-05-06T07:08Z", fractions of 1 to 9 digits and more, offsets),
 * ARC and CDX digits (4 to 18 of them), the three HTTP dates.  Times are
 * seconds since 1970-01-01T00:00:00Z in the proleptic Gregorian calendar,
 * exact for the years 0 to 9999, as int64_t; leap seconds count as :59.
 *
 *	struct stamp t;
 *	if (stamp_parse(str, &t))  use(t.time, t.precision);
 *
 * A date that is readable but not as it should be (day 31 of April, 13th
 * month, blanks, missing zone, digits cut) is read to the nearest date that
 * exists, and t.flaw says why; t.flaw is NULL for a good one.  A number that is no date may be read so as well: t.clipped
 * and t.unread tell that there was no such day, and that characters were left.
 * Cost: one pass, no allocation.
 */
#ifndef WINNOW_ARCHIVE_STAMP_H
#define WINNOW_ARCHIVE_STAMP_H
#include "base/str.h"

#define STAMP_MIN INT64_C(-62167219200) /* 0000-01-01T00:00:00Z */
#define STAMP_MAX INT64_C(253402300799) /* 9999-12-31T23:59:59Z */

enum stamp_precision { STAMP_YEAR = 1, STAMP_MONTH, STAMP_DAY, STAMP_HOUR, STAMP_MINUTE, STAMP_SECOND, STAMP_FRACTION };

struct stamp {
	int64_t time;	   /* seconds; a short date means its first second */
	uint32_t nsec;	   /* 0..999999999 */
	uint8_t precision; /* enum stamp_precision */
	bool clipped;	   /* a field was none that a calendar has */
	bool unread;	   /* characters stand behind it */
	const char *flaw;  /* what is wrong with it, or NULL; static text */
};

/* Any of the forms above.  False when it is no date at all; *out is then zero. */
bool stamp_parse(struct str s, struct stamp *out);
bool stamp_parse_warc(struct str s, struct stamp *out);	  /* W3CDTF; other forms are read and flawed */
bool stamp_parse_digits(struct str s, struct stamp *out); /* YYYY[MM[DD[hh[mm[ss[fff...]]]]]] */
bool stamp_parse_http(struct str s, struct stamp *out);	  /* RFC 1123, RFC 850, asctime */

/* The last second that a date of this precision can mean: 2007 -> 2007-12-31T23:59:59Z. */
int64_t stamp_end(const struct stamp *t);

/* Times outside STAMP_MIN..STAMP_MAX are clipped.  Each writes a terminating NUL and returns its str. */
struct str stamp_14(int64_t time, char out[15]);			/* 20040506070809 */
struct str stamp_rfc3339(int64_t time, char out[21]);			/* 2004-05-06T07:08:09Z */
struct str stamp_rfc3339_ns(int64_t time, uint32_t nsec, char out[31]); /* .nnnnnnnnn when nsec != 0 */
struct str stamp_http(int64_t time, char out[30]);			/* Thu, 06 May 2004 07:08:09 GMT */

/* Calendar arithmetic, exact for any int64 day within +-10^9 years. */
int64_t stamp_from_civil(int64_t year, unsigned month, unsigned day, unsigned hour, unsigned minute, unsigned second);
struct stamp_civil {
	int64_t year;
	unsigned month, day, hour, minute, second; /* month and day from 1 */
	unsigned weekday;			   /* 0 = Sunday */
};
struct stamp_civil stamp_civil(int64_t time);
int64_t stamp_year(int64_t time); /* the same year, sooner */
unsigned stamp_month_days(int64_t year, unsigned month);
#endif

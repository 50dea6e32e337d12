/* archive/stamp.c -- reading and writing points in time.
 *
 * Data: a struct civil of broken-down fields that the three readers fill and
 * one function (finish) checks, clips and turns into seconds.  The calendar is
 * computed from days in 400-year eras that begin on 1 March, so that the leap
 * day is the last of its year; all of it is integer arithmetic.
 * Cost: O(length), no allocation, no libc time functions (they read TZ).
 */
#include "archive/stamp.h"

#define ERA_DAYS 146097	   /* days in 400 years */
#define EPOCH_SHIFT 719468 /* days from 0000-03-01 to 1970-01-01 */
#define MARCH_TO_DECEMBER 306u

struct fields {
	unsigned year, month, day, hour, minute, second;
	uint32_t nsec;
	int offset_s; /* east of UTC */
	enum stamp_precision precision;
	bool clipped, unread;
	const char *flaw;
};

struct scan {
	const char *p, *end;
};

static void flaw(struct fields *f, const char *text)
{
	if (!f->flaw)
		f->flaw = text;
}

static void leave_unread(struct fields *f)
{
	f->unread = true;
	flaw(f, "characters behind the date");
}

static int64_t days_from_civil(int64_t y, unsigned m, unsigned d)
{
	y -= m <= 2;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	unsigned yoe = (unsigned)(y - era * 400);
	unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
	unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

	return era * ERA_DAYS + (int64_t)doe - EPOCH_SHIFT;
}

int64_t stamp_from_civil(int64_t year, unsigned month, unsigned day, unsigned hour, unsigned minute, unsigned second)
{
	return days_from_civil(year, month, day) * 86400 + (int64_t)hour * 3600 + minute * 60 + second;
}

struct stamp_civil stamp_civil(int64_t time)
{
	int64_t days = (time >= 0 ? time : time - 86399) / 86400;
	unsigned rest = (unsigned)(time - days * 86400);
	int64_t z = days + EPOCH_SHIFT;
	int64_t era = (z >= 0 ? z : z - (ERA_DAYS - 1)) / ERA_DAYS;
	unsigned doe = (unsigned)(z - era * ERA_DAYS);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / (ERA_DAYS - 1)) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	unsigned mp = (5 * doy + 2) / 153;
	unsigned month = mp < 10 ? mp + 3 : mp - 9;
	int64_t weekday = (days + 4) % 7;

	return (struct stamp_civil){
		.year = (int64_t)yoe + era * 400 + (month <= 2),
		.month = month,
		.day = doy - (153 * mp + 2) / 5 + 1,
		.hour = rest / 3600,
		.minute = rest / 60 % 60,
		.second = rest % 60,
		.weekday = (unsigned)(weekday < 0 ? weekday + 7 : weekday),
	};
}

int64_t stamp_year(int64_t time)
{
	int64_t z = (time >= 0 ? time : time - 86399) / 86400 + EPOCH_SHIFT;
	int64_t era = (z >= 0 ? z : z - (ERA_DAYS - 1)) / ERA_DAYS;
	unsigned doe = (unsigned)(z - era * ERA_DAYS);
	unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / (ERA_DAYS - 1)) / 365;
	unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);

	return (int64_t)yoe + era * 400 + (doy >= MARCH_TO_DECEMBER);
}

unsigned stamp_month_days(int64_t year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
		return 29;
	return days[(month + 11) % 12];
}

static void clip(struct fields *f, unsigned *v, unsigned low, unsigned high, const char *text)
{
	if (*v >= low && *v <= high)
		return;
	*v = *v < low ? low : high;
	f->clipped = true;
	flaw(f, text);
}

/* Checks the fields, clips what no calendar has, and fills *out. */
static bool finish(struct fields *f, struct stamp *out)
{
	int64_t time;

	if (f->precision < STAMP_MONTH)
		f->month = 1;
	if (f->precision < STAMP_DAY)
		f->day = 1;
	clip(f, &f->year, 0, 9999, "year out of range");
	clip(f, &f->month, 1, 12, "month out of range");
	clip(f, &f->day, 1, stamp_month_days(f->year, f->month), "day out of range");
	clip(f, &f->hour, 0, 23, "hour out of range");
	clip(f, &f->minute, 0, 59, "minute out of range");
	clip(f, &f->second, 0, 60, "second out of range");
	if (f->second == 60)
		f->second = 59;
	time = stamp_from_civil(f->year, f->month, f->day, f->hour, f->minute, f->second) - f->offset_s;
	if (time < STAMP_MIN || time > STAMP_MAX) {
		time = time < STAMP_MIN ? STAMP_MIN : STAMP_MAX;
		f->clipped = true;
		flaw(f, "year out of range");
	}
	*out = (struct stamp){ .time = time,
			       .nsec = f->nsec,
			       .precision = f->precision,
			       .clipped = f->clipped,
			       .unread = f->unread,
			       .flaw = f->flaw };
	return true;
}

static bool none(struct stamp *out)
{
	*out = (struct stamp){ 0 };
	return false;
}

/* Up to max digits; how many there were. */
static unsigned number(struct scan *s, unsigned max, unsigned *out)
{
	unsigned n = 0, v = 0;

	while (n < max && s->p < s->end && ascii_digit(*s->p)) {
		v = v * 10 + (unsigned)(*s->p++ - '0');
		n++;
	}
	*out = v;
	return n;
}

static bool eat(struct scan *s, char c)
{
	if (s->p == s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

/* The digits behind the decimal sign; the first nine count. */
static void fraction(struct scan *s, struct fields *f)
{
	uint32_t nsec = 0;
	unsigned n = 0;

	for (; s->p < s->end && ascii_digit(*s->p); s->p++, n++)
		if (n < 9)
			nsec = nsec * 10 + (uint32_t)(*s->p - '0');
	if (n == 0)
		flaw(f, "no digits behind the decimal sign");
	else
		f->precision = STAMP_FRACTION;
	if (n > 9)
		flaw(f, "more than nine digits of a second");
	for (; n > 0 && n < 9; n++)
		nsec *= 10;
	f->nsec = nsec;
}

/* +hh:mm, +hhmm or +hh; the sign is at s->p. */
static void offset(struct scan *s, struct fields *f)
{
	int sign = *s->p++ == '-' ? -1 : 1;
	unsigned h, m = 0;

	if (number(s, 2, &h) != 2) {
		flaw(f, "unreadable time zone");
		return;
	}
	eat(s, ':');
	if (s->p < s->end && ascii_digit(*s->p))
		number(s, 2, &m);
	if (h > 23 || m > 59) {
		flaw(f, "time zone out of range");
		return;
	}
	f->offset_s = sign * (int)(h * 3600 + m * 60);
}

static void zone(struct scan *s, struct fields *f)
{
	while (eat(s, ' '))
		flaw(f, "blanks before the time zone");
	if (s->p == s->end)
		flaw(f, "no time zone");
	else if (*s->p == 'Z' || *s->p == 'z')
		s->p++;
	else if (*s->p == '+' || *s->p == '-')
		offset(s, f);
	else if (str_istarts(str_n(s->p, (size_t)(s->end - s->p)), STR("gmt")) ||
		 str_istarts(str_n(s->p, (size_t)(s->end - s->p)), STR("utc"))) {
		s->p += 3;
		flaw(f, "time zone by name");
	} else
		flaw(f, "unreadable time zone");
}

/* hh[:mm[:ss[.f]]], then the zone.  False when there is not even an hour. */
static bool clock(struct scan *s, struct fields *f)
{
	bool colons = true;

	if (number(s, 2, &f->hour) == 0)
		return false;
	f->precision = STAMP_HOUR;
	if (s->p < s->end && ascii_digit(*s->p)) {
		colons = false;
		flaw(f, "time without colons");
	}
	if (colons ? eat(s, ':') : true) {
		if (number(s, 2, &f->minute) == 0)
			flaw(f, "minute missing");
		else
			f->precision = STAMP_MINUTE;
		if (f->precision == STAMP_MINUTE && (colons ? eat(s, ':') : s->p < s->end && ascii_digit(*s->p))) {
			if (number(s, 2, &f->second) == 0)
				flaw(f, "second missing");
			else
				f->precision = STAMP_SECOND;
		}
	}
	if (f->precision == STAMP_SECOND && s->p < s->end && (*s->p == '.' || *s->p == ',')) {
		if (*s->p++ == ',')
			flaw(f, "comma in the second");
		fraction(s, f);
	}
	zone(s, f);
	return true;
}

/* YYYY[-MM[-DD[Thh...]]] */
static bool w3cdtf(struct scan *s, struct fields *f)
{
	if (number(s, 4, &f->year) != 4)
		return false;
	f->precision = STAMP_YEAR;
	if (s->p == s->end)
		return true;
	if (!eat(s, '-') && !eat(s, '/'))
		return false;
	if (number(s, 2, &f->month) == 0)
		return false;
	f->precision = STAMP_MONTH;
	if (s->p == s->end)
		return true;
	if (!eat(s, '-') && !eat(s, '/'))
		return false;
	if (number(s, 2, &f->day) == 0)
		return false;
	f->precision = STAMP_DAY;
	if (s->p == s->end)
		return true;
	if (!eat(s, 'T')) {
		flaw(f, "no T between date and time");
		if (!eat(s, 't') && !eat(s, '_'))
			while (eat(s, ' '))
				;
	}
	clock(s, f);
	return true;
}

static bool parse_w3cdtf(struct str text, struct fields *f)
{
	struct scan s = { text.p, str_end(text) };

	if (!w3cdtf(&s, f))
		return false;
	if (s.p < s.end)
		leave_unread(f);
	return true;
}

bool stamp_parse_digits(struct str text, struct stamp *out)
{
	struct str trimmed = str_trim(text);
	struct scan s = { trimmed.p, str_end(trimmed) };
	struct fields f = { .month = 1, .day = 1 };
	unsigned *const field[] = { &f.month, &f.day, &f.hour, &f.minute, &f.second };

	if (number(&s, 4, &f.year) != 4)
		return none(out);
	f.precision = STAMP_YEAR;
	for (size_t i = 0; i < COUNT(field) && s.p < s.end && ascii_digit(*s.p); i++) {
		if (number(&s, 2, field[i]) == 1) {
			*field[i] *= 10; /* a cut pair: its tens */
			flaw(&f, "odd number of digits");
		}
		f.precision = (enum stamp_precision)(STAMP_MONTH + i);
	}
	if (s.p < s.end && ascii_digit(*s.p))
		fraction(&s, &f);
	if (s.p < s.end)
		leave_unread(&f);
	if (trimmed.n != text.n)
		flaw(&f, "blanks around the date");
	return finish(&f, out);
}

static unsigned month_by_name(struct str word)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	if (word.n < 3)
		return 0;
	for (unsigned i = 0; i < 12; i++)
		if (str_ieq(str_n(word.p, 3), str_n(names + 3 * i, 3)))
			return i + 1;
	return 0;
}

static bool weekday_name(struct str word)
{
	static const char names[] = "sunmontuewedthufrisat";

	for (unsigned i = 0; word.n >= 3 && i < 7; i++)
		if (str_ieq(str_n(word.p, 3), str_n(names + 3 * i, 3)))
			return true;
	return false;
}

struct http_date {
	bool day, month, year, time, zone;
};

static void http_word(struct str word, struct fields *f, struct http_date *got)
{
	unsigned m = got->month ? 0 : month_by_name(word);

	if (m) {
		f->month = m;
		got->month = true;
	} else if (str_ieq(word, STR("gmt")) || str_ieq(word, STR("utc")) || str_ieq(word, STR("z"))) {
		got->zone = true;
	} else if (!weekday_name(word)) {
		flaw(f, "unknown word in the date");
	}
}

/* A number: hh:mm:ss, a day, or a year of two or four digits. */
static void http_number(struct scan *s, struct fields *f, struct http_date *got)
{
	unsigned v, n = number(s, 5, &v);

	if (!got->time && n <= 2 && eat(s, ':')) {
		f->hour = v;
		if (number(s, 2, &f->minute) == 0 || !eat(s, ':') || number(s, 2, &f->second) == 0)
			flaw(f, "time cut short");
		got->time = true;
	} else if (!got->day && n <= 2) {
		f->day = v;
		got->day = true;
	} else if (!got->year && n <= 4) {
		f->year = n <= 2 ? v + (v < 70 ? 2000 : 1900) : v;
		got->year = true;
	} else {
		flaw(f, "too many numbers in the date");
	}
}

bool stamp_parse_http(struct str text, struct stamp *out)
{
	struct str trimmed = str_trim(text);
	struct scan s = { trimmed.p, str_end(trimmed) };
	struct fields f = { .precision = STAMP_SECOND };
	struct http_date got = { 0 };

	while (s.p < s.end) {
		const char *from = s.p;

		if (ascii_digit(*s.p)) {
			http_number(&s, &f, &got);
		} else if (ascii_alpha(*s.p)) {
			while (s.p < s.end && ascii_alpha(*s.p))
				s.p++;
			http_word(str_n(from, (size_t)(s.p - from)), &f, &got);
		} else if (got.time && (*s.p == '+' || *s.p == '-') && s.end - s.p >= 5 && ascii_digit(s.p[4])) {
			offset(&s, &f);
			got.zone = true;
		} else {
			if (*s.p != ' ' && *s.p != ',' && *s.p != '-' && *s.p != '\t')
				flaw(&f, "unknown sign in the date");
			s.p++;
		}
	}
	if (!got.day || !got.month || !got.year)
		return none(out);
	if (!got.time) {
		f.precision = STAMP_DAY;
		flaw(&f, "date without a time");
	}
	return finish(&f, out);
}

static size_t leading_digits(struct str s)
{
	size_t n = 0;

	while (n < s.n && ascii_digit(s.p[n]))
		n++;
	return n;
}

static bool parse_any(struct str text, struct stamp *out, bool warc)
{
	struct str s = str_trim(text);
	struct fields f = { .month = 1, .day = 1 };
	size_t digits = leading_digits(s);

	if (s.n == 0)
		return false;

	if (digits >= 4 && (digits == s.n ? digits > 4 : digits > 4 && s.p[digits] != '-')) {
		/* 20040506070809, and 20040506T070809Z of ISO 8601 basic format */
		if (digits == 8 && s.n > 9 && (s.p[8] == 'T' || s.p[8] == 't')) {
			struct scan c = { s.p + 9, str_end(s) };

			if (!stamp_parse_digits(str_n(s.p, 8), out))
				return false;
			struct stamp_civil day = stamp_civil(out->time);
			f = (struct fields){ .year = (unsigned)day.year,
					     .month = day.month,
					     .day = day.day,
					     .precision = STAMP_DAY,
					     .clipped = out->clipped,
					     .flaw = out->flaw };
			flaw(&f, "date without hyphens");
			clock(&c, &f);
			if (c.p < c.end)
				leave_unread(&f);
			return finish(&f, out);
		}
		if (!stamp_parse_digits(s, out))
			return false;
		if (warc && !out->flaw)
			out->flaw = "date without hyphens";
		return true;
	}
	if (parse_w3cdtf(s, &f)) {
		if (s.n != text.n)
			flaw(&f, "blanks around the date");
		return finish(&f, out);
	}
	if (!stamp_parse_http(s, out))
		return false;
	if (warc && !out->flaw)
		out->flaw = "an HTTP date";
	return true;
}

bool stamp_parse(struct str s, struct stamp *out) { return parse_any(s, out, false); }
bool stamp_parse_warc(struct str s, struct stamp *out) { return parse_any(s, out, true); }

int64_t stamp_end(const struct stamp *t)
{
	struct stamp_civil c = stamp_civil(t->time);

	switch (t->precision) {
	case STAMP_YEAR: return stamp_from_civil(c.year, 12, 31, 23, 59, 59);
	case STAMP_MONTH: return stamp_from_civil(c.year, c.month, stamp_month_days(c.year, c.month), 23, 59, 59);
	case STAMP_DAY: return t->time + 86399;
	case STAMP_HOUR: return t->time + 3599;
	case STAMP_MINUTE: return t->time + 59;
	default: return t->time;
	}
}

static struct stamp_civil clipped(int64_t time)
{
	return stamp_civil(time < STAMP_MIN ? STAMP_MIN : time > STAMP_MAX ? STAMP_MAX : time);
}

/* v as `width` decimal digits. */
static char *digits(char *to, uint64_t v, unsigned width)
{
	for (unsigned i = width; i-- > 0; v /= 10)
		to[i] = (char)('0' + v % 10);
	return to + width;
}

struct str stamp_14(int64_t time, char out[15])
{
	struct stamp_civil c = clipped(time);
	char *p = digits(out, (uint64_t)c.year, 4);

	p = digits(digits(p, c.month, 2), c.day, 2);
	p = digits(digits(digits(p, c.hour, 2), c.minute, 2), c.second, 2);
	*p = '\0';
	return str_n(out, 14);
}

struct str stamp_rfc3339(int64_t time, char out[21])
{
	struct stamp_civil c = clipped(time);
	char *p = digits(out, (uint64_t)c.year, 4);

	*p++ = '-';
	p = digits(p, c.month, 2);
	*p++ = '-';
	p = digits(p, c.day, 2);
	*p++ = 'T';
	p = digits(p, c.hour, 2);
	*p++ = ':';
	p = digits(p, c.minute, 2);
	*p++ = ':';
	p = digits(p, c.second, 2);
	*p++ = 'Z';
	*p = '\0';
	return str_n(out, 20);
}

struct str stamp_rfc3339_ns(int64_t time, uint32_t nsec, char out[31])
{
	char *p;

	stamp_rfc3339(time, out);
	if (nsec == 0)
		return str_n(out, 20);
	out[19] = '.';
	p = digits(out + 20, nsec % 1000000000u, 9);
	while (p[-1] == '0')
		p--;
	*p++ = 'Z';
	*p = '\0';
	return str_n(out, (size_t)(p - out));
}

struct str stamp_http(int64_t time, char out[30])
{
	static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct stamp_civil c = clipped(time);
	char *p = out;

	memcpy(p, days + 3 * c.weekday, 3);
	p += 3;
	*p++ = ',';
	*p++ = ' ';
	p = digits(p, c.day, 2);
	*p++ = ' ';
	memcpy(p, months + 3 * (c.month - 1), 3);
	p += 3;
	*p++ = ' ';
	p = digits(p, (uint64_t)c.year, 4);
	*p++ = ' ';
	p = digits(p, c.hour, 2);
	*p++ = ':';
	p = digits(p, c.minute, 2);
	*p++ = ':';
	p = digits(p, c.second, 2);
	memcpy(p, " GMT", 5);
	return str_n(out, 29);
}

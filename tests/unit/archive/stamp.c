/* tests/unit/archive/stamp.c -- dates of every kind found in archives. */
#include "archive/stamp.h"

#include "test.h"

static const struct {
	const char *text, *want; /* RFC 3339, or NULL when it is no date */
	unsigned precision;
	bool flawed;
} dates[] = {
	{ "2004-05-06T07:08:09Z", "2004-05-06T07:08:09Z", STAMP_SECOND, false },
	{ "2004", "2004-01-01T00:00:00Z", STAMP_YEAR, false },
	{ "2004-05", "2004-05-01T00:00:00Z", STAMP_MONTH, false },
	{ "2004-05-06", "2004-05-06T00:00:00Z", STAMP_DAY, false },
	{ "2004-05-06T07Z", "2004-05-06T07:00:00Z", STAMP_HOUR, false },
	{ "2004-05-06T07:08Z", "2004-05-06T07:08:00Z", STAMP_MINUTE, false },
	{ "2004-05-06T07:08:09.5Z", "2004-05-06T07:08:09.5Z", STAMP_FRACTION, false },
	{ "2004-05-06T07:08:09.123456789Z", "2004-05-06T07:08:09.123456789Z", STAMP_FRACTION, false },
	{ "2004-05-06T07:08:09.1234567891Z", "2004-05-06T07:08:09.123456789Z", STAMP_FRACTION, true },
	{ "2004-05-06T07:08:09+02:00", "2004-05-06T05:08:09Z", STAMP_SECOND, false },
	{ "2004-01-01T00:08:09+0230", "2003-12-31T21:38:09Z", STAMP_SECOND, false },
	{ "2004-02-28T23:30:00-01", "2004-02-29T00:30:00Z", STAMP_SECOND, false },
	{ "2004-05-06T07:08:09", "2004-05-06T07:08:09Z", STAMP_SECOND, true },
	{ "2004-05-06 07:08:09Z", "2004-05-06T07:08:09Z", STAMP_SECOND, true },
	{ "2004-05-06T07:08:09 UTC", "2004-05-06T07:08:09Z", STAMP_SECOND, true },
	{ " 2004-05-06 ", "2004-05-06T00:00:00Z", STAMP_DAY, true },
	{ "2004-13-45T25:61:61Z", "2004-12-31T23:59:59Z", STAMP_SECOND, true },
	{ "2003-02-29", "2003-02-28T00:00:00Z", STAMP_DAY, true },
	{ "2000-02-29", "2000-02-29T00:00:00Z", STAMP_DAY, false },
	{ "1900-02-29", "1900-02-28T00:00:00Z", STAMP_DAY, true },
	{ "2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z", STAMP_SECOND, false },
	{ "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", STAMP_SECOND, false },
	{ "0000-01-01T00:00:00+01:00", "0000-01-01T00:00:00Z", STAMP_SECOND, true },
	{ "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", STAMP_SECOND, false },
	{ "2004-05-06T07:08:09Zx", "2004-05-06T07:08:09Z", STAMP_SECOND, true },
	{ "20040506T070809Z", "2004-05-06T07:08:09Z", STAMP_SECOND, true },
	{ "20040506070809", "2004-05-06T07:08:09Z", STAMP_SECOND, false },
	{ "2004050607", "2004-05-06T07:00:00Z", STAMP_HOUR, false },
	{ "200405060708", "2004-05-06T07:08:00Z", STAMP_MINUTE, false },
	{ "2004050607080", "2004-05-06T07:08:00Z", STAMP_SECOND, true },
	{ "2004050607081", "2004-05-06T07:08:10Z", STAMP_SECOND, true },
	{ "2004050607080912", "2004-05-06T07:08:09.12Z", STAMP_FRACTION, false },
	{ "20040506070809123", "2004-05-06T07:08:09.123Z", STAMP_FRACTION, false },
	{ "200405060708091234", "2004-05-06T07:08:09.1234Z", STAMP_FRACTION, false },
	{ "20040000000000", "2004-01-01T00:00:00Z", STAMP_SECOND, true },
	{ "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", STAMP_SECOND, false },
	{ "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z", STAMP_SECOND, false },
	{ "Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z", STAMP_SECOND, false },
	{ "Sun, 06 Nov 1994 08:49:37 +0100", "1994-11-06T07:49:37Z", STAMP_SECOND, false },
	{ "6 November 2010 1:02:03 GMT", "2010-11-06T01:02:03Z", STAMP_SECOND, false },
	{ "Sun, 06 Nov 1994", "1994-11-06T00:00:00Z", STAMP_DAY, true },
	{ "", NULL, 0, false },
	{ "200", NULL, 0, false },
	{ "never", NULL, 0, false },
	{ "-1", NULL, 0, false },
	{ "Nov 1994", NULL, 0, false },
};

TEST(stamp, reads_every_form)
{
	for (size_t i = 0; i < COUNT(dates); i++) {
		struct stamp s;
		char out[31];
		bool ok = stamp_parse(str(dates[i].text), &s);

		CHECK_EQ(ok, dates[i].want != NULL, "\"%s\"", dates[i].text);
		if (!ok || !dates[i].want)
			continue;
		CHECK_STR(stamp_rfc3339_ns(s.time, s.nsec, out), str(dates[i].want), "\"%s\"", dates[i].text);
		CHECK_EQ(s.precision, dates[i].precision, "precision of \"%s\"", dates[i].text);
		CHECK_EQ(s.flaw != NULL, dates[i].flawed, "flaw of \"%s\": %s", dates[i].text,
			 s.flaw ? s.flaw : "none");
	}
}

TEST(stamp, says_when_a_warc_date_is_of_another_form)
{
	struct stamp s;

	CHECK(stamp_parse_warc(STR("20040506070809"), &s) && s.flaw);
	CHECK(stamp_parse_warc(STR("Sun, 06 Nov 1994 08:49:37 GMT"), &s) && s.flaw);
	CHECK(stamp_parse_warc(STR("2004-05"), &s) && !s.flaw);
}

/* Twin: days counted one by one through all years. */
TEST(stamp, agrees_with_counting_days)
{
	int64_t time = STAMP_MIN;
	unsigned weekday = 6; /* 1 January of the year 0 was a Saturday */
	char out[21], want[48];

	for (int year = 0; year <= 9999; year++)
		for (unsigned month = 1; month <= 12; month++)
			for (unsigned day = 1; day <= stamp_month_days(year, month); day++) {
				struct stamp_civil c = stamp_civil(time + 86399);

				if (c.year != year || c.month != month || c.day != day || c.weekday != weekday ||
				    stamp_year(time) != year || stamp_year(time + 86399) != year ||
				    stamp_from_civil(year, month, day, 0, 0, 0) != time) {
					CHECK(false, "%04d-%02u-%02u", year, month, day);
					return;
				}
				time += 86400;
				weekday = (weekday + 1) % 7;
			}
	CHECK_EQ(time, STAMP_MAX + 1);
	for (int i = 0; i < 10000; i++) {
		struct stamp s;
		int64_t at = STAMP_MIN + (int64_t)test_below(t, (uint64_t)(STAMP_MAX - STAMP_MIN) + 1);
		struct stamp_civil c = stamp_civil(at);

		snprintf(want, sizeof want, "%04d-%02u-%02uT%02u:%02u:%02uZ", (int)c.year, c.month, c.day, c.hour,
			 c.minute, c.second);
		CHECK_STR(stamp_rfc3339(at, out), str(want));
		CHECK(stamp_parse(str(want), &s) && s.time == at && !s.flaw, "%s", want);
	}
}

TEST(stamp, writes_every_form)
{
	char a[15], c[30];

	CHECK_STR(stamp_14(784111777, a), STR("19941106084937"));
	CHECK_STR(stamp_http(784111777, c), STR("Sun, 06 Nov 1994 08:49:37 GMT"));
	CHECK_STR(stamp_14(INT64_MAX, a), STR("99991231235959"));
	CHECK_STR(stamp_14(INT64_MIN, a), STR("00000101000000"));
	CHECK_STR(stamp_14(-1, a), STR("19691231235959"));
}

TEST(stamp, ends_with_its_precision)
{
	static const struct {
		const char *date, *end;
	} ends[] = {
		{ "2007", "2007-12-31T23:59:59Z" },	    { "2008-02", "2008-02-29T23:59:59Z" },
		{ "2007-02-03", "2007-02-03T23:59:59Z" },   { "2007020304", "2007-02-03T04:59:59Z" },
		{ "200702030405", "2007-02-03T04:05:59Z" }, { "20070203040506", "2007-02-03T04:05:06Z" },
	};

	for (size_t i = 0; i < COUNT(ends); i++) {
		struct stamp s;
		char out[21];

		REQUIRE(stamp_parse(str(ends[i].date), &s));
		CHECK_STR(stamp_rfc3339(stamp_end(&s), out), str(ends[i].end), "%s", ends[i].date);
	}
}

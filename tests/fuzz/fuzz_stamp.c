/* A date of any kind: what is read lies in the calendar and is read again from
 * each form it is written in. */
#include <stdlib.h>

#include "archive/stamp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { (const char *)data, size };
	struct stamp t, again;
	char text[31];

	if (!stamp_parse(s, &t))
		return 0;
	if (t.time < STAMP_MIN || t.time > STAMP_MAX || t.nsec > 999999999 || stamp_end(&t) < t.time ||
	    t.precision < STAMP_YEAR)
		abort();
	if (!stamp_parse_warc(stamp_rfc3339_ns(t.time, t.nsec, text), &again) || again.time != t.time ||
	    again.nsec != t.nsec || again.flaw)
		abort();
	if (!stamp_parse_digits(stamp_14(t.time, text), &again) || again.time != t.time)
		abort();
	if (!stamp_parse_http(stamp_http(t.time, text), &again) || again.time != t.time)
		abort();
	return 0;
}

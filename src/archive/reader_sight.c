/* archive/reader_sight.c -- telling a record's head from other bytes.
 *
 * A head may stand anywhere, also inside a line behind garbage; an ARC line in a
 * file that did not begin as an ARC only at the start of a line, and only when
 * nothing else looks like it.  Cost: one pass, by memchr and memmem.
 */
#include "archive/reader_int.h"

enum head_sight reader_sight(const struct reader *r, struct str s, bool all, bool strict, struct sighting *out)
{
	enum head_sight warc, arc;

	out->at = 0;
	out->format = RECORD_WARC;
	warc = warc_sight(s, all);
	if (warc == HEAD_NO && !strict && s.n >= 5 && memcmp(s.p, "WARC/", 5) == 0)
		warc = HEAD_YES;
	if (warc != HEAD_NO || r->seen_warc)
		return warc;
	if (!r->seen_arc && !str_starts(s, STR("filedesc:")))
		strict = true; /* a file that does not begin as an ARC must make it plain */
	arc = arc_sight(s, all, strict, &out->size);
	out->format = RECORD_ARC;
	return arc;
}

/* The next URL inside a line of an ARC: behind garbage a head may begin with it. */
static const char *find_url(struct str s, size_t from, size_t end) { return memmem(s.p + from, end - from, "http", 4); }

enum head_sight reader_find_head(const struct reader *r, struct str s, bool line, bool all, struct sighting *out)
{
	size_t i = 0;
	bool inside = false; /* i stands at a URL inside a line of an ARC */

	for (;;) {
		if (line || inside || r->seen_warc || !r->seen_arc) {
			enum head_sight seen = HEAD_NO;

			if (line || inside || (i < s.n && s.p[i] == 'W')) /* a head may stand inside a line */
				seen = reader_sight(r, str_sub(s, i, s.n), all, true, out);
			if (seen != HEAD_NO && !line && !inside && out->format == RECORD_ARC)
				seen = HEAD_NO;
			if (seen != HEAD_NO) {
				out->at = i;
				return seen;
			}
		}
		/* the next line, or the next "WARC/" (ARC: "http") inside this one */
		const char *nl = i < s.n ? memchr(s.p + i, '\n', s.n - i) : NULL;
		size_t end = nl ? (size_t)(nl - s.p) : s.n;

		line = inside = false;
		if (i + 1 < end) {
			const char *w =
			    r->seen_arc ? find_url(s, i + 1, end) : memmem(s.p + i + 1, end - i - 1, "WARC/", 5);

			if (w) {
				i = (size_t)(w - s.p);
				inside = r->seen_arc;
				continue;
			}
		}
		if (!nl) {
			out->at = all ? s.n : s.n > 8 && s.n - 8 > i ? s.n - 8 : i;
			return all ? HEAD_NO : HEAD_SHORT;
		}
		i = end + 1;
		line = true;
		if (i >= s.n && all) {
			out->at = s.n;
			return HEAD_NO;
		}
	}
}

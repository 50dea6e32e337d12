/* archive/reader_sight.c -- telling a record's head from other bytes.
 *
 * A WARC head may stand anywhere, also inside a line behind garbage; an ARC
 * line only at the start of a line and, in a file that did not begin as an ARC,
 * only when nothing else looks like it.  Cost: one pass, by memchr and memmem.
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

enum head_sight reader_find_head(const struct reader *r, struct str s, bool line, bool all, struct sighting *out)
{
	size_t i = 0;

	for (;;) {
		if (line || r->seen_warc || !r->seen_arc) {
			enum head_sight seen = HEAD_NO;

			if (line || (i < s.n && s.p[i] == 'W')) /* a WARC head may stand inside a line */
				seen = reader_sight(r, str_sub(s, i, s.n), all, true, out);
			if (seen == HEAD_YES && !line && out->format == RECORD_ARC)
				seen = HEAD_NO;
			if (seen != HEAD_NO) {
				out->at = i;
				return seen;
			}
		}
		/* the next line, or the next "WARC/" inside this one */
		const char *nl = i < s.n ? memchr(s.p + i, '\n', s.n - i) : NULL;
		size_t end = nl ? (size_t)(nl - s.p) : s.n;

		line = false;
		if (!r->seen_arc && i + 1 < end) {
			const char *w = memmem(s.p + i + 1, end - i - 1, "WARC/", 5);

			if (w) {
				i = (size_t)(w - s.p);
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

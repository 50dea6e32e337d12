/* text/html_data.h -- the loop of the data state, compiled once per kernel.
 *
 * html_bulk.c includes this with DATA_NAME (the function), DATA_TARGET (its
 * target attribute) and DATA_HITS(p): the kernel, a bit for each of 64 bytes that
 * ends text.
 *
 * Ordinary tags and references are dealt with here, one after another, as long
 * as the sink leaves the state as it is.  Where text ends is found for 64 bytes
 * at once and remembered: most tags and most texts are shorter than that.
 */
DATA_TARGET static const char *DATA_NAME(struct html *h, const char *p, const char *end)
{
	const char *block = p, *next = p; /* hits are of the bytes from block to next */
	uint64_t hits = 0;

	for (;;) {
		size_t at = (size_t)(p - block);
		const char *q = p, *after = NULL;
		uint64_t left = at < 64 ? hits >> at : 0;

		if (left) {
			q += __builtin_ctzll(left);
		} else {
			for (q = p < next ? next : p, hits = 0; !hits && end - q >= 64; q += 64)
				hits = DATA_HITS(q);
			if (hits) {
				block = q - 64;
				next = q;
				q = block + __builtin_ctzll(hits);
			} else {
				next = q = scan_three(q, end, '<', '&', 0);
			}
		}
		html_text(h, p, (size_t)(q - p));
		if (q == end)
			return p == end ? html_eof(h, p) : q;
		if (*q == '<') {
			if (h->bulk)
				after = markup(h, q, end);
			if (!after) {
				h->state = state_tag_open;
				return q + 1;
			}
		} else if (*q == '&') {
			after = reference(h, q, end);
		} else {
			html_error(h, "unexpected-null-character");
			html_text(h, q, 1);
			after = q + 1;
		}
		if (after == end || h->state != state_data)
			return after;
		p = after;
	}
}
#undef DATA_NAME
#undef DATA_TARGET
#undef DATA_HITS

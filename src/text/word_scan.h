/* text/word_scan.h -- the loop behind word_batch(), compiled once per kernel.
 *
 * word.c includes this with SCAN_NAME (the function), SCAN_TARGET (its target
 * attribute) and SCAN_BLOCK(p, out, &letters, &high): the kernel, which reads
 * 64 bytes, writes them in lower case to out, and sets a bit per ASCII letter
 * or digit and per byte >= 0x80.
 *
 * A block is used up to its first byte >= 0x80; from there code points are
 * taken one by one until the next ASCII byte.  `folded` receives the folded
 * text, separators of a block included, so a term is a range of it; it always
 * has SCAN_SLACK bytes of room behind folded_n, which lets hashes be read in
 * whole words.
 */
SCAN_TARGET static void SCAN_NAME(struct word_reader *r)
{
	const char *p = r->p, *const end = r->end;
	size_t n = 0;

	while (p < end && n < WORD_BATCH) {
		uint64_t letters, high, edges;
		char padded[64];
		size_t take = (size_t)(end - p), at;
		const char *from = p;
		char *folded;

		if (r->folded_n + 2 * SCAN_SLACK > r->folded_cap)
			grow_folded(r);
		if ((unsigned char)*p >= 0x80) {
			p = scan_code_points(r, p, end, &n);
			continue;
		}
		if (r->state == STATE_ALONE)
			n = close_term(r, r->folded_n, n);
		if (take < 64) {
			memset(padded, 0, sizeof padded);
			memcpy(padded, p, take);
			from = padded;
		} else {
			take = 64;
		}
		folded = r->folded + r->folded_n;
		SCAN_BLOCK(from, folded, &letters, &high);
		if (high) {
			take = (size_t)__builtin_ctzll(high);
			letters &= ((uint64_t)1 << take) - 1; /* take >= 1: *p is ASCII */
		}
		p += take;
		if (!letters && r->state == STATE_NONE)
			continue;
		/* Every edge opens a term or closes one, in turn; an edge at `take` waits for what follows. */
		edges = letters ^ (letters << 1 | (r->state == STATE_RUN));
		if (take < 64)
			edges &= ((uint64_t)1 << take) - 1;
		at = r->folded_n;
		if (r->state == STATE_RUN && edges) {
			n = close_term(r, at + (size_t)__builtin_ctzll(edges), n);
			edges &= edges - 1;
		}
		while (edges) {
			size_t open = (size_t)__builtin_ctzll(edges), close;

			edges &= edges - 1;
			if (!edges) {
				r->open_at = at + open;
				r->state = STATE_RUN;
				break;
			}
			close = (size_t)__builtin_ctzll(edges);
			edges &= edges - 1;
			r->terms[n++] = (struct term){ hash_range(folded + open, close - open), (uint32_t)(at + open),
						       (uint32_t)(close - open) };
		}
		r->folded_n += take;
	}
	if (p == end && r->state != STATE_NONE && n < WORD_BATCH)
		n = close_term(r, r->folded_n, n);
	r->p = p;
	r->n = n;
}
#undef SCAN_NAME
#undef SCAN_TARGET
#undef SCAN_BLOCK

/* text/extract_text.h -- text of the page into the body text, compiled once per kernel.
 *
 * extract.c includes this with TEXT_NAME (the function), TEXT_TARGET (its target
 * attribute), TEXT_STEP and TEXT_BLANKED(out, p): the kernel, which copies that many
 * bytes, white ones as blanks, and sets a bit for each white one.
 *
 * Only where two white bytes meet is there anything else to do.  A whole step is
 * taken whatever the length, as long as it stays in the page: one step for most
 * texts, and no guess how many there will be.  Nothing that was just written is read.
 */
TEXT_TARGET static void TEXT_NAME(struct extract *x, const char *p, size_t n)
{
	const char *end = p + n, *readable = str_end(x->page);
	uint64_t was_white = 0;

	if (white(*p)) {
		do
			p++;
		while (p < end && white(*p));
		if (!x->sep)
			x->sep = ' ';
		if (p == end)
			return;
	}
	n = (size_t)(end - p);
	if (__builtin_expect(x->n + n + SLACK > x->easy, 0)) {
		if (!(n = fit(x, p, n)))
			return;
		end = p + n;
	}
	char *out = separated(x);

	if (p < x->page.p || p >= readable)
		readable = p;
	while (p < end && readable - p >= TEXT_STEP) {
		size_t left = (size_t)(end - p), k = left < TEXT_STEP ? left : TEXT_STEP;
		uint64_t mask = TEXT_BLANKED(out, p) & (~(uint64_t)0 >> (64 - k));
		uint64_t twice = mask & (mask << 1 | was_white);

		if (!twice) {
			was_white = mask >> (k - 1);
			p += k;
			out += k;
			continue;
		}
		k = (size_t)__builtin_ctzll(twice);
		p += k;
		out += k;
		was_white = 1; /* the byte before, whatever follows */
		while (p < end && white(*p))
			p++;
	}
	for (; p < end; p++) {
		bool w = white(*p);

		if (!w)
			*out++ = *p;
		else if (!was_white)
			*out++ = ' ';
		was_white = w;
	}
	if (was_white) {
		out--;
		x->sep = ' ';
	}
	x->newline = false;
	x->n = (size_t)(out - x->text);
}
#undef TEXT_NAME
#undef TEXT_TARGET
#undef TEXT_STEP
#undef TEXT_BLANKED

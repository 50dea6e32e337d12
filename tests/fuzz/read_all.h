/* fuzz/read_all.h -- every record of a file, every payload, every digest; the same by spans, and by heads alone. */
#ifndef WINNOW_FUZZ_READ_ALL_H
#define WINNOW_FUZZ_READ_ALL_H
#include "archive/payload.h"
#include "archive/verify.h"
#include "memory_file.h"

/* The records by their heads; of every other one the block all the same. */
static inline void read_heads(const char *path)
{
	static struct record rec;
	static struct payload p;
	struct reader *r;
	struct err err = { 0 };
	unsigned n = 0;

	if (reader_open(&r, path, &err) < 0)
		return;
	reader_quick(r);
	while (reader_next(r, &rec, &err) == WN_OK) {
		if (payload_begin(&p, r, &rec, PAYLOAD_RAW, n++ & 1 ? 0 : PAYLOAD_HEAD, &err) < 0 ||
		    payload_end(&p, &rec, &err) < 0)
			break;
		if (rec.span.length == 0)
			abort();
	}
	reader_close(r);
	payload_release(&p);
}

static inline void read_all(const char *path)
{
	static struct record rec, again;
	static struct payload p;
	struct reader *r, *one;
	struct err err = { 0 };
	struct str piece;
	unsigned n = 0;

	if (reader_open(&r, path, &err) < 0)
		return;
	while (reader_next(r, &rec, &err) == WN_OK) {
		uint64_t bytes = 0;

		verify_head(&rec);
		if (payload_begin(&p, r, &rec, PAYLOAD_DECODED, PAYLOAD_CHECK | PAYLOAD_BLOCK | PAYLOAD_DIGEST, &err) <
		    0)
			break;
		while (bytes < 1 << 24 && payload_read(&p, &piece, &err) == WN_OK)
			bytes += piece.n;
		if (payload_end(&p, &rec, &err) < 0)
			break;
		if (rec.span.length == 0)
			abort(); /* every record takes room */
		if (n++ < 4 && !rec.part.n && reader_open_span(&one, path, rec.span, &err) == WN_OK) {
			reader_next(one, &again, &err);
			reader_close(one);
		}
	}
	reader_close(r);
	payload_release(&p); /* it remembers segments by path, and the next input has the same path */
	p = (struct payload){ 0 };
	read_heads(path);
}
#endif

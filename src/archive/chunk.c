/* archive/chunk.c -- see chunk.h.
 *
 * A size line is collected in `line`, since pieces may end anywhere; when it
 * turns out to be none, it is given out before the rest.
 */
#include "archive/chunk.h"

static void tell(struct dechunk *d, enum flaw_kind kind, const char *what)
{
	if (!d->told)
		flaw_add(d->flaws, kind, d->at, "%s after %llu chunks", what, (unsigned long long)d->chunks);
	d->told = true;
}

/* "1a3; name=value": false when it does not begin with a number. */
static bool parse_size(struct str line, uint64_t *size)
{
	size_t i = 0;

	line = str_trim(line);
	*size = 0;
	while (i < line.n && hex_digit(line.p[i]) >= 0) {
		if (i >= 15)
			return false;
		*size = *size << 4 | (unsigned)hex_digit(line.p[i++]);
	}
	if (!i)
		return false;
	while (i < line.n && (line.p[i] == ' ' || line.p[i] == '\t'))
		i++;
	return i == line.n || line.p[i] == ';';
}

static void as_is(struct dechunk *d)
{
	tell(d, d->fresh ? FLAW_NOT_CHUNKED : FLAW_CHUNK, d->fresh ? "no chunk" : "no chunk size");
	d->state = CHUNK_AS_IS;
}

/* Moves bytes of the input to d->line up to a line end. True: a line is complete, or too long to be one. */
static bool collect_line(struct dechunk *d)
{
	while (d->in.n) {
		char c = *d->in.p;

		if (d->nline == sizeof d->line)
			return true;
		d->line[d->nline++] = c;
		d->in = str_sub(d->in, 1, d->in.n);
		if (c == '\n')
			return true;
	}
	return false;
}

/* One step over the input at hand.  True: *piece is to be given out. */
static bool step(struct dechunk *d, struct str *piece)
{
	switch (d->state) {
	case CHUNK_SIZE:
		if (!collect_line(d))
			return false;
		if (d->line[d->nline - 1] != '\n' || !parse_size(str_n(d->line, d->nline), &d->left)) {
			as_is(d);
			*piece = str_n(d->line, d->nline);
			return true;
		}
		d->nline = 0;
		d->fresh = false;
		d->state = d->left ? CHUNK_DATA : CHUNK_TRAILER;
		d->complete = d->left == 0;
		d->chunks += d->left > 0;
		return false;
	case CHUNK_DATA: {
		size_t n = d->in.n < d->left ? d->in.n : (size_t)d->left;

		*piece = str_sub(d->in, 0, n);
		d->in = str_sub(d->in, n, d->in.n);
		d->left -= n;
		if (!d->left)
			d->state = CHUNK_DATA_END;
		return n > 0;
	}
	case CHUNK_DATA_END: /* CR LF, or LF */
		while (d->in.n) {
			char c = *d->in.p;

			if (c != '\r' && c != '\n') {
				tell(d, FLAW_CHUNK, "no line end behind the data");
				d->state = CHUNK_SIZE;
				return false;
			}
			d->in = str_sub(d->in, 1, d->in.n);
			if (c == '\n') {
				d->state = CHUNK_SIZE;
				return false;
			}
		}
		return false;
	case CHUNK_TRAILER:
		if (!collect_line(d))
			return false;
		if (d->nline <= 2 && (d->line[0] == '\n' || d->line[0] == '\r'))
			d->state = CHUNK_DONE;
		d->nline = 0;
		return false;
	case CHUNK_DONE:
		d->extra += d->in.n;
		d->in.n = 0;
		return false;
	case CHUNK_AS_IS:
		*piece = d->in;
		d->in = STR_NONE;
		return piece->n > 0;
	}
	return false;
}

static int finish(struct dechunk *d, struct str *piece)
{
	if (d->state == CHUNK_SIZE && d->nline) { /* an unfinished line at the end */
		struct str line = str_n(d->line, d->nline);

		if (!parse_size(line, &d->left) || d->left) {
			as_is(d);
			d->nline = 0;
			*piece = line;
			return WN_OK;
		}
		d->complete = true;
		d->nline = 0;
		return WN_END;
	}
	if (d->state != CHUNK_AS_IS && !d->complete && !(d->fresh && d->nline == 0))
		tell(d, FLAW_CHUNK, "the body ends");
	if (d->extra)
		tell(d, FLAW_CHUNK, "more follows the last chunk,");
	d->extra = 0;
	return WN_END;
}

static int pull(struct source *s, struct str *piece, struct err *err)
{
	struct dechunk *d = (struct dechunk *)(void *)s; /* source is the first member */

	for (;;) {
		while (d->in.n)
			if (step(d, piece))
				return WN_OK;
		int rc = source_pull(d->up, &d->in, err);

		if (rc == WN_END)
			return finish(d, piece);
		if (rc < 0)
			return rc;
	}
}

void dechunk_init(struct dechunk *d, struct source *up, struct flaws *flaws, uint64_t at)
{
	d->source = (struct source){ .pull = pull };
	d->up = up;
	d->flaws = flaws;
	d->at = at;
	d->state = CHUNK_SIZE;
	d->in = STR_NONE;
	d->nline = 0;
	d->fresh = true;
	d->complete = d->told = false;
	d->left = d->chunks = d->extra = 0;
}

/* fulltext/check.c -- reads a segment or a whole index and says what is wrong first; see index.h. */
#include <inttypes.h>

#include "base/limits.h"
#include "fulltext/build.h"
#include "fulltext/manifest.h"

static int check_postings(const struct ftseg *s, const struct ftdict *d, uint32_t *seen, struct err *err)
{
	struct ftcursor c;
	enum ft_field field = d->key.n && d->key.p[0] == FT_TITLE_KEY ? FT_TITLE : FT_BODY;
	VEC(uint32_t) positions = { 0 };
	uint64_t df = 0, ttf = 0;
	int rc = ftcursor_open(&c, s, &d->term, err);

	while (rc == WN_OK && c.doc != FT_DONE) {
		uint32_t tf = ftcursor_tf(&c), doc = c.doc, last;
		const unsigned char *skip = c.skip ? c.skip + FT_SKIP * (size_t)c.block : NULL;

		if (skip &&
		    (doc > get_u32(skip) || (tf > skip[13] && skip[13] != 255) || s->norms[field][doc] < skip[14]))
			rc = segfile_damaged(err, s->path, "the skip table of term %.*s does not hold",
					     STR_FMT(buf_view(&d->key)));
		vec_reserve(&positions, tf);
		if (rc == WN_OK && ftcursor_positions(&c, positions.p)) {
			last = positions.p[tf - 1];
			for (uint32_t i = 1; i < tf; i++)
				if (positions.p[i] <= positions.p[i - 1])
					last = UINT32_MAX;
			if (ft_norm(last + (uint64_t)1) > s->norms[field][doc])
				rc = segfile_damaged(err, s->path, "a position of term %.*s lies behind its text",
						     STR_FMT(buf_view(&d->key)));
			seen[doc] += tf;
			df++;
			ttf += tf;
			ftcursor_next(&c);
		}
	}
	if (rc == WN_OK)
		rc = ftcursor_error(&c, err);
	if (rc == WN_OK && (df != d->term.df || ttf != d->term.ttf))
		rc = segfile_damaged(err, s->path, "term %.*s has %" PRIu64 " documents and should have %" PRIu32,
				     STR_FMT(buf_view(&d->key)), df, d->term.df);
	vec_release(&positions);
	return rc;
}

int ftseg_check(const char *path, struct err *err)
{
	struct ftseg *s;
	struct ftdict d = { 0 };
	struct buf last = BUF(FT_KEY_MOST);
	uint32_t *seen;
	uint64_t terms = 0;
	int rc = ftseg_open(&s, path, err);

	if (rc < 0)
		return rc;
	seen = mem_zarray(s->n + (size_t)1, sizeof *seen);
	for (rc = ftdict_seek(&d, s, STR(""), err); rc == WN_OK; rc = ftdict_next(&d, err)) {
		if (terms++ && str_cmp(buf_view(&last), buf_view(&d.key)) >= 0)
			rc = segfile_damaged(err, path, "its dictionary is out of order");
		buf_reset(&last);
		buf_str(&last, buf_view(&d.key));
		if (rc == WN_OK)
			rc = check_postings(s, &d, seen, err);
		if (rc < 0)
			break;
	}
	if (rc == WN_END)
		rc = terms == s->terms ? WN_OK
				       : segfile_damaged(err, path, "it has %" PRIu64 " terms and should have %" PRIu64,
							 terms, s->terms);
	for (uint32_t i = 0; i < s->n && rc == WN_OK; i++) /* every term of every text is somewhere */
		if (seen[i] < ft_norm_length(s->norms[FT_BODY][i]) + (uint64_t)ft_norm_length(s->norms[FT_TITLE][i]))
			rc = segfile_damaged(err, path, "terms of content %" PRIu64 " are missing", s->contents[i]);
	mem_free(seen);
	buf_release(&last);
	ftdict_release(&d);
	ftseg_close(s);
	return rc;
}

int ftindex_check(const char *path, struct err *err)
{
	struct ftmanifest m;
	struct arena a = { 0 };
	int rc;

	if (str_ends(str(path), STR(".seg")))
		return ftseg_check(path, err);
	if ((rc = ftmanifest_open(&m, path, err)) < 0)
		return rc;
	for (size_t i = 0; i < m.parts.n && rc == WN_OK; i++)
		rc = ftseg_check(ftmanifest_name(&a, path, m.parts.p[i].number, ".seg").p, err);
	ftmanifest_release(&m);
	arena_release(&a);
	return rc;
}

/* fulltext/merge.c -- several segments into one; see build.h.
 *
 * Documents are numbered anew in order of content, which keeps the order
 * within each segment, so a term's postings are a merge of ascending lists.
 * Runs of one builder may share a document: its positions follow those of the
 * run before.  Memory: a cursor and a map of documents per segment.
 */
#include "base/limits.h"
#include "base/vec.h"
#include "fulltext/build.h"

#define DEAD UINT32_MAX

struct source {
	struct ftseg *s;
	uint32_t *map; /* doc to new doc, or DEAD */
	struct ftdict dict;
	struct ftcursor cursor;
	bool more, here; /* terms are left; this one has the present term */
	uint32_t doc;	 /* new number of the cursor's doc */
};

static bool is_deleted(const uint64_t *bits, uint32_t doc) { return bits && bits[doc / 64] >> doc % 64 & 1; }

/* Fills the maps and gives the documents to the writer, by content; of two that hold a content the later lives, or with
 * `joined` both are one document, whose lengths the later knows. */
static void number_documents(struct source *src, const uint64_t *const *deleted, size_t n, bool joined,
			     struct ftseg_writer *w)
{
	VEC(uint32_t) at = { 0 };
	uint32_t next = 0;

	for (size_t i = 0; i < n; i++) {
		src[i].map = mem_array(src[i].s->n + (size_t)1, sizeof *src[i].map);
		vec_push(&at, 0u);
	}
	for (;;) {
		struct source *least = NULL;
		uint64_t content = 0;
		uint8_t norms[FT_FIELDS];

		for (size_t i = 0; i < n; i++) {
			while (at.p[i] < src[i].s->n && is_deleted(deleted ? deleted[i] : NULL, at.p[i]))
				src[i].map[at.p[i]++] = DEAD;
			if (at.p[i] < src[i].s->n && (!least || src[i].s->contents[at.p[i]] <= content)) {
				if (least && src[i].s->contents[at.p[i]] == content) /* the earlier one gives way */
					least->map[at.p[least - src]++] = joined ? next : DEAD;
				least = &src[i];
				content = src[i].s->contents[at.p[i]];
			}
		}
		if (!least)
			break;
		for (int f = 0; f < FT_FIELDS; f++)
			norms[f] = least->s->norms[f][at.p[least - src]];
		ftseg_writer_doc_norm(w, content, norms);
		least->map[at.p[least - src]++] = next++;
	}
	vec_release(&at);
}

/* The cursor's next doc that lives, from the present one on. */
static void settle(struct source *x)
{
	while (x->cursor.doc != FT_DONE && x->map[x->cursor.doc] == DEAD)
		ftcursor_next(&x->cursor);
	x->doc = x->cursor.doc == FT_DONE ? FT_DONE : x->map[x->cursor.doc];
}

/* Postings that are numbered below `limit`, up to the end of a block, there or here: they go over as they are. */
static int copy_run(struct source *x, uint32_t limit, struct ftseg_writer *w, struct err *err)
{
	struct ftcursor *c = &x->cursor;
	uint32_t docs[PACK_N], n = 1, most = (uint32_t)ftseg_writer_room(w);
	uint64_t left;

	docs[0] = x->doc;
	most = c->n - c->at < most ? c->n - c->at : most;
	for (; n < most; n++) /* DEAD is not below any */
		if ((docs[n] = x->map[c->docs[c->at + n]]) >= limit)
			break;
	left = ftcursor_gaps_open(c, n);
	if (!c->damage)
		ftseg_writer_postings(w, docs, c->tfs + c->at, n);
	while (left && !c->damage) {
		const uint32_t *gaps;
		uint32_t some = ftcursor_gaps(c, &gaps, left);

		ftseg_writer_row(w, gaps, some);
		left -= some;
	}
	if (!c->damage) {
		c->at += n - 1;
		ftcursor_next(c);
		settle(x);
	}
	return ftcursor_error(c, err);
}

/* A document that goes on from run to run: its positions follow each other. */
static int join_doc(struct source *src, size_t n, uint32_t doc, struct ftseg_writer *w, struct err *err)
{
	uint32_t last = UINT32_MAX;
	int rc = WN_OK;

	ftseg_writer_posting(w, doc);
	for (size_t i = 0; i < n && rc == WN_OK; i++) {
		struct ftcursor *c = &src[i].cursor;
		bool ok;

		if (!src[i].here || src[i].doc != doc)
			continue;
		ok = ftcursor_positions_open(c);
		for (uint32_t tf = ftcursor_tf(c); ok && tf; tf--) {
			uint32_t position, gap;

			if ((ok = ftcursor_positions_some(c, &position, 1))) {
				gap = position - last - 1;
				ftseg_writer_gaps(w, &gap, 1);
				last = position;
			}
		}
		if (ok) {
			ftcursor_next(c);
			settle(&src[i]);
		}
		rc = ftcursor_error(c, err);
	}
	return rc;
}

static int merge_term(struct source *src, size_t n, struct ftseg_writer *w, struct err *err)
{
	int rc = WN_OK;

	for (size_t i = 0; i < n && rc == WN_OK; i++)
		if (src[i].here && (rc = ftcursor_open(&src[i].cursor, src[i].s, &src[i].dict.term, err)) == WN_OK)
			settle(&src[i]);
	while (rc == WN_OK) {
		struct source *least = NULL;
		uint32_t doc = FT_DONE, limit = FT_DONE; /* the least and the one behind it */

		for (size_t i = 0; i < n; i++) {
			if (!src[i].here)
				continue;
			if (src[i].doc < doc) {
				limit = doc;
				doc = src[i].doc;
				least = &src[i];
			} else if (src[i].doc < limit) {
				limit = src[i].doc;
			}
		}
		if (!least)
			break;
		rc = limit == doc ? join_doc(src, n, doc, w, err) : copy_run(least, limit, w, err);
	}
	for (size_t i = 0; i < n && rc == WN_OK; i++)
		if (src[i].here)
			rc = ftcursor_error(&src[i].cursor, err);
	return rc == WN_OK ? ftseg_writer_term_end(w, err) : rc;
}

static int advance(struct source *x, struct err *err)
{
	int rc = ftdict_next(&x->dict, err);

	x->more = rc == WN_OK;
	return rc < 0 ? rc : WN_OK;
}

static int merge_terms(struct source *src, size_t n, struct ftseg_writer *w, struct err *err)
{
	int rc;

	for (size_t i = 0; i < n; i++) {
		rc = ftdict_seek(&src[i].dict, src[i].s, STR(""), err);
		if (rc < 0)
			return rc;
		src[i].more = rc == WN_OK;
	}
	for (;;) {
		struct str key = STR_NONE;

		for (size_t i = 0; i < n; i++)
			if (src[i].more && (!key.p || str_cmp(buf_view(&src[i].dict.key), key) < 0))
				key = buf_view(&src[i].dict.key);
		if (!key.p)
			return WN_OK;
		ftseg_writer_term(w, key);
		for (size_t i = 0; i < n; i++)
			src[i].here = src[i].more && str_eq(buf_view(&src[i].dict.key), key);
		if ((rc = merge_term(src, n, w, err)) < 0)
			return rc;
		for (size_t i = 0; i < n; i++)
			if (src[i].here && (rc = advance(&src[i], err)) < 0)
				return rc;
	}
}

int ftmerge_write(struct ftseg *const *segments, const uint64_t *const *deleted, size_t n, bool joined,
		  const char *path, struct err *err)
{
	struct source *src = mem_zarray(n + 1, sizeof *src);
	struct ftseg_writer *w = NULL;
	int rc = ftseg_writer_open(&w, path, err);

	if (rc == WN_OK) {
		for (size_t i = 0; i < n; i++)
			src[i].s = segments[i];
		number_documents(src, deleted, n, joined, w);
		if ((rc = merge_terms(src, n, w, err)) == WN_OK)
			rc = ftseg_writer_commit(w, err);
		else
			ftseg_writer_abort(w);
	}
	for (size_t i = 0; i < n; i++) {
		mem_free(src[i].map);
		ftdict_release(&src[i].dict);
	}
	mem_free(src);
	return rc;
}

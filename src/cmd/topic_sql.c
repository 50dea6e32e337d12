/* cmd/topic_sql.c -- winnow help sql, winnow help flaws: the views of the catalogue and the kinds of flaws, for the manual. */
#include "archive/flaw.h"
#include "base/buf.h"
#include "base/limits.h"
#include "cmd/topics.h"
#include "text/document.h"

const char *topic_sql(void)
{
	return "'winnow sql COLL \"SELECT ...\"' asks these views. They keep their names and columns; tables beside them are winnow's own and may change. "
	       "The collection is opened read-only: what would write, attach another file or load an extension is refused. Times are UTC.\n\n"
	       "captures: a URL at a time, whatever was archived of it.\n\n"
	       "  id              number of the capture, in the order of reading\n"
	       "  url, urlkey     the URL, and the key it sorts by (winnow help surt)\n"
	       "  time            as 2010-04-12T06:00:00Z; stamp: 14 digits; seconds: since 1970\n"
	       "  host, domain    of the URL; the domain is what can be registered below a public suffix\n"
	       "  kind            response, resource, revisit or conversion\n"
	       "  mime, type      the type as identified; the type as the server said\n"
	       "  charset         the charset of the text, as found\n"
	       "  status          HTTP status; null for records that have none\n"
	       "  bytes           length of the decoded payload\n"
	       "  digest          SHA-1 of the decoded payload, hexadecimal; equal pages in other codings are equal here\n"
	       "  payload_digest  the digest as the archive says\n"
	       "  content         number of its text in contents; null: no document\n"
	       "  file, offset, length   where its record is\n"
	       "  crawl           name of the crawl that its file's warcinfo gives\n"
	       "  original        of a revisit: id of the capture that has the payload\n"
	       "  published       the time that the page itself names\n"
	       "  redirect, via   where it points to; from where it was reached\n"
	       "  page            number of its list of links\n\n"
	       "documents: the captures that have a text: all columns of captures, and title, lang, words, shingles of the text.\n\n"
	       "contents: distinct texts.\n\n"
	       "  id, title, lang, confidence   number; title; language and how sure that is, 0 to 1\n"
	       "  words, shingles, bytes        terms, distinct shingles, length in UTF-8\n"
	       "  shingles_main                 distinct shingles of the main text alone\n"
	       "  captures                      how many captures have it\n\n"
	       "hosts: id, host, domain, captures (how many).\n\n"
	       "links: links of pages. capture and source (id and URL of the page), seq (place in the page), kind (0 a, 1 area, 2 link, 3 img, 4 script, 5 frame, 6 form, 7 refresh, 8 css, 9 media), nofollow (0, 1), target (URL), anchor (text).\n\n"
	       "files: id, path, name (last part of path), bytes, complete (1: read to its end), records, captures.\n\n"
	       "flaws: id, file, offset, kind (winnow help flaws), detail, capture (id, where the flaw belongs to one).\n\n"
	       "attributes: what import --attributes brought. name, type, by (url, urlkey, host or id), key, value.\n\n"
	       "covers: results of reduce. id, name, rule, rule_sha256, selection (what --where said), revision (of the collection), created, state, documents, kept, dropped, "
	       "lower_bound (no cover has fewer).\n\n"
	       "cover_members: the documents of each cover.\n\n"
	       "  cover, id            number of the cover; id of the capture\n"
	       "  state                kept or dropped\n"
	       "  by_id                of a dropped one: the witness, a kept document that covers it\n"
	       "  shared               shingles that both have\n"
	       "  size, witness_size   shingles of each\n\n"
	       "pairs: witness pairs. cover, a (dropped), b (its witness), shared, size_a, size_b.";
}

const char *topic_flaws(void)
{
	static struct buf text = { .max = 1 * MIB };

	if (text.n == 0) {
		buf_str(
		    &text,
		    STR("A flaw is something wrong in archived data. It is recorded with its file and offset, shown by verify and in the view flaws, and reading goes on. "
			"These are the kinds.\n\n"));
		for (int kind = 0; kind < FLAW_KINDS; kind++)
			buf_printf(&text, "%s  %-16s  %s", kind ? "\n" : "", flaw_name((enum flaw_kind)kind),
				   flaw_meaning((enum flaw_kind)kind));
		for (const struct document_flaw_name *f = document_flaw_names; f->flaw; f++)
			buf_printf(&text, "\n  %-16s  %s", f->name, f->text);
		buf_byte(&text, 0);
	}
	return text.p;
}

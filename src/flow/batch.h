/* flow/batch.h -- what was found in records, gathered and committed.
 *
 * Workers make a struct found per record, without ids.  batch_take gets them
 * in the order of the archive, on one thread, gives ids, sees which contents
 * and link lists are new, and a full batch goes to the committer (committer.h),
 * which writes segments and catalogue, in that order: the catalogue's transaction
 * is what makes a batch count, so a kill before it leaves segments that the next
 * writer removes.
 */
#ifndef WINNOW_FLOW_BATCH_H
#define WINNOW_FLOW_BATCH_H
#include "archive/flaw.h"
#include "base/buf.h"
#include "flow/collection.h"

struct found {
	struct arena arena; /* of every string below */
	bool is_capture;
	struct capture capture;
	bool has_document;
	struct content content;
	bool has_texts; /* false: equal to one seen before, texts and sets were not kept */
	struct texts_in texts;
	struct buf packed; /* its sets, for segment_writer_put; where `spooled`, pages of a file without a name */
	bool spooled;
	bool has_links;
	uint64_t page_key;  /* 0: no links */
	struct str links;   /* packed */
	struct flaw *flaws; /* few records have any */
	unsigned n_flaws;
	unsigned document_flaws;
	struct str reader_failed;    /* detail of DOC_FLAW_READER_FAILED */
	struct catalog_crawl *crawl; /* a warcinfo record */
	struct str via_of, via;	     /* a metadata record: of which record id, what it says */
	bool is_request;
	struct str asked_url, asked_of; /* a request record: its URL, the id of the record it belongs to */
	struct str asked;		/* its method and body as part of a query (archive/cdx.h); empty: a GET */
	uint64_t at;
	bool inside; /* of a member or of a part of the file: reading cannot go on at `at` */
	struct str record_id;
};

struct found *found_new(void);
void found_flaws(struct found *f, const struct flaw *v, unsigned n); /* copies them; the last call counts */
void found_texts(struct found *f, const struct texts_in *t);	     /* copies them, main as its ranges */
void found_free(struct found *f);				     /* f may be NULL */
size_t found_size(const struct found *f);			     /* memory it takes */
void found_spool(struct found *f);     /* its sets go to disk when they are large, if they can */
void found_drop_sets(struct found *f); /* once they are written */

/* Who may hold how much of the memory of an ingest.  Two things are never there at once: a large page that is worked on,
 * or committed, and full batches.  A large page alone takes LIMIT_PAGE_WORK; a batch is committed while the next is
 * made, beside what waits for its turn and what is worked on. */
struct memory_plan {
	uint64_t fixed;	  /* the program, its memory of what was seen, the catalogue's cache */
	uint64_t waiting; /* found, and not in its turn */
	uint64_t batch;	  /* one batch */
	uint64_t words;	  /* builders of the full-text index, all threads together, and a merge beside them */
	size_t known;	  /* contents, and lists of links, that are known without asking the catalogue */
	size_t large;	  /* payload of a page from which on it is large: 24 times that in each thread */
	size_t wide;	  /* up to which one large page at a time is made beside all that */
	unsigned threads;
	bool roomy; /* a large page fits beside all that */
};
struct memory_plan memory_plan(uint64_t memory, unsigned threads);
uint64_t memory_least(bool chars); /* below which nothing is promised */

struct batch_counts {
	uint64_t captures, documents, contents, flaws, bytes_payload;
};

struct batch;
struct batch_options {
	unsigned threads;
	struct memory_plan plan;
	bool fulltext;
	/* Makes a found again with texts and links, when it was skipped as known but is not. */
	int (*again)(void *context, const struct capture *c, struct found **out, struct err *err);
	void *context;
};

int batch_open(struct batch **out, struct collection *coll, const struct batch_options *o, struct err *err);
void batch_close(struct batch *b); /* what was not committed is dropped; b may be NULL */

bool batch_full(const struct batch *b);
/* Whether there is enough in it that a commit of its own is worth it. */
bool batch_worth(const struct batch *b);
/* Whether it ends before f: it is full, or it should.  What a metadata or request record says of a capture goes into the capture's batch as long as
 * there is memory; behind that the capture's row is written again. */
bool batch_ends_before(const struct batch *b, const struct found *f, bool should);
/* f becomes the batch's.  file is what it was found in. */
int batch_take(struct batch *b, struct found *f, uint64_t file, struct err *err);
/* The same for a capture that is there already, whose text was made anew; rejoined: with other segments than before. */
int batch_retake(struct batch *b, struct found *f, const struct capture *known, bool rejoined, struct err *err);
/* The file's row as of now; committed with the rest. */
void batch_file(struct batch *b, const struct catalog_file *f);
/* Gives a full batch to the committer and goes on with an empty one; an error may be of a batch passed before. */
int batch_pass(struct batch *b, struct err *err);
int batch_commit(struct batch *b, struct err *err); /* the same, and all that was taken is committed */
/* The same where a large page does not fit beside a batch. */
int batch_make_room(struct batch *b, struct err *err);
/* Takes contents that are gone out of the full-text index. */
int batch_forget(struct collection *coll, struct err *err);
/* Merges what should be merged; after the last commit. */
int batch_finish(struct batch *b, struct err *err);
const struct batch_counts *batch_counts(const struct batch *b);
#endif

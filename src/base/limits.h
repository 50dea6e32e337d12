/* base/limits.h -- every bound on untrusted input, in one place, with its reason.
 *
 * A parser that meets one of these records a flaw or returns WN_LIMIT; it
 * never grows past it.  A new growing thing gets a new line here.
 */
#ifndef WINNOW_BASE_LIMITS_H
#define WINNOW_BASE_LIMITS_H

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define LIMIT_RECORD_HEAD (1 * MIB) /* a WARC/ARC header block; the longest seen in the wild is 70 KB */
#define LIMIT_HTTP_HEAD (1 * MIB)   /* an HTTP head; servers stop at 8-64 KB, cookies make some longer */
#define LIMIT_SKIM_TEXT (3 * MIB)   /* text of a member whose end is found without inflating it; longer ones are read */
#define LIMIT_SKIM_LEAD (64 * KIB)  /* text inflated for its heads; a record with longer ones is read */
#define LIMIT_SKIM_PLACES 64	    /* places tried for the end of a member before it is read */
#define LIMIT_FIELDS 4096	    /* header fields in one head */
#define LIMIT_STATE_EDGES (1u << 30)   /* coverers of core documents in a run's state: 4 GB */
#define LIMIT_URL (64 * KIB)	       /* longer URLs are data: URLs or noise */
#define LIMIT_CODINGS 8		       /* stacked content codings */
#define LIMIT_FLAWS_PER_RECORD 16      /* the rest is counted, not kept */
#define LIMIT_ZIP_ENTRIES 1000000      /* entries of one WACZ */
#define LIMIT_ZIP_DIRECTORY (64 * MIB) /* the central directory of one WACZ */
#define LIMIT_DECODED (2 * GIB)	       /* a decoded body; more is a bomb */
#define LIMIT_SEGMENTS 1000000	       /* continuation records of one file */
#define LIMIT_IDS 4000000	       /* record ids of one file that are compared with each other */
#define LIMIT_PAYLOAD_TEXT \
	(64 * MIB) /* of a payload that is read for its text; the same for every --memory, so that texts are */
#define LIMIT_PAGE_WORK \
	(320 *          \
	 MIB) /* what one page of such a payload takes while text and sets are made of it, and until it is entered */
#define LIMIT_TEXT (32 * MIB) /* a document's text, then it is cut (flaw text-cut) */
#define LIMIT_RULE (64 * KIB) /* a rule's text */
#define LIMIT_RULE_DEPTH 200
#define LIMIT_RULE_DISJUNCTS 64
#define LIMIT_REGEX (16 * KIB)	      /* a regular expression's text */
#define LIMIT_REGEX_INSTS 20000	      /* its program after x{m,n} is written out */
#define LIMIT_REGEX_SYMBOLS 1024      /* classes of characters it tells apart */
#define LIMIT_REGEX_STATES 2048	      /* states kept at once; then they are made anew */
#define LIMIT_REGEX_MEMORY (16 * MIB) /* and the bytes they may take */
#define LIMIT_JSON_DEPTH 64
#define LIMIT_HTML_TOKEN (1 * MIB)     /* bytes of one tag or comment that the tokenizer keeps */
#define LIMIT_HTML_ATTRS 1024	       /* attributes of one tag; compared pairwise for duplicates */
#define LIMIT_HTML_DEPTH 512	       /* open elements; browsers stop at the same depth */
#define LIMIT_OUTLINE_DEPTH 512u       /* of elements with a row; deeper ones belong to the 512th */
#define LIMIT_OUTLINE_NODES (1u << 20) /* rows of one page */
#define LIMIT_OFFICE_XML (64 * MIB)    /* bytes of one unpacked member of an office file; larger ones are bombs */
#define LIMIT_LINKS 200000	       /* links of one page */
#define LIMIT_LINKS_BYTES (32 * MIB)   /* of their URLs together: a long base makes short links long */
#define LIMIT_LINKS_PACKED \
	(32 * MIB)	     /* and what they take when packed, each URL's beginning left out that the last one has */
#define LIMIT_ANCHOR 1024    /* bytes of one anchor text */
#define LIMIT_META (8 * KIB) /* bytes of a title, description or date of the head */
#define LIMIT_DIFF_CHANGES 2000		  /* edits searched between two anchors; quadratic in this */
#define LIMIT_LINE (4 * MIB)		  /* a line of CDX, CSV or JSONL */
#define LIMIT_CSV_CELLS 10000		  /* cells of a row */
#define LIMIT_POST_BODY 4096		  /* bytes of a request body that go into an urlkey, as other indexers do */
#define LIMIT_SHINGLE_K 64		  /* terms in a shingle; longer ones find nothing but copies */
#define LIMIT_SEGMENT_CONTENTS (1u << 28) /* contents in one segment of sets or texts */
#define LIMIT_FT_QUERY (16 * KIB)	  /* a search's text */
#define LIMIT_FT_DEPTH 64		  /* brackets within brackets in a search */
#define LIMIT_FT_LEAVES 256		  /* terms, phrases and prefixes of a search; also terms of a phrase */
#define LIMIT_FT_TERM 256		  /* bytes of a term in the full-text index; longer ones are cut there */
#define LIMIT_FT_SEGMENTS 1024		  /* segments in a full-text index; merging keeps it near 20 */
#define LIMIT_PAGE (16 * MIB)		  /* an HTML page of ours; lists are cut long before */
#define LIMIT_EXPORTS 12		  /* archive files made of covers that a collection keeps */
#define LIMIT_JOBS 200			  /* jobs that a server remembers; the oldest finished one goes */
#define LIMIT_JOB_ATTEMPTS 5		  /* processes that may end while they work on a job, before it is given up */
#define LIMIT_JOB_SECONDS 86400		  /* a job may take, from its first start */
#define LIMIT_SQL_ROWS 10000		  /* of an answer to SQL by HTTP */
#define LIMIT_SQL_SECONDS 5		  /* and how long it may take */
#define LIMIT_SQL_VALUE 262144 /* bytes of a value in it: instr and replace take its square, and nothing stops them */
#define LIMIT_SQL_MEMORY ((uint64_t)GIB) /* of SQLite in a server that answers SQL */
#define LIMIT_SERVED 1000		 /* collections of one server, uploads among them */
#define LIMIT_ACL (256 * MIB)		 /* a file of access rules */
#define LIMIT_CDX_DIGESTS 1000000	 /* distinct digests of one URL that showDupeCount tells apart */
#define LIMIT_CDX_LINE (1 * MIB)	 /* a row of a CDX answer, escaped */
#define LIMIT_PDF_MEMORY (1 * GIB)	 /* address space of pdftotext */
#define LIMIT_PDF_SECONDS 20		 /* CPU time of pdftotext; twice that by the clock */
#define PREVIEW_SHINGLES 2500000	 /* that a preview joins; about a second with all it does beside */
#define PREVIEW_WHOLE 10	 /* times that many are joined when they are all there is: nothing is then estimated */
#define PREVIEW_NARROWED 2	 /* times that many in all narrowed sets */
#define PREVIEW_NARROW_ITEMS 32	 /* in a narrowed set, in the mean, at least */
#define PREVIEW_TRIED 96	 /* pairs of narrowed sets that are tried by whole ones */
#define PREVIEW_NODES 20	 /* of exact search; what is not proven then is a good cover */
#define PREVIEW_NODES_CURVE 2	 /* the same for what only accompanies the answer */
#define PREVIEW_GATHERED 8000000 /* pairs of texts kept for all thresholds of the curve */
#define PREVIEW_PAIRS 4000000	 /* pairs it tries one by one */
#define LIMIT_BODY (8 * MIB)	 /* a request's body; uploads of archives have a route of their own */
#define LIMIT_PARAMS 1000	 /* parameters in a query */
#define LIMIT_REQUEST_HEAD (128 * KIB) /* request line and headers */
#define LIMIT_REQUEST_FIELDS 128       /* header fields of a request */
#define LIMIT_UPLOAD (64 * GIB)	       /* an archive file that is uploaded; the disk is the other limit */
#define LIMIT_HEAD_SECONDS 20	       /* for a request's head, from its first byte */
#define LIMIT_STALL_SECONDS 30	       /* a body or answer must move on by LIMIT_STALL_BYTES in this time */
#define LIMIT_STALL_BYTES 4096
#define LIMIT_CONNECTIONS 8192	     /* open at once; then idle ones make room, else more wait in the backlog */
#define LIMIT_IDLE_SECONDS 60	     /* between two requests of a connection */
#define LIMIT_STOP_MS 5000	     /* for answers under way when the server is stopped */
#define READER_KEPT_MS 10000	     /* an archive file is kept open for the next record of it */
#define REVISION_EVERY_MS 1000	     /* how often a worker looks whether its collection moved on */
#define LIMIT_REPLAY_BODY (64 * MIB) /* an archived body held in memory; larger ones are streamed as they are */
#define LIMIT_REWRITE (16 * MIB)     /* a page that is rewritten; larger ones go out as archived */
#define LIMIT_TIMEMAP 10000	     /* mementos on one page of a TimeMap */
#endif

/* text/main_rows.h -- inside of main content: its rows and its thresholds, shared by its files.
 *
 * main_rows.c makes rows of the outline and weighs prose, main_furniture.c says
 * what surrounds an article, main_names.c which names say nothing of that,
 * main_lead.c finds headline and lead, main.c chooses and joins.  Row 0 is the
 * whole text, row i+1 is row i of the outline.
 */
#ifndef WINNOW_TEXT_MAIN_ROWS_H
#define WINNOW_TEXT_MAIN_ROWS_H
#include "text/main.h"

#define FURNITURE_SHARE 45    /* % of the prose that what looks like furniture may hold */
#define BOTH_SHARE 15	      /* the same when another of its names says content */
#define WEAK_SHARE 15	      /* captions, bylines and dates */
#define WEAK_BYTES 700	      /* and how long they may be */
#define CORE_SHARE 15	      /* % of the prose that an article must hold to be sure of it, */
#define CORE_PROSE 400	      /* and how much prose */
#define VEILED_SHARE 75	      /* % of the text outside other furniture that is text though it is called hidden, */
#define VEILED_BYTES 400      /* how much of it there must be, */
#define VEILED_REST 300	      /* and how much else there may be */
#define SECTION_PROSE 300     /* prose in a section that is called what its heading says, */
#define SECTION_ODD 20	      /* and % of it in what else is furniture inside; */
#define SECTION_LOOKS 8	      /* rows looked at in all such, for each row */
#define FORUM_SHARE 92	      /* % of the prose in comments that make a page a forum, */
#define FORUM_ARTICLE 10      /* unless an article holds this much of it */
#define BODY_SHARE 30	      /* % of the prose left that an article's body must hold */
#define DESCEND_SHARE 85      /* % that a row must keep of its parent to be preferred */
#define REPAIR_SHARE 35	      /* % of all text left that a container must hold */
#define ARTICLE_SHARE 30      /* % of the prose that makes <article> evidence */
#define PROSE_SHARE 25	      /* % of the text that must be prose in an article */
#define PROSE_BYTES 150	      /* and at least so much; */
#define PROSE_BYTES_PLAIN 400 /* more where nothing says article */
#define PLAIN_PAGE_BYTES 1500 /* a page shorter than this where nothing says article is kept whole */
#define STRUCTURE_SHARE 40    /* % in tables, lists and code that make a page no article */
#define MAIN_SHARE 10	      /* % of the text that makes <main> count */
#define MAIN_KEEP 80	      /* % of <main> that must survive */
#define MOST_SHARE 85	      /* more than this of the body kept: there is no furniture, keep all */
#define GENTLE_SHARE 50	      /* more than this kept and nothing says article: keep all but furniture */
#define UNTRIMMED_SHARE 30 /* more than this kept and nothing says article: keep all of the container but furniture */
#define LOSS_SHARE 60	   /* less than this of the plain text kept and nothing says article: keep all */
#define ARTICLE_LOSS 15	   /* the same where the page says that it is an article */
#define LEAST_SHARE 8	   /* less than this kept: the choice was wrong */
#define POSTS_LEAST 3	   /* bodies of one name that make a thread, */
#define POSTS_SHARE 60	   /* and % of the prose left in them */
#define CHUNK_SHARE 2	   /* % of the first chunk's prose in each other chunk */
#define INNER_SHARE 50	   /* % of the container's prose in an article within an article that is the article itself */
#define INNERS_SHARE 85	   /* and in all of them that is */
#define LINKED_SHARE 30	   /* % of the container's prose that a list of links may not hold */
#define ITEM_BYTES 80	   /* shorter items in a list of links */
#define UNIT_BYTES 40	   /* own text shorter than this is not weighed */
#define LEAD_BYTES 60	   /* a line must be this long to begin or end the article, */
#define CARD_SHARE 20	   /* % of the text; what is all anchor text and shorter holds no prose */
#define TITLE_BYTES 15	   /* bytes of a heading that is looked for in the title */
#define TITLE_MOST 300	   /* and of it and the title that is looked at */
#define WORD_LEAST 4	   /* bytes of a word of it that counts */
#define HEADLINE_SHARE 50  /* % of its words that make it the headline */
#define LABEL_MOST 48	   /* bytes of a label of an advertisement */
#define CALL_MOST 300	   /* and of a call to read, follow or subscribe */
#define DATA_BYTES 100	   /* a table or list of this length in a named body begins or ends it */
#define LEAD_MOST 1000	   /* what is called a lead is no longer than this */
#define DATED_MOST 150	   /* and a line with a time of day that is no lead, than this */
#define HEADING_LEAD 110   /* a heading that is one, or the last line, is longer than headlines are */
#define LEAD_BYTES_BODY 25 /* a paragraph of a named body this */

#define STRONG                                                                                               \
	(HINT_NAV | HINT_SIDE | HINT_FOOT | HINT_SHARE | HINT_RELATED | HINT_COMMENT | HINT_AD | HINT_NOTE | \
	 HINT_HIDDEN)
#define WEAK (HINT_META | HINT_CAPTION)
#define SET(tag) (UINT64_C(1) << (tag))
/* Elements that are there to hold furniture, and others that may be. */
#define FRAMES (SET(OUTLINE_NAV) | SET(OUTLINE_ASIDE) | SET(OUTLINE_FOOTER) | SET(OUTLINE_HEADER))
#define FURNITURE (FRAMES | SET(OUTLINE_CONTROL) | SET(OUTLINE_FORM) | SET(OUTLINE_CAPTION) | SET(OUTLINE_FIGURE))
#define IN(tag, set) ((set) >> (tag)&1)

struct row {
	uint32_t start, end, last, parent, link, name;
	uint32_t own, own_link; /* bytes of its own text */
	uint32_t weight, kept;	/* prose, and prose when furniture is out; both summed outwards */
	uint32_t prose;		/* its own weight */
	uint32_t plain;		/* bytes of text that is no link, furniture out, summed */
	uint32_t items;		/* rows of items before this one */
	uint16_t hints;
	uint8_t tag;
	bool bad, keep, mark; /* furniture; chosen; has punctuation */
};

struct segment { /* text between two boundaries, and the innermost row it is in */
	uint32_t start, end, row;
	bool aside; /* a line that is no part of what it stands in */
	bool lead;  /* kept whatever its row says: between headline and article */
};

struct page_rows {
	struct str body;
	struct row *rows;
	size_t n;
	struct segment *segments;
	size_t n_segments;
	uint64_t tags; /* of all rows, and their hints: what is nowhere need not be looked for */
	uint32_t hints;
	uint32_t total, left;		    /* prose, with and without furniture */
	bool article;			    /* the page says that it is one */
	uint32_t visible, prose, structure; /* bytes without furniture */
};

static inline bool share(uint64_t part, uint64_t whole, unsigned percent) { return part * 100 >= whole * percent; }

/* main_rows.c */
void rows_fill(struct arena *a, struct page_rows *p, const struct outline *o); /* rows and segments; p->body is given */
void rows_weigh(struct page_rows *p);					       /* weight, total */

/* main_names.c */
void rows_clear_names(struct page_rows *p, const struct outline *o); /* hints that are none; weight is known */

/* main_furniture.c */
void rows_mark_furniture(struct page_rows *p);
void rows_sum_rest(struct page_rows *p); /* kept, plain, left and what kind of page it is */

/* main_lead.c */
struct str rows_trimmed(const struct page_rows *p, const struct row *row);
struct str rows_title(const struct page_rows *p);		       /* the page's */
bool rows_in_title(const struct page_rows *p, const struct row *row);  /* all of its text */
void rows_mark_leads(struct page_rows *p, size_t first);	       /* segments before the first paragraph */
void rows_mark_orphans(struct page_rows *p, size_t first, size_t end); /* headings of what went, among segments */

/* main_line.c */
void rows_mark_asides(struct page_rows *p, bool evidence); /* segments; evidence: the page is an article */
#endif

/* text/xml.h -- the little of XML that feeds and office files need, and the text of any other. */
#ifndef WINNOW_TEXT_XML_H
#define WINNOW_TEXT_XML_H
#include "base/buf.h"

struct xml_tag {
	struct str name; /* without prefix */
	struct str full; /* with it */
	struct str attrs;
	bool end, empty;
};

/* Reads the tag at s ("<..."); returns its bytes, 0 when it does not end. */
size_t xml_tag(struct str s, struct xml_tag *t);

/* The bytes of the comment, processing instruction, document type or CDATA section at s ("<..."), 0 when it is a tag;
 * *data is the text of a CDATA section, else nothing. */
size_t xml_aside(struct str s, struct str *data);

/* What follows a document type that has declarations in brackets, and those declarations; s itself where there is none. */
struct str xml_behind_declarations(struct str s, struct str *declarations);
/* s with the entities that the declarations give a text; what a text refers to stays as it is. */
void xml_expand(struct buf *out, struct str s, struct str declarations);

/* All character data of a document, without references and in words: what stands in different elements is on lines of
 * its own, white space is one blank. */
void xml_text(struct buf *out, struct str xml);

/* Character data with the five entities and character references decoded; others stay as they are. */
void xml_decode(struct buf *b, struct str s);
#endif

/* text/xml.h -- the little of XML that feeds and office files need. */
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

/* Character data with the five entities and character references decoded; others stay as they are. */
void xml_decode(struct buf *b, struct str s);
#endif

/* text/office.h -- the text of docx and odt files.
 *
 * Both are ZIP files with one XML file that holds the text: paragraphs become
 * lines.  Memory is bounded by LIMIT_OFFICE_XML whatever the ZIP claims.
 */
#ifndef WINNOW_TEXT_OFFICE_H
#define WINNOW_TEXT_OFFICE_H
#include "base/arena.h"
#include "base/err.h"

/* Text and title in the arena.  WN_OK with *why set when there is no text or
 * not all of it; a negative code only when this process cannot work. */
int office_text(struct arena *a, struct str payload, struct str *text, struct str *title, const char **why,
		struct err *err);
#endif

/* text/pdf.h -- the text of a PDF, read by a program that may die of it.
 *
 * Debian's pdftotext runs as a process of its own, with bounds on memory,
 * time, output and open files, without network and without the right to
 * write files, to start programs or to look at others (seccomp).  A PDF that
 * kills it kills nothing else.  pdftotext is GPL and is neither linked nor
 * shipped; without it PDFs are captures without text.
 */
#ifndef WINNOW_TEXT_PDF_H
#define WINNOW_TEXT_PDF_H
#include "base/arena.h"
#include "base/err.h"

/* Text and title of a PDF, in the arena.  WN_OK with *why set (a short reason
 * fit for a flaw: "pdftotext is not installed", "took too long", ...) when there is no
 * text or not all of it; *why NULL when all went well.  A negative code only
 * when this process cannot work (no descriptors, no memory file).
 * Safe from any thread. */
int pdf_text(struct arena *a, struct str payload, struct str *text, struct str *title, const char **why,
	     struct err *err);
#endif

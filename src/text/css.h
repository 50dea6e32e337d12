/* text/css.h -- the URLs a style sheet names: @import and url().
 *
 * Comments and strings are passed over; escapes in URLs are undone.  One pass.
 */
#ifndef WINNOW_TEXT_CSS_H
#define WINNOW_TEXT_CSS_H
#include "base/arena.h"

typedef void css_url(void *context, struct str url); /* until it returns */
void css_urls(struct str css, css_url *each, void *context);
#endif

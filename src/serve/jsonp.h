/* serve/jsonp.h -- scripts that are an answer, callback({...}): the page that asks makes up the name and puts it into the URL.
 *
 * The archived answer calls the name of the day it was archived; a page that runs
 * again asks under another.  Replay finds the answer without the name
 * (replay_kin.c) and puts the name that was asked for into it.
 */
#ifndef WINNOW_SERVE_JSONP_H
#define WINNOW_SERVE_JSONP_H
#include "base/arena.h"
#include "base/str.h"

/* Whether a parameter of a URL or of its key names such a function. */
bool jsonp_names(struct str name, struct str value);
/* The function that the URL or key names; STR_NONE: none. */
struct str jsonp_callback(struct str url);
/* The body with the function that `asked` names where it calls the one of `archived`; else as it is. */
struct str jsonp_rename(struct arena *a, struct str body, struct str archived, struct str asked);
#endif

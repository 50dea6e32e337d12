/* serve/path.h -- the address of a replay taken apart: /{coll}/{stamp}{modifier}/{url}.
 *
 *	2010im_/http://a.example/x.png   20100102030405/http:/a   (stars for calendars)   http://a/
 *
 * A pure function over what stands behind the collection's name (raw, with its
 * query); one pass.  One to three slashes may stand before the URL, and one or
 * two after its scheme; a URL without a scheme gets http.  Escapes are undone
 * only where the whole URL was escaped (http%3A%2F%2F).
 */
#ifndef WINNOW_SERVE_PATH_H
#define WINNOW_SERVE_PATH_H
#include "archive/stamp.h"
#include "base/arena.h"

/* clang-format off */
enum modifier {
	MOD_NONE, /* the frame page */
	MOD_MP,	  /* main page; also every unknown xx_ */
	MOD_ID, MOD_IR, MOD_BN, MOD_UO, MOD_TF, MOD_JS, MOD_CS, MOD_IM, MOD_OE, MOD_IF, MOD_FR, MOD_WKR, MOD_WKRF, MOD_WKRM, MOD_SW, MOD_ESM,
	MOD_LN, MOD_MT, MOD_DL, MOD_FW,
	MODIFIERS
};
/* clang-format on */
extern const char *const modifier_names[MODIFIERS]; /* "mp_"; "" of MOD_NONE */

struct replay_path {
	struct str stamp;  /* digits as written, at most 14; empty: none */
	struct str until;  /* of FROM-TO*; empty: none */
	struct stamp time; /* of stamp, when it has one */
	enum modifier modifier;
	bool has_modifier;
	bool calendar;	/* ends in '*': the captures, not one of them */
	bool prefix;	/* the URL ends in '*' */
	struct str url; /* absolute; in the arena */
};

/* False when there is no URL in it, or a stamp that is no time. */
bool replay_path_parse(struct replay_path *out, struct arena *a, struct str rest, struct str query, bool has_query);
enum modifier modifier_of(struct str name); /* with its '_'; MOD_MP when unknown */
#endif

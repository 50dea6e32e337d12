/* cover/groups.h -- how far quotas reach when some documents are solved again.
 *
 * A quota binds all components that have a document of its group: when one of them is solved again, all
 * are, and with them whatever the groups of their documents bind.  Components
 * that no such chain leads to keep the cover they had.
 */
#ifndef WINNOW_COVER_GROUPS_H
#define WINNOW_COVER_GROUPS_H
#include <stdint.h>

/* open: [n] documents to be solved again; adds every document of a group with an open one, of a component with
 * a document of such a group, and so on.  group[d] >= groups: in none; part[d] >= parts: in no component.
 * Returns how many were added.  Linear, but for the forest. */
uint32_t groups_reach(uint8_t *open, uint32_t n, const uint32_t *group, uint32_t groups, const uint32_t *part,
		      uint32_t parts);
#endif

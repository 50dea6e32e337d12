/* serve/asset.h -- the files of web/, gzipped into the program by tools/assets.
 *
 * Each is served at /a/HASH/NAME for ever: another content has another hash.
 */
#ifndef WINNOW_SERVE_ASSET_H
#define WINNOW_SERVE_ASSET_H
#include <stddef.h>

struct asset {
	const char *name, *hash;
	const unsigned char *gzip;
	size_t n_gzip, n;
};

extern const struct asset assets[];		  /* ends with name NULL */
const struct asset *asset_find(const char *name); /* one that exists; NULL when it does not */
#endif

/* flow/inputs.h -- which files a person means, and whether they were seen before.
 *
 * A path may be a file, a directory (its archive files, by name, in byte order,
 * all levels) or "-".  Known files are told by their bytes, not their names: the
 * same bytes again are skipped, wherever they lie now, and the path is noted when
 * they are gone from the old one; a file that begins with the bytes we read and goes on is continued.  A path names one file: where other
 * bytes lie now, those that were read from there before are taken out.
 */
#ifndef WINNOW_FLOW_INPUTS_H
#define WINNOW_FLOW_INPUTS_H
#include "base/vec.h"
#include "catalog/catalog.h"

struct paths {
	VEC(const char *) list;	  /* in the arena given to inputs_expand */
	VEC(const char *) unread; /* of each path that cannot be read: why, a sentence */
};

/* A path that is not there, may not be read, or a directory without archives does not stop the others: it is put with
 * those unread.  When nothing is left to read: the code and the sentence of the first of them (WN_IO before WN_USAGE). */
int inputs_expand(struct arena *a, const char *const *paths, size_t n, struct paths *out, struct err *err);
void paths_unread(struct paths *p, struct arena *a, const struct err *why);
void paths_release(struct paths *p);

/* Bytes of the regular files among them, for a progress line. */
uint64_t inputs_bytes(const struct paths *p);

struct input {
	const char *path;	  /* absolute */
	struct catalog_file file; /* as it will be stored; id given */
	uint64_t start;		  /* where reading begins */
	uint64_t begins;	  /* bytes that are read of those before it */
	bool last_again;	  /* it has grown, and the last record that was found in it is read again */
	uint64_t go_on, before;	  /* while it is read: where it could be continued, and the records before that */
	bool skip;		  /* all of it is in already */
	bool moved;		  /* known bytes under a new path */
	bool known;		  /* has a row */
};

/* Whether a file is still what was read of it. */
enum file_state { FILE_SAME, FILE_GROWN, FILE_GONE, FILE_SHRUNK, FILE_REPLACED };
/* Compares the bytes, also where time and size are as they were. WN_OK, or an error when they cannot be read; *bytes: of
 * the file as it is now. */
int inputs_state(const struct catalog_file *f, enum file_state *out, uint64_t *bytes, struct err *err);

/* Compares path with what the catalogue knows; next_id is given to a new file. */
struct known_files;
int known_files_load(struct known_files **out, struct catalog *c, struct err *err);
void known_files_free(struct known_files *k);
int known_files_look(struct known_files *k, struct arena *a, const char *path, uint64_t *next_id, struct input *out,
		     struct err *err);
/* Makes place for reading in from its start: takes out what lies behind that place in the catalogue, and the captures
 * of another file that was last seen at this path and whose bytes are gone from there (counted).  After all paths of a
 * command were looked at, so that a file that was only moved away is not meant. */
int inputs_clear(struct catalog *c, const struct known_files *k, struct input *in, uint64_t *files, uint64_t *captures,
		 struct err *err);
#endif

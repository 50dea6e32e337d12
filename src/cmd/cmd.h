/* cmd/cmd.h -- what a command is, and what all of them share.
 *
 * A command is one file with one entry; cmd/table.c lists the entries.  The
 * entry is all there is: dispatch, `help`, the man page, completion and the
 * test that every command has an example come from it.
 *
 * To add a command: write cmd/<name>.c with its entry, name it in table.h, table.c
 * and meson.build, add a test under tests/cli.  Nothing else.
 *
 *	static int run(struct cmd_run *run, struct collection *coll) { struct args *a = run->args; ... return EXIT_DONE; }
 *	const struct cmd cmd_foo = { .name = "foo", .args = "COLL", .summary = "...", .opts = opts,
 *		.args_size = sizeof(struct args), .read = run, .prose = "...", .examples = examples };
 */
#ifndef WINNOW_CMD_CMD_H
#define WINNOW_CMD_CMD_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/opt.h"

struct collection;
struct cover_row;
struct paths;

enum cmd_exit {
	EXIT_DONE = 0,
	EXIT_FINDINGS = 1, /* done, with flaws above the allowed share, a failed check, no match */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_INTERRUPTED = 130,
};

enum cmd_group { GROUP_GATHER, GROUP_LOOK, GROUP_DECIDE, GROUP_EXPLORE, GROUP_CARE, GROUPS };

/* Options that every command takes. */
struct cmd_common {
	bool help, json, quiet;
	const char *progress, *tmp;
	uint64_t threads;	     /* 0 became the number of cores */
	uint64_t memory;	     /* bytes; 0 became the default */
	const char *format, *fields; /* listings */
};

struct cmd_run {
	const struct cmd *cmd;
	struct cmd_common common;
	void *args;	      /* the command's own options: args_size zeroed bytes, filled by its table */
	struct opt_list rest; /* arguments, NULL-free */
	struct arena arena;   /* lives as long as the command */
	struct err err;
};

struct cmd_example {
	const char *line; /* as typed, in a directory that holds the sample and its collection `sample` */
	const char *what;
};

struct cmd {
	const char *name;
	const char *args;    /* "COLL PATH..." */
	const char *summary; /* one line, lower case, no full stop */
	enum cmd_group group;
	bool coll_first;	     /* the first argument is a collection: its winnow.conf applies */
	bool listing;		     /* takes --format and --fields */
	bool joins;		     /* compares all documents: --memory is a share of the machine's by default */
	bool own_floor;		     /* says itself how little --memory it takes, as that is more than others need */
	bool continues;		     /* what was finished before an interruption is kept; given again it goes on */
	unsigned min_args, max_args; /* max 0: any number */
	const struct opt *opts;
	size_t args_size;
	int (*run)(struct cmd_run *run); /* gives an exit code; or */
	/* with the collection of the first argument open for reading, at one revision; gives an exit code or WN_*,
	 * of which WN_NONE (there is no such thing) ends with EXIT_FINDINGS */
	int (*read)(struct cmd_run *run, struct collection *coll);
	const char *prose;		    /* paragraphs separated by an empty line */
	const struct cmd_example *examples; /* ended by a zero entry */
};

extern const struct cmd *const cmd_table[]; /* NULL-terminated */
extern const struct opt cmd_common_opts[], cmd_listing_opts[];

const struct cmd *cmd_find(const char *name);

/* Prints run->err as "winnow CMD: ..." and gives the exit code for rc. */
int cmd_fail(struct cmd_run *run, int rc);
/* The same for a usage mistake found by the command itself. */
int cmd_usage(struct cmd_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The number of --max-flaws, which may be 0: most stays as it is when text is NULL.  EXIT_DONE or EXIT_USAGE. */
int cmd_max_flaws(struct cmd_run *run, const char *text, uint64_t *most);

/* The files that paths name, into out; those that cannot be read are told and stay in out->unread, the others are read.
 * EXIT_DONE while there is anything to read: the command then ends with EXIT_FAILED when some are unread. */
int cmd_inputs(struct cmd_run *run, const char *const *paths, size_t n, struct paths *out);

/* The cover of that name or number; none is a usage mistake. */
int cmd_find_cover(struct cmd_run *run, struct collection *coll, const char *name, struct cover_row *out);
/* The same, with a warning when the collection has changed since it was made. */
int cmd_read_cover(struct cmd_run *run, struct collection *coll, const char *name, struct cover_row *out);

/* Writes all of b to standard output; a closed pipe ends the program quietly. */
void cmd_out(const struct buf *b);
void cmd_out_line(struct buf *b); /* with a line end, and gives its memory back */
void cmd_print(struct str s);

void help_command(struct buf *out, const struct cmd *cmd); /* what --help prints */
#endif

/* base/opt.h -- options of a command, declared as a table.
 *
 * The same table parses the command line, prints --help, writes completion
 * and the OPTIONS of the man page.
 *
 *	static const struct opt opts[] = {
 *		{ "limit", 'n', OPT_U64, "N", "at most N rows", offsetof(struct args, limit) },
 *		{ 0 } };
 *
 * --name value, --name=value, -n value; `--` ends options; options and
 * arguments may mix.  An unknown option gets the nearest name.
 */
#ifndef WINNOW_BASE_OPT_H
#define WINNOW_BASE_OPT_H
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum opt_type {
	OPT_FLAG,   /* bool */
	OPT_TEXT,   /* const char * */
	OPT_U64,    /* uint64_t */
	OPT_COUNT,  /* uint64_t from 1, so that 0 goes on meaning 'not given' */
	OPT_DOUBLE, /* double */
	OPT_SIZE,   /* uint64_t; 64K, 1.5G, 200MB */
	OPT_LIST,   /* struct opt_list: may be given several times */
	OPT_CHOICE, /* const char *; one of choices, separated by '|' in arg */
};

struct opt_list {
	const char **p;
	size_t n, cap;
};

struct opt {
	const char *name;
	char letter; /* 0: none */
	enum opt_type type;
	const char *arg;  /* what --help calls the value; for CHOICE the choices */
	const char *help; /* one line, lower case, no full stop */
	size_t at;	  /* offset of the variable in the struct passed to opt_parse */
};

struct opt_set {		 /* a table, and the struct that it fills */
	const struct opt *table; /* ended by a zero entry; NULL: none */
	void *into;
};

/* Reads argv[1..] by nsets tables; what is not an option goes to rest, in order. */
int opt_parse(int argc, char **argv, const struct opt_set *sets, size_t nsets, struct opt_list *rest, struct err *err);

/* The candidate nearest to word (edit distance at most a third of it), or NULL. */
const char *opt_nearest(const char *word, const char *const *candidates, size_t n);
#endif

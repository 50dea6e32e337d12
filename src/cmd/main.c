/* cmd/main.c -- winnow: finds the command in the table, reads its options, runs it.
 *
 * Settings come, each over the one before, from winnow.conf in the collection,
 * from the environment (WINNOW_THREADS for --threads) and from the command line.
 */
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/log.h"
#include "base/os.h"
#include "base/progress.h"
#include "base/task.h"
#include "cmd/cmd.h"
#include "flow/collection.h"
#include "flow/covers.h"
#include "flow/inputs.h"

const struct opt cmd_common_opts[] = {
	{ "help", 'h', OPT_FLAG, NULL, "say what the command does and which options it takes",
	  offsetof(struct cmd_common, help) },
	{ "json", 0, OPT_FLAG, NULL,
	  "print one JSON object for programs, nothing else, on standard output (a listing: {\"rows\": [...]})",
	  offsetof(struct cmd_common, json) },
	{ "quiet", 'q', OPT_FLAG, NULL, "say nothing but warnings and errors on standard error",
	  offsetof(struct cmd_common, quiet) },
	{ "threads", 0, OPT_COUNT, "N", "work on N threads (default: all cores)",
	  offsetof(struct cmd_common, threads) },
	{ "memory", 0, OPT_SIZE, "SIZE",
	  "use at most SIZE of memory, beyond it disk (default 1G; to compare documents, a quarter of the machine's)",
	  offsetof(struct cmd_common, memory) },
	{ "progress", 0, OPT_CHOICE, "auto|always|never", "show how far the work is on standard error",
	  offsetof(struct cmd_common, progress) },
	{ "tmp", 0, OPT_TEXT, "DIR", "put temporary files into DIR", offsetof(struct cmd_common, tmp) },
	{ 0 },
};

const struct opt cmd_listing_opts[] = {
	{ "format", 0, OPT_CHOICE, "table|tsv|csv|jsonl", "how rows are written (a table on a terminal, tsv otherwise)",
	  offsetof(struct cmd_common, format) },
	{ "fields", 0, OPT_TEXT, "A,B,C", "which columns, in which order", offsetof(struct cmd_common, fields) },
	{ 0 },
};

int cmd_fail(struct cmd_run *run, int rc)
{
	if (rc == WN_INTERRUPTED || (rc < 0 && task_interrupted())) {
		error("%s: interrupted%s", run->cmd->name,
		      run->cmd->continues ? "; what was finished is kept, the same command continues" : "");
		return EXIT_INTERRUPTED;
	}
	error("%s: %s", run->cmd->name, run->err.text[0] ? run->err.text : "failed");
	return rc == WN_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int cmd_usage(struct cmd_run *run, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(run->err.text, sizeof run->err.text, fmt, ap);
	va_end(ap);
	error("%s: %s", run->cmd->name, run->err.text);
	return EXIT_USAGE;
}

int cmd_max_flaws(struct cmd_run *run, const char *text, uint64_t *most)
{
	if (text && !str_u64(str(text), most))
		return cmd_usage(run, "--max-flaws takes a whole number, not '%s'", text);
	return EXIT_DONE;
}

int cmd_inputs(struct cmd_run *run, const char *const *paths, size_t n, struct paths *out)
{
	size_t told = out->unread.n;
	int rc = inputs_expand(&run->arena, paths, n, out, &run->err);

	for (; told < out->unread.n; told++)
		error("%s: %s", run->cmd->name, out->unread.p[told]);
	return rc == WN_OK ? EXIT_DONE : rc == WN_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

int cmd_find_cover(struct cmd_run *run, struct collection *coll, const char *name, struct cover_row *out)
{
	int rc = covers_find(coll, &run->arena, name, out, &run->err);

	return rc == WN_NONE ? WN_USAGE : rc;
}

int cmd_read_cover(struct cmd_run *run, struct collection *coll, const char *name, struct cover_row *out)
{
	struct catalog_stats stats;
	int rc = cmd_find_cover(run, coll, name, out);

	if (rc < 0 || (rc = catalog_stats(coll->catalog, &stats, &run->err)) < 0)
		return rc;
	if (stats.revision != out->revision)
		warning("cover %" PRIu64 " is of revision %" PRIu64 ", the collection is at %" PRIu64
			": documents may be missing; 'winnow update' brings it up to date",
			out->id, out->revision, stats.revision);
	return WN_OK;
}

/* The exit code of a command that reads a collection. */
static int read_collection(struct cmd_run *run)
{
	struct collection coll = { 0 };
	int rc, code;

	if ((rc = collection_open(&coll, run->rest.p[0], CATALOG_READ, NULL, &run->err)) < 0)
		return cmd_fail(run, rc);
	if ((rc = catalog_begin(coll.catalog, &run->err)) == WN_OK)
		rc = run->cmd->read(run, &coll);
	catalog_end(coll.catalog);
	collection_close(&coll);
	if (rc >= 0)
		return rc;
	code = cmd_fail(run, rc);
	return rc == WN_NONE && code == EXIT_FAILED ? EXIT_FINDINGS : code;
}

void cmd_print(struct str s)
{
	struct err err;

	if (s.n && os_write(1, s.p, s.n, "standard output", &err) < 0)
		die("%s", err.text);
}

void cmd_out(const struct buf *b)
{
	if (b->full)
		die("the output grew beyond its limit of %zu bytes", b->max);
	cmd_print(buf_view(b));
}

void cmd_out_line(struct buf *b)
{
	buf_byte(b, '\n');
	cmd_out(b);
	buf_release(b);
}

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_table[i]; i++)
		if (strcmp(cmd_table[i]->name, name) == 0)
			return cmd_table[i];
	return NULL;
}

static int no_such_command(const char *name)
{
	const char *names[64], *near;
	size_t n = 0;

	for (; cmd_table[n] && n < COUNT(names); n++)
		names[n] = cmd_table[n]->name;
	near = opt_nearest(name, names, n);
	if (near)
		error("there is no command '%s'; did you mean '%s'?", name, near);
	else
		error("there is no command '%s'; 'winnow help' lists them", name);
	return EXIT_USAGE;
}

static const struct opt *option_named(const struct opt *table, struct str name)
{
	for (const struct opt *o = table; o && o->name; o++)
		if (str_eq(str(o->name), name))
			return o;
	return NULL;
}

/* A name of winnow.conf that no command has. */
static int no_such_setting(struct cmd_run *run, const char *path, unsigned number, struct str name)
{
	VEC(const char *) names = { 0 };
	const char *near;

	for (size_t i = 0; cmd_table[i]; i++) {
		if (option_named(cmd_table[i]->opts, name))
			return vec_release(&names), WN_OK; /* a setting of another command */
		for (const struct opt *o = cmd_table[i]->opts; o && o->name; o++)
			vec_push(&names, o->name);
	}
	for (const struct opt *o = cmd_common_opts; o->name; o++)
		vec_push(&names, o->name);
	near = opt_nearest(arena_strz(&run->arena, name), names.p, names.n);
	vec_release(&names);
	return err_set(&run->err, WN_USAGE, "%s:%u: no command has an option '%.*s'%s%s%s", path, number, STR_FMT(name),
		       near ? "; did you mean '" : "; 'winnow help COMMAND' lists them", near ? near : "",
		       near ? "'?" : "");
}

/* One line of winnow.conf as arguments. */
static int take_line(struct cmd_run *run, const struct opt_set *sets, size_t nsets, const char *path, unsigned number,
		     struct str line, struct opt_list *argv)
{
	static const char *const on[] = { "", "1", "yes", "true", "on" }, *const off[] = { "0", "no", "false", "off" };
	struct str value = line, name = str_trim(str_cut(&value, '='));
	const struct opt *o = NULL;

	value = str_trim(value);
	for (size_t s = 0; s < nsets && !o; s++)
		o = option_named(sets[s].table, name);
	if (!o && (option_named(cmd_common_opts, name) || option_named(cmd_listing_opts, name)))
		return WN_OK; /* of listings, and this is none */
	if (!o)
		return no_such_setting(run, path, number, name);
	if (o->type != OPT_FLAG) {
		if (!value.n)
			return err_set(&run->err, WN_USAGE, "%s:%u: '%s' needs a value: %s = %s", path, number, o->name,
				       o->name, o->arg);
		vec_push(argv, arena_printf(&run->arena, "--%s=%.*s", o->name, STR_FMT(value)).p);
		return WN_OK;
	}
	for (size_t i = 0; i < COUNT(off); i++)
		if (str_eq(value, str(off[i])))
			return WN_OK;
	for (size_t i = 0; i < COUNT(on); i++)
		if (str_eq(value, str(on[i])))
			return vec_push(argv, arena_printf(&run->arena, "--%s", o->name).p), WN_OK;
	return err_set(&run->err, WN_USAGE, "%s:%u: '%s' is yes or no, not '%.*s'", path, number, o->name,
		       STR_FMT(value));
}

/* The argument vector that settings outside the command line amount to: those
 * of winnow.conf ("name = value" lines), then those of the environment. */
static int outer_settings(struct cmd_run *run, const struct opt_set *sets, size_t nsets, struct opt_list *argv)
{
	int rc;

	vec_push(argv, "winnow");
	if (run->cmd->coll_first && run->rest.n) {
		const char *path = arena_printf(&run->arena, "%s/winnow.conf", run->rest.p[0]).p;
		struct str text = STR_NONE;

		if (access(path, F_OK) == 0 && (rc = os_slurp(&run->arena, path, 64 * KIB, &text, &run->err)) < 0)
			return rc;
		for (unsigned number = 1; text.p; number++) {
			struct str line = str_trim(str_cut(&text, '\n'));

			if (line.n && line.p[0] != '#' &&
			    (rc = take_line(run, sets, nsets, path, number, line, argv)) < 0)
				return rc;
		}
	}
	for (size_t s = 0; s < nsets; s++)
		for (const struct opt *o = sets[s].table; o && o->name; o++) {
			char *name = arena_strz(&run->arena, arena_printf(&run->arena, "WINNOW_%s", o->name));
			const char *value;

			for (char *p = name; *p; p++)
				*p = *p == '-' ? '_' : (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
			value = getenv(name);
			if (!value || (o->type == OPT_FLAG && strcmp(value, "1") != 0))
				continue;
			vec_push(argv, arena_printf(&run->arena, "--%s", o->name).p);
			if (o->type != OPT_FLAG)
				vec_push(argv, value);
		}
	return WN_OK;
}

/* The command line again from nothing, behind what the outer settings say. */
static int parse_behind(struct cmd_run *run, const struct opt_set *sets, size_t nsets, const struct opt_list *outer,
			int argc, char **argv)
{
	struct opt_list nothing = { 0 };
	int rc;

	run->common = (struct cmd_common){ 0 };
	if (run->cmd->args_size)
		memset(run->args, 0, run->cmd->args_size);
	run->rest.n = 0;
	rc = opt_parse((int)outer->n, (char **)(void *)outer->p, sets, nsets, &nothing, &run->err);
	vec_release(&nothing);
	if (rc < 0)
		return err_in(&run->err, "in winnow.conf or the environment");
	return opt_parse(argc, argv, sets, nsets, &run->rest, &run->err);
}

static int parse(struct cmd_run *run, int argc, char **argv)
{
	struct opt_set sets[3] = { { run->cmd->opts, run->args },
				   { cmd_common_opts, &run->common },
				   { run->cmd->listing ? cmd_listing_opts : NULL, &run->common } };
	struct opt_list outer = { 0 };
	int rc;

	if ((rc = opt_parse(argc, argv, sets, COUNT(sets), &run->rest, &run->err)) < 0)
		return rc;
	if ((rc = outer_settings(run, sets, COUNT(sets), &outer)) == WN_OK && outer.n > 1)
		rc = parse_behind(run, sets, COUNT(sets), &outer, argc, argv);
	vec_release(&outer);
	return rc;
}

#define JOIN_THREAD (32 * MIB) /* of --memory for each thread that compares documents */

static int settle(struct cmd_run *run)
{
	const struct cmd *cmd = run->cmd;
	struct cmd_common *c = &run->common;
	const char *how = c->progress ? c->progress : "auto";

	if (c->threads == 0)
		c->threads = task_cores();
	if (c->threads > 256)
		return cmd_usage(run, "--threads takes at most 256");
	if (c->memory == 0)
		c->memory = cmd->joins && mem_machine() / 4 > 1 * GIB ? mem_machine() / 4 : 1 * GIB;
	if (c->memory < 64 * MIB && !cmd->own_floor)
		return cmd_usage(run, "--memory must be at least 64M");
	if (cmd->joins && c->memory < MEM_PLENTY)
		mem_thrifty();
	if (cmd->joins && c->threads > c->memory / JOIN_THREAD)
		c->threads = (uint64_t)(c->memory / JOIN_THREAD);
	log_quiet = c->quiet;
	progress_setup(how[0] == 'n' ? PROGRESS_NEVER : how[1] == 'l' ? PROGRESS_ALWAYS : PROGRESS_AUTO);
	if (run->rest.n < cmd->min_args)
		return cmd_usage(run, "needs %s; 'winnow help %s' says more", cmd->args, cmd->name);
	if (!cmd->args[0] && run->rest.n)
		return cmd_usage(run, "'%s' is one argument too many; it takes none", run->rest.p[0]);
	if (cmd->max_args && run->rest.n > cmd->max_args)
		return cmd_usage(run, "'%s' is one argument too many; it takes %s", run->rest.p[cmd->max_args],
				 cmd->args);
	return -1;
}

int main(int argc, char **argv)
{
	struct cmd_run run = { 0 };
	struct buf out = BUF(1 * MIB);
	const char *name = argc > 1 ? argv[1] : "help";
	int code;

	/* Pages fetched from the system are dear: keep what is freed for the next record. */
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is an error that names it, like a full disk */
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	else if (strcmp(name, "--version") == 0)
		name = "version";
	run.cmd = cmd_find(name);
	if (!run.cmd)
		return no_such_command(name);
	run.args = mem_zalloc(run.cmd->args_size);
	if (argc > 1 && parse(&run, argc - 1, argv + 1) < 0) {
		error("%s: %s", run.cmd->name, run.err.text);
		code = EXIT_USAGE;
	} else if (run.common.help) {
		help_command(&out, run.cmd);
		cmd_out(&out);
		buf_release(&out);
		code = EXIT_DONE;
	} else if ((code = settle(&run)) < 0) {
		task_catch_signals();
		code = run.cmd->read ? read_collection(&run) : run.cmd->run(&run);
	}
	vec_release(&run.rest);
	arena_release(&run.arena);
	mem_free(run.args);
	return code;
}

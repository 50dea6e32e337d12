/* cmd/completion.c -- winnow completion: shell completion, made from the command table. */
#include "base/limits.h"
#include "cmd/table.h"

static void option_words(struct buf *out, const struct opt *o)
{
	for (; o && o->name; o++)
		buf_printf(out, " --%s", o->name);
}

static void words_of(struct buf *out, const struct cmd *c)
{
	option_words(out, c->opts);
	if (c->listing)
		option_words(out, cmd_listing_opts);
	option_words(out, cmd_common_opts);
}

static void bash(struct buf *out)
{
	buf_str(
	    out,
	    STR("_winnow() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} words=\n\tif [ $COMP_CWORD -eq 1 ]; then\n\t\twords=\""));
	for (size_t i = 0; cmd_table[i]; i++)
		buf_printf(out, "%s%s", i ? " " : "", cmd_table[i]->name);
	buf_str(out, STR("\"\n\telse\n\t\tcase ${COMP_WORDS[1]} in\n"));
	for (size_t i = 0; cmd_table[i]; i++) {
		buf_printf(out, "\t\t%s) words=\"", cmd_table[i]->name);
		words_of(out, cmd_table[i]);
		buf_str(out, STR("\" ;;\n"));
	}
	buf_str(
	    out,
	    STR("\t\tesac\n\t\t[ \"${cur#-}\" = \"$cur\" ] && words=\n\tfi\n"
		"\tCOMPREPLY=( $(compgen -W \"$words\" -- \"$cur\") )\n}\ncomplete -o default -F _winnow winnow\n"));
}

static void quoted(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			buf_str(out, STR("'\\''"));
		else
			buf_byte(out, *s);
	}
}

static void zsh(struct buf *out)
{
	buf_str(out, STR("#compdef winnow\n_winnow() {\n\tlocal -a commands\n\tcommands=(\n"));
	for (size_t i = 0; cmd_table[i]; i++) {
		buf_printf(out, "\t\t'%s:", cmd_table[i]->name);
		quoted(out, cmd_table[i]->summary);
		buf_str(out, STR("'\n"));
	}
	buf_str(
	    out,
	    STR("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n"));
	for (size_t i = 0; cmd_table[i]; i++) {
		buf_printf(out, "\t%s) [[ $PREFIX = -* ]] && compadd --", cmd_table[i]->name);
		words_of(out, cmd_table[i]);
		buf_str(out, STR(" || _files ;;\n"));
	}
	buf_str(out, STR("\tesac\n}\n_winnow \"$@\"\n"));
}

static void fish_options(struct buf *out, const struct cmd *c, const struct opt *o)
{
	for (; o && o->name; o++) {
		buf_printf(out, "complete -c winnow -n '__fish_seen_subcommand_from %s' -l %s%s -d '", c->name, o->name,
			   o->type == OPT_FLAG ? "" : " -r");
		quoted(out, o->help);
		buf_str(out, STR("'\n"));
	}
}

static void fish(struct buf *out)
{
	for (size_t i = 0; cmd_table[i]; i++) {
		const struct cmd *c = cmd_table[i];

		buf_printf(out, "complete -c winnow -n __fish_use_subcommand -f -a %s -d '", c->name);
		quoted(out, c->summary);
		buf_str(out, STR("'\n"));
		fish_options(out, c, c->opts);
		if (c->listing)
			fish_options(out, c, cmd_listing_opts);
		fish_options(out, c, cmd_common_opts);
	}
}

static int run(struct cmd_run *run)
{
	static const struct {
		const char *shell;
		void (*write)(struct buf *out);
	} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };
	struct buf out = BUF(1 * MIB);

	for (size_t i = 0; i < COUNT(shells); i++) {
		if (strcmp(run->rest.p[0], shells[i].shell) != 0)
			continue;
		shells[i].write(&out);
		cmd_out(&out);
		buf_release(&out);
		return EXIT_DONE;
	}
	return cmd_usage(run, "completion is for bash, zsh or fish, not '%s'", run->rest.p[0]);
}

static const struct cmd_example examples[] = {
	{ "winnow completion bash", "a script for bash; source it from your .bashrc" }, { 0 }
};

const struct cmd cmd_completion = {
	.name = "completion",
	.args = "bash|zsh|fish",
	.summary = "print a completion script for a shell",
	.group = GROUP_CARE,
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.examples = examples,
	.prose = "Prints a script that completes commands and options. For bash: `source <(winnow completion bash)`.",
};

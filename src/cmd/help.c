/* cmd/help.c -- winnow help: the commands, one command, or a man page made from its entry. */
#include <stdio.h>

#include "base/limits.h"
#include "base/vec.h"
#include "cmd/table.h"
#include "cmd/topics.h"

static const struct {
	const char *name, *about;
} groups[GROUPS] = {
	[GROUP_GATHER] = { "gather", "archives into a collection" },
	[GROUP_LOOK] = { "look", "at what is there" },
	[GROUP_DECIDE] = { "decide", "what is redundant, and what stays" },
	[GROUP_EXPLORE] = { "explore", "in the browser" },
	[GROUP_CARE] = { "care", "for archives and for this program" },
};

static void wrap(struct buf *out, struct str text, unsigned indent, unsigned width)
{
	unsigned column = 0;

	while (text.p) {
		struct str word = str_cut(&text, ' ');

		if (column && column + 1 + word.n > width) {
			buf_byte(out, '\n');
			column = 0;
		}
		if (column) {
			buf_byte(out, ' ');
			column++;
		} else {
			buf_printf(out, "%*s", (int)indent, "");
			column = indent;
		}
		buf_str(out, word);
		column += (unsigned)word.n;
	}
	buf_byte(out, '\n');
}

static void overview(struct buf *out)
{
	buf_str(out,
		STR("winnow -- say what is redundant in a web archive, keep the smallest set that covers the rest\n\n"
		    "usage: winnow COMMAND [OPTIONS] [ARGUMENTS]\n"));
	for (int g = 0; g < GROUPS; g++) {
		bool any = false;

		for (size_t i = 0; cmd_table[i]; i++) {
			if ((int)cmd_table[i]->group != g)
				continue;
			if (!any)
				buf_printf(out, "\n%s %s\n", groups[g].name, groups[g].about);
			any = true;
			buf_printf(out, "  %-12s %s\n", cmd_table[i]->name, cmd_table[i]->summary);
		}
	}
	buf_str(out, STR("\n'winnow help COMMAND' says more; topics:"));
	for (size_t i = 0; help_topics[i].name; i++)
		buf_printf(out, cmd_find(help_topics[i].name) ? " %s.7" : " %s", help_topics[i].name);
	buf_byte(out, '\n');
}

static void options(struct buf *out, const struct opt *o)
{
	for (; o && o->name; o++) {
		char head[80], letter[6] = "    ";

		if (o->letter)
			snprintf(letter, sizeof letter, "-%c, ", o->letter);
		snprintf(head, sizeof head, "%s--%s%s%s", letter, o->name, o->type == OPT_FLAG ? "" : " ",
			 o->type == OPT_FLAG ? "" : o->arg);
		if (strlen(head) > 30)
			buf_printf(out, "  %s\n  %-30s %s\n", head, "", o->help);
		else
			buf_printf(out, "  %-30s %s\n", head, o->help);
	}
}

static void paragraphs(struct buf *out, const char *prose)
{
	struct str rest = str(prose);

	while (rest.p) {
		ptrdiff_t at = str_find(rest, STR("\n\n"));
		struct str para = at < 0 ? rest : str_n(rest.p, (size_t)at);

		rest = at < 0 ? STR_NONE : str_n(rest.p + at + 2, rest.n - (size_t)at - 2);
		if (para.n && para.p[0] == ' ') /* indented: as it stands */
			buf_printf(out, "%.*s\n", STR_FMT(para));
		else
			wrap(out, para, 0, 100);
		buf_byte(out, '\n');
	}
}

void help_command(struct buf *out, const struct cmd *cmd)
{
	buf_printf(out, "winnow %s -- %s\n\nusage: winnow %s [OPTIONS]%s%s\n\n", cmd->name, cmd->summary, cmd->name,
		   cmd->args[0] ? " " : "", cmd->args);
	paragraphs(out, cmd->prose);
	if (cmd->opts && cmd->opts->name) {
		buf_str(out, STR("options\n"));
		options(out, cmd->opts);
		buf_byte(out, '\n');
	}
	buf_str(out, STR("common options\n"));
	if (cmd->listing)
		options(out, cmd_listing_opts);
	options(out, cmd_common_opts);
	if (cmd->examples && cmd->examples->line) {
		buf_str(out, STR("\nexamples\n"));
		for (const struct cmd_example *e = cmd->examples; e->line; e++)
			buf_printf(out, "  %s\n      %s\n", e->line, e->what);
	}
}

/* Text for roff: a leading dot or quote would be a request, a backslash an escape. */
static void roff(struct buf *out, struct str s)
{
	if (s.n && (s.p[0] == '.' || s.p[0] == '\''))
		buf_str(out, STR("\\&"));
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			buf_str(out, STR("\\e"));
		else if (s.p[i] == '-')
			buf_str(out, STR("\\-"));
		else
			buf_byte(out, s.p[i]);
		if (s.p[i] == '\n' && i + 1 < s.n && (s.p[i + 1] == '.' || s.p[i + 1] == '\''))
			buf_str(out, STR("\\&"));
	}
}

static void roff_options(struct buf *out, const struct opt *o)
{
	for (; o && o->name; o++) {
		buf_str(out, STR(".TP\n\\fB"));
		if (o->letter)
			buf_printf(out, "\\-%c\\fR, \\fB", o->letter);
		buf_str(out, STR("\\-\\-"));
		roff(out, str(o->name));
		buf_str(out, STR("\\fR"));
		if (o->type != OPT_FLAG) {
			buf_str(out, STR(" \\fI"));
			roff(out, str(o->arg));
			buf_str(out, STR("\\fR"));
		}
		buf_byte(out, '\n');
		roff(out, str(o->help));
		buf_byte(out, '\n');
	}
}

static void roff_paragraphs(struct buf *out, const char *prose)
{
	struct str rest = str(prose);

	while (rest.p) {
		ptrdiff_t at = str_find(rest, STR("\n\n"));
		struct str para = at < 0 ? rest : str_n(rest.p, (size_t)at);

		rest = at < 0 ? STR_NONE : str_n(rest.p + at + 2, rest.n - (size_t)at - 2);
		if (para.n && para.p[0] == ' ') {
			buf_str(out, STR(".nf\n"));
			roff(out, para);
			buf_str(out, STR("\n.fi\n"));
		} else {
			buf_str(out, STR(".PP\n"));
			roff(out, para);
			buf_byte(out, '\n');
		}
	}
}

/* The same as a man page. */
static void man_command(struct buf *out, const struct cmd *cmd)
{
	buf_printf(out, ".TH WINNOW\\-%s 1 \"\" \"winnow " WINNOW_VERSION "\"\n.SH NAME\nwinnow\\-%s \\- ", cmd->name,
		   cmd->name);
	roff(out, str(cmd->summary));
	buf_printf(out, "\n.SH SYNOPSIS\n\\fBwinnow %s\\fR [OPTIONS] ", cmd->name);
	roff(out, str(cmd->args));
	buf_str(out, STR("\n.SH DESCRIPTION\n"));
	roff_paragraphs(out, cmd->prose);
	if (cmd->opts && cmd->opts->name) {
		buf_str(out, STR(".SH OPTIONS\n"));
		roff_options(out, cmd->opts);
	}
	buf_str(out, STR(".SH COMMON OPTIONS\n"));
	if (cmd->listing)
		roff_options(out, cmd_listing_opts);
	roff_options(out, cmd_common_opts);
	buf_str(out, STR(".SH EXIT STATUS\n0 done; 1 done, with findings; 2 usage; 3 failed; 130 interrupted.\n"));
	if (cmd->examples && cmd->examples->line) {
		buf_str(out, STR(".SH EXAMPLES\n"));
		for (const struct cmd_example *e = cmd->examples; e->line; e++) {
			buf_str(out, STR(".TP\n\\fB"));
			roff(out, str(e->line));
			buf_str(out, STR("\\fR\n"));
			roff(out, str(e->what));
			buf_byte(out, '\n');
		}
	}
	buf_str(out, STR(".SH SEE ALSO\n.BR winnow (1),\n.BR winnow\\-rules (7),\n.BR winnow\\-sql (7)\n"));
}

static void man_overview(struct buf *out)
{
	buf_str(
	    out,
	    STR(".TH WINNOW 1 \"\" \"winnow " WINNOW_VERSION
		"\"\n.SH NAME\nwinnow \\- say what is redundant in a web archive, keep the "
		"smallest set that covers the rest\n.SH SYNOPSIS\n\\fBwinnow\\fR COMMAND [OPTIONS] [ARGUMENTS]\n.SH COMMANDS\n"));
	for (size_t i = 0; cmd_table[i]; i++) {
		buf_printf(out, ".TP\n\\fBwinnow\\-%s\\fR(1)\n", cmd_table[i]->name);
		roff(out, str(cmd_table[i]->summary));
		buf_byte(out, '\n');
	}
	buf_str(
	    out,
	    STR(".SH SETTINGS\nEach option may also stand in the file winnow.conf of a collection (name = value; a flag is yes or no; a name that no command has is refused) or in the "
		"environment (WINNOW_THREADS for \\-\\-threads). The command line wins.\n.SH EXIT STATUS\n"
		"0 done; 1 done, with findings; 2 usage; 3 failed; 130 interrupted.\n"));
}

/* One line each, for programs: kind, name and text, with tabs between. */
static void list(struct buf *out)
{
	for (size_t i = 0; cmd_table[i]; i++) {
		const struct cmd *c = cmd_table[i];

		buf_printf(out, "command\t%s\t%s\n", c->name, c->summary);
		for (const struct cmd_example *e = c->examples; e && e->line; e++)
			buf_printf(out, "example\t%s\t%s\n", c->name, e->line);
	}
	for (size_t i = 0; help_topics[i].name; i++)
		buf_printf(out, "topic\t%s\t%s\n", help_topics[i].name, help_topics[i].summary);
}

struct args {
	bool man, list;
};

static const struct opt opts[] = {
	{ "man", 0, OPT_FLAG, NULL, "print the page in man(7) form", offsetof(struct args, man) },
	{ "list", 0, OPT_FLAG, NULL, "commands, examples and topics, a line each: kind, name, text",
	  offsetof(struct args, list) },
	{ 0 },
};

static void man_topic(struct buf *out, const struct help_topic *t)
{
	buf_printf(out, ".TH WINNOW\\-%s 7 \"\" \"winnow " WINNOW_VERSION "\"\n.SH NAME\nwinnow\\-%s \\- ", t->name,
		   t->name);
	roff(out, str(t->summary));
	buf_str(out, STR("\n.SH DESCRIPTION\n"));
	roff_paragraphs(out, t->text());
}

static int no_such_page(struct cmd_run *run, const char *name)
{
	VEC(const char *) names = { 0 };
	const char *near;

	for (size_t i = 0; cmd_table[i]; i++)
		vec_push(&names, cmd_table[i]->name);
	for (size_t i = 0; help_topics[i].name; i++)
		vec_push(&names, help_topics[i].name);
	near = opt_nearest(name, names.p, names.n);
	vec_release(&names);
	return cmd_usage(run, "there is no command or topic '%s'; %s%s%s", name,
			 near ? "did you mean '" : "'winnow help' lists them", near ? near : "", near ? "'?" : "");
}

static int run(struct cmd_run *run)
{
	struct args *a = run->args;
	struct buf out = BUF(4 * MIB);
	int code = EXIT_DONE;

	if (a->list) {
		list(&out);
	} else if (run->rest.n == 0) {
		a->man ? man_overview(&out) : overview(&out);
	} else {
		const struct cmd *cmd = cmd_find(run->rest.p[0]);
		const struct help_topic *topic = help_topic_find(run->rest.p[0]);

		if (cmd)
			a->man ? man_command(&out, cmd) : help_command(&out, cmd);
		if (cmd && topic) { /* what it is about has a page of its own: that, too */
			buf_str(&out, a->man ? STR(".SH NOTES\n") : STR("\n"));
			a->man ? roff_paragraphs(&out, topic->text()) : paragraphs(&out, topic->text());
		} else if (topic && a->man && !cmd) {
			man_topic(&out, topic);
		} else if (topic && !cmd) {
			paragraphs(&out, topic->text());
		} else if (!cmd) {
			code = no_such_page(run, run->rest.p[0]);
		}
	}
	cmd_out(&out);
	buf_release(&out);
	return code;
}

static const struct cmd_example examples[] = {
	{ "winnow help", "the commands and topics" },
	{ "winnow help ingest", "what ingest does and takes" },
	{ "winnow help sql.7", "the views and columns of a collection" },
	{ "winnow help flaws", "what each kind of flaw means" },
	{ 0 },
};

const struct cmd cmd_help = {
	.name = "help",
	.args = "[COMMAND|TOPIC]",
	.summary = "say what a command does",
	.group = GROUP_CARE,
	.max_args = 1,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Without an argument lists the commands; with a command's or topic's name says what it is; a topic that has a command's name is NAME.7. The man pages are made from the same tables.",
};

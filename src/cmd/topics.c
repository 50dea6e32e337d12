/* cmd/topics.c -- the topics of `winnow help`; tables of other layers become text here. */
#include "cmd/topics.h"

#include <stddef.h>
#include <string.h>

static const char *exit_codes(void)
{
	return "winnow ends with one of these codes.\n\n"
	       "  0    done\n"
	       "  1    done, with findings: flaws above --max-flaws, a check that failed, no match\n"
	       "  2    usage: an unknown option, a bad rule, a name that nothing has, a file or directory of another kind than was\n"
	       "       asked for (a directory without archives, a collection that is none or of a newer winnow)\n"
	       "  3    failed: a file may not be read or is damaged, the disk, the memory or the catalogue refused; the message\n"
	       "       says what to do\n"
	       "  130  interrupted; ingest, reduce, import and update keep what was finished, and the same command continues\n\n"
	       "Where several files are named, one that cannot be read does not keep ingest, verify and index from the others: it is\n"
	       "named on standard error, and the code is 3. When none of them is there it is 2.";
}

const struct help_topic help_topics[] = {
	{ "exit-codes", "the exit codes of all commands", exit_codes },
	{ "surt", "how the urlkey of a URL is made, and where other software differs", topic_surt },
	{ "flaws", "the kinds of damage found in archives", topic_flaws },
	{ "sql", "the views that 'winnow sql' asks", topic_sql },
	{ "rules", "the language of rules, selections and preferences", topic_rules },
	{ 0 },
};

const struct help_topic *help_topic_find(const char *name)
{
	size_t n = strlen(name);

	if (n > 2 && strcmp(name + n - 2, ".7") == 0) /* the topic, where a command has the same name */
		n -= 2;
	for (const struct help_topic *t = help_topics; t->name; t++)
		if (strlen(t->name) == n && strncmp(t->name, name, n) == 0)
			return t;
	return NULL;
}

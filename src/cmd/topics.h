/* cmd/topics.h -- pages of `winnow help` that are not commands; man section 7. */
#ifndef WINNOW_CMD_TOPICS_H
#define WINNOW_CMD_TOPICS_H

struct help_topic {
	const char *name, *summary;
	const char *(*text)(void); /* paragraphs; one that begins with a blank stays as it is */
};

const char *topic_rules(void); /* docs/man/winnow-rules.7.md */
const char *topic_surt(void);
const char *topic_flaws(void); /* archive/flaw.h's table */
const char *topic_sql(void);

extern const struct help_topic help_topics[];		    /* ended by a zero entry */
const struct help_topic *help_topic_find(const char *name); /* "sql" or "sql.7" */
#endif

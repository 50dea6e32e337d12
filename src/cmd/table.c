/* cmd/table.c -- every command, in the order a person meets it. */
#include "cmd/table.h"

const struct cmd *const cmd_table[] = {
	/* gather */
	&cmd_ingest,
	&cmd_rm,
	&cmd_import,
	/* look */
	&cmd_ls,
	&cmd_stats,
	&cmd_show,
	&cmd_text,
	&cmd_links,
	&cmd_sql,
	&cmd_index,
	&cmd_export,
	&cmd_search,
	/* decide */
	&cmd_explain,
	&cmd_preview,
	&cmd_reduce,
	&cmd_update,
	&cmd_why,
	&cmd_check,
	&cmd_covers,
	&cmd_cover,
	&cmd_compare,
	&cmd_diff,
	/* explore */
	&cmd_serve,
	/* care */
	&cmd_verify,
	&cmd_repair,
	&cmd_help,
	&cmd_version,
	&cmd_completion,
	NULL,
};

/* cmd/table.h -- the entries of all commands; see table.c for their order. */
#ifndef WINNOW_CMD_TABLE_H
#define WINNOW_CMD_TABLE_H
#include "cmd/cmd.h"

extern const struct cmd cmd_check;
extern const struct cmd cmd_compare;
extern const struct cmd cmd_completion;
extern const struct cmd cmd_cover;
extern const struct cmd cmd_covers;
extern const struct cmd cmd_diff;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_export;
extern const struct cmd cmd_help;
extern const struct cmd cmd_import;
extern const struct cmd cmd_index;
extern const struct cmd cmd_ingest;
extern const struct cmd cmd_links;
extern const struct cmd cmd_ls;
extern const struct cmd cmd_preview;
extern const struct cmd cmd_reduce;
extern const struct cmd cmd_repair;
extern const struct cmd cmd_rm;
extern const struct cmd cmd_search;
extern const struct cmd cmd_serve;
extern const struct cmd cmd_show;
extern const struct cmd cmd_sql;
extern const struct cmd cmd_stats;
extern const struct cmd cmd_text;
extern const struct cmd cmd_update;
extern const struct cmd cmd_verify;
extern const struct cmd cmd_version;
extern const struct cmd cmd_why;
#endif

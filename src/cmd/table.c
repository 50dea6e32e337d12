/* cmd/table.c -- every command, in the order a person meets it. */
#include "cmd/table.h"

const struct cmd *const cmd_table[] = {
	&cmd_version, &cmd_help, &cmd_completion, /* care */
	NULL,
};

/* cmd/topic_rules.c -- winnow help rules: the text of docs/man/winnow-rules.7.md, built in. */
#include "cmd/topics.h"

static const char text[] =
#include "cmd/topic_rules.inc"
    ;

const char *topic_rules(void) { return text; }

/* serve/acl.h -- access control as handlers see it; flow/acl.h has it, since export and sql hold to it too. */
#ifndef WINNOW_SERVE_ACL_H
#define WINNOW_SERVE_ACL_H
#include "flow/acl.h"
#endif

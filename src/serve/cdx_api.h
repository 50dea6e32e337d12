/* serve/cdx_api.h -- how the CDX servers say no: {"message": ...}, as their clients expect. */
#ifndef WINNOW_SERVE_CDX_API_H
#define WINNOW_SERVE_CDX_API_H
#include "serve/server.h"

void cdx_message(struct response *r, int status, const char *text);
#endif

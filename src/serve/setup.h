/* serve/setup.h -- from the options to a server that can start: names, token, address, public URL. */
#ifndef WINNOW_SERVE_SETUP_H
#define WINNOW_SERVE_SETUP_H
#include <sys/socket.h>

#include "serve/server.h"

int setup_server(struct server *s, struct sockaddr_storage *at, struct err *err);
struct str setup_url(struct server *s); /* the URL to open, with the token */

/* Collections that came into s->uploads by another server; true: there is one more.  Cheap when nothing changed. */
bool setup_look(struct server *s);
/* A new, empty collection below s->uploads, served from now on.  exactly: under this name or not at all (WN_USAGE). */
int setup_add(struct server *s, const char *name, bool exactly, const struct served **out, struct err *err);
int setup_make_dirs(const char *path, struct err *err); /* those above it too */
#endif

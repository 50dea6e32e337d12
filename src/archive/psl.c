/* archive/psl.c -- registrable domains by libpsl's built-in list.
 *
 * libpsl wants terminated, lower-case strings and answers with a pointer into
 * them; hosts are copied to the stack (a name of more than 253 bytes has no
 * registrable domain) and the answer is taken as a length from the end.
 * The list is opened once; reading it is safe from any thread.
 */
#include "archive/psl.h"

#include <libpsl.h>
#include <pthread.h>

#define NAME_MAX_BYTES 1024 /* DNS allows 253; UTF-8 names are longer than their xn-- form may be */

static const psl_ctx_t *list;
static pthread_once_t list_once = PTHREAD_ONCE_INIT;

static void list_open(void) { list = psl_builtin(); }

/* An IPv4 address or a bracketed IPv6 one. */
static bool is_address(struct str host)
{
	size_t dots = 0;

	if (host.n && host.p[0] == '[')
		return true;
	for (size_t i = 0; i < host.n; i++) {
		if (host.p[i] == '.')
			dots++;
		else if (!ascii_digit(host.p[i]))
			return false;
	}
	return dots == 3;
}

struct str psl_domain(struct str host)
{
	char name[NAME_MAX_BYTES + 1];
	const char *found;
	struct str bare = host;
	size_t n;

	pthread_once(&list_once, list_open);
	if (bare.n && bare.p[bare.n - 1] == '.')
		bare.n--;
	if (!list || bare.n == 0 || bare.n > NAME_MAX_BYTES || bare.p[0] == '.' || is_address(bare) ||
	    memchr(bare.p, 0, bare.n))
		return STR("");
	for (size_t i = 0; i < bare.n; i++)
		name[i] = ascii_lower(bare.p[i]);
	name[bare.n] = '\0';
	found = psl_registrable_domain(list, name);
	if (!found)
		return STR("");
	n = strlen(found) + (host.n - bare.n);
	return str_n(host.p + host.n - n, n);
}

/* base/str.h -- borrowed bytes: a pointer and a length, by value, never freed.
 *
 * A str may hold any byte, NUL too; it is not terminated.  Whoever hands one
 * out says in the header until when it lasts.  Case folding here is ASCII.
 */
#ifndef WINNOW_BASE_STR_H
#define WINNOW_BASE_STR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *p;
	size_t n;
};

#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })
#define STR_NONE ((struct str){ NULL, 0 })
#define STR_FMT(s) (int)(s).n, (s).p /* for "%.*s" */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT_OF(macro) TEXT_OF_(macro) /* what a macro stands for, as a literal: for help that names a limit */
#define TEXT_OF_(tokens) #tokens

static inline struct str str(const char *z) { return (struct str){ z, z ? strlen(z) : 0 }; }
static inline struct str str_n(const char *p, size_t n) { return (struct str){ p, n }; }
/* Behind the last byte; of a str that points nowhere, nowhere: NULL + 0 is not defined. */
static inline const char *str_end(struct str s) { return s.n ? s.p + s.n : s.p; }
static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || a.p == b.p || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool str_starts(struct str s, struct str head)
{
	return s.n >= head.n && (head.n == 0 || memcmp(s.p, head.p, head.n) == 0);
}
static inline struct str str_sub(struct str s, size_t from, size_t to) /* clipped to s */
{
	to = to < s.n ? to : s.n;
	from = from < to ? from : to;
	return (struct str){ s.p ? s.p + from : s.p, to - from };
}
static inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static inline bool ascii_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool ascii_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static inline bool ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int str_cmp(struct str a, struct str b);  /* by bytes, as memcmp */
bool str_ieq(struct str a, struct str b); /* equal but for ASCII case */
bool str_istarts(struct str s, struct str head);
bool str_ends(struct str s, struct str tail);
bool str_iends(struct str s, struct str tail);
ptrdiff_t str_find(struct str s, struct str what); /* index or -1 */
ptrdiff_t str_ifind(struct str s, struct str what);
ptrdiff_t str_chr(struct str s, char c);  /* index or -1 */
ptrdiff_t str_rchr(struct str s, char c); /* last index or -1 */
struct str str_trim(struct str s);	  /* ASCII white space off both ends */

/* A number of bytes for people, by the unit that fits: "17 B", "3.4 kB", "212 MB".  Lasts as long as out. */
#define STR_SIZE 16
struct str str_size(uint64_t bytes, char out[static STR_SIZE]);

/* Cuts *rest at the first c: returns what is before, *rest becomes what is
 * after (n = 0 and p = NULL when there was no c). */
struct str str_cut(struct str *rest, char c);

/* Whole s as an unsigned decimal; false on anything else or overflow. */
bool str_u64(struct str s, uint64_t *out);
bool str_i64(struct str s, int64_t *out);
bool str_double(struct str s, double *out);

int hex_digit(char c); /* 0..15 or -1 */
#endif

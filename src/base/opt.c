/* base/opt.c -- see opt.h. */
#include "base/opt.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Levenshtein with transpositions, on words of at most 31 bytes. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned d[33][33];

	if (n > 32 || m > 32)
		return 99;
	for (size_t i = 0; i <= n; i++)
		d[i][0] = (unsigned)i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		for (size_t j = 1; j <= m; j++) {
			unsigned best = d[i - 1][j - 1] + (ascii_lower(a[i - 1]) != ascii_lower(b[j - 1]));

			if (d[i - 1][j] + 1 < best)
				best = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < best)
				best = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < best)
				best = d[i - 2][j - 2] + 1;
			d[i][j] = best;
		}
	}
	return d[n][m];
}

const char *opt_nearest(const char *word, const char *const *candidates, size_t n)
{
	unsigned best = (unsigned)strlen(word) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		unsigned d = distance(word, candidates[i]);

		if (d < best || (d == best && !found)) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}

static int read_size(const char *text, uint64_t *out) /* 0 or -1 */
{
	static const char units[] = "KMGT";
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || errno || !(v >= 0) || ascii_space(text[0]))
		return -1;
	if (*end) {
		const char *u = strchr(units, *end >= 'a' ? *end - 32 : *end);

		if (!u || !*u)
			return -1;
		for (const char *x = units; x <= u; x++)
			v *= 1024;
		end++;
		if (*end == 'i')
			end++;
		if (*end == 'B' || *end == 'b')
			end++;
	}
	if (*end || v > 9e18)
		return -1;
	*out = (uint64_t)v;
	return 0;
}

/* Whether value is one of the choices; if not, the one it resembles, or "". */
static bool is_choice(const char *choices, const char *value, char near[32])
{
	struct str rest = str(choices), word;
	char words[16][32];
	const char *names[16], *found;
	size_t n = 0;

	while (rest.p) {
		word = str_cut(&rest, '|');
		if (str_eq(word, str(value)))
			return true;
		if (n < COUNT(names)) {
			snprintf(words[n], sizeof words[n], "%.*s", STR_FMT(word));
			names[n] = words[n];
			n++;
		}
	}
	found = opt_nearest(value, names, n);
	snprintf(near, 32, "%s", found ? found : "");
	return false;
}

static int set_value(const struct opt *o, void *into, const char *value, struct err *err)
{
	void *at = (char *)into + o->at;
	char near[32];
	double d;

	switch (o->type) {
	case OPT_FLAG: *(bool *)at = true; return WN_OK;
	case OPT_TEXT: *(const char **)at = value; return WN_OK;
	case OPT_CHOICE:
		if (!is_choice(o->arg, value, near))
			return err_set(err, WN_USAGE, "--%s takes one of %s, not '%s'%s%s%s", o->name, o->arg, value,
				       near[0] ? "; did you mean '" : "", near, near[0] ? "'?" : "");
		*(const char **)at = value;
		return WN_OK;
	case OPT_U64:
		if (!str_u64(str(value), at))
			return err_set(err, WN_USAGE, "--%s takes a whole number, not '%s'", o->name, value);
		return WN_OK;
	case OPT_COUNT:
		if (!str_u64(str(value), at) || *(uint64_t *)at == 0)
			return err_set(err, WN_USAGE, "--%s takes a whole number from 1, not '%s'", o->name, value);
		return WN_OK;
	case OPT_DOUBLE:
		if (!str_double(str(value), &d))
			return err_set(err, WN_USAGE, "--%s takes a number, not '%s'", o->name, value);
		*(double *)at = d;
		return WN_OK;
	case OPT_SIZE:
		if (read_size(value, at))
			return err_set(err, WN_USAGE, "--%s takes a size such as 512M or 2G, not '%s'", o->name, value);
		return WN_OK;
	case OPT_LIST: vec_push((struct opt_list *)at, value); return WN_OK;
	}
	return WN_OK;
}

static const struct opt *find(const struct opt_set *sets, size_t nsets, struct str name, char letter, void **into)
{
	for (size_t s = 0; s < nsets; s++)
		for (const struct opt *o = sets[s].table; o && o->name; o++)
			if (letter ? o->letter == letter : str_eq(str(o->name), name)) {
				*into = sets[s].into;
				return o;
			}
	return NULL;
}

static int unknown(const char *arg, struct str name, const struct opt_set *sets, size_t nsets, struct err *err)
{
	VEC(const char *) names = { 0 };
	char word[64];
	const char *near;

	for (size_t s = 0; s < nsets; s++)
		for (const struct opt *o = sets[s].table; o && o->name; o++)
			vec_push(&names, o->name);
	snprintf(word, sizeof word, "%.*s", STR_FMT(name));
	near = opt_nearest(word, names.p, names.n);
	vec_release(&names);
	if (near)
		return err_set(err, WN_USAGE, "there is no option %s; did you mean --%s?", arg, near);
	return err_set(err, WN_USAGE, "there is no option %s; --help lists the options", arg);
}

int opt_parse(int argc, char **argv, const struct opt_set *sets, size_t nsets, struct opt_list *rest, struct err *err)
{
	bool only_arguments = false;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i], *value = NULL;
		struct str name = STR_NONE;
		const struct opt *o;
		void *into = NULL;
		int rc;

		if (only_arguments || arg[0] != '-' || arg[1] == 0) {
			vec_push(rest, arg);
			continue;
		}
		if (strcmp(arg, "--") == 0) {
			only_arguments = true;
			continue;
		}
		if (arg[1] == '-') {
			struct str tail = str(arg + 2);
			bool joined = str_chr(tail, '=') >= 0;

			name = str_cut(&tail, '=');
			value = joined ? tail.p : NULL;
			o = find(sets, nsets, name, 0, &into);
		} else {
			name = str(arg + 1);
			o = find(sets, nsets, name, arg[1], &into);
			if (o && arg[2])
				value = arg + 2;
		}
		if (!o)
			return unknown(arg, name, sets, nsets, err);
		if (o->type == OPT_FLAG) {
			if (value)
				return err_set(err, WN_USAGE, "--%s takes no value", o->name);
		} else if (!value) {
			if (++i >= argc)
				return err_set(err, WN_USAGE, "--%s needs a value: %s", o->name, o->arg);
			value = argv[i];
		}
		if ((rc = set_value(o, into, value, err)) < 0)
			return rc;
	}
	return WN_OK;
}

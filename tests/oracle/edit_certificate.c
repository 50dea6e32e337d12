/* edit-certificate FILE WHAT -- changes a stored certificate and writes it with a right checksum: what only a checker that
 * does not trust its input will notice.
 *
 *	values    doubles every value
 *	rule      another rule
 *	revision  the next revision
 *	fewer     leaves the last value out, and the bound as it was
 */
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "cover/certificate.h"

static bool edit(struct certificate *c, const char *what)
{
	if (strcmp(what, "values") == 0)
		for (uint32_t i = 0; i < c->value_count; i++)
			c->values[i].y *= 2;
	else if (strcmp(what, "rule") == 0)
		c->run.rule[0] ^= 1;
	else if (strcmp(what, "revision") == 0)
		c->run.revision++;
	else if (strcmp(what, "fewer") == 0 && c->value_count)
		c->value_count--;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct buf out = BUF(1u << 30);
	struct certificate c;
	struct err err = { 0 };
	struct str bytes;
	FILE *f;

	if (argc != 3)
		return 2;
	if (os_slurp(&a, argv[1], 1u << 30, &bytes, &err) < 0 || certificate_read(&a, bytes, &c, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	if (!edit(&c, argv[2]) || !certificate_write(&c, &out)) {
		fprintf(stderr, "cannot edit %s in %s\n", argv[2], argv[1]);
		return 2;
	}
	f = fopen(argv[1], "wb");
	if (!f || fwrite(out.p, 1, out.n, f) != out.n || fclose(f) != 0)
		return 3;
	buf_release(&out);
	arena_release(&a);
	return 0;
}

/* edit-members FILE WHAT -- changes the stored members of a cover and writes them with a right checksum.
 *
 *	twice    the last document that is kept is there once more
 *	range    the first document that is dropped names a witness that is no member
 *	dropped  it names itself
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "catalog/memberfile.h"

enum { ID, WITNESS, SHARED, SIZE, ARRAYS };

static bool edit(uint32_t *array[ARRAYS], uint32_t *n, const char *what)
{
	uint32_t kept = 0, dropped = 0;

	for (uint32_t i = 0; i < *n; i++)
		kept = array[WITNESS][i] == MEMBER_KEPT ? i : kept;
	while (dropped < *n && array[WITNESS][dropped] == MEMBER_KEPT)
		dropped++;
	if (dropped == *n)
		return false;
	if (strcmp(what, "twice") == 0) {
		for (int k = 0; k < ARRAYS; k++)
			array[k][*n] = array[k][kept];
		++*n;
	} else if (strcmp(what, "range") == 0) {
		array[WITNESS][dropped] = *n + 5;
	} else if (strcmp(what, "dropped") == 0) {
		array[WITNESS][dropped] = dropped;
	} else {
		return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct memberfile f = { 0 };
	uint32_t *array[ARRAYS], n;
	struct err err = { 0 };
	uint64_t revision;
	bool done;
	FILE *in;

	if (argc != 3 || !(in = fopen(argv[1], "rb")))
		return 2;
	if (fseek(in, 8, SEEK_SET) != 0 || fread(&revision, sizeof revision, 1, in) != 1 || fclose(in) != 0 ||
	    memberfile_read(&f, argv[1], revision, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 3;
	}
	n = f.list.n;
	for (int k = 0; k < ARRAYS; k++) {
		const uint32_t *from[ARRAYS] = { f.list.id, f.list.witness, f.list.shared, f.list.size };

		array[k] = mem_array((size_t)n + 1, sizeof *array[k]);
		memcpy(array[k], from[k], n * sizeof *array[k]);
	}
	done = edit(array, &n, argv[2]) &&
	       memberfile_write(&(struct member_list){ n, array[ID], array[WITNESS], array[SHARED], array[SIZE] },
				revision, argv[1], &err) == WN_OK;
	if (!done)
		fprintf(stderr, "cannot edit %s in %s: %s\n", argv[2], argv[1], err.text);
	for (int k = 0; k < ARRAYS; k++)
		mem_free(array[k]);
	memberfile_close(&f);
	return done ? 0 : 2;
}

/* A form: the first line is its Content-Type, the rest its body.  However the body is cut into pieces, file and
 * fields are the same. */
#include <stdlib.h>

#include "serve/multipart.h"

static bool keep(void *context, struct str bytes) { return buf_str(context, bytes); }

static bool read_form(struct str type, struct str body, size_t step, struct multipart *m, struct buf *file)
{
	bool bad = false;

	if (!multipart_init(m, type))
		return false;
	for (size_t at = 0; at < body.n; at += step)
		if (!multipart_add(m, str_sub(body, at, at + step), keep, file, &bad))
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str body = str_n((const char *)data, size), type = str_cut(&body, '\n');
	struct multipart whole, pieces;
	struct buf a = BUF((size_t)1 << 24), b = BUF((size_t)1 << 24);
	bool ok = read_form(type, body, body.n + 1, &whole, &a),
	     same = read_form(type, body, 1 + type.n % 7, &pieces, &b);

	if (ok != same)
		abort();
	if (ok && (!str_eq(buf_view(&a), buf_view(&b)) || strcmp(whole.file, pieces.file) != 0 ||
		   whole.n_fields != pieces.n_fields))
		abort();
	for (unsigned i = 0; ok && i < whole.n_fields; i++)
		if (strcmp(whole.fields[i].name, pieces.fields[i].name) != 0 ||
		    whole.fields[i].n != pieces.fields[i].n ||
		    memcmp(whole.fields[i].value, pieces.fields[i].value, whole.fields[i].n) != 0)
			abort();
	multipart_release(&whole);
	multipart_release(&pieces);
	buf_release(&a);
	buf_release(&b);
	return 0;
}

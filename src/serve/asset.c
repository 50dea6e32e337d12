/* serve/asset.c -- see asset.h: as stored for clients that take gzip, inflated for the rare other one. */
#include "serve/asset.h"

#include <libdeflate.h>

#include "base/limits.h"
#include "base/os.h"
#include "serve/page.h"

const struct asset *asset_find(const char *name)
{
	for (const struct asset *a = assets; a->name; a++)
		if (strcmp(a->name, name) == 0)
			return a;
	return NULL;
}

static const char *type_of(struct str name)
{
	static const struct {
		const char *end, *type;
	} types[] = {
		{ ".css", "text/css; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
	};

	for (size_t i = 0; i < COUNT(types); i++)
		if (str_ends(name, str(types[i].end)))
			return types[i].type;
	return "application/octet-stream";
}

/* With --assets DIR, for those who work on web/: as the file is now. */
static void from_disk(struct request *q, struct response *r, const struct asset *a)
{
	struct err err = { 0 };
	struct str body;

	if (os_slurp(&q->arena, arena_printf(&q->arena, "%s/%s", q->server->options.assets, a->name).p, 4 * MIB, &body,
		     &err) < 0) {
		response_err(r, &err);
		return;
	}
	response_header(r, "Cache-Control", STR("no-cache"));
	response_body(r, type_of(str(a->name)), body);
}

static void inflated(struct request *q, struct response *r, const struct asset *a)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	char *out = arena_alloc(&q->arena, a->n + 1);
	size_t got = 0;
	bool ok = d && libdeflate_gzip_decompress(d, a->gzip, a->n_gzip, out, a->n + 1, &got) == LIBDEFLATE_SUCCESS;

	libdeflate_free_decompressor(d);
	if (ok)
		response_body(r, type_of(str(a->name)), str_n(out, got));
	else
		response_error(r, 500, "the stored file could not be unpacked");
}

void asset_serve(struct request *q, struct response *r)
{
	struct str name = request_arg(q, "name");
	const struct asset *a = asset_find(arena_strz(&q->arena, name));

	if (!a || !str_eq(str(a->name), name)) {
		response_error(r, 404, "there is no such file");
		return;
	}
	if (q->server->options.assets) {
		from_disk(q, r, a);
		return;
	}
	if (!str_eq(request_arg(q, "hash"), str(a->hash))) {
		response_error(r, 404, "this file is of another version of winnow");
		return;
	}
	response_header(r, "Cache-Control", STR("public, max-age=31536000, immutable"));
	response_header(r, "Vary", STR("Accept-Encoding"));
	response_headerf(r, "ETag", "\"%s\"", a->hash);
	if (str_ifind(request_header(q, "Accept-Encoding"), STR("gzip")) < 0) {
		inflated(q, r, a);
		return;
	}
	response_header(r, "Content-Encoding", STR("gzip"));
	response_body(r, type_of(name), str_n((const char *)a->gzip, a->n_gzip));
}

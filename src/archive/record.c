/* archive/record.c -- what is the same for every record: types and fields. */
#include "archive/record.h"

static const char *const types[RECORD_TYPES] = {
	[RECORD_UNKNOWN] = "unknown",	[RECORD_WARCINFO] = "warcinfo",	    [RECORD_RESPONSE] = "response",
	[RECORD_RESOURCE] = "resource", [RECORD_REQUEST] = "request",	    [RECORD_METADATA] = "metadata",
	[RECORD_REVISIT] = "revisit",	[RECORD_CONVERSION] = "conversion", [RECORD_CONTINUATION] = "continuation",
};

const char *record_type_name(enum record_type type) { return types[type]; }

struct str record_field(const struct record *rec, const char *name)
{
	struct str want = str(name);

	for (unsigned i = 0; i < rec->nfields; i++)
		if (str_ieq(rec->fields[i].name, want))
			return rec->fields[i].value;
	return STR_NONE;
}

struct str field_unfold(struct arena *a, struct unfolding *u, struct str value, struct str more)
{
	size_t n = value.n + 1 + more.n;

	if (value.p != u->p || n >= u->room) {
		u->room = 2 * (n + 1);
		u->p = arena_alloc(a, u->room);
		if (value.n)
			memcpy(u->p, value.p, value.n);
	}
	u->p[value.n] = ' ';
	if (more.n)
		memcpy(u->p + value.n + 1, more.p, more.n);
	u->p[n] = 0;
	return str_n(u->p, n);
}

bool record_is_http(const struct record *rec, struct str block_start)
{
	if (rec->format == RECORD_ARC)
		return rec->type == RECORD_RESPONSE && str_istarts(block_start, STR("HTTP"));
	switch (rec->type) {
	case RECORD_RESPONSE:
	case RECORD_REQUEST:
	case RECORD_REVISIT:
	case RECORD_CONTINUATION:
	case RECORD_UNKNOWN: break;
	default: return false;
	}
	if (str_istarts(rec->content_type, STR("application/http")))
		return rec->type != RECORD_CONTINUATION;
	/* A response that forgot its Content-Type: believe the bytes. */
	return rec->type == RECORD_RESPONSE && str_starts(block_start, STR("HTTP/"));
}

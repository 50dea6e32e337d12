/* serve/squeeze.c -- answers of ours in gzip, for clients that take it.
 *
 * Pages, JSON, CDX and TimeMaps of at least SQUEEZE_LEAST bytes, and streams of
 * them; never archived bytes, which keep the form they have, nor events, which must not
 * wait.  One pass with ISA-L's fastest level.
 */
#include <isa-l/igzip_lib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "serve/server_int.h"

enum { SQUEEZE_LEAST = 1024, STEP = 64 * 1024 };

struct squeeze {
	response_more *more;
	void (*done)(void *context);
	void *context;
	struct isal_zstream z;
	uint8_t level_buf[ISAL_DEF_LVL1_DEFAULT];
	char in[STEP];
	bool ended;
};

/* Whether Accept-Encoding has gzip, and not with q=0. */
static bool takes_gzip(const struct request *q)
{
	struct str rest = request_header(q, "Accept-Encoding");

	while (rest.n) {
		struct str one = str_cut(&rest, ','), name = str_trim(str_cut(&one, ';')), weight = str_trim(one);
		double value = 1;

		if (!str_ieq(name, STR("gzip")) && !str_ieq(name, STR("x-gzip")))
			continue;
		if (str_istarts(weight, STR("q=")))
			str_double(str_sub(weight, 2, weight.n), &value);
		return value > 0;
	}
	return false;
}

static void begin(struct squeeze *s)
{
	isal_deflate_init(&s->z);
	s->z.gzip_flag = IGZIP_GZIP;
	s->z.level = 1;
	s->z.level_buf = s->level_buf;
	s->z.level_buf_size = sizeof s->level_buf;
}

static ptrdiff_t squeeze_more(void *context, char *p, size_t n)
{
	struct squeeze *s = context;

	for (;;) {
		if (s->z.internal_state.state == ZSTATE_END)
			return 0;
		if (!s->z.avail_in && !s->ended) {
			ptrdiff_t got = s->more(s->context, s->in, STEP);

			if (got < 0)
				return got;
			s->ended = got == 0;
			s->z.next_in = (uint8_t *)s->in;
			s->z.avail_in = (uint32_t)got;
			s->z.end_of_stream = s->ended;
		}
		s->z.next_out = (uint8_t *)p;
		s->z.avail_out = (uint32_t)n;
		if (isal_deflate(&s->z) != COMP_OK)
			return -1;
		if (s->z.avail_out < n)
			return (ptrdiff_t)(n - s->z.avail_out);
	}
}

static void squeeze_done(void *context)
{
	struct squeeze *s = context;

	if (s->done)
		s->done(s->context);
	mem_free(s);
}

/* The whole body at once; false: it would not get smaller. */
static bool squeeze_body(struct request *q, struct response *r)
{
	struct squeeze *s = mem_zalloc(sizeof *s);
	char *out = arena_alloc(&q->arena, r->body.n);
	bool smaller;

	begin(s);
	s->z.next_in = (uint8_t *)(uintptr_t)r->body.p;
	s->z.avail_in = (uint32_t)r->body.n;
	s->z.end_of_stream = 1;
	s->z.next_out = (uint8_t *)out;
	s->z.avail_out = (uint32_t)r->body.n;
	smaller = isal_deflate(&s->z) == COMP_OK && s->z.internal_state.state == ZSTATE_END;
	if (smaller)
		r->body = str_n(out, r->body.n - s->z.avail_out);
	mem_free(s);
	return smaller;
}

void squeeze_apply(struct request *q, struct response *r)
{
	bool ours = r->policy == POLICY_UI || r->policy == POLICY_DATA || r->policy == POLICY_OPEN;
	struct squeeze *s;

	if (!ours || r->plain || (r->status != 200 && r->status != 304) || response_get(r, "Content-Encoding").n ||
	    str_eq(response_get(r, "Content-Type"), STR("text/event-stream")))
		return;
	response_vary(r, "accept-encoding");
	if (!takes_gzip(q) || r->status == 304 || (!r->more && (r->body.n < SQUEEZE_LEAST || r->body.n > LIMIT_PAGE)))
		return;
	if (!r->more && !squeeze_body(q, r))
		return;
	if (r->more) {
		s = mem_alloc(sizeof *s);
		memset(s, 0, offsetof(struct squeeze, level_buf));
		s->ended = false;
		s->more = r->more;
		s->done = r->done;
		s->context = r->context;
		begin(s);
		r->more = squeeze_more;
		r->done = squeeze_done;
		r->context = s;
		r->length = UINT64_MAX;
	}
	response_header(r, "Content-Encoding", STR("gzip"));
	response_weaken(r);
}

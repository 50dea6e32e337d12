/* cmd/compare.c -- winnow compare: what two covers keep differently. */
#include <inttypes.h>

#include "archive/stamp.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "cmd/listing.h"
#include "cmd/table.h"
#include "flow/covers.h"

static int state_of(const struct cover_member *m, size_t n, size_t *at,
		    uint64_t id) /* 0 not there, 1 dropped, 2 kept */
{
	while (*at < n && m[*at].id < id)
		++*at;
	return *at < n && m[*at].id == id ? 1 + m[*at].kept : 0;
}

static void put_row(struct listing *l, struct collection *coll, struct cmd_run *run, uint64_t id, int first, int second)
{
	static const char *const names[] = { "not selected", "dropped", "kept" };
	struct arena a = { 0 };
	struct capture c;
	char time[21];

	if (catalog_capture(coll->catalog, &a, id, &c, &run->err) == WN_OK) {
		listing_u64(l, id);
		listing_text(l, stamp_rfc3339(c.time, time));
		listing_text(l, str(names[first]));
		listing_text(l, str(names[second]));
		listing_text(l, c.url);
		listing_text(l, c.title);
		listing_row(l);
	}
	arena_release(&a);
}

static int run(struct cmd_run *run, struct collection *coll)
{
	static const char *const names[] = { "id", "time", "first", "second", "url", "title" };
	struct cover_row rows[2];
	struct cover_member *m[2];
	size_t n[2], x = 0, y = 0;
	uint64_t both = 0, only[2] = { 0 }, neither = 0;
	struct listing l;
	int rc;

	for (int i = 0; i < 2; i++)
		if ((rc = cmd_read_cover(run, coll, run->rest.p[1 + i], &rows[i])) < 0 ||
		    (rc = covers_members(coll, &run->arena, rows[i].id, &m[i], &n[i], &run->err)) < 0)
			return rc;
	if (!run->common.json)
		listing_open(&l, run, names, COUNT(names));
	while (x < n[0] || y < n[1]) {
		uint64_t id = x < n[0] && (y >= n[1] || m[0][x].id <= m[1][y].id) ? m[0][x].id : m[1][y].id;
		int first = state_of(m[0], n[0], &x, id), second = state_of(m[1], n[1], &y, id);

		both += first == 2 && second == 2;
		only[0] += first == 2 && second != 2;
		only[1] += first != 2 && second == 2;
		neither += first != 2 && second != 2;
		if (!run->common.json && (first == 2) != (second == 2))
			put_row(&l, coll, run, id, first, second);
		x += x < n[0] && m[0][x].id == id;
		y += y < n[1] && m[1][y].id == id;
	}
	if (run->common.json) {
		struct buf out = BUF(64 * KIB);

		buf_printf(&out,
			   "{\"first\": %" PRIu64 ", \"second\": %" PRIu64 ", \"both\": %" PRIu64
			   ", \"only_first\": %" PRIu64 ", \"only_second\": %" PRIu64 ", \"neither\": %" PRIu64 "}\n",
			   rows[0].id, rows[1].id, both, only[0], only[1], neither);
		cmd_out(&out);
		buf_release(&out);
	} else {
		listing_close(&l);
		note("kept by both %" PRIu64 ", only by the first %" PRIu64 ", only by the second %" PRIu64
		     ", by neither %" PRIu64,
		     both, only[0], only[1], neither);
	}
	return WN_OK;
}

static const struct cmd_example examples[] = {
	{ "winnow compare sample 1 2", "which documents one cover keeps and the other does not" }, { 0 }
};

const struct cmd cmd_compare = {
	.name = "compare",
	.args = "COLL ID ID",
	.summary = "show what two covers keep differently",
	.group = GROUP_DECIDE,
	.joins = true,
	.coll_first = true,
	.listing = true,
	.min_args = 3,
	.max_args = 3,
	.read = run,
	.examples = examples,
	.prose =
	    "Lists the documents that one of two covers keeps and the other does not, with what each says of them; --json counts them.",
};

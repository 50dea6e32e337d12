/* serve/cdx_days.c -- captures of one URL per day, for calendars; see cdx_scan.h. */
#include "serve/cdx_scan.h"

struct days {
	struct str urlkey;
	const struct cdx_setting *setting;
	int (*each)(void *context, int64_t day, uint64_t captures, uint64_t first);
	void *context;
	int64_t day;
	uint64_t n, first;
};

static int one(void *context, uint64_t id, int64_t time)
{
	struct days *x = context;
	int64_t day = time / 86400 - (time % 86400 < 0);
	int rc = WN_OK;

	if (!acl_allows(x->setting->acl, x->urlkey, time, x->setting->user))
		return WN_OK;
	if (!x->n || day != x->day) {
		if (x->n)
			rc = x->each(x->context, x->day, x->n, x->first);
		x->day = day;
		x->n = 0;
		x->first = id;
	}
	x->n++;
	return rc;
}

int cdx_days(struct catalog *c, struct str urlkey, int64_t from, int64_t to, const struct cdx_setting *setting,
	     int (*each)(void *context, int64_t day, uint64_t captures, uint64_t first), void *context, struct err *err)
{
	struct days x = { .urlkey = urlkey, .setting = setting, .each = each, .context = context };
	int rc = catalog_times(c, urlkey, from, to, one, &x, err);

	if (rc == WN_OK && x.n)
		rc = each(context, x.day, x.n, x.first);
	return rc < 0 ? rc : WN_OK;
}

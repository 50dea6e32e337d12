/* serve/metrics.c -- counters of what was served, as Prometheus reads them. */
#include <stdatomic.h>

#include "base/mem.h"
#include "serve/server_int.h"

static const double bounds[] = { 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5 };
static _Atomic uint64_t by_class[6], bytes_sent, nanoseconds, buckets[COUNT(bounds) + 1];
static _Atomic int64_t connections;

void metrics_connections(int change) { atomic_fetch_add_explicit(&connections, change, memory_order_relaxed); }

void metrics_count(const struct request *q, int status, int64_t ns, uint64_t bytes)
{
	size_t b = 0;

	(void)q;
	while (b < COUNT(bounds) && (double)ns > bounds[b] * 1e9)
		b++;
	atomic_fetch_add_explicit(&buckets[b], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&by_class[status / 100 < 6 ? status / 100 : 0], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&bytes_sent, bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&nanoseconds, (uint64_t)ns, memory_order_relaxed);
}

void metrics_write(struct buf *out)
{
	uint64_t sum = 0;

	buf_str(
	    out,
	    STR("# HELP winnow_requests_total Requests answered, by class of status.\n# TYPE winnow_requests_total counter\n"));
	for (unsigned i = 1; i < 6; i++)
		buf_printf(out, "winnow_requests_total{status=\"%uxx\"} %llu\n", i, (unsigned long long)by_class[i]);
	buf_str(
	    out,
	    STR("# HELP winnow_request_seconds Time from the request's head to the end of its answer.\n# TYPE winnow_request_seconds histogram\n"));
	for (size_t i = 0; i < COUNT(bounds); i++)
		buf_printf(out, "winnow_request_seconds_bucket{le=\"%g\"} %llu\n", bounds[i],
			   (unsigned long long)(sum += buckets[i]));
	sum += buckets[COUNT(bounds)];
	buf_printf(
	    out,
	    "winnow_request_seconds_bucket{le=\"+Inf\"} %llu\nwinnow_request_seconds_sum %.9f\nwinnow_request_seconds_count %llu\n",
	    (unsigned long long)sum, (double)nanoseconds / 1e9, (unsigned long long)sum);
	buf_printf(
	    out,
	    "# HELP winnow_response_bytes_total Bytes of bodies sent.\n# TYPE winnow_response_bytes_total counter\nwinnow_response_bytes_total %llu\n",
	    (unsigned long long)bytes_sent);
	buf_printf(
	    out,
	    "# HELP winnow_connections Connections that are open.\n# TYPE winnow_connections gauge\nwinnow_connections %lld\n",
	    (long long)connections);
	buf_printf(
	    out,
	    "# HELP winnow_memory_bytes Anonymous memory of the process.\n# TYPE winnow_memory_bytes gauge\nwinnow_memory_bytes %zu\n",
	    mem_now());
}

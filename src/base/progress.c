/* base/progress.c -- see progress.h.
 *
 * The rate is measured over the last ticks (a ring of samples), and the range
 * of the end is made from the slowest and the fastest rate of recent windows.
 */
#include "base/progress.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/str.h"

enum { PHASES_MOST = COUNT(((struct progress_state *)0)->phases), SAMPLES = 64 };

static enum progress_mode mode = PROGRESS_AUTO;
static bool terminal, showing, line_open, may_end;
static struct progress_phase phases[PHASES_MOST];
static unsigned n_phases;
static _Atomic uint64_t done;
static uint64_t total;
static double started, next_line, run_started, after_low, after_high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	double at;
	uint64_t done;
} samples[SAMPLES];
static unsigned n_samples;

double progress_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void progress_setup(enum progress_mode wish)
{
	mode = wish;
	terminal = isatty(2);
	showing = mode == PROGRESS_ALWAYS || (mode == PROGRESS_AUTO && !log_quiet);
}

static void close_phase(void)
{
	if (!n_phases)
		return;
	phases[n_phases - 1].seconds = progress_clock() - started;
	phases[n_phases - 1].done = atomic_load(&done);
	if (line_open) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
		line_open = false;
	}
}

void progress_phase(const char *name, const char *unit, uint64_t expected)
{
	pthread_mutex_lock(&lock);
	if (n_phases && phases[n_phases - 1].seconds < 0)
		close_phase();
	if (n_phases == PHASES_MOST)
		n_phases--; /* the last slot is shared by the rest */
	phases[n_phases++] = (struct progress_phase){ name, unit, -1, 0 };
	atomic_store(&done, 0);
	total = expected;
	started = progress_clock();
	if (n_phases == 1)
		run_started = started;
	after_low = after_high = 0;
	may_end = false;
	next_line = started + (terminal ? 0.3 : 5);
	n_samples = 0;
	pthread_mutex_unlock(&lock);
}

void progress_after(double low, double high)
{
	pthread_mutex_lock(&lock);
	after_low = low;
	after_high = high;
	pthread_mutex_unlock(&lock);
}

static bool eta_locked(double now, uint64_t so_far, double *low, double *high)
{
	double fastest = 0, slowest = INFINITY, overall;
	unsigned have = n_samples < SAMPLES ? n_samples : SAMPLES;

	if (!total || so_far == 0 || so_far > total || have < 4 || now - started < 0.5)
		return false;
	overall = (double)so_far / (now - started);
	for (unsigned i = 0; i + 3 < have; i += 3) {
		unsigned from = n_samples < SAMPLES ? i : (n_samples + i) % SAMPLES;
		unsigned to = n_samples < SAMPLES ? i + 3 : (n_samples + i + 3) % SAMPLES;
		double seconds = samples[to].at - samples[from].at;
		double rate = seconds > 0 ? (double)(samples[to].done - samples[from].done) / seconds : overall;

		fastest = rate > fastest ? rate : fastest;
		slowest = rate < slowest ? rate : slowest;
	}
	/* half way between the overall rate and the extremes seen, plus a tenth */
	fastest = (fastest > overall ? sqrt(fastest * overall) : overall) * 1.1;
	slowest = (slowest < overall && slowest > 0 ? sqrt(slowest * overall) : overall) / 1.1;
	*low = may_end ? 0 : (double)(total - so_far) / fastest;
	*high = (double)(total - so_far) / slowest;
	*low += after_low * (now - run_started + *low);
	*high += after_high * (now - run_started + *high);
	return true;
}

/* Rounded outwards, so that the range stays one: the low end down, the high end up. */
static void span_text(char *out, size_t n, double seconds, double (*outwards)(double))
{
	if (seconds < 100)
		snprintf(out, n, "%.0f s", outwards(seconds));
	else if (seconds < 6000)
		snprintf(out, n, "%.0f min", outwards(seconds / 60));
	else
		snprintf(out, n, "%.1f h", outwards(seconds / 360) / 10);
}

static void show(double now, uint64_t so_far)
{
	const struct progress_phase *p = &phases[n_phases - 1];
	bool bytes = strcmp(p->unit, "bytes") == 0;
	double scale = bytes ? 1e-6 : 1, seconds = now - started, low, high;
	const char *unit = bytes ? "MB" : p->unit;
	char text[256], eta_low[32], eta_high[32];
	int n;

	n = snprintf(text, sizeof text, "%s: %.*f", p->name, bytes ? 1 : 0, (double)so_far * scale);
	if (total)
		n += snprintf(text + n, sizeof text - (size_t)n, " of %.*f", bytes ? 1 : 0, (double)total * scale);
	n += snprintf(text + n, sizeof text - (size_t)n, " %s", unit);
	if (seconds > 0)
		n += snprintf(text + n, sizeof text - (size_t)n, ", %.*f %s/s", bytes ? 1 : 0,
			      (double)so_far * scale / seconds, unit);
	if (eta_locked(now, so_far, &low, &high)) {
		span_text(eta_low, sizeof eta_low, low, floor);
		span_text(eta_high, sizeof eta_high, high, ceil);
		if (may_end)
			snprintf(text + n, sizeof text - (size_t)n, ", at most %s left", eta_high);
		else if (strcmp(eta_low, eta_high) == 0)
			snprintf(text + n, sizeof text - (size_t)n, ", %s left", eta_low);
		else
			snprintf(text + n, sizeof text - (size_t)n, ", %s to %s left", eta_low, eta_high);
	}
	if (terminal)
		fprintf(stderr, "\r\033[K%s", text);
	else
		fprintf(stderr, "%s\n", text);
	fflush(stderr);
	line_open = terminal;
}

static void tick_locked(uint64_t so_far)
{
	double now = progress_clock();

	if (n_samples == 0 || now - samples[(n_samples - 1) % SAMPLES].at > 0.1) {
		samples[n_samples % SAMPLES].at = now;
		samples[n_samples++ % SAMPLES].done = so_far;
		if (n_samples == 2 * SAMPLES)
			n_samples = SAMPLES; /* stays a ring index, never overflows */
	}
	if (showing && n_phases && now >= next_line) {
		show(now, so_far);
		next_line = now + (terminal ? 0.2 : 10);
	}
}

void progress_add(uint64_t n)
{
	uint64_t so_far = atomic_fetch_add(&done, n) + n;

	if (pthread_mutex_trylock(&lock))
		return;
	tick_locked(so_far);
	pthread_mutex_unlock(&lock);
}

void progress_at_most(uint64_t so_far, uint64_t most)
{
	pthread_mutex_lock(&lock);
	atomic_store(&done, so_far);
	total = most;
	may_end = true;
	tick_locked(so_far);
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	pthread_mutex_lock(&lock);
	if (n_phases && phases[n_phases - 1].seconds < 0)
		close_phase();
	pthread_mutex_unlock(&lock);
}

const struct progress_phase *progress_phases(unsigned *n)
{
	*n = n_phases;
	return phases;
}

void progress_now(struct progress_state *out)
{
	pthread_mutex_lock(&lock);
	memcpy(out->phases, phases, sizeof phases);
	out->n = n_phases;
	out->total = total;
	if (n_phases && phases[n_phases - 1].seconds < 0)
		out->phases[n_phases - 1].done = atomic_load(&done);
	if (!eta_locked(progress_clock(), atomic_load(&done), &out->low, &out->high))
		out->low = out->high = 0;
	pthread_mutex_unlock(&lock);
}

void progress_reset(void)
{
	pthread_mutex_lock(&lock);
	n_phases = 0;
	total = 0;
	atomic_store(&done, 0);
	pthread_mutex_unlock(&lock);
}

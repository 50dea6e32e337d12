/* base/progress.h -- how far long work is, for a person.
 *
 * Counts the real unit of work.  On a terminal one line that rewrites itself
 * (phase, share, rate, ETA as a range); elsewhere a plain line now and then.
 * Thread-safe; progress_add is one atomic addition.
 */
#ifndef WINNOW_BASE_PROGRESS_H
#define WINNOW_BASE_PROGRESS_H
#include <stdbool.h>
#include <stdint.h>

enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

struct progress_phase {
	const char *name, *unit;
	double seconds;
	uint64_t done;
};

void progress_setup(enum progress_mode mode);
/* Begins a phase; total 0 is unknown.  unit "bytes" is shown as MB. */
void progress_phase(const char *name, const char *unit, uint64_t total);
/* How long the phases after the present one are expected to take, as shares of all before them: the range of the
 * end is then of the run, not of the phase. */
void progress_after(double low, double high);
void progress_add(uint64_t n);
/* For a phase that may end before it has done `most`, which may change: the range of its end begins now. */
void progress_at_most(uint64_t so_far, uint64_t most);
void progress_end(void); /* the last phase is over; the line is cleared */
/* Phases so far, for reports; *n of them, valid until the next phase. */
const struct progress_phase *progress_phases(unsigned *n);

/* The same for another thread than the one that works: a copy. */
struct progress_state {
	struct progress_phase phases[32]; /* seconds < 0: the one under way, its done as of now */
	unsigned n;
	uint64_t total; /* of the last phase; 0: not known */
	/* seconds from now, between which the end of this phase and of what progress_after told is expected; high 0: not known */
	double low, high;
};
void progress_now(struct progress_state *out);
void progress_reset(void);   /* no phase yet: another piece of work begins */
double progress_clock(void); /* seconds, monotonic */
#endif

/* text/pdf.c -- pdftotext in a box.
 *
 * The payload goes into a memory file, which is the child's standard input;
 * the child opens it as /proc/self/fd/0, so that nothing is written to disk.
 * What may happen between fork and exec in a process with threads is system
 * calls only: the filter is compiled to BPF beforehand, once a process.
 *
 *	parent                                child
 *	memory file, pipes, fork ------------> dup2, close_range, rlimits
 *	poll pipes and pidfd until deadline    no_new_privs, filter, execve
 *	kill, reap, read the reason  <-------- text on 1, complaints on 2
 *
 * The filter is a list of what is allowed; everything else (sockets, fork,
 * ptrace, opening to write, renaming, signals to others) fails with EPERM.
 * execve is allowed for one address only, that of our path.
 *
 * pdftotext -htmlmeta gives the title beside the text, escaped; both are
 * unescaped here.
 */
#include "text/pdf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/os.h"

/* Allowed as they are.  Opening, writing and execve have conditions; see filter_fill. */
/* clang-format off */
static const int allowed[] = {
	SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
	SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(statx), SCMP_SYS(statfs), SCMP_SYS(fstatfs), SCMP_SYS(access), SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd), SCMP_SYS(getdents64), SCMP_SYS(mmap),
	SCMP_SYS(mprotect), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack), SCMP_SYS(arch_prctl), SCMP_SYS(set_tid_address),
	SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(getrandom), SCMP_SYS(futex), SCMP_SYS(exit), SCMP_SYS(exit_group),
	SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(getpid), SCMP_SYS(gettid),
	SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(uname), SCMP_SYS(sysinfo),
	SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_yield), SCMP_SYS(fadvise64),
};
/* clang-format on */

#define FILTER_MOST 512 /* BPF instructions */
static struct {
	char path[4096]; /* of pdftotext; empty: not there */
	struct sock_filter code[FILTER_MOST];
	struct sock_fprog program;
	bool ready;
} box;
static pthread_once_t box_once = PTHREAD_ONCE_INIT;

static void find_program(void)
{
	static const char *const places[] = { "/usr/bin/pdftotext", "/usr/local/bin/pdftotext" };
	const char *asked = getenv("WINNOW_PDFTOTEXT");

	if (asked && strlen(asked) < sizeof box.path && access(asked, X_OK) == 0)
		memcpy(box.path, asked, strlen(asked) + 1);
	for (size_t i = 0; !asked && i < COUNT(places) && !box.path[0]; i++)
		if (access(places[i], X_OK) == 0)
			memcpy(box.path, places[i], strlen(places[i]) + 1);
}

static bool filter_rules(scmp_filter_ctx filter)
{
	const unsigned writing = O_ACCMODE | O_CREAT | O_TRUNC;
	bool ok = true;

	for (size_t i = 0; i < COUNT(allowed); i++)
		ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(execve), 1,
				    SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)(uintptr_t)box.path)) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
				    SCMP_A2(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
				    SCMP_A1(SCMP_CMP_MASKED_EQ, writing, O_RDONLY)) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_LE, 2)) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1, SCMP_A0(SCMP_CMP_LE, 2)) == 0;
	/* Reading limits is fine, setting them is not: the third argument is the new value. */
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0)) == 0;
	/* abort() signals itself by thread id, which is not known here; signals to others need a uid anyway. */
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, SCMP_A2(SCMP_CMP_EQ, SIGABRT)) == 0;
	ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, SCMP_A1(SCMP_CMP_EQ, F_GETFL)) == 0;
	return ok;
}

/* The filter as BPF, by way of a memory file. */
static void filter_fill(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int fd = memfd_create("filter", MFD_CLOEXEC);
	size_t got = 0;

	if (filter && fd >= 0 && filter_rules(filter) && seccomp_export_bpf(filter, fd) == 0 &&
	    os_pread(fd, box.code, sizeof box.code, 0, &got, "filter", NULL) == WN_OK && got > 0 &&
	    got < sizeof box.code) {
		box.program = (struct sock_fprog){ (unsigned short)(got / sizeof box.code[0]), box.code };
		box.ready = true;
	}
	if (filter)
		seccomp_release(filter);
	os_close(&fd);
}

static void box_fill(void)
{
	find_program();
	filter_fill();
}

static void limit(int what, rlim_t value)
{
	struct rlimit r = { value, value };

	setrlimit((__rlimit_resource_t)what, &r);
}

/* The child: system calls only.  Never returns. */
static void __attribute__((noreturn)) child(int in, int out, int complaints)
{
	static const char *const argv[] = { "pdftotext", "-htmlmeta",	    "-enc", "UTF-8", "-eol",
					    "unix",	 "/proc/self/fd/0", "-",    NULL };
	static const char *const envp[] = { "LC_ALL=C.UTF-8", "HOME=/nonexistent", NULL };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(complaints, 2) < 0)
		_exit(126);
	close_range(3, ~0u, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_AS, LIMIT_PDF_MEMORY);
	limit(RLIMIT_CPU, LIMIT_PDF_SECONDS);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, 32);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &box.program))
		_exit(125);
	execve(box.path, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
	_exit(127);
}

struct run {
	pid_t pid;
	int pidfd, in, out[2], complaints[2]; /* -1: closed */
	struct buf text, said;
	int status;
	bool late, cut;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int run_start(struct run *r, struct str payload, struct err *err)
{
	int rc;

	r->in = memfd_create("pdf", MFD_CLOEXEC);
	if (r->in < 0 || pipe2(r->out, O_CLOEXEC) < 0 || pipe2(r->complaints, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot prepare a process for a PDF");
	if ((rc = os_write(r->in, payload.p, payload.n, "memory file of a PDF", err)) < 0)
		return rc;
	r->pid = fork();
	if (r->pid < 0)
		return err_sys(err, errno, "cannot start a process for a PDF");
	if (r->pid == 0)
		child(r->in, r->out[1], r->complaints[1]);
	os_close(&r->out[1]);
	os_close(&r->complaints[1]);
	r->pidfd = (int)syscall(SYS_pidfd_open, r->pid, 0);
	return WN_OK;
}

/* Reads what is there; closes at the end of file.  Beyond the maximum of b it
 * is read and dropped. */
static void drain(int *fd, struct buf *b)
{
	char piece[65536];
	ssize_t n = read(*fd, piece, sizeof piece);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		os_close(fd);
		return;
	}
	if (!buf_add(b, piece, (size_t)n) && b->n < b->max)
		buf_add(b, piece, b->max - b->n);
}

static void run_watch(struct run *r)
{
	int64_t deadline = now_ms() + (int64_t)LIMIT_PDF_SECONDS * 1000 * 2;
	bool gone = r->pidfd < 0;

	while (r->out[0] >= 0 || r->complaints[0] >= 0 || !gone) {
		struct pollfd fds[3] = { { r->out[0], POLLIN, 0 },
					 { r->complaints[0], POLLIN, 0 },
					 { gone ? -1 : r->pidfd, POLLIN, 0 } };
		int64_t left = deadline - now_ms();

		if (left <= 0 || r->text.full) {
			r->late = left <= 0;
			r->cut = r->text.full;
			break;
		}
		if (poll(fds, 3, (int)left) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			drain(&r->out[0], &r->text);
		if (fds[1].revents)
			drain(&r->complaints[0], &r->said);
		if (fds[2].revents)
			gone = true;
	}
	if (r->late || r->cut || r->pidfd < 0)
		kill(r->pid, SIGKILL);
	while (waitpid(r->pid, &r->status, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
}

static void run_release(struct run *r)
{
	os_close(&r->in);
	os_close(&r->out[0]);
	os_close(&r->out[1]);
	os_close(&r->complaints[0]);
	os_close(&r->complaints[1]);
	os_close(&r->pidfd);
	buf_release(&r->text);
	buf_release(&r->said);
}

/* s without its entities, controls as blanks; in the arena. */
static struct str unescaped(struct arena *a, struct str s)
{
	static const struct {
		struct str name;
		char c;
	} entities[] = { { STR("&amp;"), '&' },
			 { STR("&lt;"), '<' },
			 { STR("&gt;"), '>' },
			 { STR("&quot;"), '"' },
			 { STR("&#39;"), '\'' } };
	char *out = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n;) {
		size_t e = COUNT(entities);

		if (s.p[i] == '&')
			for (e = 0; e < COUNT(entities) && !str_starts(str_sub(s, i, s.n), entities[e].name); e++)
				;
		if (e < COUNT(entities)) {
			out[n++] = entities[e].c;
			i += entities[e].name.n;
		} else if (s.p[i] == '\f') {
			out[n++] = '\n';
			i++;
		} else {
			out[n++] = (unsigned char)s.p[i] < 32 && !ascii_space(s.p[i]) ? ' ' : s.p[i];
			i++;
		}
	}
	out[n] = 0;
	return str_n(out, n);
}

static struct str between(struct str s, struct str from, struct str to, bool last)
{
	ptrdiff_t at = str_find(s, from), end = -1;

	if (at < 0)
		return STR_NONE;
	s = str_sub(s, (size_t)at + from.n, s.n);
	if (!last)
		end = str_find(s, to);
	else
		for (size_t i = s.n; i-- > 0 && end < 0;)
			if (s.p[i] == '<' && str_starts(str_sub(s, i, s.n), to))
				end = (ptrdiff_t)i;
	return end < 0 ? s : str_n(s.p, (size_t)end);
}

static const char *reason(struct arena *a, const struct run *r)
{
	struct str said = buf_view(&r->said);
	struct str line = str_trim(str_cut(&said, '\n'));

	if (r->late)
		return "pdftotext took too long and was stopped";
	if (r->cut)
		return "the text of the PDF is longer than the limit and was cut";
	if (WIFSIGNALED(r->status)) {
		if (WTERMSIG(r->status) == SIGABRT)
			return "pdftotext gave up, most likely for want of memory";
		if (WTERMSIG(r->status) == SIGXCPU || WTERMSIG(r->status) == SIGKILL)
			return "pdftotext took too long and was stopped";
		return arena_printf(a, "pdftotext ended by signal %d", WTERMSIG(r->status)).p;
	}
	switch (WEXITSTATUS(r->status)) {
	case 0: return NULL;
	case 3: return "the PDF does not allow its text to be copied";
	case 125: return "pdftotext could not be confined";
	case 126:
	case 127: return "pdftotext could not be started";
	default:
		return line.n ? arena_printf(a, "pdftotext: %.*s", (int)(line.n < 200 ? line.n : 200), line.p).p
			      : "pdftotext failed";
	}
}

int pdf_text(struct arena *a, struct str payload, struct str *text, struct str *title, const char **why,
	     struct err *err)
{
	struct run r = { .in = -1,
			 .out = { -1, -1 },
			 .complaints = { -1, -1 },
			 .pidfd = -1,
			 .text = BUF(LIMIT_TEXT),
			 .said = BUF(4 * KIB) };
	int rc;

	*text = *title = STR_NONE;
	*why = NULL;
	pthread_once(&box_once, box_fill);
	if (!box.path[0] || !box.ready) {
		*why = box.path[0] ? "pdftotext could not be confined" : "pdftotext is not installed";
		return WN_OK;
	}
	if ((rc = run_start(&r, payload, err)) == WN_OK) {
		struct str page;

		run_watch(&r);
		page = buf_view(&r.text);
		*why = reason(a, &r);
		*title = str_trim(unescaped(a, between(page, STR("<title>"), STR("</title>"), false)));
		*text = unescaped(a, between(page, STR("<pre>"), STR("</pre>"), true));
		if (str_trim(*text).n == 0) {
			*text = STR_NONE;
			if (!*why)
				*why = "the PDF has no text";
		}
	}
	run_release(&r);
	return rc;
}

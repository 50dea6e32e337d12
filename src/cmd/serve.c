/* cmd/serve.c -- winnow serve: the archive in a browser. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/os.h"
#include "cmd/table.h"
#include "serve/server.h"

struct args {
	const char *listen, *public_url, *replay_host, *token_file, *trust_proxy, *warc_dir, *acl, *access_log, *assets,
	    *uploads;
	uint64_t job_lease;
	bool private_paths, read_only, allow_sql, allow_cdx_write, no_fuzzy, open;
};

static const struct opt opts[] = {
	{ "listen", 'l', OPT_TEXT, "ADDR:PORT", "where to listen (default 127.0.0.1:8080); port 0 takes a free one",
	  offsetof(struct args, listen) },
	{ "public-url", 0, OPT_TEXT, "URL", "the address that browsers see: scheme, allowed Host, path prefix",
	  offsetof(struct args, public_url) },
	{ "replay-host", 0, OPT_TEXT, "HOST[:PORT]",
	  "archived pages on this host name alone, where they may keep cookies and storage; it must lead to this server",
	  offsetof(struct args, replay_host) },
	{ "private", 0, OPT_FLAG, NULL, "an unguessable part in every address of replay, TimeMap and CDX",
	  offsetof(struct args, private_paths) },
	{ "read-only", 0, OPT_FLAG, NULL, "nothing that changes state is there", offsetof(struct args, read_only) },
	{ "token-file", 0, OPT_TEXT, "FILE", "keep the token in FILE; it is made when absent",
	  offsetof(struct args, token_file) },
	{ "trust-proxy", 0, OPT_TEXT, "ADDR", "believe X-Pywb-ACL-User from this address (several: commas)",
	  offsetof(struct args, trust_proxy) },
	{ "warc-dir", 0, OPT_TEXT, "DIR", "where archive files named by an imported index lie",
	  offsetof(struct args, warc_dir) },
	{ "allow-sql", 0, OPT_FLAG, NULL, "answer SQL, read-only, with limits", offsetof(struct args, allow_sql) },
	{ "allow-cdx-write", 0, OPT_FLAG, NULL, "take CDX lines by POST, with the token",
	  offsetof(struct args, allow_cdx_write) },
	{ "acl", 0, OPT_TEXT, "FILE", "access rules (.aclj) for every collection", offsetof(struct args, acl) },
	{ "job-lease", 0, OPT_U64, "SECONDS",
	  "a job whose server is gone for so long is taken over by another (default 15)",
	  offsetof(struct args, job_lease) },
	{ "no-fuzzy", 0, OPT_FLAG, NULL,
	  "replay never takes a capture whose URL differs in its cache-buster or JSONP callback",
	  offsetof(struct args, no_fuzzy) },
	{ "access-log", 0, OPT_TEXT, "FILE", "a line per request; - is standard error",
	  offsetof(struct args, access_log) },
	{ "uploads", 0, OPT_TEXT, "DIR",
	  "where uploaded archives become collections (default ~/.local/share/winnow); without COLL, or where DIR is named, those there are served, also what other servers put there later",
	  offsetof(struct args, uploads) },
	{ "open", 0, OPT_FLAG, NULL, "open the printed link in the desktop's browser", offsetof(struct args, open) },
	{ "assets", 0, OPT_TEXT, "DIR", "serve /a/ from DIR, for development", offsetof(struct args, assets) },
	{ 0 },
};

/* The desktop's browser, in a process of its own that is nobody's child: how it fares is its own business. */
static void open_browser(struct str url)
{
	char *link = strndup(url.p, url.n);
	pid_t child = link ? fork() : -1;

	if (child == 0) {
		if (fork() == 0) {
			execlp("xdg-open", "xdg-open", link, (char *)NULL);
			_exit(127);
		}
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	free(link);
}

static void ready(void *context, const struct server *s, struct str url)
{
	struct cmd_run *run = context;
	struct buf out = BUF(64 * KIB);

	if (run->common.json) {
		struct json j = { .out = &out, .spaced = true };

		json_open(&j, '{');
		json_put_str(&j, "url", url);
		json_put_z(&j, "token", s->token);
		json_put_u64(&j, "port", (uint64_t)s->port);
		json_put_open(&j, "collections", '[');
		for (size_t i = 0; i < s->n_served; i++) {
			json_open(&j, '{');
			json_put_z(&j, "name", s->served[i].name);
			json_put_z(&j, "path", s->served[i].slug);
			json_close(&j, '}');
		}
		json_close(&j, ']');
		json_close(&j, '}');
		buf_byte(&out, '\n');
	} else {
		buf_printf(&out, "%.*s\n", STR_FMT(url));
		for (size_t i = 0; s->options.private_paths && i < s->n_served; i++)
			buf_printf(&out, "%s is at /%s/\n", s->served[i].name, s->served[i].slug);
	}
	cmd_out(&out);
	buf_release(&out);
	if (((const struct args *)run->args)->open)
		open_browser(url);
	note("serving %zu collection%s; end with Ctrl-C", s->n_served, s->n_served == 1 ? "" : "s");
}

static int run(struct cmd_run *run)
{
	const struct args *a = run->args;
	struct server_options o = {
		.collections = run->rest.p,
		.n_collections = run->rest.n,
		.listen = a->listen ? a->listen : "127.0.0.1:8080",
		.public_url = a->public_url,
		.replay_host = a->replay_host,
		.token_file = a->token_file,
		.trust_proxy = a->trust_proxy,
		.warc_dir = a->warc_dir,
		.acl = a->acl,
		.access_log = a->access_log,
		.assets = a->assets,
		.private_paths = a->private_paths,
		.read_only = a->read_only,
		.allow_sql = a->allow_sql,
		.allow_cdx_write = a->allow_cdx_write,
		.no_fuzzy = a->no_fuzzy,
		.job_lease = a->job_lease,
		.uploads = a->uploads,
		.threads = (unsigned)run->common.threads,
		.memory = run->common.memory,
	};
	int rc = a->acl ? os_named_file(a->acl, &run->err) : WN_OK; /* else each request would find out */

	if (rc == WN_OK)
		rc = server_run(&o, ready, run, &run->err);
	return rc < 0 ? cmd_fail(run, rc) : EXIT_DONE;
}

static const struct cmd_example examples[] = {
	{ "winnow serve sample", "the sample in a browser: open the link that is printed" },
	{ "winnow serve news=sample --listen 127.0.0.1:0 --read-only",
	  "under another name, on a free port, with nothing that changes state" },
	{ 0 },
};

const struct cmd cmd_serve = {
	.name = "serve",
	.args = "[COLL|NAME=DIR]...",
	.summary = "the archive in a browser: replay, search, rules, and the APIs of other tools",
	.group = GROUP_EXPLORE,
	.max_args = 0,
	.opts = opts,
	.args_size = sizeof(struct args),
	.run = run,
	.examples = examples,
	.prose =
	    "Prints the URL to open when it is ready. Its token lets that browser change things (start a job, save a rule); everyone else "
	    "may read. Programs send it as 'Authorization: Bearer'.\n\n"
	    "A collection is at /NAME/STAMP/URL (replay), /NAME/URL (Memento TimeGate), /NAME/timemap/link/URL and /NAME/cdx. Archived pages run in a "
	    "sandbox of their own: they see neither the pages of winnow nor its cookies. With --replay-host they are served under that name only, and their "
	    "sandbox has the origin of it: storage and cookies work there, shared by all that is archived, as do scripts that need them. "
	    "A second port of the same host would isolate nothing.\n\n"
	    "Without a collection it opens with a place to drop archives, and serves what was uploaded before. Uploads, covers and "
	    "updates are jobs: they lie in the collection, every server of it shows and cancels them, one works on each, and "
	    "another takes over when that one is gone for --job-lease seconds.\n\n"
	    "SIGTERM ends it when the answers under way are sent; SIGHUP opens collections and access rules anew.",
};

/* serve/job_spec.c -- see job_spec.h. */
#include "serve/job_spec.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#include "archive/stamp.h"
#include "base/limits.h"

static void put(struct json *j, const char *key, const char *value)
{
	if (value)
		json_put_z(j, key, value);
}

void job_spec_write(struct buf *out, const struct job_request *q)
{
	struct json j = { .out = out };

	json_open(&j, '{');
	put(&j, "rule", q->rule);
	put(&j, "where", q->where);
	put(&j, "per", q->per);
	put(&j, "prefer", q->prefer);
	put(&j, "name", q->name);
	put(&j, "file", q->file);
	put(&j, "format", q->format);
	if (q->keep_at_least)
		json_put_u64(&j, "keep_at_least", q->keep_at_least);
	if (q->update)
		json_put_u64(&j, "update", q->update);
	if (q->export)
		json_put_u64(&j, "export", q->export);
	if (q->n_keep) {
		json_put_open(&j, "keep", '[');
		for (size_t i = 0; i < q->n_keep; i++)
			json_z(&j, q->keep[i]);
		json_close(&j, ']');
	}
	json_close(&j, '}');
}

static const char *member(struct arena *a, const struct json_value *v, const char *key)
{
	struct str s = json_text(v, key);

	return s.p ? arena_strz(a, s) : NULL;
}

int job_spec_read(struct arena *a, struct str text, struct job_spec *out, struct err *err)
{
	struct json_value *v;
	const struct json_value *keep;
	size_t n = 0;
	int rc = json_parse(a, text, &v, err);

	if (rc < 0)
		return rc;
	*out = (struct job_spec){ .rule = member(a, v, "rule"),
				  .where = member(a, v, "where"),
				  .per = member(a, v, "per"),
				  .prefer = member(a, v, "prefer"),
				  .name = member(a, v, "name"),
				  .file = member(a, v, "file"),
				  .format = member(a, v, "format") };
	str_u64(json_text(v, "keep_at_least"), &out->keep_at_least);
	str_u64(json_text(v, "update"), &out->update);
	str_u64(json_text(v, "export"), &out->export);
	if ((keep = json_get(v, "keep"))) {
		for (const struct json_value *k = keep->first; k; k = k->next)
			n++;
		out->keep = ARENA_ARRAY(a, const char *, n + 1);
		for (const struct json_value *k = keep->first; k; k = k->next)
			out->keep[out->n_keep++] = arena_strz(a, k->text);
	}
	if (!out->rule && !out->update && !out->file && !(out->export && out->format))
		return err_set(err, WN_DATA, "the job does not say what to do");
	return WN_OK;
}

/* ---- progress ---- */

/* Whether the end moved by more than a tenth of what was left, and by seconds that a person notices. */
static void revise(struct job_estimate *e, const struct progress_state *s)
{
	double now = progress_clock(), finish = now + (s->low + s->high) / 2;

	if (!e->finish || now - e->told > 30 || fabs(finish - e->finish) > 0.2 * (finish - now) + 5) {
		e->revised = e->finish ? (int)lrint(finish - e->finish) : 0;
		e->finish = finish;
		e->told = now;
	}
}

void job_progress_write(struct buf *out, struct job_estimate *e)
{
	struct json j = { .out = out };
	struct progress_state s;

	progress_now(&s);
	json_open(&j, '{');
	json_put_open(&j, "phases", '[');
	for (unsigned i = s.n > JOB_PHASES ? s.n - JOB_PHASES : 0; i < s.n; i++) {
		json_open(&j, '{');
		json_put_z(&j, "id", s.phases[i].name);
		json_put_z(&j, "unit", s.phases[i].unit);
		json_put_u64(&j, "done", s.phases[i].done);
		json_put_u64(&j, "total", i + 1 == s.n ? s.total : s.phases[i].done);
		json_put_double(&j, "seconds", s.phases[i].seconds, 3);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	if (e && s.high > 0) {
		revise(e, &s);
		json_put_double(&j, "low", s.low, 3);
		json_put_double(&j, "high", s.high, 3);
		json_put_i64(&j, "revised", e->revised);
	}
	json_close(&j, '}');
}

/* ---- as it is shown ---- */

static double real_of(const struct json_value *v, const char *key, double otherwise)
{
	double d = otherwise;

	return str_double(json_text(v, key), &d) ? d : otherwise;
}

static unsigned phases_of(struct arena *a, struct str text, struct job_phase out[JOB_PHASES], struct json_value **tree)
{
	const struct json_value *list;
	unsigned n = 0;

	*tree = NULL;
	if (!text.n || json_parse(a, text, tree, NULL) < 0 || !(list = json_get(*tree, "phases")))
		return 0;
	for (const struct json_value *p = list->first; p && n < JOB_PHASES; p = p->next) {
		struct job_phase *o = &out[n++];

		*o = (struct job_phase){ .name = json_text(p, "id"),
					 .unit = json_text(p, "unit"),
					 .seconds = real_of(p, "seconds", -1) };
		str_u64(json_text(p, "done"), &o->done);
		str_u64(json_text(p, "total"), &o->total);
	}
	return n;
}

/* What phases took in the last jobs of this kind that succeeded: seconds by name, in their order. */
struct history_of {
	struct job_phase phases[JOB_PHASES]; /* seconds: mean */
	unsigned n, jobs;
	double all;
};

static void learn(struct arena *a, struct sqlite3 *db, const struct job_row *row, struct history_of *h)
{
	struct job_row *rows;
	size_t n = 0;

	*h = (struct history_of){ 0 };
	if (!db || job_store_list(db, a, 32, &rows, &n, NULL) < 0)
		return;
	for (size_t i = 0; i < n && h->jobs < 3; i++) {
		struct job_phase p[JOB_PHASES];
		struct json_value *tree;
		unsigned m;

		if (rows[i].state != JOB_SUCCEEDED || rows[i].number == row->number || !str_eq(rows[i].kind, row->kind))
			continue;
		m = phases_of(a, rows[i].progress, p, &tree);
		for (unsigned k = 0; k < m; k++) {
			unsigned at = 0;

			while (at < h->n && !str_eq(h->phases[at].name, p[k].name))
				at++;
			if (at == JOB_PHASES)
				continue;
			if (at == h->n) {
				h->phases[h->n] = p[k];
				h->phases[h->n++].seconds = 0;
			}
			h->phases[at].seconds += p[k].seconds > 0 ? p[k].seconds : 0;
		}
		h->jobs++;
	}
	for (unsigned i = 0; i < h->n; i++) {
		h->phases[i].seconds /= h->jobs;
		h->all += h->phases[i].seconds;
	}
}

/* Weights of phases, and the end of the whole from that of this phase and what the others took before. */
static void foresee(const struct history_of *h, struct job_view *v)
{
	double rest = 0;

	for (unsigned i = 0; i < h->n; i++) {
		bool begun = false;

		for (unsigned k = 0; k < v->n_phases; k++)
			if (str_eq(h->phases[i].name, v->phases[k].name)) {
				v->phases[k].weight = h->all > 0 ? h->phases[i].seconds / h->all : 0;
				begun = true;
			}
		if (!begun)
			rest += h->phases[i].seconds;
	}
	if (v->state == JOB_RUNNING && h->jobs && v->high > 0) {
		v->low += rest / 1.5;
		v->high += rest * 1.5;
		v->whole = true;
	} else if (v->state == JOB_QUEUED && h->jobs && h->all > 0) {
		v->low = h->all / 1.5;
		v->high = h->all * 1.5;
		v->whole = true;
	}
}

void job_view_make(struct arena *a, struct sqlite3 *db, const char *coll, const struct job_row *row,
		   struct job_view *out)
{
	struct history_of h;
	struct job_spec spec = { 0 };
	struct json_value *tree;

	job_spec_read(a, row->spec, &spec, NULL);
	*out = (struct job_view){ .id = arena_printf(a, "%s-%" PRIu64, coll, row->number),
				  .seq = row->seq,
				  .cover = row->result,
				  .state = row->state,
				  .stopping = row->state == JOB_RUNNING && row->wish != JOB_GO_ON,
				  .coll = arena_str(a, str(coll)),
				  .kind = row->kind,
				  .rule = str(spec.rule ? spec.rule : ""),
				  .name = str(spec.name ? spec.name : ""),
				  .file = str(spec.file ? spec.file : ""),
				  .format = str(spec.format ? spec.format : ""),
				  .error = row->error,
				  .created = row->created / 1000,
				  .started = row->started / 1000,
				  .ended = row->ended / 1000,
				  .attempts = row->attempts,
				  .ahead = row->ahead };
	out->file = str_sub(out->file, (size_t)(str_rchr(out->file, '/') + 1), out->file.n);
	out->n_phases = phases_of(a, row->progress, out->phases, &tree);
	if (tree && row->state == JOB_RUNNING) {
		out->low = real_of(tree, "low", 0);
		out->high = real_of(tree, "high", 0);
		out->revised = (int)real_of(tree, "revised", 0);
	}
	learn(a, db, row, &h);
	foresee(&h, out);
}

/* ---- as JSON ---- */

static void put_time(struct json *j, const char *key, int64_t t)
{
	char text[21];

	json_put_text(j, key, t ? stamp_rfc3339(t, text) : STR_NONE);
}

static void put_eta(struct json *j, const struct job_view *v)
{
	json_key(j, "eta");
	if (v->high <= 0 || job_state_over(v->state)) {
		json_null(j);
		return;
	}
	json_open(j, '{');
	json_put_double(j, "low_s", v->low, 1);
	json_put_double(j, "high_s", v->high, 1);
	json_put_z(j, "of", v->whole ? "job" : "phase");
	put_time(j, "finish_at", (int64_t)time(NULL) + (int64_t)v->high);
	json_put_i64(j, "revised", v->revised);
	json_close(j, '}');
}

void jobs_json(struct json *j, const struct job_view *v)
{
	json_open(j, '{');
	json_put_text(j, "id", v->id);
	json_put_z(j, "state", job_state_name(v->state));
	json_put_bool(j, "stopping", v->stopping);
	json_put_text(j, "kind", v->kind);
	json_put_text(j, "collection", v->coll);
	json_put_text(j, "rule", v->rule);
	json_put_text(j, "name", v->name);
	json_put_text(j, "file", v->file);
	put_time(j, "created_at", v->created);
	put_time(j, "started_at", v->started);
	put_time(j, "ended_at", v->ended);
	json_put_u64(j, "attempts", v->attempts);
	json_put_u64(j, "queue_position", v->ahead);
	json_put_open(j, "phases", '[');
	for (unsigned i = 0; i < v->n_phases; i++) {
		const struct job_phase *p = &v->phases[i];

		json_open(j, '{');
		json_put_text(j, "id", p->name);
		json_put_text(j, "unit", p->unit);
		json_put_u64(j, "done", p->done);
		json_key(j, "total");
		p->total ? json_u64(j, p->total) : json_null(j);
		json_key(j, "weight");
		p->weight > 0 ? json_double(j, p->weight, 3) : json_null(j);
		json_key(j, "seconds");
		p->seconds >= 0 ? json_double(j, p->seconds, 3) : json_null(j);
		json_close(j, '}');
	}
	json_close(j, ']');
	put_eta(j, v);
	json_put_text(j, "error", v->error);
	json_key(j, "result");
	if (v->state == JOB_SUCCEEDED) {
		json_open(j, '{');
		if (v->cover)
			json_put_u64(j, "cover", v->cover);
		json_put_text(j, "collection", v->coll);
		if (v->format.n)
			json_put_text(j, "format", v->format);
		json_close(j, '}');
	} else {
		json_null(j);
	}
	json_close(j, '}');
}

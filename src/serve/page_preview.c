/* serve/page_preview.c -- what a rule would hide: counts with their interval, the curve of thresholds, examples. */
#include <inttypes.h>
#include <math.h>

#include "base/limits.h"
#include "serve/replay.h"
#include "serve/studio.h"

static void page_line(struct request *q, struct buf *b, const struct preview_page *p)
{
	html(b, "<a href=\"%s/%p/%i/%r\">%b</a> <span class=\"soft\">%d</span>", page_base(q), str(q->served->slug),
	     p->time, replay_url_of(&q->arena, p->url, p->urlkey), p->title.n ? p->title : p->url, p->time);
	if (p->title.n)
		html(b, " <span class=\"soft\">%b</span>", p->url);
}

static void example(struct request *q, struct buf *b, const struct preview_example *e)
{
	page_line(q, b, &e->dropped);
	html(b, "<br>hidden by ");
	page_line(q, b, &e->by);
	html(b, " <span class=\"actions\">");
	if (!isnan(e->score))
		html(b, "<span class=\"soft\">%f %%</span>", 100 * e->score);
	html(b, "<a href=\"%s/c/%p/diff/%u..%u\">diff<span class=\"hidden\"> of %u and %u</span></a></span>",
	     page_base(q), str(q->served->name), e->dropped.id, e->by.id, e->dropped.id, e->by.id);
}

static void examples(struct request *q, struct buf *b, const struct studio *s)
{
	const struct preview_report *p = &s->preview;
	static const char *const heads[] = { "Typical", "Borderline: closest to the threshold",
					     "Surprising: another title, or much longer" };

	for (int why = EXAMPLE_TYPICAL; why <= EXAMPLE_SURPRISING; why++) {
		bool any = false;

		for (size_t i = 0; i < p->n_examples; i++) {
			if ((int)p->examples[i].why != why)
				continue;
			html(b, any ? "<li>" : "<h3>%z</h3><ul class=\"covered\"><li>", heads[why]);
			any = true;
			example(q, b, &p->examples[i]);
			html(b, "</li>\n");
		}
		html(b, any ? "</ul>\n" : "");
	}
}

static void interval(struct buf *b, const struct preview_interval *v)
{
	html(b, "%n", (uint64_t)llround(v->estimate));
	if (!v->exact)
		html(b, " <small>%n to %n</small>", (uint64_t)llround(v->low), (uint64_t)llround(v->high));
}

/* Each threshold leads to the rule that has it. */
static void curve(struct request *q, struct buf *b, const struct studio *s)
{
	const struct preview_report *p = &s->preview;

	if (!p->n_curve || !p->documents)
		return;
	html(b, "<h3 id=\"curve\">Hidden share by threshold of %z</h3>\n<ol class=\"curve\" aria-labelledby=\"curve\">",
	     p->measure);
	for (size_t i = 0; i < p->n_curve; i++) {
		double share = 100 * (1 - p->curve[i].kept.estimate / (double)p->documents);
		struct buf *rule = request_buf(q, LIMIT_RULE);
		struct built other = s->built;

		share = share > 0 ? share : 0;
		other.percent = p->curve[i].threshold * 100;
		built_write(&other, rule);
		html(b, "<li><a%m href=\"",
		     s->fields && s->built.percent == other.percent ? " aria-current=\"true\"" : "");
		studio_href(q, b, s, s->fields ? buf_view(rule) : STR_NONE);
		html(
		    b,
		    "\">%f<span class=\"hidden\"> percent hidden at</span><svg viewBox=\"0 0 10 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect y=\"%f\" width=\"10\" height=\"%f\"/>"
		    "</svg><small>%u %%</small></a></li>\n",
		    share, 100 - share, share, (uint64_t)p->curve[i].threshold);
	}
	html(b, "</ol>\n");
}

/* The whole run from the sample's: a range, since joins grow a little faster than their input and machines differ. */
static void whole_run(struct buf *b, const struct preview_report *p)
{
	double ratio = p->sampled_documents ? (double)p->documents / (double)p->sampled_documents : 0,
	       low = p->seconds * ratio * 0.5, high = p->seconds * ratio * 2;

	if (high < 5)
		return;
	html(b, "<p class=\"soft\">The whole run: about ");
	page_duration(b, low);
	html(b, " to ");
	page_duration(b, high);
	html(b, ", an estimate.</p>\n");
}

void studio_preview(struct request *q, struct buf *b, const struct studio *s)
{
	const struct preview_report *p = &s->preview;

	html(b, "<h2>Preview%z</h2>\n",
	     !s->looked	      ? ""
	     : p->kept.exact  ? ", exact"
	     : p->lower_bound ? ", a lower bound"
			      : ", an estimate");
	if (!s->looked && s->good && !s->no_preview.code) {
		html(b, "<p id=\"try\"><a class=\"button\" href=\"");
		studio_href(q, b, s, STR_NONE);
		html(b, "&amp;try=1\">Try the rule out</a> takes about a second.</p>\n");
		return;
	}
	if (!s->looked) {
		html(b, "<p>%z</p>\n",
		     s->no_preview.code ? s->no_preview.text : "A rule that is understood is tried out here.");
		return;
	}
	html(b, "<dl class=\"facts\"><div><dt>Keep</dt><dd>");
	interval(b, &p->kept);
	html(b, "</dd></div><div><dt>Hide</dt><dd>");
	interval(b, &p->dropped);
	html(b, "</dd></div></dl>\n<p><b>%f %%</b> of %n documents would be hidden.</p>",
	     p->documents ? 100 * p->dropped.estimate / (double)p->documents : 0, p->documents);
	page_bar(b, (uint64_t)p->dropped.estimate, p->documents);
	if (!p->kept.exact) {
		if (p->blocks_by == BLOCKS_ALL)
			html(
			    b,
			    "<p class=\"soft\">From all documents; the search for fewer was not taken to its end.</p>\n");
		else
			html(b,
			     "<p class=\"soft\">From %n of %n blocks%z, seed %u; the ranges hold with 95 %%.%z</p>\n",
			     p->sampled_blocks, p->blocks,
			     p->narrowed > 0 ? ", and all documents by a share of their shingles" : "", p->seed,
			     p->lower_bound ? " Pairs across blocks are not seen, so more may be hidden." : "");
		whole_run(b, p);
	}
	curve(q, b, s);
	examples(q, b, s);
}

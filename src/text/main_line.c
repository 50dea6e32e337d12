/* text/main_line.c -- lines inside an article that are no part of it.
 *
 * Labels over advertisements that are not there, lines that point to other
 * articles ("Read more: ...", mostly anchor text), and short calls to subscribe or
 * follow.  The last two only where the page is an article: elsewhere "See also" is
 * content.  A line is a segment; a long one is never taken out.
 */
#include "text/main_rows.h"

/* clang-format off */
static const struct str labels[] = {
	STR("advert"), STR("advertisement"), STR("advertisements"), STR("advertising"), STR("ad"),
	STR("sponsored"), STR("article continues below advertisement"),
	STR("advertisement - continue reading below"), STR("scroll to continue"),
	STR("story continues below advertisement"), STR("story continues below"),
	STR("article continues after advertisement"), STR("anzeige"), STR("werbung"),
	STR("publicit\xC3\xA9"), STR("publicidad"), STR("publicidade"), STR("pubblicit\xC3\xA0"),
	STR("advertentie"), STR("reklama"), STR("reklam"), STR("reklame"), STR("annons"), STR("mainos"),
	STR("\xD1\x80\xD0\xB5\xD0\xBA\xD0\xBB\xD0\xB0\xD0\xBC\xD0\xB0"), STR("\xE5\xBA\x83\xE5\x91\x8A"),
	STR("\xE5\xB9\xBF\xE5\x91\x8A"),
};
static const struct str pointers[] = {
	STR("read more"), STR("read also"), STR("also read"), STR("read next"), STR("see also"),
	STR("also see"), STR("related:"), STR("related article"), STR("related stor"), STR("more:"),
	STR("more on this"), STR("don't miss"), STR("don\xE2\x80\x99t miss"), STR("you may also like"),
	STR("you might also like"), STR("recommended"), STR("also on "), STR("lire aussi"),
	STR("\xC3\xA0 lire aussi"), STR("lisez aussi"), STR("lesen sie auch"), STR("lies auch"),
	STR("mehr zum thema"), STR("auch interessant"), STR("lea tambi\xC3\xA9n"),
	STR("lee tambi\xC3\xA9n"), STR("te puede interesar"), STR("lea adem\xC3\xA1s"),
	STR("leia tamb\xC3\xA9m"), STR("leia mais"), STR("veja tamb\xC3\xA9m"), STR("leggi anche"),
	STR("lees ook"),
	STR("\xD1\x87\xD0\xB8\xD1\x82\xD0\xB0\xD0\xB9\xD1\x82\xD0\xB5 \xD1\x82\xD0\xB0\xD0\xBA\xD0\xB6\xD0\xB5"),
	STR("\xD1\x87\xD0\xB8\xD1\x82\xD0\xB0\xD0\xB9\xD1\x82\xD0\xB5 \xD0\xB5\xD1\x89\xD1\x91"),
	STR("czytaj te\xC5\xBC"), STR("czytaj tak\xC5\xBC" "e"), STR("l\xC3\xA4s ocks\xC3\xA5"),
	STR("l\xC3\xA4s \xC3\xA4ven"), STR("l\xC3\xA4s mer"), STR("les ogs\xC3\xA5"),
	STR("l\xC3\xA6s ogs\xC3\xA5"), STR("lue my\xC3\xB6s"), STR("baca juga"),
	STR("\xC4\x8Dt\xC4\x9Bte tak\xC3\xA9"),
};
static const struct str calls[] = {
	STR("subscribe to "), STR("subscribe now"), STR("sign up for our"), STR("sign up for the "), STR("sign up to our"),
	STR("sign up here"), STR("follow us on "), STR("follow @"), STR("like us on facebook"),
	STR("like this story?"), STR("click here to subscribe"), STR("click here to sign up"),
	STR("get the latest "), STR("join our "), STR("download our app"), STR("download the app"),
	STR("copyright \xC2\xA9"), STR("\xC2\xA9 copyright"), STR("all rights reserved"),
	STR("abonnez-vous"), STR("abonnieren sie"), STR("suscr\xC3\xAD" "bete"),
	STR("suscr\xC3\xAD" "base"), STR("assine "), STR("iscriviti "),
};
/* clang-format on */

static bool is_label(struct str text)
{
	if (text.n > LABEL_MOST)
		return false;
	for (size_t i = 0; i < COUNT(labels); i++)
		if (text.n == labels[i].n && str_ieq(text, labels[i]))
			return true;
	return false;
}

static bool begins_with_one(struct str text, const struct str *openings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (text.n >= openings[i].n && str_ieq(str_n(text.p, openings[i].n), openings[i]))
			return true;
	return false;
}

void rows_mark_asides(struct page_rows *p, bool evidence)
{
	for (size_t i = 0; i < p->n_segments; i++) {
		struct segment *s = &p->segments[i];
		const struct row *row = &p->rows[s->row];
		struct str text = str_n(p->body.p + s->start, s->end - s->start);

		if (!row->keep || text.n > CALL_MOST)
			continue;
		s->aside = is_label(text) ||
			   (evidence && row->own == text.n &&
			    ((row->own_link * 2 >= text.n && begins_with_one(text, pointers, COUNT(pointers))) ||
			     begins_with_one(text, calls, COUNT(calls))));
	}
}

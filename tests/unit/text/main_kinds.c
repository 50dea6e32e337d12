/* tests/unit/text/main_kinds.c -- main content by kind of page: what each kind must keep and what must go.
 *
 * The pages are small, but built as pages of their kind are: names of classes, elements and order as
 * content systems, forums, generators of documentation and hand-made pages of the nineties write them. */
#include "test.h"
#include "text/extract.h"
#include "text/main.h"

#define P1 \
	"The harbour was closed on Tuesday after a crane fell across the inner basin, blocking every ship behind the second lock."
#define P2 \
	"Pilots said that the wind had been within the limits, and that the crane, which is forty years old, had been inspected in May."
#define P3 \
	"The port authority expects the channel to open again on Friday, when a floating crane arrives from the yard in the north."
#define P4 \
	"Until then, eleven freighters wait in the roads, among them two with fruit that will not last another week, as their owners say."
#define KHMER "អថេរខ្សែអក្សរដែលអ្នកចង់តម្រឹមទៅខាងស្តាំក្នុងអថេរមួយទៀត ។ តួអក្សរដែលនៅសល់ត្រូវបានជំនួសដោយដកឃ្លា ។"
#define CODE                                                                                                                 \
	"<div class=line>geo omega (argv [1])</div><div class=line>space Xh (omega)</div><div class=line>trial u (Xh)</div>" \
	"<div class=line>test v (Xh)</div><div class=line>form a = grad (u)</div><div class=line>field uh (Xh)</div>"
#define MODULES                                                                                                       \
	"<a href=/1>Module one</a> <a href=/2>Module two</a> <a href=/3>Module three</a> <a href=/4>Module four</a> " \
	"<a href=/5>Module five</a> <a href=/6>Module six</a> <a href=/7>Module seven</a> <a href=/8>Module eight</a> "
#define VEIL "<div class=hidden><p>VeilText, " P4 "</p></div>"
#define LONG P1 " " P2 " " P3 " " P4
#define HEAD                                                                                                             \
	"<header class=site-header><a href=/>The Tide</a><nav><ul><li><a href=/n>NavNews</a><li><a href=/s>NavSport</a>" \
	"</ul></nav></header>"
#define FOOT \
	"<footer class=site-footer><p>FootImprint, terms of use, and the address of the house, all in one line.</p></footer>"
#define META "<head><title>Crane falls in harbour - The Tide</title><meta property=og:type content=article></head>"

static const struct {
	const char *kind, *html, *keep[6], *gone[6];
} kinds[] = {
	{ "cookie banner longer than the article",
	  "<body>" HEAD "<div id=cookie-banner><p>CookieOne " LONG "</p><p>CookieTwo " LONG
	  "</p></div><article><h1>Crane</h1><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p></article>" FOOT,
	  { P1, P3 },
	  { "CookieOne", "CookieTwo", "NavNews", "FootImprint" } },
	{ "lead between headline and body: in the article's header, called a teaser, as a heading",
	  META
	  "<body>" HEAD
	  "<article><header><h1>Crane falls in harbour</h1><p class=kicker>KickerLine</p><p>LeadOne, which says in one "
	  "breath what happened, where and to whom.</p><div class=author>ByLine of the harbour, who has lived there for years.</div></header>"
	  "<div class=teaser-text><p>LeadTwo, called a teaser, tells the rest of it in a second long breath.</p></div><h2>LeadThree, a "
	  "line under the headline that is a whole sentence, and a long one.</h2><figure><figcaption>CapLine shows the crane, as it lies "
	  "across the basin on Tuesday.</figcaption></figure><div class=share-bar>ShareLine, send this to all your friends, today.</div>"
	  "<div class=article-body><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p></div></article>" FOOT,
	  { "LeadOne", "LeadTwo", "LeadThree", P1, P3 },
	  { "KickerLine", "ByLine", "CapLine", "ShareLine", "NavNews", "FootImprint" } },
	{ "prose before the headline is no lead",
	  META
	  "<body>" HEAD
	  "<div class=page><p>PromoLine, a new edition of the calendar of tides is in the shops, and it is free.</p><h1>Crane "
	  "falls in harbour</h1><div class=article-body><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p></div></div>" FOOT,
	  { P1, P3 },
	  { "PromoLine", "NavNews" } },
	{ "an article that is all of another article",
	  META
	  "<body>" HEAD "<main><article class=template-1><h1>Crane falls in harbour</h1><article><p>" P1 "</p><p>" P2
	  "</p><p>" P3 "</p><p>" P4
	  "</p></article><article><h2>Other</h2><p>OtherOne, a short piece about the weather of the week, and the tides.</p>"
	  "</article></article></main>" FOOT,
	  { P1, P4 },
	  { "OtherOne", "NavNews", "FootImprint" } },
	{ "newsletter box between paragraphs",
	  "<body>" HEAD "<div class=entry-content><p>" P1
	  "</p><div class=newsletter-signup><p>NewsBox, every morning in your "
	  "inbox, free of charge, and you can leave whenever you like.</p><form><input></form></div><p>" P2 "</p><p>" P3
	  "</p></div>" FOOT,
	  { P1, P2, P3 },
	  { "NewsBox", "NavNews" } },
	{ "related teasers as cards inside one anchor each",
	  "<body>" HEAD "<main><div class=story><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p><p>" P4
	  "</p></div><div class=cards><a href=1><div><h3>CardOne</h3><p>Card text, which is long enough to be taken for prose, by its commas.</p>"
	  "</div></a><a href=2><div><h3>CardTwo</h3><p>Card text, which is long enough to be taken for prose, by its commas.</p></div></a>"
	  "</div></main>" FOOT,
	  { P1, P4 },
	  { "NavNews", "FootImprint" } },
	{ "comments longer than the article",
	  "<body>" HEAD "<article><div class=article-body><p>" P1 "</p><p>" P2
	  "</p></div></article><section id=comments><div class=comment>"
	  "<p>CommentOne " LONG "</p></div><div class=comment><p>CommentTwo " LONG "</p></div></section>" FOOT,
	  { P1, P2 },
	  { "CommentOne", "CommentTwo" } },
	{ "comments, named in French",
	  "<body>" HEAD "<article><h1>La grue</h1><div class=texte-article><p>" P1 "</p><p>" P2
	  "</p></div></article><div class=commentaires>"
	  "<ul><li><p>AvisUn " P3 "</p><li><p>AvisDeux " P4 "</p></ul></div>" FOOT,
	  { P1, P2 },
	  { "AvisUn", "AvisDeux" } },
	{ "author's biography and byline",
	  "<body>" HEAD "<article><div class=byline>By BylineName</div><div class=post-content><p>" P1 "</p><p>" P2
	  "</p><p>" P3
	  "</p></div><div class=author-bio><p>BioName has written about ships for thirty years, and has a boat.</p></div></article>" FOOT,
	  { P1, P3 },
	  { "BylineName", "BioName" } },
	{ "captions and credits",
	  "<body>" HEAD
	  "<article><div class=article-body><figure><img src=a><figcaption>CaptionText, seen from the north quay.</figcaption></figure><p>" P1
	  "</p><p>" P2 "</p><span class=photo-credit>CreditName</span><p>" P3 "</p></div></article>" FOOT,
	  { P1, P2, P3 },
	  { "CaptionText", "CreditName" } },
	{ "share bar above and below",
	  "<body>" HEAD
	  "<div class=article-body><ul class=social-share><li><a href=f>ShareFace</a><li><a href=t>ShareTweet</a></ul><p>" P1
	  "</p><p>" P2 "</p><p>" P3
	  "</p><div class=share-tools>ShareAgain with friends, please, it helps us.</div></div>" FOOT,
	  { P1, P3 },
	  { "ShareFace", "ShareAgain" } },
	{ "table of figures whose columns have names of furniture",
	  "<body>" HEAD "<div class=entry-content><p>" P1 "</p><p>" P2
	  "</p><table><tr class=head><th>Ship</th><th>Tons</th></tr><tr class=player><td class=author>"
	  "Alpha</td><td class=date>1200</td></tr><tr class=player><td class=author>Beta</td><td class=date>3400</td></tr></table><p>" P3
	  "</p></div>" FOOT,
	  { P1, "Alpha", "1200", "3400", P3 },
	  { "NavNews" } },
	{ "table that ends the article",
	  "<body>" HEAD "<div class=article-body><p>" P1 "</p><p>" P2
	  "</p><table><tr><td>Alpha of Bergen</td><td>1200 tons</td><td>fruit and mail</td></tr><tr><td>"
	  "Beta of Turku</td><td>3400 tons</td><td>timber</td></tr><tr><td>Gamma of Riga</td><td>900 tons</td><td>nothing at all</td></tr>"
	  "<tr><td>Delta of Hull</td><td>2100 tons</td><td>coal and salt</td></tr></table></div>" FOOT,
	  { P1, "Alpha of Bergen", "coal and salt" },
	  { "FootImprint" } },
	{ "pull quote",
	  "<body>" HEAD "<article class=story><div class=story-body><p>" P1
	  "</p><blockquote><p>It came down like a tree, and then it was very still.</p></blockquote><p>" P2 "</p><p>" P3
	  "</p></div></article>" FOOT,
	  { P1, "It came down like a tree", P3 },
	  { "NavNews" } },
	{ "live blog: entries of one name",
	  "<body>" HEAD "<main><div class=live-entry><time>10:15</time><p>" P1
	  "</p></div><div class=live-entry><time>10:40</time><p>" P2
	  "</p></div><div class=live-entry><time>11:20</time><p>" P3
	  "</p></div><div class=live-entry><time>12:00</time><p>" P4 "</p></div></main>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NavNews", "FootImprint" } },
	{ "recipe: ingredients are short items",
	  "<body>" HEAD "<div class=recipe><p>" P1
	  "</p><h2>Ingredients</h2><ul><li>two eggs<li>salt<li>a pound of flour</ul><h2>Method</h2><ol><li>Beat the eggs.<li>"
	  "Add the flour, slowly.<li>Bake it for an hour.</ol></div>" FOOT,
	  { "two eggs", "salt", "Beat the eggs.", "Bake it for an hour." },
	  { "NavNews" } },
	{ "forum: replies are the content",
	  "<body>" HEAD "<h1>Which rope?</h1><div class=comment-thread><div class=comment><p>AskOne " P1
	  "</p></div><div class=comment><p>ReplyOne " P2 "</p></div><div class=comment><p>ReplyTwo " P3
	  "</p></div></div>" FOOT,
	  { "AskOne", "ReplyOne", "ReplyTwo" },
	  { "NavNews" } },
	{ "forum: a post-body for each post",
	  "<body>" HEAD "<div class=thread><div class=post><div class=post-body><p>AskOne " P1
	  "</p></div></div><div class=post><div class=post-body><p>ReplyOne " P2
	  "</p></div></div><div class=post><div class=post-body><p>ReplyTwo " P3 "</p></div></div></div>" FOOT,
	  { "AskOne", "ReplyOne", "ReplyTwo" },
	  { "NavNews" } },
	{ "questions and answers",
	  "<body>" HEAD
	  "<main><h1>Questions</h1><dl><dt>May I moor here?<dd>Yes, for a night.<dt>Is there water?<dd>At the end of the pier.<dt>And power?<dd>No.</dl></main>" FOOT,
	  { "May I moor here?", "At the end of the pier.", "And power?", "No." },
	  { "FootImprint" } },
	{ "documentation with a sidebar",
	  "<body><nav class=sphinxsidebar><ul><li><a href=a>SideIntro</a><li><a href=b>SideUsage</a></ul></nav><div role=main><h1>Usage</h1><p>Run it.</p><pre>tide --now\n"
	  "tide --at 12</pre><h2>Options</h2><dl><dt>--now<dd>Print the level.<dt>--at<dd>At an hour.</dl><p>See also tide(5).</p></div>",
	  { "Run it.", "tide --at 12", "Print the level.", "See also tide(5)." },
	  { "SideIntro" } },
	{ "statute: nested lists and short paragraphs",
	  "<body><nav><a href=/>NavCode</a></nav><h1>Chapter 4</h1><section class=section><h2>Sec. 4-101. Definitions.</h2><p>For this chapter:</p><ol><li>Vessel means<ol><li>a ship;"
	  "<li>a raft.</ol><li>Quay means a wall.</ol><p class=history>(Mar. 3, 1901, 31 Stat. 1189, ch. 854.)</p><div class=annotations><p>Cited in note 2.</p></div>"
	  "</section>",
	  { "Sec. 4-101.", "a raft.", "Quay means a wall.", "31 Stat. 1189", "Cited in note 2." },
	  { NULL } },
	{ "encyclopedia: article with see also and references",
	  "<body><div id=mw-navigation><a href=/>NavRandom</a></div><div id=content><div id=mw-content-text><p>" P1
	  "</p><h2>History</h2><p>" P2 "</p><p>" P3
	  "</p><h2>See also</h2><ul><li><a href=x>Derrick</a><li><a href=y>Gantry</a></ul><h2>References</h2><ol><li>Ports, vol. 2, p. 14.</ol></div></div>",
	  { P1, P3 },
	  { NULL } },
	{ "list page: many short articles",
	  "<body>" HEAD "<main><article><h2>One</h2><p>" P1 "</p></article><article><h2>Two</h2><p>" P2
	  "</p></article><article><h2>Three</h2><p>" P3 "</p></article><article><h2>Four</h2><p>" P4
	  "</p></article></main>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NavNews" } },
	{ "further articles behind the one in the title",
	  META "<body>" HEAD "<div id=stream><article><header><h1>Crane falls in harbour</h1></header><p>" P1
	       "</p><p>" P2 "</p><p>" P3 "</p><p>" P4
	       "</p></article><article><header><h1>Mayor buys a boat</h1></header><p>OtherOne " LONG
	       "</p></article><article><header><h1>Rain</h1></header><p>OtherTwo " LONG "</p></article></div>" FOOT,
	  { P1, P4 },
	  { "OtherOne", "OtherTwo" } },
	{ "no main, no article, no names, but the page says article",
	  META "<body><div><div><a href=/>NavNews</a> <a href=/s>NavSport</a></div></div><div><div><div><p>" P1
	       "</p><p>" P2 "</p><p>" P3 "</p><p>" P4 "</p><p>" LONG "</p><p>" LONG
	       "</p></div><div><a href=1>MoreOne of it</a><br><a href=2>MoreTwo of it</a></div></div></div>",
	  { P1, P4 },
	  { "NavSport", "MoreTwo" } },
	{ "paragraphs by br",
	  "<body>" HEAD "<div class=content>" P1 "<br><br>" P2 "<br><br>" P3 "<br><br>" P4 "</div>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NavNews" } },
	{ "paragraphs as div",
	  "<body>" HEAD "<article><div>" P1 "</div><div>" P2 "</div><div>" P3 "</div></article>" FOOT,
	  { P1, P2, P3 },
	  { "NavNews" } },
	{ "sections inside an article",
	  "<body>" HEAD "<article><section><h2>Morning</h2><p>" P1 "</p></section><section><h2>Noon</h2><p>" P2
	  "</p></section><section><h2>Night</h2><p>" P3 "</p></section></article>" FOOT,
	  { P1, P2, P3 },
	  { "NavNews" } },
	{ "each paragraph behind a paywall",
	  "<body>" HEAD "<article><div class=article-body><p>" P1 "</p><p class=paywall>" P2 "</p><p class=paywall>" P3
	  "</p><p class=paywall>" P4 "</p></div></article>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NavNews" } },
	{ "a site builder's widgets",
	  "<body>" HEAD
	  "<div class=elementor><div class='elementor-element elementor-widget elementor-widget-text-editor'><p>" P1
	  "</p></div><div class='elementor-element elementor-widget elementor-widget-text-editor'><p>" P2
	  "</p></div><div class='elementor-element elementor-widget elementor-widget-text-editor'><p>" P3
	  "</p></div></div>" FOOT,
	  { P1, P2, P3 },
	  { "NavNews" } },
	{ "blocks of names in the manner of BEM",
	  "<body>" HEAD "<div class='article article--long'><div class=article__body><p class=article__paragraph>" P1
	  "</p><p class=article__paragraph>" P2
	  "</p><div class=article__related><p>RelBox, more about cranes, and why they fall down.</p></div><p class=article__paragraph>" P3
	  "</p></div></div>" FOOT,
	  { P1, P2, P3 },
	  { "RelBox" } },
	{ "names in German",
	  "<body>" HEAD "<div class=artikel-inhalt><p>" P1 "</p><p>" P2
	  "</p><div class=werbung><p>WerbeText, der lange genug ist, um aufzufallen, und ein Komma hat.</p>"
	  "</div><p>" P3
	  "</p></div><div class=seitenleiste><p>RandText, der lange genug ist, um aufzufallen, und ein Komma hat.</p></div>" FOOT,
	  { P1, P2, P3 },
	  { "WerbeText", "RandText" } },
	{ "itemprop says the body",
	  "<body>" HEAD "<div><div itemprop=articleBody><div>" P1 "</div><div>" P2
	  "</div></div><div><p>AfterWord, which stands beside it, and is no part of it.</p></div></div>" FOOT,
	  { P1, P2 },
	  { "AfterWord", "NavNews" } },
	{ "an aside larger than the article",
	  "<body>" HEAD "<article><h1>Crane</h1><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p><p>" P4
	  "</p></article><aside><p>AsideOne " LONG "</p><p>AsideTwo " LONG "</p></aside>" FOOT,
	  { P1, P4 },
	  { "AsideOne", "AsideTwo" } },
	{ "lines that point elsewhere and calls to subscribe",
	  "<body>" HEAD "<div class=article-body><p>" P1
	  "</p><p>Read more: <a href=x>The crane of 1912, and what became of it</a></p><p>" P2
	  "</p><p>Advertisement</p><p>" P3
	  "</p><p>Subscribe to our letter, and never miss a crane again.</p></div>" FOOT,
	  { P1, P2, P3 },
	  { "crane of 1912", "Advertisement", "never miss" } },
	{ "layout by tables",
	  "<BODY><TABLE><TR><TD COLSPAN=2><A HREF=/>NavHome</A> <A HREF=/a>NavAll</A></TD></TR><TR><TD><FONT SIZE=2><A HREF=1>One</A><BR><A HREF=2>Two</A></FONT></TD>"
	  "<TD><FONT FACE=arial>" P1 "<P>" P2 "<P>" P3 "<P>" P4 "</FONT></TD></TR></TABLE>",
	  { P1, P2, P3, P4 },
	  { NULL } },
	{ "a form around the whole page",
	  "<body><form id=aspnetForm><div class=menu><a href=/>NavHome</a></div><div class=article-body><p>" P1
	  "</p><p>" P2 "</p><p>" P3 "</p></div></form>",
	  { P1, P2, P3 },
	  { "NavHome" } },
	{ "results of a search",
	  "<body>" HEAD "<ol><li class=search-result><h3><a href=1>Rope</a></h3><p class=search-snippet>" P1
	  "</p><li class=search-result><h3><a href=2>Chain</a></h3>"
	  "<p class=search-snippet>" P2
	  "</p><li class=search-result><h3><a href=3>Wire</a></h3><p class=search-snippet>" P3 "</p></ol>" FOOT,
	  { P1, P2, P3 },
	  { "FootImprint" } },
	{ "working paper: inserted and deleted words, code, no paragraphs closed",
	  "<BODY><TABLE><TR><TD>Document number:<TD>N1234=05-0094</TABLE><H1>Moving pointers</H1><P>Change 20.4 as follows:<BLOCKQUOTE><P><DEL>old wording</DEL> <INS>new wording</INS>"
	  " of <TT>auto_ptr&lt;T&gt;</TT>.</BLOCKQUOTE><PRE>template&lt;class T&gt; class p;</PRE><P>x<SUP>2</SUP> and H<SUB>2</SUB>O.",
	  { "N1234=05-0094", "old wording new wording of auto_ptr<T>.", "template<class T> class p;", "x2 and H2O.",
	    "Moving pointers" },
	  { NULL } },
	{ "reference in Khmer, with examples in English",
	  "<body><div><a href=/>Help</a></div><h1>RSet</h1><p>" KHMER "</p><p>" KHMER "</p><p>" KHMER "</p><p>" KHMER
	  "</p><p>" KHMER "</p><div><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p><p>" P4 "</p></div>",
	  { KHMER, P1, P4 },
	  { NULL } },
	{ "source browser: a block per line of code, and notes in prose",
	  "<body><div>" MODULES MODULES MODULES
	  "</div><h1>contraction.cc</h1><div><div>" CODE CODE CODE CODE CODE CODE CODE CODE CODE "</div><div><div>" P1
	  "</div><div>" P2 "</div><div>" P3 "</div><div>" P4 "</div></div></div>",
	  { "contraction.cc", "space Xh (omega)", "form a = grad (u)", P1, P4 },
	  { NULL } },
	{ "names that hide on some screens, cut what overflows, or hide a label",
	  META
	  "<body>" HEAD "<article><div class='field field--label-hidden'><p>" P1
	  "</p></div><div class=overflow-hidden><p>" P2 "</p></div><div class='hidden md:block'><p>" P3
	  "</p></div><div class=hidden-xs><p>" P4
	  "</p></div><div class='md:hidden'><p>NarrowOnly, the same again for telephones, and shorter.</p></div><div class=visually-hidden>"
	  "<p>ReaderOnly, a line for those who listen, and for nobody else.</p></div></article>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NarrowOnly", "ReaderOnly", "NavNews" } },
	{ "lead before a container without a name, under a headline in other words than the title",
	  META
	  "<body>" HEAD
	  "<div><div><h1>Harbour closed as crane falls</h1><div>By Ann Quay, The Tide | Updated: 19 November, 09:01 AM</div><p>LeadOne, "
	  "which says in one breath what happened, where and to whom.</p></div></div><div><div><p>" P1 "</p><p>" P2
	  "</p><p>" P3 "</p><p>" P4 "</p><p>" LONG "</p><p>" LONG "</p></div></div>" FOOT,
	  { "LeadOne", P1, P4 },
	  { "Ann Quay", "NavNews" } },
	{ "headings of sections that are called titles, and one whose links went",
	  META
	  "<body>" HEAD "<div class=article-body><h2 class=title>Crane falls in harbour</h2><p>" P1
	  "</p><h3 class=section-title>HeadOne</h3><p>" P2 "</p><h3 id=related-ships>HeadTwo</h3><p>" P3
	  "</p><h3>HeadGone</h3><ul><li><a href=1>LinkOne of the list</a><li><a href=2>LinkTwo of the list</a><li><a href=3>LinkThree of the "
	  "list</a></ul><h3>HeadThree</h3><figure><figcaption>CapLine, the crane as it lies there.</figcaption></figure><p>" P4
	  "</p></div>" FOOT,
	  { P1, "HeadOne", "HeadTwo", P3, "HeadThree", P4 },
	  { "Crane falls", "HeadGone", "LinkOne", "CapLine" } },
	{ "documentation: ids made of headings that sound like furniture",
	  "<body><div class=related><a href=/>NavIndex</a></div><div role=main><div class=section id=coding-standards><h1>Standards</h1><p>" LONG
	  "</p><p>" P1 "</p><div class=section id=comments><h2>Comments</h2><p>" LONG "</p><p>ComText, " P2
	  "</p></div><p>Again: " LONG "</p><p>And again: " LONG
	  "</p></div><section id=search><h2>Search</h2><p>SeaText, " P3
	  "</p></section><section id=social class=level2><h2>Social</h2><p>"
	  "SocText, " P4 "</p></section></div>",
	  { P1, "ComText", "SeaText", "SocText", "Comments" },
	  { "NavIndex" } },
	{ "an article made of articles",
	  META
	  "<body>" HEAD
	  "<article><h1>Crane falls in harbour</h1><p>IntroLine, the five best piers.</p><article class=card><h2>One</h2><p>" P1
	  "</p></article><article class=card><h2>Two</h2><p>" P2
	  "</p></article><article class=card><h2>Three</h2><p>" P3
	  "</p></article><article class=card><h2>Four</h2><p>" P4 "</p></article></article>" FOOT,
	  { P1, P2, P3, P4 },
	  { "NavNews", "FootImprint" } },
	{ "code that ends a named body, and an item of a list of text that is a link",
	  META "<body>" HEAD "<div class=entry-content><p>" P1 "</p><p>" P2
	       "</p><ul><li>two eggs, beaten until they are stiff<li>a pound of flour, "
	       "sifted twice by hand<li><a href=v>vanilla</a><li>a little salt, and patience for an hour</ul><p>" P3
	       "</p><pre>tide --now</pre></div>" FOOT,
	  { P1, "vanilla", "a little salt", "tide --now" },
	  { "NavNews" } },
	{ "a page that says article, with a long list, is trimmed but not emptied",
	  META "<body><div><div><a href=/>NavHome</a></div><div>Edition of the week</div></div><div><div><p>" P1
	       "</p><p>" P2 "</p><ol><li>" P3 "<li>" P4 "<li>" LONG "<li>Again: " LONG "<li>Once more: " LONG
	       "</ol><p>Nobody was hurt, and no ship either.</p></div></div><div><div>Mast line</div></div>",
	  { P1, P2, P3, P4, "Nobody was hurt, and no ship either." },
	  { "NavHome", "Mast line" } },
	{ "a page that says article, of which hardly anything is prose",
	  META
	  "<body><div class=c><h1>Crane</h1><div>Maker</div><div>Nordic Cranes</div><div>Weight</div><div>1200 tons of steel</div><div>"
	  "Height</div><div>ninety metres above the quay</div><div>Papers</div><div>No papers for this crane</div><div>Leaflet</div><div>No "
	  "leaflet from its maker</div><div>Built</div><div>in the yard of the north</div><div>Owner</div><div>the port authority alone</div>"
	  "<div>Inspected</div><div>in May, by two men</div></div>" MODULES
	  "<div><p>SmallText, which is all of the prose.</p></div>",
	  { "1200 tons", "No papers", "the port authority alone", "SmallText" },
	  { NULL } },
	{ "a short question and long answers",
	  "<body>" HEAD
	  "<div id=content><div class=question><div class=post-body><p>AskOne, which?</p><p>AskTwo?</p></div></div><div id=answers>"
	  "<div class=answer><div class=post-body><p>ReplyOne " LONG
	  "</p></div></div><div class=answer><div class=post-body><p>ReplyTwo " LONG
	  "</p></div></div><div class=answer><div class=post-body><p>ReplyThree " LONG
	  "</p></div></div><div class=answer><div class=post-body><p>ReplyFour " LONG
	  "</p></div></div></div></div>" FOOT,
	  { "AskOne", "AskTwo", "ReplyOne", "ReplyFour" },
	  { "NavNews", "FootImprint" } },
	{ "a wrapper of a footer",
	  "<body><div id=content><h1>Speech</h1><p>" P1 "</p><p>" P2 "</p><p>" P3 "</p><p>" P4
	  "</p></div><div id=wrapperFooter><h2>ThisPage</h2><p>FootLine of the office, all of it</p></div>",
	  { P1, P4 },
	  { "ThisPage", "FootLine" } },
	{ "comments in code: of highlighters in pre and code, and of Doxygen in its own lines",
	  "<body>" HEAD "<article><h1>Crane</h1><p>" P1
	  "</p><pre><code><span class=hljs-comment>// HlNote, by hljs.</span>\n"
	  "<span class='hljs-meta'>#include &lt;meta.h&gt;</span>\nint tide;\n<span class='token comment'>// PrismNote</span></code></pre><p>" P2
	  "</p><div class=fragment><div class=line><span class=lineno>1</span><span class=comment>// DoxyNote, one of a "
	  "block of lines that tell of the tide.</span></div><div class=line><span class=lineno>2</span>int moon; <span class=comment>// "
	  "<a href=m>MoonNote</a></span></div></div><p>" P3 "</p></article>" FOOT,
	  { "// HlNote, by hljs.", "<meta.h>", "// PrismNote", "// DoxyNote", "// MoonNote", P3 },
	  { "NavNews", "FootImprint" } },
	{ "inline text that is called a comment, and the number of comments",
	  "<body>" HEAD "<div class=article-body><p>" P1 "</p><p>" P2
	  " <span class=comment-text>EditNote, which was written by the desk in the same line.</span></p><p>" P3
	  " <span class=comments-count>CountOf 12 comments</span></p><p>" P4
	  "</p></div><div class=comments><p class=comment>ReaderOne, who says that cranes are old, and always were.</p></div>" FOOT,
	  { P1, "EditNote", P4 },
	  { "CountOf", "ReaderOne" } },
	{ "each paragraph called hidden, and nothing else on the page",
	  "<body>" HEAD "<div id=x><h1>Crane</h1><p class=hidden>" P1 "</p><p class=hidden>" P2
	  "</p><p class=hidden>" P3 "</p><p class=hidden>" P4
	  "</p></div><div class='cookie-note hidden'><p>CookieBox " P1
	  "</p></div><div class='menu hidden'><p>MenuBox " P2 "</p></div>" FOOT,
	  { P1, P2, P3, P4 },
	  { "CookieBox", "MenuBox", "NavNews", "FootImprint" } },
	{ "questions whose answers are folded",
	  "<body>" HEAD "<h1>Questions</h1><div class='panel collapse hidden'><h3>AskOne?</h3><div class=panel-body>" P1
	  "</div></div><div class='panel collapse hidden'><h3>AskTwo?</h3><div class=panel-body>" P2
	  "</div></div><h3>AskThree?</h3><div style='display: none'>" P3 "</div><h3>AskFour?</h3><div class=hide>" P4
	  "</div>" FOOT,
	  { "AskOne", P1, P2, "AskThree", P3, P4 },
	  { "NavNews", "FootImprint" } },
	{ "much hidden text beside a short text that is shown",
	  "<body>" HEAD "<div><h1>Crane</h1><p>" P1 "</p><p>" P2 "</p><p>" P3
	  "</p></div>" VEIL VEIL VEIL VEIL VEIL VEIL VEIL VEIL VEIL VEIL VEIL VEIL FOOT,
	  { P1, P3 },
	  { "VeilText", "NavNews" } },
	{ "chapters whose ids are made of headings, by the programs that make books",
	  "<body>" HEAD "<div class=chapter id=Starting><h2>1 Starting</h2><p>" LONG
	  "</p></div><div class=chapter-level-extent id=Search>"
	  "<h2>2 Searching and replacing</h2><p>SeaText, " P1
	  "</p></div><div class=sect1 id=menus><h2>Menus</h2><p>MenText, " P2
	  "</p></div><div class=refsect1 id=select-for-share><h2>Locks</h2><p>ShaText, " P3
	  "</p></div><div class=unnumberedsec id=Login><h3>Login</h3><p>LogText, " P4
	  "</p></div><div class='section level3' id=footer><h3>Footer</h3><p>FooText, " P1
	  "</p></div><div class=chapter id=Leaving><h2>Leaving</h2><p>Again: " LONG "</p><p>EndText, " LONG
	  "</p></div>" FOOT,
	  { "SeaText", "MenText", "ShaText", "LogText", "FooText", "EndText" },
	  { "NavNews", "FootImprint" } },
	{ "chapters whose ids are made of headings, by hand",
	  "<body>" HEAD "<div id=starting><h2>1 Starting</h2><p>" LONG
	  "</p></div><div id=Navigation><h2>2 Navigation</h2><p>NavText, " P1 "</p><p>" P2 "</p><p>" P3
	  "</p></div><div class=topic id=cookies-1><h2>3. Cookies</h2><p>CooText, " P1 "</p><p>" P3 "</p><p>" P4
	  "</p></div><div class=module id=comments><h2>Comments</h2><p>ComText, " P2 "</p><p>" P3 "</p><p>" P4
	  "</p></div><div id=leaving><h2>5 Leaving</h2><p>" LONG "</p><p>Again: " LONG "</p></div>" FOOT,
	  { "NavText", "CooText", "ComText", "2 Navigation" },
	  { "NavNews", "FootImprint" } },
	{ "furniture that is called what its heading says",
	  "<body>" HEAD "<div id=story><h1>Crane</h1><p>" LONG "</p><p>Again: " LONG
	  "</p></div><div id=search><h2>Search</h2><p>SeaBox " P1 " " P2 " " P3
	  "</p><form><input></form></div><div id=related><h2>Related</h2><p><a href=1>RelBox " P1
	  "</a></p><p><a href=2>" P2 "</a> " P3
	  "</p></div><div id=cookies><h2>Cookies</h2><p>CooBox, which we use, as all do.</p></div><div id=comments><h2>Comments</h2>"
	  "<div class=comment><p>ComOne " P1 " " P2 "</p></div><div class=comment><p>ComTwo " P3 " " P4
	  "</p></div></div>" FOOT,
	  { P1, P4 },
	  { "SeaBox", "RelBox", "CooBox", "ComOne", "ComTwo", "FootImprint" } },
	{ "comments outside the article, without names of their own",
	  "<body>" HEAD "<article><h1>Crane</h1><p>" LONG "</p><p>Again: " LONG
	  "</p></article><div id=comments><h2>Comments</h2><p>ComOne " P1 " " P2 "</p><p>ComTwo " P3 " " P4
	  "</p></div>" FOOT,
	  { P1, P4 },
	  { "ComOne", "ComTwo" } },
};

TEST(main, kinds_of_pages)
{
	static const struct extract_options options = { .no_resolve = true };
	struct extract *x = extract_new();

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct page page;
		struct main_text m;

		extract_page(x, str(kinds[i].html), STR("http://a.example/"), &options, &page);
		m = main_content(t->arena, page.text, page.outline);
		for (size_t j = 0; j < COUNT(kinds[i].keep) && kinds[i].keep[j]; j++)
			CHECK(str_find(m.text, str(kinds[i].keep[j])) >= 0, "%s: lost \"%s\"", kinds[i].kind,
			      kinds[i].keep[j]);
		for (size_t j = 0; j < COUNT(kinds[i].gone) && kinds[i].gone[j]; j++)
			CHECK(str_find(m.text, str(kinds[i].gone[j])) < 0, "%s: kept \"%s\"", kinds[i].kind,
			      kinds[i].gone[j]);
	}
	extract_free(x);
}

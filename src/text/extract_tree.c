/* text/extract_tree.c -- what tags do to the open elements, as far as the text depends on them.
 *
 * No tree is built.  A stack of at most LIMIT_HTML_DEPTH open elements follows
 * the standard's tree builder where that decides which text is shown, what
 * separates it and in which link it lies: implied end tags, scopes, tables,
 * foreign content, framesets.  Not followed: foster parenting and the
 * reconstruction of formatting elements, which move text or copy markup.
 *
 * Cost: a tag costs its search on the stack; count[] says at once when there
 * is nothing to find. */
#include "base/hash.h"
#include "text/extract_stack.h"

/* ---- start tags ---- */

static bool has_foreign_font(const struct html_token *t)
{
	return html_attr(t, STR("color")).p || html_attr(t, STR("face")).p || html_attr(t, STR("size")).p;
}

/* A start tag in SVG or MathML: true when it was dealt with, false when it is HTML after all. */
static bool start_foreign(const struct extract *x, const struct html_token *t)
{
	unsigned flags = tag_flags(t->tag);
	const struct open *e = open_top(x);

	if (!e || e->ns == NS_HTML || e->integrates)
		return false;
	if ((flags & IS_BREAKOUT) || (t->tag == TAG_FONT && has_foreign_font(t)))
		return false;
	if (open_math_token(e))
		return str_eq(t->text, STR("mglyph")) || str_eq(t->text, STR("malignmark"));
	if (e->tag == TAG_ANNOTATION_XML && t->tag == TAG_SVG)
		return false;
	return true;
}

static void leave_foreign(struct extract *x)
{
	while (tree_foreign(x)) {
		if (open_math_token(open_top(x)))
			return;
		open_pop(x);
	}
}

/* Elements that a start tag closes by standing there. */
static void imply_ends(struct extract *x, enum tag tag, unsigned flags)
{
	const struct open *e;

	if ((flags & IS_CLOSES_P) && x->count[TAG_P])
		open_close(x, TAG_P, SCOPE_BUTTON);
	if (!(flags & IS_ENDING))
		return;
	switch (tag) {
	case TAG_LI: open_close_item(x, TAG_LI, TAG_LI); break;
	case TAG_DD:
	case TAG_DT: open_close_item(x, TAG_DD, TAG_DT); break;
	case TAG_H1:
	case TAG_H2:
	case TAG_H3:
	case TAG_H4:
	case TAG_H5:
	case TAG_H6:
		if ((e = open_top(x)) && e->ns == NS_HTML && (tag_flags(e->tag) & IS_HEADING))
			open_pop(x);
		break;
	case TAG_BUTTON: open_close(x, TAG_BUTTON, SCOPE_DEFAULT); break;
	case TAG_OPTGROUP:
	case TAG_OPTION:
		if ((e = open_top(x)) && e->tag == TAG_OPTION)
			open_pop(x);
		if (tag == TAG_OPTGROUP && (e = open_top(x)) && e->tag == TAG_OPTGROUP)
			open_pop(x);
		break;
	case TAG_RB:
	case TAG_RP:
	case TAG_RT:
	case TAG_RTC:
		if (x->count[TAG_RUBY])
			while ((e = open_top(x)) && e->ns == NS_HTML && (tag_flags(e->tag) & IS_IMPLIED) &&
			       (e->tag != TAG_RTC || tag == TAG_RB || tag == TAG_RTC))
				open_pop(x);
		break;
	case TAG_A:
	case TAG_NOBR: {
		unsigned at = open_find(x, tag, SCOPE_DEFAULT);

		if (at != OPEN_NONE)
			open_take_out(x, at);
		break;
	}
	case TAG_TABLE: {
		unsigned at = open_table(x);

		if (at != OPEN_NONE && x->stack[at].tag == TAG_TABLE &&
		    open_part(x, at, TAG_TD, TAG_TH, TAG_CAPTION) == OPEN_NONE)
			open_pop_to(x, at);
		break;
	}
	default: break;
	}
}

/* The tokenizer's state behind a start tag; true when raw text follows. */
static bool switch_model(struct extract *x, const struct html_token *t)
{
	enum html_model model = HTML_RAWTEXT;

	switch (t->tag) {
	case TAG_TITLE:
	case TAG_TEXTAREA: model = HTML_RCDATA; break;
	case TAG_SCRIPT: model = HTML_SCRIPT; break;
	case TAG_PLAINTEXT: model = HTML_PLAINTEXT; break;
	default: break;
	}
	html_set_model(x->html, model);
	return t->tag != TAG_PLAINTEXT && t->tag != TAG_TEXTAREA && t->tag != TAG_XMP;
}

/* title, style, script, iframe, noembed, noframes: never on the stack, because their end tag is the next tag. */
static void start_raw(struct extract *x, const struct html_token *t)
{
	x->raw = t->tag;
	x->hide++;
	x->count[t->tag]++;
	if (t->tag == TAG_TITLE)
		x->raw_text_kept = !x->has_title;
	else if (t->tag == TAG_STYLE)
		x->raw_text_kept = !x->options.no_links;
	else if (t->tag == TAG_SCRIPT)
		x->raw_text_kept = str_ieq(str_trim(html_attr(t, STR("type"))), STR("application/ld+json"));
	buf_reset(&x->raw_text);
	x->raw_view = STR_NONE;
}

static void end_raw(struct extract *x)
{
	enum tag tag = x->raw;

	x->raw = TAG_OTHER;
	x->hide--;
	x->count[tag]--;
	if (x->raw_text_kept) {
		x->raw_text_kept = false;
		head_raw(x, tag, x->raw_view.n ? x->raw_view : buf_view(&x->raw_text));
	}
}

/* The attributes that matter for text and outline; true when one says hidden. */
static bool read_attrs(const struct html_token *t, struct outline_attrs *attrs)
{
	bool hidden = false;

	for (size_t i = 0; i < t->nattrs; i++) {
		struct str name = t->attrs[i].name, value = t->attrs[i].value;

		switch (name.n) {
		case 2:
			if (name.p[0] == 'i' && name.p[1] == 'd')
				attrs->id = value;
			break;
		case 4:
			if (memcmp(name.p, "role", 4) == 0)
				attrs->role = value;
			break;
		case 5:
			if (memcmp(name.p, "class", 5) == 0)
				attrs->class_ = value;
			else if (memcmp(name.p, "style", 5) == 0)
				attrs->style = value;
			break;
		case 6: hidden |= memcmp(name.p, "hidden", 6) == 0; break;
		case 8:
			if (memcmp(name.p, "itemprop", 8) == 0)
				attrs->itemprop = value;
			break;
		default: break;
		}
	}
	return hidden;
}

/* An element of HTML without attributes: almost all that is to be known of it is in its row of the table. */
static void push_plain(struct extract *x, enum tag tag)
{
	const struct tag_info *info = &tag_info[tag];
	struct open *e = &x->stack[x->depth++];
	bool pre =
	    tag == TAG_PRE || tag == TAG_LISTING || tag == TAG_XMP || tag == TAG_PLAINTEXT || tag == TAG_TEXTAREA;

	if (!x->hide && (info->flags & (IS_BLOCK | IS_CELL)))
		extract_separate(x, info->flags & IS_BLOCK ? '\n' : '\t');
	*e = (struct open){ .tag = (uint8_t)tag, .hides = (info->flags & IS_HIDE) != 0, .pre = pre };
	x->hide += e->hides;
	if (pre) {
		x->pre++;
		x->skip_newline = tag != TAG_PLAINTEXT && tag != TAG_XMP;
	}
	x->count[tag]++;
	if (info->outline && !x->hide && !x->options.no_outline) {
		e->outlined = info->outline;
		outline_open(&x->outline, info->outline, x->n, NULL);
	}
}

static void push(struct extract *x, const struct html_token *t, uint8_t ns)
{
	unsigned flags = ns == NS_HTML ? tag_flags(t->tag) : 0;
	struct outline_attrs attrs;
	struct open e = { .tag = (uint8_t)t->tag, .ns = ns };

	if (t->nattrs) {
		attrs = (struct outline_attrs){ 0 };
		e.hides = read_attrs(t, &attrs) && ns == NS_HTML;
		if (attrs.style.n && !x->options.no_links && memmem(attrs.style.p, attrs.style.n, "url(", 4))
			link_css(x, attrs.style);
	}
	if (x->hide)
		;
	else if (flags & IS_BLOCK)
		extract_separate(x, '\n');
	else if (flags & IS_CELL)
		extract_separate(x, '\t');
	if (x->depth == LIMIT_HTML_DEPTH) {
		x->too_deep++;
		x->cut |= CUT_DEPTH;
		return;
	}
	e.hides |= (flags & IS_HIDE) != 0;
	if (ns == NS_SVG) {
		e.integrates = t->tag == TAG_FOREIGNOBJECT || t->tag == TAG_DESC || t->tag == TAG_TITLE;
		e.hides |= t->tag == TAG_TITLE || t->tag == TAG_DESC || t->tag == TAG_SCRIPT || t->tag == TAG_STYLE;
	} else if (ns == NS_MATH) {
		struct str encoding = t->tag == TAG_ANNOTATION_XML ? html_attr(t, STR("encoding")) : STR_NONE;

		e.integrates = str_ieq(encoding, STR("text/html")) || str_ieq(encoding, STR("application/xhtml+xml"));
		e.hides |= t->tag == TAG_ANNOTATION_XML || t->tag == TAG_SCRIPT || t->tag == TAG_STYLE ||
			   str_eq(t->text, STR("annotation"));
	} else if (flags & IS_CLOSES_P || t->tag == TAG_TEXTAREA) {
		e.hides |= t->tag == TAG_DIALOG && !html_attr(t, STR("open")).p;
		e.pre = t->tag == TAG_PRE || t->tag == TAG_LISTING || t->tag == TAG_XMP || t->tag == TAG_PLAINTEXT ||
			t->tag == TAG_TEXTAREA;
	}
	if (t->tag == TAG_OTHER)
		e.name = (uint32_t)hash_str(t->text);
	x->hide += e.hides;
	if (e.pre) {
		x->pre++;
		x->skip_newline = t->tag != TAG_PLAINTEXT && t->tag != TAG_XMP;
	}
	if (!x->hide && !x->options.no_outline && ns == NS_HTML) {
		enum outline_tag row = tag_info[t->tag].outline;

		if (t->tag == TAG_SPAN && t->nattrs && attrs.class_.p && !x->pre && !x->count[TAG_CODE])
			row = OUTLINE_SPAN; /* in code its class is what a highlighter calls the word: comment, meta */
		if (row != OUTLINE_NONE) {
			outline_open(&x->outline, row, x->n, t->nattrs ? &attrs : NULL);
			e.outlined = (uint8_t)row;
		}
	}
	x->stack[x->depth++] = e;
	x->count[t->tag]++;
	if (x->count[TAG_SVG] || x->count[TAG_MATH])
		open_tell(x);
}

/* In a frameset there is no text; only frames and noframes count. */
static void start_in_frameset(struct extract *x, const struct html_token *t)
{
	if (t->tag == TAG_FRAME)
		link_start(x, t);
	else if (t->tag == TAG_NOFRAMES && switch_model(x, t))
		start_raw(x, t);
}

static bool start_structure(struct extract *x, const struct html_token *t)
{
	switch (t->tag) {
	case TAG_HTML:
	case TAG_BODY:
		head_attributes(x, t);
		if (t->tag == TAG_BODY && !x->body && !x->count[TAG_TEMPLATE]) {
			x->body = true;
			x->frameset_ok = false;
			if (x->depth < LIMIT_HTML_DEPTH && !x->count[TAG_BODY])
				push(x, t, NS_HTML);
		}
		return true;
	case TAG_HEAD: return true;
	case TAG_FRAMESET:
		if (x->frameset_ok && !x->count[TAG_TEMPLATE]) {
			open_pop_to(x, 0);
			x->frameset = true;
			x->n = x->title_late ? 0 : x->title.n; /* the body goes, with what little it had */
			x->newline = false;
		}
		return true;
	case TAG_FRAME: return !x->options.xml;
	case TAG_FORM:
		if (x->form && !x->count[TAG_TEMPLATE])
			return true;
		x->form = true;
		return false;
	default: return false;
	}
}

void tree_start(struct extract *x, const struct html_token *t)
{
	unsigned flags = tag_flags(t->tag);
	uint8_t ns = NS_HTML;

	if (x->frameset) {
		start_in_frameset(x, t);
		return;
	}
	if (x->count[TAG_SVG] || x->count[TAG_MATH]) {
		if (start_foreign(x, t)) {
			const struct open *e = open_top(x);

			ns = e->ns;
			if (t->tag == TAG_A || t->tag == TAG_IMAGE || t->tag == TAG_SCRIPT)
				link_start(x, t);
			if (!t->self_closing)
				push(x, t, ns);
			return;
		}
		if (flags & IS_BREAKOUT)
			leave_foreign(x);
	}
	if ((flags & IS_STRUCTURE) && start_structure(x, t))
		return;
	if ((flags & IS_TABLE_PART) && !x->options.xml && !open_enter_part(x, t->tag))
		return;
	if (!(flags & IS_HEAD)) {
		x->body = true;
		if (x->frameset_ok && t->tag != TAG_P && !(flags & IS_FORMAT) && t->tag != TAG_DIV &&
		    t->tag != TAG_SPAN && t->tag != TAG_OTHER)
			x->frameset_ok &= !(flags & (IS_VOID | IS_CELL)) && t->tag != TAG_LI && t->tag != TAG_DD &&
					  t->tag != TAG_DT && t->tag != TAG_BUTTON && t->tag != TAG_TEXTAREA &&
					  t->tag != TAG_XMP && t->tag != TAG_IFRAME && t->tag != TAG_SELECT &&
					  t->tag != TAG_PRE && t->tag != TAG_LISTING && t->tag != TAG_TABLE &&
					  t->tag != TAG_APPLET && t->tag != TAG_MARQUEE && t->tag != TAG_OBJECT;
	}
	imply_ends(x, t->tag, flags);
	if (t->nattrs && (t->tag == TAG_TIME || t->tag == TAG_LINK || t->tag == TAG_ABBR ||
			  (t->nattrs > 1 && (t->tag == TAG_SPAN || t->tag == TAG_DIV))))
		head_attributes(x, t);
	if (t->nattrs && link_rows[t->tag] && !x->options.no_links)
		link_start(x, t);
	if (flags & IS_VOID) {
		if ((t->tag == TAG_BR || t->tag == TAG_HR) && !x->hide) {
			if (x->pre && t->tag == TAG_BR && x->n)
				extract_add(x, "\n", 1);
			else
				extract_separate(x, '\n');
		}
		if (t->tag == TAG_META)
			head_meta(x, t);
		return;
	}
	if (t->tag == TAG_SVG || t->tag == TAG_MATH)
		ns = t->tag == TAG_SVG ? NS_SVG : NS_MATH;
	if (t->self_closing && (ns != NS_HTML || x->options.xml)) {
		if (flags & IS_BLOCK)
			extract_separate(x, '\n');
		if (t->tag == TAG_A)
			link_end_anchor(x);
		return;
	}
	if ((flags & IS_RAW) && switch_model(x, t)) {
		start_raw(x, t);
		return;
	}
	if (!t->nattrs && ns == NS_HTML && t->tag != TAG_OTHER && t->tag != TAG_DIALOG && x->depth < LIMIT_HTML_DEPTH &&
	    !x->count[TAG_SVG] && !x->count[TAG_MATH])
		push_plain(x, t->tag);
	else
		push(x, t, ns);
}

/* ---- end tags ---- */

/* The end tag of a formatting element: what is above it and special stays open. */
static void end_format(struct extract *x, enum tag tag)
{
	unsigned at = open_find(x, tag, SCOPE_DEFAULT);

	if (at == OPEN_NONE)
		return;
	for (unsigned i = at + 1; i < x->depth; i++) {
		if (open_special(&x->stack[i])) {
			open_take_out(x, at);
			return;
		}
	}
	open_pop_to(x, at);
}

static void end_other(struct extract *x, const struct html_token *t)
{
	uint32_t name = t->tag == TAG_OTHER ? (uint32_t)hash_str(t->text) : 0;

	if (!x->count[t->tag])
		return;
	for (unsigned i = x->depth; i-- > 0;) {
		const struct open *e = &x->stack[i];

		if (e->tag == t->tag && (t->tag != TAG_OTHER || e->name == name)) {
			open_pop_to(x, i);
			return;
		}
		if (open_special(e))
			return;
	}
}

/* An end tag inside SVG or MathML: closes the innermost element of its name; false when HTML is reached first. */
static bool end_foreign(struct extract *x, const struct html_token *t)
{
	uint32_t name = t->tag == TAG_OTHER ? (uint32_t)hash_str(t->text) : 0;

	for (unsigned i = x->depth; i-- > 0;) {
		const struct open *e = &x->stack[i];

		if (e->ns == NS_HTML)
			return false;
		if (e->tag == t->tag && (t->tag != TAG_OTHER || e->name == name)) {
			open_pop_to(x, i);
			return true;
		}
	}
	return false;
}

static void end_table_part(struct extract *x, enum tag tag)
{
	unsigned table = open_table(x), at;

	if (table == OPEN_NONE)
		return;
	at = open_part(x, table, tag, tag, tag);
	if (at != OPEN_NONE)
		open_pop_to(x, at);
}

/* The end tag of the innermost element closes it and nothing else, whatever is searched for by the others; a part of a
 * table may be closed further out, and body stays open. */
static bool ends_top(const struct extract *x, enum tag tag, unsigned flags)
{
	const struct open *e = open_top(x);

	return e && e->tag == tag && e->ns == NS_HTML && tag != TAG_OTHER && tag != TAG_BODY &&
	       !(flags & IS_TABLE_PART);
}

void tree_end(struct extract *x, const struct html_token *t)
{
	unsigned flags = tag_flags(t->tag);

	if (x->raw) {
		end_raw(x);
		return;
	}
	if (x->frameset)
		return;
	if (x->too_deep) {
		x->too_deep--;
		if (flags & IS_BLOCK)
			extract_separate(x, '\n');
		return;
	}
	if (ends_top(x, t->tag, flags)) {
		open_pop(x);
		return;
	}
	const struct open *top = open_top(x);

	if (top && top->ns != NS_HTML) { /* an end tag, unlike others, also where HTML may stand in SVG */
		if (t->tag == TAG_P || t->tag == TAG_BR)
			leave_foreign(x);
		else if (end_foreign(x, t))
			return;
	}
	switch (t->tag) {
	case TAG_HTML:
	case TAG_BODY:
	case TAG_HEAD:
		if (t->tag != TAG_HEAD && !x->count[TAG_TEMPLATE])
			extract_separate(x, '\n');
		return;
	case TAG_BR: extract_separate(x, '\n'); return;
	case TAG_P:
		if (!open_close(x, TAG_P, SCOPE_BUTTON))
			extract_separate(x, '\n');
		return;
	case TAG_LI: open_close(x, TAG_LI, SCOPE_LIST); return;
	case TAG_H1:
	case TAG_H2:
	case TAG_H3:
	case TAG_H4:
	case TAG_H5:
	case TAG_H6: {
		unsigned at = open_heading(x);

		if (at != OPEN_NONE)
			open_pop_to(x, at);
		return;
	}
	case TAG_TEMPLATE: {
		unsigned at = x->count[TAG_TEMPLATE] ? x->depth : 0;

		while (at && (x->stack[at - 1].tag != TAG_TEMPLATE || x->stack[at - 1].ns != NS_HTML))
			at--;
		if (at)
			open_pop_to(x, at - 1);
		return;
	}
	case TAG_TABLE: open_close(x, TAG_TABLE, SCOPE_TABLE); return;
	case TAG_FORM: {
		unsigned at = open_find(x, TAG_FORM, SCOPE_DEFAULT);

		if (at == OPEN_NONE)
			x->form = false;
		else if (at + 1 == x->depth)
			open_pop(x);
		else
			open_take_out(x, at);
		return;
	}
	default: break;
	}
	if (flags & IS_TABLE_PART)
		end_table_part(x, t->tag);
	else if (flags & IS_FORMAT)
		end_format(x, t->tag);
	else if (((flags & IS_BLOCK) && (flags & (IS_SPECIAL | IS_CLOSES_P))) || (flags & IS_SCOPE) ||
		 t->tag == TAG_BUTTON || t->tag == TAG_SELECT)
		open_close(x, t->tag, SCOPE_DEFAULT);
	else
		end_other(x, t);
}

/* ---- text ---- */

/* NULs are not text, but in SVG and MathML they are U+FFFD. */
static void text_with_nul(struct extract *x, struct str text)
{
	x->cut |= CUT_NUL;
	while (text.n) {
		const char *nul = memchr(text.p, 0, text.n);
		size_t n = nul ? (size_t)(nul - text.p) : text.n;

		if (n)
			extract_add(x, text.p, n);
		if (nul && tree_foreign(x) && !open_math_token(open_top(x)))
			extract_add(x, "\xEF\xBF\xBD", 3);
		n += nul != NULL;
		text = str_n(text.p + n, text.n - n);
	}
}

/* Text of the page outside raw elements.  A NUL comes as a token of its own, except in CDATA sections. */
void tree_text(struct extract *x, struct str text)
{
	if (text.p[0] == 0 || (tree_foreign(x) && memchr(text.p, 0, text.n))) {
		text_with_nul(x, text);
		return;
	}
	if (x->frameset_ok || !x->body) {
		size_t i = 0;

		while (i < text.n && ascii_space(text.p[i]))
			i++;
		if (i < text.n) {
			x->frameset_ok = false;
			x->body = true;
		} else if (!x->body) {
			return; /* white space before the body */
		}
	}
	extract_add(x, text.p, text.n);
}

void tree_finish(struct extract *x)
{
	if (x->raw)
		end_raw(x);
	open_pop_to(x, 0);
	x->outline.article |= x->published_rank >= RANK_PUBLISHED;
	outline_finish(&x->outline, x->n);
}

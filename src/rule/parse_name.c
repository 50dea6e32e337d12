/* rule/parse_name.c -- what begins with a name: attributes of a document in both
 * notations, functions, measures and the texts they name, settings; and what to
 * say when the name is not known. */
#include "rule/parse_int.h"

/* a, di, d_i: SIDE_A; b, dj, d_j: SIDE_B; else 0. */
static unsigned doc_side(struct str name)
{
	if (str_ieq(name, STR("a")) || str_ieq(name, STR("di")) || str_ieq(name, STR("d_i")))
		return SIDE_A;
	if (str_ieq(name, STR("b")) || str_ieq(name, STR("dj")) || str_ieq(name, STR("d_j")))
		return SIDE_B;
	return 0;
}

static int unknown_attribute(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };

	for (unsigned i = 0; i < ATTR_USER; i++)
		if (i != ATTR_TEXT || p->rule->env.kind == RULE_SELECTION)
			nearest_try(&near, str(attr_name(i)));
	if (p->rule->env.kind == RULE_NUMERIC) { /* words of --prefer */
		nearest_try(&near, STR("newest"));
		nearest_try(&near, STR("oldest"));
		nearest_try(&near, STR("longest"));
	}
	nearest_try(&near, STR("hostname"));
	nearest_try(&near, STR("timestamp"));
	nearest_try(&near, STR("mime-type"));
	for (size_t i = 0; i < p->rule->env.n_user; i++)
		nearest_try(&near, p->rule->env.user[i].name);
	if (near.best.p)
		return FAIL(p, at, "unknown attribute \"%.*s\"; did you mean \"%.*s\"?",
			    (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return FAIL(p, at,
		    "unknown attribute \"%.*s\"; expected one such as url, host, time, mime, status, title, lang, "
		    "words (winnow help rules lists them)",
		    (int)(name.n < 60 ? name.n : 60), name.p);
}

static int text_fails(struct parser *p, size_t at)
{
	return FAIL(
	    p, at,
	    "text belongs to selections (--where 'text ~ \"word\"'); rules compare texts by containment, jaccard or "
	    "dice");
}

static int field_attr(struct parser *p, struct node *n, struct str name)
{
	const struct rule_env *env = &p->rule->env;
	int attr = attr_find(name);

	for (size_t i = 0; attr < 0 && i < env->n_user; i++)
		if (name_eq(name, env->user[i].name)) {
			n->attr = ATTR_USER + (unsigned)i;
			n->name = env->user[i].name;
			n->type = env->user[i].type;
			return WN_OK;
		}
	if (attr < 0)
		return unknown_attribute(p, name, n->at);
	n->attr = (unsigned)attr;
	n->name = str(attr_name(n->attr));
	n->type = attr_type(n->attr);
	if (env->uncomputed >> attr & 1)
		return FAIL(p, n->at, "%s comes from the link graph, which this winnow does not compute yet",
			    attr_name(n->attr));
	if (attr == ATTR_TEXT && env->kind != RULE_SELECTION)
		return text_fails(p, n->at);
	return WN_OK;
}

static bool measure_of(struct str name, enum measure *m)
{
	static const struct {
		const char *name;
		enum measure m;
	} table[] = {
		{ "containment", MEASURE_CONTAINMENT_AB },
		{ "c", MEASURE_CONTAINMENT_AB },
		{ "jaccard", MEASURE_JACCARD },
		{ "j", MEASURE_JACCARD },
		{ "dice", MEASURE_DICE },
		{ "d", MEASURE_DICE },
		{ "shared", MEASURE_SHARED },
	};

	for (size_t i = 0; i < COUNT(table); i++)
		if (name_eq(name, str(table[i].name))) {
			*m = table[i].m;
			return true;
		}
	return false;
}

static bool text_of(struct str name, enum text_kind *kind)
{
	*kind = name_eq(name, STR("main")) ? TEXT_MAIN : TEXT_BODY;
	return name_eq(name, STR("main")) || name_eq(name, STR("body"));
}

/* One argument of a measure: a, a.main, main(a), sh(a), sh(a.main). */
static int measure_arg(struct parser *p, unsigned *side, bool *named, enum text_kind *kind)
{
	int rc, closes = 0;
	bool body_or_main = false;

	while (p->tok.kind == TOK_NAME && !doc_side(p->tok.text)) {
		if (text_of(p->tok.text, kind))
			body_or_main = true;
		else if (!name_eq(p->tok.text, STR("sh")))
			return parser_unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
		if (++closes > 3)
			return parser_unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
		if ((rc = parser_next(p)) < 0 || (rc = parser_expect(p, TOK_OPEN)) < 0)
			return rc;
	}
	if (p->tok.kind != TOK_NAME)
		return parser_unexpected(p, "a document: a, b, a.main, b.body or sh(a)");
	*side = doc_side(p->tok.text);
	if ((rc = parser_next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_DOT) {
		if ((rc = parser_next(p)) < 0)
			return rc;
		if (p->tok.kind != TOK_NAME || !text_of(p->tok.text, kind) || body_or_main)
			return parser_unexpected(p, "which text: body or main");
		body_or_main = true;
		if ((rc = parser_next(p)) < 0)
			return rc;
	}
	*named = body_or_main;
	for (; closes > 0; closes--)
		if ((rc = parser_expect(p, TOK_CLOSE)) < 0)
			return rc;
	return WN_OK;
}

static int parse_measure(struct parser *p, struct node *n)
{
	unsigned side[2] = { 0, 0 };
	bool named[2] = { false, false };
	enum text_kind kind[2] = { TEXT_BODY, TEXT_BODY };
	size_t second;
	int rc;

	if (p->rule->env.kind != RULE_PAIR)
		return FAIL(p, n->at, "a measure compares two documents; a selection speaks of one");
	p->lx.commas = true;
	if ((rc = parser_expect(p, TOK_OPEN)) < 0 || (rc = measure_arg(p, &side[0], &named[0], &kind[0])) < 0)
		return rc;
	if ((rc = parser_expect(p, TOK_COMMA)) < 0)
		return rc;
	second = p->tok.at;
	if ((rc = measure_arg(p, &side[1], &named[1], &kind[1])) < 0)
		return rc;
	n->end = p->tok.end;
	if (p->tok.kind != TOK_CLOSE)
		return parser_unexpected(p, "')': a measure has two documents");
	if (side[0] == side[1])
		return FAIL(p, second, "a measure compares a with b, not a document with itself");
	if (named[0] != named[1] || kind[0] != kind[1])
		return FAIL(p, second,
			    "both arguments of a measure name the same text: a.main, b.main or a.body, b.body");
	n->op = NODE_MEASURE;
	n->type = TYPE_NUMBER;
	n->sides = SIDE_PAIR;
	n->swapped = side[0] == SIDE_B;
	n->named_text = named[0];
	n->kind = named[0] ? kind[0] : p->rule->env.default_text;
	if (n->measure == MEASURE_CONTAINMENT_AB && n->swapped)
		n->measure = MEASURE_CONTAINMENT_BA;
	return WN_OK;
}

static int unknown_function(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };
	static const char *const measures[] = { "containment", "jaccard", "dice", "shared" };

	for (size_t i = 0; i < COUNT(measures); i++)
		nearest_try(&near, str(measures[i]));
	for (const struct func_info *f = func_table; f->name; f++)
		nearest_try(&near, str(f->name));
	for (unsigned i = 0; i < ATTR_USER; i++)
		nearest_try(&near, str(attr_name(i)));
	if (near.best.p)
		return FAIL(p, at, "unknown function \"%.*s\"; did you mean \"%.*s\"?",
			    (int)(name.n < 60 ? name.n : 60), name.p, STR_FMT(near.best));
	return FAIL(p, at,
		    "unknown function \"%.*s\"; expected containment, jaccard, dice, shared, year, month, day, lower, "
		    "len, abs, min, max, round, "
		    "startswith, endswith, contains or has",
		    (int)(name.n < 60 ? name.n : 60), name.p);
}

/* name(di): how papers write di.name.  The opening bracket is the token. */
static int parse_field_call(struct parser *p, struct node *n, struct str name, bool *is)
{
	struct lexer lx = p->lx;
	struct token tok = p->tok;
	unsigned side = 0;
	int rc;

	*is = false;
	if (p->rule->env.kind != RULE_PAIR)
		return WN_OK;
	if ((rc = parser_next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_NAME)
		side = doc_side(p->tok.text);
	if (side) {
		if ((rc = parser_next(p)) < 0)
			return rc;
		*is = p->tok.kind == TOK_CLOSE;
	}
	if (!*is) {
		p->lx = lx;
		p->tok = tok;
		return WN_OK;
	}
	n->op = NODE_FIELD;
	n->side = n->sides = side;
	n->end = p->tok.end;
	if ((rc = field_attr(p, n, name)) < 0)
		return rc;
	return parser_next(p);
}

static int parse_args(struct parser *p, struct node *n, const struct func_info *f)
{
	node_vec args = { 0 };
	struct node *arg;
	bool commas = p->lx.commas;
	int rc;

	p->lx.commas = true;
	if ((rc = parser_next(p)) < 0)
		return rc;
	for (;;) {
		if (args.n > f->max_args) {
			rc = FAIL(p, n->at, "%s has at most %u argument%s", f->name, f->max_args,
				  f->max_args == 1 ? "" : "s");
			goto out;
		}
		if ((rc = parse_or(p, &arg)) < 0)
			goto out;
		vec_push(&args, arg);
		if (p->tok.kind != TOK_COMMA)
			break;
		if ((rc = parser_next(p)) < 0)
			goto out;
	}
	if (p->tok.kind != TOK_CLOSE) {
		rc = parser_unexpected(p, "',' or ')'");
		goto out;
	}
	p->lx.commas = commas;
	n->end = p->tok.end;
	if (args.n < f->min_args || args.n > f->max_args) {
		rc = FAIL(p, n->at, "%s has %u argument%s, found %zu", f->name, f->min_args,
			  f->min_args == 1	      ? ""
			  : f->max_args > f->min_args ? "s or more"
						      : "s",
			  args.n);
		goto out;
	}
	if ((rc = parser_kids(p, n, args.p, args.n)) == WN_OK)
		rc = parser_next(p);
out:
	vec_release(&args);
	return rc;
}

static int parse_call(struct parser *p, struct node *n, struct str name)
{
	bool commas = p->lx.commas, is;
	int rc;

	if (measure_of(name, &n->measure)) {
		if ((rc = parse_measure(p, n)) < 0)
			return rc;
		p->lx.commas = commas;
		return parser_next(p);
	}
	if (name_eq(name, STR("sh")))
		return FAIL(p, n->at, "sh(...) stands inside a measure: containment(sh(a), sh(b)) >= 0.7");
	if ((rc = parse_field_call(p, n, name, &is)) < 0 || is)
		return rc;
	for (const struct func_info *f = func_table; f->name; f++)
		if (name_eq(name, str(f->name))) {
			n->op = NODE_CALL;
			n->func = f->func;
			return parse_args(p, n, f);
		}
	return unknown_function(p, name, n->at);
}

static bool setting_of(struct str name) { return name_eq(name, STR("k")) || name_eq(name, STR("unit")); }

static int parse_setting(struct parser *p, struct node *n, struct str name)
{
	const struct rule_env *env = &p->rule->env;

	n->op = NODE_SETTING;
	n->name = name_eq(name, STR("k")) ? STR("k") : STR("unit");
	n->type = n->name.n == 1 ? TYPE_NUMBER : TYPE_TEXT;
	n->num = env->k;
	n->text = env->unit_char ? STR("char") : STR("word");
	return WN_OK;
}

static int bare_name(struct parser *p, struct str name, size_t at)
{
	struct nearest near = { .word = name };

	if (doc_side(name))
		return FAIL(p, p->tok.at, "expected '.' and an attribute after the document, as in a.host");
	if (attr_find(name) == ATTR_TEXT)
		return text_fails(p, at);
	if (attr_find(name) >= 0)
		return FAIL(p, at, "of which document? write a.%.*s or b.%.*s", STR_FMT(name), STR_FMT(name));
	if (name_eq(name, STR("nan")) || name_eq(name, STR("inf")) || name_eq(name, STR("infinity")) ||
	    name_eq(name, STR("null")))
		return FAIL(p, at, "there is no %.*s here; has(a.x) asks whether a value is there", STR_FMT(name));
	nearest_try(&near, STR("and"));
	nearest_try(&near, STR("or"));
	nearest_try(&near, STR("not"));
	nearest_try(&near, STR("true"));
	nearest_try(&near, STR("false"));
	if (near.best.p)
		return FAIL(p, at, "unknown name \"%.*s\"; did you mean \"%.*s\"?", (int)(name.n < 60 ? name.n : 60),
			    name.p, STR_FMT(near.best));
	return FAIL(p, at,
		    "unknown name \"%.*s\"; expected an attribute such as a.host, a measure or a constant (texts stand "
		    "in quotes)",
		    (int)(name.n < 60 ? name.n : 60), name.p);
}

static bool is_user(const struct parser *p, struct str name)
{
	for (size_t i = 0; i < p->rule->env.n_user; i++)
		if (name_eq(name, p->rule->env.user[i].name))
			return true;
	return false;
}

int parse_name(struct parser *p, struct node **out)
{
	struct str name = p->tok.text;
	struct node *n = *out = parser_node(p, NODE_FIELD, p->tok.at);
	bool pair = p->rule->env.kind == RULE_PAIR;
	unsigned side = doc_side(name);
	int rc;

	n->end = p->tok.end;
	if ((rc = parser_next(p)) < 0)
		return rc;
	if (p->tok.kind == TOK_OPEN)
		return parse_call(p, n, name);
	if (p->tok.kind == TOK_DOT) {
		if (!pair)
			return FAIL(p, n->at,
				    "a selection speaks of one document: write the attribute alone, without \"%.*s.\"",
				    STR_FMT(name));
		if (!side)
			return FAIL(p, n->at, "unknown document \"%.*s\"; expected a or b",
				    (int)(name.n < 60 ? name.n : 60), name.p);
		if ((rc = parser_next(p)) < 0)
			return rc;
		if (p->tok.kind != TOK_NAME)
			return parser_unexpected(p, "an attribute");
		n->side = n->sides = side;
		n->at = p->tok.at;
		if ((name_eq(p->tok.text, STR("main")) || name_eq(p->tok.text, STR("body"))) &&
		    !is_user(p, p->tok.text))
			return FAIL(p, p->tok.at,
				    "a.%.*s is a text and stands inside a measure: containment(a.%.*s, b.%.*s)",
				    STR_FMT(p->tok.text), STR_FMT(p->tok.text), STR_FMT(p->tok.text));
		if ((rc = field_attr(p, n, p->tok.text)) < 0)
			return rc;
		n->end = p->tok.end;
		return parser_next(p);
	}
	if (!pair && (attr_find(name) >= 0 || !setting_of(name) || is_user(p, name))) {
		n->side = n->sides = SIDE_A;
		return field_attr(p, n, name);
	}
	if (setting_of(name))
		return parse_setting(p, n, name);
	return bare_name(p, name, n->at);
}

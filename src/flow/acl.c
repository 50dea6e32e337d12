/* flow/acl.c -- see acl.h.
 *
 * Lines are an array sorted by key, then lines with a user first, then by their
 * order in the file.  The keys that are a prefix of a urlkey are found longest
 * first: the last line <= the urlkey either is a prefix or shows how much of
 * the urlkey any prefix can share, which shortens what is searched next.
 */
#include "flow/acl.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "archive/stamp.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "base/vec.h"

struct acl_line {
	struct str key, user;
	bool exact;
	enum acl_access access;
	bool has_before, has_after, has_newer, has_older;
	int64_t before, after; /* captures with time < before, time > after */
	int64_t newer, older;  /* age in seconds less than, more than */
	size_t order;
};

struct acl {
	struct arena arena;
	VEC(struct acl_line) lines;
};

static int by_key(const void *va, const void *vb)
{
	const struct acl_line *a = va, *b = vb;
	int by = str_cmp(a->key, b->key);

	if (by)
		return by;
	if (a->exact != b->exact)
		return a->exact ? -1 : 1;
	if ((a->user.n == 0) != (b->user.n == 0))
		return a->user.n ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* ---- reading ---- */

static int read_access(struct str v, enum acl_access *out, struct err *err)
{
	static const struct {
		const char *name;
		enum acl_access access;
	} names[] = { { "allow", ACL_ALLOW },
		      { "block", ACL_BLOCK },
		      { "exclude", ACL_EXCLUDE },
		      { "allow_ignore_embargo", ACL_ALLOW_IGNORE_EMBARGO } };

	for (size_t i = 0; i < COUNT(names); i++)
		if (str_eq(v, str(names[i].name))) {
			*out = names[i].access;
			return WN_OK;
		}
	return err_set(err, WN_DATA, "access must be allow, block, exclude or allow_ignore_embargo, not '%.*s'",
		       (int)(v.n < 40 ? v.n : 40), v.p);
}

static const struct {
	const char *name;
	int64_t seconds;
} units[] = { { "year", 31556952 }, { "month", 2629746 }, { "week", 604800 }, { "day", 86400 },
	      { "hour", 3600 },	    { "minute", 60 },	  { "second", 1 } };

/* n "days"; false for an unknown unit. */
static bool add_age(struct str unit, struct str number, int64_t *age)
{
	uint64_t n;

	if (!str_u64(str_trim(number), &n) || n > 100000000)
		return false;
	for (size_t i = 0; i < COUNT(units); i++) {
		struct str name = str(units[i].name);

		if (str_eq(unit, name) || (unit.n == name.n + 1 && str_starts(unit, name) && unit.p[name.n] == 's')) {
			*age += (int64_t)n * units[i].seconds;
			return true;
		}
	}
	return false;
}

/* {"years": 1, "days": 2}, "30 days", or a number of days. */
static int read_age(const struct json_value *v, int64_t *age, struct err *err)
{
	bool good = true;

	*age = 0;
	if (v->type == JSON_OBJECT) {
		for (const struct json_value *m = v->first; m && good; m = m->next)
			good = (m->type == JSON_NUMBER || m->type == JSON_STRING) && add_age(m->key, m->text, age);
		good &= v->first != NULL;
	} else if (v->type == JSON_NUMBER) {
		good = add_age(STR("days"), v->text, age);
	} else if (v->type == JSON_STRING) {
		struct str rest = str_trim(v->text), number = str_cut(&rest, ' ');

		good = add_age(rest.p ? str_trim(rest) : STR("days"), number, age);
	} else {
		good = false;
	}
	return good ? WN_OK
		    : err_set(err, WN_DATA, "%.*s: an age like {\"years\": 1} or \"30 days\" is wanted",
			      STR_FMT(v->key));
}

static int read_time(const struct json_value *v, bool last, int64_t *out, struct err *err)
{
	struct stamp t;

	if ((v->type != JSON_STRING && v->type != JSON_NUMBER) || !stamp_parse(v->text, &t) || t.flaw)
		return err_set(err, WN_DATA, "%.*s: a time like 20200131 or 2020-01-31T00:00:00Z is wanted",
			       STR_FMT(v->key));
	*out = last ? stamp_end(&t) : t.time;
	return WN_OK;
}

static int read_member(struct acl *acl, struct acl_line *l, const struct json_value *v, bool *has_access,
		       struct err *err)
{
	if (str_eq(v->key, STR("access"))) {
		*has_access = v->type == JSON_STRING;
		return *has_access ? read_access(v->text, &l->access, err)
				   : err_set(err, WN_DATA, "access must be a string");
	}
	if (str_eq(v->key, STR("user"))) {
		if (v->type != JSON_STRING || v->text.n == 0)
			return err_set(err, WN_DATA, "user must be a name");
		l->user = arena_str(&acl->arena, v->text);
		return WN_OK;
	}
	if (str_eq(v->key, STR("before"))) {
		l->has_before = true;
		return read_time(v, false, &l->before, err);
	}
	if (str_eq(v->key, STR("after"))) {
		l->has_after = true;
		return read_time(v, true, &l->after, err);
	}
	if (str_eq(v->key, STR("newer"))) {
		l->has_newer = true;
		return read_age(v, &l->newer, err);
	}
	if (str_eq(v->key, STR("older"))) {
		l->has_older = true;
		return read_age(v, &l->older, err);
	}
	return WN_OK; /* url, comments: others' */
}

static int read_line(struct acl *acl, struct str line, struct err *err)
{
	struct str rest = line, key = str_cut(&rest, ' '), dash = str_cut(&rest, ' ');
	struct acl_line l = { .order = acl->lines.n };
	struct arena scratch = { 0 };
	struct json_value *object;
	bool has_access = false;
	int rc;

	if (!str_eq(dash, STR("-")) || !rest.p)
		return err_set(err, WN_DATA, "a line is KEY - {\"access\": ...}");
	if (str_eq(key, STR("*")))
		key.n = 0;
	if (str_ends(key, STR("###"))) {
		l.exact = true;
		key.n -= 3;
	}
	l.key = arena_str(&acl->arena, key);
	if ((rc = json_parse(&scratch, str_trim(rest), &object, err)) == WN_OK && object->type != JSON_OBJECT)
		rc = err_set(err, WN_DATA, "a line is KEY - {\"access\": ...}");
	for (const struct json_value *v = rc == WN_OK ? object->first : NULL; v && rc == WN_OK; v = v->next)
		rc = read_member(acl, &l, v, &has_access, err);
	if (rc == WN_OK && !has_access)
		rc = err_set(err, WN_DATA, "it has no access");
	arena_release(&scratch);
	if (rc == WN_OK)
		vec_push(&acl->lines, l);
	return rc < 0 && rc != WN_DATA ? err_set(err, WN_DATA, "its JSON cannot be read") : rc;
}

int acl_parse(struct acl **out, struct str text, struct err *err)
{
	struct acl *acl = mem_zalloc(sizeof *acl);
	size_t number = 0;
	int rc = WN_OK;

	while (text.p && text.n && rc == WN_OK) {
		struct str line = str_trim(str_cut(&text, '\n'));

		number++;
		if (line.n == 0 || line.p[0] == '#')
			continue;
		if ((rc = read_line(acl, line, err)) < 0)
			err_in(err, "access rules, line %zu", number);
	}
	if (rc < 0) {
		acl_free(acl);
		return rc;
	}
	if (acl->lines.n)
		sort_array(acl->lines.p, acl->lines.n, sizeof *acl->lines.p, by_key);
	*out = acl;
	return WN_OK;
}

int acl_load(struct acl **out, const char *path, struct err *err)
{
	struct arena a = { 0 };
	struct str text;
	int rc = os_slurp(&a, path, LIMIT_ACL, &text, err);

	if (rc == WN_OK && (rc = acl_parse(out, text, err)) < 0)
		err_in(err, "%s", path);
	arena_release(&a);
	return rc;
}

int acl_of(struct acl **out, const char *dir, struct err *err)
{
	struct arena a = { 0 };
	const char *path = arena_printf(&a, "%s/access.aclj", dir).p;
	int rc = WN_OK;

	*out = NULL;
	if (access(path, F_OK) == 0)
		rc = acl_load(out, path, err);
	arena_release(&a);
	return rc;
}

int acl_state_of(const char *dir, uint64_t *out, struct err *err)
{
	struct arena a = { 0 };
	struct acl *acl = NULL;
	struct str text = STR_NONE;
	const char *path = arena_printf(&a, "%s/access.aclj", dir).p;
	bool aging = false;
	int rc = WN_OK;

	*out = 0;
	if (access(path, F_OK) == 0 && (rc = os_slurp(&a, path, LIMIT_ACL, &text, err)) == WN_OK &&
	    (rc = acl_parse(&acl, text, err)) == WN_OK) {
		for (size_t i = 0; i < acl->lines.n; i++)
			aging |= acl->lines.p[i].has_newer || acl->lines.p[i].has_older;
		*out = hash64(text.p, text.n) ^ (aging ? (uint64_t)time(NULL) / 86400 : 0);
		*out += !*out;
	}
	acl_free(acl);
	arena_release(&a);
	return rc;
}

void acl_free(struct acl *acl)
{
	if (!acl)
		return;
	vec_release(&acl->lines);
	arena_release(&acl->arena);
	mem_free(acl);
}

/* ---- asking ---- */

static bool timed(const struct acl_line *l) { return l->has_before || l->has_after || l->has_newer || l->has_older; }

static bool fits(const struct acl_line *l, struct str urlkey, int64_t time, struct str user, int64_t now)
{
	if ((l->exact && l->key.n != urlkey.n) || (l->user.n && !str_eq(l->user, user)))
		return false;
	return (!l->has_before || time < l->before) && (!l->has_after || time > l->after) &&
	       (!l->has_newer || time > now - l->newer) && (!l->has_older || time < now - l->older);
}

/* How many lines have a key <= k. */
static size_t lines_up_to(const struct acl *acl, struct str k)
{
	size_t low = 0, high = acl->lines.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_cmp(acl->lines.p[middle].key, k) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t shared(struct str a, struct str b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

enum acl_access acl_check_at(const struct acl *acl, struct str urlkey, int64_t time, struct str user, int64_t now)
{
	struct str left = urlkey; /* prefixes of it are still to be tried */
	bool decided = false;

	while (acl) {
		size_t end = lines_up_to(acl, left), from = end;
		struct str key;

		if (end == 0)
			break;
		key = acl->lines.p[end - 1].key;
		if (!str_starts(urlkey, key)) {
			left = str_sub(urlkey, 0, shared(key, left));
			if (left.n == 0 && acl->lines.p[0].key.n)
				break;
			continue;
		}
		while (from > 0 && str_eq(acl->lines.p[from - 1].key, key))
			from--;
		for (size_t i = from; i < end; i++) {
			const struct acl_line *l = &acl->lines.p[i];
			bool embargo = timed(l) && (l->access == ACL_BLOCK || l->access == ACL_EXCLUDE);

			if (!fits(l, urlkey, time, user, now) || (decided && !embargo))
				continue;
			if (l->access == ACL_ALLOW_IGNORE_EMBARGO)
				return ACL_ALLOW;
			if (l->access != ACL_ALLOW)
				return l->access;
			decided = true;
		}
		if (key.n == 0)
			break;
		left = str_sub(urlkey, 0, key.n - 1);
	}
	return ACL_ALLOW;
}

enum acl_access acl_check(const struct acl *acl, struct str urlkey, int64_t time_, struct str user)
{
	return acl ? acl_check_at(acl, urlkey, time_, user, (int64_t)time(NULL)) : ACL_ALLOW;
}

/* serve/multipart.c -- see multipart.h. */
#include "serve/multipart.h"

#include "base/limits.h"
#include "base/mem.h"

enum { BEFORE, HEAD, DATA, AFTER };
#define HELD_MAX (64 * KIB)

/* The value of name="..." or name=... in a header. */
static struct str parameter(struct str header, const char *name)
{
	struct str rest = header;

	while (rest.n) {
		struct str one = str_trim(str_cut(&rest, ';')), value = one, key = str_trim(str_cut(&value, '='));

		if (!value.p || !str_ieq(key, str(name)))
			continue;
		value = str_trim(value);
		if (value.n >= 2 && value.p[0] == '"' && value.p[value.n - 1] == '"')
			value = str_sub(value, 1, value.n - 1);
		return value;
	}
	return STR_NONE;
}

bool multipart_init(struct multipart *m, struct str content_type)
{
	struct str boundary = parameter(content_type, "boundary");

	*m = (struct multipart){ .plain = !str_istarts(content_type, STR("multipart/form-data")),
				 .held = BUF(HELD_MAX + 256 * KIB) };
	if (m->plain)
		return true;
	if (!boundary.n || boundary.n > 70)
		return false;
	buf_str(&m->held, STR("\r\n--"));
	buf_str(&m->held, boundary);
	char *mark = mem_alloc(m->held.n);

	memcpy(mark, m->held.p, m->held.n);
	m->mark = str_n(mark, m->held.n);
	buf_reset(&m->held);
	buf_str(&m->held, STR("\r\n")); /* so that the first mark looks like the others */
	return true;
}

void multipart_release(struct multipart *m)
{
	buf_release(&m->held);
	mem_free((void *)(uintptr_t)m->mark.p);
	m->mark = STR_NONE;
}

static void drop(struct multipart *m, size_t n)
{
	m->held.n -= n;
	memmove(m->held.p, m->held.p + n, m->held.n);
}

static void copy(char *to, size_t room, struct str s)
{
	size_t n = s.n < room - 1 ? s.n : room - 1;

	if (n)
		memcpy(to, s.p, n);
	to[n] = 0;
}

static void read_head(struct multipart *m, struct str head)
{
	struct str file = STR_NONE, name = STR_NONE;

	while (head.n) {
		struct str line = str_trim(str_cut(&head, '\n'));

		if (!str_istarts(line, STR("Content-Disposition:")))
			continue;
		file = parameter(line, "filename");
		name = parameter(line, "name");
	}
	m->in_file = file.n > 0 && !m->had_file;
	m->in_field = !file.p && name.n && m->n_fields < MULTIPART_FIELDS;
	if (m->in_file) {
		m->had_file = true;
		copy(m->file, sizeof m->file, file);
	} else if (m->in_field) {
		copy(m->fields[m->n_fields].name, sizeof m->fields->name, name);
		m->fields[m->n_fields].n = 0;
		m->fields[m->n_fields++].value[0] = 0;
	}
}

static bool give(struct multipart *m, struct str s, bool (*out)(void *context, struct str bytes), void *context)
{
	if (!s.n)
		return true;
	if (m->in_file)
		return out(context, s);
	if (m->in_field) {
		size_t *have = &m->fields[m->n_fields - 1].n;

		s = str_sub(s, 0, MULTIPART_VALUE - *have);
		copy(m->fields[m->n_fields - 1].value + *have, sizeof m->fields->value - *have, s);
		*have += s.n;
	}
	return true;
}

bool multipart_add(struct multipart *m, struct str data, bool (*out)(void *context, struct str bytes), void *context,
		   bool *bad)
{
	*bad = false;
	if (m->plain)
		return out(context, data);
	if (!buf_str(&m->held, data))
		return !(*bad = true);
	for (;;) {
		struct str held = buf_view(&m->held);
		ptrdiff_t at;

		switch (m->state) {
		case BEFORE:
		case DATA:
			at = str_find(held, m->mark);
			if (at < 0) { /* all but what may be the beginning of a mark */
				size_t safe = held.n > m->mark.n ? held.n - m->mark.n : 0;

				if (m->state == DATA && !give(m, str_sub(held, 0, safe), out, context))
					return false;
				drop(m, safe);
				return true;
			}
			if (m->state == DATA && !give(m, str_sub(held, 0, (size_t)at), out, context))
				return false;
			drop(m, (size_t)at + m->mark.n);
			m->state = HEAD;
			break;
		case HEAD:
			if (held.n >= 2 && held.p[0] == '-' && held.p[1] == '-') {
				m->state = AFTER;
				break;
			}
			at = str_find(held, STR("\r\n\r\n"));
			if (at < 0)
				return !(*bad = held.n > 16 * KIB);
			read_head(m, str_sub(held, 0, (size_t)at));
			drop(m, (size_t)at + 4);
			m->state = DATA;
			break;
		default: buf_reset(&m->held); return true;
		}
	}
}

struct str multipart_field(const struct multipart *m, const char *name)
{
	for (unsigned i = 0; i < m->n_fields; i++)
		if (strcmp(m->fields[i].name, name) == 0)
			return str_n(m->fields[i].value, m->fields[i].n);
	return STR_NONE;
}

/* base/json.h -- writing JSON, and reading it where others hand it to us.
 *
 * Writer: calls nest as the text does; commas and quoting are its business.
 *
 *	struct json j = { .out = &buf };
 *	json_open(&j, '{'); json_put_u64(&j, "kept", 7); json_close(&j, '}');
 *
 * Bytes that are not UTF-8 are written as U+FFFD.
 *
 * Reader: json_parse gives a tree in the arena, at most LIMIT_JSON_DEPTH deep.
 */
#ifndef WINNOW_BASE_JSON_H
#define WINNOW_BASE_JSON_H
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

struct json {
	struct buf *out;
	bool comma;  /* the next value needs one in front */
	bool spaced; /* ", " and ": " as Python's json.dumps */
	bool indent; /* a line per member; for people */
	unsigned depth;
};

void json_open(struct json *j, char bracket);  /* '{' or '[' */
void json_close(struct json *j, char bracket); /* '}' or ']' */
void json_key(struct json *j, const char *key);
void json_key_str(struct json *j, struct str key);
void json_str(struct json *j, struct str s);
void json_z(struct json *j, const char *s); /* NULL gives null */
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_double(struct json *j, double v, int decimals);
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
/* A key and its value. */
void json_put_open(struct json *j, const char *key, char bracket);
void json_put_str(struct json *j, const char *key, struct str s);
void json_put_z(struct json *j, const char *key, const char *s);
void json_put_u64(struct json *j, const char *key, uint64_t v);
void json_put_i64(struct json *j, const char *key, int64_t v);
void json_put_double(struct json *j, const char *key, double v, int decimals);
void json_put_bool(struct json *j, const char *key, bool v);
void json_put_text(struct json *j, const char *key, struct str s); /* null when empty */
void json_quote(struct buf *out, struct str s);			   /* only the quoted string */

enum json_type { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
	enum json_type type;
	struct str text;		 /* string: decoded; number: as written */
	struct str key;			 /* as a member: its key, decoded */
	struct json_value *first, *next; /* members, elements; siblings */
};

int json_parse(struct arena *a, struct str text, struct json_value **out, struct err *err);
const struct json_value *json_get(const struct json_value *object, const char *key); /* NULL when absent */
/* The text of a string or number member; STR_NONE when absent or of another type. */
struct str json_text(const struct json_value *object, const char *key);
#endif

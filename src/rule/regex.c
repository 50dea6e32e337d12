/* rule/regex.c -- regular expressions at work.
 *
 * A state of the lazy automaton is the sorted list of program places reached
 * before the next symbol, with whether the last symbol was a word character
 * and whether the text has just begun.  Places that wait for an assertion are
 * resolved when the next symbol is known, so ^ $ \b \B need no second pass.
 *	Each step costs one table look-up, or O(program) when it is taken for
 * the first time.  The table holds LIMIT_REGEX_STATES states; when it is full
 * it is emptied and filled anew, so memory is bounded and time stays linear.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "rule/regex_prog.h"

enum {
	NEXT_UNKNOWN = 0,
	NEXT_MATCH = 1,
	NEXT_FAIL = 2,
	NEXT_FIRST = 3
}; /* a transition: these, or state + NEXT_FIRST */
enum { PREV_WORD = 1, PREV_NONE = 2 };

struct state {
	uint32_t *places; /* n of them, ascending */
	uint32_t n;
	unsigned prev;
	uint32_t *next; /* by symbol, then the end */
};

struct regex_run {
	const struct regex *re;
	struct arena arena; /* states */
	struct state *states;
	size_t n_states;
	uint32_t table[2 * LIMIT_REGEX_STATES]; /* state + 1 by hash */
	/* scratch of a step */
	uint32_t *stack, *stepped;
	uint8_t *seen, *in_next;
};

struct regex_run *regex_run_new(const struct regex *re)
{
	struct regex_run *run = mem_zalloc(sizeof *run);

	run->re = re;
	run->states = mem_zarray(LIMIT_REGEX_STATES, sizeof *run->states);
	run->stack = mem_array(re->n * 3 + 4, sizeof *run->stack);
	run->stepped = mem_array(re->n + 1, sizeof *run->stepped);
	run->seen = mem_zalloc(re->n + 1);
	run->in_next = mem_zalloc(re->n + 1);
	return run;
}

void regex_run_free(struct regex_run *run)
{
	if (!run)
		return;
	arena_release(&run->arena);
	mem_free(run->states);
	mem_free(run->stack);
	mem_free(run->stepped);
	mem_free(run->seen);
	mem_free(run->in_next);
	mem_free(run);
}

static uint32_t state_find(struct regex_run *run, const uint32_t *places, uint32_t n, unsigned prev)
{
	uint64_t h = hash64(places, n * sizeof *places) ^ mix64(prev + 1);
	size_t slot = h % COUNT(run->table);
	struct state *s;

	for (; run->table[slot]; slot = (slot + 1) % COUNT(run->table)) {
		s = &run->states[run->table[slot] - 1];
		if (s->n == n && s->prev == prev && memcmp(s->places, places, n * sizeof *places) == 0)
			return run->table[slot] - 1;
	}
	s = &run->states[run->n_states];
	s->places = ARENA_ARRAY(&run->arena, uint32_t, n + 1);
	memcpy(s->places, places, n * sizeof *places);
	s->n = n;
	s->prev = prev;
	s->next = arena_zalloc(&run->arena, (run->re->n_symbols + 1) * sizeof *s->next);
	run->table[slot] = (uint32_t)run->n_states + 1;
	return (uint32_t)run->n_states++;
}

static void forget_states(struct regex_run *run)
{
	memset(run->table, 0, sizeof run->table);
	run->n_states = 0;
	arena_reset(&run->arena);
}

static bool assertion_holds(enum inst_op op, unsigned prev, bool next_word, bool at_end)
{
	bool before = prev & PREV_WORD, after = !at_end && next_word;

	switch (op) {
	case INST_START: return prev & PREV_NONE;
	case INST_FINISH: return at_end;
	case INST_WORD: return before != after;
	default: return before == after;
	}
}

/* Where a state goes on symbol (n_symbols is the end): NEXT_MATCH, NEXT_FAIL,
 * or the places in run->stepped with *n.  seen and in_next are zero outside. */
static uint32_t step(struct regex_run *run, const uint32_t *places, uint32_t count, unsigned prev, size_t symbol,
		     uint32_t *n)
{
	const struct regex *re = run->re;
	bool at_end = symbol == re->n_symbols, next_word = !at_end && re->is_word && re->is_word[symbol], match = false;
	size_t top = 0;

	*n = 0;
	memset(run->seen, 0, re->n + 1);
	for (uint32_t i = count; i-- > 0;)
		run->stack[top++] = places[i];
	while (top > 0) {
		uint32_t at = run->stack[--top];
		const struct inst *in = &re->insts[at];

		if (run->seen[at])
			continue;
		run->seen[at] = 1;
		switch (in->op) {
		case INST_SPLIT:
			if (!run->seen[in->y])
				run->stack[top++] = in->y;
			if (!run->seen[in->x])
				run->stack[top++] = in->x;
			break;
		case INST_JUMP: run->stack[top++] = in->x; break;
		case INST_SET:
			if (!at_end && re->sets[in->x][symbol])
				run->in_next[at + 1] = 1;
			break;
		case INST_MATCH:
			if (at_end || !(re->flags & REGEX_FULL))
				match = true;
			break;
		default:
			if (assertion_holds(in->op, prev, next_word, at_end))
				run->stack[top++] = at + 1;
		}
	}
	if (!(re->flags & (REGEX_FULL | REGEX_START)))
		run->in_next[0] = 1; /* a match may begin at the next place */
	for (uint32_t i = 0; i <= re->n; i++)
		if (run->in_next[i]) {
			run->in_next[i] = 0;
			run->stepped[(*n)++] = i;
		}
	if (match)
		return NEXT_MATCH;
	return at_end || *n == 0 ? NEXT_FAIL : NEXT_FIRST;
}

static uint32_t transition(struct regex_run *run, uint32_t *from, size_t symbol)
{
	struct state *s = &run->states[*from];
	unsigned prev = run->re->is_word && symbol < run->re->n_symbols && run->re->is_word[symbol] ? PREV_WORD : 0;
	uint32_t n, next = step(run, s->places, s->n, s->prev, symbol, &n);

	if (next == NEXT_FIRST) {
		if (run->n_states == LIMIT_REGEX_STATES || run->arena.used > LIMIT_REGEX_MEMORY) {
			forget_states(run);
			return state_find(run, run->stepped, n, prev) + NEXT_FIRST;
		}
		next = state_find(run, run->stepped, n, prev) + NEXT_FIRST;
	}
	s->next[symbol] = next;
	return next;
}

bool regex_match(struct regex_run *run, struct str s)
{
	const struct regex *re = run->re;
	const char *p = s.p, *end = str_end(s);
	uint32_t start = 0, state, next;

	if (run->n_states + 1 >= LIMIT_REGEX_STATES || run->arena.used > LIMIT_REGEX_MEMORY)
		forget_states(run);
	state = state_find(run, &start, 1, PREV_NONE);
	while (p < end) {
		size_t symbol;

		if ((unsigned char)*p < 128) {
			symbol = re->ascii[(unsigned char)*p++];
		} else {
			uint32_t cp;

			p += utf8_decode(p, end, &cp);
			symbol = regex_symbol(re, cp);
		}
		next = run->states[state].next[symbol];
		if (next == NEXT_UNKNOWN)
			next = transition(run, &state, symbol);
		if (next < NEXT_FIRST)
			return next == NEXT_MATCH;
		state = next - NEXT_FIRST;
	}
	next = run->states[state].next[re->n_symbols];
	if (next == NEXT_UNKNOWN)
		next = transition(run, &state, re->n_symbols);
	return next == NEXT_MATCH;
}

/* The same without the table: every step computed anew. */
bool regex_match_plainly(const struct regex *re, struct str s)
{
	struct regex_run *run = regex_run_new(re);
	uint32_t *places = mem_array(re->n + 1, sizeof *places), n = 1, next = NEXT_FIRST;
	unsigned prev = PREV_NONE;

	places[0] = 0;
	for (size_t at = 0; next == NEXT_FIRST;) {
		size_t symbol = re->n_symbols, count = n;

		if (at < s.n) {
			uint32_t cp;

			at += utf8_decode(s.p + at, str_end(s), &cp);
			symbol = regex_symbol(re, cp);
		}
		next = step(run, places, (uint32_t)count, prev, symbol, &n);
		memcpy(places, run->stepped, n * sizeof *places);
		prev = symbol < re->n_symbols && re->is_word && re->is_word[symbol] ? PREV_WORD : 0;
	}
	mem_free(places);
	regex_run_free(run);
	return next == NEXT_MATCH;
}

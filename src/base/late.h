/* base/late.h -- libraries that are loaded when one of their functions is first called.
 *
 * A file that includes this defines, with LATE and LATE_VOID, functions of a library's own names and types, so that
 * callers are written as if it were linked; the library's headers hold them to those types.  Safe from any thread.
 */
#ifndef WINNOW_BASE_LATE_H
#define WINNOW_BASE_LATE_H
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define QUOTE_(x) #x
#define QUOTE(x) QUOTE_(x)

struct late_library {
	const char *file; /* by the name of the interface that the headers are of */
	void *handle;
	pthread_mutex_t lock;
};

#define LATE_LIBRARY(file)                            \
	{                                             \
		file, NULL, PTHREAD_MUTEX_INITIALIZER \
	}

/* A function's address, which is put to *at too; ends the program when the library is not there. */
void *late_load(struct late_library *l, const char *name, _Atomic(void *) *at);

/* POSIX has a function's address in a pointer to void; C does not. */
#define FUNCTION(library, name)                                              \
	static _Atomic(void *) late_at;                                      \
	void *late_p = atomic_load_explicit(&late_at, memory_order_acquire); \
	__typeof__(name) *late_f;                                            \
	if (!late_p)                                                         \
		late_p = late_load(&(library), QUOTE(name), &late_at);       \
	memcpy(&late_f, &late_p, sizeof late_f)

#define LATE(library, type, name, parameters, arguments) \
	type name parameters                             \
	{                                                \
		FUNCTION(library, name);                 \
		return late_f arguments;                 \
	}

#define LATE_VOID(library, name, parameters, arguments) \
	void name parameters                            \
	{                                               \
		FUNCTION(library, name);                \
		late_f arguments;                       \
	}
#endif

/* base/mem.h -- the one allocator.
 *
 * Memory that cannot be had ends the process with exit code 3 and a message:
 * what was committed stays committed, and no caller needs a second path.
 * In a build with faults (base/fault.h) any allocation can be made to fail.
 */
#ifndef WINNOW_BASE_MEM_H
#define WINNOW_BASE_MEM_H
#include <stddef.h>

void *mem_alloc(size_t n) __attribute__((malloc, alloc_size(1), returns_nonnull));
void *mem_zalloc(size_t n) __attribute__((malloc, alloc_size(1), returns_nonnull));
void *mem_realloc(void *p, size_t n) __attribute__((alloc_size(2), returns_nonnull));
/* count * size with overflow checked; the array forms of the above. */
void *mem_array(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *mem_zarray(size_t count, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));
void *mem_rearray(void *p, size_t count, size_t size) __attribute__((alloc_size(2, 3), returns_nonnull));
char *mem_strdup(const char *s) __attribute__((malloc, returns_nonnull));
void mem_free(void *p); /* p may be NULL */

/* A large zeroed array from the system, with huge pages asked for; give it
 * back with mem_unmap.  For tables of many megabytes. */
void *mem_map(size_t n) __attribute__((returns_nonnull));
void mem_unmap(void *p, size_t n);
/* About n bytes of arrays will be asked for: the heap grows by as much at once, with huge pages, and is not given back
 * while the process lives.  For the beginning of a short command: its arrays then cost few page faults. */
void mem_expect(size_t n);
/* With less than MEM_PLENTY for the whole process: what is freed goes back to the system, and threads share a heap. */
#define MEM_PLENTY ((size_t)512 << 20)
void mem_thrifty(void);
void mem_give_back(void); /* between two phases of such a process: also what lies free between what is in use */
/* What is left of `most` beside what the process holds now; an eighth of it at least. */
size_t mem_left(size_t most);

/* What the machine has, or the control group of this process may use if that is less. */
size_t mem_machine(void);

/* Peak anonymous memory of the process in bytes (VmHWM less file pages is not
 * known to the kernel, so: the largest RssAnon that mem_watch has seen). */
size_t mem_now(void);  /* RssAnon now */
size_t mem_peak(void); /* the largest mem_now() so far, sampled by mem_watch() */
void mem_watch(void);  /* takes a sample; cheap, call it once per batch */
#endif

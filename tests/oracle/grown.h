/* oracle/grown.h -- a kernel whose open documents get their lists as they are given out. */
#ifndef WINNOW_ORACLE_GROWN_H
#define WINNOW_ORACLE_GROWN_H
#include "join/coverage.h"

/* A kernel_row; context: the kernel, into whose graph the list goes. */
void grown_row(void *context, uint32_t doc, const uint32_t *by, size_t n);
#endif

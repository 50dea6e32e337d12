/* unit/archive/make.h -- archives made for tests, in memory and as files. */
#ifndef WINNOW_TESTS_MAKE_H
#define WINNOW_TESTS_MAKE_H
#include "base/buf.h"
#include "test.h"

enum make_coding { MAKE_PLAIN, MAKE_GZIP, MAKE_GZIP_EXTRA, MAKE_ZSTD, MAKE_LZ4, MAKE_BZIP2, MAKE_CODINGS };

/* One WARC record; block may hold any bytes. */
struct str make_record(struct arena *a, const char *type, const char *uri, struct str block, const char *more_fields);
/* data as one member of that coding. */
struct str make_member(struct arena *a, struct str data, enum make_coding coding);
struct str make_join(struct arena *a, const struct str *parts, size_t n);
struct str make_noise(struct test *t, size_t n);			  /* random bytes, compressible by half */
const char *make_file(struct test *t, const char *name, struct str data); /* its path, in the test's directory */
struct str make_hex(struct arena *a, const char *hex);
#endif

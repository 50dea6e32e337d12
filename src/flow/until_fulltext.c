#include "fulltext/index.h"
#include "fulltext/search.h"
__attribute__((weak)) struct ftbuild *ftbuild_new(size_t m){(void)m;return (void*)1;}
__attribute__((weak)) void ftbuild_free(struct ftbuild*b){(void)b;}
__attribute__((weak)) void ftbuild_add(struct ftbuild *b, uint64_t c, struct str t, struct str s){(void)b;(void)c;(void)t;(void)s;}
__attribute__((weak)) bool ftbuild_full(const struct ftbuild *b){(void)b;return false;}
__attribute__((weak)) int ftindex_open(struct ftindex **o,const char*d,struct err*e){(void)d;(void)e;*o=(void*)1;return 0;}
__attribute__((weak)) void ftindex_close(struct ftindex *x){(void)x;}
__attribute__((weak)) uint64_t ftindex_end(const struct ftindex*x){(void)x;return 0;}
__attribute__((weak)) int ftindex_flush(struct ftindex *x, struct ftbuild *b, struct err *e){(void)x;(void)b;(void)e;return 0;}
__attribute__((weak)) int ftindex_truncate(struct ftindex*x,uint64_t n,struct err*e){(void)x;(void)n;(void)e;return 0;}
__attribute__((weak)) int ftindex_commit(struct ftindex*x,struct err*e){(void)x;(void)e;return 0;}
__attribute__((weak)) int ftindex_merge(struct ftindex*x,bool*d,struct err*e){(void)x;(void)e;*d=0;return 0;}
__attribute__((weak)) int ftreader_open(struct ftreader**o,const char*d,struct err*e){(void)d;(void)e;*o=(void*)1;return 0;}
__attribute__((weak)) void ftreader_close(struct ftreader*r){(void)r;}
__attribute__((weak)) int ftquery_parse(struct arena*a,struct str t,struct ftquery**o,struct err*e){(void)a;(void)t;*o=0;(void)e;return 0;}
__attribute__((weak)) int ftsearch_bits(const struct ftreader*r,const struct ftquery*q,uint64_t*b,uint64_t n,uint64_t*c,struct err*e){(void)r;(void)q;(void)b;(void)n;(void)c;(void)e;return 0;}
#include "text/feed.h"
__attribute__((weak)) bool feed_is(struct str p){(void)p;return false;}
__attribute__((weak)) void feed_read(struct arena*a,struct str p,struct feed*o){(void)a;(void)p;(void)o;}

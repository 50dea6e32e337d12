/* base/late.c -- see late.h: ICU, uchardet, libpsl and libcrypto.
 *
 * The first three bring four more libraries along, and with libcrypto they were
 * two thirds of what starting the program cost, which is a good part of a small
 * command.
 */
#include "base/late.h"

#include <dlfcn.h>
#include <libpsl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <uchardet.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/ucnv_cb.h>
#include <unicode/ucnv_err.h>
#include <unicode/uidna.h>
#include <unicode/uset.h>
#include <unicode/ustring.h>

#include "base/log.h"

void *late_load(struct late_library *l, const char *name, _Atomic(void *) *at)
{
	void *found;

	pthread_mutex_lock(&l->lock);
	if (!l->handle)
		l->handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
	found = l->handle ? dlsym(l->handle, name) : NULL;
	pthread_mutex_unlock(&l->lock);
	if (!found)
		die("%s cannot be loaded, which this needs: install it again", l->file);
	atomic_store_explicit(at, found, memory_order_release);
	return found;
}

static struct late_library icu = LATE_LIBRARY("libicuuc.so." U_ICU_VERSION_SHORT),
			   chardet = LATE_LIBRARY("libuchardet.so.0"), psl = LATE_LIBRARY("libpsl.so.5"),
			   crypto = LATE_LIBRARY("libcrypto.so." QUOTE(OPENSSL_SHLIB_VERSION));

/* ---- ICU: one character ---- */

LATE(icu, UChar32, u_tolower, (UChar32 c), (c))
LATE(icu, UChar *, u_uastrcpy, (UChar * to, const char *from), (to, from))

/* ---- ICU: converters ---- */

LATE(icu, UConverter *, ucnv_open, (const char *name, UErrorCode *e), (name, e))
LATE_VOID(icu, ucnv_close, (UConverter * c), (c))
LATE_VOID(icu, ucnv_resetToUnicode, (UConverter * c), (c))
LATE_VOID(icu, ucnv_cbToUWriteUChars,
	  (UConverterToUnicodeArgs * args, const UChar *source, int32_t n, int32_t offset, UErrorCode *e),
	  (args, source, n, offset, e))
LATE_VOID(icu, ucnv_setToUCallBack,
	  (UConverter * c, UConverterToUCallback now, const void *context, UConverterToUCallback *before,
	   const void **context_before, UErrorCode *e),
	  (c, now, context, before, context_before, e))
LATE_VOID(icu, ucnv_setFromUCallBack,
	  (UConverter * c, UConverterFromUCallback now, const void *context, UConverterFromUCallback *before,
	   const void **context_before, UErrorCode *e),
	  (c, now, context, before, context_before, e))
LATE_VOID(icu, ucnv_toUnicode,
	  (UConverter * c, UChar **to, const UChar *to_end, const char **from, const char *from_end, int32_t *offsets,
	   UBool flush, UErrorCode *e),
	  (c, to, to_end, from, from_end, offsets, flush, e))
LATE_VOID(icu, ucnv_fromUnicode,
	  (UConverter * c, char **to, const char *to_end, const UChar **from, const UChar *from_end, int32_t *offsets,
	   UBool flush, UErrorCode *e),
	  (c, to, to_end, from, from_end, offsets, flush, e))
LATE_VOID(icu, UCNV_FROM_U_CALLBACK_STOP,
	  (const void *context, UConverterFromUnicodeArgs *args, const UChar *units, int32_t n, UChar32 c,
	   UConverterCallbackReason reason, UErrorCode *e),
	  (context, args, units, n, c, reason, e))

/* ---- ICU: names of hosts ---- */

LATE(icu, UIDNA *, uidna_openUTS46, (uint32_t options, UErrorCode *e), (options, e))
LATE(icu, int32_t, uidna_nameToASCII_UTF8,
     (const UIDNA *idna, const char *name, int32_t n, char *to, int32_t room, UIDNAInfo *info, UErrorCode *e),
     (idna, name, n, to, room, info, e))

/* ---- ICU: sets of characters ---- */

LATE(icu, USet *, uset_openEmpty, (void), ())
LATE(icu, USet *, uset_open, (UChar32 from, UChar32 to), (from, to))
LATE(icu, USet *, uset_openPattern, (const UChar *pattern, int32_t n, UErrorCode *e), (pattern, n, e))
LATE(icu, USet *, uset_clone, (const USet *s), (s))
LATE_VOID(icu, uset_close, (USet * s), (s))
LATE_VOID(icu, uset_addRange, (USet * s, UChar32 from, UChar32 to), (s, from, to))
LATE_VOID(icu, uset_addAll, (USet * s, const USet *more), (s, more))
LATE_VOID(icu, uset_closeOver, (USet * s, int32_t attributes), (s, attributes))
LATE_VOID(icu, uset_complement, (USet * s), (s))
LATE_VOID(icu, uset_removeAllStrings, (USet * s), (s))
LATE(icu, UBool, uset_contains, (const USet *s, UChar32 c), (s, c))
LATE(icu, UBool, uset_equals, (const USet *a, const USet *b), (a, b))
LATE(icu, int32_t, uset_size, (const USet *s), (s))
LATE(icu, int32_t, uset_getItemCount, (const USet *s), (s))
LATE(icu, int32_t, uset_getItem,
     (const USet *s, int32_t i, UChar32 *from, UChar32 *to, UChar *text, int32_t room, UErrorCode *e),
     (s, i, from, to, text, room, e))

/* ---- uchardet ---- */

LATE(chardet, uchardet_t, uchardet_new, (void), ())
LATE_VOID(chardet, uchardet_delete, (uchardet_t u), (u))
LATE(chardet, int, uchardet_handle_data, (uchardet_t u, const char *p, size_t n), (u, p, n))
LATE_VOID(chardet, uchardet_data_end, (uchardet_t u), (u))
LATE(chardet, const char *, uchardet_get_charset, (uchardet_t u), (u))

/* ---- libpsl ---- */

LATE(psl, const psl_ctx_t *, psl_builtin, (void), ())
LATE(psl, const char *, psl_registrable_domain, (const psl_ctx_t *list, const char *name), (list, name))

/* ---- libcrypto ---- */

LATE(crypto, EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())
LATE_VOID(crypto, EVP_MD_CTX_free, (EVP_MD_CTX * c), (c))
LATE(crypto, EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * library, const char *name, const char *properties),
     (library, name, properties))
LATE_VOID(crypto, EVP_MD_free, (EVP_MD * m), (m))
LATE(crypto, int, EVP_DigestInit_ex, (EVP_MD_CTX * c, const EVP_MD *m, ENGINE *e), (c, m, e))
LATE(crypto, int, EVP_DigestInit_ex2, (EVP_MD_CTX * c, const EVP_MD *m, const OSSL_PARAM *params), (c, m, params))
LATE(crypto, int, EVP_DigestUpdate, (EVP_MD_CTX * c, const void *p, size_t n), (c, p, n))
LATE(crypto, int, EVP_DigestFinal_ex, (EVP_MD_CTX * c, unsigned char *out, unsigned int *n), (c, out, n))
LATE(crypto, const char *, OpenSSL_version, (int what), (what))

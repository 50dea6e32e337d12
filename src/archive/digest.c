/* archive/digest.c -- digests by libcrypto; the methods are fetched once per process. */
#include "archive/digest.h"

#define OPENSSL_SUPPRESS_DEPRECATED /* digest_sha256 */
#include <openssl/evp.h>
#include <pthread.h>

#include "base/log.h"

static const struct {
	const char *label, *fetch;
	size_t size;
} kinds[DIGEST_KINDS] = {
	[DIGEST_NONE] = { "", "", 0 },
	[DIGEST_SHA1] = { "sha1", "SHA1", 20 },
	[DIGEST_SHA256] = { "sha256", "SHA256", 32 },
	[DIGEST_MD5] = { "md5", "MD5", 16 },
};

static EVP_MD *methods[DIGEST_KINDS];
static pthread_once_t fetched = PTHREAD_ONCE_INIT;

static void fetch(void)
{
	for (int k = DIGEST_SHA1; k < DIGEST_KINDS; k++)
		methods[k] = EVP_MD_fetch(NULL, kinds[k].fetch, NULL);
}

static int base32_digit(char c)
{
	c = ascii_lower(c);
	if (c >= 'a' && c <= 'z')
		return c - 'a';
	return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* The three ways to write bytes; a digest of one kind has another length in each. */
static const struct {
	unsigned bits; /* of a digit */
	int (*digit)(char c);
} bases[] = { { 4, hex_digit }, { 5, base32_digit }, { 6, base64_digit } };

/* Reads s, without padding, in a base of so many bits. */
static bool read_base(struct str s, unsigned bits, int (*digit)(char c), unsigned char *out, size_t size)
{
	uint32_t read = 0;
	unsigned nread = 0;
	size_t n = 0;

	if (s.n != (8 * size + bits - 1) / bits)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int v = digit(s.p[i]);

		if (v < 0)
			return false;
		read = read << bits | (unsigned)v;
		if ((nread += bits) >= 8 && n < size)
			out[n++] = (unsigned char)(read >> (nread -= 8));
	}
	return n == size;
}

static bool read_value(struct str s, unsigned char *out, size_t size)
{
	while (s.n && s.p[s.n - 1] == '=')
		s.n--;
	for (size_t i = 0; i < COUNT(bases); i++)
		if (read_base(s, bases[i].bits, bases[i].digit, out, size))
			return true;
	return false;
}

static enum digest_kind label_kind(struct str label)
{
	char clean[8];
	size_t n = 0;

	for (size_t i = 0; i < label.n; i++) {
		if (label.p[i] == '-' || label.p[i] == '_')
			continue;
		if (n == sizeof clean)
			return DIGEST_NONE;
		clean[n++] = ascii_lower(label.p[i]);
	}
	for (int k = DIGEST_SHA1; k < DIGEST_KINDS; k++)
		if (str_eq(str_n(clean, n), str(kinds[k].label)))
			return (enum digest_kind)k;
	return DIGEST_NONE;
}

bool digest_parse(struct str text, struct digest *out)
{
	struct str value = str_trim(text);
	ptrdiff_t colon = str_chr(value, ':'), sign = str_chr(value, '=');
	ptrdiff_t cut = colon >= 0 ? colon : sign; /* "sha1=..." is seen too */

	*out = (struct digest){ 0 };
	if (cut <= 0)
		return false;
	enum digest_kind kind = label_kind(str_trim(str_sub(value, 0, (size_t)cut)));
	value = str_trim(str_sub(value, (size_t)cut + 1, value.n));
	if (kind == DIGEST_NONE)
		return false;
	size_t size = kinds[kind].size;
	if (!read_value(value, out->bytes, size)) {
		*out = (struct digest){ 0 };
		return false;
	}
	out->kind = kind;
	return true;
}

bool digest_eq(const struct digest *a, const struct digest *b)
{
	return a->kind == b->kind && memcmp(a->bytes, b->bytes, kinds[a->kind].size) == 0;
}

size_t digest_write(const struct digest *d, char out[DIGEST_TEXT])
{
	static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", hex[] = "0123456789abcdef";
	size_t n = strlen(kinds[d->kind].label), size = kinds[d->kind].size;

	memcpy(out, kinds[d->kind].label, n);
	out[n++] = ':';
	if (d->kind == DIGEST_SHA1) {
		for (size_t i = 0; i < size; i += 5) {
			uint64_t v = 0;

			for (size_t j = 0; j < 5; j++)
				v = v << 8 | d->bytes[i + j];
			for (int shift = 35; shift >= 0; shift -= 5)
				out[n++] = base32[v >> shift & 31];
		}
	} else {
		for (size_t i = 0; i < size; i++) {
			out[n++] = hex[d->bytes[i] >> 4];
			out[n++] = hex[d->bytes[i] & 15];
		}
	}
	out[n] = 0;
	return n;
}

struct str digest_spelled(struct str text, char out[DIGEST_TEXT])
{
	struct digest d;

	return digest_parse(text, &d) ? str_n(out, digest_write(&d, out)) : text;
}

void hasher_begin(struct hasher *h, enum digest_kind kind)
{
	pthread_once(&fetched, fetch);
	if (!h->context && !(h->context = EVP_MD_CTX_new()))
		die("no memory for a digest");
	h->kind = kind;
	if (!methods[kind] || !EVP_DigestInit_ex2(h->context, methods[kind], NULL))
		die("libcrypto does not offer %s; install a libcrypto that does", kinds[kind].label);
}

void hasher_add(struct hasher *h, struct str data)
{
	if (data.n)
		EVP_DigestUpdate(h->context, data.p, data.n);
}

void hasher_end(struct hasher *h, struct digest *out)
{
	*out = (struct digest){ .kind = h->kind };
	EVP_DigestFinal_ex(h->context, out->bytes, NULL);
}

void hasher_release(struct hasher *h)
{
	EVP_MD_CTX_free(h->context);
	*h = (struct hasher){ 0 };
}

void digest_of(enum digest_kind kind, struct str data, struct digest *out)
{
	struct hasher h = { 0 };

	hasher_begin(&h, kind);
	hasher_add(&h, data);
	hasher_end(&h, out);
	hasher_release(&h);
}

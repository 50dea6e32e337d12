/* cmd/version.c -- winnow version: this program and the libraries it runs with. */
#include <brotli/decode.h>
#include <libdeflate.h>
#include <lz4.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <unicode/uversion.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/json.h"
#include "cmd/table.h"

#define QUOTE_(x) #x
#define QUOTE(x) QUOTE_(x)

static int run(struct cmd_run *run)
{
	const struct {
		const char *name;
		struct str version;
	} libraries[] = {
		{ "brotli", arena_printf(&run->arena, "%u.%u.%u", BrotliDecoderVersion() >> 24,
					 BrotliDecoderVersion() >> 12 & 0xfff, BrotliDecoderVersion() & 0xfff) },
		{ "icu", STR(U_ICU_VERSION) },
		{ "libcrypto", str(OpenSSL_version(OPENSSL_VERSION_STRING)) },
		{ "libdeflate", STR(LIBDEFLATE_VERSION_STRING) },
		{ "lz4", str(LZ4_versionString()) },
		{ "sqlite", str(sqlite3_libversion()) },
		{ "xxhash", arena_printf(&run->arena, "%u.%u.%u", XXH_versionNumber() / 10000,
					 XXH_versionNumber() / 100 % 100, XXH_versionNumber() % 100) },
		{ "zstd", str(ZSTD_versionString()) },
	};
	struct buf out = BUF(64 * 1024);

	if (run->common.json) {
		struct json j = { .out = &out, .spaced = true };

		json_open(&j, '{');
		json_put_z(&j, "version", WINNOW_VERSION);
		json_put_z(&j, "compiler", __VERSION__);
		json_put_open(&j, "libraries", '{');
		for (size_t i = 0; i < COUNT(libraries); i++)
			json_put_str(&j, libraries[i].name, libraries[i].version);
		json_close(&j, '}');
		json_close(&j, '}');
		buf_byte(&out, '\n');
	} else {
		buf_printf(&out, "winnow " WINNOW_VERSION "\n");
		for (size_t i = 0; i < COUNT(libraries); i++)
			buf_printf(&out, "  %-14s %.*s\n", libraries[i].name, STR_FMT(libraries[i].version));
	}
	cmd_out(&out);
	buf_release(&out);
	return EXIT_DONE;
}

static const struct cmd_example examples[] = { { "winnow version", "the version and its libraries" }, { 0 } };

const struct cmd cmd_version = {
	.name = "version",
	.args = "",
	.summary = "print the version and the libraries it runs with",
	.group = GROUP_CARE,
	.run = run,
	.examples = examples,
	.prose =
	    "Prints winnow's version, and with which versions of its libraries it runs. Please quote it in reports of trouble.",
};

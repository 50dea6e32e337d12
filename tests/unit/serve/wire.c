/* tests/unit/serve/wire.c -- requests as bytes, however they arrive; forms with a file. */
#include "serve/wire.h"

#include "serve/multipart.h"
#include "test.h"

TEST(wire, heads)
{
	static const struct {
		const char *head;
		int status;
	} cases[] = {
		{ "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0 },
		{ "GET / HTTP/1.1\nHost: x\n\n", 0 },
		{ "GET /a?b=c%20 HTTP/1.0\r\n\r\n", 0 },
		{ "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400 },
		{ "GET / HTTP/1.1\r\nA: b\x01\r\n\r\n", 400 },
		{ "GET /\x7f HTTP/1.1\r\n\r\n", 400 },
		{ "GET / HTTP/2.0\r\n\r\n", 505 },
		{ "GET / HTTQ/1.1\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 0 },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
		{ "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
		{ "POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", 501 },
		{ "\r\n\r\n", 400 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct field_pair fields[8];
		struct wire_head h;

		CHECK_EQ(wire_head_read(&h, cases[i].head, strlen(cases[i].head), fields, 8), cases[i].status, "%s",
			 cases[i].head);
	}
}

TEST(wire, the_end_of_a_head_wherever_it_is_cut)
{
	static const char *const heads[] = { "GET / HTTP/1.1\r\nA: b\r\n\r\n", "GET / HTTP/1.1\nA: b\n\n",
					     "GET / HTTP/1.1\r\n\n", "G\r\r\n\r\n" };

	for (size_t i = 0; i < COUNT(heads); i++) {
		size_t n = strlen(heads[i]), seen = 0, whole = 0, at;

		CHECK_EQ(wire_head_end(heads[i], n, &whole), n, "at once: %s", heads[i]);
		for (at = 1; at < n; at++)
			CHECK_EQ(wire_head_end(heads[i], at, &seen), 0u, "%d bytes of %s", (int)at, heads[i]);
		CHECK_EQ(wire_head_end(heads[i], n, &seen), n, "byte by byte: %s", heads[i]);
	}
}

/* Chunks of random sizes, cut at random places, give what was put in. */
TEST(wire, chunks)
{
	for (int round = 0; round < 300; round++) {
		struct buf plain = BUF(1 << 20), wire = BUF(1 << 20), got = BUF(1 << 20);
		struct wire_chunks c = { 0 };
		size_t at = 0;
		int ended = 0;

		for (size_t n = test_below(t, 6); n > 0; n--) {
			size_t size = 1 + test_below(t, 40), from = plain.n;

			for (size_t i = 0; i < size; i++)
				buf_byte(&plain, (char)test_below(t, 256));
			buf_printf(&wire, "%zx%s\r\n", size, test_below(t, 2) ? ";a=b" : "");
			buf_add(&wire, plain.p + from, size);
			buf_str(&wire, STR("\r\n"));
		}
		buf_str(&wire, test_below(t, 2) ? STR("0\r\n\r\n") : STR("0\r\nTrailer: x\r\n\r\n"));
		buf_str(&wire, STR("GET")); /* the next request */
		while (!ended && at < wire.n) {
			size_t n = 1 + test_below(t, 20), used;
			struct str data;

			if (n > wire.n - at)
				n = wire.n - at;
			ended = wire_chunks_next(&c, wire.p + at, n, &used, &data);
			if (data.n)
				buf_str(&got, data);
			at += used;
			if (ended < 0)
				break;
		}
		CHECK(ended == 1 && wire.n - at == 3, "it ends before the next request: %d, %d left", ended,
		      (int)(wire.n - at));
		CHECK(str_eq(buf_view(&got), buf_view(&plain)), "the same bytes");
		buf_release(&plain);
		buf_release(&wire);
		buf_release(&got);
	}
}

static bool keep(void *context, struct str bytes) { return buf_str(context, bytes); }

TEST(wire, forms)
{
	static const char form[] =
	    "preamble\r\n--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nnews\r\n--b\r\n"
	    "Content-Disposition: form-data; name=f; filename=\"a.warc\"\r\nContent-Type: x\r\n\r\none\r\n--\r\n-b\r\r\n--b\r\n"
	    "Content-Disposition: form-data; name=\"g\"; filename=\"b\"\r\n\r\nother\r\n--b--\r\nepilogue";

	for (size_t step = 1; step < sizeof form; step++) {
		struct buf got = BUF(1 << 16);
		struct multipart m;
		bool bad = false;

		REQUIRE(multipart_init(&m, STR("multipart/form-data; boundary=b")), "a boundary");
		for (size_t at = 0; at < sizeof form - 1; at += step)
			CHECK(multipart_add(&m, str_sub(str(form), at, at + step), keep, &got, &bad) && !bad,
			      "in steps of %d", (int)step);
		CHECK(str_eq(buf_view(&got), STR("one\r\n--\r\n-b\r")), "the file, in steps of %d: %.*s", (int)step,
		      (int)got.n, got.p);
		CHECK(str_eq(multipart_field(&m, "name"), STR("news")) && strcmp(m.file, "a.warc") == 0,
		      "name and file");
		multipart_release(&m);
		buf_release(&got);
	}
}

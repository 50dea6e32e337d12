/* Certificates survive a round trip, and nothing else is taken for one. */
#include "draw.h"

TEST(certificate, survives_a_round_trip)
{
	for (int i = 0; i < 100; i++) {
		struct draw d;
		struct cover_result r;
		struct draw_stored s;
		struct certificate back;
		struct buf bytes = BUF(1 << 20);
		struct err err;

		draw_problem(t, &d, (uint32_t)test_below(t, 15), DRAW_QUOTAS);
		REQUIRE(cover_solve(&d.p, &r, NULL) == WN_OK);
		draw_store(t, &d, &r, &s);
		REQUIRE(certificate_write(&s.certificate, &bytes));
		REQUIRE(certificate_read(t->arena, buf_view(&bytes), &back, &err) == WN_OK, "%s", err.text);
		CHECK_EQ(back.value_count, s.certificate.value_count);
		CHECK(memcmp(back.values, s.certificate.values, sizeof(*back.values) * back.value_count) == 0);
		CHECK(memcmp(back.group_values, s.certificate.group_values,
			     sizeof(*back.values) * back.group_value_count) == 0);
		CHECK(memcmp(&back.run, &s.certificate.run, sizeof(back.run)) == 0);
		CHECK_EQ(back.bound, s.certificate.bound);
		CHECK_EQ(back.denominator, s.certificate.denominator);
		buf_release(&bytes);
		cover_result_release(&r);
	}
}

TEST(certificate, refuses_any_changed_or_cut_bytes)
{
	struct certificate_value values[] = { { 1, 2 }, { 3, 2 } };
	struct certificate c = { .documents = 5,
				 .kept = 3,
				 .bound = 2,
				 .lower_bound = 3,
				 .denominator = 2,
				 .values = values,
				 .value_count = 2 };
	struct certificate back;
	struct buf bytes = BUF(1 << 20);
	struct err err;

	REQUIRE(certificate_write(&c, &bytes));
	for (size_t n = 0; n < bytes.n; n++)
		CHECK_EQ(certificate_read(t->arena, str_n(bytes.p, n), &back, &err), WN_DATA, "cut at %zu", n);
	for (size_t i = 0; i < bytes.n; i++) {
		bytes.p[i] ^= 4;
		CHECK_EQ(certificate_read(t->arena, buf_view(&bytes), &back, &err), WN_DATA, "byte %zu", i);
		bytes.p[i] ^= 4;
	}
	CHECK_EQ(certificate_read(t->arena, buf_view(&bytes), &back, &err), WN_OK);
	buf_release(&bytes);
	values[1].id = 1; /* written by something broken: the checksum is right */
	REQUIRE(certificate_write(&c, &bytes));
	CHECK_EQ(certificate_read(t->arena, buf_view(&bytes), &back, &err), WN_DATA, "values out of order");
	buf_release(&bytes);
}

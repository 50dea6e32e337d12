/* tests/unit/base/os.c -- files appear whole or not at all. */
#include "base/os.h"

#include <unistd.h>

#include "base/mem.h"
#include "test.h"

static struct str contents(struct test *t, const char *path)
{
	struct str s = STR_NONE;
	struct err err = { 0 };

	CHECK(os_slurp(t->arena, path, 1000, &s, &err) == WN_OK, "%s", err.text);
	return s;
}

TEST(os, a_file_is_replaced_whole)
{
	const char *dir = test_dir(t), *path = arena_printf(t->arena, "%s/a", dir).p;
	struct os_atomic f;
	struct err err = { 0 };
	struct str *names;
	size_t n;

	CHECK_EQ(os_store(path, STR("first"), &err), WN_OK, "%s", err.text);
	CHECK_STR(contents(t, path), STR("first"));
	REQUIRE(os_atomic_open(&f, path, &err) == WN_OK);
	CHECK_EQ(os_write(f.fd, "half", 4, path, &err), WN_OK);
	CHECK_STR(contents(t, path), STR("first"), "not before it is committed");
	os_atomic_abort(&f);
	os_atomic_abort(&f); /* a finished one is fine */
	CHECK_STR(contents(t, path), STR("first"), "nor after it was given up");
	CHECK_EQ(os_store(path, STR(""), &err), WN_OK);
	CHECK_STR(contents(t, path), STR(""));
	REQUIRE(os_list(t->arena, dir, "", &names, &n, &err) == WN_OK);
	CHECK_EQ(n, 1, "nothing is left beside it");
}

TEST(os, two_write_one_file_at_once)
{
	const char *dir = test_dir(t), *path = arena_printf(t->arena, "%s/a", dir).p;
	struct os_atomic f, g;
	struct err err = { 0 };
	struct str *names;
	size_t n;

	REQUIRE(os_atomic_open_own(&f, path, &err) == WN_OK);
	REQUIRE(os_atomic_open_own(&g, path, &err) == WN_OK);
	CHECK_EQ(os_write(f.fd, "one", 3, path, &err), WN_OK);
	CHECK_EQ(os_write(g.fd, "other", 5, path, &err), WN_OK);
	CHECK_EQ(os_atomic_commit(&f, &err), WN_OK, "%s", err.text);
	CHECK_STR(contents(t, path), STR("one"), "the other is not written yet");
	CHECK_EQ(os_atomic_commit(&g, &err), WN_OK, "%s", err.text);
	CHECK_STR(contents(t, path), STR("other"));
	REQUIRE(os_list(t->arena, dir, "", &names, &n, &err) == WN_OK);
	CHECK_EQ(n, 1, "nothing is left beside it");
}

TEST(os, a_temporary_name_tells_whether_its_process_is_there)
{
	char *mine = os_own_name("runs/pending-1-r2.kernel");

	CHECK(str_starts(str(mine), STR("runs/pending-1-r2.kernel.")));
	CHECK(!os_is_abandoned(str(mine)));
	CHECK(!os_is_abandoned(STR("pending-1-r2.kernel")));
	CHECK(os_is_abandoned(STR("pending-1-r2.kernel.tmp")), "of an earlier winnow");
	CHECK(os_is_abandoned(STR("pending-1-r2.kernel.2147483647-1.tmp")), "no process has this number");
	CHECK(os_is_abandoned(STR(".tmp")));
	mem_free(mine);
}

TEST(os, what_cannot_be_written_says_where)
{
	const char *path = arena_printf(t->arena, "%s/absent/a", test_dir(t)).p;
	struct err err = { 0 };

	CHECK_EQ(os_store(path, STR("x"), &err), WN_IO);
	CHECK(str_find(str(err.text), str(path)) >= 0, "%s", err.text);
	CHECK(access(path, F_OK) != 0);
}

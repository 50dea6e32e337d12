/* A file of access rules: read or refused with a reason, and then asked. */
#include <stdlib.h>

#include "flow/acl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct acl *acl;
	struct err err = { 0 };

	if (acl_parse(&acl, text, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	acl_check_at(acl, STR("org,example)/a"), 0, STR_NONE, 0);
	acl_check_at(acl, str_sub(text, 0, 20), 1, STR("u"), 2);
	acl_free(acl);
	return 0;
}

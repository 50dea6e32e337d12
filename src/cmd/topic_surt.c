/* cmd/topic_surt.c -- winnow help surt: how urlkeys are made, and where others differ. */
#include "archive/surt.h"
#include "cmd/topics.h"

const char *topic_surt(void)
{
	return "A urlkey is a URL in a form that sorts by site: http://www.Archive.org/goo/?b&a becomes org,archive)/goo?a&b. Making it never fails, and it is always one word of "
	       "printable ASCII. The way it is made is a named profile that a collection remembers.\n\n"
	       "  ia-surt         the Internet Archive's key; the default\n"
	       "  plain           the URL as a browser reads it, its host reversed, nothing else changed\n"
	       "  no-www-massage  ia-surt that keeps www\n\n"
	       "ia-surt decodes escapes until none is left and escapes once, resolves dots, writes IPv4 addresses in one way, drops credentials, fragment, default ports, one leading www, "
	       "session ids, a trailing slash and empty queries, lower-cases, and sorts the arguments of a query.\n\n"
	       "Other software differs in places. This is what winnow does, and who does otherwise:\n\n"
	       "  ?type=a+b+%26+c&grape=wine   an escaped & stays one; the Python package surt 0.3.1 cuts there, which its own test calls a mistake\n"
	       "  /too/many/../../../dots      )/../dots, as surt; OutbackCDX and jwarc drop the dots above the root\n"
	       "  http://example.com:abc/      the URL itself is the key; surt raises an exception\n"
	       "  http://a%ffb.com/            com,a%ffb)/; surt drops bytes of a host that are not UTF-8\n"
	       "  /Ä                           /%c3%84, as surt; OutbackCDX lower-cases Unicode first, /%c3%a4\n"
	       "  ;jsessionid=... in a path    kept, as surt; OutbackCDX strips it\n"
	       "  http://[2001:db8::1]/        2001:db8::1)/, as surt; the profile plain keeps the brackets\n"
	       "  www.                         stripped, as surt; the CDXJ specification's searchable URL keeps it";
}

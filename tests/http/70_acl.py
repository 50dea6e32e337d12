"""Access rules: what they hide is hidden in replay, CDX, TimeMaps, calendars, search, diff, API, export and SQL alike."""
import json
import os
from urllib.parse import quote

import archive

SECRET, PRIVATE = "http://secret.example/", "http://secret.example/private"
OPEN = "http://a.example/gz"
RULE = "containment(a, b) >= 0.5"
RULE_BY_SECRET = 'a.host = "a.example" and b.host = "secret.example"'
RULE_BY_SECRET_HTML = RULE_BY_SECRET.replace('"', "&quot;")
AT, PRIVATE_AT = "20070105120019", "20070105120020"


def hidden_from_counts(place, checks, server, api, ids):
    """A selection can ask for any title or word, so what it counts must not tell; nor do tables name hosts that are closed."""
    for where in ('host = "secret.example"', 'text ~ "unicorn"', 'title ~ "^Secr"', 'url = "%s"' % PRIVATE):
        r = server.ask("POST", api + "/rules/preview", {"Content-Type": "application/json"}, json.dumps({"rule": RULE, "where": where}))
        checks.that(r.status == 200 and r.json["data"]["documents"] == 0, "acl: a preview of %s counts nothing" % where, r.text[:200])
        r = server.get("/c/web/rules/new?try=1&rule=%s&where=%s" % (quote(RULE), quote(where)))
        checks.that("of 0 documents" in r.text, "acl: nor does the studio", r.text[-2000:])
    r = server.ask("POST", api + "/rules/preview", {"Content-Type": "application/json"}, json.dumps({"rule": RULE, "where": 'host = "a.example"'}))
    checks.that(r.json["data"]["documents"] > 0, "acl: what is open is counted", r.text[:200])
    for path in ("/c/web", "/c/web.json", "/c/web/covers/1", "/c/web/covers/1/methods.txt", api):
        r = server.get(path)
        while r.status == 503:  # it is being counted
            r = server.get(path)
        checks.that(r.status == 200 and "secret.example" not in r.text, "acl: %s names no closed host" % path, r.text[-2000:])
    # a document of an open host that a closed one covers
    run = place.run("reduce", place.path("guarded"), "--rule", RULE_BY_SECRET, "--json", "-q", "--yes")
    cover = json.loads(run)["cover"]
    for path in ("/c/web/covers/%d/doc/%s" % (cover, ids[OPEN]), "/c/web/covers/%d/doc/%s.json" % (cover, ids[OPEN])):
        r = server.get(path)
        checks.that(r.status == 200 and "secret" not in r.text.replace(RULE_BY_SECRET, "").replace(RULE_BY_SECRET_HTML, "") and "by_id" not in r.text,
                    "acl: why something is hidden does not tell by what, when that is closed", r.text[:1500])


    listed = server.get("/c/web/covers/%d/dropped" % cover).text
    checks.that("not open to readers" in listed and "secret.example" not in listed.replace(RULE_BY_SECRET_HTML, "") and "/diff/" not in listed,
                "acl: a cover's list says that a document is closed, and offers nothing that is refused", listed[-2000:])


def hidden_from_search(server, checks, api):
    """A search that counts what it does not show would tell, word for word, what stands there; nor may a hidden copy take an open one's place."""
    for words in ("unicorn", "%22the+unicorn+is%22", "title:secret"):
        for path in ("/c/web/search?q=" + words, "/c/web/search?view=kwic&q=" + words):
            r = server.get(path)
            checks.that("<b>0</b> texts match" in r.text, "acl: %s counts nothing" % path, r.text[-1500:])
        r = server.get(api + "/search?page[size]=1&q=" + words)
        checks.equal(r.json["data"]["matches"], {"value": 0, "relation": "eq"}, "acl: nor does the API for " + words)
    r = server.get("/c/web/search.json?q=twin")
    checks.equal([h["url"] for h in r.json["data"]], ["http://a.example/twin"], "acl: the open one of two equal texts is found")


def test(place, checks):
    coll = place.copy("guarded")
    w = archive.Writer(place.path("twins.warc.gz"))
    for url, at in (("http://a.example/twin", "20070105120021"), (SECRET + "twin", "20070105120022")):
        w.response(url, at, archive.page("Twin", "one text at two addresses"))
    for i in range(120):
        w.response("http://row.example/%d" % i, "20070105120022", archive.page("Many", "text number %d" % i))
    w.out.close()
    place.run("ingest", coll, place.path("twins.warc.gz"), "-q")
    ids = {u: place.run("sql", coll, "select id from captures where url = '%s'" % u, "--format", "tsv").split()[-1] for u in (SECRET, PRIVATE, OPEN, "http://a.example/gone")}
    with open(os.path.join(coll, "access.aclj"), "w") as f:
        f.write('example,secret)/ - {"access": "exclude"}\nexample,secret)/private - {"access": "block"}\n'
                'example,a)/gone - {"access": "exclude", "newer": {"years": 100}}\nexample,a)/rev - {"access": "exclude", "before": "2008"}\n')
    server = place.serve("--allow-sql", coll=coll)
    api = "/api/v1/collections/web"
    rows = [
        ("replay: excluded", "/web/%smp_/%s" % (AT, SECRET), 404, None), ("replay: blocked", "/web/%smp_/%s" % (PRIVATE_AT, PRIVATE), 451, None), ("replay: raw", "/web/%sid_/%s" % (PRIVATE_AT, PRIVATE), 451, None),
        ("replay: embargo", "/web/20070105120005mp_/http://a.example/gone", 404, None), ("frame page", "/web/%s/%s" % (AT, SECRET), 404, None), ("frame page, blocked", "/web/%s/%s" % (PRIVATE_AT, PRIVATE), 451, None),
        ("TimeGate", "/web/" + SECRET, 404, None), ("TimeGate, blocked", "/web/" + PRIVATE, 451, None), ("TimeMap", "/web/timemap/link/" + SECRET, 404, None), ("TimeMap, blocked", "/web/timemap/json/" + PRIVATE, 404, None),
        ("CDX", "/web/cdx?url=*.secret.example", 200, lambda r: r.body == b""), ("CDX, IA", "/cdx/search/cdx?url=secret.example/*&output=json", 200, lambda r: r.json == []),
        ("CDX: pages", "/web/cdx?url=*.secret.example&showNumPages=true", 200, lambda r: r.json["blocks"] == 0), ("CDX, IA: pages", "/cdx/search/cdx?url=secret.example/*&showNumPages=true", 200, lambda r: r.text.strip() == "0"),
        ("CDX: where pages begin", "/web/cdx?url=*.example&showPagedIndex=true", 200, lambda r: r.body and b"secret" not in r.body),
        ("CDX: where a page of what is closed begins", "/web/cdx?url=*.secret.example&showPagedIndex=true", 200, lambda r: r.body == b""), ("CDX: a page", "/web/cdx?url=*.secret.example&page=0", 200, lambda r: r.body == b""),
        ("CDX: counts", "/web/cdx?url=http://a.example/gone&showSkipCount=true&output=json", 200, lambda r: r.body == b""),
        ("CDX with a cover", "/web/cdx?url=*.secret.example&cover=1&showCovered=true", 200, lambda r: r.body == b""),
        ("calendar", "/web/*/" + SECRET, None, None), ("API: calendar", api + "/calendar?url=" + SECRET, 200, lambda r: r.json["data"] == []), ("API: capture", api + "/capture?url=" + SECRET, 404, None),
        ("API: captures", api + "/captures?filter[url]=" + SECRET, 200, lambda r: r.json["data"] == []), ("API: captures of a host", api + "/captures?filter[host]=secret.example", 200, lambda r: r.json["data"] == []),
        ("API: a filter that is not there", api + "/captures?filter[status]=404", 400, None), ("API: an order that is not there", api + "/captures?sort=-date", 400, None),
        ("API: members in no state", api + "/covers/1/members?filter[state]=lost", 400, None),
        ("URLs: what is open of one is counted", "/c/web/urls.json?url=http://a.example/rev", 200, lambda r: [(u["captures"], u["first"][:4] >= "2008") for u in r.json["data"] if u["urlkey"] == "example,a)/rev"] == [(2, True)]),
        ("URLs: what has an embargo on its last capture", "/c/web/urls.json?url=http://a.example/gone", 200, lambda r: r.json["data"] == []),
        ("URLs: a file has all of them", "/c/web/urls.csv?url=http://row.example/", 200, lambda r: len(r.text.splitlines()) == 121),
        ("URLs: JSON lines too", "/c/web/urls.jsonl?url=http://row.example/", 200, lambda r: len({json.loads(u)["url"] for u in r.text.splitlines()}) == 120),
        ("API: search", api + "/search?q=unicorn", 200, lambda r: r.json["data"]["hits"] == [] and r.json["data"]["matches"]["value"] == 0), ("search", "/c/web/search?q=unicorn", None, None),
        ("API: members", api + "/covers/1/members?page[size]=1000", 200, lambda r: not {int(ids[SECRET]), int(ids[PRIVATE])} & {m["id"] for m in r.json["data"]}),
        ("cover.csv", "/c/web/covers/1/cover.csv", 200, lambda r: "secret.example" not in r.text),
        ("diff", "/c/web/diff/%s..%s" % (ids[SECRET], ids[PRIVATE]), None, None), ("why", "/c/web/covers/1/doc/" + ids[SECRET], None, None), ("SQL", api + "/sql?q=select+url+from+captures", 403, None),
        ("nearby, of a page that is not archived", "/web/2007mp_/http://secret.example/other", None, None), ("overview", "/c/web", 200, None), ("a capture before an embargo's end", "/web/20080201000000mp_/http://a.example/rev", 200, None),
        ("one of several is hidden", "/web/20070201000000mp_/http://a.example/rev", 404, None), ("CDX: the others are not", "/web/cdx?url=http://a.example/rev", 200, lambda r: len(r.text.splitlines()) == 2),
    ]
    for name, path, status, body in rows:
        r = server.get(path)
        checks.that((status is None or r.status == status) and (body is None or body(r)) and r.status != 500, "acl: " + name, (r.status, r.text[:200]))
        checks.that("unicorn" not in r.text.replace("q=unicorn", "").replace('value="unicorn"', "") or "search" in name, "acl: %s tells nothing" % name, r.text[:300])
    hidden_from_counts(place, checks, server, api, ids)
    hidden_from_search(server, checks, api)
    trusting = place.serve("--trust-proxy", "127.0.0.1", coll=coll)
    for path in ("/web/20080201000000mp_/http://a.example/rev", "/web/timemap/link/http://a.example/rev", "/web/cdx?url=http://a.example/rev"):
        checks.row(trusting, "acl: what a user sees is for no other's cache", "GET", path, {"X-Pywb-ACL-User": "x"}, 200, {"Vary": "x-pywb-acl-user", "Cache-Control": "."})
    trusting.close()
    links = server.get("/web/20080201000000mp_/http://a.example/rev").get("Link") or ""
    checks.that("20070201000000" not in links, "acl: links of a memento name no hidden one", links)
    server.close()
    out = place.path("guarded.csv")
    place.run("export", coll, "--format", "csv", "--what", "all", "--cover", "1", "-o", out, "-q", ok=(0, 1, 2, 3))
    checks.that(os.path.exists(out) and "secret.example" not in open(out).read(), "acl: export holds to it")
    import subprocess
    p = subprocess.run([place.winnow, "sql", coll, "select url from captures"], capture_output=True, text=True)
    checks.that("secret.example" not in p.stdout, "acl: the sql command holds to it", p.stdout[:200])

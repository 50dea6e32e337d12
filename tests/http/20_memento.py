"""Memento (RFC 7089): TimeGate, mementos, TimeMaps in three forms and in pages, Prefer."""
import json
import re

HOME = "http://a.example/"
DATES = {"20070105120000": "Fri, 05 Jan 2007 12:00:00 GMT", "20070620080000": "Wed, 20 Jun 2007 08:00:00 GMT",
         "20080301000000": "Sat, 01 Mar 2008 00:00:00 GMT", "20100101000000": "Fri, 01 Jan 2010 00:00:00 GMT"}


def links(text):
    """[(target, {name: value})] of a Link header or a link-format body."""
    found = []
    for target, params in re.findall(r"<([^>]*)>((?:\s*;\s*[\w-]+=\"[^\"]*\")*)", text):
        found.append((target, dict(re.findall(r"([\w-]+)=\"([^\"]*)\"", params))))
    return found


def rels(text):
    return {p["rel"]: (t, p.get("datetime")) for t, p in links(text)}


def test(place, checks):
    server = place.serve()
    b, m = server.base + "/web/", "mp_/" + HOME
    gate = "/web/" + HOME
    rows = [
        ("the newest without a wish", {}, 302, {"Location": "^%s20100101000000mp_/http://a.example/$" % re.escape(b), "Vary": "accept-datetime", "Memento-Datetime": None}),
        ("the closest to a wish", {"Accept-Datetime": "Tue, 01 Jan 2008 00:00:00 GMT"}, 302, {"Location": "20080301000000mp_", "Vary": "accept-datetime"}),
        ("before all", {"Accept-Datetime": "Mon, 01 Jan 1990 00:00:00 GMT"}, 302, {"Location": "20070105120000mp_"}),
        ("after all", {"Accept-Datetime": "Thu, 01 Jan 2099 00:00:00 GMT"}, 302, {"Location": "20100101000000mp_"}),
        ("an ill wish", {"Accept-Datetime": "yesterday"}, 400, {"Location": None}),
        ("a day that no month has", {"Accept-Datetime": "Thu, 32 May 2004 07:08:09 GMT"}, 400, {"Location": None, "Vary": "accept-datetime"}),
        ("an ISO date", {"Accept-Datetime": "2004-05-06T07:08:09Z"}, 400, {}), ("a wish without words", {"Accept-Datetime": ""}, 400, {}),
        ("the old forms of HTTP", {"Accept-Datetime": "Saturday, 01-Mar-08 07:08:09 GMT"}, 302, {"Location": "20080301000000mp_"}),
        ("a navigation", {"Sec-Fetch-Dest": "document"}, 302, {"Location": "/20100101000000/http://a.example/$", "Vary": "sec-fetch-dest"}),
        ("a navigation with a wish", {"Sec-Fetch-Dest": "document", "Accept-Datetime": DATES["20080301000000"]}, 302, {"Location": "20080301000000mp_"}),
        ("Prefer: raw", {"Prefer": "raw"}, 302, {"Location": "id_/", "Preference-Applied": "^raw$", "Vary": "(?i)prefer"}),
        ("Prefer: banner-only", {"Prefer": "banner-only"}, 302, {"Location": "bn_/", "Preference-Applied": "^banner-only$"}),
        ("Prefer: rewritten", {"Prefer": "rewritten"}, 302, {"Location": "mp_/", "Preference-Applied": "^rewritten$"}),
        ("Prefer among others", {"Prefer": "respond-async, raw; x=1"}, 302, {"Location": "id_/", "Preference-Applied": "^raw$"}),
        ("an unknown preference", {"Prefer": "pretty"}, 302, {"Location": "mp_/", "Preference-Applied": None}),
    ]
    for name, headers, status, wants in rows:
        checks.row(server, "TimeGate: " + name, "GET", gate, headers, status, wants)
    checks.row(server, "TimeGate: HEAD", "HEAD", gate, {}, 302, {"Location": "20100101000000mp_", "Link": "original"}, b"")
    checks.row(server, "TimeGate: with a modifier", "GET", "/web/id_/" + HOME, {}, 302, {"Location": "20100101000000id_/"})
    checks.row(server, "TimeGate: not archived", "GET", "/web/http://nowhere.example/", {}, 404, {"Memento-Datetime": None, "X-Winnow-Error": "404"})
    got = rels(server.get(gate, Accept_Datetime=DATES["20080301000000"]).get("Link") or "")
    want = {"original": (HOME, None), "timegate": (b + HOME, None), "timemap": (b + "timemap/link/" + HOME, None),
            "first memento": (b + "20070105120000" + m, DATES["20070105120000"]), "prev memento": (b + "20070620080000" + m, DATES["20070620080000"]),
            "memento": (b + "20080301000000" + m, DATES["20080301000000"]), "next last memento": (b + "20100101000000" + m, DATES["20100101000000"])}
    checks.equal(got, want, "TimeGate: first, prev, next, last")

    for stamp, expect in [("20070105120000", {"original", "timegate", "timemap", "first memento", "next memento", "last memento"}),
                          ("20070620080000", {"original", "timegate", "timemap", "first prev memento", "memento", "next memento", "last memento"}),
                          ("20100101000000", {"original", "timegate", "timemap", "first memento", "prev memento", "last memento"})]:
        r = server.get("/web/%smp_/%s" % (stamp, HOME))
        checks.equal(r.get("Memento-Datetime"), DATES[stamp], "memento %s: its time" % stamp)
        checks.equal(set(rels(r.get("Link") or "")), expect, "memento %s: its links" % stamp)
        checks.that("accept-datetime" not in (r.get("Vary") or ""), "memento %s: no Vary" % stamp, r.get("Vary"))
    only = rels(server.get("/web/20070105120005mp_/http://a.example/gone").get("Link"))
    checks.that("first last memento" in only, "the only memento is first and last", only)
    r = server.get("/web/20080101000000mp_/" + HOME)
    checks.that(r.status == 302 and r.get("Memento-Datetime") is None, "an inexact time claims no datetime", (r.status, r.headers))
    r = server.get("/web/20080301000000/" + HOME)
    checks.that(r.status == 200 and r.get("Memento-Datetime") is None, "the frame page is no memento", (r.status, r.headers))
    for mod in ("id_", "mp_", "if_", "im_"):
        checks.row(server, "memento: %s has its time" % mod, "GET", "/web/20080301000000%s/%s" % (mod, HOME), {}, 200, {"Memento-Datetime": "2008"})
    checks.row(server, "memento: Prefer at a memento", "GET", "/web/20080301000000mp_/" + HOME, {"Prefer": "raw"}, 200, {"Preference-Applied": "^raw$", "Vary": "(?i)prefer"},
               lambda r: b"replay.js" not in r.body)

    text = server.get("/web/timemap/link/" + HOME)
    checks.equal(text.get("Content-Type"), "application/link-format", "TimeMap, link: type")
    want = ("<%stimemap/link/%s>; rel=\"self\"; type=\"application/link-format\"; from=\"%s\"; until=\"%s\",\n<%s%s>; rel=\"timegate\",\n<%s>; rel=\"original\",\n"
            % (b, HOME, DATES["20070105120000"], DATES["20100101000000"], b, HOME, HOME))
    want += ",\n".join('<%s%s%s>; rel="%smemento"; datetime="%s"' % (b, s, m, "first " if i == 0 else "last " if i == 3 else "", d) for i, (s, d) in enumerate(DATES.items())) + "\n"
    checks.equal(text.text, want, "TimeMap, link: order, separators, end")
    r = server.get("/web/timemap/json/" + HOME)
    checks.that(r.get("Content-Type") == "application/json" and [x["datetime"] for x in r.json["mementos"]["list"]][0] == "2007-01-05T12:00:00Z", "TimeMap, json", r.text)
    r = server.get("/web/timemap/cdxj/" + HOME)
    data = [x for x in r.text.splitlines() if not x.startswith("!")]
    checks.that(len(data) == 4 and data[0].startswith("20070105120000 {") and json.loads(data[0].split(" ", 1)[1])["rel"] == "first memento", "TimeMap, cdxj", r.text)
    checks.row(server, "TimeMap: unknown type", "GET", "/web/timemap/foo/" + HOME, {}, 400, {}, "output=foo not supported")
    checks.row(server, "TimeMap: none", "GET", "/web/timemap/link/http://nowhere.example/", {}, 404, {}, b"")
    checks.row(server, "TimeMap: CORS", "GET", "/web/timemap/link/" + HOME, {"Origin": "http://x.example"}, 200, {"Access-Control-Allow-Origin": r"^\*$"})
    checks.row(server, "TimeMap: one memento a second", "GET", "/web/timemap/link/http://a.example/same-second", {}, 200, {}, lambda r: r.text.count('memento"') == 1)

    seen, path, pages = [], "/web/timemap/link/http://many.example/", 0
    while path and pages < 10:
        found = links(server.get(path).text)
        pages += 1
        seen += [t for t, p in found if "memento" in p["rel"].split()]
        self_page = [t for t, p in found if p["rel"] == "self"][0]
        later = [(t, p) for t, p in found if p["rel"] == "timemap" and p.get("from", "") and t != self_page and "prev" not in p]
        later = [t for t, p in later if p["from"] >= "" and re.search(r"/timemap/link/%d/" % (pages + 1), t)]
        path = later[0].replace(server.base, "") if later else None
    checks.equal((pages, len(seen), len(set(seen))), (3, 25000, 25000), "TimeMap: 25,000 mementos on three pages, each once")
    checks.row(server, "TimeMap: a page past the end", "GET", "/web/timemap/link/9/http://many.example/", {}, 404, {}, b"")
    r = server.get("/web/timemap/json/2/http://many.example/").json
    checks.that("prev_page" in r and "next_page" in r and len(r["mementos"]["list"]) == 10000, "TimeMap, json: pages know each other", list(r))
    server.close()

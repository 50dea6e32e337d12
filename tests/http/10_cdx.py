"""CDX servers: every parameter in both dialects, the shapes of answers, bad values, covers, writing."""
import gzip
import json
import re
from urllib.parse import quote

HOME = "url=http://a.example/"


def lines(r):
    return r.text.splitlines()


def stamps(r):
    return [line.split()[1] for line in lines(r)]


# query, status, what of the answer: pywb's dialect at /web/cdx
PYWB = [
    ("exact, CDXJ by default", HOME, 200, {"Content-Type": "^text/x-cdxj"}, lambda r: len(lines(r)) == 4 and lines(r)[0].startswith("example,a)/ 20070105120000 {")),
    ("all values are strings", HOME, 200, {}, lambda r: all(isinstance(v, str) for v in json.loads(lines(r)[0].split(" ", 2)[2]).values())),
    ("keys in their order", HOME + "&limit=1", 200, {}, lambda r: list(json.loads(lines(r)[0].split(" ", 2)[2])) == ["url", "mime", "status", "digest", "length", "offset", "filename"]),
    ("json is a line a row", HOME + "&output=json", 200, {"Content-Type": "^application/json"}, lambda r: [json.loads(x)["timestamp"] for x in lines(r)][0] == "20070105120000"),
    ("link", HOME + "&output=link", 200, {"Content-Type": "^application/link-format"}, r"mp_/http://a\.example/>; rel=\"memento\"; datetime=\"Fri, 05 Jan 2007 12:00:00 GMT\""),
    ("text", HOME + "&output=text", 200, {"Content-Type": "^text/plain"}, lambda r: len(lines(r)) == 4),
    ("unknown output", HOME + "&output=foo", 400, {"Content-Type": "^application/json"}, lambda r: "message" in r.json),
    ("prefix by star", "url=http://a.example/r*", 200, {}, lambda r: {x.split()[0] for x in lines(r)} == {"example,a)/res.txt", "example,a)/rev"}),
    ("prefix by matchType", "url=http://a.example/r&matchType=prefix", 200, {}, lambda r: len(lines(r)) == 4),
    ("host", "url=a.example&matchType=host", 200, {}, lambda r: all(x.startswith("example,a)/") for x in lines(r)) and len(lines(r)) > 20),
    ("domain", "url=example&matchType=domain&limit=100000", 200, {}, lambda r: len({x.split(")")[0] for x in lines(r)}) >= 5),
    ("domain by star", "url=*.secret.example", 200, {}, lambda r: len(lines(r)) == 2),
    ("range by urlkey", "urlkey=example,secret)/&matchType=range", 200, {}, lambda r: lines(r)[0].startswith("example,secret)/ ")),
    ("unknown matchType", HOME + "&matchType=x", 400, {}, "message"),
    ("from and to, inclusive", HOME + "&from=2007&to=2007", 200, {}, lambda r: stamps(r) == ["20070105120000", "20070620080000"]),
    ("from, a month that has no such day", HOME + "&from=2007&to=20070231", 200, {}, lambda r: stamps(r) == ["20070105120000"]),
    ("limit", HOME + "&limit=1", 200, {}, lambda r: len(lines(r)) == 1),
    ("limit 0", HOME + "&limit=0", 200, {}, b""),
    ("limit 1.5", HOME + "&limit=1.5", 400, {}, "message"),
    ("sort=reverse", HOME + "&sort=reverse&limit=1", 200, {}, lambda r: stamps(r) == ["20100101000000"]),
    ("closest", HOME + "&closest=20080201&limit=2", 200, {}, lambda r: stamps(r) == ["20080301000000", "20070620080000"]),
    ("sort=closest", HOME + "&sort=closest&closest=2009&limit=1", 200, {}, lambda r: stamps(r) == ["20080301000000"]),
    ("bad closest", HOME + "&closest=yesterday", 400, {}, "message"),
    ("fields", HOME + "&output=json&fields=url,status&limit=1", 200, {}, b'{"url": "http://a.example/", "status": "200"}\n'),
    ("fl and aliases", HOME + "&output=json&fl=original,statuscode,mimetype&limit=1", 200, {}, b'{"url": "http://a.example/", "status": "200", "mime": "text/html"}\n'),
    ("filter: contains", "url=http://a.example/*&filter=status:40", 200, {}, lambda r: len(lines(r)) == 1),
    ("filter: equals", "url=http://a.example/*&filter==status:503", 200, {}, lambda r: len(lines(r)) == 1),
    ("filter: regex from the start", "url=http://a.example/*&filter=~status:[35]0", 200, {}, lambda r: {json.loads(x.split(" ", 2)[2])["status"] for x in lines(r)} >= {"301", "503"}),
    ("filter: not", "url=http://a.example/*&filter=!=status:200", 200, {}, lambda r: lines(r) and all('"status": "200"' not in x for x in lines(r))),
    ("filter: bad regex", HOME + "&filter=~status:[", 400, {}, "message"),
    ("collapseTime", HOME + "&collapseTime=4", 200, {}, lambda r: stamps(r) == ["20070105120000", "20080301000000", "20100101000000"]),
    ("showNumPages", "url=http://many.example/&showNumPages=true&pageSize=1", 200, {"Content-Type": "^application/json"}, lambda r: r.json == {"blocks": 9, "pages": 9, "pageSize": 1}),
    ("page", "url=http://many.example/&page=8&pageSize=1", 200, {}, lambda r: len(lines(r)) == 1000),
    ("page past the end", "url=http://many.example/&page=99&pageSize=1", 200, {}, b""),
    ("bad page", "url=http://many.example/&page=-1", 400, {}, "message"),
    ("resolveRevisits", "url=http://a.example/rev&resolveRevisits=true&output=json", 200, {}, lambda r: json.loads(lines(r)[1])["orig.filename"] == "main.warc.gz"),
    ("resolveRevisits without revisit", HOME + "&resolveRevisits=true&output=json&limit=1", 200, {}, lambda r: json.loads(lines(r)[0])["orig.length"] == "-"),
    ("a revisit's type", "url=http://a.example/rev&output=json", 200, {}, lambda r: json.loads(lines(r)[1])["mime"] == "warc/revisit"),
    ("empty stays empty", "url=http://nowhere.example/", 200, {}, b""),
    ("no fuzzy rows", "url=http://a.example/p?x=1%26_=99", 200, {}, b""),
    ("no url", "limit=1", 400, {}, "message"),
    ("no host", "url=http://[::1", 400, {}, "message"),
    ("not UTF-8", "url=%ff", 400, {}, "message"),
    ("unknown parameters are passed over", HOME + "&foo=bar&limit=1", 200, {}, lambda r: len(lines(r)) == 1),
    ("negative limit: the last rows", HOME + "&limit=-2", 200, {}, lambda r: stamps(r) == ["20080301000000", "20100101000000"]),
    ("limit is no number", HOME + "&limit=abc", 400, {}, "message"),
    ("sort=closest without a time", HOME + "&sort=closest", 400, {}, "message"),
    ("unknown sort", HOME + "&sort=foo", 400, {}, "message"),
    ("from is no time", HOME + "&from=x", 400, {}, "message"),
    ("from, part of a stamp", HOME + "&from=200706&to=2008", 200, {}, lambda r: stamps(r) == ["20070620080000", "20080301000000"]),
    ("collapse", HOME + "&collapse=timestamp:4", 200, {}, lambda r: stamps(r) == ["20070105120000", "20080301000000", "20100101000000"]),
    ("collapse by no digit", HOME + "&collapse=timestamp:0", 400, {}, "message"),
    ("collapse by no field", HOME + "&collapse=foo", 400, {}, "message"),
    ("an unknown field", HOME + "&output=json&fl=url,foo", 400, {}, "message"),
    ("fields of CDXJ", HOME + "&fields=url&limit=1", 200, {}, b'example,a)/ 20070105120000 {"url": "http://a.example/"}\n'),
    ("fields of text", HOME + "&output=text&fields=urlkey,timestamp&limit=1", 200, {}, b"example,a)/ 20070105120000\n"),
    ("offset", HOME + "&offset=3", 200, {}, lambda r: stamps(r) == ["20100101000000"]),
    ("a resume key that is none", HOME + "&resumeKey=x", 400, {}, "message"),
    ("filter: by a field that no row has", HOME + "&filter=foo:bar", 200, {}, b""),
    ("several filters", "url=http://a.example/*&filter=mime:html&filter==status:404&fields=url&output=text", 200, {}, b"http://a.example/gone\n"),
    ("omitSelfRedirects", "url=http://a.example/self&omitSelfRedirects=true", 200, {}, lambda r: stamps(r) == ["20070102000000"]),
    ("method and requestBody", "url=http://a.example/form&method=POST&requestBody=name%3Dvalue%26n%3D1", 200, {}, lambda r: stamps(r) == ["20070105120011"]),
    ("method=GET", "url=http://a.example/form&method=GET", 200, {}, lambda r: stamps(r) == ["20070105120010"]),
    ("another requestBody", "url=http://a.example/form&method=POST&requestBody=name%3Dother", 200, {}, b""),
    ("accesspoint is passed over: rules are the collection's", HOME + "&accesspoint=x&limit=1", 200, {}, lambda r: len(lines(r)) == 1),
    ("urlkey in a header", HOME, 200, {"outbackcdx-urlkey": r"^example,a\)/$", "Access-Control-Allow-Origin": r"^\*$"}, None),
    ("IDN finds punycode", "url=http://b%C3%BCcher.example/", 200, {}, lambda r: len(lines(r)) == 1),
]

# the same at /cdx/search/cdx
IA = [
    ("text by default", HOME + "&limit=1", 200, {"Content-Type": "^text/plain"}, r"^example,a\)/ 20070105120000 http://a\.example/ text/html 200 [A-Z2-7]{32} \d+\n$"),
    ("json is an array with a header row", HOME + "&output=json&limit=1", 200, {"Content-Type": "^application/json"}, lambda r: r.json[0] == ["urlkey", "timestamp", "original", "mimetype", "statuscode", "digest", "length"] and len(r.json) == 2),
    ("empty json", "url=http://nowhere.example/&output=json", 200, {}, lambda r: r.json == []),
    ("fl", HOME + "&fl=timestamp,original&limit=1", 200, {}, b"20070105120000 http://a.example/\n"),
    ("negative limit", HOME + "&fl=timestamp&limit=-2", 200, {}, b"20080301000000\n20100101000000\n"),
    ("fastLatest", HOME + "&fl=timestamp&limit=-1&fastLatest=true", 200, {}, b"20100101000000\n"),
    ("offset", HOME + "&fl=timestamp&offset=3", 200, {}, b"20100101000000\n"),
    ("filter is a regex of the whole", "url=http://a.example/*&filter=statuscode:40", 200, {}, b""),
    ("filter: regex", "url=http://a.example/*&fl=original&filter=statuscode:4..", 200, {}, b"http://a.example/gone\n"),
    ("filter: substring", "url=http://a.example/*&fl=original&filter=~original:gone", 200, {}, b"http://a.example/gone\n"),
    ("filter: not", "url=http://a.example/*&fl=statuscode&filter=!statuscode:200&filter=!statuscode:-&collapse=statuscode", 200, {}, "503"),
    ("collapse by digits of the time", HOME + "&fl=timestamp&collapse=timestamp:4", 200, {}, b"20070105120000\n20080301000000\n20100101000000\n"),
    ("collapse by digest", "url=http://a.example/rev&fl=timestamp&collapse=digest", 200, {}, b"20070201000000\n"),
    ("showDupeCount", "url=http://a.example/rev&fl=timestamp,dupecount&showDupeCount=true&output=text", 200, {}, b"20070201000000 0\n20080201000000 1\n20090201000000 2\n"),
    ("showSkipCount, lastSkipTimestamp", "url=http://a.example/rev&fl=timestamp,skipcount,endtimestamp&collapse=digest&showSkipCount=true&lastSkipTimestamp=true", 200, {}, b"20070201000000 2 20090201000000\n"),
    ("resume key, text", HOME + "&fl=timestamp&limit=2&showResumeKey=true", 200, {}, r"^20070105120000\n20070620080000\n\nexample%2Ca%29%2F\+20070620080000%21\n$"),
    ("resume key, json", HOME + "&fl=timestamp&limit=2&showResumeKey=true&output=json", 200, {}, lambda r: r.json[-2:] == [[], ["example%2Ca%29%2F+20070620080000%21"]]),
    ("resumed", HOME + "&fl=timestamp&limit=2&resumeKey=example%2Ca%29%2F+20070620080000%21", 200, {}, b"20080301000000\n20100101000000\n"),
    ("no resume key at the end", HOME + "&fl=timestamp&limit=9&showResumeKey=true", 200, {}, lambda r: "%21" not in r.text),
    ("showNumPages is a number", "url=http://many.example/&showNumPages=true&pageSize=2", 200, {}, b"5\n"),
    ("showPagedIndex", "url=http://many.example/&showPagedIndex=true&pageSize=2", 200, {}, lambda r: len(lines(r)) == 9),
    ("filter: not, substring", "url=http://a.example/*&fl=mimetype&filter=~!mimetype:html&filter=~mimetype:png", 200, {}, b"image/png\n"),
    ("filter: bad regex", HOME + "&filter=original:[", 400, {}, "message"),
    ("collapse twice", HOME + "&fl=timestamp&collapse=timestamp:4&collapse=statuscode", 200, {}, b"20070105120000\n20080301000000\n20100101000000\n"),
    ("closest", HOME + "&fl=timestamp&sort=closest&closest=2009&limit=1", 200, {}, b"20080301000000\n"),
    ("sort=reverse", HOME + "&fl=timestamp&sort=reverse&limit=1", 200, {}, b"20100101000000\n"),
    ("from, to", HOME + "&fl=timestamp&from=200706&to=2008", 200, {}, b"20070620080000\n20080301000000\n"),
    ("matchType", "url=secret.example&matchType=host&fl=original", 200, {}, b"http://secret.example/\nhttp://secret.example/private\n"),
    ("jsondict", HOME + "&output=jsondict&fl=timestamp&limit=1", 200, {"Content-Type": "^application/json"}, b'{"timestamp": "20070105120000"}\n'),
    ("cdxj", HOME + "&output=cdxj&fl=original&limit=1", 200, {"Content-Type": "^text/x-cdxj"}, b'example,a)/ 20070105120000 {"original": "http://a.example/"}\n'),
    ("unknown output", HOME + "&output=xml", 400, {}, "output=xml not supported"),
    ("resolveRevisits", "url=http://a.example/rev&fl=timestamp&resolveRevisits=true&limit=2", 200, {}, lambda r: lines(r)[0].endswith(" - - -") and lines(r)[1].endswith(" main.warc.gz")),
    ("bad filter", HOME + "&filter=statuscode", 400, {}, "message"),
    ("gzip=false", HOME + "&limit=1&gzip=false", 200, {"Content-Encoding": None}, "20070105120000"),
    ("coll", HOME + "&coll=web&limit=1", 200, {}, "20070105120000"),
    ("unknown coll", HOME + "&coll=nothing", 404, {}, "message"),
]


def covers(place, server, checks):
    def rows(query):
        return [json.loads(x) for x in server.get("/web/cdx?" + query).text.splitlines()]

    kept = rows(HOME + "&output=json&cover=1")
    checks.equal([(x["timestamp"], x["coveredcount"]) for x in kept], [("20100101000000", "3")], "cover: what is kept, with what it stands for")
    both = rows(HOME + "&output=json&cover=1&showCovered=true")
    checks.equal([x["timestamp"] for x in both], ["20070105120000", "20070620080000", "20080301000000", "20100101000000"], "cover: hidden rows on request")
    checks.equal(both[0]["coveredby"], "20100101000000/http://a.example/", "cover: a hidden row names its coverer")
    other = rows("url=http://a.example/gone&output=json&cover=1")
    checks.equal([(x["status"], x["coveredcount"], "coveredby" in x) for x in other], [("404", "0", False)], "cover: what it says nothing of is not hidden")
    checks.row(server, "cover: unknown", "GET", "/web/cdx?%s&cover=99" % HOME, {}, 400, {}, "message")
    checks.row(server, "cover: unknown, and no folder is named", "GET", "/web/cdx?%s&cover=99" % HOME, {}, 400, {}, lambda r: place.dir not in r.text and "message" in r.json)
    checks.row(server, "where OutbackCDX answers", "GET", "/web?%s&limit=1" % HOME, {}, 302, {"Location": "^/web/cdx[?]%s&limit=1$" % re.escape(HOME)})
    checks.row(server, "cover: no number", "GET", "/web/cdx?%s&cover=x" % HOME, {}, 400, {}, "message")
    rev = rows("url=http://a.example/rev&output=json&cover=1&resolveRevisits=true&showCovered=true")
    checks.that(rev and all(x["orig.filename"] == "main.warc.gz" for x in rev if x["mime"] == "warc/revisit"), "cover: revisits find originals that the cover hides", rev)
    ia = server.get("/cdx/search/cdx?%s&output=json&cover=1" % HOME).json
    checks.that("coveredcount" in ia[0] and len(ia) == 2, "cover: in the other dialect", ia)


def compressed(server, checks):
    many = "/web/cdx?url=http://many.example/&limit=2000"
    plain = server.get(many)
    r = server.get(many, Accept_Encoding="gzip")
    checks.equal(r.get("Content-Encoding"), "gzip", "gzip: when the client can")
    if r.get("Content-Encoding") == "gzip":
        checks.equal(gzip.decompress(r.body), plain.body, "gzip: the same rows")
    checks.that("accept-encoding" in (r.get("Vary") or "").lower(), "gzip: Vary says so", r.get("Vary"))
    checks.equal(server.get(many + "&gzip=false", Accept_Encoding="gzip").get("Content-Encoding"), None, "gzip=false: never")
    checks.equal(server.get(many, Accept_Encoding="gzip;q=0").get("Content-Encoding"), None, "gzip: refused by q=0")
    checks.equal(plain.get("Content-Encoding"), None, "gzip: not unasked")


def paging(server, checks):
    """All 25,000 rows by pages, by resume keys, and at once: the same."""
    whole = server.get("/web/cdx?url=http://many.example/").text.splitlines()
    checks.equal(len(whole), 25000, "a long answer is whole")
    paged = []
    for page in range(9):
        paged += server.get("/web/cdx?url=http://many.example/&pageSize=1&page=%d" % page).text.splitlines()
    checks.equal(paged, whole, "pages together are the whole")
    resumed, key = [], ""
    while True:
        text = server.get("/cdx/search/cdx?url=http://many.example/&fl=timestamp&limit=7000&showResumeKey=true" + (key and "&resumeKey=" + key)).text
        rows, _, rest = text.partition("\n\n")
        resumed += rows.split()
        if not rest:
            break
        key = rest.strip()
    checks.equal(resumed, [x.split()[1] for x in whole], "resumed answers together are the whole")


def writing(place, checks):
    line = 'org,new)/ 20200101000000 {"url": "http://new.org/", "mime": "text/html", "status": "200", "digest": "sha1:ZZ", "length": "5", "offset": "7", "filename": "z.warc.gz"}\n'
    eleven = " CDX N b a m s k r M S V g\norg,eleven)/ 20200102000000 http://eleven.org/ text/html 200 AAAA - - 10 20 e.warc.gz\n"
    shut = place.serve()
    checks.row(shut, "writing is off unless it is allowed", "POST", "/web", shut.bearer(), 405, {"Allow": "GET"}, send=line)
    shut.close()
    server = place.serve("--allow-cdx-write", coll=place.copy("written"))
    auth = server.bearer()
    for name, method, path, headers, send, status, want in [
        ("without a token", "POST", "/web", {}, line, 401, None),
        ("with a wrong token", "POST", "/web", {"Authorization": "Bearer x"}, line, 401, None),
        ("CDXJ", "POST", "/web", auth, line, 200, "Added 1 records"),
        ("is there", "GET", "/web/cdx?url=http://new.org/", {}, None, 200, "z.warc.gz"),
        ("the same again", "POST", "/web", auth, line, 200, "Added 1 records"),
        ("is there once", "GET", "/web/cdx?url=http://new.org/&fields=offset&output=text", {}, None, 200, "^7\n$"),
        ("CDX11 with its header", "POST", "/web", auth, eleven, 200, "Added 1 records"),
        ("is there too", "GET", "/web/cdx?url=http://eleven.org/", {}, None, 200, "e.warc.gz"),
        ("bad line", "POST", "/web", auth, "this is no line\n", 400, "line 1"),
        ("bad lines skipped", "POST", "/web?badLines=skip", auth, "this is no line\n" + line.replace("new)", "new)/2"), 200, "Added 1 records"),
        ("alias lines are passed over", "POST", "/web", auth, "@alias http://a/ http://b/\n", 200, "Added 0 records"),
        ("empty", "POST", "/web", auth, "", 200, "Added 0 records"),
        ("delete without a token", "POST", "/web/delete", {}, line, 401, None),
        ("delete", "POST", "/web/delete", auth, line, 200, "1"),
        ("is gone", "GET", "/web/cdx?url=http://new.org/", {}, None, 200, "^$"),
        ("an ingested capture stays", "POST", "/web/delete", auth, server.get("/web/cdx?url=http://a.example/gone").text, 200, "0"),
        ("and is served", "GET", "/web/cdx?url=http://a.example/gone", {}, None, 200, "main.warc.gz"),
    ]:
        checks.row(server, "writing: " + name, method, path, headers, status, {}, want, send)
    server.close()


def test(place, checks):
    server = place.serve("--token-file", place.path("token"))
    for name, query, status, wants, body in PYWB:
        checks.row(server, "cdx, pywb: " + name, "GET", "/web/cdx?" + query, {}, status, wants, body)
    for name, query, status, wants, body in IA:
        checks.row(server, "cdx, IA: " + name, "GET", "/cdx/search/cdx?" + query, {}, status, wants, body)
    checks.row(server, "cdx: unknown collection", "GET", "/nothing/cdx?url=x", {}, 404)
    checks.row(server, "cdx: POST asks too", "POST", "/web/cdx", {"Content-Type": "application/x-www-form-urlencoded"}, 200, {}, r"^example,a\)/ 20070105120000", HOME + "&limit=1")
    checks.row(server, "cdx: HEAD", "HEAD", "/web/cdx?" + HOME, {}, 200, {"Content-Type": "^text/x-cdxj"}, b"")
    checks.row(server, "cdx: other methods", "PUT", "/web/cdx?" + HOME, {}, 405, {"Allow": "GET, HEAD, POST, OPTIONS"})
    checks.row(server, "cdx: a catastrophic regex ends", "GET", "/cdx/search/cdx?url=many.example&limit=1&filter=original:" + quote("(a*)*(a|aa)+b" * 20), {}, 200)
    covers(place, server, checks)
    compressed(server, checks)
    paging(server, checks)
    checks.equal(server.close(), 0, "cdx: ends with 0")
    from harness import Server
    two = Server(place.winnow, ["web=" + place.coll, "other=" + place.coll])
    checks.row(two, "cdx, IA: two collections, none named", "GET", "/cdx/search/cdx?" + HOME, {}, 400, {}, "message")
    checks.row(two, "cdx, IA: two collections, one named", "GET", "/cdx/search/cdx?%s&coll=other&limit=1" % HOME, {}, 200, {}, "20070105120000")
    two.close()
    writing(place, checks)

#!/usr/bin/env python3
"""mojibake.py BENCH_PAGETEXT DATA -- no page of openbsd-www may come out garbled.

The language is the first folder of a page's path that names one.  Pages of
languages with a script of their own must show it (nine tenths of their letters that are not
ASCII, those written as character references apart: they do not depend on the charset); pages in Latin script must use their language's letters and those of
western names; nowhere may a pattern of doubly decoded UTF-8 or a C1 control stand.
Prints what is suspicious with its reason; U+FFFD (bytes that are damaged
in the source) is counted apart.  Exit 1 when a page not in KNOWN is suspicious."""
import collections, csv, html, os, re, subprocess, sys, unicodedata

LATIN = {"es": "áéíóúüñªº", "de": "äöüß", "fr": "àâæçéèêëîïôœùûüÿ", "nl": "éëïóöüèêá", "hu": "áéíóöőúüű", "cs": "áčďéěíňóřšťúůýž",
         "pt": "áâãàçéêíóôõúü", "lt": "ąčęėįšųūž", "pl": "ąćęłńóśźż", "ro": "ăâîșşțţ", "it": "àèéìòùíóú", "se": "åäöé", "id": ""}
SCRIPT = {"ja": ("HIRAGANA", "KATAKANA", "CJK"), "ru": ("CYRILLIC",), "zh": ("CJK",), "zh-tw": ("CJK",), "zh-cn": ("CJK",),
          "ko": ("HANGUL", "CJK"), "el": ("GREEK",)}
NAMES = "áéíóúüñäöåøßæðþçèêëîïôœùûàâãõžščřěćłńżźāēīūģķļņőűşğıìòýÿ"
GARBLED = re.compile("Ã[\x80-\xbf]|Â[\xa0-\xbf]|â€|ï»¿|[ÐÑ][\x80-\xbf]|ï¿½|[\x80-\x9f]")
REFERENCE = re.compile(rb"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z]+);?")
# pages whose own bytes are like that, and why; browsers show the same
KNOWN = {"ad8cf36f7cd538d31158cfd5f20a0be3a1a3d2ff": "UTF-8 encoded twice in the source (43 C3 83 C2 A9 64: C\u00c3\u00a9dric)",
         "d211276410acfae336890a03a4b9b42a371360aa": "the same page, another version",
         "60ea354f13504102c9f2d963773986b4618d75b4": "latin1 pasted into gb2312 (66 FC 72: f\u9ef5 for f\u00fcr), which is a valid pair of GBK",
         "af5c14a122790bcedceb0867acb3a97128ab7d22": "the same page, another version"}

def main():
    bench, root = sys.argv[1], os.path.join(sys.argv[2], "openbsd-www")
    lang = {}
    for r in csv.DictReader(open(os.path.join(root, "captures.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE):
        hit = [s for s in r["path_in_repo"].split("/")[:-1] if s in LATIN or s in SCRIPT]
        lang[r["path"]] = hit[0] if hit else lang.get(r["path"], "en")
    paths = sorted(lang)
    run = subprocess.run([bench], input="".join(os.path.join(root, p) + "\n" for p in paths), capture_output=True, encoding="utf-8", check=True)
    kinds, damaged, charsets = collections.Counter(), 0, collections.Counter()
    for line in run.stdout.split("\n"):
        if not line:
            continue
        path, charset, replaced, _, text = line.split("\t", 4)
        path = os.path.relpath(path, root)
        charsets[charset] += 1
        damaged += "\ufffd" in text
        l = lang[path]
        letters = [c for c in text if ord(c) > 127 and unicodedata.category(c)[0] in "LM"]
        referred = collections.Counter(html.unescape(m.decode("ascii")) for m in REFERENCE.findall(open(os.path.join(root, path), "rb").read()))
        kind = None
        if GARBLED.search(text):
            kind = "garbled"
        elif letters and l in SCRIPT:
            own = list((collections.Counter(letters) - referred).elements())
            good = sum(unicodedata.name(c, "").startswith(SCRIPT[l]) for c in own)
            kind = "script" if good < 0.9 * len(own) else None
        elif letters and l in LATIN:
            ok = set((LATIN[l] + NAMES) + (LATIN[l] + NAMES).upper())
            odd = [c for c in letters if c not in ok]
            kind = "letters" if len(odd) > 0.02 * len(letters) + 3 else None
        if kind:
            name = os.path.splitext(os.path.basename(path))[0]
            kinds["known" if name in KNOWN else kind] += 1
            if name in KNOWN:
                kind = "known (%s)" % KNOWN[name]
            m = GARBLED.search(text)
            print(kind, l, path, charset, repr(text[max(0, m.start() - 20):m.end() + 20]) if m else "".join(letters[:30]))
    print("%d pages, charsets %s" % (len(paths), dict(charsets.most_common())))
    print("suspicious: %s; pages with U+FFFD: %d" % (dict(kinds), damaged))
    return 1 if any(k != "known" for k in kinds) else 0

sys.exit(main())

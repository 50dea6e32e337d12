#!/usr/bin/env python3
"""innertext.py BENCH_PAGETEXT DATA [N [SEED]] -- our text beside what Chromium shows.

Takes N (100) random pages of the three corpora under DATA, loads each in Chromium
with scripts off and no network, and compares the terms (profile uni-1) of
document.body.innerText with those of our body text without its title: terms in
both / terms in either, as multisets.  Prints the median and the worst ten with what
differs and why: text that the page's style hides (display: none), which is in the body text
because styles are not applied; text that the browser makes (list markers, form values); else unexplained.  Needs Chromium and the PyPI package playwright.  Exit 1 below 0.98."""
import collections, glob, os, random, subprocess, sys, unicodedata
from playwright.sync_api import sync_playwright

SINGLE = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

def terms(text):
    out, word = collections.Counter(), []
    def flush():
        if word:
            out["".join(word).casefold()] += 1
            word.clear()
    for c in text:
        if c.isascii():
            if c.isalnum():
                word.append(c)
            else:
                flush()
            continue
        if unicodedata.category(c)[0] not in "LMN":
            flush()
        elif unicodedata.name(c, "").startswith(SINGLE):
            flush()
            out[c] += 1
        else:
            word.append(c)
    flush()
    return out

# text of elements that a style hides, and text that is not in the tree but shown
HIDDEN = """[...document.body.querySelectorAll('*')].filter(e => !['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT'].includes(e.tagName) &&
    getComputedStyle(e).display == 'none' && (!e.parentElement || getComputedStyle(e.parentElement).display != 'none')).map(e => e.textContent).join(' ')"""
MADE = "[...document.body.querySelectorAll('option, textarea, button, summary, rp')].map(e => e.textContent).join(' ')"

def why(more, less, hidden, made):
    reasons = []
    if more:
        rest = more - hidden
        reasons.append("ours has what the page's style hides" if not rest else "ours has, unexplained: %s" % dict(rest.most_common(4)))
    if less:
        rest = less - made
        reasons.append("the browser shows controls' text" if not rest else "the browser has, unexplained: %s" % dict(rest.most_common(4)))
    return "; ".join(reasons) or "the same"

def main():
    bench, data = sys.argv[1], sys.argv[2]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    random.seed(int(sys.argv[4]) if len(sys.argv) > 4 else 7)
    pages = []
    for corpus in ("openbsd-www", "git-htmldocs", "llvm-releases"):
        files = sorted(glob.glob(os.path.join(data, corpus, "**", "*.html"), recursive=True))
        pages += random.sample(files, min(len(files), n // 3 + 1))
    pages = pages[:n]
    run = subprocess.run([bench], input="\n".join(pages) + "\n", capture_output=True, encoding="utf-8", errors="replace", check=True)
    ours = {}
    for line in run.stdout.split("\n"):
        if line:
            path, charset, _, _, text = line.split("\t", 4)
            ours[path] = (charset, text)
    results = []
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])
        context = browser.new_context(java_script_enabled=False, offline=True)
        context.route("**/*", lambda r: r.continue_() if r.request.url.startswith("file:") and r.request.is_navigation_request() else r.abort())
        page = context.new_page()
        for path in pages:
            try:
                page.goto("file://" + path, wait_until="domcontentloaded", timeout=20000)
                shown = page.evaluate("document.body ? document.body.innerText : ''")
            except Exception as e:  # a page the browser cannot load is reported, not hidden
                print("browser failed on", path, str(e).split("\n")[0])
                continue
            a, b = terms(ours[path][1]), terms(shown)
            either, both = sum((a | b).values()), sum((a & b).values())
            hidden, made = (terms(page.evaluate("document.body ? " + what + " : ''")) for what in (HIDDEN, MADE))
            results.append((both / either if either else 1.0, path, a - b, b - a, why(a - b, b - a, hidden, made)))
        browser.close()
    results.sort(key=lambda r: r[0])
    median = results[len(results) // 2][0] if results else 0
    print("%d pages: median %.4f, mean %.4f, at least 0.98: %d" % (len(results), median, sum(r[0] for r in results) / max(1, len(results)),
          sum(r[0] >= 0.98 for r in results)))
    for score, path, more, less, reason in results[:10]:
        print("%.4f %s (%s): %s\n   only ours: %s\n   only Chromium: %s" % (score, os.path.relpath(path, data), ours[path][0], reason,
              dict(more.most_common(6)), dict(less.most_common(6))))
    return 0 if median >= 0.98 else 1

sys.exit(main())

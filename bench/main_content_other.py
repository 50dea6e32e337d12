#!/usr/bin/env python3
"""bench/main_content_other.py [--trafilatura DIR] [--readability DIR] [--newspaper DIR] [--htmldate DIR] [--build DIR] [--peers ...]

Main content on collections that come with somebody's word on what belongs to it, unpacked Go modules
(`go mod download -json github.com/markusmobius/go-trafilatura@latest`, `.../go-shiori/go-readability@latest`,
`.../markusmobius/go-htmldate@latest` print their folders) and a Python source package (`pip download --no-binary :all: newspaper4k`).
Everything is told for all and in two halves by a hash of the page's address or name:

--trafilatura  pages with strings that must be in the text and strings that must not (scripts/comparison/data.go, test-files/):
               precision, recall and F1 over strings
--readability  test pages with what Readability makes of them (test-pages/): as bench/main_content.py counts
--newspaper    test pages with their text (tests/data/html, tests/data/txt): the same
--htmldate     pages with their date of publication (scripts/comparison/data-*.go, test-files/): how many days are right, none, other
"""
import argparse, email.utils, glob, hashlib, json, os, re
from main_content import PEERS, compare, ours, score

STRING = r'"(?:[^"\\]|\\.)*"|`[^`]*`'


def literal(s):
    return s[1:-1] if s[0] == '`' else json.loads(s)


def comparison_data(folder):
    """(address, file, strings of the text, strings of no text) of data.go's entries."""
    source = open(os.path.join(folder, 'scripts', 'comparison', 'data.go'), encoding='utf-8').read()
    paths = {}
    for path in sorted(glob.glob(os.path.join(folder, 'test-files', '*', '*'))):
        paths.setdefault(os.path.basename(path), path)
    for address, entry in re.findall(r'^\t(%s): \{\n(.*?)^\t\},' % STRING, source, re.M | re.S):
        def strings(name):
            found = re.search(r'^\t\t%s:\s*\[\]string\{(.*?)\},?$' % name, entry, re.M | re.S)
            return [literal(s) for s in re.findall(STRING, found.group(1))] if found else []
        name = literal(re.search(r'^\t\tFile:\s*(%s)' % STRING, entry, re.M).group(1))
        if name in paths:
            yield literal(address), paths[name], strings('With'), strings('Without')


def flat(text):
    return re.sub(r'\s+', ' ', text or '')


def halves(entries, name):
    """(title, entries) of all and of two halves by a hash of what name() says."""
    half = lambda e: int(hashlib.md5(name(e).encode()).hexdigest(), 16) % 2
    return ('all', entries), ('half A', [e for e in entries if not half(e)]), ('half B', [e for e in entries if half(e)])


def judge_strings(name, entries, texts):
    for part, chosen in halves(entries, lambda e: e[0]):
        found = [flat(s) in flat(texts[path]) for _, path, wanted, _ in chosen for s in wanted]
        wrong = sum(flat(s) in flat(texts[path]) for _, path, _, unwanted in chosen for s in unwanted)
        precision, recall = sum(found) / max(1, sum(found) + wrong), sum(found) / max(1, len(found))
        print('%-24s %-7s precision %.4f  recall %.4f  F1 %.4f  pages %d'
              % (name, part, precision, recall, 2 * precision * recall / max(1e-9, precision + recall), len(chosen)), flush=True)


def text_of(path):
    """The text of Readability's answer, blocks apart."""
    import lxml.html
    tree = lxml.html.fromstring('<div>' + open(path, encoding='utf-8', errors='replace').read() + '</div>')
    for block in tree.iter('p', 'div', 'li', 'h1', 'h2', 'h3', 'h4', 'td', 'br', 'blockquote', 'pre', 'section'):
        block.text, block.tail = ' ' + (block.text or ''), ' ' + (block.tail or '')
    return tree.text_content()


def judge_texts(name, gold, texts, called):
    for part, chosen in halves(sorted(gold), called):
        print('%-24s %-7s precision %.4f  recall %.4f  F1 %.4f  pages %d'
              % ((name, part) + score([compare(gold[path], texts[path]) for path in chosen]) + (len(chosen),)), flush=True)


def day(value):
    found = re.match(r'(\d{4})-?(\d\d)-?(\d\d)', value)
    parsed = None if found else email.utils.parsedate(value)
    return '-'.join(found.groups()) if found else '%04d-%02d-%02d' % parsed[:3] if parsed else value


def judge_dates(program, folder):
    entries = []
    for path in sorted(glob.glob(os.path.join(folder, 'scripts', 'comparison', 'data-*.go'))):
        for address, name, date in re.findall(r'URL:\s*(%s),\s*File:\s*(%s),\s*Date:\s*"([^"]*)"' % (STRING, STRING), open(path, encoding='utf-8').read()):
            files = [f for f in (os.path.join(folder, 'test-files', kind, literal(name)) for kind in ('mock', 'comparison', 'mediacloud')) if os.path.exists(f)]
            entries += [(literal(address), files[0], date)] if files else []
    found = {g['file']: g['published'] for g in ours(program, [e[1] for e in entries])}
    for part, chosen in halves(entries, lambda e: e[0]):
        right, none = sum(day(found[f]) == date for _, f, date in chosen), sum(not found[f] for _, f, _ in chosen)
        print('%-24s %-7s dates right %d  none %d  other %d' % ('winnow', part, right, none, len(chosen) - right - none), flush=True)


def extract(run, path):
    try:
        return run(open(path, 'rb').read())
    except Exception as why:  # a peer that gives up on a page has no text of it
        print('%s: %s' % (path, why))
        return ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--trafilatura')
    parser.add_argument('--readability')
    parser.add_argument('--newspaper')
    parser.add_argument('--htmldate')
    parser.add_argument('--build', default='build')
    parser.add_argument('--peers', default='trafilatura,resiliparse')
    args = parser.parse_args()
    program = os.path.join(args.build, 'bench', 'bench-main_content')
    entries = list(comparison_data(args.trafilatura)) if args.trafilatura else []
    gold = {}
    for folder in sorted(glob.glob(os.path.join(args.readability, 'test-pages', '*'))) if args.readability else []:
        if os.path.exists(folder + '/expected.html') and len((truth := text_of(folder + '/expected.html')).split()) > 30:
            gold[folder + '/source.html'] = truth
    news = {}
    for path in sorted(glob.glob(os.path.join(args.newspaper, 'tests', 'data', 'html', '*.html'))) if args.newspaper else []:
        if os.path.exists(truth := os.path.join(args.newspaper, 'tests', 'data', 'txt', os.path.basename(path)[:-5] + '.txt')):
            news[path] = open(truth, encoding='utf-8').read()
    if args.htmldate:
        judge_dates(program, args.htmldate)
    files = sorted({path for _, path, _, _ in entries} | set(gold) | set(news))
    if not files and not args.htmldate:
        parser.error('no pages: name the folder of one of the collections')
    if not files:
        return
    results = [('winnow', {g['file']: g['text'] for g in ours(program, files)})]
    for name in filter(None, args.peers.split(',')):
        title, run = PEERS[name]()
        results.append((title, {path: extract(run, path) for path in files}))
    for name, texts in results:
        if entries:
            judge_strings(name, entries, texts)
    for name, texts in results:
        if gold:
            judge_texts(name, gold, texts, lambda path: path.split(os.sep)[-2])
    for name, texts in results:
        if news:
            judge_texts(name, news, texts, os.path.basename)


if __name__ == '__main__':
    main()

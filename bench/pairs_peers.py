#!/usr/bin/env python3
"""Pairs of a set file by other libraries, timed, and compared with bench-join's.

	pip install SetSimilaritySearch datasketch
	bench-pagesets CORPUS captures.tsv FILE 2000
	bench-join FILE chain 7/10 pairs > ours
	pairs_peers.py FILE contained 0.7 ours [setsim|datasketch]

Prints seconds (one thread, sets already in memory), pairs, missing, extra.
"""
import struct
import sys
import time


def read(path):
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


def by_setsim(sets, measure, t):
    from SetSimilaritySearch import SearchIndex, all_pairs
    if measure == 'jaccard':
        return {p for x, y, _ in all_pairs(sets, similarity_func_name='jaccard', similarity_threshold=t)
                for p in ((x, y), (y, x))}
    index = SearchIndex(sets, similarity_func_name='containment', similarity_threshold=t)
    return {(a, b) for a, s in enumerate(sets) if s for b, _ in index.query(s) if a != b}


def by_datasketch(sets, measure, t):
    from datasketch import MinHash, MinHashLSH
    lsh = MinHashLSH(threshold=t, num_perm=128)
    hashes = []
    for i, s in enumerate(sets):
        m = MinHash(num_perm=128, hashfunc=lambda x: x & 0xffffffff)
        m.update_batch(s)
        lsh.insert(i, m)
        hashes.append(m)
    return {(a, b) for a, m in enumerate(hashes) for b in lsh.query(m) if a != b}


def main():
    path, measure, t, ours = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    peer = sys.argv[5] if len(sys.argv) > 5 else 'setsim'
    sets = read(path)
    start, cpu = time.time(), time.process_time()
    theirs = (by_setsim if peer == 'setsim' else by_datasketch)(sets, measure, t)
    took, cpu = time.time() - start, time.process_time() - cpu
    got = {tuple(map(int, line.split()[:2])) for line in open(ours)}
    # an empty set is no set to the peer
    got = {(a, b) for a, b in got if sets[a] and sets[b]}
    print('%s: %d sets, %.2f s, %.2f s CPU, %d pairs; ours %d, missing %d, extra %d'
          % (peer, len(sets), took, cpu, len(theirs), len(got), len(theirs - got), len(got - theirs)))


main()

#!/usr/bin/env python3
"""shingles.py K word|char set|bag < TEXTS -- the shingle sets of texts, told slowly and plainly.

The twin of src/text/word.c and src/sketch/shingle.c, after docs/format/shingles.md.
Each text on standard input is its length in bytes as a decimal line, then the bytes.
Each line on standard output: the number of terms, then the sorted hashes, 16 hex digits each.
"""
import importlib.machinery
import importlib.util
import os
import struct
import sys

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/mkunicode")
loader = importlib.machinery.SourceFileLoader("mkunicode", path)
mkunicode = importlib.util.module_from_spec(importlib.util.spec_from_loader("mkunicode", loader))
sys.dont_write_bytecode = True
loader.exec_module(mkunicode)
CLASS, FOLD = mkunicode.classes(), mkunicode.folding()
OTHER, RUN, MARK, ALONE = range(4)
M64 = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def terms(text):
    out, alone = [], None  # alone: None no term is open, else whether it is a character standing alone
    for char in text:
        cls = CLASS.get(ord(char), OTHER)
        if cls == OTHER or cls == ALONE or (cls == RUN and alone):
            alone = None
        if cls != OTHER:
            if alone is None:
                out.append("")
                alone = cls == ALONE
            out[-1] += chr(FOLD.get(ord(char), ord(char)))
    return out


def step(h, w):
    m = (h ^ w) * 0x9FB21C651E98DF25
    return (m ^ m >> 64) & M64


def word_hash(term):
    h, b = 0x2545F4914F6CDD1D, term.encode()
    for (w,) in struct.iter_unpack("<Q", b + bytes(-len(b) % 8)):
        h = step(h, w)
    return h


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


def shingles(text, k=5, unit="word", bag=False):
    words = terms(text)
    t = [word_hash(w) for w in words] if unit == "word" else [step(0x2545F4914F6CDD1D, ord(c)) for c in " ".join(words)]
    multiplier = [mix((i + 1) * GOLDEN & M64) | 1 for i in range(k)]
    seen, out = {}, set()
    for at in range(max(len(t) - k + 1, min(len(t), 1))):
        s = mix(sum(a * b for a, b in zip(t[at:at + k], multiplier)) & M64)
        i = seen[s] = seen.get(s, -1) + 1
        if i == 0 or bag:
            out.add(mix((s + i * GOLDEN) & M64) if i else s)
    return len(words), sorted(out)


if __name__ == "__main__":
    k, unit, bag = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "bag"
    while line := sys.stdin.buffer.readline():
        count, values = shingles(sys.stdin.buffer.read(int(line)).decode(errors="replace"), k, unit, bag)
        print(count, *(f"{v:016x}" for v in values))

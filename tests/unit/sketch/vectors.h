/* text, k, unit, bag, how many, the values: made by tests/oracle/shingles.py, listed in docs/format/shingles.md. */
{ "a", 1, SHINGLE_WORD, false, 1, { 0x9042c80c945c1bacU } },
    { "Hello, World", 5, SHINGLE_WORD, false, 1, { 0xc09a825bba86325dU } },
    { "one two three four five six", 5, SHINGLE_WORD, false, 2, { 0x18548bcef4b77e79U, 0x61268689d9905933U } },
    { "antidisestablishmentarianism", 1, SHINGLE_WORD, false, 1, { 0x2ae9f3ed87e79d66U } },
    { "a a a", 1, SHINGLE_WORD, true, 3, { 0x7315a718601ade8bU, 0x9042c80c945c1bacU, 0xb9df8848c3011b7aU } },
    { "Ab c", 3, SHINGLE_CHAR, false, 2, { 0x1f6e379b4428ad72U, 0x25dd7684f1656a7fU } },
    { "Stra\303\237e \346\227\245\346\234\254", 2, SHINGLE_WORD, false, 2, { 0x1fe53343de3856a3U, 0x6fea5e57f1d8c33aU } },

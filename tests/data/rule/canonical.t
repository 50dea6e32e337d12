# Each rule and its canonical form, which must read back to itself.
@ pair
> C(sh(di), sh(dj)) ≥ 0.7 ∧ timestamp(di) ≤ timestamp(dj) ∧ hostname(di) = hostname(dj)
= containment(a, b) >= 0.7 and a.time <= b.time and a.host = b.host

> C(sh(d_i), sh(d_j)) >= 0.70 AND mime-type(d_i) = mime-type(d_j)
= containment(a, b) >= 0.7 and a.mime = b.mime

> containment(a,b)>=.7&&a.time<=b.time&&a.host==b.host
= containment(a, b) >= 0.7 and a.time <= b.time and a.host = b.host

> J(a.main,b.main) ≥ 1.0 ∨ D(b,a) > 00.50
= jaccard(a.main, b.main) >= 1 or dice(b, a) > 0.5

> ¬ (a.host ≠ b.host) || !(a.lang <> b.lang)
= not a.host != b.host or not a.lang != b.lang

> (((a.host = b.host)))
= a.host = b.host

> (a.host = b.host and a.lang = b.lang) and (a.time < b.time and true)
= a.host = b.host and a.lang = b.lang and a.time < b.time and true

> a.host = b.host and (a.lang = b.lang or a.mime = b.mime)
= a.host = b.host and (a.lang = b.lang or a.mime = b.mime)

> not (a.host = b.host and true) and not not true
= not (a.host = b.host and true) and not not true

> a.words - (b.words - 1) > (a.words - b.words) - 1 and a.words / (b.words * 2) > a.words * b.words / 2
= a.words - (b.words - 1) > a.words - b.words - 1 and a.words / (b.words * 2) > a.words * b.words / 2

> -a.score < - -1 and -(a.score + 1) < 2
= -a.score < --1 and -(a.score + 1) < 2

> a.title = 'it''s' and b.title = "say ""hi"""
= a.title = "it's" and b.title = "say ""hi"""

> abs(a.time-b.time) <= 07.50D and a.time-b.time<1W
= abs(a.time - b.time) <= 7.5d and a.time - b.time < 1w

> a.time >= 2010 and a.time < 2010-02 and b.time != 2010-01-31 and b.time = 2010-01-31t12:00:00z
= a.time >= 2010 and a.time < 2010-02 and b.time != 2010-01-31 and b.time = 2010-01-31T12:00:00Z

> a.bytes > 1,000,000 and a.status IN (200,301) and max(1,200) < a.words
= a.bytes > 1000000 and a.status in (200, 301) and max(1, 200) < a.words

> A.HOST = B.Host and a.checked_on <= b.Checked-On and a.spam = b.spam
= a.host = b.host and a.checked-on <= b.checked-on and a.spam = b.spam

> 0.5 <= containment(b, a) and shared(a, b) >= 3 and 7/10 <= C(a,b)
= 0.5 <= containment(b, a) and shared(a, b) >= 3 and 7 / 10 <= containment(a, b)

> containment(a,b) >= 0.7 and containment(a,b) >= 0.7 + 0.2 * (b.time - a.time) / 10y
= containment(a, b) >= 0.7 and containment(a, b) >= 0.7 + 0.2 * (b.time - a.time) / 10y

> a.title ~ "old|new" and b.title !~ 'x' and has(a.title) and startswith(a.url, b.url)
= a.title ~ "old|new" and b.title !~ "x" and has(a.title) and startswith(a.url, b.url)

> k = 5 and unit = "word" and jaccard(a,b) >= 0.9
= k = 5 and unit = "word" and jaccard(a, b) >= 0.9

> timestamp(di) ≥ timestamp(dj) − 7d
= a.time >= b.time - 7d

> a.host = b.host\n  and a.lang = b.lang
= a.host = b.host and a.lang = b.lang

> a.year = year(b.time) and (a.words > 3) = (b.words > 3)
= a.year = year(b.time) and (a.words > 3) = (b.words > 3)

> C(sh(a.main), sh(b.main)) = 1 and C(main(di), main(dj)) < 1
= containment(a.main, b.main) = 1 and containment(a.main, b.main) < 1

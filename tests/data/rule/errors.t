# Each bad rule, and the whole error: what is wrong, the line, a caret.
@ pair
> timestamp(di) ≥ timestamp(dj) − 604,800,000
! column 33: the left side is a time and this is a plain number, which looks like milliseconds; write the duration 7d
!   timestamp(di) ≥ timestamp(dj) − 604,800,000
!                                   ^

> a.time >= b.time - 604800
! column 20: cannot subtract a time and a number; a duration has a unit: 7d
!   a.time >= b.time - 604800
!                      ^

> abs(a.time - b.time) <= 7
! column 25: cannot compare a duration and a number; a duration has a unit: 7d
!   abs(a.time - b.time) <= 7
!                           ^

> a.hots = b.host
! column 3: unknown attribute "hots"; did you mean "host"?
!   a.hots = b.host
!     ^

> a.host = b.hostnam
! column 12: unknown attribute "hostnam"; did you mean "hostname"?
!   a.host = b.hostnam
!              ^

> x.host = b.host
! column 1: unknown document "x"; expected a or b
!   x.host = b.host
!   ^

> text ~ "x"
! column 1: text belongs to selections (--where 'text ~ "word"'); rules compare texts by containment, jaccard or dice
!   text ~ "x"
!   ^

> host = b.host
! column 1: of which document? write a.host or b.host
!   host = b.host
!   ^

> a = b
! column 3: expected '.' and an attribute after the document, as in a.host
!   a = b
!     ^

> a.host
! column 3: a rule is a condition, but this is a text; compare it with something
!   a.host
!     ^

> a.host = 5
! column 10: cannot compare a text and a number; texts stand in quotes
!   a.host = 5
!            ^

> a.host = www
! column 10: unknown name "www"; expected an attribute such as a.host, a measure or a constant (texts stand in quotes)
!   a.host = www
!            ^

> a.host = "x
! column 10: this string has no closing "
!   a.host = "x
!            ^

> a.host = “x”
! column 10: strings stand in plain quotes: "..." or '...'
!   a.host = “x”
!            ^

> a.words = "10"
! column 11: cannot compare a number and a text; numbers stand without quotes
!   a.words = "10"
!             ^

> a.time = "2010"
! column 10: cannot compare a time and a text; dates stand without quotes
!   a.time = "2010"
!            ^

> a.time >= 12
! column 11: cannot compare a time and a number; write a date such as 2010-01-31
!   a.time >= 12
!             ^

> a.time + b.time > 5
! column 12: cannot add a time and a time
!   a.time + b.time > 5
!              ^

> a.host + 1 = 2
! column 10: cannot add a text and a number; texts stand in quotes
!   a.host + 1 = 2
!            ^

> a.title and b.title
! column 3: 'and' needs a condition, but this is a text; compare it with something
!   a.title and b.title
!     ^

> not a.words
! column 7: 'not' needs a condition, but this is a number; compare it with something
!   not a.words
!         ^

> a.host = b.host and
! column 20: found the end of the rule, expected a value: a.attribute, b.attribute, a measure, a constant or '('
!   a.host = b.host and
!                      ^

> a.host = b.host or or a.lang = b.lang
! column 20: found "or", expected a value: a.attribute, b.attribute, a measure, a constant or '('
!   a.host = b.host or or a.lang = b.lang
!                      ^

> a.host = b.host a.lang = b.lang
! column 17: found "a", expected 'and', 'or' or the end
!   a.host = b.host a.lang = b.lang
!                   ^

> a.host = b.host adn a.lang = b.lang
! column 17: found "adn", expected 'and', 'or' or the end; did you mean "and"?
!   a.host = b.host adn a.lang = b.lang
!                   ^

> (a.host = b.host
! column 1: this '(' is never closed
!   (a.host = b.host
!   ^

> a.host = b.host)
! column 16: this ')' closes nothing
!   a.host = b.host)
!                  ^

> 1 < a.words < 5
! column 13: comparisons do not chain; write x <= y and y <= z
!   1 < a.words < 5
!               ^

> a.time >= 2010-13
! column 11: there is no date 2010-13
!   a.time >= 2010-13
!             ^

> a.time >= 2010-02-30
! column 11: there is no date 2010-02-30
!   a.time >= 2010-02-30
!             ^

> a.time >= 2010-01-31T12:00
! column 21: a date with a time of day is written 2010-01-31T12:00:00Z
!   a.time >= 2010-01-31T12:00
!                       ^

> a.time >= 2010-01-31x
! column 21: unexpected characters after the date 2010-01-31
!   a.time >= 2010-01-31x
!                       ^

> a.words > 7days
! column 12: unknown unit "days" after a number; expected s, m, h, d, w or y (7d is seven days)
!   a.words > 7days
!              ^

> a.words > 1e5
! column 12: numbers have no exponent; write it out with at most 9 decimals
!   a.words > 1e5
!              ^

> a.words > 1.2.3
! column 14: a second or an empty fraction in a number
!   a.words > 1.2.3
!                ^

> a.words > 0.1234567891
! column 22: a number has at most 9 decimals
!   a.words > 0.1234567891
!                        ^

> a.words > 12345678901234567
! column 11: this number is too large: at most 15 digits before the point
!   a.words > 12345678901234567
!             ^

> containment(a,b)
! column 17: expected a threshold after the measure, as in >= 0.7
!   containment(a,b)
!                   ^

> containment(a,b) >= 0
! column 21: a threshold lies above 0 and not above 1; pairs that share nothing: shared(a, b) = 0
!   containment(a,b) >= 0
!                       ^

> containment(a,b) >= 1.1
! column 21: a threshold lies above 0 and not above 1
!   containment(a,b) >= 1.1
!                       ^

> containment(a,b) >= -0.5
! column 21: a threshold lies above 0 and not above 1
!   containment(a,b) >= -0.5
!                       ^

> containment(a,b) >= 1e-300
! column 22: numbers have no exponent; write it out with at most 9 decimals
!   containment(a,b) >= 1e-300
!                        ^

> containment(a,b) >= NaN
! column 21: there is no NaN here; has(a.x) asks whether a value is there
!   containment(a,b) >= NaN
!                       ^

> jaccard(a,b) < 0
! column 16: a threshold lies above 0 and not above 1; pairs that share nothing: shared(a, b) = 0
!   jaccard(a,b) < 0
!                  ^

> jaccard(a,b) = 0
! column 16: a threshold lies above 0 and not above 1; pairs that share nothing: shared(a, b) = 0
!   jaccard(a,b) = 0
!                  ^

> containment(a,b) >= 70%
! column 23: no percent signs; a threshold is a decimal such as 0.7
!   containment(a,b) >= 70%
!                         ^

> containment(a,b) >= 7/0
! column 21: this threshold cannot be computed exactly; write a decimal such as 0.7
!   containment(a,b) >= 7/0
!                       ^

> containment(a,b) >= "0.7"
! column 21: a measure is a number; the threshold is a text
!   containment(a,b) >= "0.7"
!                       ^

> containment(a,b) >= a.words
! column 23: a threshold that depends on metadata needs a constant one beside it, to find pairs by; add: containment(a, b) >= 0.5 and ...
!   containment(a,b) >= a.words
!                         ^

> containment(a,b) >= 0.7 and jaccard(a,b) >= a.score
! column 47: a threshold that depends on metadata needs a constant one beside it, to find pairs by; add: jaccard(a, b) >= 0.5 and ...
!   containment(a,b) >= 0.7 and jaccard(a,b) >= a.score
!                                                 ^

> containment(a,b) >= containment(b,a)
! column 21: a measure is compared with a threshold, as in containment(a, b) >= 0.7, not with another measure
!   containment(a,b) >= containment(b,a)
!                       ^

> containment(a,b) + jaccard(a,b) >= 1.2
! column 1: a measure is compared with a threshold, as in containment(a, b) >= 0.7; it cannot stand in arithmetic
!   containment(a,b) + jaccard(a,b) >= 1.2
!   ^

> max(containment(a,b), containment(b,a)) >= 0.7
! column 5: a measure is compared with a threshold, as in containment(a, b) >= 0.7; it cannot stand inside a function
!   max(containment(a,b), containment(b,a)) >= 0.7
!       ^

> containment(a,b) in (0.7, 0.8)
! column 1: a measure is compared with a threshold, as in containment(a, b) >= 0.7; it cannot stand before 'in'
!   containment(a,b) in (0.7, 0.8)
!   ^

> containment(a,a) >= 0.7
! column 15: a measure compares a with b, not a document with itself
!   containment(a,a) >= 0.7
!                 ^

> containment(a,b.main) >= 0.7
! column 15: both arguments of a measure name the same text: a.main, b.main or a.body, b.body
!   containment(a,b.main) >= 0.7
!                 ^

> containment(a.text,b.text) >= 0.7
! column 15: found "text", expected which text: body or main
!   containment(a.text,b.text) >= 0.7
!                 ^

> containment(a) >= 0.7
! column 14: found ")", expected ','
!   containment(a) >= 0.7
!                ^

> containment(a,b,c) >= 0.7
! column 16: found ",", expected ')': a measure has two documents
!   containment(a,b,c) >= 0.7
!                  ^

> containmnt(a,b) >= 0.7
! column 1: unknown function "containmnt"; did you mean "containment"?
!   containmnt(a,b) >= 0.7
!   ^

> contanment(a,b) >= 0.7
! column 1: unknown function "contanment"; did you mean "containment"?
!   contanment(a,b) >= 0.7
!   ^

> a.main = b.main
! column 3: a.main is a text and stands inside a measure: containment(a.main, b.main)
!   a.main = b.main
!     ^

> sh(a) = sh(b)
! column 1: sh(...) stands inside a measure: containment(sh(a), sh(b)) >= 0.7
!   sh(a) = sh(b)
!   ^

> a.text ~ "x"
! column 3: text belongs to selections (--where 'text ~ "word"'); rules compare texts by containment, jaccard or dice
!   a.text ~ "x"
!     ^

> a.rank > b.rank
! column 3: rank comes from the link graph, which this winnow does not compute yet
!   a.rank > b.rank
!     ^

> year(a.host) = 2010
! column 8: expected a time here, found a text
!   year(a.host) = 2010
!          ^

> year(a.time, b.time) = 2010
! column 1: year has 1 argument, found 2
!   year(a.time, b.time) = 2010
!   ^

> min(a.words) = 2
! column 1: min has 2 arguments or more, found 1
!   min(a.words) = 2
!   ^

> lower(5) = "x"
! column 7: expected a text here (in quotes), found a number
!   lower(5) = "x"
!         ^

> startswith(a.url) = true
! column 1: startswith has 2 arguments, found 1
!   startswith(a.url) = true
!   ^

> has(5)
! column 5: has() asks for an attribute, as in has(a.title)
!   has(5)
!       ^

> a.title ~ b.title
! column 13: expected a string after '~'
!   a.title ~ b.title
!               ^

> a.words ~ "1"
! column 3: '~' searches a text, found a number
!   a.words ~ "1"
!     ^

> a.title ~ "(a)\1"
! column 15: in the regular expression, column 4: back-references are not supported: they cannot be matched in linear time
!   a.title ~ "(a)\1"
!                 ^

> a.title ~ "(?=a)"
! column 12: in the regular expression, column 1: look-around is not supported: it cannot be matched in linear time
!   a.title ~ "(?=a)"
!              ^

> a.title ~ "["
! column 12: in the regular expression, column 1: this [ is never closed
!   a.title ~ "["
!              ^

> a.title ~ "a)"
! column 13: in the regular expression, column 2: this ) closes nothing
!   a.title ~ "a)"
!               ^

> a.lang in ("en", 5)
! column 18: cannot compare a text and a number; texts stand in quotes
!   a.lang in ("en", 5)
!                    ^

> a.lang in (b.lang)
! column 14: a list holds constants
!   a.lang in (b.lang)
!                ^

> a.lang in "en"
! column 11: found ""en"", expected '('
!   a.lang in "en"
!             ^

> true < false
! column 8: conditions are compared with = and != only
!   true < false
!          ^

> k = 4
! column 1: the rule wants k = 4, but this collection was made with k = 5
!   k = 4
!   ^

> unit = "char"
! column 1: the rule wants unit = "char", but this collection was made with unit = "word"
!   unit = "char"
!   ^

> k > 3
! column 1: a rule may name the collection's setting as k = 5 or unit = "word", nothing else
!   k > 3
!   ^

> a.host = b.host # comment
! column 17: unexpected character #, expected a name, a constant, an operator or a bracket
!   a.host = b.host # comment
!                   ^

> a.host = b.host;
! column 16: unexpected character ;, expected a name, a constant, an operator or a bracket
!   a.host = b.host;
!                  ^

> a.host := b.host
! column 8: unexpected character :, expected a name, a constant, an operator or a bracket
!   a.host := b.host
!          ^

> a.host = b.host\n  and a.lnag = b.lang
! line 2, column 9: unknown attribute "lnag"; did you mean "lang"?
!     and a.lnag = b.lang
!           ^

> 7d > 5
! column 6: cannot compare a duration and a number; a duration has a unit: 5d
!   7d > 5
!        ^

> shared(a,b) >= -1
! column 16: a number of shared shingles is not below 0
!   shared(a,b) >= -1
!                  ^


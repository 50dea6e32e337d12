# Selections speak of one document; preferences are numbers of one.
@ selection
> mime = "text/html" and time >= 2007-01-01 and text ~ "expense"
= mime = "text/html" and time >= 2007-01-01 and text ~ "expense"

> STATUS in (200,301) and HostName != 'x' and year = 2010 and year(time) < 2011
= status in (200, 301) and host != "x" and year = 2010 and year(time) < 2011

> has(topic) and score > -1.50 or spam
= has(topic) and score > -1.5 or spam

> a.host = "x"
! column 1: a selection speaks of one document: write the attribute alone, without "a."
!   a.host = "x"
!   ^

> containment(a, b) >= 0.7
! column 1: a measure compares two documents; a selection speaks of one
!   containment(a, b) >= 0.7
!   ^

> text = "expense"
! column 1: text is searched with text ~ "words"; it is not compared
!   text = "expense"
!   ^

> text ~ " "
! column 8: an empty query finds nothing
!   text ~ " "
!          ^

> hots = "x"
! column 1: unknown attribute "hots"; did you mean "host"?
!   hots = "x"
!   ^

@ prefer
> newest
= time - 1970-01-01

> words / 2 + rank
! column 13: rank comes from the link graph, which this winnow does not compute yet
!   words / 2 + rank
!               ^

> host
! column 1: a preference is a number, a time or a duration, found a text
!   host
!   ^

> score * 2
= score * 2

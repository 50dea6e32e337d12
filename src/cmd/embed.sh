#!/bin/sh
# A text file as C string literals, one a line.
exec sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&\\n"/' "$1"

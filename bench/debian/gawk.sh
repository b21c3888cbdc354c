# Interpreter with a table-driven regular-expression engine. Autotools.
package=gawk needs="" program=gawk inputs=(--stdin 32 -- '$1 ~ /a+b/ { n += $2 } END { printf "%d %s\n", n, toupper($0) }')
build() { ./configure --disable-nls --disable-mpfr --disable-extensions && make ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=: gawk; }

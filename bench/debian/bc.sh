# Calculator: a program of the package is built by another one. Autotools, bison, flex.
package=bc needs="bison flex ed texinfo" program=bc/bc inputs=(--stdin 32)
build() { ./configure && make -C lib ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: && make -C bc ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:; }

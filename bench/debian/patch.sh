# Autotools with gnulib.
package=patch needs="" program=src/patch inputs=(--stdin 64 --sym-file old:32 -- --dry-run -o - @file)
build() { ./configure --disable-dependency-tracking && make ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=:; }

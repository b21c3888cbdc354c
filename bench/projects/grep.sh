# Autotools with gnulib. The package's patches make its generated files look old: they are not generated again (`cp -a` keeps
# their times).
package=grep needs="perl" program=src/grep
old="ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=: MAKEINFO=: GPERF=:"
build() { cp -a "$source/." . && ./configure --disable-nls && make $old; }
check() { make $old check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

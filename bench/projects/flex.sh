# Autotools; builds itself with itself.
package=flex needs="autoconf automake autopoint libtool bison flex gettext texinfo help2man" program=src/flex
build() { cp -r "$source/." . && autoreconf -fi && ./configure --disable-nls --disable-shared && make; }
check() { make check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

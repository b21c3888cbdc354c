# XML parser. Autotools.
package=expat needs="autoconf automake libtool" program=xmlwf/xmlwf
build() { cp -r "$source/." . && cd expat 2>/dev/null; autoreconf -fi && ./configure --without-docbook --disable-shared && make; }
check() { cd expat 2>/dev/null; make check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):|^[0-9]+%: Checks'; }

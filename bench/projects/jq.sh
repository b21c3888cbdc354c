# JSON query language. Autotools, bison, flex.
package=jq needs="autoconf automake libtool bison flex libonig-dev" program=jq
build() { cp -r "$source/." . && autoreconf -fi && ./configure --disable-docs --disable-maintainer-mode && make; }
check() { make check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

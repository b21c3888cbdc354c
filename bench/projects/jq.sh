# JSON query language. Autotools, bison, flex.
package=jq needs="autoconf automake libtool bison flex libonig-dev" program=.libs/jq
build() { cp -r "$source/." . && autoreconf -fi && ./configure --disable-docs --disable-maintainer-mode --disable-valgrind && make; }
# Not under valgrind, which jq's suite uses where it is installed: it watches memory itself, and 16 TB of shadow are too much for it.
check() { make check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

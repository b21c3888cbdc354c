# YAML parser. Autotools.
package=libyaml needs="autoconf automake libtool" program=tests/.libs/run-parser
build() { cp -r "$source/." . && autoreconf -fi && ./configure && make; }
check() { make check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

# JSON library; the example that reads standard input. Autotools.
package=jansson needs="autoconf automake libtool" program=examples/simple_parse inputs=(--stdin 32)
build() { autoreconf -fi && ./configure --disable-shared && make -C src &&
    $CC $CPPFLAGS $CFLAGS $LDFLAGS -Isrc examples/simple_parse.c src/.libs/libjansson.a -o examples/simple_parse; }

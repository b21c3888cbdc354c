# Bidirectional text. Autotools, from the repository.
package=fribidi needs="autoconf automake libtool" program=bin/fribidi inputs=(--stdin 32)
build() { autoreconf -fi && ./configure --disable-shared && make -C gen.tab && make -C lib && make -C bin; }

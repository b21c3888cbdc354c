# File types by a compiled database. Autotools.
package=file needs="autoconf automake libtool zlib1g-dev" program=src/file inputs=(--stdin 64 -- -m "$root/build/debian/file/source/magic/magic.mgc" -)
build() { autoreconf -fi && ./configure --disable-shared --disable-libseccomp && make; }

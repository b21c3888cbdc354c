# Compressor: its frame decoder. Plain make; Debian links the program with the library.
package=lz4 needs="" program=programs/lz4 inputs=(--stdin 64 -- -dc)
build() { make -C lib liblz4.a CC="$CC" && make -C programs lz4 CC="$CC" LDFLAGS="$LDFLAGS -L../lib"; }

# Compressor: its frame decoder. Plain make.
package=lz4 needs="" program=programs/lz4 inputs=(--stdin 64 -- -dc)
build() { make -C programs lz4 CC="$CC"; }

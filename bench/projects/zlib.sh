# Compression. A hand-written configure and make.
package=zlib needs="" program=minigzip
build() { cp -r "$source/." . && ./configure && make; }
check() { make test; }
results() { grep -E 'OK \*\*\*|FAILED|zlib .*test'; }

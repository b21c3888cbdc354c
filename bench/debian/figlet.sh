# Large letters: fonts are files. Plain make.
package=figlet needs="" program=figlet inputs=(--stdin 16 -- -d "$root/build/debian/figlet/source/fonts")
build() { make figlet CC="$CC" LD="$CC" CFLAGS="$CFLAGS $CPPFLAGS -DTLF_FONTS -DDEFAULTFONTDIR='\"fonts\"' -DDEFAULTFONTFILE='\"standard.flf\"'"; }

# JavaScript interpreter: longjmp at each error. Plain make, one unit that includes all.
package=mujs needs="" program=build/release/mujs inputs=(--stdin 32)
build() { make CC="$CC" CFLAGS="$CFLAGS $CPPFLAGS" HAVE_READLINE=no build/release/mujs; }

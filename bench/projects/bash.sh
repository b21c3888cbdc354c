# Old-style autoconf; its suite compares outputs and names the scripts that it runs.
package=bash needs="bison libncurses-dev" program=bash
build() { "$source/configure" --without-bash-malloc --disable-nls && make; }
check() { make tests; }
# Compilers' lines, the listing and size of the program, process numbers, the build folder.
results() {
  grep -avE '^(make|gcc|clang|\(cd|.*warning|-rwx|.*(clang-19|bothways c|/usr/bin/ld))|[[:space:]]bash$' |
    sed -E 's/[0-9]{4,}//g; s,/[^ ]*/(plain|ours)/build/,,g'
}

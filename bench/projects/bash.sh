# Old-style autoconf; its suite compares outputs and names the scripts that it runs.
package=bash needs="bison libncurses-dev bsdutils" program=bash
build() { "$source/configure" --without-bash-malloc --disable-nls && make; }
# On a terminal, where nothing is typed: without one, `read7.sub` says whether the end of the input is seen within ten microseconds.
check() { script --quiet --return --command "make tests" /dev/null; }
# Compilers' lines, the listing and size of the program, process numbers, the build folder.
results() {
  tr -d '\r' | grep -avE '^(make|gcc|clang|\(cd|.*warning|-rwx|.*(clang-19|bothways c|/usr/bin/ld))|[[:space:]]bash$' |
    sed -E 's/[0-9]{4,}//g; s,/[^ ]*/(plain|ours)/build/,,g'
}

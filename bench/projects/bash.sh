# Old-style autoconf; its suite compares outputs and names the scripts that it runs.
package=bash needs="bison libncurses-dev" program=bash
build() { "$source/configure" --without-bash-malloc --disable-nls && make; }
check() { make tests; }
results() { grep -vE '^(make|gcc|clang|\(cd|.*warning)' | sed 's/[0-9]\{4,\}//g'; }

# Autotools; its suite is in Perl.
package=make-dfsg needs="perl autoconf automake texinfo gettext" program=make
build() { cp -r "$source/." . && ./configure --disable-nls && make; }
check() { make check; }
results() { grep -E '^[a-zA-Z_/-]+ \.+ '; }

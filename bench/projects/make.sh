# Autotools, without a configure script in the package; its suite is in Perl.
package=make-dfsg needs="perl autoconf automake autopoint texinfo gettext pkg-config" program=make
build() { cp -r "$source/." . && autoreconf -fi && ./configure --disable-nls && make; }
check() { make check; }
results() { grep -E '^[a-zA-Z_/-]+ \.+ '; }

# Interpreter. Plain make, with CC on its command line. The package has no other test than `make test`; the scripts below
# are ours.
package=lua5.4 needs="libreadline-dev libtool-bin dpkg-dev" program=src/lua
# The header is what debian/rules writes.
build() {
  cp -r "$source/." . &&
    echo "#define DEB_HOST_MULTIARCH \"$(dpkg-architecture -qDEB_HOST_MULTIARCH)\"" > src/lua5.4-deb-multiarch.h &&
    make -C src linux CC="$CC -std=gnu99" LIBTOOL="libtool --quiet"
}
check() {
  src/lua -v && src/lua -e 'assert(load(string.dump(function() return 1 end))() == 1); print("ok dump")' &&
    src/lua -e 'local t = {} for i = 1, 1e5 do t[i] = (i * 7919) % 100003 end table.sort(t)
      for i = 2, #t do assert(t[i - 1] <= t[i]) end print("ok sort")' &&
    src/lua -e 'local s = {} for w in ("the quick brown fox"):gmatch("%a+") do s[#s + 1] = w:upper():reverse() end
      assert(table.concat(s, " ") == "EHT KCIUQ NWORB XOF") print("ok string")' &&
    src/lua -e 'local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)
      assert(co() + co() + co() == 6) assert(not pcall(error, "x")) print("ok coroutine")'
}
results() { grep -E '^ok|^Lua'; }

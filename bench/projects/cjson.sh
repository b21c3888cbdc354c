# JSON parser. CMake.
package=cjson needs="cmake" program=libcjson.so.1
build() { cmake "$source" -DCMAKE_BUILD_TYPE=Release -DENABLE_CJSON_TEST=On -DENABLE_CJSON_UTILS=On -DBUILD_SHARED_LIBS=On && make; }
check() { ctest --output-on-failure; }
results() { sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \([^ ]*\) \.*\( *[A-Za-z*]*\).*/\1\2/p'; }

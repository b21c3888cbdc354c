# JSON parser. CMake.
package=yajl needs="cmake" program=build/yajl-2.1.0/bin/json_verify inputs=(--stdin 32)
build() { mkdir build && cd build && cmake .. -DCMAKE_BUILD_TYPE=None && make; }

#!/usr/bin/env bash
# The main job on real input: cJSON's parser, from Debian's source package, and our own examples.
set -euo pipefail
cd "$(dirname "$0")/.."
bothways=target/release/bothways
cjson=$(bench/fetch.sh cjson)
out=build/demo
mkdir -p "$out"

step() { printf '\n$ %s\n' "$*"; "$@"; }

step "$bothways" test examples/triangle.c --out "$out/triangle"
step "$bothways" test examples/tokens.c --stdin 16 --time 30s --out "$out/tokens"
step "$bothways" test examples/cjson_parse.c "$cjson/cJSON.c" --time 60s --out "$out/cjson" --cflags "-I$cjson"
step "$bothways" replay "$out/cjson"

#!/usr/bin/env bash
# Usage: bench/programs.sh NAME...        (recipes in bench/projects/: grep, expat, ...)
# Builds whole programs with `bothways cc` from Debian source packages, for bench files: build/programs/NAME. What is there stays as it
# is. Needs `make build`.
set -euo pipefail
cd "$(dirname "$0")/.."
bothways=${BOTHWAYS:-$PWD/target/release/bothways}
[ -x "$bothways" ] || { echo "programs: run \`make build\` first" >&2; exit 2; }
[ $# -gt 0 ] || { echo "usage: bench/programs.sh NAME..." >&2; exit 2; }
mkdir -p build/programs
for name in "$@"; do
  recipe=bench/projects/$name.sh
  [ -f "$recipe" ] || { echo "programs: there is no recipe $recipe" >&2; exit 2; }
  if [ -x "build/programs/$name" ]; then echo "build/programs/$name"; continue; fi
  (
    . "$recipe"
    folder=$(mktemp -d "build/programs/.$name.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    export CC="$bothways cc" CXX="$bothways c++" CFLAGS=-O2 CXXFLAGS=-O2
    if ! bench/build.sh "$name" "$folder" > "build/programs/$name.log" 2>&1; then
      echo "programs: $name does not build: build/programs/$name.log" >&2
      exit 1
    fi
    found=$(find "$folder" -path "*/$program" -type f -perm -u+x | head -n 1)
    [ -n "$found" ] || { echo "programs: $name builds, but there is no $program" >&2; exit 1; }
    cp "$found" "build/programs/$name"
  )
  echo "build/programs/$name"
done

#!/usr/bin/env bash
# Usage: bench/debian.sh [NAME]...        (without names: every recipe in bench/debian/)
# Builds Debian source packages with `bothways cc` and the flags of dpkg-buildflags, unchanged, runs `bothways test` on a program of
# each for SECONDS_EACH (60), and prints a table in Markdown: exit code, branches, differences between engine and judge, wall time.
# Fetches sources and installs what the builds need (root or sudo). Logs and suites stay in build/debian/NAME.
#
# A recipe sets `package` (Debian source package), `needs` (Debian packages), `program` (the file to test) and `inputs` (arguments of
# `bothways test`), and defines `build` (in a copy of the source; CC and the flags are set).
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
bothways=${BOTHWAYS:-$root/target/release/bothways}
[ -x "$bothways" ] || { echo "debian: run \`make build\` first" >&2; exit 2; }
seconds=${SECONDS_EACH:-60}

one() {
  local name=$1 code began wall
  . "bench/debian/$name.sh"
  bench/needs.sh $needs || return 1
  source=$(bench/fetch.sh "$package") || return 1
  folder=$root/build/debian/$name
  rm -rf "$folder"
  mkdir -p "$folder"
  cp -a "$source" "$folder/source"
  cd "$folder/source" || return 1
  export CC="$bothways cc" CXX="$bothways c++"
  for flags in CFLAGS CPPFLAGS CXXFLAGS LDFLAGS; do export "$flags=$(dpkg-buildflags --get $flags)"; done
  began=$(date +%s)
  if ! (set -e; build) > ../build.log 2>&1 < /dev/null || [ ! -x "$program" ]; then
    echo "| $name | | | | | $(($(date +%s) - began)) | | does not build: build/debian/$name/build.log |"
    return 1
  fi
  wall=$(($(date +%s) - began))
  began=$(date +%s.%N)
  timeout --kill-after=10 $((seconds * 6 + 120)) "$bothways" test "$program" --time "$seconds" --out "$folder/suite" --json "${inputs[@]}" \
    > ../report.json 2> ../test.log
  code=$?
  awk -v n="$name" -v c="$code" -v b="$wall" -v w="$(date +%s.%N | awk -v b="$began" '{ print $1 - b }')" -v r="$(python3 - ../report.json <<'PY'
import json, sys
try:
    report = json.load(open(sys.argv[1]))
    goals, judge = report["goals"], report["judge"] or {"differences": ["no verdict"]}
    print(goals["covered"], "|", goals["total"], "|", goals["infeasible"], "|", len(judge["differences"]), "|", len(report["failures"]), end="")
except (OSError, ValueError, KeyError) as error:
    print("| | | |", type(error).__name__, end="")
PY
)" 'BEGIN { split(r, f, "|"); printf "| %s | %s | %s |%s|%s| %s | %.1f |%s|%s|\n", n, c, f[1], f[2], f[3], b, w, f[4], f[5] }'
}

mkdir -p build/debian
[ $# -gt 0 ] || set -- $(cd bench/debian && ls ./*.sh | sed 's,^./,,; s,\.sh$,,')
echo '| project | exit code | covered | branches | infeasible | build, s | test, s | differences | failures |'
echo '|---|---:|---:|---:|---:|---:|---:|---:|---:|'
fault=0
for name in "$@"; do
  [ -f "bench/debian/$name.sh" ] || { echo "debian: there is no recipe bench/debian/$name.sh" >&2; exit 2; }
  (one "$name") || fault=1
done
exit $fault

#!/usr/bin/env bash
# Usage: bench/projects.sh [NAME]...        (without names: every recipe in bench/projects/)
# Builds real projects twice, with clang and with `bothways cc`, unchanged; runs each project's own test suite on both builds; prints a
# table in Markdown (processor seconds), and each test whose result differs. Fetches Debian source packages and installs what the builds need
# (root or sudo). Needs `make build`. Logs and builds stay in build/projects/NAME/{plain,ours}.
#
# A recipe sets `package` (Debian source package), `needs` (Debian packages) and `program` (the file to measure), and defines
# `build` (source in $source, build folder is the present one, CC is set), `check` (runs the suite) and `results` (filters the
# suite's output down to lines that say how each test ended, without times). Exits with 1 when a build or a test differs.
set -uo pipefail
cd "$(dirname "$0")/.."
root=$PWD
bothways=${BOTHWAYS:-$root/target/release/bothways}
[ -x "$bothways" ] || { echo "projects: run \`make build\` first" >&2; exit 2; }
# BOTHWAYS_OPT=0 builds fast and runs slowly: for trying, not for the table.
limit=${LIMIT:-1800}

# Processor seconds (user and system) of a command and its children, whose output goes to a log; its exit code is the command's.
timed() {
  local log=$1 code times=$1.time TIMEFORMAT='%U %S'
  shift
  { time "$@" > "$log" 2>&1 < /dev/null; } 2> "$times"
  code=$?
  tail -n 1 "$times" | awk '{ printf "%.1f", $1 + $2 }'
  return $code
}

# A step of a recipe in the folder of one build, with a limit: step RECIPE SIDE FUNCTION.
step() {
  timeout --kill-after=5 "$limit" bash -c '
    set -e
    . "$1"; source=$2; cd "$3"
    '"$3"'
  ' step "$root/bench/projects/$1.sh" "$source" "$folder/$2/build"
}

one() {
  local name=$1 side fault=0
  . "bench/projects/$name.sh"
  bench/needs.sh $needs || return 1
  source=$(bench/fetch.sh "$package") || return 1
  folder=$root/build/projects/$name
  rm -rf "$folder"
  declare -A built tested size status
  for side in plain ours; do
    mkdir -p "$folder/$side/build"
    export CFLAGS="-O2" CXXFLAGS="-O2"
    if [ $side = plain ]; then export CC=clang-19 CXX=clang++-19; else export CC="$bothways cc" CXX="$bothways c++"; fi
    if ! built[$side]=$(timed "$folder/$side/build.log" step "$name" $side build); then
      echo "projects: $name does not build with $CC: $folder/$side/build.log" >&2
      echo "| $name | ${built[plain]:-} | ${built[ours]:-failed} | | | | | build fails ($side) |"
      return 1
    fi
    size[$side]=$(stat -Lc %s "$folder/$side/build/$program" 2> /dev/null || find "$folder/$side/build" -name "$(basename "$program")" -type f -printf '%s\n' | head -n 1)
    if [ -z "${size[$side]}" ]; then
      echo "projects: $name builds with $CC, but there is no $program in $folder/$side/build" >&2
      return 1
    fi
    tested[$side]=$(timed "$folder/$side/check.log" step "$name" $side check)
    status[$side]=$?
    results < "$folder/$side/check.log" | sort > "$folder/$side/results"
  done
  local verdict
  if [ ! -s "$folder/plain/results" ]; then
    verdict="the suite says nothing: see $folder/plain/check.log"
    fault=1
  elif diff "$folder/plain/results" "$folder/ours/results" > "$folder/differences" && [ "${status[plain]}" = "${status[ours]}" ]; then
    verdict="same ($(wc -l < "$folder/ours/results") lines)"
  else
    verdict="differs: $(grep -c '^[<>]' "$folder/differences") lines, exit ${status[plain]} and ${status[ours]}"
    fault=1
  fi
  awk -v n="$name" -v bp="${built[plain]}" -v bo="${built[ours]}" -v sp="${size[plain]:-0}" -v so="${size[ours]:-0}" -v tp="${tested[plain]}" \
    -v to="${tested[ours]}" -v v="$verdict" \
    'BEGIN { printf "| %s | %s | %s | %.0f | %.0f | %s | %s | %s |\n", n, bp, bo, sp / 1024, so / 1024, tp, to, v }'
  [ $fault = 0 ] || sed 's/^/    /' "$folder/differences" | head -n 20 >&2
  return $fault
}

mkdir -p build/projects
[ $# -gt 0 ] || set -- $(cd bench/projects && ls ./*.sh | sed 's,^./,,; s,\.sh$,,')
echo '| project | build clang, s | build bothways, s | size, KiB | size bothways, KiB | suite, s | suite bothways, s | suite |'
echo '|---|---:|---:|---:|---:|---:|---:|---|'
code=0
for name in "$@"; do
  [ -f "bench/projects/$name.sh" ] || { echo "projects: there is no recipe bench/projects/$name.sh" >&2; exit 2; }
  # Each in a shell of its own: recipes define functions and variables.
  (one "$name") || code=1
done
exit $code

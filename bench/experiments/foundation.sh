#!/usr/bin/env bash
# Usage: bench/run foundation [overhead|symbolic|throughput|memory]...
# Measures what the foundation promises and prints Markdown; without arguments, everything. Needs `make build`.
#   overhead    kernels without symbolic input against clang -O2: medians of five alternating runs (goal: at most 3)
#   symbolic    nanoseconds for each expression that a kernel builds, its concrete work included
#   throughput  runs a second through the fork server, and where the time goes (goal: at least 2,000)
#   picks       microseconds of a pick for each strategy in the first 100 and the first 4,000 runs of cJSON's parser, with the
#               most memory of the engine
#   memory      4,000 runs of cJSON's parser: most memory of the engine, and the limit of the program
set -euo pipefail
cd "$(dirname "$0")/../.."
bothways=$PWD/target/release/bothways
out=$PWD/build/bench
mkdir -p "$out"
kernels=(crc32 tokenizer sort bignum)

# Value of a number in a JSON object, by its key.
field() { grep -o "\"$1\":[0-9.e-]*" | head -n 1 | cut -d: -f2; }

# User seconds of a command.
seconds() { { TIMEFORMAT=%U; time "$@" > /dev/null; } 2>&1; }

median() { sort -g | sed -n "$((($1 + 1) / 2))p"; }

overhead() {
  printf '## Overhead without symbolic input\n\n| kernel | clang -O2, s | bothways cc -O2, s | ratio |\n|---|---:|---:|---:|\n'
  for kernel in "${kernels[@]}"; do
    clang-19 -O2 "bench/kernels/$kernel.c" -o "$out/$kernel.plain"
    "$bothways" cc -O2 "bench/kernels/$kernel.c" -o "$out/$kernel.ours"
    : > "$out/plain.txt"; : > "$out/ours.txt"
    for _ in 1 2 3 4 5; do
      seconds "$out/$kernel.plain" >> "$out/plain.txt"
      seconds "$out/$kernel.ours" >> "$out/ours.txt"
    done
    plain=$(median 5 < "$out/plain.txt") ours=$(median 5 < "$out/ours.txt")
    awk -v k="$kernel" -v p="$plain" -v o="$ours" 'BEGIN { printf "| %s | %.2f | %.2f | %.2f |\n", k, p, o, o / p }'
  done
}

symbolic() {
  printf '\n## One round with symbolic input\n\n| kernel | symbolic bytes | expressions | events | program, ms | ns an expression |\n|---|---:|---:|---:|---:|---:|\n'
  for kernel in "${kernels[@]}"; do
    for bytes in 64 1024; do
      "$bothways" test "bench/kernels/$kernel.c" --iterations 1 --quiet --json --out "$out/suite" \
        --cflags "-O2" "-DSYMBOLIC=$bytes" -- 1 > "$out/run.json"
      awk -v k="$kernel" -v b="$bytes" -v n="$(field expressions < "$out/run.json")" -v e="$(field events < "$out/run.json")" \
        -v s="$(field program_seconds < "$out/run.json")" \
        'BEGIN { printf "| %s | %d | %d | %d | %.2f | %.0f |\n", k, b, n, e, s * 1e3, s * 1e9 / n }'
    done
  done
}

row() {
  local name=$1; shift
  "$bothways" test "$@" --quiet --json > "$out/run.json"
  awk -v name="$name" -v runs="$(field iterations < "$out/run.json")" -v s="$(field seconds < "$out/run.json")" \
    -v run="$(field run < "$out/run.json")" -v read="$(field read < "$out/run.json")" -v solve="$(field solve < "$out/run.json")" \
    -v pick="$(field pick < "$out/run.json")" -v learn="$(field learn < "$out/run.json")" \
    'BEGIN { p = 100 / s; printf "| %s | %d | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", name, runs, s, runs / s,
             run * p, read * p, solve * p, pick * p, learn * p }'
}

throughput() {
  printf '\n## Throughput\n\n| program | runs | s | runs/s | run %% | read %% | solve %% | pick %% | learn %% |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n'
  row 'bench/subjects/bits.c, bfs' bench/subjects/bits.c --strategy bfs --iterations 8192 --out "$out/suite"
  row 'examples/tokens.c' examples/tokens.c --stdin 16 --iterations 4000 --out "$out/suite"
}

memory() {
  cjson=$(bench/fetch.sh cjson)
  printf '\n## Memory in 4,000 runs of cJSON\n\n| runs | s | engine, MiB | limit of the program, MiB |\n|---:|---:|---:|---:|\n'
  for runs in 1000 2000 4000; do
    "$bothways" test examples/cjson_parse.c "$cjson/cJSON.c" --iterations $runs --time 10m --memory 1G --quiet --json --out "$out/suite" \
      --cflags "-I$cjson" > "$out/run.json"
    awk -v runs="$(field iterations < "$out/run.json")" -v s="$(field seconds < "$out/run.json")" -v m="$(field peak_memory < "$out/run.json")" \
      'BEGIN { printf "| %d | %.1f | %.0f | 1024 |\n", runs, s, m / 1048576 }'
  done
}

picks() {
  cjson=$(bench/fetch.sh cjson)
  printf '\n## Time of a pick, cJSON\n\n| strategy | in 100 runs, µs | in 4,000 runs, µs | runs | s | engine, MiB |\n|---|---:|---:|---:|---:|---:|\n'
  "$bothways" cc -O1 "-I$cjson" examples/cjson_parse.c "$cjson/cJSON.c" -o "$out/cjson"
  for strategy in $("$bothways" strategies --plain); do
    for runs in 100 4000; do
      "$bothways" test "$out/cjson" --strategy "$strategy" --iterations $runs --time 2m --quiet --json --out "$out/suite" > "$out/run$runs.json"
    done
    awk -v name="$strategy" -v p1="$(field pick < "$out/run100.json")" -v n1="$(field iterations < "$out/run100.json")" \
      -v p2="$(field pick < "$out/run4000.json")" -v n2="$(field iterations < "$out/run4000.json")" \
      -v s="$(field seconds < "$out/run4000.json")" -v m="$(field peak_memory < "$out/run4000.json")" \
      'BEGIN { printf "| %s | %.0f | %.0f | %d | %.1f | %.0f |\n", name, p1 * 1e6 / n1, p2 * 1e6 / n2, n2, s, m / 1048576 }'
  done
}

[ $# -gt 0 ] || set -- overhead symbolic throughput picks memory
for part in "$@"; do "$part"; done

#!/usr/bin/env bash
# All mutants of some files of a crate in one test binary, which a variable makes one of: one build for all, a run for each.
#   tools/mutants-at-once.sh CRATE FILE...     (files below crates/CRATE/src)
# EVERY=K runs each K-th only, FIRST=N starts at the N-th; ONLY="3 17" runs these; OUT is the folder for the copy, the list and the results
# (list.txt, caught.txt, missed.txt, slow.txt); TIMEOUT is what one run may take, in seconds; TESTS chooses tests. ALSO="CRATE..." are
# crates whose unit tests a mutant has to pass as well; JOBS run at once; RUN_ONLY=1 takes the build that is in OUT.
set -euo pipefail
cd "$(dirname "$0")/.."
crate=$1
shift
out=${OUT:-$(mktemp -d)}
copy=$out/copy
if [ -z "${RUN_ONLY:-}" ]; then
    rm -rf "$copy"
    mkdir -p "$copy"
    CARGO_TARGET_DIR=$out/tool cargo build --quiet --release --manifest-path tools/mutants/Cargo.toml
    tool=$out/tool/release/mutants
    git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - 2>/dev/null | tar -xf - -C "$copy"
    src=$copy/crates/$crate/src
    if [ "$crate" = values ]; then
        # Tests that sort mutants by what they say: of random programs, and of random sets of numbers.
        cp tools/mutants/sort.rs "$src/tests/wild/mutants.rs"
        cp tools/mutants/sets.rs "$src/tests/wild/mutants_sets.rs"
        printf 'mod mutants;\nmod mutants_sets;\n' >>"$src/tests/wild/mod.rs"
    fi
    : >"$out/unviable.txt"
    build() {
        CARGO_TARGET_DIR=$out/target CARGO_INCREMENTAL=0 RUSTFLAGS="--cap-lints allow" \
            cargo test --release --manifest-path "$copy/Cargo.toml" -p "$crate" ${ALSO:+$(printf -- '-p %s ' $ALSO)} --lib --no-run \
            --message-format=json
    }
    while :; do
        for file in "$@"; do cp "crates/$crate/src/$file" "$src/$file"; done
        cp "crates/$crate/src/lib.rs" "$src/lib.rs"
        "$tool" "$src" "$@" <"$out/unviable.txt" >"$out/list.txt"
        if build >"$out/build.json" 2>"$out/build.log"; then break; fi
        # Where the errors stand; the last place of a message is the innermost use.
        python3 - "$out/build.json" "$copy" <<'P' >"$out/errors.txt"
import json, sys
for line in open(sys.argv[1]):
    try: message = json.loads(line)
    except ValueError: continue
    if message.get("reason") != "compiler-message" or message["message"]["level"] != "error": continue
    for span in message["message"]["spans"]:
        while span:
            if span["file_name"].endswith(".rs") and not span["file_name"].startswith("/rustc"):
                print(f"{sys.argv[2]}/{span['file_name']} {span['byte_start']}")
            span = (span.get("expansion") or {}).get("span")
P
        before=$(sort -u "$out/unviable.txt" | wc -l)
        "$tool" --which <"$out/errors.txt" >>"$out/unviable.txt"
        sort -un -o "$out/unviable.txt" "$out/unviable.txt"
        if [ "$(wc -l <"$out/unviable.txt")" = "$before" ]; then
            echo "mutants-at-once: errors that belong to no mutant, see $out/build.json" >&2
            exit 1
        fi
    done
fi
# The crate's own tests come first: they are quick and catch most.
for name in "$crate" ${ALSO:-}; do
    grep -o "\"executable\":\"[^\"]*/$name-[^\"]*\"" "$out/build.json" | tail -1 | cut -d"\"" -f4
done >"$out/binaries.txt"
echo "$(wc -l <"$out/list.txt") mutants, $(wc -l <"$out/unviable.txt") more do not compile; $(tr "\n" " " <"$out/binaries.txt")" >&2
if [ -n "${BUILD_ONLY:-}" ]; then exit; fi
# One mutant against the test binaries, each in the folder of its crate: 0 if nothing fails.
run() {
    local binary name
    while IFS= read -r binary; do
        name=$(basename "$binary")
        (
            cd "$copy/crates/${name%-*}"
            ulimit -v 4000000
            CARGO_MANIFEST_DIR=$PWD MUTANT=$1 exec timeout "${TIMEOUT:-120}" "$binary" ${TESTS:-}
        ) >/dev/null 2>&1 </dev/null || return $?
    done <"$out/binaries.txt"
}
judge() {
    local status=0
    run "${1%% *}" || status=$?
    case $status in
    0) echo "$1" >>"$out/missed.txt" ;;
    124) echo "$1" >>"$out/slow.txt" ;;
    *) echo "$1" >>"$out/caught.txt" ;;
    esac
}
: >"$out/caught.txt" >"$out/missed.txt" >"$out/slow.txt"
run 0
export -f run judge
export out copy
if [ -n "${ONLY:-}" ]; then
    chosen=$(for id in $ONLY; do grep "^$id " "$out/list.txt"; done)
else
    chosen=$(awk "NR >= ${FIRST:-1} && (NR - ${FIRST:-1}) % ${EVERY:-1} == 0" "$out/list.txt")
fi
tr "\n" "\0" <<<"$chosen" | xargs -0 -P "${JOBS:-1}" -I{} bash -c 'judge "$1"' judge {}
wc -l "$out"/{caught,missed,slow}.txt >&2

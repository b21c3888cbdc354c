#!/usr/bin/env bash
# All mutants of some files of a crate in one test binary, which a variable makes one of: one build for all, a run for each.
#   tools/mutants-at-once.sh CRATE FILE...     (files below crates/CRATE/src)
# EVERY=K runs each K-th only, FIRST=N starts at the N-th; ONLY="3 17" runs these; OUT is the folder for the copy, the list and the results
# (list.txt, caught.txt, missed.txt, slow.txt); TIMEOUT is what one run may take, in seconds; TESTS chooses tests.
set -euo pipefail
cd "$(dirname "$0")/.."
crate=$1
shift
out=${OUT:-$(mktemp -d)}
copy=$out/copy
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
touch "$out/unviable.txt"
build() {
    CARGO_TARGET_DIR=$out/target CARGO_INCREMENTAL=0 RUSTFLAGS="--cap-lints allow" \
        cargo test --release --manifest-path "$copy/Cargo.toml" -p "$crate" --lib --no-run --message-format=json
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
binary=$(grep -o "\"executable\":\"[^\"]*\"" "$out/build.json" | tail -1 | cut -d"\"" -f4)
echo "$(wc -l <"$out/list.txt") mutants, $(wc -l <"$out/unviable.txt") more do not compile; $binary" >&2
if [ -n "${BUILD_ONLY:-}" ]; then exit; fi
: >"$out/caught.txt" >"$out/missed.txt" >"$out/slow.txt"
cd "$copy/crates/$crate"
MUTANT=0 timeout "${TIMEOUT:-120}" "$binary" ${TESTS:-} >/dev/null
if [ -n "${ONLY:-}" ]; then
    chosen=$(for id in $ONLY; do grep "^$id " "$out/list.txt"; done)
else
    chosen=$(awk "NR >= ${FIRST:-1} && (NR - ${FIRST:-1}) % ${EVERY:-1} == 0" "$out/list.txt")
fi
while IFS= read -r mutant; do
    status=0
    (ulimit -v 4000000; MUTANT=${mutant%% *} exec timeout "${TIMEOUT:-120}" "$binary" ${TESTS:-}) >/dev/null 2>&1 </dev/null || status=$?
    case $status in
    0) echo "$mutant" >>"$out/missed.txt" ;;
    124) echo "$mutant" >>"$out/slow.txt" ;;
    *) echo "$mutant" >>"$out/caught.txt" ;;
    esac
done <<<"$chosen"
wc -l "$out"/{caught,missed,slow}.txt >&2

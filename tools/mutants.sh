#!/usr/bin/env bash
# Mutation testing where a wrong line is a false proof: a shard of the mutants of `semantics`, `proof`, `backward` and of what of
# `coverage` decides verdicts, against the unit tests of these crates. Missed mutants that bench/results/mutants.md does not list, with a reason, are an error.
# SHARD=K/N chooses another shard, CRATES other crates; see tools/mutants-at-once.sh, which builds all mutants of a crate at once.
set -euo pipefail
cd "$(dirname "$0")/.."
shard=${SHARD:-0/32}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# What goes through the same conditions tests them too.
declare -A also=([proof]=backward [coverage]=backward)
# Names of goals and of their places decide nothing.
declare -A without=([coverage]='^(criterion/|scope|goal\.|sample|target/(behind|mod|parse|place|resolve|text)\.)')
for crate in ${CRATES:-semantics proof backward coverage}; do
    mapfile -t files < <(cd "crates/$crate/src" && find . -name '*.rs' | sed 's|^\./||' | grep -vE '(^|/)(lib|[a-z_]*tests)(\.rs|/)' |
        grep -vE "${without[$crate]:-^$}" | sort)
    mkdir "$out/$crate"
    OUT=$out/$crate ALSO=${also[$crate]:-} FIRST=$((${shard%/*} + 1)) EVERY=${shard#*/} JOBS=${JOBS:-2} \
        tools/mutants-at-once.sh "$crate" "${files[@]}"
    sed "s|^[0-9]* |crates/$crate/src/|" "$out/$crate/missed.txt" >>"$out/missed.txt"
done
# Lines move: a mutant is known by its file and what was changed.
unplaced() { sed -E 's/^(crates\/[^:]*):[0-9]+:[0-9]+:/\1:/'; }
unknown=$(unplaced <"$out/missed.txt" | sort -u | grep -vxFf <(grep '^crates/' bench/results/mutants.md | unplaced) || true)
if [ -n "$unknown" ]; then
    printf 'mutants: missed, and not in bench/results/mutants.md:\n%s\n' "$unknown"
    exit 1
fi

#!/usr/bin/env bash
# Mutation testing where a wrong line is a false proof: a shard of the mutants of `semantics` and `proof`, each against the
# tests of its crate. Missed mutants that bench/results/mutants.md does not list, with a reason, are an error.
# SHARD=K/N chooses another shard; CRATES other crates.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo mutants --version >/dev/null 2>&1; then
    echo "mutants: skipped, cargo-mutants is not installed (cargo install --locked cargo-mutants)"
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
packages=()
for crate in ${CRATES:-semantics proof}; do packages+=(-p "$crate"); done
status=0
CARGO_PROFILE_DEV_DEBUG=0 cargo mutants "${packages[@]}" --shard "${SHARD:-0/32}" --jobs 1 --baseline skip --timeout 300 \
    --output "$out" || status=$?
# 2: some were missed; 3: some took too long.
case $status in 0 | 2 | 3) ;; *) exit "$status" ;; esac
# Lines move: a mutant is known by its file and what was changed.
unplaced() { sed -E 's/^(crates\/[^:]*):[0-9]+:[0-9]+:/\1:/'; }
unknown=$(unplaced <"$out/mutants.out/missed.txt" | sort -u | grep -vxFf <(grep '^crates/' bench/results/mutants.md | unplaced) || true)
if [ -n "$unknown" ]; then
    printf 'mutants: missed, and not in bench/results/mutants.md:\n%s\n' "$unknown"
    exit 1
fi

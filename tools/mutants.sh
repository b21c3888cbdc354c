#!/usr/bin/env bash
# Mutation testing where a wrong line is a false proof: a shard of the mutants of `semantics` and `proof`, each against the unit
# tests of its crate, those of `proof` also against the tests of `backward`. Missed mutants that bench/results/mutants.md
# does not list, with a reason, are an error.
# SHARD=K/N chooses another shard; CRATES other crates.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo mutants --version >/dev/null 2>&1; then
    echo "mutants: skipped, cargo-mutants is not installed (cargo install --locked cargo-mutants)"
    exit 0
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for crate in ${CRATES:-semantics proof}; do
    tests=$crate
    # The provers' tests go through the conditions that they share with the checker.
    if [ "$crate" = proof ]; then tests=proof,backward; fi
    status=0
    mkdir "$out/$crate"
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=1 cargo mutants -p "$crate" --test-package "$tests" --shard "${SHARD:-0/32}" \
        --no-shuffle --baseline skip --timeout 120 --build-timeout 600 \
        --cargo-arg=--config --cargo-arg='profile.dev.package."*".opt-level=2' --cargo-test-arg=--lib \
        --output "$out/$crate" || status=$?
    # 2: some were missed; 3: some took too long.
    case $status in 0 | 2 | 3) ;; *) exit "$status" ;; esac
done
# Lines move: a mutant is known by its file and what was changed.
unplaced() { sed -E 's/^(crates\/[^:]*):[0-9]+:[0-9]+:/\1:/'; }
unknown=$(cat "$out"/*/mutants.out/missed.txt | unplaced | sort -u | grep -vxFf <(grep '^crates/' bench/results/mutants.md | unplaced) || true)
if [ -n "$unknown" ]; then
    printf 'mutants: missed, and not in bench/results/mutants.md:\n%s\n' "$unknown"
    exit 1
fi

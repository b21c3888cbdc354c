#!/usr/bin/env bash
# Runs the tests with cargo-nextest where it is installed, otherwise with cargo's own runner. One test more than there are cores runs
# at once: an eighth of the time of two at once on two cores, tests wait for processes that they started.
set -euo pipefail
threads=$(($(nproc) + 1))
if cargo nextest --version >/dev/null 2>&1; then
  exec cargo nextest run --no-fail-fast --test-threads "$threads" "$@"
fi
exec cargo test --no-fail-fast "$@" -- --test-threads "$threads"

#!/usr/bin/env bash
# Runs the tests with cargo-nextest where it is installed, otherwise with cargo's own runner.
set -euo pipefail
if cargo nextest --version >/dev/null 2>&1; then
  exec cargo nextest run --no-fail-fast "$@"
fi
exec cargo test --no-fail-fast "$@"

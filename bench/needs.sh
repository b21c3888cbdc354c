#!/usr/bin/env bash
# Usage: bench/needs.sh PACKAGE...
# Installs the Debian packages that are missing (root or sudo).
set -euo pipefail
missing=()
for need in "$@"; do
  dpkg-query -W -f '${Status}' "$need" 2> /dev/null | grep -q 'ok installed' || missing+=("$need")
done
[ ${#missing[@]} -gt 0 ] || exit 0
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
if ! output=$("${as_root[@]}" apt-get install -y -qq "${missing[@]}" 2>&1); then
  printf '%s\nneeds: apt-get install %s failed\n' "$output" "${missing[*]}" >&2
  exit 1
fi

#!/usr/bin/env bash
# Installs what bothways needs on Debian 12: LLVM/clang 19, Z3, a linker, and Rust if there is none.
# Idempotent; does nothing, and needs no root, when everything is there.
set -euo pipefail

packages=(clang-19 llvm-19-dev libclang-rt-19-dev lld-19 libz3-dev libpolly-19-dev zlib1g-dev libzstd-dev gcc gcc-multilib libc6-dev libc6-dev-i386 make pkg-config gdb git csmith libcsmith-dev libcmocka-dev libgtest-dev g++ lcov libxml2-utils dpkg-dev ca-certificates curl)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ]; then sudo=(); elif command -v sudo >/dev/null; then sudo=(sudo); else
    echo "setup: root or sudo is needed to install: ${missing[*]}" >&2
    exit 2
  fi
  echo "setup: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  "${sudo[@]}" apt-get -qq update
  "${sudo[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
fi

# Debian 12's own Rust is too old. rust-toolchain.toml names the version; rustup fetches it.
if ! command -v cargo >/dev/null && [ ! -x "$HOME/.cargo/bin/cargo" ]; then
  echo "setup: installing Rust through rustup"
  curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --default-toolchain 1.95.0
fi

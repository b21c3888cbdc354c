#!/usr/bin/env bash
# Makes the Debian package of what `make deb` put into target/package. Fetches cargo-deb into target/tools, once.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$1
tool=target/tools/bin/cargo-deb
cargo=${CARGO:-cargo}

if [ "$("$tool" --version 2>/dev/null)" != "cargo-deb $version" ]; then
  echo "deb: fetching cargo-deb $version"
  "$cargo" install cargo-deb --version "$version" --locked --quiet --root target/tools --target-dir target/tools/build
fi
"$tool" --manifest-path crates/cli/Cargo.toml --no-build --no-strip --locked

#!/usr/bin/env bash
# Usage: bench/fetch.sh PACKAGE
# Fetches the Debian source package into build/subjects/PACKAGE and prints that folder. The machine's own apt lists
# stay as they are: a private list is derived from them, with `deb-src` in place of `deb`.
set -euo pipefail
cd "$(dirname "$0")/.."
package=${1:?usage: bench/fetch.sh PACKAGE}
target=$PWD/build/subjects/$package
if [ -f "$target/.fetched" ]; then echo "$target"; exit 0; fi

apt=$PWD/build/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" build/subjects
# One at a time: two would meet at the lists, or make the same folder.
exec 9> "$apt/lock"
flock 9
if [ -f "$target/.fetched" ]; then echo "$target"; exit 0; fi
apt-get indextargets --format '$(SITE) $(RELEASE) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null | sort -u |
  awk '$3 == "Debian" { print "deb-src", $1, $2, "main" }' > "$apt/sources.list"
if [ ! -s "$apt/sources.list" ]; then
  echo "fetch: no Debian archive in this machine's apt configuration (run apt-get update first)" >&2
  exit 2
fi
options=(-o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root -qq)
[ -n "$(find "$apt/lists" -maxdepth 1 -name '*Sources*' -mmin -1440 2>/dev/null)" ] || apt-get "${options[@]}" update >&2

work=$(mktemp -d "$PWD/build/subjects/.$package.XXXXXX")
log=$(mktemp)
trap 'rm -rf "$work" "$log"' EXIT
cd "$work"
fetch() { rm -rf ./*; apt-get "${options[@]}" source --download-only "$1" >&2; }
# The index may name a version that the mirror no longer has: then the next older one that exists.
if ! fetch "$package" 2> "$log"; then
  fetched=
  for version in $(apt-cache "${options[@]}" showsrc "$package" | sed -n 's/^Version: //p' | sort -rVu); do
    if fetch "$package=$version" 2>> "$log"; then
      echo "fetch: $package $version" >&2
      fetched=yes
      break
    fi
  done
  if [ -z "$fetched" ]; then cat "$log" >&2; exit 2; fi
fi
dpkg-source --no-check -x ./*.dsc source > /dev/null
rm -rf "$target"
mv "$work/source" "$target"
touch "$target/.fetched"
echo "$target"

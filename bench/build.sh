#!/usr/bin/env bash
# Usage: bench/build.sh NAME FOLDER        (NAME: a recipe in bench/projects/)
# Builds a project in FOLDER with the CC, CXX and CFLAGS of the environment; installs what it needs and fetches its source first. A recipe
# is described in bench/projects.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
recipe=$root/bench/projects/$1.sh
[ -f "$recipe" ] || { echo "build: there is no recipe bench/projects/$1.sh" >&2; exit 2; }
. "$recipe"
"$root/bench/needs.sh" $needs
source=$("$root/bench/fetch.sh" "$package")
mkdir -p "$2"
cd "$2"
build

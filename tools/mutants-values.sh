#!/usr/bin/env bash
# A shard of the mutants of `values`: each against the tests of its file, what those miss against random sets or programs. One that says
# more there than the analysis does, and that tools/mutants/values.txt does not list under a reason, is an error.
# SHARD=K/N chooses another shard, OUT the folder of the build (RUN_ONLY=1: which is there), SEEDS how many sets (a tenth of it: programs).
set -euo pipefail
cd "$(dirname "$0")/.."
export OUT=${OUT:-$(mktemp -d)}
shard=${SHARD:-0/40}
files=$(cd crates/values/src && ls choose.rs engine/{calls,contexts,flat,mod,ways}.rs facts.rs memory/{blocks,content,mod}.rs object.rs outside.rs \
    refine.rs relations.rs state.rs step/{floats,mod}.rs value.rs arith/mod.rs num.rs real/{mod,arith,compare}.rs)
# shellcheck disable=SC2086
[ -n "${RUN_ONLY:-}" ] || BUILD_ONLY=1 tools/mutants-at-once.sh values $files
binary=$(grep -o "\"executable\":\"[^\"]*\"" "$OUT/build.json" | tail -1 | cut -d"\"" -f4)
: >"$OUT/missed.sets"
: >"$OUT/missed.programs"
while read -r id place _; do
    file=${place%%:*}
    kind=programs
    case $file in
    arith/* | num.rs) tests="arith::" kind=sets ;;
    real/*) tests="real::" kind=sets ;;
    memory/* | value.rs | object.rs | state.rs) tests="alive memory:: relations:: map:: tests::a_ tests::phis outside" ;;
    *) tests="alive tests::memory relations:: map:: tests::a_ tests::phis outside" ;;
    esac
    # By processor time: what does not end is caught.
    # shellcheck disable=SC2086
    (ulimit -v 4000000 -t 60; cd "$OUT/copy/crates/values"; BOTHWAYS_SEEDS=1..250 MUTANT=$id exec "$binary" --test-threads 1 $tests) \
        >/dev/null 2>&1 </dev/null && echo "$id" >>"$OUT/missed.$kind" || true
done < <(awk -v at="${shard%/*}" -v of="${shard#*/}" 'NR % of == at' "$OUT/list.txt")
tools/mutants-sort.py "$OUT" "$OUT/sorted.sets" --ids "$OUT/missed.sets" --sets --seeds "${SEEDS:-2500}"
tools/mutants-sort.py "$OUT" "$OUT/sorted.programs" --ids "$OUT/missed.programs" --seeds $((${SEEDS:-2500} / 250)) --runs 40 --seconds 60
# Lines move: a mutant is known by its file and what was changed.
unplaced() { sed -E 's/^([^:]*):[0-9]+:[0-9]+:/\1:/'; }
unknown=$(cat "$OUT"/sorted.* | grep -E '^[0-9]+ smaller ' | sed -E 's/^.* \| ([a-z_/]+\.rs:)/\1/' | unplaced | sort -u |
    grep -vxFf <(grep -v '^#' tools/mutants/values.txt | unplaced) || true)
cut -d' ' -f2 "$OUT"/sorted.* | sort | uniq -c
if [ -n "$unknown" ]; then
    printf 'mutants-values: these say more than the analysis, no test refutes them, and tools/mutants/values.txt has no reason:\n%s\n' "$unknown"
    exit 1
fi

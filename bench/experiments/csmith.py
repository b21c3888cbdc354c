"""Random C programs of csmith with inputs: what is proved is held against tests and random inputs.

    bench/run csmith [--seeds FIRST..END] [--runs N] [--random N] [--time SECONDS]

Each program's integer globals are inputs (`tests/src/random_c.rs` does the same). `bothways test` says which sides of branches are
infeasible; then a plain clang build with coverage runs on random inputs. A side that is proved and taken by a test or by a random input
is a false proof: the experiment then ends with exit code 1.
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import common

FLAGS = ["-I/usr/include/csmith", "-w"]
MASKED = """
#include "bothways.h"
static void masked(void *at, unsigned long bytes, const char *name) {
    unsigned char mask[16], *to = at;
    bw_bytes(mask, bytes, name);
    for (unsigned long i = 0; i < bytes; i++) to[i] ^= mask[i];
}
"""
# What `bothways.h` declares of this, from a file of bytes: 0 behind its end. A run that does not end writes its profile all the same.
SHIM = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
extern int __llvm_profile_write_file(void);
static void late(int number) { (void)number; __llvm_profile_write_file(); _exit(3); }
static void bw_bytes(void *at, unsigned long bytes, const char *name) {
    static FILE *file;
    (void)name;
    if (!file) { file = fopen("input", "rb"); signal(SIGALRM, late); alarm(2); }
    unsigned char *to = at;
    for (unsigned long i = 0; i < bytes; i++) { int byte = getc(file); to[i] = byte < 0 ? 0 : byte; }
}
static void bw_int(int *at, const char *name) { bw_bytes(at, sizeof *at, name); }
"""


def symbolic(source):
    """csmith's program with its integer globals as inputs."""
    calls = ""
    for line in source.splitlines():
        words = line.split()
        if len(words) > 3 and words[0] == "static" and words[1].endswith("_t") and words[2].startswith("g_") and words[3] == "=":
            parts = words[2].split("[")
            first = parts[0] + "[0]" * (len(parts) - 1)
            calls += f'    masked(&{first}, sizeof {first}, "{words[2]}");\n'
    marker = "    crc32_gentab();\n"
    head, tail = source.split(marker, 1)
    return f"{MASKED}{head}{marker}    {{ int bw_any; bw_int(&bw_any, \"any\"); }}\n{calls}{tail}"


def taken(folder, number, count):
    """The sides of branches that random inputs take on a plain build; nothing where it cannot be built."""
    (folder / "plain").mkdir()
    (folder / "plain/bothways.h").write_text(SHIM)
    build = ["clang-19", "-O0", *FLAGS, "-Iplain", "-fprofile-instr-generate", "-fcoverage-mapping", "a.c", "-o", "plain/a"]
    if common.run(build, cwd=folder).returncode:
        return None
    draw = random.Random(number)
    for at in range(count):
        kind = at % 3
        bytes_ = [draw.randrange(256) if kind == 0 or draw.random() < 0.1 else 0 for _ in range(400)]
        (folder / "input").write_bytes(bytes(bytes_))
        environment = {"LLVM_PROFILE_FILE": f"plain/{at}.profraw", "PATH": "/usr/bin:/bin"}
        subprocess.run(["timeout", "5", "./plain/a"], cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    profiles = [str(path) for path in folder.glob("plain/*.profraw")]
    common.run(["llvm-profdata-19", "merge", "-sparse", *profiles, "-o", "plain/all.profdata"], cwd=folder)
    said = common.run(["llvm-cov-19", "export", "-instr-profile", "plain/all.profdata", "plain/a"], cwd=folder)
    found = set()
    for file in json.loads(said.stdout)["data"][0]["files"]:
        name = pathlib.Path(file["filename"]).name
        for branch in file["branches"]:
            line, column, *_ = branch
            found |= {(name, line, column, side) for side, hits in (("true", branch[4]), ("false", branch[5])) if hits}
    return found


def one(number, options):
    """What one program gives: sides, proved by what, wrong ones."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = common.run(["csmith", "--seed", str(number), "--max-funcs", "6", "--max-block-size", "4", "--no-packed-struct"], cwd=folder)
        (folder / "a.c").write_text(symbolic(made.stdout))
        command = [common.BOTHWAYS, "test", "a.c", "--json", "--quiet", "--iterations", str(options.runs), "--time", str(options.time)]
        done = common.run([*command, "--cflags", " ".join(FLAGS)], cwd=folder)
        if done.returncode:
            return None
        said = json.loads(done.stdout)
        wrong = [note for note in said["notes"] if "wrong proof" in note]
        proved = {(pathlib.Path(goal["file"]).name, goal["line"], goal["col"], goal.get("side")): goal for goal in said["infeasible"]}
        plain = taken(folder, number, options.random)
        if plain is None:
            return None
        wrong += [f"{place} is taken by a random input" for place in proved if place in plain]
        by_values = sum(1 for goal in proved.values() if "invariant" in json.dumps(goal))
        return said["goals"]["total"], said["goals"]["covered"], len(proved), by_values, len(plain), wrong


def main():
    parser = argparse.ArgumentParser(prog="bench/run csmith", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0..100")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--random", type=int, default=30, help="random inputs of the plain build")
    parser.add_argument("--time", type=int, default=20)
    options = parser.parse_args()
    common.require_bothways()
    first, end = (int(text) for text in options.seeds.split(".."))
    sums, programs, skipped, wrong = [0] * 5, 0, 0, []
    for number in range(first, end):
        found = one(number, options)
        if found is None:
            skipped += 1
            continue
        programs += 1
        sums = [a + b for a, b in zip(sums, found)]
        wrong += [f"seed {number}: {text}" for text in found[5]]
        print(f"{number}: {found[:5]}", file=sys.stderr, flush=True)
    print("| programs | not run | sides | covered by tests | infeasible | of these by values | taken by random inputs | false proofs |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    print(f"| {programs} | {skipped} | " + " | ".join(f"{value:,}" for value in sums) + f" | {len(wrong)} |")
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except common.Failed as failed:
        sys.exit(f"csmith: {failed}")

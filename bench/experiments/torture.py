"""gcc's torture tests: programs that call `abort` where a compiler is wrong, so that no run may reach it.

    bench/run torture [--every K] [--first N] [NAME...]     each K-th program, from the N-th on

The programs are those of `gcc.c-torture/execute` in Debian's source of gcc 12 (90 MB are fetched). A `main` of ours reads a byte, decides two branches on it, and
calls the program's. A program counts if clang's at `-O0` exits with 0. Then it is built by `bothways cc`, run, and asked: is
`abort` reached, is it refuted and how, do machine and native runs agree. The table is followed by what is odd.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import common

FLAGS = """-w -std=gnu89 -Wno-implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-return-mismatch
    -Wno-incompatible-pointer-types -Wno-incompatible-function-pointer-types""".split()
MAIN = """#include <stdio.h>
extern int torture_main();
static int seen;
int main(int argc, char **argv, char **envp) {
    int c = getchar();
    if (c > 100) seen = 1; else if (c > 3) seen = 2;
    return torture_main(argc, argv, envp);
}
"""


def programs():
    """All programs, in the order of their names, and the folder they stand in."""
    folder = common.BUILD / "torture"
    if not (folder / ".done").exists():
        source = common.source("gcc-12")
        archive = min(source.glob("gcc-*.tar.*"), default=None)
        if archive is None:
            raise common.Failed(f"{source} has no archive of gcc")
        folder.mkdir(parents=True, exist_ok=True)
        pattern = "*/gcc/testsuite/gcc.c-torture/execute/*"
        if common.run(["tar", "-xf", archive, "-C", folder, "--wildcards", pattern]).returncode:
            raise common.Failed(f"{archive} cannot be unpacked")
        (folder / ".done").touch()
    base = min(folder.glob("*/gcc/testsuite/gcc.c-torture/execute"))
    # Those in `builtins` need a `main` of their own.
    return base, [path for path in sorted(base.rglob("*.c")) if "builtins" not in path.parts]


def step(command, folder, limit):
    """Exit code (None: cut off) and output."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def copy(program, folder):
    """A program, and what it includes."""
    text = program.read_text(errors="replace")
    shutil.copy(program, folder / "a.c")
    for header in program.parent.glob("*.h"):
        shutil.copy(header, folder)
    for name in re.findall(r'#include "([^"]+)"', text):
        if (program.parent / name).exists() and not name.startswith(".."):
            shutil.copy(program.parent / name, folder / name)
    (folder / "m.c").write_text(MAIN)
    return [*FLAGS, "-fwrapv"] if "fwrapv" in text else FLAGS


def last(text):
    return (text.strip().splitlines() or ["nothing was said"])[-1]


def looked(program, folder):
    """What came of one program: words for the table, and what is odd. `None` where the program does not count."""
    flags = copy(program, folder)
    for clang, name in ("clang-19", "plain"), (f"{common.BOTHWAYS} cc -g", "inst"):
        line = f"{clang} -O0 {' '.join(flags)} -Dmain=torture_main -c a.c -o a.o && {clang} a.o -w m.c -o {name} -lm"
        code, _, errors = step(["sh", "-c", line], folder, 60)
        if code != 0:
            return None if name == "plain" else (["not built"], [last(errors)])
        code, _, _ = step([f"./{name}"], folder, 20)
        if code != 0:
            if name == "plain":
                return None
            return ["another exit code"], [f"exit code {code}"]
    words, odd = ["same exit code"], []
    ask = ["--stdin", "1", "--fresh", "--no-config", "--json"]
    code, out, errors = step([common.BOTHWAYS, "reach", "inst", "--at", "abort", "-t", "4", "-n", "5", *ask, "-o", "o1"], folder, 60)
    try:
        target = json.loads(out)["targets"][0]
        kind = (target["certificate"] or {}).get("kind")
        words.append(f"abort {target['verdict']}" + (f" ({kind})" if kind else ""))
        if target["verdict"] == "reached" or "wrong proof" in errors:
            odd.append(f"abort {target['verdict']}: {last(errors)}")
    except (ValueError, KeyError, IndexError):
        words.append("no answer to reach")
        odd.append(last(errors))
    code, _, errors = step([common.BOTHWAYS, "test", "inst", "-n", "2", "-t", "6", "--target", "machine", "--check", *ask, "-o", "o2"], folder, 60)
    words.append({0: "machine agrees", 2: "machine refuses"}.get(code, "machine differs"))
    if code != 0:
        odd.append(last(errors))
    return words, odd


def main():
    parser = argparse.ArgumentParser(prog="bench/run torture", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=20, help="each so manieth program (20)")
    parser.add_argument("--first", type=int, default=0, help="from this one on (0)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="these programs")
    options = parser.parse_args()
    common.require_bothways()
    base, found = programs()
    chosen = found[options.first :: options.every]
    if options.names:
        chosen = [path for path in found if str(path.relative_to(base)) in options.names]
    table, odds = collections.Counter(), []
    for program in chosen:
        with tempfile.TemporaryDirectory() as folder:
            seen = looked(program, pathlib.Path(folder))
        name = program.relative_to(base)
        if seen is None:
            table["not clang's, or clang's fails"] += 1
            continue
        words, odd = seen
        table.update(words)
        odds += [f"{name}: {line.replace(folder + '/', '')}" for line in odd]
        print(f"{name}: {', '.join(words)}", file=sys.stderr, flush=True)
    common.markdown(["outcome", ">programs"], sorted(table.items()))
    print("", *odds, sep="\n")


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"torture: {failed}")

#!/usr/bin/env python3
"""Sorts mutants of `values` by what they say of random programs.

    OUT=FOLDER BUILD_ONLY=1 tools/mutants-at-once.sh values FILE...
    tools/mutants-sort.py FOLDER RESULT [--ids FILE] [--first N] [--seeds N] [--runs N] [--seconds N] [--share K/N]

Each mutant gets a word: `same` (as the analysis, on all programs), `wider` (sound on all of them), `smaller` (more is said somewhere, and no
run of that program refutes it), `caught` (a run does), `panics`, `slow`, `died`. One line each, appended to RESULT; what is there is
not run again. Programs are those of seeds FIRST and on, some twice, with a handler; RUNS are those of a program that shows more.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--ids", type=pathlib.Path)
    for name, value in [("first", 1), ("seeds", 12), ("runs", 60), ("seconds", 30)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--sets", action="store_true", help="sort mutants of num, arith and real by what they say of random sets")
    asked = parser.parse_args()
    build = (asked.folder / "build.json").read_text()
    binary = re.findall(r'"executable":"([^"]*)"', build)[-1]
    names = dict(line.split(" ", 1) for line in (asked.folder / "list.txt").read_text().splitlines())
    ids = asked.ids.read_text().split() if asked.ids else list(names)
    at, of = map(int, asked.share.split("/"))
    ids = ids[at::of]
    known = asked.result.read_text().splitlines() if asked.result.exists() else []
    done = {line.split(" ", 1)[0] for line in known}
    left = [id for id in ids if id not in done]
    test = "sort_sets" if asked.sets else "sort_mutants"
    with asked.result.open("a") as result:
        while left:
            part = left[:100]
            environment = os.environ | {
                "MUTANTS": " ".join(part),
                "MUTANT_FIRST": str(asked.first),
                "MUTANT_SEEDS": str(asked.seeds),
                "MUTANT_RUNS": str(asked.runs),
                "MUTANT_SECONDS": str(asked.seconds),
            }
            command = f"ulimit -v 6000000; exec {binary} {test} --nocapture --test-threads 1"
            run = subprocess.Popen(
                ["bash", "-c", command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                cwd=asked.folder / "copy" / "crates" / "values",
            )
            begun, before = None, len(left)
            for line in run.stdout:
                found = re.search(r"MUTANT (\d+) (.*)", line)
                if not found:
                    continue
                id, word = found.groups()
                if word == "begins":
                    begun = id
                    continue
                begun = None
                left.remove(id)
                print(f"{id} {word} | {names[id]}", file=result, flush=True)
            run.wait()
            if begun in left:
                left.remove(begun)
                print(f"{begun} died | {names[begun]}", file=result, flush=True)
            if len(left) == before:
                sys.exit(f"mutants-sort: {binary} says nothing (exit code {run.returncode})")


if __name__ == "__main__":
    main()

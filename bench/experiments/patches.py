"""What `bothways reach --diff` says of upstream patches that Debian carries.

    bench/run patches [--time SECONDS] [NAME...]     a table, then for each patch what a reviewer reads

The source is Debian's with its patches up to the one that is looked at; later ones are taken back, last first.
"""

import argparse
import json
import pathlib
import shutil
import sys

import common

# Name, recipe, patch, flags, arguments of the program.
CASES = [
    ("expat-45490", "expat", "CVE-2024-45490.patch", ["--sym-file", "in.xml:48"], ["@file"]),
    ("expat-45492", "expat", "CVE-2024-45492.patch", ["--sym-file", "in.xml:48"], ["@file"]),
    ("expat-8176", "expat", "expat-2.5.0-CVE-2024-8176.patch", ["--sym-file", "in.xml:48"], ["@file"]),
    ("jq-33947", "jq", "CVE-2026-33947.patch", ["--sym-arg", "12", "--stdin", "16"], ["@arg"]),
    ("jq-48060", "jq", "CVE-2025-48060.patch", ["--sym-arg", "12", "--stdin", "16"], ["@arg"]),
    ("jq-39979", "jq", "CVE-2026-39979.patch", ["--sym-arg", "12", "--stdin", "16"], ["@arg"]),
    ("grep-1029235", "grep", "1029235-grep-bug-backref-in-last-of-multiple-patterns.patch", ["--sym-arg", "12", "--stdin", "16"], ["-e", "@arg"]),
]


def take_back(origin, folder, patch):
    """Takes back the patches that Debian applies after one."""
    patches = pathlib.Path(origin) / "debian/patches"
    series = [line.split()[0] for line in (patches / "series").read_text().splitlines() if line.strip() and not line.startswith("#")]
    for later in reversed(series[series.index(patch) + 1 :]):
        done = common.run(["patch", "-p1", "-R", "-s", "-f", "-i", patches / later], cwd=folder)
        if done.returncode:
            raise common.Failed(f"{later} cannot be taken back: {done.stdout.strip()}")
    return patches / patch


def built(name, recipe, patch):
    """The program, and the patch."""
    it = common.recipe(recipe)
    common.needs(*it.get("needs", []))
    origin = common.source(it["package"])
    folder = common.BUILD / "patches" / name
    if not (folder / ".built").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(origin, folder, symlinks=True)
        take_back(origin, folder, patch)
        environment = {"CC": f"{common.BOTHWAYS} cc", "CXX": f"{common.BOTHWAYS} c++", "CFLAGS": "-O2", "CXXFLAGS": "-O2"}
        code, _ = common.step(it["build"], folder, folder.parent / f"{name}.log", environment)
        if code != 0 or common.program(it, folder) is None:
            raise common.Failed(f"{name} does not build: {folder.parent / name}.log")
        (folder / ".built").touch()
    return common.program(it, folder), pathlib.Path(origin) / "debian/patches" / patch


def main():
    parser = argparse.ArgumentParser(prog="bench/run patches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", default="60", help="seconds for each patch (60)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(case[0] for case in CASES))
    options = parser.parse_args()
    common.require_bothways()
    rows, texts = [], []
    for name, recipe, patch, flags, args in CASES:
        if options.names and name not in options.names:
            continue
        try:
            program, diff = built(name, recipe, patch)
        except common.Failed as failed:
            print(f"patches: {failed}", file=sys.stderr)
            continue
        out = common.BUILD / "patches" / f"{name}-out"
        command = [common.BOTHWAYS, "reach", program, "--diff", diff, *flags, "-t", options.time, "-o", out, "--fresh", "--no-config"]
        done = common.run([*command, "--json", "--", *args], timeout=float(options.time) * 4 + 300)
        try:
            targets = json.loads(done.stdout)["targets"]
        except (ValueError, KeyError):
            rows.append([name, *[""] * 4, (done.stderr.strip().splitlines() or ["no answer"])[-1]])
            continue
        count = lambda verdict: sum(target["verdict"] == verdict for target in targets)
        rows.append([name, len(targets), count("reached"), count("unreachable"), count("unknown"), done.returncode])
        texts.append((name, [f"{target['target']}: {target['verdict']}" for target in targets]))
    common.markdown(["patch", ">lines with code", ">reached", ">unreachable", ">unknown", ">exit code"], rows)
    for name, lines in texts:
        print(f"\n{name}\n  " + "\n  ".join(lines))


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"patches: {failed}")

"""Real projects, built with clang and with `bothways cc`; their own test suites on both builds.

Takes the recipes with the key `check`. Prints a table in Markdown (processor seconds), and each test whose result differs; then the
exit code is 1. BOTHWAYS_OPT=0 builds fast and runs slowly: for trying, not for the table. Logs and builds stay in
build/projects/NAME/{plain,ours}.
"""

import argparse
import difflib
import os
import subprocess
import sys

import common


def one(name, limit):
    """A row of the table, and whether both builds behave alike."""
    it = common.recipe(name)
    built, tested, size, status, results = {}, {}, {}, {}, {}
    compilers = {"plain": ("clang-19", "clang++-19"), "ours": (f"{common.BOTHWAYS} cc", f"{common.BOTHWAYS} c++")}
    for side, (cc, cxx) in compilers.items():
        folder = common.BUILD / "projects" / name / side
        folder.mkdir(parents=True, exist_ok=True)
        environment = {"CC": cc, "CXX": cxx, "CFLAGS": "-O2", "CXXFLAGS": "-O2"}
        try:
            built[side] = common.build(name, folder / "build", environment, limit)
        except common.Failed as failed:
            print(f"projects: {failed}", file=sys.stderr)
            return [name, *built.values(), "", "", "", "", "", f"build fails ({side})"], False
        size[side] = os.stat(common.program(it, folder / "build")).st_size / 1024
        status[side], tested[side] = common.step(it["check"], folder / "build", folder / "check.log", environment, limit)
        log = (folder / "check.log").read_bytes()
        found = subprocess.run(["bash", "-c", it["results"]], input=log, capture_output=True).stdout
        results[side] = sorted(found.decode(errors="replace").splitlines())
    differences = [line for line in difflib.unified_diff(results["plain"], results["ours"], lineterm="", n=0) if line[:2] not in ("--", "++", "@@")]
    if not results["plain"]:
        verdict = "the suite says nothing"
    elif differences or status["plain"] != status["ours"]:
        verdict = f"differs: {len(differences)} lines, exit {status['plain']} and {status['ours']}"
    else:
        verdict = f"same ({len(results['ours'])} lines)"
    print(*(f"    {line}" for line in differences[:20]), sep="\n", end="\n" if differences else "", file=sys.stderr)
    row = [name, f"{built['plain']:.1f}", f"{built['ours']:.1f}", f"{size['plain']:.0f}", f"{size['ours']:.0f}"]
    return [*row, f"{tested['plain']:.1f}", f"{tested['ours']:.1f}", verdict], verdict.startswith("same")


def main():
    parser = argparse.ArgumentParser(prog="bench/run projects", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, default=1800, metavar="SECONDS", help="limit of each build and each suite")
    parser.add_argument("names", nargs="*", metavar="NAME", help="recipes; all that have `check` if none is given")
    options = parser.parse_args()
    common.require_bothways()
    columns = ["project", ">build clang, s", ">build bothways, s", ">size, KiB", ">size bothways, KiB", ">suite, s", ">suite bothways, s", "suite"]
    same = []

    def rows():
        for name in options.names or common.names("check"):
            row, alike = one(name, options.limit)
            same.append(alike)
            yield row

    common.markdown(columns, rows())
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"projects: {failed}")

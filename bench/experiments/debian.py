"""Debian packages, built with `bothways cc` and Debian's own flags, one run of `bothways test` each.

Takes the recipes with the key `test`. Prints a table in Markdown: exit code, branches, differences between engine and judge, wall time.
Logs and suites stay in build/debian/NAME.
"""

import argparse
import json
import subprocess
import sys
import time

import common


def one(name, seconds):
    it = common.recipe(name)
    folder = common.BUILD / "debian" / name
    folder.mkdir(parents=True, exist_ok=True)
    environment = common.debian_flags() | {"CC": f"{common.BOTHWAYS} cc", "CXX": f"{common.BOTHWAYS} c++"}
    build = folder / "source"
    began = time.monotonic()
    try:
        common.build(name, build, environment)
    except common.Failed as failed:
        print(f"debian: {failed}", file=sys.stderr)
        return [name, "", "", "", "", f"{time.monotonic() - began:.0f}", "", "does not build", ""]
    built = time.monotonic() - began
    arguments = [word.replace("{build}", str(build)) for word in it["test"]]
    options, words = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        options, words = arguments[:at], arguments[at:]
    command = [common.BOTHWAYS, "test", str(common.program(it, build)), "--time", str(seconds), "--out", str(folder / "suite"), "--json", *options, *words]
    began = time.monotonic()
    with open(folder / "report.json", "w") as out, open(folder / "test.log", "w") as log:
        try:
            code = subprocess.run(command, cwd=build, stdout=out, stderr=log, stdin=subprocess.DEVNULL, timeout=seconds * 6 + 120).returncode
        except subprocess.TimeoutExpired:
            code = "cut off"
    wall = time.monotonic() - began
    try:
        report = json.loads((folder / "report.json").read_text())
    except ValueError:
        return [name, code, "", "", "", f"{built:.0f}", f"{wall:.1f}", "no report", ""]
    goals, judge = report["goals"], report["judge"] or {"differences": ["no verdict"]}
    return [
        name, code, goals["covered"], goals["total"], goals["infeasible"], f"{built:.0f}", f"{wall:.1f}",
        len(judge["differences"]), len(report["failures"]),
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="bench/run debian", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=int, default=60, metavar="SECONDS", help="budget of each run")
    parser.add_argument("names", nargs="*", metavar="NAME", help="recipes; all that have `test` if none is given")
    options = parser.parse_args()
    common.require_bothways()
    names = options.names or common.names("test")
    columns = ["project", ">exit code", ">covered", ">branches", ">infeasible", ">build, s", ">test, s", ">differences", ">failures"]
    common.markdown(columns, (one(name, options.time) for name in names))


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"debian: {failed}")

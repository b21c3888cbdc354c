"""Coverage among the feasible of drivers, clients, servers and keyword interpreters in endless loops.

    bench/run kinds [--time 60s] [--strategy mix,bidirectional] [--seed 0] [--core N] [KIND:SEED:SIZE ...]

The programs are made by `cargo run --release -p bench --example program KIND SEED SIZE`; which of their sides no input takes is known by
construction and marked on its line. KIND may also be the path of a C file, then without SEED and SIZE. A row says what was covered and proved;
"unmarked" counts proofs on lines that have no mark (each would be wrong), "unproved" marked lines without a proof, "held" the certificates that
`bothways check` accepts. Rows are printed as they are made.
"""

import argparse
import pathlib
import re
import resource
import sys
import tempfile

import common

SIZES = {
    "driver": ["1:2", "1:16", "1:50", "2:30"],
    "client": ["1:5", "1:36", "1:108", "2:80"],
    "server": ["1:4", "1:25", "1:75", "2:50"],
    "keywords": ["1:4", "1:40", "1:120", "2:60"],
}
ALL = [f"{kind}:{size}" for kind, sizes in SIZES.items() for size in sizes]
COLUMNS = ["program", ">sides", "strategy", ">covered", ">infeasible", ">open", ">cov_b", ">cov_f", ">tests", ">it", ">s", ">user s", ">unmarked", ">unproved", ">held"]
MARKS = ("/* never true */", "/* never reached */")


def text(name):
    """A program's source."""
    path = pathlib.Path(name)
    if path.suffix == ".c":
        return path.read_text()
    words = name.split(":")
    if len(words) != 3:
        raise common.Failed(f"{name}: not KIND:SEED:SIZE and no C file")
    made = common.run(["cargo", "run", "--release", "--locked", "-q", "-p", "bench", "--example", "program", *words], cwd=common.ROOT)
    if made.returncode:
        raise common.Failed(f"{name}: {made.stderr.strip()}")
    return made.stdout


def held(folder):
    """How many certificates of a suite hold, of how many."""
    done = common.run([common.BOTHWAYS, "check", folder])
    found = re.search(r"(\d+) of (\d+) certificates? hold", done.stdout + done.stderr)
    return f"{found[1]} of {found[2]}" if found else "–"


def row(name, source, strategy, options):
    """What one search of one program came to."""
    marked = {number for number, line in enumerate(source.splitlines(), 1) if any(mark in line for mark in MARKS)}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.c"
        path.write_text(source)
        command = [common.BOTHWAYS, "test", path, "--strategy", strategy, "--time", options.time, "--seed", options.seed, "--json", "-q", "--out", f"{folder}/out"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        report = common.told((["taskset", "-c", options.core] if options.core else []) + command, options.limit)
        user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        certificates = held(f"{folder}/out")
    goals = report["goals"]
    proved = [goal["line"] for goal in report["infeasible"]]
    cov_b, cov_f = (f"{100 * goals['covered'] / whole:.0f}" for whole in (goals["total"], goals["total"] - goals["infeasible"]))
    counts = [goals["covered"], goals["infeasible"], goals["open"], cov_b, cov_f, report["tests"], report["iterations"]]
    wrong = [sum(line not in marked for line in proved), len(marked - set(proved))]
    return [name, goals["total"], strategy, *counts, f"{report['seconds']:.1f}", f"{user:.1f}", *wrong, certificates]


def main():
    parser = argparse.ArgumentParser(prog="bench/run kinds", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", metavar="KIND:SEED:SIZE", help=f"programs, or C files ({' '.join(ALL)})")
    parser.add_argument("--time", default="60s", help="budget of each (60s)")
    parser.add_argument("--limit", type=int, default=300, help="seconds after which a search has failed")
    parser.add_argument("--strategy", default="mix,bidirectional")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--core", help="the core that searches run on")
    options = parser.parse_args()
    common.require_bothways()
    strategies = options.strategy.split(",")
    sources = {name: text(name) for name in options.programs or ALL}
    common.markdown(COLUMNS, (row(name, source, strategy, options) for name, source in sources.items() for strategy in strategies))


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"kinds: {failed}")

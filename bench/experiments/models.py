"""Library models as expressions, beside the same functions as loops that decide byte by byte.

    bench/run models [--runs N] [--seeds N] [NAME...]

Each subject is searched for so many runs twice: as it is, and linked with bench/drivers/byte_loops.c, whose functions are then the
program's own. Branches of these loops are not counted.
"""

import argparse
import sys

import common

LOOPS = common.BENCH / "drivers/byte_loops.c"
# Name, sources below ROOT or a recipe, flags, arguments of the program.
CASES = [
    ("settings", ["bench/subjects/settings.c"], ["--stdin", "64"], []),
    ("http", ["bench/subjects/http.c"], ["--stdin", "64"], []),
    ("table", ["bench/subjects/table.c"], ["--stdin", "128"], []),
    ("cjson", ["examples/cjson_parse.c", "build/subjects/cjson/cJSON.c"], ["--cflags=-Ibuild/subjects/cjson"], []),
    ("jq", "jq", ["--sym-arg", "12", "--stdin", "24"], ["@arg"]),
    ("grep", "grep", ["--sym-arg", "12", "--stdin", "24"], ["-e", "@arg"]),
]


def built(name, loops):
    """The program of a recipe, with or without the loops."""
    folder = common.BUILD / "models" / (f"{name}-loops" if loops else name) / "build"
    it = common.recipe(name)
    if common.program(it, folder) is None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        environment = {"CC": f"{common.BOTHWAYS} cc", "CFLAGS": "-O2 -fno-builtin"}
        if loops:
            loop = folder.parent / "byte_loops.o"
            done = common.run([common.BOTHWAYS, "cc", "-O2", "-fno-builtin", "-c", LOOPS, "-o", loop])
            if done.returncode:
                raise common.Failed(done.stderr.strip())
            environment["LIBS"] = str(loop)
        common.build(name, folder, environment)
    return common.program(it, folder)


def searched(case, loops, seed, runs):
    name, what, flags, words = case
    if isinstance(what, str):
        subject = [built(what, loops)]
    else:
        if name == "cjson":
            common.source("cjson")
        subject = [*(common.ROOT / path for path in what), *([LOOPS] if loops else []), "--cflags=-fno-builtin"]
    command = [common.BOTHWAYS, "test", *subject, *flags, "--iterations", runs, "--seed", seed, "-q", "--json"]
    command += ["-o", common.BUILD / "models" / "out", *(["--", *words] if words else [])]
    report = common.told(command, 3600, cwd=common.ROOT)
    own = [function for function in report["functions"] if not function["file"].endswith(LOOPS.name)]
    covered = sum(function["covered"] for function in own)
    queries = report["work"]["queries"]
    return covered, queries, f"{report['seconds']:.1f}", f"{report['solver_seconds']:.1f}"


def main():
    parser = argparse.ArgumentParser(prog="bench/run models", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="runs of each search (1000)")
    parser.add_argument("--seeds", type=int, default=2, help="searches of each subject (2)")
    parser.add_argument("names", nargs="*", metavar="NAME", help="subjects (all)")
    options = parser.parse_args()
    common.require_bothways()
    (common.BUILD / "models").mkdir(parents=True, exist_ok=True)
    rows = []
    for case in CASES:
        if options.names and case[0] not in options.names:
            continue
        for seed in range(options.seeds):
            try:
                rows.append([case[0], seed, *searched(case, True, seed, options.runs), *searched(case, False, seed, options.runs)])
            except common.Failed as failed:
                print(f"{case[0]}: {failed}", file=sys.stderr)
                break
            print(*rows[-1], file=sys.stderr, flush=True)
    kinds = [">branches", ">queries", ">s", ">solver s"]
    common.markdown(["subject", ">seed", *(f"{kind}, loops" for kind in kinds), *(f"{kind}, models" for kind in kinds)], rows)


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"models: {failed}")

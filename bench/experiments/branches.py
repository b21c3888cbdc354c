"""Branches that forward search left open, asked of `bothways reach`: reached, proved, or unknown and why.

    bench/run branches [--forward SECONDS] [--time SECONDS | --each SECONDS] [--count N] [NAME...]

Names are those below, or of recipes that say how their program is tested (key `test`). Of the conditions outside of macros that a search of so many seconds leaves open, N are taken at equal distances in the order of the report, and asked
all in one command, which searches for so many seconds in all; or with --each one after the other, each in a command and a folder of its own. What was
answered is kept in build/branches/NAME: a second start goes on. A table, then the reasons of what stays unknown.
"""

import argparse
import collections
import json
import re
import sys
import time

import common

# Name, what is built, flags, arguments of the program.
CASES = [
    ("cjson", "sources", ["--cflags=-I{subjects}/cjson"], []),
    ("libyaml", "static", ["--sym-file", "in.yaml:24"], ["@file"]),
    ("grep", "program", ["--sym-arg", "12", "--stdin", "16"], ["-e", "@arg"]),
    ("make", "program", ["--sym-file", "in.mk:32"], ["-n", "-f", "@file"]),
]


def built(name, program, **options):
    """A program in the folder of its build, which is made where there is none."""
    folder = common.BUILD / "branches" / name / "build"
    if not (folder / program).exists():
        environment = {"CC": f"{common.BOTHWAYS} cc", "CXX": f"{common.BOTHWAYS} c++", "CFLAGS": "-O2", "CXXFLAGS": "-O2"}
        common.build(name, folder, environment, **options)
    return common.program({"program": program}, folder)


def of_recipe(name):
    """A case as in the list, from a recipe's key `test`."""
    test = common.recipe(name).get("test")
    if test is None:
        raise common.Failed(f"the recipe {name} has no key `test`")
    test = [word.format(build=common.BUILD / "branches" / name / "build") for word in test]
    end = test.index("--") if "--" in test else len(test)
    return name, "recipe", test[:end], test[end + 1 :]


def subject(name, what):
    """What the command is given, from a build that is there or made now."""
    if what == "recipe":
        return [built(name, common.recipe(name)["program"])]
    if what == "sources":
        folder = common.BUILD / "subjects" / "cjson"
        if not folder.exists():
            common.run(["bash", common.ROOT / "bench/fetch.sh", "cjson"], check=True)
        return [common.ROOT / "examples/cjson_parse.c", folder / "cJSON.c"]
    if what == "static":
        # The recipe's program needs a library of its build.
        return [built(name, "tests/run-parser", text="autoreconf -fi && ./configure --disable-shared && make")]
    program = common.BUILD / "programs" / name
    if not program.exists():
        common.run([sys.executable, common.ROOT / "bench/run", "build", name], check=True)
    return [program]


def chosen(places, count):
    """So many at equal distances."""
    if len(places) <= count:
        return places
    return [places[index * len(places) // count] for index in range(count)]


def reason(target):
    """Why a target is unknown, without what is its own."""
    words = (target["why"] or [target["blocked_by"] or "?"])[-1]
    return re.sub(r"[\w./-]+:\d+(:\d+)?", "…", str(words))


def kept(path, make):
    """The JSON of a file, made and written where there is none."""
    if not path.exists():
        found = make()
        path.write_text(json.dumps(found, indent=1))
    return json.loads(path.read_text())


def each(targets, out, seconds, ask):
    """Answers to one target after the other; a line of a file for each, written at once."""
    path = out / "each.jsonl"
    known = {}
    if path.exists():
        known = {row["asked"]: row for row in map(json.loads, path.read_text().splitlines())}
    for target in targets:
        if target not in known:
            start = time.monotonic()
            try:
                found = ask([target], seconds, out / "reach")["targets"][0]
            except common.Failed as failed:
                found = {"verdict": "failed", "why": [str(failed)], "blocked_by": None, "certificate": None}
            known[target] = found | {"asked": target, "wall": round(time.monotonic() - start, 1)}
            with path.open("a") as file:
                file.write(json.dumps(known[target]) + "\n")
    return [known[target] for target in targets]


def one(case, options):
    name, what, flags, args = case
    sources = subject(name, what)
    out = common.BUILD / "branches" / name
    out.mkdir(parents=True, exist_ok=True)
    flags = [flag.format(subjects=common.BUILD / "subjects") for flag in flags]
    given = [*flags, "--fresh", "--no-config", "--json"]
    end = ["--", *args] if args else []
    forward = [common.BOTHWAYS, "test", *sources, "--time", options.forward, "-o", out / "forward", *given, *end]
    report = kept(out / "forward.json", lambda: common.told(forward, float(options.forward) * 4 + 600))
    # A condition of a macro has one place, however often it is used: it may be reached in another use.
    sides = [row for row in report["open"] if row["side"] in ("true", "false") and not row["expanded_at"]]
    places = dict.fromkeys(f"{side['file']}:{side['line']}:{side['col']}:{side['side']}" for side in sides)
    targets = chosen(list(places), options.count)

    def ask(which, seconds, folder):
        at = [word for target in which for word in ("--at", target)]
        return common.told([common.BOTHWAYS, "reach", *sources, *at, "--time", seconds, "-o", folder, *given, *end], float(seconds) * 4 + 600)

    if options.each:
        return report["goals"], places, each(targets, out, options.each, ask)
    return report["goals"], places, kept(out / "answers.json", lambda: ask(targets, options.time, out / "reach"))["targets"]


def main():
    parser = argparse.ArgumentParser(prog="bench/run branches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forward", default="600", help="seconds of forward search (600)")
    parser.add_argument("--time", default="600", help="seconds for all branches together (600)")
    parser.add_argument("--each", help="seconds for each branch in a command of its own")
    parser.add_argument("--count", type=int, default=50, help="branches (50)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(case[0] for case in CASES) + ", or of a recipe")
    options = parser.parse_args()
    common.require_bothways()
    rows, texts = [], []
    cases = {case[0]: case for case in CASES}
    for name in options.names or cases:
        try:
            goals, places, targets = one(cases.get(name) or of_recipe(name), options)
        except common.Failed as failed:
            print(f"branches: {name}: {failed}", file=sys.stderr)
            continue
        verdicts = collections.Counter(target["verdict"] for target in targets)
        proofs = [target["certificate"] for target in targets if target["certificate"]]
        unchecked = sum(str(proof["checked"]).startswith("no") for proof in proofs)
        rows.append([name, goals["total"], goals["covered"], goals["infeasible"], len(places), len(targets), *(verdicts[name] for name in ("reached", "unreachable", "unknown")), unchecked])
        reasons = collections.Counter(reason(target) for target in targets if target["verdict"] == "unknown")
        texts.append(f"{name}:\n" + "".join(f"  {count:3} {words}\n" for words, count in reasons.most_common()))
    columns = ["program", ">branches", ">covered", ">infeasible", ">open", ">asked", ">reached", ">unreachable", ">unknown", ">proofs not checked"]
    common.markdown(columns, rows)
    print("", *texts, sep="\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Function mode over functions of bash, flex and make that nobody chose by hand, with no harness written by hand.

Usage: bench/functions.py [--per-project 22] [--time 60s] [--jobs 1] [--only PROJECT:FUNCTION] [-- OPTIONS OF bothways test]

Takes, of each project, the functions with a cyclomatic complexity of 8 or more (the rule of the CAUT paper, section V-C; counted
by `pmccabe`), in the order of the MD5 sum of "file:function", which depends on nobody's choice. Runs `bothways test FILE --function
NAME` on each. Prints a table in Markdown: one line for each function with its own branches as llvm-cov counts them over the suite, and why it did
not run where it did not; then the means. Suites, logs and reports stay in build/functions/.

Needs `make build`. Fetches and builds the sources with the recipes of bench/projects, and installs what these need.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOTHWAYS = os.environ.get("BOTHWAYS", str(ROOT / "target/release/bothways"))
WORK = ROOT / "build/functions"
COMPLEXITY = 8
PROJECTS = ["bash", "flex", "make"]
# Not units of the program: tests, generators that run at build time, and what the C library has as well.
NOT_UNITS = re.compile(r"(^|/)(tests?|examples|support|gnulib|builds?|lib/(malloc|intl|sh|termcap))(/|$)")


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, **options)


def build(project):
    """Builds the project with clang as its recipe says; returns the files of its compilation database, each with the functions in it."""
    folder = WORK / project / "build"
    database = WORK / project / "compile_commands.json"
    if not database.exists():
        fragments = WORK / project / "fragments"
        fragments.mkdir(parents=True, exist_ok=True)
        compiler = f"clang-19 -gen-cdb-fragment-path {fragments}"
        environment = os.environ | {"CC": compiler, "CFLAGS": "-O0 -w"}
        done = run([ROOT / "bench/build.sh", project, folder], env=environment)
        (WORK / project / "build.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            sys.exit(f"functions: {project} does not build: {WORK / project / 'build.log'}")
        entries = [json.loads(path.read_text().rstrip().rstrip(",")) for path in sorted(fragments.glob("*.json"))]
        database.write_text(json.dumps(entries))
    entries = json.loads(database.read_text())
    # configure compiled some that are gone.
    files = [((pathlib.Path(entry["directory"]) / entry["file"]).resolve(), entry) for entry in entries]
    return {path: emitted(entry) for path, entry in files if path.exists()}


def emitted(entry):
    """Names of the functions in the object that this entry of a compilation database makes."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    if "-o" not in words:
        return set()
    compiled = pathlib.Path(entry["directory"]) / words[words.index("-o") + 1]
    lines = run(["nm", "--defined-only", str(compiled)]).stdout.splitlines()
    return {line.split()[-1] for line in lines if " T " in line or " t " in line}


def functions(project, files):
    """(complexity, file, name) of every function of the project that is complex enough, in an order of no meaning."""
    run([ROOT / "bench/needs.sh", "pmccabe"], check=True)
    source = WORK / project / "build"
    found = []
    for path, names in files.items():
        name = os.path.relpath(path, source)
        if NOT_UNITS.search(name) or path.suffix != ".c":
            continue
        for line in run(["pmccabe", str(path)]).stdout.splitlines():
            parts = line.split("\t")
            if len(parts) != 6 or int(parts[1]) < COMPLEXITY:
                continue
            function = parts[5].split(": ")[-1].strip()
            # pmccabe counts what the preprocessor leaves out as well, and macros that look like functions.
            if function in names:
                found.append((int(parts[1]), path, function))
    found.sort(key=lambda entry: hashlib.md5(f"{entry[1].name}:{entry[2]}".encode()).digest())
    return found


def command(project, path, name, out):
    """The command line that tests one function, without budget."""
    return [BOTHWAYS, "test", str(path), "--function", name, "--json", "-q", "-o", str(out), "-p", str(WORK / project)]


def test(project, complexity, path, name, options):
    """One line of the table, as a dictionary."""
    out = WORK / project / "suites" / f"{path.stem}.{name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    words = [*command(project, path, name, out), "--time", options.time, *options.options]
    line = {"project": project, "function": name, "file": path.name, "complexity": complexity, "why": ""}
    try:
        done = run(words, cwd=WORK / project, timeout=options.limit, errors="replace")
    except subprocess.TimeoutExpired:
        return line | {"why": f"not at its end after {options.limit} s"}
    (out.parent / f"{out.name}.log").write_text(shlex.join(words) + "\n" + done.stderr)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        text = [text for text in done.stderr.splitlines() if text.strip()]
        return line | {"why": f"exit {done.returncode}: {text[-1] if text else 'no message'}"}
    own = next((entry for entry in report["functions"] if entry["name"] == name), None)
    if own is None:
        return line | {"why": "no branches of its own in the report"}
    if report["judge"]["differences"]:
        line["why"] = f"judge differs: {report['judge']['differences'][0]}"
    return line | {
        "total": own["total"],
        "covered": own["covered"],
        "infeasible": own["infeasible"],
        "tests": report["tests"],
        "runs": report["iterations"],
        "seconds": report["seconds"],
    }


def table(lines):
    yield "| project | function | complexity | branches | covered | % | proved infeasible | runs | why not |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---|"
    for line in lines:
        if "total" in line:
            percent = 100 * line["covered"] / line["total"] if line["total"] else 100
            figures = f"{line['total']} | {line['covered']} | {percent:.0f} | {line['infeasible']} | {line['runs']}"
        else:
            figures = "| | | |"
        why = line["why"].replace("|", "\\|")[:160]
        yield f"| {line['project']} | `{line['function']}` ({line['file']}) | {line['complexity']} | {figures} | {why} |"


def summary(lines):
    ran = [line for line in lines if line.get("total")]
    if not ran:
        return "None ran."
    mean = sum(100 * line["covered"] / line["total"] for line in ran) / len(ran)
    total, covered = (sum(line[key] for line in ran) for key in ("total", "covered"))
    infeasible = sum(line["infeasible"] for line in ran)
    return (
        f"{len(ran)} of {len(lines)} ran ({100 * len(ran) / len(lines):.0f} %). Mean branch coverage {mean:.1f} %; "
        f"of all branches {covered} of {total} ({100 * covered / total:.1f} %), {infeasible} more proved infeasible."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-project", type=int, default=22, metavar="N")
    parser.add_argument("--time", default="60s", help="budget for each function")
    parser.add_argument("--limit", type=int, default=600, help="seconds after which a function counts as not run")
    parser.add_argument("--jobs", type=int, default=1, help="functions at once")
    parser.add_argument("--only", action="append", default=[], metavar="PROJECT:FUNCTION")
    parser.add_argument("options", nargs="*", help="further options of bothways test")
    options = parser.parse_args()
    chosen = []
    for project in PROJECTS:
        if options.only and not any(only.startswith(f"{project}:") for only in options.only):
            continue
        found = functions(project, build(project))
        print(f"functions: {project}: {len(found)} functions of complexity {COMPLEXITY} or more", file=sys.stderr)
        if options.only:
            chosen += [(project, *entry) for entry in found if f"{project}:{entry[2]}" in options.only]
        else:
            chosen += [(project, *entry) for entry in found[: options.per_project]]
    lines = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line in pool.map(lambda entry: test(*entry, options), chosen):
            print(f"functions: {line['project']}:{line['function']} {line.get('covered', '-')}/{line.get('total', '-')} {line['why']}", file=sys.stderr)
            lines.append(line)
    (WORK / "lines.json").write_text(json.dumps(lines, indent=1))
    print(*table(lines), "", summary(lines), sep="\n")


if __name__ == "__main__":
    main()

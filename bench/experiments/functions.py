"""Function mode over functions that nobody chose by hand, with no harness written by hand.

    bench/run functions [--rule complex]     bash, flex and make; each for a minute
    bench/run functions --rule sample        ten Debian packages; each for a few seconds

`complex` takes, of each project, the functions with a cyclomatic complexity of 8 or more (the rule of the CAUT paper, section V-C;
counted by `pmccabe`), in the order of the MD5 sum of "file:function", which depends on nobody's choice.

`sample` lists the functions that the project's build compiled, by file (path within the source) and place in the object, each
name once; of n functions it takes each k-th, beginning with number k/2, with k = n/20 rounded down. So each project gives 20. It asks
for C tests, and compiles and runs them with clang and with gcc, by the command that they name.

Runs `bothways test FILE --function NAME` on each. Prints a table in Markdown: one line for each function with its own branches as
llvm-cov counts them over the suite, and why it did not run where it did not; then the sums. Suites, logs and reports stay in
build/functions/.

Needs `make build`. Fetches and builds the sources with the recipes of bench/recipes, and installs what these need.
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
import tempfile

import common

ROOT = common.ROOT
BOTHWAYS = common.BOTHWAYS
WORK = ROOT / "build/functions"
COMPLEXITY = 8
PROJECTS = ["bash", "flex", "make"]
SAMPLED = ["mujs", "lz4", "yajl", "fribidi", "patch", "file", "bc", "figlet", "jansson", "gawk"]
SAMPLE = 20
# Not units of the program: tests, generators that run at build time, and what the C library has as well.
NOT_UNITS = re.compile(r"(^|/)(tests?|examples|support|gnulib|builds?|lib/(malloc|intl|sh|termcap))(/|$)")


def run(command, **options):
    return common.run(command, **options)


def build(project):
    """Builds the project with clang as its recipe says; returns the files of its compilation database, each with the functions in it."""
    folder = WORK / project / "build"
    database = WORK / project / "compile_commands.json"
    if not database.exists():
        fragments = WORK / project / "fragments"
        fragments.mkdir(parents=True, exist_ok=True)
        compiler = f"clang-19 -gen-cdb-fragment-path {fragments}"
        environment = {"CC": compiler, "CXX": "clang++-19", "CFLAGS": "-O0 -w", "CPPFLAGS": "", "LDFLAGS": ""}
        common.build(project, folder, environment)
        texts = (path.read_text().rstrip().rstrip(",") for path in sorted(fragments.glob("*.json")))
        entries = [entry for text in texts for entry in json.loads(f"[{text}]")]
        database.write_text(json.dumps(entries))
    entries = json.loads(database.read_text())
    # configure compiled some that are gone.
    files = [((pathlib.Path(entry["directory"]) / entry["file"]).resolve(), entry) for entry in entries]
    return {path: emitted(entry) for path, entry in files if path.exists() and pathlib.Path(entry["directory"]).exists()}


def emitted(entry):
    """Names of the functions in the object that this entry of a compilation database makes, in its order."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    at = words.index("-o") if "-o" in words else None
    compiled = pathlib.Path(entry["directory"]) / words[at + 1] if at else None
    with tempfile.TemporaryDirectory() as folder:
        if compiled is None or compiled.suffix not in (".o", ".lo") or not compiled.exists():
            # Compiled and linked at once.
            source, compiled = entry["file"], pathlib.Path(folder, "it.o")
            kept = [word for index, word in enumerate(words) if (at is None or index not in (at, at + 1)) and not (word.endswith(".c") and word != source)]
            run([*kept, "-w", "-c", "-o", str(compiled)], cwd=entry["directory"])
        lines = run(["nm", "--numeric-sort", "--defined-only", str(compiled)]).stdout.splitlines()
    return [line.split()[-1] for line in lines if " T " in line or " t " in line]


def complex_functions(project, files):
    """(complexity, file, name) of every function of the project that is complex enough, in an order of no meaning."""
    common.needs("pmccabe")
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


# Under its older name: bench/run units takes the same functions.
functions = complex_functions


def sampled_functions(project, files):
    """(0, file, name) of every k-th function of the project."""
    source = WORK / project / "build"
    seen, listed = set(), []
    for path in sorted(files, key=lambda path: os.path.relpath(path, source)):
        # What clang makes itself has a point in its name.
        for name in files[path] if path.suffix == ".c" else []:
            if name not in seen and "." not in name:
                seen.add(name)
                listed.append((0, path, name))
    return common.sample(listed, SAMPLE)


def command(project, path, name, out):
    """The command line that tests one function, without budget."""
    return [BOTHWAYS, "test", str(path), "--function", name, "--json", "-q", "-o", str(out), "-p", str(WORK / project)]


def test(project, complexity, path, name, options):
    """One line of the table, as a dictionary."""
    out = WORK / project / "suites" / f"{path.stem}.{name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    words = [*command(project, path, name, out), "--time", options.time, *options.options]
    words += ["--emit", "c-test"] if options.rule == "sample" else []
    line = {"project": project, "function": name, "file": path.name, "complexity": complexity, "why": ""}
    try:
        done = run(words, cwd=WORK / project, timeout=options.limit)
    except subprocess.TimeoutExpired:
        return line | {"why": f"not at its end after {options.limit} s"}
    (out.parent / f"{out.name}.log").write_text(shlex.join(words) + "\n" + done.stderr)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        text = [text for text in done.stderr.splitlines() if text.strip()]
        return line | {"why": f"exit {done.returncode}: {text[-1] if text else 'no message'}"}
    (out.parent / f"{out.name}.json").write_text(done.stdout)
    own = next((entry for entry in report["functions"] if entry["name"] == name), None)
    if own is None and options.rule == "complex":
        return line | {"why": "no branches of its own in the report"}
    own = own or {"total": 0, "covered": 0, "infeasible": 0}
    if report["judge"] and report["judge"]["differences"]:
        line["why"] = f"judge differs: {report['judge']['differences'][0]}"
    if options.rule == "sample":
        line["emitted"] = emitted_tests(out)
        left = [note for note in report["notes"] if "left out" in note]
        line["why"] = "; ".join(filter(None, [line["why"], *left]))
    return line | {
        "total": own["total"],
        "covered": own["covered"],
        "infeasible": own["infeasible"],
        "tests": report["tests"],
        "runs": report["iterations"],
        "seconds": report["seconds"],
    }


def emitted_tests(out):
    """Compiles and runs the C tests of a suite: `pass`, what failed, or `none`."""
    files = sorted((out / "c-test").glob("test_*.c"))
    for file in files:
        text = file.read_text(errors="replace")
        found = re.search(r"Compile: cc (.*)", text)
        if not found:
            return "no command"
        for compiler in ("clang-19", "gcc"):
            made = run(["sh", "-c", f"{compiler} -w {found[1]}"], cwd=file.parent)
            if made.returncode:
                error = next((line for line in made.stderr.splitlines() if "error" in line), "")
                return f"{compiler} does not compile it: {error}"
            try:
                if run(["./a.out"], cwd=file.parent, timeout=60, stdin=open(os.devnull)).returncode:
                    return f"fails ({compiler})"
            except subprocess.TimeoutExpired:
                return f"hangs ({compiler})"
    return "pass" if files else "none"


def table(lines, rule):
    yield "| project | function | complexity | branches | covered | % | proved infeasible | runs | why not |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---|"
    for line in lines:
        if "total" in line:
            percent = 100 * line["covered"] / line["total"] if line["total"] else 100
            figures = f"{line['total']} | {line['covered']} | {percent:.0f} | {line['infeasible']} | {line['runs']}"
        else:
            figures = "| | | |"
        tests = f"C tests: {line['emitted']}" if line.get("emitted", "pass") != "pass" else ""
        why = "; ".join(filter(None, [tests, line["why"]])).replace("|", "\\|")[:160]
        complexity = line["complexity"] if rule == "complex" else ""
        yield f"| {line['project']} | `{line['function']}` ({line['file']}) | {complexity} | {figures} | {why} |"


def summary(lines):
    ran = [line for line in lines if "total" in line]
    branchy = [line for line in ran if line["total"]]
    if not branchy:
        return "None ran."
    mean = sum(100 * line["covered"] / line["total"] for line in branchy) / len(branchy)
    total, covered = (sum(line[key] for line in branchy) for key in ("total", "covered"))
    infeasible = sum(line["infeasible"] for line in branchy)
    text = (
        f"{len(ran)} of {len(lines)} ran ({100 * len(ran) / len(lines):.0f} %). Mean branch coverage {mean:.1f} %; "
        f"of all branches {covered} of {total} ({100 * covered / total:.1f} %), {infeasible} more proved infeasible."
    )
    if any("emitted" in line for line in lines):
        passed = sum(line.get("emitted") == "pass" for line in ran)
        none = sum(line.get("emitted") == "none" for line in ran)
        text += f" C tests: {passed} suites compile and pass with both compilers, {len(ran) - passed - none} do not, {none} functions have none."
    return text


def main():
    parser = argparse.ArgumentParser(prog="bench/run functions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rule", choices=["complex", "sample"], default="complex")
    parser.add_argument("--per-project", type=int, default=22, metavar="N", help="functions of a project (`complex`)")
    parser.add_argument("--projects", help="comma-separated recipes, if not those of the rule")
    parser.add_argument("--time", help="budget for each function (60s; `sample`: 5s)")
    parser.add_argument("--limit", type=int, default=600, help="seconds after which a function counts as not run")
    parser.add_argument("--jobs", type=int, default=1, help="functions at once")
    parser.add_argument("--only", action="append", default=[], metavar="PROJECT:FUNCTION")
    parser.add_argument("options", nargs="*", help="further options of bothways test")
    options = parser.parse_args()
    common.require_bothways()
    is_complex = options.rule == "complex"
    options.time = options.time or ("60s" if is_complex else "5s")
    projects = options.projects.split(",") if options.projects else PROJECTS if is_complex else SAMPLED
    chosen = []
    for project in projects:
        if options.only and not any(only.startswith(f"{project}:") for only in options.only):
            continue
        try:
            files = build(project)
        except common.Failed as failed:
            print(f"functions: {failed}", file=sys.stderr)
            continue
        found = complex_functions(project, files) if is_complex else sampled_functions(project, files)
        print(f"functions: {project}: {len(found)} functions", file=sys.stderr)
        if options.only:
            chosen += [(project, *entry) for entry in found if f"{project}:{entry[2]}" in options.only]
        else:
            chosen += [(project, *entry) for entry in (found[: options.per_project] if is_complex else found)]
    lines = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line in pool.map(lambda entry: test(*entry, options), chosen):
            tests = line.get("emitted", "")
            print(f"functions: {line['project']}:{line['function']} {line.get('covered', '-')}/{line.get('total', '-')} {tests} {line['why']}", file=sys.stderr)
            lines.append(line)
            (WORK / f"{options.rule}.json").write_text(json.dumps(lines, indent=1))
    print(*table(lines, options.rule), "", summary(lines), sep="\n")


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"functions: {failed}")

"""Small C libraries of Debian, function by function, and what clang counts when the emitted C tests run.

    bench/run libraries [NAME...]              all ten libraries, five functions each, for 5 seconds under `branch` and under `mcdc`
    bench/run libraries --only FUNCTION        one function

The rule by which the packages were taken stands in bench/results/unseen.md. Of a library's functions with at least three branches, in the order of
their names, each k-th is tested, k = n/5 rounded down, beginning with number k/2. What each test file says is compiled with clang and gcc by
the command that it names, and once more with `-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc`. What llvm-cov says of that
run is compared with the report, condition by condition, in all functions of the report:

    false proof   clang counts what is proved infeasible
    clang only    clang counts what the report calls open
    ours only     the report counts it, some C test should show it, and clang does not count it
    left out      the report counts it, only tests that are left out of the C tests (crashes, hangs) show it

Prints Markdown: a line for each function and criterion, then the differences. Sources, suites and logs stay in build/libraries/.

Needs `make build`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import common
import functions

WORK = common.ROOT / "build/libraries"
COUNT = 5
COVERAGE = "-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
# Package: how it is configured, its sources (globs in its folder), and the flags that its own build gives.
LIBRARIES = {
    "a52dec": ("./configure", "liba52/*.c", "-Iinclude -Iliba52 -DHAVE_CONFIG_H -lm"),
    "admesh": ("autoreconf -fi && ./configure", "src/[!a]*.c", "-I. -Isrc -lm"),
    "attr": ("./configure", "libattr/*.c libmisc/*.c", "-D_GNU_SOURCE -DHAVE_CONFIG_H -DSYSCONFDIR='\"/etc\"' -Iinclude"),
    "chmlib": ("./configure", "src/chm_lib.c src/lzx.c", "-D_GNU_SOURCE -DCHM_MT -DCHM_USE_PREAD -DCHM_USE_IO64 -Isrc"),
    "ck": ("./configure", "src/*.c", "-D_XOPEN_SOURCE=600 -D_DEFAULT_SOURCE -std=gnu99 -D__x86_64__ -Iinclude"),
    "cliquer": ("true", "cliquer.c graph.c reorder.c", ""),
    "cmigemo": ("true", "src/[!m]*.c src/mnode.c src/migemo.c", "-D_PROFILE=0"),
    "discount": (
        "./configure.sh --with-id-anchor && make blocktags version.c",
        "mkdio.c markdown.c dumptree.c generate.c resource.c docheader.c version.c toc.c css.c xml.c Csio.c xmlpage.c basename.c emmatch.c "
        "github_flavoured.c setup.c tags.c html5.c flags.c",
        "-I. -DBRANCH='\"\"' -DVERSION='\"2.2.7\"'",
    ),
    "fathom": ("true", "src/tbprobe.c", "-std=gnu99 -Isrc"),
    "fstrm": ("autoreconf -fi && ./configure --disable-programs libevent_CFLAGS=' ' libevent_LIBS=' '", "fstrm/*.c", "-I. -D_GNU_SOURCE -DHAVE_CONFIG_H"),
}


def unpacked(name):
    """The folder of the library's configured sources."""
    folder = WORK / name / "source"
    done = WORK / name / "configured"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(common.source(name), folder, symlinks=True)
        code, _ = common.step(LIBRARIES[name][0], folder, WORK / name / "configure.log", {"CC": "clang-19", "CFLAGS": "-O0 -w"}, 300)
        if code != 0:
            raise common.Failed(f"{name} cannot be configured: {WORK / name / 'configure.log'}")
        done.touch()
    return folder


def listed(folder, files, flags):
    """(file, name, branches) of every function of these files that is compiled, by name."""
    out = folder.parent / "listed"
    out.mkdir(exist_ok=True)
    (out / "main.c").write_text("int main(void) { return 0; }\n")
    compiled, emitted = [], set()
    for number, path in enumerate(files):
        made = out / f"{number}.o"
        done = common.run(["sh", "-c", f"clang-19 {COVERAGE} {flags} -w -O0 -c {path.relative_to(folder)} -o {made}"], cwd=folder)
        if done.returncode:
            raise common.Failed(f"{path} is not compiled: {done.stderr}")
        compiled.append(str(made))
        symbols = common.run(["nm", "--defined-only", str(made)]).stdout.splitlines()
        emitted |= {(path.resolve(), line.split()[-1]) for line in symbols if " T " in line or " t " in line}
    words = ["clang-19", COVERAGE, "-Wl,--unresolved-symbols=ignore-all", str(out / "main.c"), *compiled, "-lm", "-o", str(out / "it")]
    common.run(["sh", "-c", " ".join(words)], check=True)
    common.run([str(out / "it")], cwd=out, check=True, env=os.environ | {"LLVM_PROFILE_FILE": str(out / "it.profraw")})
    found = {}
    for function in exported(out, out / "it", out / "it.profraw")["functions"]:
        path, name = pathlib.Path(function["filenames"][0]).resolve(), function["name"].split(":")[-1]
        if (path, name) in emitted and 2 * len(function["branches"]) >= 3:
            found.setdefault(name, (path, name, 2 * len(function["branches"])))
    return [found[name] for name in sorted(found)]


def exported(folder, program, raw):
    """What llvm-cov exports of a program's run."""
    common.run(["llvm-profdata-19", "merge", "-o", str(folder / "profile"), str(raw)], check=True)
    return json.loads(common.run(["llvm-cov-19", "export", str(program), f"-instr-profile={folder / 'profile'}"], check=True).stdout)["data"][0]


def counted(out, report):
    """Differences between the report and what clang counts over the C tests: [(kind, what)], and how many sides and pairs were compared."""
    test = next((out / "c-test").glob("test_*.c"), None)
    text = test.read_text(errors="replace") if test else ""
    line = re.search(r"Compile: cc (.*)", text)
    if not line:
        return [], 0, 0
    folder = test.parent
    done = common.run(["sh", "-c", f"clang-19 -w {COVERAGE} {line[1]} -o counted"], cwd=folder)
    if done.returncode:
        return [("not compiled", done.stderr.splitlines()[0] if done.stderr else "")], 0, 0
    raw = folder / "counted.profraw"
    raw.unlink(missing_ok=True)
    try:
        done = common.run(["./counted"], cwd=folder, timeout=60, stdin=subprocess.DEVNULL, env=os.environ | {"LLVM_PROFILE_FILE": str(raw)})
    except subprocess.TimeoutExpired:
        return [("not run", "60 s")], 0, 0
    if not raw.exists() or done.returncode:
        return [("not run", f"exit {done.returncode}")], 0, 0
    left_out = {int(number) for number in re.findall(r"Left out: test (\d+)", text)}
    export = exported(folder, folder / "counted", raw)
    inside = {function["name"] for function in report["functions"]}
    theirs_sides, theirs_pairs = {}, {}
    for function in export["functions"]:
        name = function["name"].split(":")[-1]
        if name not in inside:
            continue
        mine_sides, mine_pairs = collections.defaultdict(list), collections.defaultdict(list)
        for branch in function["branches"]:
            place = (os.path.realpath(function["filenames"][branch[6]]), branch[0], branch[1])
            for side, count in (("true", branch[4]), ("false", branch[5])):
                mine_sides[name, *place, side].append(count > 0)
        # Of a decision in a macro llvm-cov exports no file.
        for record in function.get("mcdc_records", []):
            for index, is_covered in enumerate(record[-1]):
                mine_pairs[name, record[0], record[1], index].append(is_covered)
        # A function of a header is compiled in several files: what one of them covers is covered.
        for mine, all_of in ((mine_sides, theirs_sides), (mine_pairs, theirs_pairs)):
            for key, counts in mine.items():
                before = all_of.get(key, [False] * len(counts))
                all_of[key] = [one or other for one, other in zip(before, counts)]
    differ = sides(report, out, theirs_sides, left_out) + pairs(report, theirs_pairs, left_out)
    return differ, sum(map(len, theirs_sides.values())), sum(map(len, theirs_pairs.values()))


def sides(report, out, theirs, left_out):
    """Differences in the sides of conditions."""
    ours = {kind: collections.Counter((goal["function"], *keyed(goal)) for goal in report[kind]) for kind in ("open", "infeasible")}
    # By place: in macros and in headers several conditions have one.
    first = collections.defaultdict(set)
    for test in json.loads((out / "manifest.json").read_text())["tests"]:
        for goal in test["covers"]:
            first[keyed(goal, out)].add(test["number"])
    found = []
    for key, counts in sorted(theirs.items()):
        where = f"{pathlib.Path(key[1]).name}:{key[2]}:{key[3]} {key[4]}"
        missing, opened, dead = counts.count(False), ours["open"][key], ours["infeasible"][key]
        if missing < dead:
            found.append(("false proof", where))
        elif missing < opened + dead:
            found.append(("clang only", where))
        elif missing > opened + dead and key[1:] in first:
            # A side that nothing covers first is no goal: folded, or a switch's label counted once.
            found.append(("left out" if first[key[1:]] & left_out else "ours only", where))
    return found


def pairs(report, theirs, left_out):
    """Differences in pairs, and decisions that one of the two does not have."""
    ours, shown = collections.defaultdict(list), collections.defaultdict(list)
    for decision in report["decisions"]:
        place = (decision["function"], decision["line"], decision["col"])
        vectors = [vector for vector in decision["vectors"] if set(vector["tests"]) - left_out]
        for index, condition in enumerate(decision["conditions"]):
            ours[*place, index].append(condition["status"])
            shown[*place, index].append(unique_cause(vectors, index))
    found = []
    for key, counts in sorted(theirs.items()) if ours else []:
        where = f"{key[0]}:{key[1]}:{key[2]} condition {key[3] + 1}"
        status, count = ours.get(key), counts.count(True)
        if status is None:
            found.append(("clang's decision only", where))
        elif count > len(status) - status.count("infeasible") - status.count("folded"):
            found.append(("false proof", where))
        elif count > status.count("covered"):
            found.append(("clang only", where))
        elif count < status.count("covered"):
            found.append(("ours only" if count < sum(shown[key]) else "left out", where))
    return found


def unique_cause(vectors, index):
    """Whether two of the vectors are a pair for a condition, as llvm-cov counts."""
    for one in vectors:
        for other in vectors:
            both = zip(one["values"], other["values"], strict=True)
            differ = [at for at, (a, b) in enumerate(both) if a != b and "-" not in (a, b)]
            if differ == [index] and one["outcome"] != other["outcome"]:
                return True
    return False


def keyed(goal, out=pathlib.Path()):
    return os.path.realpath(out / goal["file"]), goal["line"], goal["col"], goal["side"]


def one(name, folder, files, flags, path, function, criterion, options):
    """What came out of one function under one criterion, as a dictionary."""
    out = WORK / name / "suites" / criterion / function
    if options.compare:
        differ, compared, pairs = counted(out, json.loads((out / "report.json").read_text()))
        known = next(line for line in json.loads(options.lines.read_text()) if (line["function"], line["criterion"]) == (function, criterion))
        return known | {"compared": compared, "compared_pairs": pairs, "differ": differ}
    shutil.rmtree(out, ignore_errors=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    others = [other for other in files if other != path]
    words = [str(common.BOTHWAYS), "test", *(str(file.relative_to(folder)) for file in [path, *others]), "--function", function, "--time", options.time]
    words += ["--criterion", criterion, "--fresh", "--json", "-q", "--emit", "c-test", "-o", str(out), "--cflags", flags]
    line = {"library": name, "function": function, "criterion": criterion, "differ": [], "noted": ""}
    began = time.monotonic()
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", timeout=300, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return line | {"wall": 300, "noted": "cut off"}
    line["wall"] = round(time.monotonic() - began, 1)
    out.mkdir(exist_ok=True)
    (out / "log").write_text(" ".join(words) + f"\n{done.returncode}\n" + done.stderr)
    (out / "report.json").write_text(done.stdout)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        lines = [text for text in done.stderr.splitlines() if text.strip()]
        return line | {"noted": f"exit {done.returncode}: {lines[0] if lines else ''}"}
    own = next((entry for entry in report["functions"] if entry["name"] == function), {})
    differ, compared, pairs = counted(out, report)
    line |= {key: own.get(key, 0) for key in ("total", "covered", "infeasible")}
    line |= {"pairs": own.get("pairs") or {}, "compared": compared, "compared_pairs": pairs, "differ": differ}
    line |= {"runs": report["iterations"], "failures": len(report["failures"]), "tests": report["tests"], "seconds": report["seconds"]}
    line |= {"judge": len(report["judge"]["differences"]) if report["judge"] else None, "emitted": functions.emitted_tests(out)}
    line["left_out"] = len(re.findall("Left out: test", "".join(file.read_text(errors="replace") for file in (out / "c-test").glob("test_*.c"))))
    return line | {"noted": "" if done.returncode == 0 else f"exit {done.returncode}"}


COLUMNS = ["library", "function", "criterion", ">goals", ">covered", ">infeasible", ">pairs", ">runs", ">wall, s", ">failures", ">judge differs"]
COLUMNS += ["C tests", ">tests", ">left out", ">sides left out", "noted"]


def cells(line):
    pairs = line.get("pairs") or {}
    told = f"{pairs['covered']} of {pairs['total'] - pairs['infeasible']}" if pairs.get("total") else ""
    figures = [line.get(key, "") for key in ("total", "covered", "infeasible")] + [told]
    figures += [line.get(key, "") for key in ("runs", "wall", "failures", "judge", "emitted", "tests", "left_out")]
    lost = sum(kind == "left out" for kind, _ in line["differ"])
    return [line["library"], f"`{line['function']}`", line["criterion"], *figures, lost, line["noted"][:100]]


def picked(options):
    """The functions that are asked for: library, folder, files, flags, file, function, branches."""
    for name in options.names:
        _, globs, flags = LIBRARIES[name]
        folder = unpacked(name)
        files = common.sources(folder, globs)
        for found in common.sample(listed(folder, files, flags), COUNT):
            if options.only in (None, found[1]):
                yield name, folder, files, flags, *found


def tested(options, lines):
    """Rows of all functions and criteria; what came out is added to the lines."""
    for *function, _ in picked(options):
        for criterion in options.criteria.split(","):
            lines.append(one(*function, criterion, options))
            yield cells(lines[-1])


def main():
    parser = argparse.ArgumentParser(prog="bench/run libraries", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(LIBRARIES))
    parser.add_argument("--time", default="5")
    parser.add_argument("--criteria", default="branch,mcdc")
    parser.add_argument("--only", metavar="FUNCTION")
    parser.add_argument("--list", action="store_true", help="only list the functions")
    parser.add_argument("--compare", action="store_true", help="run nothing: compare what an earlier run left with clang's count once more")
    parser.add_argument("--lines", type=pathlib.Path, default=WORK / "lines.json", help="where all figures go, as JSON")
    options = parser.parse_args()
    common.require_bothways()
    if options.list:
        rows = ((name, f"`{function}`", path.name, branches) for name, *_, path, function, branches in picked(options))
        common.markdown(["library", "function", "file", ">branches"], rows)
        return
    lines = []
    common.markdown(COLUMNS, tested(options, lines))
    options.lines.write_text(json.dumps(lines, indent=1))
    print("\nDifferences from what clang counts over the C tests:\n")
    named = ((line, kind, where) for line in lines for kind, where in line["differ"] if kind != "left out")
    rows = ((line["library"], f"`{line['function']}`", line["criterion"], kind, where) for line, kind, where in named)
    common.markdown(["library", "function", "criterion", "what", "where"], rows)
    for criterion in options.criteria.split(","):
        mine = [line for line in lines if line["criterion"] == criterion]
        total, covered, infeasible, compared, pairs = (sum(line.get(key, 0) for line in mine) for key in ("total", "covered", "infeasible", "compared", "compared_pairs"))
        kinds = collections.Counter(kind for line in mine for kind, _ in line["differ"])
        print(f"\n{criterion}: {covered} of {total} goals covered, {infeasible} infeasible. ", end="")
        print(f"{compared} sides and {pairs} conditions of decisions compared with clang; differences: {dict(kinds)}.")


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"libraries: {failed}")

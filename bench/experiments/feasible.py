"""Coverage among the feasible: units of make, flex and bash, what each prover refutes, and why the rest is open.

    bench/run feasible [--count 40] [--time 30s] [--strategy bidirectional] [--projects make,flex,bash]

Units are chosen, and projects built, as in bench/run functions: functions with a cyclomatic complexity of 8 or more, in the order of the MD5 sum
of "file:function"; the first COUNT of all projects in equal shares. Goals are the branches of the function and of what it may call.
Each unit is a line of build/feasible/STRATEGY.jsonl, written at once: a second start goes on. A table of the projects, then what the provers
refuted, and the reasons of what is open.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile

import common
import functions

RESULTS = common.BUILD / "feasible"


def shares(count, projects):
    """So many units of each project."""
    least, more = divmod(count, len(projects))
    return {project: least + (index < more) for index, project in enumerate(projects)}


def measured(key, path, options):
    """One unit, as a line of the file."""
    with tempfile.TemporaryDirectory() as folder:
        command = functions.command(key["project"], path, key["function"], f"{folder}/out")
        command += ["--time", options.time, "--strategy", options.strategy, "--fresh"]
        try:
            report = common.told(command, options.limit, cwd=functions.WORK / key["project"])
        except common.Failed as failed:
            return key | {"why": str(failed)}
        except subprocess.TimeoutExpired:
            return key | {"why": f"not at its end after {options.limit} s"}
        checked = common.run([common.BOTHWAYS, "check", f"{folder}/out"])
    wrong = [note for note in report["notes"] if note.startswith("wrong proof")]
    wrong += [str(difference) for difference in (report["judge"] or {}).get("differences", [])]
    if checked.returncode:
        wrong.append(f"check: {(checked.stdout + checked.stderr).strip().splitlines()[-1]}")
    return key | {
        "goals": report["goals"],
        "tests": report["tests"],
        "runs": report["iterations"],
        "seconds": report["seconds"],
        "provers": collections.Counter(goal["reason"].split(":")[0] for goal in report["infeasible"]),
        "open": collections.Counter(goal["reason"] for goal in report["open"]),
        "wrong": wrong,
    }


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "–"


def table(lines, projects):
    """Rows of the projects, and of all of them."""
    for project in [*projects, "all"]:
        own = [line for line in lines if project in (line["project"], "all")]
        ran = [line for line in own if "goals" in line]
        total, covered, infeasible, left = (sum(line["goals"][name] for line in ran) for name in ("total", "covered", "infeasible", "open"))
        whole = sum(not line["goals"]["open"] for line in ran)
        runs = sum(line["runs"] for line in ran)
        yield [project, len(own), len(ran), total, covered, infeasible, left, percent(covered, total), percent(covered, total - infeasible), whole, runs, sum(len(line["wrong"]) for line in ran)]


def main():
    parser = argparse.ArgumentParser(prog="bench/run feasible", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40, help="units (40)")
    parser.add_argument("--time", default="30s", help="budget of each (30s)")
    parser.add_argument("--limit", type=int, default=300, help="seconds after which a unit counts as not run")
    parser.add_argument("--strategy", default="bidirectional")
    parser.add_argument("--projects", default="make,flex,bash")
    options = parser.parse_args()
    common.require_bothways()
    RESULTS.mkdir(parents=True, exist_ok=True)
    kept = RESULTS / f"{options.strategy}.jsonl"
    known = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    projects = options.projects.split(",")
    lines = []
    for project, count in shares(options.count, projects).items():
        for _, path, name in functions.complex_functions(project, functions.build(project))[:count]:
            key = {"project": project, "file": path.name, "function": name}
            line = next((line for line in known if key.items() <= line.items()), None)
            if line is None:
                line = measured(key, path, options)
                with kept.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            lines.append(line)
    columns = ["project", ">units", ">ran", ">branches", ">covered", ">infeasible", ">open", ">cov_b", ">cov_f", ">nothing open", ">runs", ">wrong"]
    common.markdown(columns, table(lines, projects))
    for name in ("provers", "open"):
        counts = sum((collections.Counter(line.get(name, {})) for line in lines), collections.Counter())
        print(f"\n{name}:", *(f"{count:6} {what}" for what, count in counts.most_common()), sep="\n")
    for line in lines:
        for what in [line["why"]] if "why" in line else line["wrong"]:
            print(f"{line['project']}: {line['function']} ({line['file']}): {what}")


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"feasible: {failed}")

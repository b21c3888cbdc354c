#!/usr/bin/env python3
"""Path filtering and predictive path search on units of bash, flex and make (CAUT paper, tables I and II, figures 4 and 5).

Usage: bench/run units filter     [--per-project 22] [--iterations 1000] [--seeds 1] [--time 30s] [--jobs 1]
       bench/run units proofs | drawn  [the same]
       bench/run units strategies [--per-project 22] [--iterations 100]  [--seeds 10] [--time 60s] [--jobs 1]
       bench/run units default    [the same]
       bench/run units published | levels  [the same]
       bench/run units tables

`filter` runs `dfs` with and without path filtering: runs of the program, queries and covered branches until everything that can be
reached is covered or the budget is spent. `proofs` is the same, and the one with filtering also leaves out what the code alone
rules out; `drawn` is `filter` with first inputs that the seed draws, and no random changes. `strategies` runs `pps`, `cfg-directed` and `rp-md2u`, all with so many runs of
the program for each unit; what the curve says was covered after each run is kept. Both write one JSON line a cell to build/units/NAME.jsonl
and go on where they stopped; `tables` prints what is there, in Markdown. Budgets are runs of the program, so the machine does not matter;
`--time` only ends what is too slow for the experiment: a unit with a cell that it ended is left out, and counted; what is left of it
is not measured.

`published` and `levels` are for bench/results/papers.md: first inputs that the seed draws, no path filter, no proofs and no random
changes in any cell, searches as the papers have them. `levels` varies the walk-down levels s.
With `--criterion mcdc`, decisions whose goals are all covered are counted as well, as the paper's #DC.

Units are chosen, and projects built, as in bench/run functions: complexity of 8 or more, in an order of no meaning.
"""

import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import subprocess
import tempfile

import common
import functions

RESULTS = common.ROOT / "build/units"
FAIR = ["--first", "random", "--no-proofs", "--no-chance"]
UNFILTERED = [*FAIR, "--no-path-filter"]
ARMS = {
    "filter": {"dfs": ["-s", "dfs", "--no-path-filter", "--no-proofs"], "cs-dfs": ["-s", "dfs", "--no-proofs"]},
    "proofs": {"dfs": ["-s", "dfs", "--no-path-filter", "--no-proofs"], "cs-dfs": ["-s", "dfs"]},
    "drawn": {"dfs": ["-s", "dfs", *UNFILTERED], "cs-dfs": ["-s", "dfs", *FAIR]},
    # The paper runs the others without path filtering.
    "strategies": {
        "pps": ["-s", "pps"],
        "pps:tries=ignored": ["-s", "pps:tries=ignored"],
        "cfg-directed": ["-s", "cfg-directed", "--no-path-filter"],
        "rp-md2u": ["-s", "rp-md2u", "--no-path-filter"],
    },
    # What a user gets without a word, beside the two best of these.
    "default": {
        "mix": [],
        "pps": ["-s", "pps"],
        "rp-md2u": ["-s", "rp-md2u", "--no-path-filter"],
    },
    "published": {
        strategy: ["-s", strategy, *UNFILTERED]
        for strategy in (
            "pps:tries=ignored,levels=nodes",
            "rp-md2u:goals=criterion",
            # Not `restart=random`: what the harness chooses (what a pointer points to) is no side of a strategy, and waits behind the draws.
            "cfg-directed:goals=criterion",
            "pps:tries=ignored,levels=nodes+fitness",
            "pps:levels=nodes",
        )
    },
    "levels": {
        strategy: ["-s", strategy, *UNFILTERED]
        for strategy in ("pps:tries=ignored,levels=nodes", *(f"pps:s={s},tries=ignored,levels=nodes" for s in (0, 1, 2, 5, 8, 1000)))
    },
}
FILTERS = ("filter", "proofs", "drawn")
ITERATIONS = {kind: 1000 if kind in FILTERS else 100 for kind in ARMS}
SEEDS = {kind: 1 if kind in FILTERS else 10 for kind in ARMS}


def units(options):
    for project in options.projects.split(","):
        found = functions.functions(project, functions.build(project))
        for _, path, name in found[: options.per_project]:
            yield project, path, name


def cell(kind, arm, seed, unit, options):
    """Runs one cell; a dictionary, or why there is none."""
    project, path, name = unit
    key = {"project": project, "file": path.name, "function": name, "arm": arm, "seed": seed, "criterion": options.criterion}
    with tempfile.TemporaryDirectory() as folder:
        command = functions.command(project, path, name, f"{folder}/out")
        command += ["--seed", str(seed), "--criterion", options.criterion]
        command += ["--iterations", str(options.iterations), "--time", options.time, *ARMS[kind][arm]]
        try:
            done = subprocess.run(command, cwd=functions.WORK / project, capture_output=True, text=True, timeout=600, errors="replace")
            report = json.loads(done.stdout)
            manifest = json.loads(pathlib.Path(folder, "out/manifest.json").read_text())
        except subprocess.TimeoutExpired:
            return key | {"why": "not at its end after 600 s"}
        except (json.JSONDecodeError, FileNotFoundError):
            return key | {"why": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    curve = []
    for test in manifest["tests"]:
        if not curve or test["covered"] > curve[-1][1]:
            curve.append([test["iteration"], test["covered"]])
    total, decided = decisions(report, manifest) if options.criterion == "mcdc" else (0, [])
    return key | {
        "decisions": total,
        "decided": decided,
        "total": report["goals"]["total"],
        "covered": report["goals"]["covered"],
        "runs": report["iterations"],
        "queries": report["work"]["queries"],
        "dropped": report["work"]["dropped"],
        "stopped_by": report["stopped_by"],
        "curve": curve,
    }


def decisions(report, manifest):
    """How many decisions there are, and after which runs how many had all their goals covered: outcomes, and a pair for each condition.

    A branch on one condition is a decision, as in the paper, whose #DC is half of its #BR."""
    wide = [entry for entry in report["decisions"] if not entry["problem"]]

    def decision(goal):
        at = (goal["line"], goal["col"])
        around = [
            (entry["end_line"] - entry["line"], entry["end_col"] - entry["col"], entry["line"], entry["col"])
            for entry in wide
            if entry["file"] == goal["file"] and (entry["line"], entry["col"]) <= at < (entry["end_line"], entry["end_col"])
        ]
        return goal["file"], *(min(around)[2:] if around and not goal.get("expanded_at") else at), str(goal.get("expanded_at") or "")

    name = lambda goal: (goal["file"], goal["line"], goal["col"], goal["side"], str(goal.get("expanded_at") or ""))
    counts = lambda goal: goal["side"] in ("true", "false", "independent")
    missing = collections.defaultdict(set)
    first = [(test["iteration"], goal) for test in manifest["tests"] for goal in test["covers"]]
    for goal in [*report["open"], *report["infeasible"], *(goal for _, goal in first)]:
        if counts(goal):
            missing[decision(goal)].add(name(goal))
    total, done, curve = len(missing), 0, []
    never = {name(goal) for goal in [*report["open"], *report["infeasible"]]}
    for iteration, goal in first:
        rest = missing.get(decision(goal))
        if counts(goal) and name(goal) not in never and rest and name(goal) in rest:
            rest.remove(name(goal))
            if not rest:
                done += 1
                curve.append([iteration, done])
    return total, curve


def identity(line):
    return tuple(line[field] for field in ("project", "file", "function", "arm", "seed", "criterion"))


def unit_of(line):
    return tuple(line[field] for field in ("criterion", "project", "file", "function"))


def measured(kind):
    """The cells that were measured so far."""
    target = RESULTS / f"{kind}.jsonl"
    return [json.loads(line) for line in target.read_text().splitlines()] if target.exists() else []


def leaves(line):
    """Why a cell leaves its unit out of the tables; None if it does not."""
    if "why" in line:
        return "does not run in function mode"
    if "time" in line["stopped_by"]:
        return "ended by the clock"
    return None if line["total"] else "nothing to cover"


def measure(kind, options):
    RESULTS.mkdir(parents=True, exist_ok=True)
    lines = measured(kind)
    known = {identity(line) for line in lines}
    left = {unit_of(line) for line in lines if leaves(line)}
    chosen = list(units(options))

    def unless_left(*job):
        """Runs a cell if all cells of its unit were of use until now."""
        _, _, _, (project, path, name), _ = job
        unit = (options.criterion, project, path.name, name)
        if unit in left:
            return None
        line = cell(*job)
        if leaves(line):
            left.add(unit)
        return line

    jobs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, (RESULTS / f"{kind}.jsonl").open("a") as out:
        for seed in range(options.seeds):
            for unit in chosen:
                for arm in ARMS[kind]:
                    key = (unit[0], unit[1].name, unit[2], arm, seed, options.criterion)
                    if key not in known:
                        jobs.append(pool.submit(unless_left, kind, arm, seed, unit, options))
        for job in concurrent.futures.as_completed(jobs):
            if line := job.result():
                out.write(json.dumps(line) + "\n")
                out.flush()


def complete(kind, criterion):
    """Cells by (unit, seed) that were measured with every arm, of the units that no cell leaves out; and how many units are left out."""
    lines = [line for line in measured(kind) if line["criterion"] == criterion]
    left = {unit_of(line): why for line in lines if (why := leaves(line))}
    groups = collections.defaultdict(dict)
    for line in lines:
        if unit_of(line) not in left:
            groups[*unit_of(line), line["seed"]][line["arm"]] = line
    good = {key: arms for key, arms in groups.items() if len(arms) == len(ARMS[kind])}
    why = collections.Counter(left.values())
    if len(good) < len(groups):
        why["not measured with every arm (cells)"] = len(groups) - len(good)
    return good, why


def left_out(why):
    return "Left out: " + ("; ".join(f"{count} × {text}" for text, count in sorted(why.items())) or "nothing") + "."


def filter_table(criterion, kind="filter"):
    good, why = complete(kind, criterion)
    print("| project | units | goals | runs dfs/cs-dfs | fewer | queries dfs/cs-dfs | fewer | covered dfs/cs-dfs |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    ends = lambda arms: any("iterations" not in arm["stopped_by"] for arm in arms.values())
    for project in [*functions.PROJECTS, "all", "search ends"]:
        rows = [arms for key, arms in good.items() if project in (key[1], "all") or project == "search ends" and ends(arms)]
        if not rows:
            continue
        both = lambda field: [sum(row[arm][field] for row in rows) for arm in ("dfs", "cs-dfs")]
        runs, queries, covered, (total, _) = both("runs"), both("queries"), both("covered"), both("total")
        less = lambda pair: f"{100 * (pair[0] - pair[1]) / max(pair[0], 1):.1f} %"
        part = "/".join(f"{100 * count / total:.1f} %" for count in covered)
        print(f"| {project} | {len(rows)} | {total} | {runs[0]}/{runs[1]} | {less(runs)} | {queries[0]}/{queries[1]} | {less(queries)} | {part} |")
    lost = [key for key, arms in good.items() if arms["cs-dfs"]["covered"] < arms["dfs"]["covered"]]
    gained = sum(arms["cs-dfs"]["covered"] > arms["dfs"]["covered"] for arms in good.values())
    print("\nSearch ends: units that are covered or exhausted with one of the two before the runs are spent.")
    print(f"More covered with the filter in {gained} cells, less in {len(lost)}. {left_out(why)}")


def strategies_table(criterion, kind="strategies", total="total", reached="curve"):
    good, why = complete(kind, criterion)
    arms = list(ARMS[kind])
    marks = [5, 10, 25, 50, 100]
    at = lambda entry, mark: max([count for run, count in entry[reached] if run <= mark], default=0)
    what = "goals" if total == "total" else total
    print(f"| project | cells | {what} | strategy | " + " | ".join(f"after {mark}" for mark in marks) + " |")
    print("|---|---:|---:|---|" + "---:|" * len(marks))
    for project in [*functions.PROJECTS, "all"]:
        rows = [entry for key, entry in good.items() if project in (key[1], "all")]
        if not rows:
            continue
        count_all = sum(row[arms[0]][total] for row in rows)
        for arm in arms:
            counts = [sum(at(row[arm], mark) for row in rows) for mark in marks]
            cells = " | ".join(f"{count} ({100 * count / count_all:.1f} %)" for count in counts)
            print(f"| {project} | {len(rows)} | {count_all} | `{arm}` | {cells} |")
    print("\nAll units together, a sum for each seed:\n")
    print("| strategy | after 25: mean (least to most) | p | after 100: mean (least to most) | p |\n|---|---:|---:|---:|---:|")
    sums = {mark: {arm: seed_sums(good, arm, lambda entry: at(entry, mark)) for arm in arms} for mark in (25, 100)}
    for arm in arms:
        cells = []
        for mark in (25, 100):
            own, first = sums[mark][arm], sums[mark][arms[0]]
            p = "" if arm == arms[0] else f"{common.mann_whitney(first, own, for_ties=False)[0]:.4f}"
            cells.append(f"{sum(own) / len(own):.1f} ({min(own)} to {max(own)}) | {p}")
        print(f"| `{arm}` | " + " | ".join(cells) + " |")
    print(f"\nA cell is a unit with a seed; p (two-sided Mann-Whitney U, normal approximation) against `{arms[0]}`. {left_out(why)}")


def seed_sums(good, arm, count):
    """For each seed that all units have, the sum over the units."""
    units = {key[:4] for key in good}
    seeds = [seed for seed in {key[4] for key in good} if all((*unit, seed) in good for unit in units)]
    return [sum(count(good[*unit, seed][arm]) for unit in units) for seed in sorted(seeds)]


def main():
    parser = argparse.ArgumentParser(prog="bench/run units", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=[*ARMS, "tables"])
    parser.add_argument("--projects", default=",".join(functions.PROJECTS))
    parser.add_argument("--per-project", type=int, default=22, metavar="N")
    parser.add_argument("--iterations", type=int, help="runs of the program for each cell")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--time", default="60s", help="ends what hangs")
    parser.add_argument("--criterion", default="branch")
    parser.add_argument("--jobs", type=int, default=1, help="cells at once")
    parser.add_argument("--work", type=pathlib.Path, help="where bench/run functions built the projects, if not here")
    options = parser.parse_args()
    if options.work:
        functions.WORK = options.work.resolve()
    if options.what == "tables":
        for kind in ARMS:
            table = functools.partial(filter_table if kind in FILTERS else strategies_table, kind=kind)
            for criterion in sorted({line["criterion"] for line in measured(kind)}):
                print(f"\n### {kind}, {criterion}\n")
                table(criterion)
                if criterion == "mcdc" and kind not in FILTERS and all("decided" in line for line in measured(kind) if "why" not in line):
                    print(f"\n### {kind}, {criterion}, decisions\n")
                    table(criterion, total="decisions", reached="decided")
        return
    options.iterations = options.iterations or ITERATIONS[options.what]
    options.seeds = options.seeds or SEEDS[options.what]
    measure(options.what, options)


if __name__ == "__main__":
    main()

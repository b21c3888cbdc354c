"""Tables of bench/results/papers.md from the results of bench files.

Usage: bench/run papers tables FOLDER... [--marks 50,100,500]    covered on average, and p against the first strategy after the last mark
       bench/run papers reach  FOLDER... [--level SUBJECT=N]...  runs until so many are covered (default: the most that any run covers)
       bench/run papers pair   FOLDER A B [--marks 50,500]       p of two strategies after each mark, for each subject

A folder is what `bothways bench FILE --out FOLDER` writes. Only seeds that every strategy has on a subject count. p is two-sided, from the
Mann-Whitney U test by its normal approximation, corrected for ties; A12 is the chance that the first covers more.
"""

import argparse
import collections
import csv
import math
import pathlib
import statistics
import sys


class Results:
    """results.csv: subjects and strategies in the order of the file, and the curve of each cell."""

    def __init__(self, folder):
        csv.field_size_limit(sys.maxsize)
        lines = [line for line in (pathlib.Path(folder) / "results.csv").open() if not line.startswith("#")]
        self.curves, self.totals = {}, {}
        subjects, strategies = {}, {}
        for row in csv.DictReader(lines):
            subjects[row["subject"]] = strategies[row["strategy"]] = None
            points = [point.replace("@", "=").split("=") for point in row["curve"].split()]
            curve = [(int(run), int(covered)) for run, _, covered in points]
            self.curves[row["subject"], row["strategy"], int(row["seed"])] = curve
            self.totals[row["subject"]] = int(row["total"])
        self.subjects, self.strategies = list(subjects), list(strategies)

    def of(self, subject):
        """Strategies of a subject, and the seeds that all of them have."""
        seeds = collections.defaultdict(set)
        for at, strategy, seed in self.curves:
            if at == subject:
                seeds[strategy].add(seed)
        known = [strategy for strategy in self.strategies if strategy in seeds]
        return known, sorted(set.intersection(*(seeds[strategy] for strategy in known)))

    def covered(self, subject, strategy, seeds, mark):
        at = lambda curve: max((count for run, count in curve if run <= mark), default=0)
        return [at(self.curves[subject, strategy, seed]) for seed in seeds]

    def runs_to(self, subject, strategy, seeds, level):
        """For each seed the run after which so many are covered, None if it never is so."""
        to = lambda curve: next((run for run, count in curve if count >= level), None)
        return [to(self.curves[subject, strategy, seed]) for seed in seeds]


def mann_whitney(a, b):
    """Two-sided p, and A12."""
    wins = sum((x > y) + (x == y) / 2 for x in a for y in b)
    n = len(a) + len(b)
    ties = sum(count**3 - count for count in collections.Counter([*a, *b]).values())
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    z = abs(wins - len(a) * len(b) / 2) / math.sqrt(variance) if variance > 0 else 0.0
    return 2 * (1 - statistics.NormalDist().cdf(z)), wins / (len(a) * len(b))


def shown(p):
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def tables(options):
    for folder in options.folders:
        found = Results(folder)
        parts = {subject: found.of(subject) for subject in found.subjects}
        print(f"\n{folder}. Averages after {options.marks} runs; p against `{found.strategies[0]}` after the last.\n")
        print("| strategy | " + " | ".join(f"{subject} ({found.totals[subject]}), {len(parts[subject][1])} seeds" for subject in parts) + " |")
        print("|---|" + "---:|" * len(parts))
        marks = [int(mark) for mark in options.marks.split(",")]
        for strategy in found.strategies:
            cells = []
            for subject, (known, seeds) in parts.items():
                if strategy not in known or not seeds:
                    cells.append("")
                    continue
                counts = ", ".join(f"{statistics.mean(found.covered(subject, strategy, seeds, mark)):.1f}" for mark in marks)
                if strategy != known[0] and len(seeds) > 2:
                    own, first = (found.covered(subject, which, seeds, marks[-1]) for which in (strategy, known[0]))
                    counts += f"; p {shown(mann_whitney(first, own)[0])}"
                cells.append(counts)
            print(f"| `{strategy}` | " + " | ".join(cells) + " |")


def reach(options):
    levels = dict(level.split("=") for level in options.level)
    for folder in options.folders:
        found = Results(folder)
        print(f"\n{folder}. Runs until the level is covered, on average over the seeds that come to it (their number, where not all do).\n")
        print("| subject | level | seeds | " + " | ".join(f"`{strategy}`" for strategy in found.strategies) + " |")
        print("|---|---:|---:|" + "---:|" * len(found.strategies))
        for subject in found.subjects:
            known, seeds = found.of(subject)
            most = max(count for (at, _, _), curve in found.curves.items() if at == subject for _, count in curve)
            level = int(levels.get(subject, most))
            cells = []
            for strategy in found.strategies:
                runs = found.runs_to(subject, strategy, seeds, level) if strategy in known else []
                came = [run for run in runs if run is not None]
                cells.append((f"{statistics.mean(came):.1f}" + (f" ({len(came)})" if len(came) < len(runs) else "")) if came else "–")
            print(f"| {subject} | {level} of {found.totals[subject]} | {len(seeds)} | " + " | ".join(cells) + " |")


def pair(options):
    folder, one, other = options.folders
    found = Results(folder)
    print("| subject | seeds | after | first | second | p | A12 |\n|---|---:|---:|---:|---:|---:|---:|")
    for subject in found.subjects:
        known, seeds = found.of(subject)
        if one not in known or other not in known:
            continue
        for mark in map(int, options.marks.split(",")):
            a, b = (found.covered(subject, strategy, seeds, mark) for strategy in (one, other))
            p, more = mann_whitney(a, b)
            print(f"| {subject} | {len(seeds)} | {mark} | {statistics.mean(a):.1f} | {statistics.mean(b):.1f} | {shown(p)} | {more:.2f} |")


def main():
    parser = argparse.ArgumentParser(prog="bench/run papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tables", "reach", "pair"])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--marks", default="50,100,500")
    parser.add_argument("--level", action="append", default=[])
    options = parser.parse_args()
    {"tables": tables, "reach": reach, "pair": pair}[options.what](options)


if __name__ == "__main__":
    main()

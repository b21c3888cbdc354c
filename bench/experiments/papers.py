"""Tables of bench/results/papers.md from the results of bench files.

Usage: bench/run papers tables FOLDER... [--marks 50,100,500]    covered on average, and p against the first strategy after the last mark
       bench/run papers reach  FOLDER... [--level SUBJECT=N]...  runs until so many are covered (default: the most that any run covers)
       bench/run papers pair   FOLDER A B [--marks 50,500]       p of two strategies after each mark, for each subject

A folder is what `bothways bench FILE --out FOLDER` writes. A number in brackets: fewer seeds than the head of the column says. p is two-sided, from the
Mann-Whitney U test by its normal approximation, corrected for ties; A12 is the chance that the first covers more.
"""

import argparse
import csv
import pathlib
import statistics
import sys

import common


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

    def seeds(self, subject, strategy):
        return sorted(seed for at, which, seed in self.curves if (at, which) == (subject, strategy))

    def most_seeds(self, subject):
        return max(len(self.seeds(subject, strategy)) for strategy in self.strategies)

    def covered(self, subject, strategy, mark):
        """For each seed, how many were covered after so many runs."""
        at = lambda curve: max((count for run, count in curve if run <= mark), default=0)
        return [at(self.curves[subject, strategy, seed]) for seed in self.seeds(subject, strategy)]

    def runs_to(self, subject, strategy, level):
        """For each seed the run after which so many are covered, None if it never is so."""
        to = lambda curve: next((run for run, count in curve if count >= level), None)
        return [to(self.curves[subject, strategy, seed]) for seed in self.seeds(subject, strategy)]


def shown(p):
    return "below 0.001" if p < 0.001 else f"{p:.3f}"


def tables(options):
    for folder in options.folders:
        found = Results(folder)
        first, marks = found.strategies[0], [int(mark) for mark in options.marks.split(",")]
        print(f"\n{folder}. Averages after {options.marks} runs; p against `{first}` after the last.\n")
        heads = (f"{subject} ({found.totals[subject]}), {found.most_seeds(subject)} seeds" for subject in found.subjects)
        print("| strategy | " + " | ".join(heads) + " |")
        print("|---|" + "---:|" * len(found.subjects))
        for strategy in found.strategies:
            cells = [cell(found, subject, strategy, first, marks) for subject in found.subjects]
            print(f"| `{strategy}` | " + " | ".join(cells) + " |")


def cell(found, subject, strategy, first, marks):
    counts = [found.covered(subject, strategy, mark) for mark in marks]
    if not counts[0]:
        return "–"
    text = ", ".join(f"{statistics.mean(count):.1f}" for count in counts)
    if len(counts[0]) < found.most_seeds(subject):
        text += f" ({len(counts[0])})"
    if strategy != first and len(counts[0]) > 2:
        text += f"; p {shown(common.mann_whitney(found.covered(subject, first, marks[-1]), counts[-1])[0])}"
    return text


def reach(options):
    levels = dict(level.split("=") for level in options.level)
    for folder in options.folders:
        found = Results(folder)
        print(f"\n{folder}. Runs until the level is covered, on average over the seeds that come to it (their number, where not all do).\n")
        print("| subject | level | seeds | " + " | ".join(f"`{strategy}`" for strategy in found.strategies) + " |")
        print("|---|---:|---:|" + "---:|" * len(found.strategies))
        for subject in found.subjects:
            most = max(count for (at, _, _), curve in found.curves.items() if at == subject for _, count in curve)
            level = int(levels.get(subject, most))
            cells = []
            for strategy in found.strategies:
                runs = found.runs_to(subject, strategy, level)
                came = [run for run in runs if run is not None]
                cells.append((f"{statistics.mean(came):.1f}" + (f" ({len(came)})" if len(came) < len(runs) else "")) if came else "–")
            print(f"| {subject} | {level} of {found.totals[subject]} | {found.most_seeds(subject)} | " + " | ".join(cells) + " |")


def pair(options):
    folder, one, other = options.folders
    found = Results(folder)
    print("| subject | seeds | after | first | second | p | A12 |\n|---|---:|---:|---:|---:|---:|---:|")
    for subject in found.subjects:
        for mark in map(int, options.marks.split(",")):
            a, b = (found.covered(subject, strategy, mark) for strategy in (one, other))
            if a and b:
                p, more = common.mann_whitney(a, b)
                print(f"| {subject} | {len(a)}, {len(b)} | {mark} | {statistics.mean(a):.1f} | {statistics.mean(b):.1f} | {shown(p)} | {more:.2f} |")


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

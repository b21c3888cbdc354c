"""Sides of branches, as llvm-cov exports them.

sides.py LIST < EXPORT: writes the sides that are covered into LIST, sorted, a line `file:line:col side` for each; prints how many branches are
covered and how many there are. Of several branches at one place, which a macro puts there, each has its number: `file:line:col/2 side`.
sides.py LIST REPORT: how many sides of the list a report of bothways (--json) calls infeasible, of those at a place of their own.
"""

import collections

import json
import os
import sys


def covered(export):
    sides = set()
    for file in export["files"]:
        places = collections.defaultdict(list)
        for line, col, _, _, *counts in file["branches"]:
            places[f"{os.path.basename(file['filename'])}:{line}:{col}"].append(counts[:2])
        for place, branches in places.items():
            for number, counts in enumerate(branches, 1):
                name = place if len(branches) == 1 else f"{place}/{number}"
                sides |= {f"{name} {side}" for side, count in zip(("true", "false"), counts) if count}
    return sides


def main():
    if len(sys.argv) == 2:
        export = json.load(sys.stdin)["data"][0]
        with open(sys.argv[1], "w", encoding="utf-8") as listed:
            listed.writelines(side + "\n" for side in sorted(covered(export)))
        totals = export["totals"]["branches"]
        print(totals["covered"], totals["count"])
        return
    with open(sys.argv[1], encoding="utf-8") as listed:
        sides = set(listed.read().splitlines())
    with open(sys.argv[2], encoding="utf-8") as report:
        proofs = json.load(report)["infeasible"]
    names = {f"{os.path.basename(p['file'])}:{p['line']}:{p['col']} {p['side']}" for p in proofs}
    print(len(sides & names))


if __name__ == "__main__":
    main()

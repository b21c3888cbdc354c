#!/usr/bin/env python3
"""Memory errors that the machine and clang's sanitizers find, program by program of tests/memory_errors, beside each other.

Usage: bench/run sanitizers [NAME...]

Each program has one error, its twin (-DREPAIRED) has none. Three searches of each: `plain` makes native runs and judges them on a
plain build (what a crash alone shows); `sanitizers` makes native runs, and every test is run again on a build with
-fsanitize=address,undefined; `machine` runs the model. `found` is a failure in the line of the error; `other` is one in another line,
or without one; in a twin every failure is false.
"""

import json
import pathlib
import re
import sys
import tempfile

import common

FOLDER = common.ROOT / "tests/memory_errors"
ARMS = {
    "plain": ["--target", "native"],
    "sanitizers": ["--target", "native", "--keep-all", "--sanitize", "address,undefined"],
    "machine": ["--target", "machine"],
}
SAME = ["-s", "cgs", "--no-proofs", "-n", "60", "-t", "30", "--timeout", "500ms", "--json", "--quiet"]


def comment(text, key):
    """What a comment of the program says."""
    found = re.search(rf"^// {key}: *(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else None


def error_line(text):
    """The line of the error: the one behind `#else`, unless a comment says another."""
    return int(comment(text, "line") or text.splitlines().index("#else") + 2)


def failures(path, arm, flags):
    """The failures of a search, or why there are none to be had."""
    with tempfile.TemporaryDirectory() as folder:
        done = common.run([common.BOTHWAYS, "test", path, *ARMS[arm], *SAME, "--cflags", flags], cwd=folder)
    if done.returncode != 0:
        raise common.Failed(f"{path.name}, {arm}: {done.stderr.strip()}")
    return json.loads(done.stdout)["failures"]


def is_there(failure, line):
    """Whether a failure is in this line."""
    return re.search(rf":{line}(:|$)", failure.get("place") or "") is not None


def verdict(path, arm):
    """`found`, `other` or `missed`, and the false reports in the twin."""
    text = path.read_text()
    found = failures(path, arm, "-w")
    if any(is_there(failure, error_line(text)) for failure in found):
        word = "found"
    else:
        word = "other" if found else "missed"
    false = failures(path, arm, "-w -DREPAIRED")
    return word, len(false)


def main():
    common.require_bothways()
    wanted = sys.argv[1:]
    if wanted and wanted[0] in ("-h", "--help"):
        sys.exit(__doc__.strip())
    paths = [path for path in sorted(FOLDER.glob("*.c")) if not wanted or path.stem in wanted]
    counts = {arm: {"found": 0, "other": 0, "missed": 0, "false": 0} for arm in ARMS}

    def rows():
        for path in paths:
            row = [path.stem, comment(path.read_text(), "error")]
            for arm in ARMS:
                word, false = verdict(path, arm)
                counts[arm][word] += 1
                counts[arm]["false"] += false
                row.append(word + (f", {false} false" if false else ""))
            yield row

    common.markdown(["program", "error", *ARMS], rows())
    print()
    kinds = ["found", "other", "missed", "false"]
    common.markdown(["", *(f">{kind}" for kind in kinds)], [[arm, *(counts[arm][kind] for kind in kinds)] for arm in ARMS])


if __name__ == "__main__":
    try:
        main()
    except common.Failed as error:
        sys.exit(f"bench/run sanitizers: {error}")

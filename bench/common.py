"""What the experiments share: recipes, sources, builds, comparisons.

A recipe is a file `recipes/NAME.toml` (README.md lists its keys). A build runs in a copy of the Debian source, with the compiler
and flags of the environment.
"""

import collections
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tomllib

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILD = ROOT / "build"
BOTHWAYS = os.environ.get("BOTHWAYS", str(ROOT / "target/release/bothways"))
FLAGS = ("CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS")
KEYS = {"package", "with", "needs", "program", "build", "check", "results", "test"}


class Failed(Exception):
    """What went wrong, for the reader."""


def run(command, **options):
    """A command's result, with its output as text."""
    return subprocess.run(command, text=True, capture_output=True, errors="replace", **options)


def told(command, limit, **options):
    """The JSON of a command; nothing if it gives none."""
    done = run([str(word) for word in command], timeout=limit, **options)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Failed((done.stderr.strip().splitlines() or ["no answer"])[-1]) from None


def names(key=None):
    """Names of all recipes, or of those that have a key."""
    return [path.stem for path in sorted((BENCH / "recipes").glob("*.toml")) if key is None or key in recipe(path.stem)]


def recipe(name):
    """A recipe as a dictionary."""
    path = BENCH / "recipes" / f"{name}.toml"
    if not path.exists():
        raise Failed(f"there is no recipe {path.relative_to(ROOT)}; there are: {', '.join(p.stem for p in sorted(path.parent.glob('*.toml')))}")
    found = tomllib.loads(path.read_text())
    if unknown := set(found) - KEYS:
        raise Failed(f"{path.relative_to(ROOT)}: unknown keys: {', '.join(sorted(unknown))}")
    return found


def require_bothways():
    """The command must have been built."""
    if not os.access(BOTHWAYS, os.X_OK):
        raise Failed("run `make build` first")


def needs(*packages):
    """Installs Debian packages that are missing."""
    done = run([BENCH / "needs.sh", *packages])
    if done.returncode:
        raise Failed(done.stderr.strip())


def source(package):
    """The folder of a Debian source package, which is fetched first."""
    done = run([BENCH / "fetch.sh", package])
    if done.returncode:
        raise Failed(f"{package} cannot be fetched: {done.stderr.strip()}")
    return pathlib.Path(done.stdout.strip())


def debian_flags():
    """Debian's own compiler flags, as environment variables."""
    return {flag: run(["dpkg-buildflags", "--get", flag], check=True).stdout.strip() for flag in FLAGS}


def step(text, folder, log, environment=None, limit=None):
    """Runs a recipe's shell text in a folder; its output goes to a log. Returns the exit code (None: cut off) and processor seconds."""
    before = os.times()
    with open(log, "w") as out:
        try:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", text],
                cwd=folder,
                env=os.environ | (environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                timeout=limit,
            )
            code = done.returncode
        except subprocess.TimeoutExpired:
            code = None
    after = os.times()
    return code, after.children_user + after.children_system - before.children_user - before.children_system


def build(name, folder, environment=None, limit=None, text=None):
    """Builds a recipe, or `text` in its place, in a folder that is made anew. Returns processor seconds."""
    it = recipe(name)
    needs(*it.get("needs", []))
    origin = source(it["package"])
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(origin, folder, symlinks=True)
    for other in it.get("with", []):
        shutil.copytree(source(other), folder / other, symlinks=True)
    log = folder.parent / "build.log"
    code, seconds = step(text or it["build"], folder, log, environment, limit)
    if code != 0:
        raise Failed(f"{name} does not build: {log}")
    if program(it, folder) is None:
        raise Failed(f"{name} builds, but there is no {it['program']}: {log}")
    return seconds


def program(it, folder):
    """The program that a build made; None if there is none."""
    path = pathlib.Path(folder) / it["program"]
    if path.is_file():
        return path
    found = [path for path in pathlib.Path(folder).rglob(pathlib.Path(it["program"]).name) if path.is_file()]
    return min(found, default=None)


def mann_whitney(a, b, for_ties=True):
    """Two-sided p by the normal approximation, corrected for ties if they are asked for, and the chance that the first is greater (A12)."""
    wins = sum((x > y) + (x == y) / 2 for x in a for y in b)
    n = len(a) + len(b)
    ties = sum(count**3 - count for count in collections.Counter([*a, *b]).values()) if for_ties else 0
    variance = len(a) * len(b) / 12 * (n + 1 - ties / (n * (n - 1)))
    z = abs(wins - len(a) * len(b) / 2) / math.sqrt(variance) if variance > 0 else 0.0
    return 2 * (1 - statistics.NormalDist().cdf(z)), wins / (len(a) * len(b))


def sources(folder, globs):
    """The files of some globs in a folder."""
    return sorted({path for glob in globs.split() for path in folder.glob(glob)})


def sample(listed, count):
    """Every k-th of a list, so many."""
    every = max(1, len(listed) // count)
    return listed[every // 2 :: every][:count]


def markdown(columns, rows, file=sys.stdout):
    """Prints a table; a column whose name begins with `>` holds numbers."""
    print("| " + " | ".join(column.lstrip(">") for column in columns) + " |", file=file)
    print("|" + "|".join("---:" if column.startswith(">") else "---" for column in columns) + "|", file=file)
    for row in rows:
        print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |", file=file, flush=True)

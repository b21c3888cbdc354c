"""Random C programs that look at the words of their command line: what these words are said to exclude is held against runs.

    bench/run openings [--search] [--seeds FIRST..END] [--runs N]

A program has variables, pointers to them, a list on the heap, a text and functions that are called by pointers, and looks for options by hand, by
`getopt`, or by comparing words. The example `opening` says which sides of branches no run with some words takes; then a build of clang with
coverage and sanitizers makes N runs with these words and random standard inputs. Runs with undefined behaviour do not count. A side that is
excluded and taken by a run is a false proof: the experiment then ends with exit code 1. With --search, what `bothways test` calls infeasible before its
first run is held against them, and `bothways check` has to take each certificate that says that it can be checked.

Needs `cargo build --release --workspace --examples`.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import common

WORDS = ["-a", "-b", "-c", "ab", "x", "-ab", "-b5", "--x", "--", "7", "-1"]
TEXTS = ["ab", "-a", "", "x"]
OPTIONS = ["ab:c", "+ab", "a::b", ":ab:"]
BYTES = b"ab\nx-0123\x00\xff 57"

HEAD = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int g0 = {k}, g1 = {k};
int g2 = {k}, g3;
static int row[4] = {{1, 2, 3, {k}}};
static char text[16] = "{text}";
static int *at = &{g};
static struct {{ int a; char *s; }} both = {{{k}, 0}};
struct node {{ int v; struct node *next; }};
static struct node first = {{{k}, 0}};
static struct node *list = &first;
static int seen;
static int f0(int), f1(int), f2(int);
static int (*call)(int) = {f};
static struct node *made(int v, struct node *next) {{
    struct node *node = malloc(sizeof *node);
    if (!node) exit(1);
    node->v = v;
    node->next = next;
    return node;
}}
static int order(const void *a, const void *b) {{ g3++; return *(const int *)a - *(const int *)b; }}
static void handler(int number) {{ (void)number; g2 = {k}; }}
"""

# What stands for something in a template: {k} a number, {g} a variable, {place} what is assigned to, {value} what is read, {c} a letter,
# {text} a text, {f} a function. Those of main may name its arguments.
PLACES = ["g0", "g1", "g2", "g3", "row[1]", "row[2]", "both.a", "*at", "list->v", "seen"]
VALUES = ["{k}", "{k}", "{place}", "{place}", "getchar()", "(int)strlen(text)", "{place} + {k}", "text[{i}]", "row[{place} & 3]"]
CONDITIONS = [
    "{place} == {k}", "{place} == {k}", "{place} < {k}", "text[{i}] == '{c}'", 'strcmp(text, "{text}") == 0', 'strcmp(text, "{text}") > 0',
    "call == {f}", "at == &{g}", "both.s && strchr(both.s, '{c}')", "getchar() == 'a'", "getchar() == EOF", "list->next == 0", "{place} > row[2]",
]
STATEMENTS = [
    *["{place} = {value};"] * 6, "row[getchar() & 3] = {k};", "at = &{g};", "at = getchar() == 'a' ? &{g} : &{g};", "call = {f};",
    "text[getchar() & 7] = '{c}';", 'strcpy(text, "{text}");', 'snprintf(text, 8, "%d", {value});', "both.s = text;", 'both.s = "ab";',
    'sscanf(text, "%d", &{g});', "list = made({k}, list);", "if (list->next) list = list->next;", "qsort(row, 4, sizeof *row, order);",
    "memset(row, {i}, sizeof row);", "memcpy(&{g}, row + 1, sizeof {g});", "if (fgets(text, 8, stdin) == 0) {place} = {k};",
    "{{ int *q = realloc(0, 8); if (q) {{ q[0] = {value}; {place} = q[0]; free(q); }} }}",
]
MAINS_VALUES = ["(argc > 1 ? atoi(argv[1]) : {k})"]
MAINS_CONDITIONS = ["argc > 1 && argv[1][0] == '-'", 'argc > 2 && strcmp(argv[2], "{text}") == 0']
MAINS_STATEMENTS = [
    "if (argc > 1 && strlen(argv[1]) < 8) strcpy(text, argv[1]);", "both.s = argc > 2 ? argv[2] : 0;", "{g} = call({k});", "atexit(bye);",
    "signal(SIGUSR1, handler);", "signal(SIGUSR1, handler); raise(SIGUSR1);",
]


class Maker:
    """Makes one program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def filled(self, template, main):
        """A template with something for each placeholder."""
        pick = self.random.choice
        # Each placeholder has a value of its own: those of values are filled before the others.
        values = VALUES + (MAINS_VALUES if main else [])
        while "{value}" in template:
            template = template.replace("{value}", pick(values), 1)
        choices = {
            "{place}": PLACES, "{k}": ["0", "1", "2", "3", "5", "7", "-1", "97"], "{g}": ["g0", "g1", "g2", "g3"], "{c}": "-abx",
            "{text}": TEXTS, "{f}": ["f0", "f1", "f2"], "{i}": "012",
        }
        for name, list_ in choices.items():
            while name in template:
                template = template.replace(name, pick(list_), 1)
        return template.replace("{{", "{").replace("}}", "}")

    def statement(self, depth, level):
        """Statements of a function that may call those of higher levels; main is level 0."""
        main = level == 0
        kind = self.random.randrange(10)
        conditions = CONDITIONS + (MAINS_CONDITIONS if main else [])
        if depth < 3 and kind < 3:
            self.lines.append(f"if ({self.filled(self.random.choice(conditions), main)}) {{")
            self.body(depth + 1, level, 3)
            if self.random.random() < 0.5:
                self.lines.append("} else {")
                self.body(depth + 1, level, 2)
            self.lines.append("}")
        elif depth < 3 and kind == 3:
            name = f"i{len(self.lines)}"
            self.lines.append(f"for (int {name} = 0; {name} < {self.random.randrange(1, 4)}; {name}++) {{")
            self.body(depth + 1, level, 2)
            self.lines.append("}")
        elif level < 3 and kind == 4:
            self.lines.append(self.filled(f"{{g}} = f{level}({{value}});", main))
        else:
            statements = STATEMENTS + (MAINS_STATEMENTS if main else [])
            self.lines.append(self.filled(self.random.choice(statements), main))

    def body(self, depth, level, most):
        for _ in range(self.random.randrange(1, most + 1)):
            self.statement(depth, level)

    def options(self):
        """How the program looks for options."""
        pick = self.random.choice
        cases = [f"case '{letter}': {self.filled('{place} = {value};', True)} break;" for letter in "abc"]
        return pick([
            ["for (int i = 1; i < argc; i++) {", "if (argv[i][0] != '-') {", "break;", "}", "switch (argv[i][1]) {", *cases, "default: seen = 4;", "}", "}"],
            ["int o;", f'while ((o = getopt(argc, argv, "{pick(OPTIONS)}")) != -1) {{', "switch (o) {", *cases, "default: seen = 4;", "}", "}",
             "if (optind < argc) seen = optind;"],
            ["for (char **word = argv + 1; *word; word++) {", *(f'if (strcmp(*word, "{word}") == 0) {self.filled("{place} = {value};", True)}' for word in ("-a", "ab", "--x")), "}"],
        ])

    def program(self):
        self.lines = self.filled(HEAD, False).splitlines()
        self.lines.append("static void bye(void) {")
        self.body(1, 3, 2)
        self.lines.append("}")
        for number in (2, 1, 0):
            self.lines += [f"static int f{number}(int x) {{", "static int deep;", "if (deep++ > 20) return x;", self.filled("if (x == {k}) {place} = x;", False)]
            self.body(1, number + 1, 5)
            self.lines += [self.filled("return {value};", False), "}"]
        self.lines += ["int main(int argc, char **argv) {", "(void)bye; (void)handler; (void)made; (void)order;"]
        self.body(1, 0, 2)
        self.lines += self.options()
        for _ in range(self.random.randrange(4, 9)):
            self.statement(0, 0)
        self.lines += ["return 0;", "}"]
        return "\n".join(self.lines) + "\n"


def excluded(folder, source, words):
    """Sides that no run takes, as (line, column, side), but for those of a `switch`."""
    examples = pathlib.Path(common.BOTHWAYS).parent / "examples"
    for command, output in (
        ([common.BOTHWAYS, "cc", "-w", source, "-o", folder / "ours"], None),
        ([examples / "bwdump", folder / "ours"], "model"),
        ([examples / "opening", folder / "model", *words], "said"),
    ):
        done = common.run([str(word) for word in command])
        if done.returncode:
            raise common.Failed(f"{source.name}: {done.stderr.strip()}")
        if output:
            (folder / output).write_text(done.stdout)
    rows = [line.split() for line in (folder / "said").read_text().splitlines() if line.startswith("never")]
    places = [(*map(int, place.rsplit(":", 2)[1:]), side) for _, place, side in rows]
    lines = source.read_text().splitlines()
    return [(line, column, ("false", "true")[int(side)]) for line, column, side in places if not lines[line - 1].startswith("switch")]


def infeasible(folder, source, words):
    """Sides that a search calls infeasible before its first run, as (line, column, side)."""
    out = folder / "suite"
    command = [common.BOTHWAYS, "test", source, "-o", out, "--stdin", "0..40", "--iterations", "1", "--fresh", "--no-config", "--json", "--", *words]
    found = common.told(command, 120)["infeasible"]
    done = common.run([str(word) for word in (common.BOTHWAYS, "check", out)])
    if done.returncode:
        raise common.Failed(f"{source.parent.name}: {done.stdout.strip()} {done.stderr.strip()}")
    return [(row["line"], row["col"], row["side"]) for row in found if row["side"] in ("true", "false")]


def taken(folder, source, words, inputs):
    """Sides that runs with these inputs take, as (line, column, side), and how many runs there were."""
    flags = ["-w", "-fsanitize=undefined,address", "-fprofile-instr-generate", "-fcoverage-mapping"]
    common.run(["clang-19", *flags, source, "-o", folder / "judge"], check=True)
    profiles = []
    for number, given in enumerate(inputs):
        profile = folder / f"{number}.profraw"
        environment = os.environ | {"LLVM_PROFILE_FILE": str(profile), "ASAN_OPTIONS": "detect_leaks=0"}
        try:
            done = subprocess.run([folder / "judge", *words], input=given, capture_output=True, env=environment, timeout=2)
        except subprocess.TimeoutExpired:
            continue
        if not any(sign in done.stderr for sign in (b"runtime error", b"AddressSanitizer")) and profile.exists():
            profiles.append(profile)
    if not profiles:
        return set(), 0
    common.run(["llvm-profdata-19", "merge", "-sparse", *profiles, "-o", folder / "profile"], check=True)
    told = json.loads(common.run(["llvm-cov-19", "export", folder / "judge", f"-instr-profile={folder / 'profile'}"], check=True).stdout)
    branches = [branch for file in told["data"][0]["files"] for branch in file.get("branches", [])]
    sides = {(line, column, side) for line, column, _, _, yes, no, *_ in branches for side, count in (("true", yes), ("false", no)) if count}
    return sides, len(profiles)


def main():
    parser = argparse.ArgumentParser(prog="bench/run openings", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="what a search calls infeasible before its first run")
    parser.add_argument("--seeds", default="0..50", help="0..50")
    parser.add_argument("--runs", type=int, default=24, help="runs of each program (24)")
    options = parser.parse_args()
    common.require_bothways()
    first, end = map(int, options.seeds.split(".."))
    sums, wrong = [0, 0, 0], []
    with tempfile.TemporaryDirectory() as name:
        for seed in range(first, end):
            folder = pathlib.Path(name, str(seed))
            folder.mkdir()
            maker = Maker(seed)
            source = folder / "program.c"
            source.write_text(maker.program())
            pick = maker.random.choice
            words = [pick(WORDS) for _ in range(maker.random.randrange(4))]
            inputs = [bytes(pick(BYTES) for _ in range(pick([0, 1, 3, 8, 40]))) for _ in range(options.runs)]
            never = (infeasible if options.search else excluded)(folder, source, words)
            sides, runs = taken(folder, source, words, inputs)
            sums = [sums[0] + 1, sums[1] + runs, sums[2] + len(never)]
            wrong += [f"seed {seed}, words {words}: {line}:{column} {side}" for line, column, side in never if (line, column, side) in sides]
    common.markdown([">programs", ">runs", ">sides excluded", ">of them taken"], [[*sums, len(wrong)]])
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"openings: {failed}")

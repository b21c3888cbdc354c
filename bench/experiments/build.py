"""Builds recipes with the CC, CXX and CFLAGS of the environment, or whole programs for bench files.

    bench/run build NAME --folder FOLDER     builds there
    bench/run build NAME...                  builds with `bothways cc -O2` and leaves the program in build/programs/NAME;
                                             what is there stays as it is
"""

import argparse
import os
import shutil
import sys
import tempfile

import common


def programs(names):
    common.require_bothways()
    target = common.BUILD / "programs"
    target.mkdir(parents=True, exist_ok=True)
    environment = {"CC": f"{common.BOTHWAYS} cc", "CXX": f"{common.BOTHWAYS} c++", "CFLAGS": "-O2", "CXXFLAGS": "-O2"}
    for name in names:
        if not os.access(target / name, os.X_OK):
            with tempfile.TemporaryDirectory(dir=target, prefix=f".{name}.") as folder:
                common.build(name, f"{folder}/build", environment)
                shutil.copy2(common.program(common.recipe(name), f"{folder}/build"), target / name)
        print(target / name)


def main():
    parser = argparse.ArgumentParser(prog="bench/run build", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", help="where to build one recipe")
    parser.add_argument("names", nargs="+", metavar="NAME")
    options = parser.parse_args()
    if not options.folder:
        return programs(options.names)
    if len(options.names) > 1:
        parser.error("one folder holds one recipe")
    common.build(options.names[0], options.folder)


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"build: {failed}")

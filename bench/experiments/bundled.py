"""C libraries that Python packages bundle, as a user with such a library would test them: functions one by one, with only its headers.

    bench/run bundled [NAME...]      all ten libraries, five functions each for 5 seconds

The rule by which the packages were taken stands in bench/results/unseen.md. Of a library's functions, in the order of their names, each k-th is
tested, k = n/5 rounded down, beginning with number k/2. The C tests are compiled and run with clang and with gcc, by the command that they name.

Prints one line of a Markdown table for each function. Sources, suites and logs stay in build/bundled/.

Needs `make build`, and pip with the packages that these sdists are described with (`wheel`, `setuptools`, `cython`, `cffi`, `scikit-build-core`).
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tarfile
import time

import common
import functions

WORK = common.ROOT / "build/bundled"
COUNT = 5
# Package: its sources (globs in its folder), and the flags that its own build gives.
LIBRARIES = {
    "lz4": ("lz4libs/*.c", "-Ilz4libs -DXXH_NAMESPACE=PYLZ4_"),
    "lzfse": ("lzfse/src/*_*.c", "-Ilzfse/src"),
    "pycosat": ("picosat.c", "-DNDEBUG"),
    "pyescrypt": (
        "src/yescrypt/yescrypt-opt.c src/yescrypt/yescrypt-common.c src/yescrypt/sha256.c src/yescrypt/insecure_memzero.c",
        "-Isrc/yescrypt -DSKIP_MEMZERO",
    ),
    "pymonocypher": ("monocypher.c", ""),
    "python-crfsuite": (
        "crfsuite/lib/crf/src/*.c crfsuite/lib/cqdb/src/cqdb.c crfsuite/lib/cqdb/src/lookup3.c liblbfgs/lib/*.c",
        "-Icrfsuite/include -Icrfsuite/lib/cqdb/include -Iliblbfgs/include -lm",
    ),
    "scrypt": (
        "scrypt-1.3.3/lib/*/crypto_scrypt*.c scrypt-1.3.3/lib/scryptenc/*.c scrypt-1.3.3/lib/util/*.c scrypt-1.3.3/libcperciva/*/*[!d].c",
        "-DHAVE_CONFIG_H -D_GNU_SOURCE -DHAVE_POSIX_MEMALIGN=1 -DHAVE_STRUCT_SYSINFO=1 -DHAVE_STRUCT_SYSINFO_MEM_UNIT=1 "
        "-DHAVE_STRUCT_SYSINFO_TOTALRAM=1 -DHAVE_SYSINFO=1 -DHAVE_SYS_SYSINFO_H=1 -D_FILE_OFFSET_BITS=64 -Iscrypt-1.3.3 "
        "-Iscrypt-1.3.3/lib -Iscrypt-1.3.3/lib/crypto -Iscrypt-1.3.3/lib/scryptenc -Iscrypt-1.3.3/lib/util -Iscrypt-1.3.3/libcperciva/alg "
        "-Iscrypt-1.3.3/libcperciva/cpusupport -Iscrypt-1.3.3/libcperciva/crypto -Iscrypt-1.3.3/libcperciva/util -lcrypto -lrt",
    ),
    "secp256k1": (
        "libsecp256k1/src/secp256k1.c",
        "-Ilibsecp256k1 -Ilibsecp256k1/include -Ilibsecp256k1/src -DUSE_BASIC_CONFIG -DECMULT_WINDOW_SIZE=15 -DECMULT_GEN_PREC_BITS=4",
    ),
    "twofish": ("twofish-0.3/twofish.c", "-Itwofish-0.3"),
    "xxhash": ("deps/xxhash/xxhash.c", "-Ideps/xxhash"),
}


def unpacked(name):
    """The folder of the package's sources."""
    folder = WORK / name / "source"
    if not folder.exists():
        packed = WORK / name / "sdist"
        packed.mkdir(parents=True, exist_ok=True)
        common.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", str(packed), name])
        with tarfile.open(next(packed.glob("*.tar.gz"))) as archive:
            archive.extractall(WORK / name, filter="data")
        next(path.parent for path in (WORK / name).glob("*/PKG-INFO")).rename(folder)
    return folder


def listed(folder, files, flags):
    """(file, name) of every function, by name."""
    found = {}
    for path in files:
        words = ["clang-19", *flags.split(), "-w", "-O0", "-c", str(path), "-o", "x.o"]
        for name in functions.emitted({"directory": str(folder), "file": str(path), "arguments": words}):
            if "." not in name:
                found.setdefault(name, path)
    return [(found[name], name) for name in sorted(found)]


def one(name, folder, files, flags, path, function, options):
    out = WORK / name / function
    shutil.rmtree(out, ignore_errors=True)
    others = [other for other in files if other != path]
    words = [str(common.BOTHWAYS), "test", *(str(file.relative_to(folder)) for file in [path, *others]), "--function", function, "--time", options.time]
    words += ["--fresh", "--json", "-q", "--emit", "c-test", "-o", str(out), "--cflags", flags]
    began = time.monotonic()
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return [name, f"`{function}`", "", "", "", "", "300+", "", "", "cut off"]
    wall = time.monotonic() - began
    out.mkdir(exist_ok=True)
    (out / "log").write_text(" ".join(words) + "\n" + done.stderr)
    (out / "report.out").write_text(done.stdout)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return [name, f"`{function}`", "", "", "", "", f"{wall:.0f}", "", "", f"exit {done.returncode}: {lines[0] if lines else ''}"]
    own = next((entry for entry in report["functions"] if entry["name"] == function), {"total": 0, "covered": 0, "infeasible": 0})
    differ = len(report["judge"]["differences"]) if report["judge"] else "no verdict"
    return [
        name, f"`{function}`", own["total"], own["covered"], own["infeasible"], differ, f"{wall:.0f}",
        len(report["failures"]), functions.emitted_tests(out), "",
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(prog="bench/run bundled", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(LIBRARIES))
    parser.add_argument("--time", default="5")
    options = parser.parse_args()
    common.require_bothways()
    print("| library | function | branches | covered | infeasible | differences | wall, s | failures | C tests | noted |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---|---|")
    for name in options.names:
        globs, flags = LIBRARIES[name]
        folder = unpacked(name)
        files = common.sources(folder, globs)
        picked = common.sample(listed(folder, files, flags), COUNT)
        for path, function in picked:
            print("|", " | ".join(map(str, one(name, folder, files, flags, path, function, options))), "|", flush=True)


if __name__ == "__main__":
    try:
        main()
    except common.Failed as failed:
        sys.exit(f"bundled: {failed}")

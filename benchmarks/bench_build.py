# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a build by source folder: compilations, lines read, processor seconds.

    ./build.sh test                                  # makes the build that this program measures
    python benchmarks/bench_build.py                 # counts compilations and lines, no seconds
    python benchmarks/bench_build.py --seconds       # compiles everything once more, one by one
    python benchmarks/bench_build.py --touch         # measures builds after a file has changed
    python benchmarks/bench_build.py --check         # fails if counts exceed locks/build_size.json
    python benchmarks/bench_build.py --keep REASON   # writes locks/build_size.json, with REASON

The lines of a source include the lines of all its headers, system headers too. The seconds are
user and system time; compiler caches are off.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "wheel-release"
KEPT = ROOT / "locks" / "build_size.json"
#: --check fails if a number is larger than SLACK times the number in locks/build_size.json.
SLACK = 1.02
#: One source file of each layer of the build, the lowest layer first.
TOUCHED = (
    "twin/core/core.cpp",
    "twin/device/vec/elementwise.cpp",
    "twin/hazard/finding.cpp",
    "twin/timing/replay.cpp",
    "twin/host/stream.cpp",
    "op_host/swi_glu_grad_tiling.cpp",
    "python/src/module.cpp",
)


def environment() -> dict[str, str]:
    """Returns the environment for commands: Python's folder first in PATH, compiler caches off."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "CCACHE_DISABLE": "1", "SCCACHE_RECACHE": "1"}


def run(*command: str) -> float:
    """Runs a command without output; returns the processor seconds that it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode != 0:
        sys.exit(f"bench_build: {shlex.join(command)}\n{done.stdout}{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def folder_of(entry: dict[str, str]) -> str:
    """Returns the folder of the sources that a compilation compiles."""
    output = Path(output_of(entry))
    target = next(part[:-4] for part in output.parts if part.endswith(".dir"))
    name = output.name
    if target == "cannery_twin" and name.startswith("unity_"):
        return f"twin/{name.split('_')[1]}"
    if target.startswith("twin_lanes"):
        return "twin/device/lanes"
    if target.startswith("kernel_"):
        return "op_kernel"
    if target.startswith("cust_") or target == "cannery_calls":
        return "op_host"
    if "tests" in output.parts:
        return "tests/cpp"
    return {"ascendcl": "twin/host", "nnopbase": "twin/host", "nnopbase_api": "twin/host"}.get(
        target, {"cannery_native": "python/src"}.get(target, "twin")
    )


def compilations() -> list[dict[str, str]]:
    database: list[dict[str, str]] = json.loads((BUILD / "compile_commands.json").read_text())
    return database


def ninja(*words: str) -> str:
    command = ["ninja", "-C", str(BUILD), "-t", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    if done.returncode != 0:
        sys.exit(
            f"bench_build: {BUILD.relative_to(ROOT)}: expected a build; ./build.sh test makes it"
        )
    return done.stdout


@cache
def lines_of(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.is_file() else 0


def lines_read() -> dict[str, int]:
    """Returns for each object file how many lines its compilation read."""
    counts: dict[str, int] = {}
    name = ""
    for line in ninja("deps").splitlines():
        if line.startswith("    "):
            counts[name] += lines_of(BUILD / line.strip())
        elif ": #deps" in line:
            name = line.partition(":")[0]
            counts[name] = 0
    return counts


def output_of(entry: dict[str, str]) -> str:
    words = shlex.split(entry["command"])
    return words[words.index("-o") + 1]


def compiled(entry: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        shlex.split(entry["command"]), cwd=entry["directory"], check=True, env=environment()
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(seconds: bool) -> dict[str, list[float]]:
    """Returns compilations, lines read and processor seconds (0 unless `seconds`) per folder."""
    table: dict[str, list[float]] = {}
    lines = lines_read()
    for entry in compilations():
        row = table.setdefault(folder_of(entry), [0, 0, 0.0])
        row[0] += 1
        row[1] += lines.get(output_of(entry), 0)
        row[2] += compiled(entry) if seconds else 0.0
    return table


def rows(table: dict[str, list[float]], seconds: bool) -> Iterator[str]:
    yield "| folder | compilations | thousand lines |" + (" seconds |" if seconds else "")
    yield "|---|---|---|" + ("---|" if seconds else "")
    total = [sum(row[column] for row in table.values()) for column in range(3)]
    for name, row in [*sorted(table.items()), ("all", total)]:
        cells = f"| {name} | {row[0]:.0f} | {row[1] / 1000:.0f} |"
        yield cells + (f" {row[2]:.0f} |" if seconds else "")


def touch() -> Iterator[str]:
    """Yields the lines of a table: the seconds of a build after each file of TOUCHED is touched."""
    run("cmake", "--build", str(BUILD))
    yield "| touched | seconds |"
    yield "|---|---|"
    for name in TOUCHED:
        (ROOT / name).touch()
        yield f"| {name} | {run('cmake', '--build', str(BUILD)):.1f} |"


def check(numbers: dict[str, int]) -> int:
    kept = json.loads(KEPT.read_text())
    grown = [name for name, value in numbers.items() if value > kept[name] * SLACK]
    for name in grown:
        print(
            f"bench_build: {name} grew from {kept[name]} to {numbers[name]}; if that has to be, "
            "benchmarks/bench_build.py --keep REASON",
            file=sys.stderr,
        )
    return 1 if grown else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", action="store_true")
    parser.add_argument("--touch", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keep", metavar="REASON")
    arguments = parser.parse_args()
    table = measure(arguments.seconds)
    print("\n".join(rows(table, arguments.seconds)))
    counts = Counter({"steps": len(ninja("commands").splitlines())})
    counts["lines read"] = int(sum(row[1] for row in table.values()))
    for name, value in counts.items():
        print(f"{name}: {value}")
    if arguments.touch:
        print("\n".join(touch()))
    if arguments.keep:
        KEPT.write_text(json.dumps({**counts, "why": arguments.keep}, indent=2) + "\n")
    return check(counts) if arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())

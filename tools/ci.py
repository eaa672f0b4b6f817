# SPDX-License-Identifier: Apache-2.0
"""Runs the checks that CI makes for every commit, with locked versions of everything it installs.

Each stage has a budget in minutes on 2 cores. The report at the end names stages over their budget.
Because machines differ, a stage fails only if it takes three times its budget. If a stage fails,
the others still run. After 85 minutes the current stage is ended, and the remaining stages fail.

With --release there are no budgets, and the stages also run checks that are too slow for every
commit: the tests marked `release`, tests under emulation of aarch64, the static analyzer, and more
tests with sanitizers.
"""

from __future__ import annotations

import argparse
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True

from repo import list_files  # noqa: E402

WALL_MINUTES = 85
#: A stage fails if it takes this many times its budget. A slow machine alone does not take so long.
MOST_BUDGETS = 3
PYTHON = ".venv/bin/python"
#: Tests that also run with the backend npu: the fast tests that depend on the backend.
NPU_TESTS = (
    "tests/python/ops tests/python/runner tests/python/cli --ignore-glob=tests/python/cli/test_cc*"
    " --ignore=tests/python/cli/test_command.py --ignore=tests/python/cli/test_pages.py"
)
#: Tests of all stages save compiled kernels and precompiled headers in this folder, to share them.
SHARED = ROOT / "build" / "ci"
#: Options of pytest for two workers. The tests of a group run on one worker. The tests in a file
#: are a group, so their fixtures are built once. Tests that need gigabytes of memory are one group.
IN_GROUPS = "-n 2 --dist loadgroup"


@dataclass(frozen=True)
class Stage:
    """Commands that run one after another, even if an earlier one fails."""

    name: str
    budget: float  # in minutes
    commands: tuple[str, ...]
    #: If true, the run ends when this stage fails.
    needed: bool = False


def ours(*endings: str) -> str:
    """Returns the files of the repository with these endings, quoted for a command line."""
    made = (".venv/", "build/", "build_out/")
    names = (name for name in list_files(ROOT) if name.endswith(endings))
    return shlex.join(name for name in names if not name.startswith(made))


def packages(names: str, *programs: str) -> list[str]:
    """Returns commands that install the Debian packages `names`; none if all `programs` exist, and
    none if this user cannot install. Tests that need a missing program are skipped.
    """
    there = all(map(shutil.which, programs))
    if there or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return []
    return ["apt-get update -qq", f"apt-get install -qq --no-install-recommends {names}"]


#: Commands of the stage "gates". With --check, tools that write committed files only compare them.
GATES = (
    f"{PYTHON} -B python/cannery/opgen --proto op_proto --check",
    *(f"{PYTHON} -B tools/{name}.py --check" for name in ("error_codes", "api_coverage", "draw")),
    *(f"{PYTHON} -B tools/{name}_gate.py" for name in ("layout", "size", "docs")),
)


def stages(release: bool = False) -> list[Stage]:
    """Returns the stages for every commit, or the stages for a release."""
    if release:
        return [replace(stage, budget=math.inf) for stage in _stages(True)]
    return _stages(False)


def _stages(release: bool) -> list[Stage]:
    debugger = packages("gdb", "gdb")
    browser = packages("chromium", "chromium") if release else []
    marks = "(slow or release)" if release else "slow and not release"
    slow = f"{PYTHON} -m pytest {IN_GROUPS} -m '{marks} and not aarch64 and not clang'"
    cross = ("aarch64-linux-gnu-g++", "qemu-aarch64")
    quick = "" if release else " --quick"
    emulator = packages("g++-aarch64-linux-gnu qemu-user", *cross)
    cpp, cmake, shell = ours(".cpp", ".h"), ours("CMakeLists.txt", ".cmake"), ours(".sh")
    return [
        Stage(
            "build",
            3,
            (
                "./build.sh build",
                f"{PYTHON} -m pip install --quiet --disable-pip-version-check --require-hashes "
                "--only-binary :all: -r locks/lint.txt",
            ),
            needed=True,
        ),
        Stage("gates", 0.5, GATES),
        Stage(
            "lint",
            0.5,
            (
                f".venv/bin/clang-format --dry-run -Werror {cpp}",
                f".venv/bin/gersemi --check {cmake}",
                ".venv/bin/ruff check",
                ".venv/bin/ruff format --check",
                ".venv/bin/mypy",
                f".venv/bin/shellcheck -x -P SCRIPTDIR .ci/run {shell}",
                ".venv/bin/typos",
            ),
        ),
        Stage(
            "tests",
            6.5,
            (
                *debugger,
                "./build.sh test",
                f"{PYTHON} benchmarks/bench_build.py --check",
                "./build.sh package",
                "sh -ec 'sh build_out/custom_opp_*.run --check'",
            ),
        ),
        Stage("npu backend", 2, (f"{PYTHON} -m pytest -q {IN_GROUPS} --backend npu {NPU_TESTS}",)),
        Stage("slow tests", 4.5, (*browser, slow)),
        *([Stage("aarch64", 6, (*emulator, f"{PYTHON} -m pytest -m aarch64"))] if release else []),
        _clang_stage(release),
        Stage("clang-tidy", 3, (f"{PYTHON} -B tools/tidy.py build/wheel-release{quick}",)),
        Stage("sanitizers", 3.5, (f"tools/sanitize.sh{' --all' if release else ''}",)),
    ]


def _clang_stage(release: bool) -> Stage:
    """Returns the tests that need a clang; for a release, also all others with CXX=clang++."""
    commands = [*packages("clang", "clang++"), f"{PYTHON} -m pytest {IN_GROUPS} -m clang"]
    if release:
        commands.append(f"env CXX=clang++ {PYTHON} -m pytest -q {IN_GROUPS}")
    return Stage("clang", 1.5, tuple(commands))


def run(command: str, deadline: float) -> bool:
    """Runs a command; returns whether it succeeds before the deadline. Ends all processes of a
    command that reaches the deadline.
    """
    print(f"+ {command[:200]}", flush=True)
    try:
        process = subprocess.Popen(
            shlex.split(command), cwd=ROOT, start_new_session=True, env=_environment()
        )
    except FileNotFoundError as error:
        print(f"ci: there is no {error.filename}; .ci/run build installs it", file=sys.stderr)
        return False
    try:
        return process.wait(max(0.0, deadline - time.monotonic())) == 0
    except subprocess.TimeoutExpired:
        print("ci: all stages together take too long; ending this", file=sys.stderr)
        return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _environment() -> dict[str, str]:
    folders = {"KERNELS_FOR_TESTS": "kernels", "PRECOMPILED_FOR_TESTS": "precompiled"}
    return {**os.environ, **{name: str(SHARED / folder) for name, folder in folders.items()}}


def in_time(stage: Stage, minutes: float) -> bool:
    return minutes < MOST_BUDGETS * stage.budget


def report(results: list[tuple[Stage, float, bool]], total: float) -> None:
    print("\nstage                  minutes   budget")
    for stage, minutes, passed in results:
        notes = [] if passed else ["FAILED"]
        if not in_time(stage, minutes):
            notes.append(f"FAILED: at least {MOST_BUDGETS} times its budget")
        elif minutes > stage.budget:
            notes.append("over its budget")
        print(f"{stage.name:20} {minutes:9.1f} {stage.budget:8g}   {', '.join(notes)}".rstrip())
    budget = sum(stage.budget for stage, _, _ in results)
    print(f"{'all':20} {total:9.1f} {budget:8g}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", nargs="*", help="only these, by their names")
    parser.add_argument("--release", action="store_true", help="also what is for releases")
    arguments = parser.parse_args()
    known = stages(arguments.release)
    names = [stage.name for stage in known]
    wanted = arguments.stage or names
    if not set(wanted) <= set(names):
        parser.error(f"the stages are {', '.join(names)}")
    start = time.monotonic()
    deadline = math.inf if arguments.release else start + 60 * WALL_MINUTES
    results = []
    shutil.rmtree(SHARED, ignore_errors=True)  # a precompiled header may be older than its sources
    for stage in known:
        if stage.name not in wanted:
            continue
        print(f"\n=== {stage.name}", flush=True)
        begin = time.monotonic()
        outcomes = [run(command, deadline) for command in stage.commands]
        results.append((stage, (time.monotonic() - begin) / 60, all(outcomes)))
        if stage.needed and not all(outcomes):
            break
    report(results, (time.monotonic() - start) / 60)
    fine = (passed and in_time(stage, minutes) for stage, minutes, passed in results)
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
